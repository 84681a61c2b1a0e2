package worker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/load/record"
	"github.com/whet-go/whet/internal/load/request"
	"github.com/whet-go/whet/internal/load/workload"
)

// requesting completes o: requests to an address, without headers, and what the plan of a run sets.
func requesting(t *testing.T, address string, o Options) Options {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	to, err := net.ResolveTCPAddr("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	if o.Hosts == nil {
		h := &workload.Host{}
		h.Add(workload.Endpoint{Method: http.MethodGet, Weight: 1})
		o.Hosts = []*workload.Host{h}
	}
	for _, h := range o.Hosts {
		h.Scheme, h.Name, h.Addresses = u.Scheme, u.Host, []net.Addr{to}
		for _, e := range h.Endpoints {
			if e.Template, err = request.New(e.Method, address, nil, e.Body, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if o.TLS == nil {
		o.TLS = &tls.Config{}
	}
	if o.HTTP2 {
		o.TLS.NextProtos = []string{"h2"}
	}
	o.Streams, o.Rows, o.Timeout = max(o.Streams, 1), 1, 5*time.Minute
	workload.Share(o.Hosts, o.Connections)
	return o
}

// posting returns a host with a request that has a large body.
func posting() []*workload.Host {
	h := &workload.Host{}
	h.Add(workload.Endpoint{Method: http.MethodPost, Body: make([]byte, 40_000), Weight: 1})
	return []*workload.Host{h}
}

// TestTrial compares engines on plain connections, on TLS and on HTTP/2, with a fixed decision, and
// checks that all connections of all workers continue on the engine that won and that every answer
// arrives, once.
func TestTrial(t *testing.T) {
	for _, test := range []struct {
		name   string
		secure bool
		o      Options
		want   Engine
	}{
		{"plain to epoll", false, Options{MaxLoops: 2}, Epoll},
		{"plain to io_uring", false, Options{MaxLoops: 2}, IOUring},
		{"POST", false, Options{MaxLoops: 1, Hosts: posting()}, Epoll},
		{"few connections", false, Options{MaxLoops: 1, Connections: 2}, Epoll},
		{"warmup", false, Options{MaxLoops: 1, Warmup: time.Hour}, Epoll},
		{"TLS", true, Options{MaxLoops: 2}, Epoll},
		{"HTTP/2", false, Options{MaxLoops: 2, HTTP2: true, Streams: 5}, Epoll},
		{"HTTP/2 over TLS", true, Options{MaxLoops: 1, HTTP2: true, Streams: 5}, IOUring},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := test.o
			if o.Connections == 0 {
				o.Connections = 16
			}
			var running atomic.Pointer[Group]
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
			o.End = o.Warmup + 2*time.Minute
			g, err := New(requesting(t, s.URL+"/path", o))
			if err != nil {
				t.Fatal(err)
			}
			running.Store(g)
			if g.engine != IOUring {
				t.Skip(g.chosen.Text)
			}
			for _, w := range g.workers {
				w.(*loop).trial.least = 0
				w.(*loop).trial.decide = func(_, _ Measurement) (Engine, string) { return test.want, "planted" }
			}
			if err := g.Prepare(ctx); err != nil {
				t.Fatal(err)
			}
			start, ended := g.Begin()
			<-ended
			g.rec.Finish(time.Since(start), 0)
			r, c := g.rec.Summary(), g.Choice()
			mu.Lock()
			defer mu.Unlock()
			if done != o.Connections || c.Engine != test.want || c.Why != Measured || c.Text != "planted" || c.At <= 0 ||
				len(c.Measured) != 2 {
				t.Fatalf("%d connections continued; %+v", done, c)
			}
			for _, m := range c.Measured {
				if m.Windows != trialCycles || m.Rate <= 0 || m.CPUPerRequest <= 0 || m.Elapsed < trialCycles*windowTime {
					t.Errorf("measured %+v", m)
				}
			}
			if r.Failures.Total() != 0 || r.Retries != 0 || g.Connects() != int64(o.Connections) {
				t.Errorf("errors %+v, %d sent again, %d connections opened", r.Failures, r.Retries, g.Connects())
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

// TestTrialSlow checks that engines are not compared on a slow server.
func TestTrialSlow(t *testing.T) {
	l := closedLoop()
	l.choosing, l.rec, l.shard = true, record.New(1, 1, false), nil
	l.shard = l.rec.Shard(0)
	l.trial = newTrial()
	l.End = time.Hour
	l.time, l.answers, l.batch.trials = time.Second, 1900, 1
	l.compare()
	if l.trial.phase != trialDone || l.chosen.Why != Default ||
		!strings.Contains(l.chosen.Text, "fewer than 2000 answers") {
		t.Errorf("phase %d, %+v", l.trial.phase, l.chosen)
	}
}
