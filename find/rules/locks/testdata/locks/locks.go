package locks

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

type counters struct {
	mu   sync.Mutex
	sent int
	by   map[string]int
	out  io.Writer
	c    chan int
}

func (c *counters) Report() {
	c.mu.Lock() // want `c.mu is held, until the function returns, during fmt.Fprintln: others`
	defer c.mu.Unlock()
	fmt.Fprintln(c.out, c.sent)
}

func (c *counters) Text() string {
	c.mu.Lock() // want `c.mu is held during fmt.Sprint: others`
	s := fmt.Sprint(c.sent)
	c.mu.Unlock()
	return s
}

func (c *counters) Built() string {
	var b strings.Builder
	c.mu.Lock() // want `during fmt.Fprintf and json.Marshal`
	fmt.Fprintf(&b, "%d", c.sent)
	data, err := json.Marshal(c.by)
	c.mu.Unlock()
	return b.String() + string(data) + fmt.Sprint(err)
}

type embedded struct {
	sync.RWMutex
	n int
}

func (e *embedded) Slow() int {
	e.RLock() // want `e is held, until the function returns, during outer .time.Sleep.`
	defer e.RUnlock()
	outer()
	return e.n
}

func outer() { nap() }

func nap() {
	if len(os.Args) > 100 {
		nap()
	}
	time.Sleep(time.Millisecond)
}

func (c *counters) Send() {
	if c == nil {
		return
	}
	for range 3 {
		c.mu.Lock() // want `during a send to a channel, a select, a receive from a channel and 1 more`
		c.c <- c.sent
		select {
		case <-c.c:
		case c.c <- 1:
			c.sent++
		}
		<-c.c
		func() { nap() }()
		c.mu.Unlock()
	}
}

func (c *counters) Count(name string) int {
	c.mu.Lock() // want `only reads`
	defer c.mu.Unlock()
	return c.by[name]
}

func (c *counters) Sum() (sum int) {
	c.mu.Lock() // want `only reads`
	for _, n := range c.by {
		sum += n
	}
	c.mu.Unlock()
	return sum
}
