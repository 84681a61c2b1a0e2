package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/trace"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/agent"
)

// serviceEnv makes the test binary run [service]: "watched", or "plain" without a handler wrapped
// by Agent.Watch.
const serviceEnv = "WHET_TEST_WATCH_SERVICE"

// truthCategory is the category of the logs that handlers write to the trace when they begin and
// end; the messages are the ids of requests.
const truthCategory = "truth"

// A service has five handlers. Each takes as long as the request's ?for= specifies, in a different
// way. When a request ends, the service prints its true data as a line of JSON.
type service struct {
	mu         sync.Mutex
	downstream string
	client     *http.Client
	out        sync.Mutex
	enc        *json.Encoder
}

// started is the first line that a service prints.
type started struct {
	Agent   string `json:"agent"`
	Service string `json:"service"`
}

// truth is the true data of a request.
type truth struct {
	ID      string    `json:"id"`
	Handler string    `json:"handler"`
	Begin   time.Time `json:"begin"`
	End     time.Time `json:"end"`
}

// serviceHandlers returns the names of the handlers' functions, with what they spend their time on.
func serviceHandlers() map[string]string {
	return map[string]string{
		"order": "lock", "feed": "channel", "report": "sleep", "page": "downstream", "sums": "running",
	}
}

// serve runs the service until its standard input ends.
func serve() {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Flight: 10 * time.Second})
	if err != nil {
		panic(err)
	}
	behind, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := &service{downstream: "http://" + behind.Addr().String(), client: &http.Client{}, enc: json.NewEncoder(os.Stdout)}
	mux := http.NewServeMux()
	for path, h := range map[string]http.HandlerFunc{
		"order": s.order, "feed": s.feed, "report": s.report,
		"page": s.page, "sums": s.sums,
	} {
		mux.HandleFunc("/"+path+"/", s.notify(path, h))
	}
	// The agent sees no pattern, so it reports paths, which contain the requests' ids.
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.Clone(r.Context()))
	})
	if os.Getenv(serviceEnv) == "watched" {
		h = a.Watch(h)
	}
	go func() {
		//nolint:gosec // of a test
		_ = http.Serve(behind, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { time.Sleep(duration(r)) }))
	}()
	go func() {
		_ = http.Serve(front, h) //nolint:gosec // of a test
	}()
	if err := s.enc.Encode(started{a.URL(), "http://" + front.Addr().String()}); err != nil {
		panic(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// duration returns how long a request is to take.
func duration(r *http.Request) time.Duration {
	d, err := time.ParseDuration(r.URL.Query().Get("for"))
	if err != nil {
		return 0
	}
	return d
}

// notify wraps a handler so that it prints the true data of its requests.
func (s *service) notify(name string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		one := truth{ID: id, Handler: name, Begin: time.Now()}
		trace.Log(context.Background(), truthCategory, id)
		h(w, r)
		trace.Log(context.Background(), truthCategory, id)
		one.End = time.Now()
		s.out.Lock()
		defer s.out.Unlock()
		if err := s.enc.Encode(one); err != nil {
			os.Exit(1) // the reader is gone
		}
	}
}

func (s *service) order(_ http.ResponseWriter, r *http.Request) {
	held := make(chan struct{})
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(held)
		time.Sleep(duration(r))
	}()
	<-held
	s.mu.Lock()
	defer s.mu.Unlock()
}

func (s *service) feed(_ http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		time.Sleep(duration(r))
	}()
	<-done
}

func (s *service) report(_ http.ResponseWriter, r *http.Request) { time.Sleep(duration(r)) }

func (s *service) page(w http.ResponseWriter, r *http.Request) {
	q, err := http.NewRequestWithContext(r.Context(), http.MethodGet, s.downstream+"/?for="+duration(r).String(), nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	resp, err := s.client.Do(q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_, _ = io.Copy(w, resp.Body)
	_ = resp.Body.Close()
}

func (s *service) sums(w http.ResponseWriter, r *http.Request) {
	sum := 0
	for begin, d := time.Now(), duration(r); time.Since(begin) < d; {
		for i := range 10_000 {
			sum += i
		}
	}
	_, _ = fmt.Fprintln(w, sum)
}
