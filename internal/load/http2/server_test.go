package http2_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/whet-go/whet/internal/load/http2"
	"github.com/whet-go/whet/internal/load/request"
)

// handlers returns the handlers of Go's server for the tests.
func handlers() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello, world") })
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.WriteHeader(code)
	})
	mux.HandleFunc("/bytes/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		if r.URL.RawQuery == "length" {
			w.Header().Set("Content-Length", strconv.Itoa(n))
		}
		for piece := bytes.Repeat([]byte("x"), 50_000); n > 0; n -= len(piece) {
			if _, err := w.Write(piece[:min(n, len(piece))]); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/trailers", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "Sum")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("Sum", "42")
	})
	mux.HandleFunc("/hints", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusProcessing)
		_, _ = io.WriteString(w, "after hints")
	})
	mux.HandleFunc("/header/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		for i := 0; n > 0; i++ {
			k := min(n, 30_000)
			w.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("~", k))
			n -= k
		}
	})
	mux.HandleFunc("/sum", func(w http.ResponseWriter, r *http.Request) {
		h := sha256.New()
		_, _ = io.Copy(h, r.Body)
		if hex.EncodeToString(h.Sum(nil)) != r.URL.RawQuery {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	mux.HandleFunc("/early", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	mux.HandleFunc("/panic", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "some")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "four")
	})
	return mux
}

func TestServer(t *testing.T) {
	addr, _ := server(t, handlers(), nil)
	big := bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16)
	sum := sha256.Sum256(big)
	const mega = 1 << 20
	cases := []struct {
		r       *request.Request
		status  int
		body    int64
		err     error
		onlyBig bool // too slow byte by byte
	}{
		{r: get("GET", "/hello"), status: 200, body: 12},
		{r: get("HEAD", "/hello"), status: 200},
		{r: get("HEAD", "/bytes/100?length"), status: 200},
		{r: get("GET", "/status/204"), status: 204},
		{r: get("GET", "/status/304"), status: 304},
		{r: get("GET", "/status/503"), status: 503},
		{r: get("GET", "/nowhere"), status: 404, body: 19},
		{r: get("GET", "/trailers"), status: 200, body: 4},
		{r: get("GET", "/hints"), status: 200, body: 11},
		{r: get("GET", "/header/65536"), status: 200},
		{r: get("GET", "/header/900000"), status: 200, onlyBig: true},
		{r: get("GET", "/header/1100000"), err: &http2.MalformedError{What: "header list of more than 1 MiB"}, onlyBig: true},
		{r: get("GET", "/bytes/100000?length"), status: 200, body: 100_000},
		{r: get("GET", "/bytes/40000000"), status: 200, body: 40_000_000, onlyBig: true},
		{r: post("/sum?"+hex.EncodeToString(sum[:]), big), status: 200, onlyBig: true},
		{r: post("/echo", big), status: 200, body: 5 * mega, onlyBig: true},
		{r: post("/echo", []byte("x")), status: 200, body: 1},
		{r: post("/echo", nil), status: 200},
		{r: post("/early", big), status: 418, onlyBig: true},
		{r: get("GET", "/panic"), status: 200, body: 4, err: http2.ResetError{Code: 2}},
		{
			r: get("GET", "/short"), status: 200, body: 4,
			err: &http2.MalformedError{What: "body of 4 bytes, content-length 10"},
		},
	}
	for _, cut := range []int{0, 1, 7, 4096} {
		// Twice each on one connection: the fields of the second answers are indexed.
		cl := dial(t, addr, http2.Options{})
		cl.cut = cut
		for _, tt := range slices.Concat(cases, cases) {
			if tt.onlyBig && cut > 0 && cut < 4096 {
				continue
			}
			got := cl.one(encode(tt.r))
			if got.status != tt.status || got.body != tt.body || !reflect.DeepEqual(got.err, tt.err) {
				t.Errorf("cut %d, %s %s: %v, want status %d, %d bytes, error %v", cut, tt.r.Method, tt.r.Path, got,
					tt.status, tt.body, tt.err)
			}
		}
		if cl.c.Draining() {
			t.Errorf("cut %d: connection is draining", cut)
		}
	}
}

