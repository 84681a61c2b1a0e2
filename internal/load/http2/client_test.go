package http2_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/load/http2"
	"github.com/whet-go/whet/internal/load/request"
)

// A result holds the arguments of a call of a Done.
type result struct {
	tag, status int
	body        int64
	err         error
}

// server serves HTTP/2 without TLS on the loopback interface until the test ends.
func server(t testing.TB, h http.Handler, conf *http.HTTP2Config) (addr string, srv *http.Server) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv = &http.Server{
		Handler: h, Protocols: new(http.Protocols), HTTP2: conf, ReadHeaderTimeout: time.Minute, MaxHeaderBytes: 2 << 20,
	}
	srv.Protocols.SetUnencryptedHTTP2(true)
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	t.Cleanup(func() {
		_ = srv.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l.Addr().String(), srv
}

// A client moves the bytes of a Conn over a socket.
type client struct {
	t       testing.TB
	nc      net.Conn
	c       *http2.Conn
	cut     int // maximum number of bytes for one Parse; 0: as many as arrived
	buf     []byte
	results []result
}

func dial(t testing.TB, addr string, o http2.Options) *client {
	t.Helper()
	nc, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	if err := nc.SetDeadline(time.Now().Add(10 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	cl := &client{t: t, nc: nc, c: http2.New(o), buf: make([]byte, 64<<10)}
	cl.write(cl.c.Preface(nil))
	return cl
}

func (cl *client) done(tag, status int, body int64, err error) {
	cl.results = append(cl.results, result{tag, status, body, err})
}

func (cl *client) write(b []byte) {
	cl.t.Helper()
	if len(b) == 0 {
		return
	}
	if _, err := cl.nc.Write(b); err != nil {
		cl.t.Fatal(err)
	}
}

func (cl *client) send(tag int, r *http2.Request) {
	cl.t.Helper()
	b, err := cl.c.Send(nil, tag, r)
	if err != nil {
		cl.t.Fatal(err)
	}
	cl.write(b)
}

// receive parses the result of one read, and reports whether the connection is still open.
func (cl *client) receive() bool {
	cl.t.Helper()
	n, err := cl.nc.Read(cl.buf)
	var out []byte
	for b := cl.buf[:n]; len(b) > 0; {
		k := len(b)
		if cl.cut > 0 {
			k = min(k, cl.cut)
		}
		var perr error
		if out, perr = cl.c.Parse(out, b[:k], cl.done); perr != nil {
			cl.t.Fatal(perr)
		}
		b = b[k:]
	}
	cl.write(out)
	if errors.Is(err, io.EOF) {
		return false
	}
	if err != nil {
		cl.t.Fatal(err)
	}
	return true
}

// wait receives until no request is in flight, and returns what has ended since the
// last call.
func (cl *client) wait() []result {
	cl.t.Helper()
	for cl.c.Open() > 0 {
		if !cl.receive() {
			cl.c.Close(nil, cl.done)
		}
	}
	r := cl.results
	cl.results = nil
	return r
}

// one sends one request and returns its result.
func (cl *client) one(r *http2.Request) result {
	cl.t.Helper()
	cl.send(7, r)
	got := cl.wait()
	if len(got) != 1 || got[0].tag != 7 {
		cl.t.Fatalf("one request, results %v", got)
	}
	return got[0]
}

// get returns a request without a body.
func get(method, path string) *request.Request {
	return &request.Request{
		Method: method, Scheme: "http", Host: "test.example:80", Path: path,
		Header: []request.Field{{Name: "User-Agent", Value: "whet-load"}},
	}
}

// encode encodes a request without common fields.
func encode(r *request.Request) *http2.Request {
	q := new(http2.Request)
	http2.NewEncoder().Encode(q, r)
	return q
}

func post(path string, body []byte) *request.Request {
	r := get("POST", path)
	r.Body = body
	return r
}

func shutdown(t *testing.T, srv *http.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
}

func (r result) String() string {
	return fmt.Sprintf("tag=%d status=%d body=%d err=%v", r.tag, r.status, r.body, r.err)
}
