package load_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
)

func TestRunCountsStatusesAndBytes(t *testing.T) { engines(t, testStatusesAndBytes) }

func testStatusesAndBytes(t *testing.T, e load.Engine) {
	var n, opened atomic.Int64
	s := httptest.NewUnstartedServer(together(4, func(w http.ResponseWriter, _ *http.Request) {
		switch n.Add(1) % 4 {
		case 0:
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusFound)
		case 1:
			http.Error(w, "no", http.StatusTeapot)
		default:
			_, _ = io.WriteString(w, "12345")
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	r := run(t, load.Options{Engine: e, URL: s.URL, Connections: 4, Requests: 400})
	want := map[int]int64{200: 200, 302: 100, 418: 100}
	if !reflect.DeepEqual(r.Status, want) {
		t.Errorf("statuses %v, want %v", r.Status, want)
	}
	if n.Load() != 400 {
		t.Errorf("server saw %d requests, want 400: redirects must not be followed", n.Load())
	}
	if r.Requests != 400 || r.Responses != 400 || r.Errors.Total() != 0 || r.Unfinished != 0 {
		t.Errorf("requests %d, responses %d, errors %+v, unfinished %d", r.Requests, r.Responses, r.Errors, r.Unfinished)
	}
	if want := int64(200*5 + 100*len("no\n")); r.Bytes != want {
		t.Errorf("%d bytes, want %d", r.Bytes, want)
	}
	if r.Retries != 0 || r.Connects != opened.Load() || !keptAlive(e, r, 4) {
		t.Errorf("%d connects, of which the server saw %d, and %d retries; want 4 kept-alive connections",
			r.Connects, opened.Load(), r.Retries)
	}
	if r.Failed() != 100 {
		t.Errorf("%d failed, want 100", r.Failed())
	}
}

// TestLatency compares the percentiles with the latencies that the server itself produced, and
// checks their order.
func TestLatency(t *testing.T) { engines(t, testLatency) }

func testLatency(t *testing.T, e load.Engine) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("slow") {
			<-time.After(50 * time.Millisecond)
		}
		_, _ = w.Write([]byte("ok"))
	})
	again(t, 1200*time.Millisecond, func(d time.Duration) error {
		// Every second request is slow.
		r := run(t, load.Options{
			Engine: e, Targets: []load.Target{{URL: s.URL}, {URL: s.URL + "?slow"}}, Connections: 2, Duration: d,
		})
		checkLatency(t, r)
		if n := len(r.Seconds); n < 2 {
			return fmt.Errorf("a run of %v has %d seconds", r.Elapsed, n)
		}
		return nil
	})
}

func checkLatency(t *testing.T, r *load.Result) {
	t.Helper()
	l := r.Latency
	ordered := []time.Duration{1, l.Min, l.P50, l.P75, l.P90, l.P95, l.P99, l.P999, l.Max}
	for i := 1; i < len(ordered); i++ {
		if ordered[i] < ordered[i-1] {
			t.Fatalf("latencies out of order: %+v", l)
		}
	}
	if l.Max < 50*time.Millisecond {
		t.Errorf("max %v, but the slow target takes 50ms", l.Max)
	}
	if l.P75 < 50*time.Millisecond {
		t.Errorf("p75 %v, but every other request takes 50ms", l.P75)
	}
	if l.Mean <= l.Min || l.Mean >= l.Max || l.StdDev <= 0 {
		t.Errorf("mean %v, stddev %v", l.Mean, l.StdDev)
	}

	h, err := hdrhistogram.Decode([]byte(l.HDR))
	if err != nil {
		t.Fatal(err)
	}
	if h.TotalCount() != r.Responses {
		t.Errorf("histogram holds %d values, want %d", h.TotalCount(), r.Responses)
	}
	if got := time.Duration(h.ValueAtQuantile(95)); got != l.P95 && l.P95 != l.Max {
		t.Errorf("histogram says p95 %v, result %v", got, l.P95)
	}

	var responses int64
	var end time.Duration
	for _, s := range r.Seconds {
		if s.Start != end {
			t.Errorf("second starts at %v, want %v", s.Start, end)
		}
		end = s.Start + s.Elapsed
		responses += s.Responses
	}
	if most := int(r.Elapsed/time.Second) + 1; responses != r.Responses || end != r.Elapsed || len(r.Seconds) > most {
		t.Errorf("%d seconds hold %d responses until %v; want at most %d, %d, %v",
			len(r.Seconds), responses, end, most, r.Responses, r.Elapsed)
	}
	if got := float64(r.Responses) / r.Elapsed.Seconds(); got != r.Rate {
		t.Errorf("rate %v, want %v", r.Rate, got)
	}
	if r.CPU != nil && (r.CPU.Total <= 0 || r.CPU.PerRequest <= 0 || r.CPU.Cores <= 0) {
		t.Errorf("CPU %+v", r.CPU)
	}
}

