package owncode

import (
	"testing"

	"github.com/whet-go/whet/profile"
)

// TestNew chooses a line by its share of the second profile, and shortens paths.
func TestNew(t *testing.T) {
	line := func(file string, n int, cost int64) profile.OwnLine {
		return profile.OwnLine{Function: "main.f", File: file, Line: n, Cost: cost}
	}
	first := &profile.OwnReport{
		Own: 90, Rest: 5, None: []profile.OwnCallee{{Function: "runtime.gcBgMarkWorker", Cost: 5}},
		Lines: []profile.OwnLine{line("/src/shop/a.go", 1, 60), line("/src/shop/b/b.go", 2, 30)},
	}
	first.Lines[0].Callees = []profile.OwnCallee{{Function: "strings.Repeat", Cost: 20}}
	second := &Second{Profile: "allocs", Total: 10, Report: &profile.OwnReport{
		Own: 10, Lines: []profile.OwnLine{line("/src/shop/c.go", 3, 9), line("/src/shop/a.go", 1, 1)},
	}}
	r := New(first, second, Options{Total: 100, Lines: 2, Dir: "/src/shop"})
	if len(r.Lines) != 2 || r.Hidden != 1 || r.Cost != 90 || r.Shown != 60 || r.Filtered != 5 || second.Cost != 10 {
		t.Fatalf("%+v", r)
	}
	if l := r.Lines[0]; l.Path != "a.go" || l.Share != 0.6 || l.AlsoShare != 0.1 || l.Callees[0].Share != 0.2 {
		t.Errorf("%+v", l)
	}
	if l := r.Lines[1]; l.Path != "c.go" || l.Cost != 0 || l.AlsoShare != 0.9 {
		t.Errorf("%+v", l)
	}
	if len(r.Rest) != 1 || r.Rest[0].What != "garbage collector's own goroutines" || r.Rest[0].Share != 0.05 {
		t.Errorf("%+v", r.Rest)
	}
	if r := New(first, nil, Options{Total: 100, Difference: true}); r.Filtered != 0 || len(r.Lines) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestPurpose(t *testing.T) {
	for root, want := range map[string]string{
		"runtime.gcBgMarkWorker":              "garbage collector's own goroutines",
		"runtime.mcall":                       "goroutine scheduling",
		"runtime.nanotime1":                   "runtime",
		"net/http.(*conn).serve":              "HTTP server: connections",
		"net/http.(*persistConn).readLoop":    "HTTP client: connections",
		"net/http/pprof.Profile":              "profiling itself",
		"database/sql.(*DB).connectionOpener": "goroutines of database/sql",
		"":                                    "code without symbols",
		"_start":                              "_start",
	} {
		if got := purpose(root); got != want {
			t.Errorf("purpose(%q) = %q, want %q", root, got, want)
		}
	}
}
