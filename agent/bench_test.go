package agent_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
)

// BenchmarkBlockRate measures what block profiling costs two goroutines that do nothing but wait
// for each other.
func BenchmarkBlockRate(b *testing.B) {
	for _, rate := range []time.Duration{0, 10 * time.Microsecond, 1} {
		b.Run(fmt.Sprintf("rate=%v", rate), func(b *testing.B) {
			runtime.SetBlockProfileRate(int(rate))
			defer runtime.SetBlockProfileRate(0)
			ping, pong := make(chan int), make(chan int)
			go func() {
				for i := range ping {
					pong <- i
				}
				close(pong)
			}()
			for b.Loop() {
				ping <- 1
				<-pong
			}
			close(ping)
			<-pong
		})
	}
}

// BenchmarkMutexFraction measures what mutex profiling costs goroutines that do nothing but contend
// for a lock.
func BenchmarkMutexFraction(b *testing.B) {
	for _, fraction := range []int{0, 100, 1} {
		b.Run(fmt.Sprintf("fraction=%d", fraction), func(b *testing.B) {
			before := runtime.SetMutexProfileFraction(fraction)
			defer runtime.SetMutexProfileFraction(before)
			var mu sync.Mutex
			n := 0
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					mu.Lock()
					for range 100 {
						n++
					}
					mu.Unlock()
				}
			})
		})
	}
}

// BenchmarkWatch measures what [agent.Agent.Watch] adds to a request.
func BenchmarkWatch(b *testing.B) {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", BlockRate: -1, MutexFraction: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			b.Error(err)
		}
	}()
	plain := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for name, h := range map[string]http.Handler{"plain": plain, "watched": a.Watch(plain)} {
		b.Run("handler="+name, func(b *testing.B) {
			b.ReportAllocs()
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
}