func TestTargetsRoundRobin(t *testing.T) { engines(t, testTargetsRoundRobin) }

func testTargetsRoundRobin(t *testing.T, e load.Engine) {
	var a, b, c atomic.Int64
	first := together(3, func(http.ResponseWriter, *http.Request) {})
	count := func(n *atomic.Int64) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			n.Add(1)
			first(w, r)
		}
	}
	r := run(t, load.Options{
		Engine:      e,
		URL:         serve(t, count(&a)).URL,
		Targets:     []load.Target{{URL: serve(t, count(&b)).URL}, {URL: serve(t, count(&c)).URL}},
		Connections: 3, Requests: 300,
	})
	if a.Load() == 0 || b.Load() == 0 || c.Load() == 0 || a.Load()+b.Load()+c.Load() != 300 {
		t.Errorf("targets saw %d, %d, %d requests", a.Load(), b.Load(), c.Load())
	}
	if len(r.Targets) != 3 || !keptAlive(e, r, 3) {
		t.Errorf("targets %v, %d connects", r.Targets, r.Connects)
	}
}

func TestRequestIsSentUnchanged(t *testing.T) { engines(t, testRequestIsSentUnchanged) }

func testRequestIsSentUnchanged(t *testing.T, e load.Engine) {
	var mu sync.Mutex
	var seen []string
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(
			r.Method, r.Host, r.Header["X-A"], r.ContentLength, string(body), err, user, password, r.URL,
		))
	})
	url := strings.Replace(s.URL, "http://", "http://me:secret@", 1) + "/p?q=1"
	r := run(t, load.Options{
		Engine: e,
		URL:    url, Method: "POST", Body: []byte("hello"), Requests: 3, Connections: 1,
		Header: http.Header{"X-A": {"1", "2"}, "Host": {"example.test"}},
	})
	mu.Lock()
	defer mu.Unlock()
	want := fmt.Sprint("POST", "example.test", []string{"1", "2"}, 5, "hello", nil, "me", "secret", "/p?q=1")
	if len(seen) != 3 || seen[0] != want || seen[2] != want {
		t.Errorf("server saw\n%q, want three times\n%q", seen, want)
	}
	if strings.Contains(r.Targets[0], "secret") {
		t.Errorf("the result tells the password: %s", r.Targets[0])
	}
}

