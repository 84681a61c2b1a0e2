package tinygoroutine

import (
	"net"
	"runtime"
	"sync"
)

func Serve(l net.Listener, handle func(net.Conn)) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go handle(conn)
	}
}

func Workers(n int, items chan string, handle func(string)) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for item := range items {
				handle(item)
			}
		})
	}
	for range runtime.GOMAXPROCS(0) {
		go handle("")
	}
	for i := 0; i < runtime.NumCPU(); i++ {
		go handle("")
	}
	for range 4 {
		go handle("")
	}
	for _, f := range []func(string){handle, handle} {
		go f("")
	}
	wg.Wait()
}

func Limited(items []string, handle func(string)) {
	places := make(chan struct{}, 8)
	for _, item := range items {
		places <- struct{}{}
		go func() {
			defer func() { <-places }()
			handle(item)
		}()
	}
}

func Within(items []string, handle func(string)) {
	places := make(chan struct{}, 8)
	for _, item := range items {
		go func() {
			places <- struct{}{}
			defer func() { <-places }()
			handle(item)
		}()
	}
}

func Channel(items chan string, handle func(string)) {
	for item := range items {
		go handle(item)
	}
}

func Chunks(items []string, handle func(string)) {
	for len(items) > 0 {
		chunk := items[:min(len(items), 100)]
		items = items[len(chunk):]
		go func() {
			for _, item := range chunk {
				handle(item)
			}
		}()
	}
}

type group struct{}

func (group) Go(func()) {}

func Own(items []string) {
	var g group
	for range items {
		g.Go(func() {})
	}
}

type tree struct {
	value    int
	children []*tree
}

// Goroutines wait for those of the level below: a few workers would wait for each other.
func (t *tree) Sum() int {
	var wg sync.WaitGroup
	sums := make([]int, len(t.children))
	for i, child := range t.children {
		wg.Go(func() { sums[i] = below(child) })
	}
	wg.Wait()
	sum := t.value
	for _, s := range sums {
		sum += s
	}
	return sum
}

func below(t *tree) int { return t.Sum() }
