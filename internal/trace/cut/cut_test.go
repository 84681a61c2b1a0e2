package cut_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	rtrace "runtime/trace"
	"sync"
	"testing"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/trace/cut"
)

// record returns a trace of several generations, with goroutines that wait all the time, when the
// second generation begins, and how long the trace is.
func record(t testing.TB) (data []byte, second, end time.Duration) {
	t.Helper()
	// Generations take a second, or longer on a busy machine.
	for length := 1600 * time.Millisecond; length < 2*time.Minute; length *= 2 {
		data = traced(t, length)
		var syncs []trace.Time
		var last trace.Time
		each(t, data, func(ev *trace.Event) {
			if last = ev.Time(); ev.Kind() == trace.EventSync {
				syncs = append(syncs, last)
			}
		})
		// There is a sync event where each begins, and one at the end.
		if len(syncs) > 2 && last.Sub(syncs[1]) > 100*time.Millisecond {
			return data, syncs[1].Sub(syncs[0]), last.Sub(syncs[0])
		}
	}
	t.Fatal("the trace has one generation")
	return nil, 0, 0
}

// traced returns a trace of some length.
func traced(t testing.TB, length time.Duration) []byte {
	t.Helper()
	stop := make(chan struct{})
	var waiting, wg sync.WaitGroup
	for range 20 {
		waiting.Go(func() { <-stop })
	}
	var data bytes.Buffer
	if err := rtrace.Start(&data); err != nil {
		t.Fatal(err)
	}
	work := make(chan int)
	for range 4 {
		wg.Go(func() {
			for range work {
				_, _ = os.ReadFile("doc.go")
			}
		})
	}
	end := time.After(length)
	for n := 0; ; n++ {
		select {
		case <-end:
			close(work)
			wg.Wait()
			rtrace.Stop()
			close(stop)
			waiting.Wait()
			return data.Bytes()
		case work <- n:
		}
		if n%5 == 0 {
			<-time.After(time.Millisecond)
		}
		if n%200 == 0 {
			runtime.GC()
		}
	}
}

// An event is the part of a reader's event that does not depend on where the trace begins.
type event struct {
	at   trace.Time
	kind trace.EventKind
	id   int64
	to   string
}

// each reads a trace to its end.
func each(t testing.TB, data []byte, yield func(*trace.Event)) {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		yield(&ev)
	}
}

// events returns the events of a trace that report changes, without those that report existing
// states.
func events(t testing.TB, data []byte) []event {
	t.Helper()
	var all []event
	each(t, data, func(ev *trace.Event) {
		one := event{at: ev.Time(), kind: ev.Kind()}
		switch ev.Kind() {
		case trace.EventSync, trace.EventRangeActive:
			return
		case trace.EventStateTransition:
			st := ev.StateTransition()
			switch st.Resource.Kind {
			case trace.ResourceGoroutine:
				from, to := st.Goroutine()
				if from == to || from == trace.GoUndetermined {
					return
				}
				one.id, one.to = int64(st.Resource.Goroutine()), to.String()
			case trace.ResourceProc:
				from, to := st.Proc()
				if from == to || from == trace.ProcUndetermined {
					return
				}
				one.id, one.to = int64(st.Resource.Proc()), to.String()
			}
		}
		all = append(all, one)
	})
	return all
}

func begin(t testing.TB, data []byte) trace.Time {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	ev, err := r.ReadEvent()
	if err != nil {
		t.Fatal(err)
	}
	return ev.Time()
}

// goroutines returns the goroutines in a trace.
func goroutines(t testing.TB, data []byte) map[trace.GoID]bool {
	t.Helper()
	ids := map[trace.GoID]bool{}
	each(t, data, func(ev *trace.Event) {
		if ev.Kind() == trace.EventStateTransition {
			if st := ev.StateTransition(); st.Resource.Kind == trace.ResourceGoroutine {
				ids[st.Resource.Goroutine()] = true
			}
		}
	})
	return ids
}

// TestCut cuts windows out of a real trace, and compares them with the whole.
func TestCut(t *testing.T) {
	data, second, end := record(t)
	rest := end - second
	whole := events(t, data)
	first := begin(t, data)
	for _, w := range []struct{ from, to time.Duration }{
		{0, 0},
		{0, second / 3},
		{0, second + rest/4},
		{second + rest/6, second + rest/2},
		{second + rest/3, 0},
		{second + rest*5/6, time.Hour},
		{0, time.Microsecond},
	} {
		t.Run(fmt.Sprint(w.from.Round(100*time.Millisecond), " to ", w.to.Round(100*time.Millisecond)), func(t *testing.T) {
			var out bytes.Buffer
			result, err := cut.Cut(t.Context(), &out, bytes.NewReader(data), cut.Options{From: int64(w.from), To: int64(w.to)})
			if err != nil {
				t.Fatal(err)
			}
			if result.Written != int64(out.Len()) || result.Damage != "" || result.Whole || result.From > w.from {
				t.Errorf("%+v, %d bytes", result, out.Len())
			}
			if w.from == 0 && w.to == 0 {
				if !bytes.Equal(out.Bytes(), data) {
					t.Error("the whole trace is not the same")
				}
				return
			}
			if out.Len() >= len(data) {
				t.Errorf("%d bytes of %d", out.Len(), len(data))
			}
			// All events within the window are there, and none after it.
			until := first + trace.Time(w.to)
			if w.to == 0 {
				until = 1 << 62
			}
			want := map[event]bool{}
			for _, ev := range whole {
				if ev.at >= first+trace.Time(w.from) && ev.at < until-2000 { // equal times are moved apart
					want[ev] = true
				}
			}
			for _, ev := range events(t, out.Bytes()) {
				delete(want, ev)
				if ev.at > until+2000 {
					t.Fatalf("at %v after the begin: %v", ev.at.Sub(first), ev)
				}
			}
			for ev := range want {
				t.Fatalf("%d events are missing, of them %v", len(want), ev)
			}
			last := trace.Time(0)
			each(t, out.Bytes(), func(ev *trace.Event) { last = ev.Time() })
			if last > until+2000 || last.Sub(first) > result.To+2*time.Microsecond {
				t.Errorf("the last event is at %v", last.Sub(first))
			}
			if ids := goroutines(t, out.Bytes()); len(ids) < 24 {
				t.Errorf("%d goroutines are known, 20 wait and 4 work", len(ids))
			}
			read(t, out.Bytes())
		})
	}
}

// read checks that go tool trace can read a trace.
func read(t *testing.T, data []byte) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		return
	}
	name := filepath.Join(t.TempDir(), "cut.out")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "tool", "trace", "-pprof=sync", name)
	cmd.Stderr = &errs
	if out, err := cmd.Output(); err != nil || errs.Len() > 0 || len(out) == 0 {
		t.Errorf("go tool trace: %v, %s", err, &errs)
	}
}
