package requests_test

import (
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// TestWaits compares the waits with what each request reports as its own time, and checks that the
// planted wait has the right line and ended where the lock was released.
func TestWaits(t *testing.T) {
	x := tracetest.Index(t, serve(t))
	w, err := requests.WaitsOf(x)
	if err != nil {
		t.Fatal(err)
	}
	n, latency, want := 0, time.Duration(0), requests.Times{}
	if _, err := requests.Find(x, requests.Options{Each: func(_ string, r *requests.Request) {
		n++
		latency += r.Latency()
		for c, d := range r.Times {
			want[c] += d
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if n == 0 || w.Requests != n || w.Time != latency || w.Times != want || w.Dropped != 0 {
		t.Errorf("%d requests of %v, %v; want %d of %v, %v", w.Requests, w.Time, w.Times, n, latency, want)
	}
	got := requests.Times{}
	for _, one := range w.Waits {
		got[one.Cause] += one.Time
		if one.Count <= 0 || one.Max > one.Time || one.Max <= 0 || one.Requests <= 0 || one.Requests > one.Count {
			t.Errorf("%+v", one)
		}
	}
	for c := range want {
		switch cause := requests.Cause(c); cause {
		case requests.Running, requests.Runnable:
			if got[c] != 0 {
				t.Errorf("%v is a wait: %v", cause, got[c])
			}
		default:
			if got[c] != want[c] {
				t.Errorf("waits for %v take %v, requests say %v", cause, got[c], want[c])
			}
		}
	}
	for _, one := range w.Waits {
		if one.Cause == requests.Lock && holds(x, one.Stack, "(*planted).lock") {
			if !holds(x, one.Waking, "sync.(*Mutex).Unlock") {
				t.Errorf("the lock was given back by %v", x.Stack(one.Waking))
			}
			return
		}
	}
	t.Error("no request waits for the planted lock")
}

// holds reports whether a stack has a function whose name ends in name.
func holds(x *index.Index, stack uint32, name string) bool {
	for _, f := range x.Stack(stack) {
		if strings.HasSuffix(f.Func, name) {
			return true
		}
	}
	return false
}
