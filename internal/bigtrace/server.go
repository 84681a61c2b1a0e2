package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/trace"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// beServer is the environment variable that makes this program the server.
const beServer = "WHET_BIGTRACE_SERVER"

// serve answers requests until stdin ends. It writes its address to stdout.
func serve(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newShop(ctx)
	defer s.workers.Wait()
	defer cancel()
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	if _, err := fmt.Fprintf(stdout, "http://%s\n", l.Addr()); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // ends when the parent process does
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	case err := <-served:
		return err
	}
	err = server.Close()
	if why := <-served; !errors.Is(why, http.ErrServerClosed) {
		err = errors.Join(err, why)
	}
	return err
}

// A shop does a little of everything that a trace shows.
type shop struct {
	mu      sync.RWMutex
	stock   map[int]string
	jobs    chan job
	workers sync.WaitGroup
	served  atomic.Int64
}

// A job is done by one of the shop's workers.
type job struct {
	size   int
	result chan<- int
}

func newShop(ctx context.Context) *shop {
	s := &shop{stock: map[int]string{}, jobs: make(chan job)}
	for range 4 {
		s.workers.Go(func() {
			for {
				select {
				case j := <-s.jobs:
					j.result <- work(j.size)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return s
}

func (s *shop) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /read", s.read)
	mux.HandleFunc("GET /write", s.write)
	mux.HandleFunc("GET /gather", s.gather)
	mux.HandleFunc("GET /queue", s.queue)
	mux.HandleFunc("GET /report", s.report)
	mux.HandleFunc("POST /trace", s.trace)
	return mux
}

// work uses some CPU time and leaves garbage.
func work(size int) int {
	b := make([]byte, size)
	sum := 0
	for i := range b {
		b[i] = byte(i * i)
		sum += int(b[i])
	}
	return sum
}

func (s *shop) read(w http.ResponseWriter, _ *http.Request) {
	n := int(s.served.Add(1))
	s.mu.RLock()
	text := s.stock[n%1000]
	s.mu.RUnlock()
	_, _ = io.WriteString(w, text+".\n")
}

func (s *shop) write(w http.ResponseWriter, _ *http.Request) {
	n := int(s.served.Add(1))
	s.mu.Lock()
	s.stock[n%1000] = strconv.Itoa(work(2000))
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// gather collects parts of the answer from several goroutines.
func (s *shop) gather(w http.ResponseWriter, _ *http.Request) {
	parts := make(chan int)
	for n := range 4 {
		go func() { parts <- work(1000 * n) }()
	}
	sum := 0
	for range 4 {
		sum += <-parts
	}
	_, _ = fmt.Fprintln(w, sum)
}

// queue hands the work to one of a few workers.
func (s *shop) queue(w http.ResponseWriter, r *http.Request) {
	result := make(chan int, 1)
	select {
	case s.jobs <- job{4000, result}:
		_, _ = fmt.Fprintln(w, <-result)
	case <-r.Context().Done():
	}
}

// report works within a task of the trace.
func (s *shop) report(w http.ResponseWriter, r *http.Request) {
	ctx, task := trace.NewTask(r.Context(), "report")
	defer task.End()
	var keys []int
	trace.WithRegion(ctx, "collect", func() {
		s.mu.RLock()
		defer s.mu.RUnlock()
		for k := range s.stock {
			keys = append(keys, k)
		}
	})
	trace.Logf(ctx, "collected", "%d keys", len(keys))
	trace.WithRegion(ctx, "encode", func() { _ = json.NewEncoder(w).Encode(keys) })
}

// trace writes a trace to a file, and answers when it is large or long enough.
func (s *shop) trace(w http.ResponseWriter, r *http.Request) {
	bytes, err := strconv.ParseInt(r.FormValue("bytes"), 10, 64)
	seconds, err2 := strconv.ParseFloat(r.FormValue("seconds"), 64)
	if err = errors.Join(err, err2); err == nil {
		err = traceInto(r.Context(), r.FormValue("file"), wish{bytes, seconds})
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func traceInto(ctx context.Context, name string, w wish) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c := &counter{w: f, left: w.bytes, full: make(chan struct{})}
	if err := trace.Start(c); err != nil {
		return err
	}
	timer := time.NewTimer(time.Duration(w.seconds * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.full:
	case <-ctx.Done():
		err = ctx.Err()
	}
	trace.Stop() // writes the rest
	return errors.Join(err, c.err)
}

// A counter counts bytes written and signals when there are enough. One goroutine writes to it.
type counter struct {
	w    io.Writer
	left int64
	full chan struct{} // closed when enough was written
	err  error
}

func (c *counter) Write(p []byte) (int, error) {
	enough := c.left <= 0
	n, err := c.w.Write(p)
	c.left -= int64(n)
	if err != nil {
		c.err = err
		c.left = 0
	}
	if !enough && c.left <= 0 {
		close(c.full)
	}
	return n, err
}
