package load_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/leaktest"
	"github.com/whet-go/whet/load"
)

// serveForTest makes the test binary run a server, which prints its address and ends when its input
// does.
const serveForTest = "WHET_LOAD_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveForTest) == "" {
		leaktest.Main(m)
	}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	fmt.Println(s.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	s.Close()
}

func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// patience is a timeout that no request exceeds merely because the machine is busy.
const patience = 5 * time.Minute

// again runs a test that depends on the clock, with d as the length of its waits. If the machine
// stalls at the wrong moment, test returns an error and is run up to four more times, each with a d
// four times as long. What must hold on any machine, test checks itself.
func again(t *testing.T, d time.Duration, test func(d time.Duration) error) {
	t.Helper()
	var err error
	for range 5 {
		if err = test(d); err == nil || t.Failed() {
			return
		}
		d = min(4*d, 30*time.Second)
	}
	t.Error(err)
}

// together makes the first n requests to h wait for each other, so that n connections are in use.
// Otherwise some connections might send all requests before others send one.
func together(n int64, h http.HandlerFunc) http.HandlerFunc {
	var arrived atomic.Int64
	all := make(chan struct{})
	return func(w http.ResponseWriter, r *http.Request) {
		if k := arrived.Add(1); k == n {
			close(all)
		} else if k < n {
			select {
			case <-all:
			case <-r.Context().Done():
			}
		}
		h(w, r)
	}
}

// refusing returns an address at which nothing listens until the test ends, because a connection
// holds the port.
func refusing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}
	c, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = l.Close()
	})
	return c.LocalAddr().String()
}

// run runs a load whose requests do not time out on a busy machine, unless the test sets a timeout.
func run(t testing.TB, o load.Options) *load.Result {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = patience
	}
	r, err := load.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// engines runs a test with each engine that works here.
func engines(t *testing.T, test func(t *testing.T, e load.Engine)) {
	t.Helper()
	for _, e := range []load.Engine{load.IOUring, load.Epoll, load.NetHTTP} {
		t.Run(string(e), func(t *testing.T) {
			s := serve(t, func(http.ResponseWriter, *http.Request) {})
			if _, err := load.Run(t.Context(), load.Options{URL: s.URL, Requests: 1, Engine: e, Timeout: patience}); err != nil {
				if e == load.NetHTTP || e == load.Epoll && runtime.GOOS == "linux" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			test(t, e)
		})
	}
}

// keptAlive reports whether a run over connections that the server keeps opened n of them. Go's
// client drops one when its goroutines take more than 50 ms to agree that the request was written
// (maxWriteWaitBeforeConnReuse in net/http), as on a busy machine: with it there may be more, but
// not one per request.
func keptAlive(e load.Engine, r *load.Result, n int64) bool {
	return r.Connects == n || e == load.NetHTTP && r.Connects > n && r.Connects < r.Requests
}
