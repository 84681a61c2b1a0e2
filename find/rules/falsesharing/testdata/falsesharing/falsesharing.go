package falsesharing

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

type shard struct {
	mu sync.Mutex
	n  int
}

type sharded struct {
	shards [16]shard
	hits   []hit
}

type hit struct{ atomic.Int64 }

func (s *shard) add(n int) {
	s.mu.Lock()         // want `a shard has 16 bytes`
	defer s.mu.Unlock() // want `a shard has 16 bytes`
	s.n += n
}

func (s *sharded) Add(n int) {
	s.shards[n&15].add(n)
	s.hits[n%len(s.hits)].Add(1) // want `a hit has 8 bytes`
}

// Exported may be written without names elsewhere.
type Exported struct {
	sync.RWMutex
	v string
}

func Each(all []Exported) (s string) {
	for i := range all {
		all[i].RLock() // want `a Exported has`
		s += all[i].v
		all[i].RUnlock() // want `a Exported has`
	}
	return s
}

type unnamed struct {
	n *atomic.Int64
	m atomic.Bool
}

func Unnamed() {
	all := []unnamed{{n: nil}, {new(atomic.Int64), atomic.Bool{}}}
	all[1].m.Store(true) // want `a unnamed has`
	all[1].n.Add(1)
	_ = all[1].m.Load()
}

func Count(parts [][]int) (sum int) {
	counts := make([]int, len(parts))
	var wg sync.WaitGroup
	for w, part := range parts {
		wg.Go(func() {
			for _, n := range part {
				if n > 0 {
					counts[w]++ // want `elements of counts that are 8 bytes apart`
				}
			}
		})
	}
	wg.Wait()
	for _, n := range counts {
		sum += n
	}
	return sum
}

type stat struct{ n, m int }

func Stats(workers int, items []int) (stats [8]stat) {
	var wg sync.WaitGroup
	for i := 0; i < min(workers, 8); i++ {
		wg.Add(1)
		go func(w int) {
			defer wg.Done()
			for _, n := range items {
				stats[w].n += n // want `elements of stats that are 16 bytes apart`
			}
		}(i)
	}
	wg.Wait()
	return stats
}

func Try(r *rand.Rand) string {
	s := sharded{hits: make([]hit, 3)}
	parts := make([][]int, r.IntN(4))
	for i := range parts {
		parts[i] = []int{r.IntN(3), r.IntN(3)}
		s.Add(i)
	}
	Unnamed()
	return fmt.Sprint(Count(parts), Stats(len(parts), []int{1, 2}), s.shards[1].n, s.hits[0].Load(), Each(make([]Exported, 2)))
}
