package watch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/leaktest"
	"github.com/whet-go/whet/recording"
)

func TestMain(m *testing.M) {
	if os.Getenv(serviceEnv) != "" {
		serve()
		return
	}
	leaktest.Main(m)
}

const (
	token  = "a token of some length"
	slower = 60 * time.Millisecond // more than a quick request takes, unless the machine is busy
	tries  = 5                     // of tests that a busy machine may disturb
)

// A shop becomes slow on demand: it holds a lock while it waits.
type shop struct {
	mu     sync.Mutex
	server *httptest.Server
	agent  *agent.Agent
	quick  atomic.Int64 // how long the longest request for /quick took
}

// disturbed reports whether the machine was so busy that a quick request was slow, too.
func (s *shop) disturbed() bool { return time.Duration(s.quick.Load()) >= slower }

// open opens a shop. With watched, the agent reports its slow requests.
func open(t *testing.T, o agent.Options, watched bool) *shop {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	o.Token = token
	a, err := agent.Start(o)
	for deadline := time.Now().Add(2 * time.Minute); errors.Is(err, syscall.EADDRINUSE) && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond) // a client may be using the previous port in the meantime
		a, err = agent.Start(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{agent: a}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /quick", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /buy/{what}", s.buy)
	var h http.Handler = mux
	if watched {
		h = a.Watch(mux)
	}
	s.server = httptest.NewServer(h)
	t.Cleanup(func() { s.close(t) })
	return s
}

// close closes the shop; further calls do nothing.
func (s *shop) close(t *testing.T) {
	t.Helper()
	s.server.Close()
	if err := s.agent.Close(); err != nil {
		t.Error(err)
	}
}

func (s *shop) buy(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(w, "sold")
}

// ask sends a request.
func (s *shop) ask(t *testing.T, path string) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+path, nil)
	if err != nil {
		t.Error(err)
		return
	}
	begin := time.Now()
	resp, err := s.server.Client().Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if path == "/quick" {
		s.quick.Store(max(s.quick.Load(), int64(time.Since(begin))))
	}
}

// slow sends a quick request and a slow one.
func (s *shop) slow(t *testing.T) {
	s.ask(t, "/quick")
	s.mu.Lock()
	var wg sync.WaitGroup
	wg.Go(func() { s.ask(t, "/buy/tea?secret=1") })
	time.Sleep(2 * slower) // this is the latency, not a synchronization
	s.mu.Unlock()
	wg.Wait()
}

// until calls do repeatedly until Run returns, and returns what Run reported.
func until(t *testing.T, o Options, s *shop, do func()) (events []Event, notes string) {
	t.Helper()
	o.Target = collect.Options{URL: s.agent.URL(), Token: token}
	o.Event = func(e Event) { events = append(events, e) }
	var text strings.Builder
	o.Progress = func(p collect.Progress) { text.WriteString(p.Note + "\n") }
	done := make(chan struct{})
	var n int
	var err error
	go func() {
		defer close(done)
		n, err = Run(t.Context(), o)
	}()
	for over := false; !over; {
		do()
		select {
		case <-done:
			over = true
		case <-time.After(5 * time.Millisecond): // the fewer requests, the smaller the traces
		}
	}
	if err != nil || n != len(events) {
		t.Fatalf("%d recordings, %d events, %v", n, len(events), err)
	}
	return events, text.String()
}

// check examines an event's recording.
func check(t *testing.T, e Event) {
	t.Helper()
	r, err := recording.Open(e.File)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if !r.Has(recording.TracePart) || e.Length <= 0 || r.Meta().Duration != e.Length {
		t.Errorf("%s: a trace of %v", e.File, e.Length)
	}
}