// TestBadAddressKeepsSecrets checks that the error about an invalid address does not contain its
// password.
func TestBadAddressKeepsSecrets(t *testing.T) {
	for _, url := range []string{
		"ftp://me:secret@127.0.0.1/", "http://me:secret@", "http://me:secret@127.0.0.1:port/",
		"http://me:secret@192.0.2.1/",
	} {
		if _, err := load.Run(t.Context(), load.Options{URL: url}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestFailures(t *testing.T) {
	r := load.Result{Status: map[int]int64{200: 5, 503: 2, 404: 1}, Errors: load.Errors{Timeout: 4}}
	if got, want := r.Failures(), "404: 1, 503: 2, timeout: 4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (&load.Result{}).Failures(); got != "" {
		t.Errorf("%q without failures", got)
	}
}

func TestTimeout(t *testing.T) { engines(t, testTimeout) }

func testTimeout(t *testing.T, e load.Engine) {
	release := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	again(t, 20*time.Millisecond, func(d time.Duration) error {
		r, err := load.Run(t.Context(), load.Options{Engine: e, URL: s.URL, Connections: 2, Requests: 6, Timeout: d})
		if r == nil {
			return err
		}
		if r.Requests != 6 || r.Errors.Total() != 6 || r.Responses != 0 {
			t.Errorf("requests %d, responses %d, errors %+v; want 6 timeouts", r.Requests, r.Responses, r.Errors)
		}
		if r.Latency != (load.Latency{}) {
			t.Errorf("latency without an answer: %+v", r.Latency)
		}
		// net/http connects as part of the request, which may time out before it has a connection.
		if r.Errors.Timeout != 6 {
			return fmt.Errorf("errors %+v (want 6 timeouts)", r.Errors)
		}
		var le *load.Error
		if !errors.As(err, &le) || !errors.Is(err, le.Err) || !strings.Contains(le.Hint, "timeout") {
			t.Errorf("error %v, want a *load.Error that advises a longer timeout", err)
		}
		return nil
	})
}

// hijack answers each request with raw bytes and then closes the connection, with reset by
// resetting it.
func hijack(t testing.TB, answer string, reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, answer)
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}

func TestErrorKinds(t *testing.T) { engines(t, testErrorKinds) }

func testErrorKinds(t *testing.T, e load.Engine) {
	ok := "HTTP/1.1 200 OK\r\nContent-Length: "
	for _, test := range []struct {
		name   string
		answer string
		reset  bool
		want   load.Errors
	}{
		{"closed", "", false, load.Errors{Reset: 5}},
		{"reset", "", true, load.Errors{Reset: 5}},
		{"short body", ok + "100\r\n\r\nabc", false, load.Errors{ShortBody: 5}},
		{"short chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc", false, load.Errors{ShortBody: 5}},
		{"not HTTP", "SSH-2.0-x\r\n\r\n", false, load.Errors{Malformed: 5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, hijack(t, test.answer, test.reset))
			r, err := load.Run(t.Context(), load.Options{Engine: e, URL: s.URL, Connections: 1, Requests: 5, Timeout: patience})
			if err == nil {
				t.Error("no error although nothing was answered")
			}
			if len(r.Errors.First) != 1 {
				t.Errorf("first messages %v, want one", r.Errors.First)
			}
			r.Errors.First = nil
			if !reflect.DeepEqual(r.Errors, test.want) {
				t.Errorf("errors %+v, want %+v", r.Errors, test.want)
			}
		})
	}
}

func TestNoListener(t *testing.T) { engines(t, testNoListener) }

func testNoListener(t *testing.T, e load.Engine) {
	address := refusing(t)
	r, err := load.Run(t.Context(), load.Options{
		Engine: e, URL: "http://" + address, Connections: 2, Requests: 6, Timeout: patience,
	})
	var le *load.Error
	if !errors.As(err, &le) || !strings.Contains(le.Error(), address) || le.Hint == "" {
		t.Errorf("error %v, want one that names the address and advises", err)
	}
	if e == load.NetHTTP && r.Errors.Connect != 6 {
		t.Errorf("errors %+v, want 6 of kind connect", r.Errors)
	}
	if e != load.NetHTTP && r != nil {
		t.Errorf("a result without a connection: %+v", r)
	}
}

func TestServerDiesDuringRun(t *testing.T) { engines(t, testServerDiesDuringRun) }

func testServerDiesDuringRun(t *testing.T, e load.Engine) {
	var n atomic.Int64
	var s *httptest.Server
	var once sync.Once
	ready := make(chan struct{})
	s = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		<-ready
		if n.Add(1) > 50 {
			once.Do(func() {
				_ = s.Listener.Close()
				go s.CloseClientConnections()
			})
		}
		_, _ = w.Write([]byte("ok"))
	})
	close(ready)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := load.Run(ctx, load.Options{
		Engine: e, URL: s.URL, Connections: 4, Duration: 2 * time.Minute, Timeout: patience,
		Progress: func(p load.Progress) {
			if p.Errors.Connect > 0 {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Responses < 50-4 || r.Errors.Connect == 0 {
		t.Errorf("%d responses, errors %+v; want about 50 and refused connections", r.Responses, r.Errors)
	}
	if float64(r.Errors.Total()) > 1000*max(1, r.Elapsed.Seconds()) {
		t.Errorf("%d errors: refused connections must be retried with a pause", r.Errors.Total())
	}
	if r.Requests != r.Responses+r.Errors.Total() {
		t.Errorf("%d requests, %d responses, %d errors", r.Requests, r.Responses, r.Errors.Total())
	}
}

func TestServerClosesIdleConnections(t *testing.T) { engines(t, testServerClosesIdleConnections) }

func testServerClosesIdleConnections(t *testing.T, e load.Engine) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
	})
	r := run(t, load.Options{Engine: e, URL: s.URL, Connections: 2, Requests: 20})
	if r.Connects != 20 || len(unusual(r)) != 1 || !strings.Contains(unusual(r)[0].Text, "kept-alive") {
		t.Errorf("%d connects, warnings %q", r.Connects, r.Warnings)
	}
}

