package deferloop

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"

	"test/values"
)

type counter struct {
	mu sync.Mutex
	n  map[string]int
}

func Locked(cs []*counter, name string) int {
	for _, c := range cs {
		c.mu.Lock()
		defer c.mu.Unlock() // want `keeps a call of c.mu.Unlock until`
		if name == "" {
			continue
		}
		for i := range 3 {
			if i == 1 {
				continue
			}
			switch i {
			case 2:
				break
			}
		}
		c.n[name]++
	}
	return len(cs)
}

func Until(cs []*counter, name string) int {
	for i := 0; i < len(cs); i++ {
		c := cs[i]
		c.mu.Lock()
		defer c.mu.Unlock() // want `keeps a call`
		if c.n[name] > 1 {
			break
		}
		c.n[name]++
	}
	return 0
}

func Literal(names []string) (s string) {
	for _, n := range names {
		defer func() { s += n }() // want `keeps a call of the function until`
	}
	return s
}

func Nested(wg *sync.WaitGroup, names []string) {
	for range 2 {
		for range names {
			wg.Add(1)
			defer wg.Done() // want `keeps a call of wg.Done until`
		}
	}
}

func Own(names []string) {
	for range names {
		defer own() // want `keeps a call of own until`
	}
}

func Contexts(names []string) (n int) {
	ctx := context.Background()
	for _, name := range names {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // want `keeps a call of cancel until`
		if name == "" {
			continue
		}
		for i := range 3 {
			if i == 1 {
				continue
			}
			switch i {
			case 2:
				break
			}
		}
		if ctx.Err() == nil {
			n++
		}
	}
	return n
}

func Kept(names []string) (n int) {
	var all []context.Context
	for range names {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel() // want `keeps a call of cancel until`
		all = append(all, ctx)
	}
	for _, ctx := range all {
		if ctx.Err() == nil {
			n++
		}
	}
	return n
}

func Both(names []string) {
	for _, name := range names {
		r := io.NopCloser(strings.NewReader(name))
		defer r.Close() // want `keeps a call of r.Close until`
		defer own()     // want `keeps a call of own until`
	}
	for _, name := range names {
		r := io.NopCloser(strings.NewReader(name))
		defer r.Close() // want `keeps a call of r.Close until`
		q := io.NopCloser(strings.NewReader(name))
		defer q.Close() // want `keeps a call of q.Close until`
		_, _ = io.Copy(io.Discard, r)
	}
}

func own() { _ = recover() }

func counters(r *rand.Rand) []*counter {
	var cs []*counter
	for range r.IntN(4) {
		cs = append(cs, &counter{n: map[string]int{}})
	}
	return cs
}

func Try(r *rand.Rand) string {
	cs, names := counters(r), values.Strings(r)
	var wg sync.WaitGroup
	Nested(&wg, names)
	wg.Wait()
	Own(names)
	Both(names)
	a, b := Locked(cs, values.String(r)), Until(counters(r), "x")
	out := fmt.Sprintf("%d %d %d %d %q", a, b, Contexts(names), Kept(names), Literal(names))
	for _, c := range cs {
		c.mu.Lock()
		out += fmt.Sprint(c.n)
		c.mu.Unlock()
	}
	return out
}
