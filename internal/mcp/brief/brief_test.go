package brief

import (
	"reflect"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/advice"
	"github.com/whet-go/whet/find/dependencies"
)

// TestCalls describes the calls of a line, with the largest parts of each.
func TestCalls(t *testing.T) {
	all := []dependencies.Call{
		{File: "a.go", Line: 3, Callee: "other.Do"},
		{
			File: "main.go", Line: 7, Callee: "example.com/fs.(*FS).Stats", Module: "example.com/fs", Version: "v1.2.0",
			CPU: dependencies.Amount{Share: 0.27123456}, Memory: dependencies.Amount{Share: 0.1},
			Hottest: []dependencies.Line{
				{Module: "example.com/fs", Version: "v1.2.0", File: "read.go", Line: 12, Code: "os.ReadFile(name)", Share: 0.2},
				{File: "b.go"},
				{File: "c.go"},
				{File: "d.go"},
			},
			Work:         []dependencies.Work{{Kind: "files", Share: 0.25}},
			Counts:       []dependencies.Count{{What: "files opened", Times: 400, PerRequest: 40}},
			Alternatives: []dependencies.Alternative{{Name: "fs.One", Signature: "(name string) error"}},
		},
	}
	got := Calls(all, 5, func(file string, line int) bool { return file == "main.go" && line == 7 })
	want := []Call{{
		File: "main.go", Line: 7, Callee: "example.com/fs.(*FS).Stats", Module: "example.com/fs@v1.2.0",
		CPU: 0.2712, Memory: 0.1,
		Hottest: []string{"example.com/fs@v1.2.0 read.go:12 os.ReadFile(name) (20.0%)", " b.go:0  (0.0%)", " c.go:0  (0.0%)"},
		Work:    []string{"files (25.0%)"}, Makes: []string{"files opened: about 400, 40 per request"},
		Others: []string{"fs.One(name string) error"},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := Calls(all, 1, func(string, int) bool { return true }); len(got) != 1 || got[0].File != "a.go" {
		t.Errorf("the first call: %+v", got)
	}
}

// TestUpstream has rewrites of rules first, then candidates, and says which of them are not proven.
func TestUpstream(t *testing.T) {
	results := []*find.Result{{
		Module: "example.com/fs", Version: "v1.2.0",
		Findings: []find.Finding{
			{
				Rule: "percall", Title: "compiled per call", Places: []find.Place{{File: "a.go", Line: 2}}, Saving: 0.03,
				Fix: &find.Fix{Diff: "-a"},
			},
			{Rule: "boxing", Places: []find.Place{{File: "a.go", Line: 9}}}, // without a rewrite
		},
		Candidates: []find.Candidate{
			{
				Generator: "capacity", Title: "grown", Place: find.Place{File: "b.go", Line: 5}, Saving: 0.01,
				Assumes: "it is large", Change: find.Fix{Diff: "-b"},
			},
			{Generator: "stack", Place: find.Place{File: "c.go", Line: 6}},
		},
	}}
	got := UpstreamOf(results, 2)
	want := []Upstream{{Module: "example.com/fs@v1.2.0", Warnings: got[0].Warnings, Changes: []Change{
		{By: "percall", Title: "compiled per call", File: "a.go", Line: 2, Saving: 0.03, Diff: "-a"},
		{
			By: "capacity", Title: "grown", File: "b.go", Line: 5, Saving: 0.01, Unproven: true, Assumes: "it is large",
			Diff: "-b",
		},
	}}}
	if !reflect.DeepEqual(got, want) || len(got[0].Warnings) != 0 {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	steps := 0
	for Shrink(&got, 0) {
		steps++
	}
	if len(got) != 0 || steps == 0 {
		t.Errorf("%+v is left after %d steps", got, steps)
	}
}

// TestAdvice has the first pieces, with the other places of each.
func TestAdvice(t *testing.T) {
	all := []advice.Advice{{Share: 0.123456}, {}}
	if got := Advice(all, 1); len(got) != 1 || got[0].Share != 0.1235 {
		t.Errorf("%+v", got)
	}
}
