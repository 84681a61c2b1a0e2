package small

import (
	"maps"
	"slices"
	"sort"
	"sync"
	"time"
)

type scores struct {
	sync.Mutex
	m map[string]int
}

func (s *scores) add(name string) {
	s.Lock() //@addLock
	s.m[name]++
	s.Unlock()
}

func (s *scores) top() []int {
	s.Lock() //@topLock
	defer s.Unlock()
	all := slices.Collect(maps.Values(s.m))
	sort.Ints(all) //@sorts
	return all
}

type cache struct {
	mu      sync.RWMutex
	grows   map[string][]byte
	limited map[string][]byte
	log     [][]byte
	ring    [][]byte
}

func (c *cache) keep(key string, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grows[key] = value //@grows
	c.limited[key] = value
	if len(c.limited) > 100 {
		clear(c.limited)
	}
	c.log = append(c.log, value) //@log
	c.ring = append(c.ring, value)
	if len(c.ring) > 100 {
		c.ring = c.ring[1:]
	}
}

func (c *cache) fill(key string) {
	value := make([]byte, 100) //@value
	c.keep(key, value)
}

// A parser is made for each request.
type parser struct{ words []string }

func (p *parser) read(word string) {
	p.words = append(p.words, word) //@transient
}

func (c *cache) read() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	n := 0
	for _, v := range c.grows {
		n += len(v) //@reads
	}
	return n
}

func spin(work chan func(), stop chan bool) {
	for {
		select { //@spin
		case f := <-work:
			f() //@job
		case <-stop:
			return
		default:
		}
	}
}

func polls(work chan func()) {
	for {
		select { //@polls
		case f := <-work:
			f()
		default:
			time.Sleep(time.Millisecond)
		}
	}
}

func batches(work chan int) {
	for {
		select { //@batches
		case <-work:
		case <-time.After(time.Second): //@after
		}
	}
}

func answer() {
	c := make(chan int)
	go func() { //@go
		c <- 1 //@blocked
	}()
	select {
	case <-c:
	case <-time.After(time.Millisecond):
	}
}
