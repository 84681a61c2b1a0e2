package profiles

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"regexp"
	"runtime"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/trace/tracetest"
)

// TestParts checks parts nanosecond by nanosecond.
func TestParts(t *testing.T) {
	t.Parallel()
	const end = 100
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := &Parts{}
		var in [end + 1]bool // whether the nanosecond that begins at this time is in a part
		var at [end + 1]bool // whether the time itself is
		for range r.IntN(6) {
			from := r.Int64N(end)
			to := from + r.Int64N(end-from)
			p.Add(7, from, to)
			for i := from; i <= to; i++ {
				at[i] = true
				in[i] = in[i] || i < to
			}
		}
		p.sort()
		from := r.Int64N(end)
		to := from + r.Int64N(end-from)
		want := int64(0)
		for i := from; i < to; i++ {
			if in[i] {
				want++
			}
		}
		if got := p.overlap(7, from, to); got != want {
			t.Fatalf("%v from %d to %d: %d, want %d", p.of, from, to, got, want)
		}
		if got := p.has(8, from); got != at[from] {
			t.Fatalf("%v at %d: %v, want %v", p.of, from, got, at[from])
		}
		if p.overlap(6, 0, end) != 0 || p.has(7, from) || p.has(0, from) {
			t.Fatal("another goroutine has parts")
		}
	}
	var all *Parts
	all.sort()
	if !all.has(0, 3) || all.overlap(1, 3, 5) != 2 || all.overlap(1, 5, 3) != 0 {
		t.Error("nil does not have all")
	}
}

// TestWithin expects the parts of two tasks of one class, and none of another class.
func TestWithin(t *testing.T) {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"order", "order", "refund"} {
		_, task := trace.NewTask(t.Context(), name)
		runtime.Gosched()
		task.End()
	}
	trace.Stop()
	x := tracetest.Index(t, out.Bytes())
	parts, counted, all, err := Within(x, regexp.MustCompile("^task order$"))
	if err != nil || counted != 2 || all != 2 || len(parts.of) == 0 {
		t.Errorf("%d of %d requests with parts of %d goroutines, %v", counted, all, len(parts.of), err)
	}
	if _, _, _, err := Within(x, regexp.MustCompile("frob")); !errors.Is(err, ErrNoRequest) ||
		!strings.HasSuffix(err.Error(), `matches "frob"`) {
		t.Errorf("%v", err)
	}
}
