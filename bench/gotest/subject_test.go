package gotest_test

import (
	"errors"
	"os"
	"path/filepath"
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

// TestSubjectFits: rounds that may fit are as short as starting a process allows, and not
// shorter than the collector needs.
func TestSubjectFits(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/fit\n\ngo 1.26\n",
		"fit_test.go": `package fit

import "testing"

var (
	sink int
	keep []byte
	heap [][]byte
)

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		for i := range 100 {
			sink += i
		}
	}
}

// BenchmarkRare allocates a little beside a heap that is large: no collection is due for long.
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
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
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
	length := func(name string) time.Duration {
		s := gotest.NewSubject(name, name, b, b, gotest.RunOptions{})
		fit, err := s.Fitting(t.Context(), most)
		if err != nil {
			t.Fatal(err)
		}
		return fit
	}
	if plain := length("BenchmarkPlain"); plain < 10*time.Millisecond || plain > most/2 {
		t.Errorf("rounds of %v for what does not allocate", plain)
	}
	if rare := length("BenchmarkRare"); rare != most {
		t.Errorf("rounds of %v, in which no collection is due", rare)
	}
}