func TestCancelKeepsWhatWasMeasured(t *testing.T) { engines(t, testCancelKeepsWhatWasMeasured) }

func testCancelKeepsWhatWasMeasured(t *testing.T, e load.Engine) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var n atomic.Int64
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if n.Add(1) > 20 {
			cancel()
			<-r.Context().Done()
		}
	})
	r, err := load.Run(ctx, load.Options{Engine: e, URL: s.URL, Connections: 2, Duration: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	// The other connection's last answer may have been in transit.
	if !r.Interrupted || r.Responses < 19 || r.Responses > 20 || r.Errors.Total() != 0 {
		t.Errorf("interrupted %v, %d responses, errors %+v", r.Interrupted, r.Responses, r.Errors)
	}
	if r.Unfinished < 1 || r.Unfinished > 2 {
		t.Errorf("%d unfinished, want those in flight at the end", r.Unfinished)
	}
}

// TestLateAnswers checks that requests in flight when the time is over still count, with their
// whole latency. Dropping them would hide the slowest answers.
func TestLateAnswers(t *testing.T) { engines(t, testLateAnswers) }

func testLateAnswers(t *testing.T, e load.Engine) {
	again(t, 50*time.Millisecond, func(d time.Duration) error {
		slow := d + 250*time.Millisecond
		s := serve(t, func(http.ResponseWriter, *http.Request) { <-time.After(slow) })
		r := run(t, load.Options{Engine: e, URL: s.URL, Connections: 3, Duration: d})
		if n := r.Requests + r.Unfinished; n < 3 {
			return fmt.Errorf("only %d of 3 requests began within %v", n, d)
		}
		if r.Unfinished != 0 || r.Responses != 3 || r.Interrupted || r.Latency.Min < slow {
			t.Errorf("unfinished %d, responses %d, interrupted %v, fastest %v; want 0, 3, false, %v",
				r.Unfinished, r.Responses, r.Interrupted, r.Latency.Min, slow)
		}
		return nil
	})
	hung := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	again(t, 50*time.Millisecond, func(d time.Duration) error {
		r, err := load.Run(t.Context(), load.Options{Engine: e, URL: hung.URL, Connections: 3, Duration: d, Timeout: 4 * d})
		if r == nil {
			return err
		}
		// net/http connects as part of the request, which may time out before it has a connection.
		if n := r.Requests + r.Unfinished; n < 3 || e == load.NetHTTP && r.Errors.Connect > 0 {
			return fmt.Errorf("%d of 3 requests began within %v, errors %+v", n, d, r.Errors)
		}
		if err == nil || r.Errors.Timeout != 3 || r.Unfinished != 0 {
			t.Errorf("%v: errors %+v, unfinished %d; want 3 timeouts", err, r.Errors, r.Unfinished)
		}
		return nil
	})
}

func TestWarmupIsNotCounted(t *testing.T) { engines(t, testWarmupIsNotCounted) }

func testWarmupIsNotCounted(t *testing.T, e load.Engine) {
	var n atomic.Int64
	s := serve(t, func(http.ResponseWriter, *http.Request) { n.Add(1) })
	again(t, 100*time.Millisecond, func(d time.Duration) error {
		n.Store(0)
		began := time.Now()
		r := run(t, load.Options{Engine: e, URL: s.URL, Connections: 2, Warmup: d, Requests: 10})
		if r.Responses != 10 {
			t.Errorf("%d counted of %d sent; want 10", r.Responses, n.Load())
		}
		if got := r.Started.Sub(began); got < d {
			t.Errorf("the measured part starts after %v, want %v", got, d)
		}
		if n.Load() <= 10 {
			return fmt.Errorf("%d sent, none of them in the warm-up of %v", n.Load(), d)
		}
		return nil
	})
}

func TestTLS(t *testing.T) { engines(t, testTLS) }

func testTLS(t *testing.T, e load.Engine) {
	s := httptest.NewTLSServer(together(2, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	o := load.Options{
		Engine: e, URL: s.URL, Requests: 40, Connections: 2,
		TLS: &tls.Config{RootCAs: roots, NextProtos: []string{"h2"}},
	}
	if r := run(t, o); r.Responses != 40 || !keptAlive(e, r, 2) {
		t.Errorf("%d responses on %d connections", r.Responses, r.Connects)
	}
}

func TestTLSNotTrusted(t *testing.T) { engines(t, testTLSNotTrusted) }

func testTLSNotTrusted(t *testing.T, e load.Engine) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = discardLogger()
	s.StartTLS()
	t.Cleanup(s.Close)
	r, err := load.Run(t.Context(), load.Options{Engine: e, URL: s.URL, Requests: 2, Connections: 1, Timeout: patience})
	if err == nil || !strings.Contains(err.Error(), "certificate") || r != nil && r.Errors.Connect != 2 {
		t.Errorf("error %v, result %+v; want one about the certificate", err, r)
	}
}

func TestRemoteIsRefused(t *testing.T) {
	for _, url := range []string{
		"http://192.0.2.1/", "http://[2001:db8::1]:80/", "https://192.0.2.1:8443/x", "http://[::ffff:192.0.2.1]/",
	} {
		r, err := load.Run(t.Context(), load.Options{URL: url, Requests: 1})
		if r != nil || !errors.Is(err, load.ErrRemote) || !strings.Contains(diag.Hint(err), "--allow-remote") {
			t.Errorf("%s: result %v, error %v; want ErrRemote with a hint", url, r, err)
		}
	}
	// A loopback target does not allow a remote one next to it.
	_, err := load.Run(t.Context(), load.Options{
		URL: "http://127.0.0.1:1/", Targets: []load.Target{{URL: "http://192.0.2.1/"}},
	})
	if !errors.Is(err, load.ErrRemote) {
		t.Errorf("second target: error %v", err)
	}
}

func TestLoopbackIsAllowed(t *testing.T) { engines(t, testLoopbackIsAllowed) }

func testLoopbackIsAllowed(t *testing.T, e load.Engine) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0", "localhost"} {
		if r := run(t, load.Options{Engine: e, URL: "http://" + host + ":" + port, Requests: 1}); r.Responses != 1 {
			t.Errorf("%s: errors %+v", host, r.Errors)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for name, o := range map[string]load.Options{
		"no URL":            {},
		"scheme":            {URL: "ftp://127.0.0.1/"},
		"no host":           {URL: "http:///x"},
		"not a URL":         {URL: "http://[::1"},
		"method":            {URL: "http://127.0.0.1:1", Method: "a b"},
		"negative duration": {URL: "http://127.0.0.1:1", Duration: -1},
		"negative requests": {URL: "http://127.0.0.1:1", Requests: -1},
	} {
		r, err := load.Run(t.Context(), o)
		var e *load.Error
		if r != nil || !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("%s: result %v, error %v; want only an error with a hint", name, r, err)
		}
	}
}

func TestJSON(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	r := run(t, load.Options{URL: s.URL, Requests: 10})
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte(`{"schema":"whet.load/2",`)) || !bytes.Contains(data, []byte(`"status":{"200":10}`)) {
		t.Errorf("unexpected JSON: %s", data)
	}
	var back load.Result
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	back.Started = r.Started // loses its monotonic reading
	if !reflect.DeepEqual(&back, r) {
		t.Errorf("after a round trip:\n%+v, want\n%+v", &back, r)
	}
}

