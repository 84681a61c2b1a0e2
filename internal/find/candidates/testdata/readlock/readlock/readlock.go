package readlock

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"test/values"
)

type store struct {
	mu    sync.Mutex
	names map[string]int
}

func (s *store) Get(name string) (int, bool) {
	s.mu.Lock() // want `Use an RWMutex for mu`
	defer s.mu.Unlock()
	n, ok := s.names[name]
	return n, ok
}

func (s *store) Longest() (longest string) {
	s.mu.Lock()
	for name := range s.names {
		if len(name) > len(longest) || len(name) == len(longest) && name > longest {
			longest = name
		}
	}
	s.mu.Unlock()
	return longest
}

func (s *store) Set(name string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = n
}

// Each function of counter changes it.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) Next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

// The lock of a queue is passed on.
type queue struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    int
}

func newQueue() *queue {
	q := &queue{}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}

func Try(r *rand.Rand) string {
	s := &store{names: map[string]int{}}
	for _, name := range values.Strings(r) {
		s.Set(name, len(name))
	}
	n, ok := s.Get(values.String(r))
	c := &counter{}
	return fmt.Sprint(n, ok, s.Longest(), c.Next(), c.Next(), newQueue().Len())
}
