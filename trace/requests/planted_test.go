package requests_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime/debug"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/requests"
)

// planted has a handler for each cause of delay.
type planted struct {
	mu         sync.Mutex
	held       chan struct{}
	work       chan chan struct{}
	jobs       chan job
	downstream string
	client     *http.Client
	live       *node // makes the collector's work long
}

// A job is a task that is passed to another goroutine.
type job struct {
	ctx  context.Context
	task *trace.Task
	done chan struct{}
}

type node struct {
	next *node
	_    [2]uintptr
}

// list returns a live heap of the given number of objects.
func list(n int) *node {
	var head *node
	for range n {
		head = &node{next: head}
	}
	return head
}

const (
	delay = 3 * time.Millisecond
	spins = 25 * time.Millisecond // several CPU samples, which show what runs
)

func (p *planted) lock(http.ResponseWriter, *http.Request) {
	p.held <- struct{}{}
	<-p.held // another goroutine has it
	p.mu.Lock()
	defer p.mu.Unlock()
}

func (p *planted) channel(http.ResponseWriter, *http.Request) {
	done := make(chan struct{})
	p.work <- done
	<-done
}

func (p *planted) sleep(http.ResponseWriter, *http.Request) { time.Sleep(delay) }

func (p *planted) spin(http.ResponseWriter, *http.Request) {
	for begin := time.Now(); time.Since(begin) < spins; {
	}
}

func (p *planted) ask(w http.ResponseWriter, r *http.Request) {
	q, err := http.NewRequestWithContext(r.Context(), http.MethodGet, p.downstream, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	resp, err := p.client.Do(q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

func (p *planted) start(http.ResponseWriter, *http.Request) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		time.Sleep(delay)
	}()
	<-done
}

func (p *planted) task(_ http.ResponseWriter, r *http.Request) {
	_, task := trace.NewTask(r.Context(), "nap")
	defer task.End()
	time.Sleep(delay)
}

// hand ends a task on another goroutine, while this one continues.
func (p *planted) hand(_ http.ResponseWriter, r *http.Request) {
	ctx, task := trace.NewTask(r.Context(), "job")
	done := make(chan struct{})
	p.jobs <- job{ctx, task, done}
	<-done
}

func (p *planted) quick(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = io.WriteString(w, "ok")
}

// allocate makes garbage faster than the collector can handle without assists.
func (p *planted) allocate(http.ResponseWriter, *http.Request) { list(60_000) }

// run starts the goroutines that handlers need, and returns the function that stops them.
func (p *planted) run() (stop func()) {
	ended := make(chan struct{})
	var workers sync.WaitGroup
	workers.Go(func() { // holds the lock whenever another goroutine is about to want it
		for {
			select {
			case <-p.held:
				p.mu.Lock()
				p.held <- struct{}{}
				time.Sleep(delay)
				p.mu.Unlock()
			case <-ended:
				return
			}
		}
	})
	workers.Go(func() {
		for {
			select {
			case done := <-p.work:
				time.Sleep(delay)
				close(done)
			case <-ended:
				return
			}
		}
	})
	workers.Go(func() {
		for {
			select {
			case j := <-p.jobs:
				trace.WithRegion(j.ctx, "work", func() { time.Sleep(delay) })
				j.task.End()
				close(j.done)
			case <-ended:
				return
			}
		}
	})
	return func() { close(ended); workers.Wait() }
}

const (
	each    = 60 // requests to a handler
	eachCPU = 12
)

// number returns the number of requests to a handler.
func number(path string) int {
	if path == "/spin" || path == "/allocate" {
		return eachCPU
	}
	return each
}

// paths returns the paths of handlers that wait, and of those that compute, which would disturb the
// former.
func paths() (wait, compute []string) {
	return []string{"/lock", "/channel", "/sleep", "/ask", "/start", "/task", "/hand", "/quick"},
		[]string{"/spin", "/allocate"}
}

// serve returns a trace of a server with planted delays.
func serve(t *testing.T) []byte {
	t.Helper()
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(delay) }))
	defer slow.Close()
	p := &planted{
		held: make(chan struct{}), work: make(chan chan struct{}), jobs: make(chan job), downstream: slow.URL,
		client: slow.Client(), live: list(400_000),
	}
	defer p.run()()
	mux := http.NewServeMux()
	for path, h := range map[string]http.HandlerFunc{
		"/lock": p.lock, "/channel": p.channel, "/sleep": p.sleep, "/spin": p.spin, "/ask": p.ask, "/quick": p.quick,
		"/start": p.start, "/task": p.task, "/hand": p.hand, "/allocate": p.allocate,
	} {
		mux.HandleFunc(path, logged(h))
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	return recorded(t, func() {
		wait, compute := paths()
		var clients sync.WaitGroup
		for _, path := range wait {
			clients.Go(func() { get(t, server.URL, path, number(path)) })
		}
		clients.Wait()
		defer debug.SetGCPercent(debug.SetGCPercent(5))
		for _, path := range compute {
			get(t, server.URL, path, number(path))
		}
	})
}

