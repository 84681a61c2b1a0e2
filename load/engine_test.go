package load_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/load"
)

// start serves h with the protocols that set chooses, with TLS when roots is set.
func start(t *testing.T, h http.HandlerFunc, set func(*http.Protocols), secure bool) (url string, roots *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.ErrorLog = discardLogger()
	set(s.Config.Protocols)
	if secure {
		s.EnableHTTP2 = s.Config.Protocols.HTTP2()
		s.StartTLS()
		pool := x509.NewCertPool()
		pool.AddCert(s.Certificate())
		roots = &tls.Config{RootCAs: pool}
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.URL, roots
}

func TestHTTP2(t *testing.T) { engines(t, testHTTP2) }

func testHTTP2(t *testing.T, e load.Engine) {
	for _, secure := range []bool{false, true} {
		var n atomic.Int64
		var mu sync.Mutex
		bodies := map[string]int{}
		url, roots := start(t, func(w http.ResponseWriter, r *http.Request) {
			n.Add(1)
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			bodies[fmt.Sprint(r.ProtoMajor, r.Method, r.URL, r.Header.Get("X-A"), len(body))]++
			mu.Unlock()
			if r.URL.Path == "/missing" {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(bytes.Repeat([]byte("x"), 100_000))
		}, func(p *http.Protocols) {
			p.SetHTTP2(secure)
			p.SetUnencryptedHTTP2(!secure)
		}, secure)
		r := run(t, load.Options{
			Engine: e, Protocol: load.HTTP2, Streams: 20, Connections: 3, Workers: 1, Requests: 600, TLS: roots,
			Header: http.Header{"X-A": {"a"}},
			Targets: []load.Target{
				{URL: url + "/p?q=1", Method: "POST", Body: bytes.Repeat([]byte("b"), 200_000)},
				{URL: url + "/missing"},
			},
		})
		if r.Responses != 600 || r.Errors.Total() != 0 || n.Load() != 600 || r.Connects != 3 || r.Streams != 20 {
			t.Errorf("secure %v: %d responses of %d, errors %+v, %d connects",
				secure, r.Responses, n.Load(), r.Errors, r.Connects)
		}
		if r.Status[200] != 300 || r.Status[404] != 300 || r.Bytes != 300*(100_000+int64(len("404 page not found\n"))) {
			t.Errorf("secure %v: statuses %v, %d bytes", secure, r.Status, r.Bytes)
		}
		mu.Lock()
		if bodies["2POST/p?q=1a200000"] != 300 || bodies["2GET/missinga0"] != 300 {
			t.Errorf("secure %v: the server saw %v", secure, bodies)
		}
		mu.Unlock()
	}
}

// TestHTTP2Unwilling has a server that supports only HTTP/1.1.
func TestHTTP2Unwilling(t *testing.T) { engines(t, testHTTP2Unwilling) }

func testHTTP2Unwilling(t *testing.T, e load.Engine) {
	for _, secure := range []bool{false, true} {
		url, roots := start(
			t, func(http.ResponseWriter, *http.Request) {}, func(p *http.Protocols) { p.SetHTTP1(true) }, secure,
		)
		r, err := load.Run(t.Context(), load.Options{
			Engine: e, Protocol: load.HTTP2, URL: url, Connections: 2, Requests: 4, TLS: roots, Timeout: patience,
		})
		if err == nil || r != nil && r.Responses > 0 {
			t.Errorf("secure %v: %v, %+v", secure, err, r)
		}
	}
}

// TestHTTP2ServerGoesAway has a server that announces the end of a connection after some requests;
// none may be lost.
func TestHTTP2ServerGoesAway(t *testing.T) { engines(t, testHTTP2ServerGoesAway) }

func testHTTP2ServerGoesAway(t *testing.T, e load.Engine) {
	var n atomic.Int64
	url, _ := start(t, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1)%50 == 0 {
			w.Header().Set("Connection", "close") // net/http sends GOAWAY then
		}
	}, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }, false)
	r := run(t, load.Options{Engine: e, Protocol: load.HTTP2, Streams: 8, URL: url, Connections: 2, Requests: 500})
	if r.Responses != 500 || r.Errors.Total() != 0 || r.Connects < 5 {
		t.Errorf("%d responses on %d connections, errors %+v", r.Responses, r.Connects, r.Errors)
	}
}