// TestVersion1 reads the JSON of the previous version: warnings are strings, and the reasons to
// distrust the numbers are a separate list.
func TestVersion1(t *testing.T) {
	var r load.Result
	if err := json.Unmarshal([]byte(`{"schema": "whet.load/1", "requests": 7,
		"doubts": [{"kind": "generator_late", "text": "sent late", "hint": "lower the rate"}],
		"warnings": ["the server closes connections"]}`), &r); err != nil {
		t.Fatal(err)
	}
	want := load.Warnings{
		{Kind: load.GeneratorLate, Text: "sent late", Hint: "lower the rate"}, {Text: "the server closes connections"},
	}
	if r.Schema != load.Schema || r.Requests != 7 || !slices.Equal(r.Warnings, want) ||
		!slices.Equal(r.Verdict(), want[:1]) {
		t.Errorf("schema %s, %d requests, warnings %+v, want %+v", r.Schema, r.Requests, r.Warnings, want)
	}
}

func TestProgress(t *testing.T) { engines(t, testProgress) }

func testProgress(t *testing.T, e load.Engine) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	var seen []load.Second
	r := run(t, load.Options{
		Engine: e, URL: s.URL, Connections: 1, Duration: 1500 * time.Millisecond,
		Progress: func(p load.Progress) { seen = append(seen, p.Second) },
	})
	// A remainder of less than a tenth of a second, as on a busy machine, belongs to the second
	// before it.
	n := len(seen)
	if n == 0 || n > len(r.Seconds)+1 || !reflect.DeepEqual(seen[:n-1], r.Seconds[:n-1]) {
		t.Errorf("progress %+v, seconds %+v", seen, r.Seconds)
	}
	for _, s := range r.Seconds {
		if want := float64(s.Responses) / s.Elapsed.Seconds(); s.Rate != want {
			t.Errorf("rate of a second %v, want %v", s.Rate, want)
		}
	}
}

