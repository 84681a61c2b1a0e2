package waits_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	rtrace "runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/index/indextest"
	"github.com/whet-go/whet/trace/waits"
)

func waitForever(started *sync.WaitGroup, c chan int) {
	started.Done()
	<-c
}

// parked waits until n goroutines with fn on their stacks are no longer running.
func parked(t *testing.T, fn string, n int) {
	t.Helper()
	buf := make([]byte, 4<<20)
	for deadline := time.Now().Add(5 * time.Minute); ; runtime.Gosched() {
		got := 0
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			head, _, _ := strings.Cut(g, "\n")
			if strings.Contains(g, fn) && strings.Contains(head, "[chan receive") {
				got++
			}
		}
		if got >= n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d goroutines in %s", got, n, fn)
		}
	}
}

// record traces a program that has two goroutines waiting since before the trace
// and starts three more during it, two of which stay.
func record(t testing.TB) []byte {
	t.Helper()
	tt, _ := t.(*testing.T)
	if tt == nil {
		t.Skip("needs a test")
	}
	stop := make(chan int)
	var started sync.WaitGroup
	started.Add(2)
	for range 2 {
		go waitForever(&started, stop)
	}
	started.Wait()
	parked(tt, "waitForever", 2)
	var buf bytes.Buffer
	if err := rtrace.Start(&buf); err != nil {
		t.Skipf("no trace: %v", err)
	}
	done := make(chan int)
	go func() { close(done) }()
	<-done
	startTwo(stop)
	parked(tt, "startTwo", 2)
	rtrace.Stop()
	close(stop)
	return buf.Bytes()
}

func startTwo(stop chan int) {
	for range 2 {
		go func() { <-stop }()
	}
}

// of reports what goroutines wait for at the end of a trace.
func of(t testing.TB, data []byte, o index.Options) (*waits.Report, error) {
	t.Helper()
	x, err := index.BuildTemporary(t.Context(), bytes.NewReader(data), o)
	if err != nil {
		return nil, err
	}
	rep, err := waits.NewReport(x)
	if cerr := x.Close(); cerr != nil {
		t.Error(cerr)
	}
	return rep, err
}

func TestWaits(t *testing.T) {
	data := record(t)
	rep, err := of(t, data, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Warnings) > 0 {
		t.Errorf("warnings on a whole trace: %v", rep.Warnings)
	}
	var old, young int
	for _, g := range rep.Goroutines {
		switch {
		case strings.HasSuffix(g.Start, "waits_test.waitForever") || strings.HasSuffix(g.Start, "record.gowrap1"):
			old++
			if g.State != waits.Waiting || !g.AtLeast || g.In != rep.Duration {
				t.Errorf("goroutine from before the trace: %v for %v (at least: %v), want waiting for the whole %v", g.State, g.In,
					g.AtLeast, rep.Duration)
			}
			if len(g.Stack) == 0 {
				t.Error("goroutine from before the trace has no stack")
			}
			if g.Creator != nil {
				t.Errorf("creator of a goroutine from before the trace: %v", g.Creator)
			}
		case strings.HasSuffix(g.Start, "waits_test.startTwo.func1"):
			young++
			if g.State != waits.Waiting || g.AtLeast || g.Reason != "chan receive" || g.In >= rep.Duration {
				t.Errorf("goroutine of the trace: %v, %q for %v of %v", g.State, g.Reason, g.In, rep.Duration)
			}
			if len(g.Creator) == 0 || !strings.HasSuffix(g.Creator[0].Func, "waits_test.startTwo") {
				t.Errorf("creator %v, want startTwo", g.Creator)
			}
		}
	}
	if old != 2 || young != 2 {
		t.Errorf("%d old and %d young goroutines, want 2 and 2 in %+v", old, young, rep.Goroutines)
	}
	created := map[string]int64{}
	for _, c := range rep.Creations {
		created[c.Start] += c.Count
	}
	for start, want := range map[string]int64{"startTwo.func1": 2, "record.func1": 1} {
		if got := created["github.com/whet-go/whet/trace/waits_test."+start]; got != want {
			t.Errorf("%d goroutines of %s created, want %d in %v", got, start, want, created)
		}
	}
}