func TestNoKeepAlive(t *testing.T) { engines(t, testNoKeepAlive) }

func testNoKeepAlive(t *testing.T, e load.Engine) {
	for _, secure := range []bool{false, true} {
		var closing atomic.Int64
		url, roots := start(t, func(_ http.ResponseWriter, r *http.Request) {
			if r.Close {
				closing.Add(1)
			}
		}, func(p *http.Protocols) { p.SetHTTP1(true) }, secure)
		r := run(t, load.Options{Engine: e, URL: url, Connections: 4, Requests: 100, NoKeepAlive: true, TLS: roots})
		if r.Connects != 100 || closing.Load() != 100 || r.Responses != 100 || len(unusual(r)) > 0 {
			t.Errorf("secure %v: %d connections, %d of them said to close, %d responses, warnings %q",
				secure, r.Connects, closing.Load(), r.Responses, r.Warnings)
		}
	}
}

func TestUnixSocket(t *testing.T) { engines(t, testUnixSocket) }

func testUnixSocket(t *testing.T, e load.Engine) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host)
	}))
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	r := run(t, load.Options{Engine: e, URL: "http://some.name/", Socket: path, Connections: 2, Requests: 20})
	if r.Responses != 20 || r.Bytes != 20*int64(len("some.name")) {
		t.Errorf("%d responses of %d bytes", r.Responses, r.Bytes)
	}
}

func TestResolve(t *testing.T) { engines(t, testResolve) }

func testResolve(t *testing.T, e load.Engine) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Host) })
	r := run(t, load.Options{
		Engine: e, URL: "http://no.such.name.invalid:8080/", Requests: 5,
		Resolve: map[string]string{"no.such.name.invalid:8080": s.Listener.Addr().String()},
	})
	if r.Responses != 5 || r.Bytes != 5*int64(len("no.such.name.invalid:8080")) {
		t.Errorf("%d responses, %d bytes", r.Responses, r.Bytes)
	}
	_, err := load.Run(t.Context(), load.Options{Engine: e, URL: "http://no.such.name.invalid/"})
	var le *load.Error
	if !errors.As(err, &le) || !strings.Contains(err.Error(), "no.such.name.invalid") || le.Hint == "" {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestVariables(t *testing.T) { engines(t, testVariables) }

func testVariables(t *testing.T, e load.Engine) {
	for _, proto := range []load.Protocol{load.HTTP1, load.HTTP2} {
		var mu sync.Mutex
		seen := map[string]int{}
		url, _ := start(t, func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			seen[fmt.Sprint(r.URL.Path, r.URL.Query().Get("q"), r.Header.Get("X-Id"), string(body))]++
		}, func(p *http.Protocols) { p.SetHTTP1(true); p.SetUnencryptedHTTP2(true) }, false)
		rows := [][]string{{"1", "a b"}, {"2", "c&d/é"}, {"3", ""}}
		r := run(t, load.Options{
			Engine: e, Protocol: proto, URL: url + "/u/{{id}}?q={{name}}", Method: "POST",
			Connections: 2, Workers: 1, Requests: 300,
			Header: http.Header{"X-Id": {"n{{id}}"}}, Body: []byte(`{"name":"{{name}}"}`),
			Variables: &load.Variables{Names: []string{"id", "name"}, Rows: rows},
		})
		if r.Responses != 300 {
			t.Errorf("%s: %d responses, errors %+v", proto, r.Responses, r.Errors)
		}
		mu.Lock()
		for _, row := range rows {
			key := fmt.Sprint("/u/", row[0], row[1], "n"+row[0], `{"name":"`+row[1]+`"}`)
			if seen[key] != 100 {
				t.Errorf("%s: %q was seen %d times of 100: %v", proto, key, seen[key], seen)
			}
		}
		mu.Unlock()
	}
}

func TestWeights(t *testing.T) { engines(t, testWeights) }

