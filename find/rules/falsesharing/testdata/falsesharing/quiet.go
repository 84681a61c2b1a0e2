package falsesharing

import (
	"sync"
	"sync/atomic"
)

func Once(items []string) []int {
	sizes := make([]int, len(items))
	var wg sync.WaitGroup
	for i, item := range items {
		wg.Go(func() { sizes[i] = len(item) })
	}
	wg.Wait()
	return sizes
}

func Local(parts [][]int) []int {
	sums := make([]int, len(parts))
	var wg sync.WaitGroup
	for w, part := range parts {
		own := make([]int, 8)
		wg.Go(func() {
			sum := 0
			for i, n := range part {
				sum += n
				part[i] = 0
				own[w&7]++
				own[w]++
			}
			sums[w] = sum
		})
	}
	wg.Wait()
	return sums
}

type single struct {
	mu sync.Mutex
	n  atomic.Int64
}

func (s *single) Inc() {
	s.mu.Lock()
	s.n.Add(1)
	s.mu.Unlock()
}

type pointers struct{ all []*single }

type large struct {
	mu sync.Mutex
	b  [64]byte
}

func Large(all []large) {
	for i := range all {
		all[i].mu.Lock()
		all[i].mu.Unlock()
	}
}

type generic[T any] struct {
	mu sync.Mutex
	v  T
}

func Generic[T any](all []generic[T]) {
	for i := range all {
		all[i].mu.Lock()
		all[i].mu.Unlock()
	}
}
