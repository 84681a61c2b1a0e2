package deferloop

import "sync"

func First(cs []*counter) int {
	for _, c := range cs {
		if len(c.n) > 0 {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.n[""]
		}
	}
	for {
		var mu sync.Mutex
		mu.Lock()
		defer mu.Unlock()
		break
	}
	return 0
}

func Closure(cs []*counter) {
	for _, c := range cs {
		func() {
			c.mu.Lock()
			defer c.mu.Unlock()
		}()
	}
}