// TestWaves sends many requests at once, more than the server allows, in waves and of all sizes.
func TestWaves(t *testing.T) {
	var most, now atomic.Int64
	mux := handlers()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for n := now.Add(1); ; {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		defer now.Add(-1)
		mux.ServeHTTP(w, r)
	})
	addr, _ := server(t, h, &http.HTTP2Config{MaxConcurrentStreams: 250})
	cl := dial(t, addr, http2.Options{})
	if got := cl.c.Capacity(); got != 100 {
		t.Errorf("capacity before SETTINGS: %d, want 100", got)
	}
	for cl.c.Capacity() != 250 {
		cl.receive()
	}
	const waves, each = 4, 1000
	full := 0
	for range waves {
		want := make(map[int]int64)
		for tag, left := 0, each; left > 0 || cl.c.Open() > 0; {
			var out []byte
			for ; left > 0 && cl.c.Capacity() > 0; left-- {
				r := get("GET", "/bytes/"+strconv.Itoa(tag*37))
				want[tag] = int64(tag * 37)
				if tag%5 == 0 {
					body := bytes.Repeat([]byte("b"), tag*100)
					r, want[tag] = post("/echo", body), int64(len(body))
				}
				var err error
				if out, err = cl.c.Send(out, tag, encode(r)); err != nil {
					t.Fatal(err)
				}
				tag++
			}
			if cl.c.Capacity() == 0 {
				full++
				if b, err := cl.c.Send(nil, -1, encode(get("GET", "/hello"))); !errors.Is(err, http2.ErrCapacity) || len(b) > 0 {
					t.Fatalf("send without capacity: %d bytes, %v", len(b), err)
				}
			}
			cl.write(out)
			cl.receive()
		}
		for _, r := range cl.results {
			if r.err != nil || r.status != 200 || r.body != want[r.tag] {
				t.Errorf("%v, want %d bytes", r, want[r.tag])
			}
		}
		if n := len(cl.results); n < each {
			t.Errorf("%d results of %d", n, each)
		}
		cl.results = nil
	}
	if most.Load() > 250 || full == 0 {
		t.Errorf("%d requests at once, the server allows 250; no capacity %d times", most.Load(), full)
	}
}

func TestTinyWindows(t *testing.T) {
	for _, window := range []int32{1, 7, 1000} {
		addr, _ := server(t, handlers(), &http.HTTP2Config{
			MaxReceiveBufferPerStream: 10, MaxReceiveBufferPerConnection: 65536,
		})
		cl := dial(t, addr, http2.Options{ConnWindow: 1, StreamWindow: window})
		n := 500 + 30*int(window)
		body := bytes.Repeat([]byte("body"), n/4)
		n = len(body)
		for tag := range 5 {
			cl.send(tag, encode(post("/echo", body)))
		}
		sum := sha256.Sum256(body)
		cl.send(5, encode(post("/sum?"+hex.EncodeToString(sum[:]), body)))
		clear(body) // what could not be sent was copied
		for _, r := range cl.wait() {
			if r.err != nil || r.status != 200 || r.tag < 5 && r.body != int64(n) {
				t.Errorf("window %d: %v, want %d bytes", window, r, n)
			}
		}
	}
	// More than fits the connection's window, with bodies that are not copied.
	addr, _ := server(t, handlers(), &http.HTTP2Config{
		MaxReceiveBufferPerStream: 70000, MaxReceiveBufferPerConnection: 65536,
	})
	cl := dial(t, addr, http2.Options{ConnWindow: 1, StreamWindow: 1 << 20})
	body := bytes.Repeat([]byte("w"), 300_000)
	sum := sha256.Sum256(body)
	for tag := range 20 {
		q := encode(post("/sum?"+hex.EncodeToString(sum[:]), body))
		q.Fixed = true
		cl.send(tag, q)
	}
	if got := cl.wait(); len(got) != 20 ||
		slices.ContainsFunc(got, func(r result) bool { return r.err != nil || r.status != 200 }) {
		t.Errorf("bodies that are not copied: %v", got)
	}
	for tag := range 20 {
		cl.send(tag, encode(get("GET", "/bytes/200000")))
	}
	if got := cl.wait(); len(got) != 20 ||
		slices.ContainsFunc(got, func(r result) bool { return r.err != nil || r.body != 200_000 }) {
		t.Errorf("large answers: %v", got)
	}
}

// TestShutdown checks that a server that shuts down completes the requests that it has seen.
func TestShutdown(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	addr, srv := server(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	}), nil)
	cl := dial(t, addr, http2.Options{})
	for tag := range 3 {
		cl.send(tag, encode(get("GET", "/")))
		<-arrived
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Shutdown(context.Background()) }()
	for !cl.c.Draining() {
		if !cl.receive() {
			t.Fatal("closed without GOAWAY")
		}
	}
	if _, err := cl.c.Send(nil, 9, encode(get("GET", "/"))); !errors.Is(err, http2.ErrCapacity) {
		t.Errorf("send while draining: %v", err)
	}
	close(release)
	got := cl.wait()
	if len(got) != 3 || slices.ContainsFunc(got, func(r result) bool { return r.err != nil || r.status != 200 }) {
		t.Errorf("requests in flight at shutdown: %v", got)
	}
	_ = cl.nc.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestKilled kills the server while it answers.
func TestKilled(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	addr, srv := server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/begun" {
			_, _ = io.WriteString(w, "part")
			_ = http.NewResponseController(w).Flush()
		}
		arrived <- struct{}{}
		<-release
	}), nil)
	cl := dial(t, addr, http2.Options{})
	cl.send(1, encode(get("GET", "/begun")))
	<-arrived
	cl.send(2, encode(get("GET", "/silent")))
	<-arrived
	_ = srv.Close()
	close(release)
	for {
		n, err := cl.nc.Read(cl.buf)
		if _, perr := cl.c.Parse(nil, cl.buf[:n], cl.done); perr != nil {
			t.Fatal(perr)
		}
		if err != nil { // EOF or reset
			break
		}
	}
	cl.c.Close(nil, cl.done)
	if len(cl.results) != 2 || !errors.Is(cl.results[0].err, io.ErrUnexpectedEOF) ||
		!errors.Is(cl.results[1].err, http2.ErrClosed) {
		t.Errorf("results %v, want one cut off and one without an answer", cl.results)
	}
	if _, err := cl.c.Send(nil, 3, encode(get("GET", "/"))); !errors.Is(err, http2.ErrClosed) || cl.c.Capacity() != 0 {
		t.Errorf("send on a closed connection: %v", err)
	}
}