func testWeights(t *testing.T, e load.Engine) {
	var a, b atomic.Int64
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			a.Add(1)
		} else {
			b.Add(1)
		}
	})
	run(t, load.Options{
		Engine: e, Targets: []load.Target{{URL: s.URL + "/a", Weight: 9}, {URL: s.URL + "/b"}},
		Connections: 3, Workers: 1, Requests: 1000,
	})
	if a.Load() != 900 || b.Load() != 100 {
		t.Errorf("%d and %d, want 900 and 100", a.Load(), b.Load())
	}
}

// TestOpenModel checks the rate and the sending times.
func TestOpenModel(t *testing.T) { engines(t, testOpenModel) }

func testOpenModel(t *testing.T, e load.Engine) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, arrivals := range []load.Arrivals{load.Constant, load.Poisson} {
		r := run(t, load.Options{
			Engine: e, URL: s.URL, Connections: 16, Rate: 500, Arrivals: arrivals, Duration: 2 * time.Second, Seed: 1,
		})
		if want := 1000.0; math.Abs(float64(r.Requests)-want) > 4*math.Sqrt(want) ||
			arrivals == load.Constant && float64(r.Requests) != want {
			t.Errorf("%s: %d requests, want %.0f", arrivals, r.Requests, want)
		}
		if r.SendDelay == nil || r.SendDelay.Max <= 0 || r.SendDelay.P99 > r.SendDelay.Max ||
			r.Model != load.ModelOpen || r.Open.Rate != 500 {
			t.Errorf("%s: sending %+v, model %s %+v", arrivals, r.SendDelay, r.Model, r.Open)
		}
	}
	r := run(t, load.Options{Engine: e, URL: s.URL, Connections: 16, Rate: 100, RampTo: 900, Duration: 2 * time.Second})
	if r.Requests < 995 || r.Requests > 1005 {
		t.Errorf("ramp: %d requests, want 1000", r.Requests)
	}
	r = run(t, load.Options{Engine: e, URL: s.URL, Rate: 1000, Requests: 50})
	if r.Requests != 50 || r.Elapsed < 40*time.Millisecond {
		t.Errorf("%d requests in %v, want 50 in 50ms", r.Requests, r.Elapsed)
	}
}

// TestStall has a server that stalls, which delays all requests that are due in the meantime,
// including those that wait for a connection. Latencies must count from the schedule.
func TestStall(t *testing.T) { engines(t, testStall) }

func testStall(t *testing.T, e load.Engine) {
	// A busy machine increases the latencies, but not each time, and less at a lower rate.
	const little = time.Second
	rates := []int64{500, 250, 125, 50, 25}
	var late time.Duration
	for _, rate := range rates {
		if late = stalled(t, e, rate); late <= little {
			return
		}
	}
	t.Errorf("a quantile is %v above that of the schedule in the last of %d runs", late, len(rates))
}

// stalled loads a server that stalls at a rate per second, and returns by how much the worst quantile
// exceeds that of the schedule.
func stalled(t *testing.T, e load.Engine, rate int64) (late time.Duration) {
	t.Helper()
	const stall, length, connections = 600 * time.Millisecond, 3 * time.Second, 4
	interval := time.Second / time.Duration(rate)
	var stalling sync.Once
	var over atomic.Pointer[time.Time] // end of the stall, for which all requests that arrive during it wait
	s := serve(t, func(http.ResponseWriter, *http.Request) {
		stalling.Do(func() {
			<-time.After(stall)
			now := time.Now()
			over.Store(&now)
		})
	})
	// With few connections, most requests that are due during the stall find none free.
	r := run(t, load.Options{Engine: e, URL: s.URL, Connections: connections, Rate: float64(rate), Duration: length})
	var want []time.Duration
	for at := time.Duration(0); at < length; at += interval {
		want = append(want, max(over.Load().Sub(r.Started)-at, 0))
	}
	slices.Sort(want)
	if r.Responses != int64(len(want)) {
		t.Fatalf("%d responses, want %d", r.Responses, len(want))
	}
	for q, got := range map[float64]time.Duration{.90: r.Latency.P90, .95: r.Latency.P95, .99: r.Latency.P99} {
		// The latency is never shorter, and longer by the time that earlier requests take.
		exact := want[int(q*float64(len(want)))]
		if got < exact-5*time.Millisecond-interval {
			t.Errorf("the %g-quantile is %v, want at least %v", q, got, exact)
		}
		late = max(late, got-exact)
	}
	if due := int64(stall / interval); r.SendDelay.Waited < due-due/20-connections-1 {
		t.Errorf("%d requests waited for a connection, want about %d", r.SendDelay.Waited, due)
	}
	if !r.Verdict().Has(load.RateMissed) {
		t.Errorf("no word about the requests that waited: %+v", r.Warnings)
	}
	return late
}

