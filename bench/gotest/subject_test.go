package gotest_test

import (
	"errors"
	"math"
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
	res, err := ab.Run(t.Context(), []ab.Subject{s}, ab.Options{
		Plans: plans, MaxTime: time.Second, Trial: time.Millisecond,
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

// TestSubjectTogether wants one calibration for both sides, asked for at once.
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

// TestSubjectFits: rounds that may fit are as short as starting a process allows, and not
// shorter than the collector needs. They are in slices unless that measured something else.
func TestSubjectFits(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/fit\n\ngo 1.26\n",
		"fit_test.go": `package fit

import (
	"os"
	"testing"
	"time"
)

var (
	sink int
	keep []byte
	heap [][]byte
)

// init takes long to start the process, once there is a file of that name.
func init() {
	if _, err := os.Stat("slow"); err != nil {
		return
	}
	for began := time.Now(); time.Since(began) < 60*time.Millisecond; {
		sink++
	}
}

var grown bool

// BenchmarkOnce cannot be run again once it has run for long.
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
	for name, want := range map[string]struct{ least, most, slices int }{
		"BenchmarkPlain":    {least: 5, most: 10_000, slices: 10},
		"BenchmarkParallel": {least: 10, most: 10_000, slices: 1},
		"BenchmarkOnce":     {least: 10, most: 10_000, slices: 1},
		"BenchmarkRare":     {least: 20_000, most: 20_000, slices: 1}, // no collection is due for long
	} {
		s := gotest.NewSubject(name, name, b, b, gotest.RunOptions{})
		length, slices, err := s.Fitting(t.Context(), most)
		if err != nil {
			t.Fatal(err)
		}
		if ms := int(length.Milliseconds()); ms < want.least || ms > want.most || slices != want.slices {
			t.Errorf("%s: rounds of %v in %d slices, want %+v", name, length, slices, want)
		}
	}

	// What a process takes to start is not in the CPU time of an iteration, also where it
	// is not what it was before.
	s := gotest.NewSubject("BenchmarkPlain", "BenchmarkPlain", b, b, gotest.RunOptions{})
	least := func() float64 {
		out := math.Inf(1)
		for range 3 {
			m, err := s.Measure(t.Context(), ab.Round{Length: 100 * time.Millisecond, CPU: ab.Anywhere})
			if err != nil {
				t.Fatal(err)
			}
			if v, ok := m.Values[gotest.CPUTime]; ok {
				out = min(out, v)
			}
		}
		return out
	}
	before := least()
	if err := os.WriteFile(filepath.Join(dir, "slow"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if after := least(); math.IsInf(after, 0) || after > 1.3*before {
		t.Errorf("an iteration takes %v, and %v once the process starts slowly", before, after)
	}
}