// TestTold records slow requests that the agent reports.
func TestTold(t *testing.T) {
	var s *shop
	var dir string
	var events []Event
	locks := 0
	for range tries {
		s = open(t, agent.Options{Flight: 10 * time.Second}, true)
		dir = filepath.Join(t.TempDir(), "new")
		events, _ = until(t, Options{Dir: dir, Slower: slower, Max: 3, Every: time.Millisecond}, s, func() { s.slow(t) })
		for _, e := range events {
			if r := e.Request; r.Cause == "lock" && r.Part >= slower {
				locks++ // on a busy machine, one may wait longer for a CPU
			}
		}
		if locks > 0 && !s.disturbed() {
			break
		}
		s.close(t) // a process can have only one flight recorder
	}
	for _, e := range events {
		r := e.Request
		if e.Trigger != Slow || r.Name != "GET /buy/{what}" || r.Latency < slower || e.Value != float64(r.Latency) {
			t.Errorf("%+v", e)
		}
		if !strings.Contains(r.Handler, "(*shop).buy") || r.Part <= 0 || r.Part > r.Latency {
			t.Errorf("the trace tells %+v", r)
		}
		check(t, e)
	}
	if locks == 0 {
		t.Error("no request waited for the lock")
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 3 {
		t.Errorf("%v, %v", names, err)
	}
}

// TestLooked records slow requests that are found in the flight recorder.
func TestLooked(t *testing.T) {
	var events []Event
	var notes string
	for range tries {
		s := open(t, agent.Options{Flight: 2 * time.Second}, false)
		var last time.Time
		events, notes = until(t, Options{Dir: t.TempDir(), Slower: slower, Max: 1}, s, func() {
			if time.Since(last) > 3*time.Second { // once, unless the flight recorder is examined too late
				s.slow(t)
				last = time.Now()
			}
			s.ask(t, "/quick")
		})
		if !s.disturbed() {
			break
		}
		s.close(t) // a process can have only one flight recorder
	}
	e := events[0]
	if e.Request.Latency < slower || !strings.Contains(e.Request.Handler, "(*shop).buy") || e.Request.Cause == "" ||
		e.Request.Name != "" {
		t.Errorf("%+v", e)
	}
	check(t, e)
	if !strings.Contains(notes, "a.Watch(handler)") {
		t.Errorf("notes: %s", notes)
	}
}

// TestLevels records when there are many goroutines, and when the target has come back.
func TestLevels(t *testing.T) {
	s := open(t, agent.Options{Flight: 2 * time.Second}, true)
	release := make(chan struct{})
	var wg sync.WaitGroup
	var once sync.Once
	events, _ := until(t, Options{Dir: t.TempDir(), Slower: time.Hour, Goroutines: 600, Max: 1}, s, func() {
		once.Do(func() {
			for range 600 {
				wg.Go(func() { <-release })
			}
		})
		s.ask(t, "/quick")
	})
	close(release)
	wg.Wait()
	if e := events[0]; e.Trigger != Goroutines || e.Value < 600 || !strings.HasSuffix(e.File, "-goroutines.whet") {
		t.Errorf("%+v", e)
	}
	check(t, events[0])
}

// TestLevel fires once for a value that does not change.
func TestLevel(t *testing.T) {
	var l threshold
	fired := ""
	for _, v := range []float64{9, 10, 11, 11.9, 12, 13, 15, 5, 10, 10} {
		if l.fires(v, 10) {
			fired += "!"
		} else {
			fired += "."
		}
	}
	if fired != ".!..!.!.!." {
		t.Error(fired)
	}
	if l.fires(1e9, 0) {
		t.Error("fires without a limit")
	}
	at := time.Now()
	all := thresholds{state: handlers.AgentState{At: at, CPU: time.Second}}
	o := Options{CPU: 1.5, Heap: 100}
	if e := all.look(&o, handlers.AgentState{At: at.Add(time.Second), CPU: 2 * time.Second, Heap: 99}); e != nil {
		t.Errorf("%+v", e)
	}
	if e := all.look(&o, handlers.AgentState{At: at.Add(2 * time.Second), CPU: 4 * time.Second}); e == nil ||
		e.Trigger != CPU || e.Value != 2 || e.Reason() != "2.0 CPUs busy" {
		t.Errorf("%+v", e)
	}
	if e := all.look(&o, handlers.AgentState{At: at.Add(3 * time.Second), CPU: 4 * time.Second, Heap: 100}); e == nil ||
		e.Trigger != Heap {
		t.Errorf("%+v", e)
	}
}

// TestAway checks that Run continues when the target has been restarted.
func TestAway(t *testing.T) {
	first := open(t, agent.Options{Flight: 2 * time.Second}, true)
	addr := first.agent.Addr().String()
	var second *shop
	stage := 0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	gone, back, recorded := make(chan struct{}), make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, Options{
			Target: collect.Options{URL: first.agent.URL(), Token: token}, Dir: t.TempDir(), Slower: slower,
			Every: time.Millisecond,
			Event: func(Event) { recorded <- struct{}{} },
			Progress: func(p collect.Progress) {
				switch {
				case strings.Contains(p.Note, "waiting for it to come back") && stage == 0:
					stage = 1
					close(gone)
				case strings.Contains(p.Note, "is back") && stage == 1:
					stage = 2
					close(back)
				}
			},
		})
		done <- err
	}()
	until := func(c chan struct{}, s *shop) {
		for over := false; !over; {
			s.slow(t)
			select {
			case <-c:
				over = true
			default:
			}
		}
	}
	until(recorded, first)
	if err := first.agent.Close(); err != nil {
		t.Fatal(err)
	}
	for over := false; !over; {
		select {
		case <-gone:
			over = true
		case <-recorded: // it was about to
		}
	}
	second = open(t, agent.Options{Flight: 2 * time.Second, Addr: addr}, true)
	<-back
	until(recorded, second)
	cancel()
	for over := false; !over; {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			over = true
		case <-recorded:
		}
	}
}

