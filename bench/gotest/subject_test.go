package gotest_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

var _ ab.Subject = (*gotest.Subject)(nil)

// TestSubject compares a benchmark with itself, in all ways that rounds are run.
func TestSubject(t *testing.T) {
	b := binary(t, "")
	s := gotest.NewSubject("m BenchmarkOuter", "BenchmarkOuter", b, b, gotest.RunOptions{})
	plans := []ab.Plan{{Length: 5 * time.Millisecond}}
	if runtime.GOOS == "linux" {
		plans[0].Pinned = true
	}
	res, err := ab.Run(t.Context(), []ab.Subject{s}, ab.Options{Plans: plans, MaxTime: time.Second, Trial: time.Millisecond})
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

// TestSubjectTogether wants one calibration for both sides, asked for at once.
func TestSubjectTogether(t *testing.T) {
	b := binary(t, "")
	s := gotest.NewSubject("x", "BenchmarkOld", b, b, gotest.RunOptions{Procs: 1})
	var wait sync.WaitGroup
	var got [2]ab.Measurement
	for _, side := range []ab.Side{ab.A, ab.B} {
		wait.Go(func() {
			var err error
			if got[side], err = s.Measure(t.Context(), ab.Round{Side: side, Length: 5 * time.Millisecond, CPU: ab.Anywhere}); err != nil {
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
	if _, err := bad.Measure(t.Context(), ab.Round{Length: time.Millisecond, CPU: ab.Anywhere}); !errors.As(err, new(*gotest.Failure)) {
		t.Errorf("a failing benchmark: %v", err)
	}
}