// BenchmarkRun measures the generator with a minimal server, which answers each request head with
// the same bytes.
func BenchmarkRun(b *testing.B) {
	for _, connections := range []int{1, 8} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = l.Close() }()
			go acceptAll(l)
			b.ReportAllocs()
			b.ResetTimer()
			r, err := load.Run(b.Context(), load.Options{
				URL: "http://" + l.Addr().String(), Connections: connections, Requests: int64(b.N),
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(r.Latency.P99), "p99-ns")
		})
	}
}

func acceptAll(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = conn.Close() }()
			in := bufio.NewReader(conn)
			for {
				line, err := in.ReadSlice('\n')
				if err != nil {
					return
				}
				if len(line) == 2 {
					if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil {
						return
					}
				}
			}
		}()
	}
}

func discardLogger() *log.Logger { return log.New(io.Discard, "", 0) }

func TestPerTarget(t *testing.T) { engines(t, testPerTarget) }

// testPerTarget expects the results of each target, and of targets with the same name together.
func testPerTarget(t *testing.T, e load.Engine) {
	const slow = 30 * time.Millisecond
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			time.Sleep(slow)
		case "/bad":
			w.WriteHeader(http.StatusTeapot)
		case "/cut":
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "12345")
	})
	s.Config.ErrorLog = discardLogger()
	r := run(t, load.Options{
		Engine: e, Connections: 2, Workers: 2, Requests: 100,
		Targets: []load.Target{
			{URL: s.URL + "/fast?a=b", Weight: 4},
			{URL: s.URL + "/slow"},
			{Name: "pair", URL: s.URL + "/bad", Method: "POST"},
			{Name: "pair", URL: s.URL + "/other", Method: "POST"},
			{URL: s.URL + "/cut", Method: "POST"},
		},
	})
	if len(r.PerTarget) != 4 {
		t.Fatalf("%+v", r.PerTarget)
	}
	var requests, responses, bytes, failed int64
	for i := range r.PerTarget {
		row := &r.PerTarget[i]
		requests, responses, bytes, failed = requests+row.Requests, responses+row.Responses,
			bytes+row.Bytes, failed+row.Failed()
		if l := row.Latency; row.Responses > 0 && (l.Min > l.P50 || l.P50 > l.P99 || l.P99 > l.Max || l.Mean < l.Min ||
			l.Max > r.Latency.Max || l.Min < r.Latency.Min || row.Rate <= 0) {
			t.Errorf("%+v", row)
		}
	}
	if requests != r.Requests || responses != r.Responses || bytes != r.Bytes || failed != r.Failed()+r.Errors.Total() {
		t.Errorf("%d requests, %d responses, %d bytes, %d failed of %+v", requests, responses, bytes, failed, r)
	}
	fast, late, pair, cut := r.PerTarget[0], r.PerTarget[1], r.PerTarget[2], r.PerTarget[3]
	if fast.Label() != "/fast?a=b" || fast.Method != "GET" || fast.Failed() != 0 ||
		fast.Status[200] != fast.Requests || fast.Requests < 40 {
		t.Errorf("fast: %+v", fast)
	}
	if late.Latency.Min < slow || late.Latency.P50 < slow {
		t.Errorf("slow: %+v", late.Latency)
	}
	if pair.Label() != "pair" || pair.Targets != 2 || pair.Status[http.StatusTeapot] == 0 ||
		pair.Status[200] == 0 || pair.Failed() != pair.Status[http.StatusTeapot] {
		t.Errorf("pair: %+v", pair)
	}
	if cut.Label() != "POST /cut" || cut.Responses != 0 || cut.Errors.Reset != cut.Requests || cut.Requests == 0 {
		t.Errorf("cut: %+v", cut)
	}
	if one := run(t, load.Options{Engine: e, URL: s.URL, Requests: 2}); one.PerTarget != nil {
		t.Errorf("one target: %+v", one.PerTarget)
	}
}

