package load

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestTrial compares engines on plain connections, on TLS and on HTTP/2, for which the
// decision is planted, and looks that all connections of all workers go on with the engine
// that won and that every answer arrives, once.
func TestTrial(t *testing.T) {
	for _, test := range []struct {
		name   string
		secure bool
		o      Options
		want   Engine
	}{
		{"plain to epoll", false, Options{Workers: 2}, Epoll},
		{"plain to io_uring", false, Options{Workers: 2}, IOUring},
		{"POST", false, Options{Workers: 1, Method: "POST", Body: make([]byte, 40_000)}, Epoll},
		{"few connections", false, Options{Workers: 1, Connections: 2}, Epoll},
		{"warmup", false, Options{Workers: 1, Warmup: time.Hour}, Epoll},
		{"TLS", true, Options{Workers: 2}, Epoll},
		{"HTTP/2", false, Options{Workers: 2, Protocol: HTTP2, Streams: 5}, Epoll},
		{"HTTP/2 over TLS", true, Options{Workers: 1, Protocol: HTTP2, Streams: 5}, IOUring},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := test.o
			if o.Connections == 0 {
				o.Connections = 16
			}
			var running atomic.Pointer[generator]
			var mu sync.Mutex
			all, after := 0, map[string]int{} // by connection, once there is a decision
			done := 0
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				decided := running.Load().decided.Load() != nil
				_, _ = io.WriteString(w, r.URL.Path)
				mu.Lock()
				defer mu.Unlock()
				all++
				if !decided {
					return
				}
				if after[r.RemoteAddr]++; after[r.RemoteAddr] == 50 {
					if done++; done == o.Connections {
						cancel()
					}
				}
			}))
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.Config.Protocols = new(http.Protocols)
			s.Config.Protocols.SetHTTP1(true)
			s.Config.Protocols.SetHTTP2(test.secure)
			s.Config.Protocols.SetUnencryptedHTTP2(!test.secure)
			if test.secure {
				s.EnableHTTP2 = true
				s.StartTLS()
				pool := x509.NewCertPool()
				pool.AddCert(s.Certificate())
				o.TLS = &tls.Config{RootCAs: pool}
			} else {
				s.Start()
			}
			defer s.Close()
			o.URL, o.Duration = s.URL+"/path", 2*time.Minute
			p, err := o.plan(ctx)
			if err != nil {
				t.Fatal(err)
			}
			g := &generator{plan: p}
			running.Store(g)
			if err := g.newWorkers(); err != nil {
				t.Fatal(err)
			}
			if g.engine != IOUring {
				t.Skip(g.chosen.Text)
			}
			for _, w := range g.workers {
				w.(*loop).trial.least = 0
				w.(*loop).trial.decide = func(_, _ EngineMeasure) (Engine, string) { return test.want, "planted" }
			}
			r, err := g.run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			c := r.EngineChoice
			if done != o.Connections || r.Engine != test.want || c.Why != EngineMeasured || c.Text != "planted" || c.At <= 0 ||
				len(c.Measured) != 2 {
				t.Fatalf("%d connections went on; engine %s: %+v", done, r.Engine, c)
			}
			for _, m := range c.Measured {
				if m.Windows != trialCycles || m.Rate <= 0 || m.CPUPerRequest <= 0 || m.Elapsed < trialCycles*windowTime {
					t.Errorf("measured %+v", m)
				}
			}
			if r.Errors.Total() != 0 || r.Retries != 0 || r.Connects != int64(o.Connections) {
				t.Errorf("errors %+v, %d sent again, %d connections opened", r.Errors, r.Retries, r.Connects)
			}
			if o.Warmup == 0 {
				// Those cut off at the end may have been served.
				if n := int64(all); r.Responses > n || r.Responses+r.Unfinished < n || r.Bytes != r.Responses*int64(len("/path")) {
					t.Errorf("%d responses of %d bytes and %d unfinished; the server answered %d", r.Responses,
						r.Bytes, r.Unfinished, n)
				}
			}
			for _, w := range g.workers {
				if l := w.(*loop); l.engineNow() != test.want {
					t.Errorf("a worker ended on %s", l.engineNow())
				}
			}
		})
	}
}

// TestTrialReasons has the runs in which nothing is compared.
func TestTrialReasons(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	for _, test := range []struct {
		o    Options
		why  EngineWhy
		text string
	}{
		{Options{Requests: 100}, EngineDefault, "the run was too short to compare engines"},
		{Options{Requests: 10, Rate: 1000}, EngineDefault, "the open model sends requests at fixed times"},
		{Options{Requests: 10, OneByOne: true}, EngineDefault, "comparable"},
		{Options{Requests: 10, NoKeepAlive: true}, EngineDefault, "connections are not kept alive"},
		{Options{Requests: 10, Engine: Epoll}, EngineAsked, "asked for"},
		{Options{Requests: 10, Engine: IOUring}, EngineAsked, "asked for"},
		{Options{Requests: 10, Engine: NetHTTP}, EngineAsked, "asked for"},
	} {
		test.o.URL, test.o.Timeout = s.URL, 5*time.Minute
		r, err := Run(t.Context(), test.o)
		// Where the machine stands still, even a hundred requests take long enough for a comparison.
		for i := 0; i < 5 && err == nil && test.o.Requests == 100 && r.Elapsed > trialAfter &&
			!strings.Contains(r.EngineChoice.Text, test.text); i++ {
			r, err = Run(t.Context(), test.o)
		}
		if test.o.Engine == IOUring && err != nil {
			continue // the kernel has none
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Engine == Epoll && test.o.Engine == "" { // no io_uring here
			test.why, test.text = EngineOnly, "io_uring"
		}
		c := r.EngineChoice
		if c == nil || c.Why != test.why || !strings.Contains(c.Text, test.text) || len(c.Measured) > 0 ||
			test.o.Engine != "" && r.Engine != test.o.Engine {
			t.Errorf("%d requests at rate %g, engine %q: engine %s, %+v; want %s: %s", test.o.Requests, test.o.Rate,
				test.o.Engine, r.Engine, c, test.why, test.text)
		}
	}
}

// TestTrialSlow leaves a slow server alone.
func TestTrialSlow(t *testing.T) {
	l := closedLoop()
	l.choosing, l.rec, l.shard = true, newRecorder(1, 1, false), nil
	l.shard = l.rec.shards[0]
	l.trial = newTrial()
	l.Duration = time.Hour
	l.time, l.answers, l.batch.trials = time.Second, 1900, 1
	l.compare()
	if l.trial.phase != trialDone || l.chosen.Why != EngineDefault ||
		!strings.Contains(l.chosen.Text, "fewer than 2000 answers") {
		t.Errorf("phase %d, %+v", l.trial.phase, l.chosen)
	}
}
