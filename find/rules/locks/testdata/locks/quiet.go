package locks

import (
	"fmt"
	"time"
)

func (c *counters) Add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	c.by[name]++
}

func (c *counters) After() string {
	c.mu.Lock()
	n := c.sent
	c.by = nil
	c.mu.Unlock()
	return fmt.Sprint(n)
}

func (c *counters) Elsewhere() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	go nap()
	go func() { time.Sleep(1) }()
	select {
	case c.c <- 1:
	default:
	}
	return func() { nap() }
}

func (c *counters) Other(d *counters) {
	c.mu.Lock()
	c.sent++
	d.mu.Unlock()
	nap()
}

func (e *embedded) Read() int {
	e.RLock()
	defer e.RUnlock()
	return e.n
}

func (c *counters) Handed() {
	c.mu.Lock()
	if c.sent > 0 {
		c.mu.Unlock()
	}
}

type own struct{}

func (own) Lock()   {}
func (own) Unlock() {}

func (o own) Own() {
	o.Lock()
	nap()
	o.Unlock()
}

func (c *counters) Early() {
	c.mu.Lock()
	if c.sent > 0 {
		c.mu.Unlock()
		nap()
		return
	}
	c.sent++
	c.mu.Unlock()
}

func (c *counters) Sent() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent
}