func TestPhases(t *testing.T) { engines(t, testPhases) }

// testPhases expects the time before the first byte to be separate from that of the transfer, and
// that of TLS from connecting.
func testPhases(t *testing.T, e load.Engine) {
	for _, tc := range []struct {
		protocol    load.Protocol
		secure      bool
		noKeepAlive bool
	}{
		{load.HTTP1, false, false},
		{load.HTTP1, false, true},
		{load.HTTP1, true, true},
		{load.HTTP2, false, false},
		{load.HTTP2, true, false},
	} {
		again(t, 80*time.Millisecond, func(during time.Duration) error {
			const before = 40 * time.Millisecond
			serveSlowly := func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(before)
				_, _ = io.WriteString(w, "first")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(during)
				_, _ = io.WriteString(w, "last")
			}
			url, roots := start(t, serveSlowly, func(p *http.Protocols) {
				p.SetHTTP1(tc.protocol == load.HTTP1)
				p.SetHTTP2(tc.protocol == load.HTTP2)
				p.SetUnencryptedHTTP2(tc.protocol == load.HTTP2)
			}, tc.secure)
			r := run(t, load.Options{
				Engine: e, URL: url, Protocol: tc.protocol, TLS: roots, NoKeepAlive: tc.noKeepAlive,
				Connections: 2, Requests: 6,
			})
			p := r.Phases
			if p == nil || p.Connect == nil || (p.TLS != nil) != tc.secure {
				t.Fatalf("%+v: %+v", tc, p)
			}
			if p.FirstByte.Min < before || p.FirstByte.P50 < before ||
				p.Transfer.Max+p.FirstByte.Min > r.Latency.Max+time.Millisecond {
				t.Errorf("%+v: first byte %+v, transfer %+v of %+v", tc, p.FirstByte, p.Transfer, r.Latency)
			}
			if p.Connect.Min <= 0 || tc.secure && p.TLS.Min <= 0 {
				t.Errorf("%+v: connect %+v, TLS %+v", tc, p.Connect, p.TLS)
			}
			// Without keep-alive, latency includes opening the connection.
			sum := p.FirstByte.Mean + p.Transfer.Mean
			if tc.noKeepAlive {
				sum += p.Connect.Mean
				if tc.secure {
					sum += p.TLS.Mean
				}
			}
			if sum > r.Latency.Mean+time.Millisecond {
				t.Errorf("%+v: phases take %v, answers %v", tc, sum, r.Latency.Mean)
			}
			if p.Transfer.Max < during/2 {
				return fmt.Errorf("%+v: transfer %+v of %+v (want %v)", tc, p.Transfer, r.Latency, during)
			}
			return nil
		})
	}
}

// unusual returns the warnings that are not part of the verdict.
func unusual(r *load.Result) load.Warnings {
	return slices.DeleteFunc(slices.Clone(r.Warnings), func(w load.Warning) bool { return r.Verdict().Has(w.Kind) })
}
