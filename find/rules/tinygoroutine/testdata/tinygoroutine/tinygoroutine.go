package tinygoroutine

import "sync"

func Sizes(items []string) []int {
	sizes := make([]int, len(items))
	var wg sync.WaitGroup
	for i, item := range items {
		wg.Go(func() { sizes[i] = len(item) }) // want `starts a goroutine, and nothing limits`
	}
	wg.Wait()
	return sizes
}

func Old(items map[string]int, handle func(string)) {
	var wg sync.WaitGroup
	for item := range items {
		wg.Add(1)
		go func(item string) { // want `starts a goroutine, and nothing limits`
			defer wg.Done()
			handle(item)
		}(item)
	}
	wg.Wait()
}

func Count(n int, handle func(int)) {
	for i := 0; i < n; i++ {
		go handle(i) // want `starts a goroutine, and nothing limits`
	}
	for i := range n {
		go handle(i) // want `starts a goroutine, and nothing limits`
	}
}

func Results(items []string) (sum int) {
	var results []chan int
	for _, item := range items {
		c := make(chan int) // want `makes the channel c for one result`
		go func() {         // want `starts a goroutine, and nothing limits`
			c <- len(item)
		}()
		results = append(results, c)
	}
	for _, c := range results {
		sum += <-c
	}
	return sum
}