// TestErrors checks that errors name what the target lacks, and what is wrong with the options.
func TestErrors(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(pprof.Index))
	defer plain.Close()
	none := open(t, agent.Options{}, true)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	target := collect.Options{URL: none.agent.URL(), Token: token}
	for _, test := range []struct {
		o    Options
		want string
		hint string
	}{
		{
			Options{Target: collect.Options{URL: plain.URL + "/debug/pprof/"}, Dir: "x", Slower: slower},
			"does not run the whet agent",
			"agent.Start(agent.Options{Flight:",
		},
		{Options{Target: target, Dir: "x", Slower: slower}, "has no flight recorder", "agent.Start(agent.Options{Flight:"},
		{Options{Target: collect.Options{URL: none.agent.URL()}, Dir: "x", Slower: slower}, "401", "--token-file"},
		{Options{Target: target, Dir: "x"}, "nothing to watch for", "--slower"},
		{Options{Target: target, Dir: "x", Slower: -1}, "negative", ""},
		{Options{Target: target, Slower: 1}, "no directory", "-o DIR"},
		{Options{Dir: "x", Slower: 1}, "no target", "localhost"},
	} {
		n, err := Run(t.Context(), test.o)
		if err == nil || n != 0 || !strings.Contains(err.Error(), test.want) || !strings.Contains(diag.Hint(err), test.hint) {
			t.Errorf("%+v: %v; %s", test.o, err, diag.Hint(err))
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a directory was created for nothing")
	}
}

// TestFolder expects an error if the directory cannot be created, and none if the watch ends early.
func TestFolder(t *testing.T) {
	s := open(t, agent.Options{Flight: time.Second}, true)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Target: collect.Options{URL: s.agent.URL(), Token: token}, Dir: file, Slower: time.Hour}
	if _, err := Run(t.Context(), o); err == nil || diag.Hint(err) == "" {
		t.Errorf("%v; %s", err, diag.Hint(err))
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Dir = t.TempDir()
	o.Progress = func(p collect.Progress) {
		if strings.HasPrefix(p.Running[0], "watching") {
			cancel()
		}
	}
	if n, err := Run(ctx, o); n != 0 || err != nil {
		t.Errorf("%d recordings, %v", n, err)
	}
	if n, err := filepath.Glob(filepath.Join(o.Dir, "*")); err != nil || len(n) > 0 {
		t.Errorf("%v, %v", n, err)
	}
}

func TestFree(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.whet", "a-2.whet.partial"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := unusedName(dir, "a"); err != nil || got != filepath.Join(dir, "a-3.whet") {
		t.Errorf("%s, %v", got, err)
	}
}