// get sends requests, one after the other.
func get(t *testing.T, address, path string, number int) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for n := range number {
		method, body := http.MethodGet, io.Reader(nil)
		if path == "/quick" && n%2 == 0 {
			method, body = http.MethodPost, strings.NewReader("a body")
		}
		r, err := http.NewRequestWithContext(t.Context(), method, address+path, body)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// TestPlanted checks that each planted cause is the largest part of its class, and that requests
// begin and end where the handlers' logs do.
func TestPlanted(t *testing.T) {
	// A busy machine may leave a handler without a processor for longer than the planted delay, but
	// not five times.
	var problems []string
	for range 5 {
		if problems = plantedProblems(t); len(problems) == 0 {
			return
		}
	}
	for _, p := range problems {
		t.Error(p)
	}
}

func plantedProblems(t *testing.T) []string {
	t.Helper()
	x := tracetest.Index(t, serve(t))
	r, err := requests.Find(x, requests.Options{Slowest: 20 * each, Paths: 20 * each, Tasks: true})
	if err != nil {
		t.Fatal(err)
	}
	checkPaths(t, x, r)
	all := 0
	wait, compute := paths()
	for _, path := range append(wait, compute...) {
		all += number(path)
	}
	problems := cutProblems(t, x, r, all, time.Millisecond)
	for _, want := range []struct {
		class     string
		count     int // at least 95% of it
		own, path []requests.Cause
	}{
		{`\.lock(-fm)?$`, each, causes(requests.Lock), causes(requests.Sleep)},
		{`\.channel(-fm)?$`, each, causes(requests.Channel), causes(requests.Sleep)},
		{`\.sleep(-fm)?$`, each, causes(requests.Sleep), causes(requests.Sleep)},
		{`\.ask(-fm)?$`, each, causes(requests.Downstream), causes(requests.Downstream)},
		{`\.start(-fm)?$`, each, causes(requests.Channel), causes(requests.Sleep)},
		{`^task nap$`, each, causes(requests.Sleep), causes(requests.Sleep)},
		{`^task job$`, each, causes(requests.Sleep), causes(requests.Sleep)},
		// A handler that only computes is seen when it is sampled or preempted, which is not
		// certain on a busy machine.
		{`\.spin(-fm)?$`, eachCPU / 2, causes(requests.Running), causes(requests.Running)},
		{`\.allocate(-fm)?$`, eachCPU, causes(requests.Assist, requests.GC), causes(requests.Assist, requests.GC)},
	} {
		problems = append(problems, classProblems(r, regexp.MustCompile(want.class), want.count, want.own, want.path)...)
	}
	if len(problems) > 0 {
		for _, c := range r.Classes {
			t.Logf("%4d  %v %v %v  %s  %v, path %v", c.Count, c.P50, c.P99, c.Max, c.Name, c.Middle, c.Path)
		}
	}
	return problems
}

func causes(list ...requests.Cause) []requests.Cause { return list }
