package mutex

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"test/values"
)

type cache struct {
	mu  sync.RWMutex
	all map[string]int
}

func (c *cache) get(key string) int {
	c.mu.RLock() // want `Use a Mutex for mu`
	defer c.mu.RUnlock()
	return c.all[key]
}

func (c *cache) set(key string, n int) {
	c.mu.Lock()
	c.all[key] = n
	c.mu.Unlock()
}

type names struct {
	sync.RWMutex
	list []string
}

func (n *names) add(name string) int {
	n.Lock() // want `Use a Mutex for RWMutex`
	defer n.Unlock()
	n.list = append(n.list, name)
	return len(n.list)
}

// It is passed on, or a Mutex.
type shared struct {
	mu    sync.RWMutex
	other sync.Mutex
	n     int
}

func (s *shared) add() int {
	s.mu.Lock()
	s.other.Lock()
	defer s.other.Unlock()
	defer s.mu.Unlock()
	s.n++
	return s.n
}

func (s *shared) reader() sync.Locker { return s.mu.RLocker() }

func Try(r *rand.Rand) string {
	c, n, s := &cache{all: map[string]int{}}, &names{}, &shared{}
	for _, w := range values.Strings(r) {
		c.set(w, n.add(w)+s.add())
	}
	l := s.reader()
	l.Lock()
	defer l.Unlock()
	return fmt.Sprint(c.get(""), c.all, n.list)
}
