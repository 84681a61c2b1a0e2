package requests_test

import (
	"bufio"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/requests"
)

// counted are handlers that count their own requests.
type counted struct{ panics, hijacks, reads, naps atomic.Int64 }

func (c *counted) panic(http.ResponseWriter, *http.Request) {
	c.panics.Add(1)
	time.Sleep(time.Millisecond)
	panic(http.ErrAbortHandler)
}

// hijack takes over the connection, sends one line, and waits for the client's answer.
func (c *counted) hijack(w http.ResponseWriter, _ *http.Request) {
	c.hijacks.Add(1)
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	_ = rw.Flush()
	_, _, _ = rw.ReadLine()
	time.Sleep(time.Millisecond)
}

func (c *counted) read(w http.ResponseWriter, r *http.Request) {
	c.reads.Add(1)
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = io.WriteString(w, "ok")
}

func (c *counted) nap(http.ResponseWriter, *http.Request) {
	c.naps.Add(1)
	time.Sleep(time.Millisecond)
}

// A trickle is a body that arrives slowly.
type trickle struct{ left int }

func (t *trickle) Read(b []byte) (int, error) {
	if t.left == 0 {
		return 0, io.EOF
	}
	t.left--
	time.Sleep(time.Millisecond)
	return copy(b, "x"), nil
}

// TestCounts expects each request once, under the route's own function, however the handler ends
// and whoever calls it.
func TestCounts(t *testing.T) {
	const number = 20
	c := &counted{}
	mux := http.NewServeMux()
	mux.HandleFunc("/panic", c.panic)
	mux.HandleFunc("/hijack", c.hijack)
	mux.HandleFunc("/read", c.read)
	mux.HandleFunc("/nap", c.nap)
	quiet := func(h http.Handler, http2 bool) *httptest.Server {
		s := httptest.NewUnstartedServer(h)
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		if s.EnableHTTP2 = http2; http2 {
			s.StartTLS()
		} else {
			s.Start()
		}
		return s
	}
	plain, deadline, streams := quiet(mux, false), quiet(http.TimeoutHandler(mux, time.Minute, ""), false),
		quiet(http.TimeoutHandler(mux, time.Minute, ""), true)
	direct := quiet(mux, true)
	post := func(s *httptest.Server, path string) {
		resp, err := s.Client().Post(s.URL+path, "text/plain", &trickle{4})
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		} else if path != "/panic" {
			t.Error(err)
		}
	}
	data := recorded(t, func() {
		for range number {
			post(plain, "/panic")
			upgrade(t, plain.Listener.Addr().String())
			post(deadline, "/nap")
			post(streams, "/nap")
			post(direct, "/read")
		}
		for _, s := range []*httptest.Server{plain, deadline, streams, direct} {
			s.Close()
		}
	})
	r, err := requests.Find(tracetest.Index(t, data), requests.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, class := range r.Classes {
		name := strings.TrimSuffix(class.Name[strings.LastIndexByte(class.Name, '.')+1:], "-fm")
		got[name] += int64(class.Count)
		waits := class.Middle // the time on a processor, or waiting for one, depends on the machine
		waits[requests.Running], waits[requests.Runnable] = 0, 0
		if name == "read" && waits.Largest() != requests.Network {
			t.Errorf("reading a body of HTTP/2 is %v", class.Middle)
		}
	}
	for name, want := range map[string]*atomic.Int64{
		"panic": &c.panics, "hijack": &c.hijacks,
		"read": &c.reads, "nap": &c.naps,
	} {
		if got[name] != want.Load() || want.Load() < number {
			t.Errorf("%d requests of %s, it has answered %d", got[name], name, want.Load())
		}
		delete(got, name)
	}
	if len(got) > 0 || r.Open > 0 {
		t.Errorf("in addition: %v, and %d are open", got, r.Open)
	}
}

// upgrade requests another protocol and sends some bytes.
func upgrade(t *testing.T, address string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = c.Close() }()
	_, _ = io.WriteString(c, "GET /hijack HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	r := bufio.NewReader(c)
	for line := "?"; strings.TrimSpace(line) != ""; {
		if line, err = r.ReadString('\n'); err != nil {
			t.Error(err)
			return
		}
	}
	_, _ = io.WriteString(c, "hello\n")
	_, _ = r.ReadString('\n') // until it closes
}