// TestCancel checks that a canceled request ends at the server, and that the connection continues.
func TestCancel(t *testing.T) {
	arrived, gone := make(chan struct{}), make(chan struct{})
	mux := handlers()
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(make([]byte, 100_000))
		arrived <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	})
	addr, _ := server(t, mux, nil)
	cl := dial(t, addr, http2.Options{})
	cl.send(5, encode(post("/slow", make([]byte, 10<<20))))
	<-arrived
	out, ok := cl.c.Cancel(nil, 5)
	if !ok || cl.c.Open() != 0 {
		t.Fatalf("cancel: ok=%v, %d open", ok, cl.c.Open())
	}
	cl.write(out)
	<-gone
	if _, ok := cl.c.Cancel(nil, 5); ok {
		t.Error("canceled twice")
	}
	if r := cl.one(encode(get("GET", "/hello"))); r.err != nil || r.body != 12 {
		t.Errorf("after a cancel: %v", r)
	}
	if r := cl.one(encode(post("/echo", make([]byte, 3<<20)))); r.err != nil || r.body != 3<<20 {
		t.Errorf("after a cancel: %v", r)
	}
}

// TestServerSeesRequests checks that the server receives the given request, with and without common
// fields.
func TestServerSeesRequests(t *testing.T) {
	type seen struct{ method, host, uri, header, body string }
	got := make(chan seen, 1)
	addr, _ := server(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- seen{r.Method, r.Host, r.RequestURI, headerText(r.Header), string(body)}
	}), nil)
	var requests []*request.Request
	for i := range 6 {
		r := get([]string{"GET", "POST", "PUT", "DELETE"}[i%4], fmt.Sprintf("/p%d?q=%d", i/2, i))
		r.Header = append(r.Header, request.Field{Name: "Accept", Value: "*/*"}, request.Field{
			Name: "X-Request", Value: strconv.Itoa(i),
		},
			request.Field{Name: "X-Two", Value: "a"}, request.Field{Name: "X-Two", Value: "b"}, request.Field{
				Name: "Connection", Value: "close",
			},
			request.Field{Name: "Authorization", Value: "Basic eDp5"}, request.Field{Name: "X-Empty", Value: ""})
		if i == 5 {
			r.Header = append(r.Header[1:], request.Field{Name: "X-Long", Value: strings.Repeat("long", 10_000)}) // CONTINUATION
			r.Host = "other.example"
		}
		r.Body = bytes.Repeat([]byte{'b'}, i%3)
		requests = append(requests, r)
	}
	for name, e := range map[string]*http2.Encoder{
		"none": http2.NewEncoder(), "first": http2.NewEncoder(requests[0]), "alike": http2.NewEncoder(requests[:5]...),
		"all": http2.NewEncoder(requests...),
	} {
		cl := dial(t, addr, http2.Options{})
		for i, r := range slices.Concat(requests, requests) {
			q := new(http2.Request)
			e.Encode(q, r)
			if res := cl.one(q); res.err != nil || res.status != 200 {
				t.Fatalf("%s, request %d: %v", name, i, res)
			}
			h := make(http.Header)
			for _, f := range r.Header {
				if f.Name != "Connection" {
					h.Add(f.Name, f.Value)
				}
			}
			if len(r.Body) > 0 || r.Method == "POST" || r.Method == "PUT" {
				h.Set("Content-Length", strconv.Itoa(len(r.Body)))
			}
			want := seen{r.Method, r.Host, r.Path, headerText(h), string(r.Body)}
			if g := <-got; g != want {
				t.Errorf("%s, request %d: server saw\n%+v, want\n%+v", name, i, g, want)
			}
		}
	}
}

func headerText(h http.Header) string {
	var b strings.Builder
	_ = h.Write(&b) // sorted; a Builder never fails
	return b.String()
}

// TestHTTP1Server recognizes an HTTP/1.1 server by its first bytes.
func TestHTTP1Server(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{
		Handler: handlers(), Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0),
		ReadHeaderTimeout: http.DefaultClient.Timeout,
	}
	srv.Protocols.SetHTTP1(true)
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	cl := dial(t, l.Addr().String(), http2.Options{})
	cl.send(1, encode(get("GET", "/hello")))
	n, err := cl.nc.Read(cl.buf)
	if err != nil {
		t.Fatal(err)
	}
	var ce *http2.ConnError
	if _, err = cl.c.Parse(nil, cl.buf[:n], cl.done); !errors.As(err, &ce) || ce.What != "the peer speaks HTTP/1" {
		t.Errorf("answer %q: %v", cl.buf[:n], err)
	}
	shutdown(t, srv)
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}
