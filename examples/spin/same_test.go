package main

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/whet-go/whet/examples/spin/fast"
	"github.com/whet-go/whet/examples/spin/slow"
)

type runner interface {
	Submit(job func()) bool
	Close()
}

// versions are functions that start a pool of each version.
var versions = map[string]func(workers int) runner{
	"slow": func(workers int) runner { return slow.NewPool(workers) },
	"fast": func(workers int) runner { return fast.NewPool(workers) },
}

// onBoth runs check with a pool of each version, and closes it.
func onBoth(t *testing.T, workers int, check func(t *testing.T, p runner)) {
	t.Helper()
	for name, start := range versions {
		t.Run(name, func(t *testing.T) {
			p := start(workers)
			defer p.Close()
			check(t, p)
		})
	}
}

// results submits jobs for the texts in order to a single worker, and returns their results in the
// order in which they were done.
func results(t *testing.T, p runner, texts []string) []string {
	t.Helper()
	var made []string // the only worker's until Close returns
	for _, text := range texts {
		if !p.Submit(func() { made = append(made, text+" "+backwards(text)) }) {
			t.Fatal("the pool is closed")
		}
	}
	p.Close()
	return made
}

func backwards(text string) string {
	var out []byte
	for len(text) > 0 {
		_, size := utf8.DecodeLastRuneInString(text)
		out = append(out, text[len(text)-size:]...)
		text = text[:len(text)-size]
	}
	return string(out)
}

func same(t *testing.T, texts []string) {
	t.Helper()
	want := results(t, slow.NewPool(1), texts)
	got := results(t, fast.NewPool(1), texts)
	if !slices.Equal(got, want) || len(got) != len(texts) {
		t.Errorf("jobs %q: fast made %q, slow made %q", texts, got, want)
	}
}

func TestSame(t *testing.T) {
	same(t, nil)
	same(t, []string{""})
	same(t, []string{"one", "zwei", "trés", "四", "\xff\xfe", "", "one"})
	many := make([]string, 1000) // more than can be in line
	random := rand.New(rand.NewPCG(1, 2))
	for i := range many {
		many[i] = string(rune(random.IntN(0x20000)))
	}
	same(t, many)
}

func FuzzSame(f *testing.F) {
	f.Add("", "", uint8(0))
	f.Add("one", "zwei", uint8(3))
	f.Add("é世", "\xff\xfe", uint8(200))
	f.Fuzz(func(t *testing.T, a, b string, n uint8) {
		var texts []string
		for i := range int(n) {
			texts = append(texts, a[:min(i, len(a))]+b)
		}
		same(t, texts)
	})
}

// TestAllDone submits from several goroutines to several workers: each job submitted before Close
// is done once, and none after it.
func TestAllDone(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 2, 7} {
		onBoth(t, workers, func(t *testing.T, p runner) {
			var done [4][250]atomic.Int32
			var callers sync.WaitGroup
			for c := range done {
				callers.Go(func() {
					for i := range done[c] {
						if !p.Submit(func() { done[c][i].Add(1) }) {
							t.Error("the pool is closed")
						}
					}
				})
			}
			callers.Wait()
			p.Close()
			for c := range done {
				for i := range done[c] {
					if n := done[c][i].Load(); n != 1 {
						t.Fatalf("%d workers: job %d of caller %d was done %d times", workers, i, c, n)
					}
				}
			}
			p.Close() // once more
			if p.Submit(func() { t.Error("a job was done after Close") }) {
				t.Error("Submit took a job after Close")
			}
		})
	}
}

// TestCloseWhileSubmitting checks that the jobs that Submit accepts are done, even if the pool is
// closed meanwhile.
func TestCloseWhileSubmitting(t *testing.T) {
	onBoth(t, 2, func(t *testing.T, p runner) {
		var taken, done atomic.Int32
		var callers sync.WaitGroup
		begun := make(chan bool, 4)
		for range 4 {
			callers.Go(func() {
				begun <- p.Submit(func() { done.Add(1) })
				taken.Add(1)
				for p.Submit(func() { done.Add(1) }) {
					taken.Add(1)
				}
			})
		}
		for range 4 {
			if !<-begun {
				t.Error("the pool is closed")
			}
		}
		p.Close()
		callers.Wait()
		if taken.Load() != done.Load() {
			t.Errorf("%d jobs were taken, %d done", taken.Load(), done.Load())
		}
	})
}

// TestAtOnce checks that as many jobs run simultaneously as there are workers.
func TestAtOnce(t *testing.T) {
	onBoth(t, 3, func(t *testing.T, p runner) {
		var meet, all sync.WaitGroup
		meet.Add(3)
		for range 3 {
			all.Add(1)
			if !p.Submit(func() { meet.Done(); meet.Wait(); all.Done() }) {
				t.Fatal("the pool is closed")
			}
		}
		all.Wait()
	})
}