// raw serves connections by hand.
func raw(t *testing.T, serve func(net.Conn, *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer func() { _ = c.Close() }()
				serve(c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return "http://" + l.Addr().String() + "/"
}

// TestFraming has answers that end in all possible ways.
func TestFraming(t *testing.T) { engines(t, testFraming) }

func testFraming(t *testing.T, e load.Engine) {
	for name, test := range map[string]struct {
		answer string
		body   int64
		closes bool
	}{
		"length": {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 5, false},
		"chunked": {
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nTrailer: 1\r\n\r\n",
			5, false,
		},
		"interim": {
			"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
			2, false,
		},
		"no content":  {"HTTP/1.1 204 No Content\r\n\r\n", 0, false},
		"until close": {"HTTP/1.1 200 OK\r\n\r\nhello", 5, true},
		"close":       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", 5, true},
		"HTTP/1.0":    {"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", 5, true},
		"long header": {
			"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 64<<10) + "\r\nContent-Length: 5\r\n\r\nhello",
			5, false,
		},
	} {
		url := raw(t, func(c net.Conn, r *bufio.Reader) {
			for {
				if _, err := http.ReadRequest(r); err != nil {
					return
				}
				_, _ = io.WriteString(c, test.answer)
				if test.closes {
					return
				}
			}
		})
		r := run(t, load.Options{Engine: e, URL: url, Connections: 2, Requests: 20})
		if r.Responses != 20 || r.Bytes != 20*test.body || r.Errors.Total() != 0 {
			t.Errorf("%s: %d responses of %d bytes, errors %+v", name, r.Responses, r.Bytes, r.Errors)
		}
		want := map[bool]int64{false: 2, true: 20}[test.closes]
		// net/http connects with the first request: one connection may have sent all requests
		// before the other begins.
		late := e == load.NetHTTP && !test.closes && r.Connects == 1
		if r.Connects != want && !late && (test.closes || !keptAlive(e, r, want)) {
			t.Errorf("%s: %d connects, want %d", name, r.Connects, want)
		}
	}
}

// TestGarbageAfterAnswer sends bytes after an answer: they must not be mistaken for the next
// answer.
func TestGarbageAfterAnswer(t *testing.T) { engines(t, testGarbageAfterAnswer) }

func testGarbageAfterAnswer(t *testing.T, e load.Engine) {
	url := raw(t, func(c net.Conn, r *bufio.Reader) {
		for {
			if _, err := http.ReadRequest(r); err != nil {
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"+
				"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
		}
	})
	r := run(t, load.Options{Engine: e, URL: url, Connections: 1, Requests: 10})
	if e == load.NetHTTP {
		// Its transport reads such bytes on another goroutine: on a busy machine, the next request
		// is sent before that has run.
		if r.Status[200]+r.Status[500] != 10 || r.Status[200] < r.Status[500] {
			t.Errorf("statuses %v, errors %+v", r.Status, r.Errors)
		}
		return
	}
	if r.Status[200] != 10 || r.Status[500] != 0 {
		t.Errorf("statuses %v, errors %+v", r.Status, r.Errors)
	}
}

// TestSlowServer has a server that answers byte by byte, except on one connection, which gets no
// answer and must not delay the others.
func TestSlowServer(t *testing.T) { engines(t, testSlowServer) }

func testSlowServer(t *testing.T, e load.Engine) {
	again(t, time.Second, func(timeout time.Duration) error { return slowServer(t, e, timeout) })
}

func slowServer(t *testing.T, e load.Engine, timeout time.Duration) error {
	t.Helper()
	const requests = 200
	var n, answers, early atomic.Int64 // early: answers to the others before that one times out
	url := raw(t, func(c net.Conn, r *bufio.Reader) {
		never := n.Add(1) == 1
		for {
			if _, err := http.ReadRequest(r); err != nil {
				return
			}
			if never {
				_, _ = io.Copy(io.Discard, c)
				early.Store(answers.Load())
				return
			}
			answers.Add(1)
			for _, b := range []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
			}
		}
	})
	r := run(t, load.Options{Engine: e, URL: url, Connections: 4, Requests: requests, Timeout: timeout})
	if r.Responses+r.Errors.Total() != requests {
		t.Errorf("%d responses, errors %+v of %d", r.Responses, r.Errors, requests)
	}
	// If the machine stalls, the others time out, too.
	if r.Errors.Timeout != 1 || r.Errors.Total() != 1 || early.Load() < 10 {
		return fmt.Errorf("%d answers before the timeout, errors %+v (want many and one timeout)", early.Load(), r.Errors)
	}
	return nil
}

// TestHalfOpen has a peer that has disappeared without a packet: here one that neither reads nor
// writes.
func TestHalfOpen(t *testing.T) { engines(t, testHalfOpen) }

func testHalfOpen(t *testing.T, e load.Engine) {
	release := make(chan struct{})
	defer close(release)
	url := raw(t, func(net.Conn, *bufio.Reader) { <-release })
	again(t, 100*time.Millisecond, func(timeout time.Duration) error {
		began := time.Now()
		r, err := load.Run(t.Context(), load.Options{
			Engine: e, URL: url, Method: "POST", Body: make([]byte, 8<<20), Connections: 2, Requests: 4, Timeout: timeout,
		})
		if r == nil {
			return err
		}
		if d := time.Since(began); d > 2*time.Minute {
			t.Errorf("it took %v", d)
		}
		if err == nil || r.Errors.Total() != 4 || e != load.NetHTTP && r.Errors.Timeout != 4 {
			t.Errorf("%v: errors %+v", err, r.Errors)
		}
		// net/http connects as part of the request, which may time out before it has a connection.
		if r.Errors.Timeout != 4 {
			return fmt.Errorf("errors %+v (want 4 timeouts)", r.Errors)
		}
		return nil
	})
}

// TestAnswerBeforeBody has a server that answers before it has read the request.
func TestAnswerBeforeBody(t *testing.T) { engines(t, testAnswerBeforeBody) }

func testAnswerBeforeBody(t *testing.T, e load.Engine) {
	if e == load.NetHTTP {
		t.Skip("net/http waits for the server to take the body")
	}
	url := raw(t, func(c net.Conn, r *bufio.Reader) {
		_, _ = r.ReadString('\n')
		// The server answers once; a client that had sent everything before the answer came might
		// send again.
		_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		_, _ = io.Copy(io.Discard, r)
	})
	r := run(t, load.Options{Engine: e, URL: url, Method: "POST", Body: make([]byte, 16<<20), Connections: 2, Requests: 6})
	if r.Status[413] != 6 {
		t.Errorf("statuses %v, errors %+v", r.Status, r.Errors)
	}
}

// TestManyConnections holds many connections at once.
func TestManyConnections(t *testing.T) { engines(t, testManyConnections) }

func testManyConnections(t *testing.T, e load.Engine) {
	var most, now atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			most.Store(max(most.Load(), now.Add(1)))
		}
		if state == http.StateClosed {
			now.Add(-1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	r := run(t, load.Options{Engine: e, URL: s.URL, Connections: 1000, Requests: 20_000})
	opened := r.Connects >= 990 && r.Connects <= 1000 || keptAlive(e, r, 1000)
	if r.Responses != 20_000 || r.Errors.Total() != 0 || !opened || most.Load() < 990 {
		t.Errorf("%d responses on %d connections, %d at once; errors %+v", r.Responses, r.Connects, most.Load(), r.Errors)
	}
}

func TestTooManyConnections(t *testing.T) {
	_, err := load.Run(t.Context(), load.Options{URL: "http://127.0.0.1:1/", Connections: 100_000_000})
	var le *load.Error
	if !errors.As(err, &le) || !strings.Contains(le.Hint, "ulimit -n") {
		t.Errorf("%v", err)
	}
}

// TestWorkers divides the connections among several loops.
func TestWorkers(t *testing.T) {
	var n atomic.Int64
	s := serve(t, func(http.ResponseWriter, *http.Request) { n.Add(1) })
	for _, rate := range []float64{0, 2000} {
		n.Store(0)
		r := run(t, load.Options{URL: s.URL, Workers: 3, Connections: 10, Requests: 1000, Rate: rate})
		if r.Responses != 1000 || n.Load() != 1000 || !keptAlive(r.Engine, r, 10) ||
			r.Engine != load.NetHTTP && r.Workers != 3 {
			t.Errorf("rate %g: %d responses of %d on %d connections of %d workers",
				rate, r.Responses, n.Load(), r.Connects, r.Workers)
		}
	}
}

// TestCancelEarly cancels runs at any time.
func TestCancelEarly(t *testing.T) { engines(t, testCancelEarly) }

func testCancelEarly(t *testing.T, e load.Engine) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, after := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		began := time.Now()
		r, err := load.Run(ctx, load.Options{Engine: e, URL: s.URL, Duration: time.Hour})
		cancel()
		if r != nil && (err != nil || !r.Interrupted) || time.Since(began) > 2*time.Minute {
			t.Errorf("after %v: %+v, %v, in %v", after, r, err, time.Since(began))
		}
	}
}

// serverProcess starts a server in a separate process, which ends with the test.
func serverProcess(t *testing.T) (url string, p *os.Process) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), serveForTest+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	url, err = bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url), cmd.Process
}