// TestWaitsBounded has a trace that exceeds the memory limit and is ended there.
func TestWaitsBounded(t *testing.T) {
	var buf bytes.Buffer
	if err := rtrace.Start(&buf); err != nil {
		t.Skipf("no trace: %v", err)
	}
	const all, most = 5000, 100
	stop := make(chan int)
	for range all {
		go func() { <-stop }()
	}
	parked(t, "TestWaitsBounded", all)
	rtrace.Stop()
	close(stop)
	const each = 1400 // bytes of memory, by internal/trace/indexer
	rep, err := of(t, buf.Bytes(), index.Options{MaxMemory: most * each})
	if err != nil {
		t.Fatal(err)
	}
	// The limit is checked after every thousand events.
	if n := len(rep.Goroutines); n < most || n > all/2 || len(rep.Warnings) != 1 {
		t.Errorf("%d goroutines of %d, warnings %v, want a few more than %d", n, all, rep.Warnings, most)
	}
}

func TestWaitsTruncated(t *testing.T) {
	data := record(t)
	for _, n := range []int{0, 8, 16, 20, len(data) / 2, len(data) - 1} {
		rep, err := of(t, data[:n], index.Options{})
		if err == nil && len(rep.Warnings) == 0 {
			t.Errorf("%d of %d bytes: neither error nor warning", n, len(data))
		}
	}
	if _, err := of(t, []byte("no trace"), index.Options{}); err == nil {
		t.Error("text is a trace")
	}
}

func FuzzWaits(f *testing.F) {
	real, err := os.ReadFile("../../internal/trace/testdata/go1.26.trace")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(real)
	f.Add([]byte("go 1.26 trace\x00\x00\x00"))
	f.Add([]byte("go 1.22 trace\x00\x00\x00"))
	f.Add([]byte("go 1.11 trace\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if rep, err := of(t, data, index.Options{MaxMemory: 1 << 20}); (rep == nil) == (err == nil) {
			t.Errorf("report %v, error %v", rep, err)
		}
	})
}

// TestReasons compares why goroutines of real traces wait with the runtime's frames on their
// stacks.
func TestReasons(t *testing.T) {
	names, err := filepath.Glob("../../internal/trace/testdata/*.trace")
	if err != nil || len(names) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	onStack := map[string]string{ // by the reason in the trace
		"chan receive": "chan receive", "chan send": "chan send", "select": "select", "sleep": "sleep", "network": "IO wait",
		"sync.(*Cond).Wait": "sync.Cond.Wait",
	}
	all := map[string][]byte{"of this process": indextest.Record(t, 2000)}
	for _, name := range names {
		if all[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	for name, data := range all {
		x, err := index.BuildTemporary(t.Context(), bytes.NewReader(data), index.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Spans(0, x.Info.Duration, func(s index.Span) bool {
			if s.Code < index.Waiting {
				return true
			}
			stack, want := x.Stack(s.Stack), onStack[x.Code(s.Code)]
			i := slices.IndexFunc(stack, func(f waits.Frame) bool { return goruntime.Of(f.Func).Wait != "" })
			if want == "" || i < 0 || goruntime.Of(stack[i].Func).Purpose != goruntime.NoPurpose {
				return true // the runtime's own goroutines wait for work
			}
			seen[want]++
			if got := goruntime.Of(stack[i].Func).Wait; got != want && !strings.HasPrefix(got, "GC ") {
				t.Errorf("%s: a goroutine waits for %q by its state, for %q by its stack %v", name, want, got, stack)
			}
			return true
		}); err != nil {
			t.Error(err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(seen) < 3 {
		t.Errorf("only %v are compared", seen)
	}
}
