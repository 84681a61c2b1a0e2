package goroutines_test

import (
	"bytes"
	"cmp"
	"os"
	rtrace "runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/waits"
)

func TestCreators(t *testing.T) {
	for root, want := range map[string]string{
		"main.main.func1":                   "main.main",
		"main.main.func10.1":                "main.main.func10",
		"main.main.func10.1.1":              "main.main.func10.1",
		"net/http.(*Server).Serve.gowrap3":  "net/http.(*Server).Serve",
		"main.main.func3.gowrap1":           "main.main.func3",
		"sync.(*WaitGroup).Go.func1":        "sync.(*WaitGroup).Go",
		"example.com/x/v2.Start[...].func1": "example.com/x/v2.Start[...]",
		"gopkg.in/yaml%2ev3.F.func2":        "gopkg.in/yaml%2ev3.F",
		"net/http.(*conn).serve":            "net/http.(*Server).Serve",
		"main.worker":                       "",
		"main.glob..func1":                  "",
		"main.init.func1":                   "",
		"main.func1":                        "",
		"gopkg.in/a.func1/b.F":              "",
		"":                                  "",
	} {
		text := "1 @ 0x1\n#\t0x1\t" + root + "+0x1\t/c.go:1\n"
		s, err := goroutines.FromDump(strings.NewReader(text), goroutines.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Groups[0].Creator.Func; got != want {
			t.Errorf("%s created by %q, want %q", root, got, want)
		}
	}
}

func TestAddTrace(t *testing.T) {
	planted(t)
	var buf bytes.Buffer
	if err := rtrace.Start(&buf); err != nil {
		t.Skipf("no trace: %v", err)
	}
	stop := make(chan struct{})
	done := make(chan struct{}, 1)
	go plantedLate(stop, done)
	<-done
	rtrace.Stop()
	defer close(stop)
	x, err := index.BuildTemporary(t.Context(), &buf, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	rep, err := waits.NewReport(x)
	if err != nil {
		t.Fatal(err)
	}
	s, err := goroutines.FromProfile(profileOf(t, "goroutine"), goroutines.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.AddTrace(rep)
	found := 0
	for i := range s.Groups {
		g := &s.Groups[i]
		f, ok := g.OwnFrame(own)
		if !ok || !strings.Contains(f.Func, ".plant") || strings.Contains(f.Func, ".planted") {
			continue
		}
		found++
		want := goroutines.Wait{For: rep.Duration, AtLeast: true, From: goroutines.EvidenceTrace}
		if g.Longest != want {
			t.Errorf("%s waits %+v, want %+v", f.Func, g.Longest, want)
		}
	}
	if found < 8 {
		t.Errorf("%d planted groups", found)
	}
	// plantedLate was started during the trace by a go statement with arguments.
	late := false
	for i := range s.Groups {
		g := &s.Groups[i]
		if strings.HasSuffix(g.Stack[len(g.Stack)-1].Func, "goroutines_test.plantedLate") {
			late = true
			if !strings.HasSuffix(g.Creator.Func, "goroutines_test.TestAddTrace") || g.Creator.Line == 0 {
				t.Errorf("plantedLate created by %+v", g.Creator)
			}
		}
	}
	if !late {
		t.Error("no group of plantedLate")
	}
}

func plantedLate(stop, done chan struct{}) {
	done <- struct{}{}
	<-stop
}

func snapshot(t *testing.T, text string, at time.Time) *goroutines.Snapshot {
	t.Helper()
	s, err := goroutines.FromDump(strings.NewReader(text), goroutines.Options{Name: at.Format("15:04:05")})
	if err != nil {
		t.Fatal(err)
	}
	s.Time = at
	return s
}

func TestGrow(t *testing.T) {
	g := func(fn, state string, n int) string {
		return strings.Repeat("goroutine 2 ["+state+"]:\nmain."+fn+
			"(0x1)\n\t/c.go:1 +0x1\ncreated by main.main in goroutine 1\n\t/c.go:2 +0x1\n\n", n)
	}
	t0 := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a := snapshot(t, g("worker", "chan receive", 3)+g("conn", "IO wait", 2)+g("gone", "select", 4)+g("busy", "running", 1)+
		g("idle", "chan receive", 1), t0)
	b := snapshot(t, g("worker", "chan receive, 2 minutes", 10)+g("conn", "IO wait", 6)+g("nilchan",
		"chan send (nil chan)", 1)+g("busy", "runnable", 1)+
		g("contended", "sync.Mutex.Lock", 8)+g("stuck", "sync.Mutex.Lock, 3 minutes", 5)+g("idle", "chan receive", 2)+
		g("crowd", "select", 3), t0.Add(10*time.Second))
	b.CompareWith(a)
	type grown struct {
		fn                   string
		before, count, delta int64
		verdict              goroutines.Verdict
		why                  string
	}
	want := []grown{
		{"worker", 3, 10, 7, goroutines.Suspect, "grew by 7 in 10s; only another goroutine can end the wait (chan receive)"},
		// A lock in use is not a leak; one that a goroutine has waited for for minutes may be.
		{"contended", 0, 8, 8, goroutines.Fine, ""},
		{"stuck", 0, 5, 5, goroutines.Suspect, "one has waited for 3 minutes"},
		{"conn", 2, 6, 4, goroutines.Fine, ""},
		{"crowd", 0, 3, 3, goroutines.Suspect, "how long they have waited is unknown"},
		// A single additional goroutine is not evidence.
		{"idle", 1, 2, 1, goroutines.Fine, ""},
		{"nilchan", 0, 1, 1, goroutines.Suspect, "nothing can end"},
		{"busy", 1, 1, 0, goroutines.Fine, ""},
		{"gone", 4, 0, -4, goroutines.Fine, ""},
	}
	if len(b.Groups) != len(want) {
		t.Fatalf("%d groups, want %d: %+v", len(b.Groups), len(want), b.Groups)
	}
	slices.SortStableFunc(want, func(a, b grown) int {
		return cmp.Or(cmp.Compare(b.delta, a.delta), cmp.Compare(b.count, a.count))
	})
	for i, w := range want {
		g := &b.Groups[i]
		if g.Stack[0].Func != "main."+w.fn || g.Before != w.before || g.Count != w.count || g.Delta != w.delta ||
			g.Verdict != w.verdict || !strings.Contains(g.Why, w.why) {
			t.Errorf("group %d: %s %d to %d (%+d), %q: %s; want %+v", i, g.Stack[0].Func, g.Before, g.Count, g.Delta,
				g.Verdict, g.Why, w)
		}
	}
	by := goroutines.ByCreator(b.Groups)
	if len(by) != 1 || by[0].Creator.Func != "main.main" || by[0].Count != 36 || by[0].Before != 11 ||
		by[0].Delta != 25 || by[0].Groups != 9 {
		t.Errorf("by creator: %+v", by)
	}
	other := snapshot(t, g("elsewhere", "select", 1), t0)
	other.CompareWith(a)
	if len(other.Warnings) != 1 {
		t.Errorf("two programs compared: %v", other.Warnings)
	}
}

// The profiles in testdata are of the program in planted.go.txt, built with
// GOEXPERIMENT=goroutineleakprofile: seven of its goroutines can never be woken.
func TestMarkLeaks(t *testing.T) {
	read := func(name string) *goroutines.Snapshot {
		p, err := profile.ReadFile("testdata/"+name, profile.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := goroutines.FromProfile(p, goroutines.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s, leak := read("go1.26.goroutine.pb.gz"), read("go1.26.goroutineleak.pb.gz")
	if leak.Total != 7 {
		t.Fatalf("%d leaked goroutines", leak.Total)
	}
	total := s.Total
	s.MarkLeaks(leak)
	if s.Total != total {
		t.Errorf("total went from %d to %d", total, s.Total)
	}
	leaked := 0
	for i := range s.Groups {
		g := &s.Groups[i]
		if (g.Verdict == goroutines.Leak) != (g.Leaked > 0) || (g.Why == "") != (g.Verdict == goroutines.Fine) {
			t.Errorf("%+v", g)
		}
		leaked += int(g.Leaked)
		if g.Stack[0].Func == "main.nilWorker" && (g.Verdict != goroutines.Leak || g.Reason != "chan receive") {
			t.Errorf("nilWorker: %+v", g)
		}
		if g.Stack[0].Func == "main.worker" && g.Verdict != goroutines.Fine {
			t.Errorf("worker: %+v", g)
		}
	}
	if leaked != 7 {
		t.Errorf("%d leaked, want 7", leaked)
	}
	f, err := os.Open("testdata/go1.26.panic.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	d, err := goroutines.FromDump(f, goroutines.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Reason != "panic: boom 1" {
		t.Errorf("reason %q", d.Reason)
	}
	inDump := int64(0)
	for i := range d.Groups {
		inDump += d.Groups[i].Leaked
	}
	if inDump != 7 {
		t.Errorf("the dump has %d leaked, want 7", inDump)
	}
}

func TestNoGoroutineProfile(t *testing.T) {
	p := profileOf(t, "heap")
	if _, err := goroutines.FromProfile(p, goroutines.Options{Name: "heap"}); err == nil ||
		!strings.Contains(err.Error(), "no goroutine profile") {
		t.Errorf("heap profile: %v", err)
	}
}