// TestTargetCPU finds the process that listens at the address.
func TestTargetCPU(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found out on Linux only")
	}
	url, process := serverProcess(t)
	r := run(t, load.Options{URL: url, Requests: 20_000})
	if c := r.TargetCPU; c == nil || c.PID != process.Pid || c.Total <= 0 || c.PerRequest != c.Total/20_000 ||
		c.Command == "" {
		t.Errorf("%+v, want that of process %d", c, process.Pid)
	}
}

// TestServerKilled kills the server in the middle of a run, which continues and counts what it
// cannot send.
func TestServerKilled(t *testing.T) { engines(t, testServerKilled) }

func testServerKilled(t *testing.T, e load.Engine) {
	for _, rate := range []float64{0, 1000} {
		again(t, 2500*time.Millisecond, func(d time.Duration) error {
			url, process := serverProcess(t)
			var once sync.Once
			o := load.Options{Engine: e, URL: url, Connections: 8, Rate: rate, Duration: d}
			o.Progress = func(p load.Progress) {
				if p.Requests > 0 {
					once.Do(func() { _ = process.Kill() })
				}
			}
			r := run(t, o)
			if r.Errors.Total() != r.Errors.Connect+r.Errors.Reset || r.Interrupted {
				t.Errorf("rate %g: %d responses, errors %+v, interrupted %v", rate, r.Responses, r.Errors, r.Interrupted)
			}
			if want := rate * d.Seconds(); rate > 0 && math.Abs(float64(r.Requests+r.Unfinished)-want) > 0.02*want {
				t.Errorf("%d requests and %d unfinished of %g that were due", r.Requests, r.Unfinished, want)
			}
			if r.Responses == 0 || r.Errors.Connect == 0 {
				return fmt.Errorf("rate %g: not killed in the middle: %d responses, errors %+v", rate, r.Responses, r.Errors)
			}
			return nil
		})
	}
}

// TestTargetTells gets the CPU time from the target itself, wherever it is.
func TestTargetTells(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	used := time.Second
	r := run(t, load.Options{URL: s.URL, Requests: 100, TargetCPU: func(context.Context) (time.Duration, error) {
		used += time.Second
		return used, nil
	}})
	if c := r.TargetCPU; c == nil || c.Total != time.Second || c.PerRequest != 10*time.Millisecond || c.PID != 0 {
		t.Errorf("%+v", c)
	}
	r = run(t, load.Options{URL: s.URL, Requests: 100, TargetCPU: func(context.Context) (time.Duration, error) {
		return 0, errors.New("no agent")
	}})
	if r.TargetCPU != nil || len(unusual(r)) != 1 || !strings.Contains(unusual(r)[0].Text, "no agent") {
		t.Errorf("%+v, warnings %q", r.TargetCPU, r.Warnings)
	}
}
