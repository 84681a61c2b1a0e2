package unlock

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"test/values"
)

type store struct {
	mu   sync.RWMutex
	all  map[string]int
	last string
}

func (s *store) get(key string) (int, bool) { // want `Call s.mu.RUnlock\(\) before each return`
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, ok := s.all[key]
	return n, ok
}

func (s *store) set(key string, n int) { // want `Call s.mu.Unlock\(\) before each return`
	s.mu.Lock()
	defer s.mu.Unlock()
	if key == "" {
		return
	}
	s.all[key] = n
	s.last = key
}

func (s *store) check(key string) error { // want `Call s.mu.RUnlock\(\) before each return`
	s.mu.RLock()
	defer s.mu.RUnlock()
	if _, ok := s.all[key]; !ok {
		return fmt.Errorf("no %q", key)
	}
	return nil
}

func (s *store) any() any { // want `Call s.mu.RUnlock\(\) before each return`
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.last
}

func (s *store) at(key string) int { // want `Call s.mu.RUnlock\(\) before each return`
	if s.all != nil {
		s.mu.RLock()
		defer s.mu.RUnlock()
	}
	return s.all[key]
}

// The loop is not short.
func (s *store) sum() (sum int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.all {
		sum += n
	}
	return sum
}

// The result is set by the return, and then read.
func (s *store) named() (n int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n = len(s.all)
	return
}

func Try(r *rand.Rand) string {
	s := &store{all: map[string]int{}}
	text := ""
	for i, w := range values.Strings(r) {
		s.set(w, i)
		n, ok := s.get(w)
		text += fmt.Sprint(n, ok, s.check(w), s.check(w+"?"))
	}
	return fmt.Sprint(text, s.any(), s.at(s.last), s.sum(), s.named())
}
