package gotest_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

var _ ab.Subject = (*gotest.Subject)(nil)

// TestSubject compares a benchmark with itself, in all ways of running rounds.
func TestSubject(t *testing.T) {
	b := binary(t, "")
	s := gotest.NewSubject("m BenchmarkOuter", "BenchmarkOuter", b, b, gotest.RunOptions{})
	plans := []ab.Plan{{Length: 5 * time.Millisecond}}
	if runtime.GOOS == "linux" {
		plans[0].Pinned = true
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, err := ab.Run(ctx, []ab.Subject{s}, ab.Options{
		Plans: plans, MaxTime: time.Hour, Trial: time.Millisecond,
		Progress: func(p ab.Progress) {
			if p.Pairs == 3 {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := res.Subjects[0]
	if c.Name != "m BenchmarkOuter" || c.Error != "" || c.Pairs < 3 || res.Inside <= 0 || res.Inside >= res.Elapsed {
		t.Errorf("%+v, inside %v of %v", c, res.Inside, res.Elapsed)
	}
	units := map[string]bool{}
	for _, u := range c.Units {
		units[u.Unit] = true
	}
	if !units["sec/op"] || !units["B/op"] || !units["allocs/op"] {
		t.Errorf("units %v", units)
	}
}

// TestSubjectTogether expects one calibration for both sides when they start at once.
func TestSubjectTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	b := binary(t, "")
	s := gotest.NewSubject("x", "BenchmarkOld", b, b, gotest.RunOptions{Procs: 1})
	var wait sync.WaitGroup
	var got [2]ab.Measurement
	for _, side := range []ab.Side{ab.A, ab.B} {
		wait.Go(func() {
			var err error
			if got[side], err = s.Measure(t.Context(),
				ab.Round{Side: side, Length: 5 * time.Millisecond, CPU: ab.Anywhere}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, m := range got {
		if m.Values["widgets/op"] != 7 || m.Inside <= 0 || m.CPU <= 0 {
			t.Errorf("%+v", m)
		}
	}
	bad := gotest.NewSubject("y", "BenchmarkFail/not", binary(t, "bad"), binary(t, "bad"), gotest.RunOptions{})
	if _, err := bad.Measure(t.Context(), ab.Round{Length: time.Millisecond, CPU: ab.Anywhere}); !errors.As(err,
		new(*gotest.Failure)) {
		t.Errorf("a failing benchmark: %v", err)
	}
}

// TestSubjectFits checks the shape of rounds for real benchmarks, as far as it depends on what they
// allow and allocate. Their times depend on the machine, so TestShape simulates them.
func TestSubjectFits(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com/fit

go 1.26
-- fit_test.go --
package fit

import "testing"

var (
	sink int
	keep []byte
	heap [][]byte
)

var grown bool

// BenchmarkOnce cannot be run again after many iterations.
func BenchmarkOnce(b *testing.B) {
	if b.N == 1 && grown {
		b.Fatal("again")
	}
	grown = grown || b.N > 1
	for range b.N {
		sink++
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		n := 0
		for pb.Next() {
			n++
		}
	})
}

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		for i := range 100 {
			sink += i
		}
	}
}

// BenchmarkOften repeatedly allocates as much as the size of the heap.
func BenchmarkOften(b *testing.B) {
	for b.Loop() {
		keep = make([]byte, 1<<20)
	}
}

// BenchmarkRare allocates a little next to a large heap, so collections are rare.
func BenchmarkRare(b *testing.B) {
	for len(heap) < 64 {
		heap = append(heap, make([]byte, 1<<20))
	}
	for b.Loop() {
		keep = make([]byte, 1000)
		for i := range 5000 {
			sink += i
		}
	}
}
`)
	src := gotest.Source{Dir: dir, Env: []string{"GODEBUG=panicnil=1"}}
	pkgs, _, err := gotest.List(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := gotest.Compile(t.Context(), src, pkgs[0], filepath.Join(dir, "fit.test"))
	if err != nil {
		t.Fatal(err)
	}
	const most = 20 * time.Second // so that a busy machine cannot make the first as long
	for name, want := range map[string]int{"BenchmarkPlain": 10, "BenchmarkParallel": 1, "BenchmarkOnce": 1} {
		s := gotest.NewSubject(name, name, b, b, gotest.RunOptions{})
		length, slices, err := s.Fitting(t.Context(), most)
		if err != nil {
			t.Fatal(err)
		}
		if length < 5*time.Millisecond || length > most || slices != want {
			t.Errorf("%s: rounds of %v in %d slices, want %d", name, length, slices, want)
		}
	}

	// A disturbance can only reduce the number of collections in a fixed time.
	rate, err := b.Garbage(t.Context(), "BenchmarkRare")
	if err != nil || rate != 0 {
		t.Errorf("a large heap is collected %v times a second, %v", rate, err)
	}
	for try := 1; ; try++ {
		rate, err := b.Garbage(t.Context(), "BenchmarkOften")
		if err != nil {
			t.Fatal(err)
		}
		if rate > 0 {
			break
		}
		if try == 5 {
			t.Error("a small heap is never collected")
			break
		}
	}

	// A round may be so disturbed that it measures no CPU time.
	s := gotest.NewSubject("BenchmarkPlain", "BenchmarkPlain", b, b, gotest.RunOptions{})
	for try := 1; ; try++ {
		m, err := s.Measure(t.Context(), ab.Round{Length: 500 * time.Millisecond, CPU: ab.Anywhere})
		if err != nil {
			t.Fatal(err)
		}
		if m.Values[gotest.CPUTime] > 0 {
			break
		}
		if try == 5 {
			t.Errorf("no CPU time in %+v", m)
			break
		}
	}
}
