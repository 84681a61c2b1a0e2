package indextest

import (
	"bytes"
	"context"
	"runtime"
	"runtime/trace"
	"sync"
	"testing"
	"time"
)

// Record makes a trace of goroutines of several kinds, long and short, that wait for each other,
// collect garbage, make system calls, and use tasks, regions and logs. rounds sets the length: 20
// 000 make about 200 000 events.
func Record(t testing.TB, rounds int) []byte {
	t.Helper()
	var out bytes.Buffer
	var wg sync.WaitGroup
	sleep := make(chan struct{})
	for range 5 { // older than the trace
		wg.Go(func() { <-sleep })
	}
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	work := make(chan int)
	var mu sync.Mutex
	var keep [][]byte
	for range 4 {
		wg.Go(func() {
			for n := range work {
				mu.Lock()
				keep = append(keep, make([]byte, 10<<10))
				if len(keep) > 100 {
					keep = nil
				}
				mu.Unlock()
				if n%50 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	ctx, task := trace.NewTask(context.Background(), "job")
	wg.Go(func() { <-time.After(30 * time.Millisecond) })
	for n := range rounds {
		if n%1000 == 0 {
			trace.WithRegion(ctx, "part", func() { trace.Log(ctx, "at", "here") })
			runtime.GC()
		}
		if n%10 == 0 {
			wg.Go(func() {
				_, task := trace.NewTask(ctx, "piece")
				mu.Lock()
				mu.Unlock() //nolint:staticcheck // the wait is the purpose
				task.End()
			})
		}
		work <- n
	}
	task.End()
	close(work)
	close(sleep)
	wg.Wait()
	trace.Stop()
	return out.Bytes()
}
