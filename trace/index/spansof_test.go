package index

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	rtrace "runtime/trace"
	"slices"
	"sync"
	"testing"
)

// turns makes a trace of two goroutines that wait for each other until they have spans in many
// slices, and of short-lived others.
func turns(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := rtrace.Start(&out); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	there := make(chan int)
	all.Go(func() {
		for n := range there {
			if n%100 == 0 {
				all.Go(func() {})
			}
		}
	})
	for n := range 20_000 {
		there <- n
	}
	close(there)
	all.Wait()
	rtrace.Stop()
	return out.Bytes()
}

// TestSpansOf compares the spans of one goroutine with those in a pass over all spans.
func TestSpansOf(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	if _, err := Build(t.Context(), bytes.NewReader(turns(t)), name, Options{}); err != nil {
		t.Fatal(err)
	}
	x, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	if len(x.tables.Slices) < 5 {
		t.Fatalf("%d slices", len(x.tables.Slices))
	}
	all := map[uint32][]Span{}
	if err := x.Spans(0, x.Info.Duration, func(s Span) bool {
		all[s.Goroutine] = append(all[s.Goroutine], s)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	busy := uint32(0) // has the most spans: several slices
	for g := range all {
		if len(all[g]) > len(all[busy]) || len(all[g]) == len(all[busy]) && g < busy {
			busy = g
		}
	}
	for n := range 200 {
		index := random.Uint32N(x.Info.Goroutines)
		if n%2 == 0 {
			index = busy
		}
		begin := random.Int64N(x.Info.Duration)
		end := begin + random.Int64N(x.Info.Duration-begin+1)
		if n < 2 {
			begin, end = 0, x.Info.Duration
		}
		var want, got []Span
		for _, s := range all[index] {
			if s.To >= begin && s.From <= end {
				want = append(want, s)
			}
		}
		g, err := x.Goroutine(index)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.SpansOf(g, begin, end, func(s Span) bool {
			got = append(got, s)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("goroutine %d from %d to %d: %d spans, want %d", index, begin, end, len(got), len(want))
		}
		seen := 0
		if err := x.SpansOf(g, begin, end, func(Span) bool { seen++; return seen < 3 }); err != nil {
			t.Fatal(err)
		}
		if seen != min(3, len(want)) {
			t.Fatalf("%d spans after the callback stopped it, of %d", seen, len(want))
		}
	}
}
