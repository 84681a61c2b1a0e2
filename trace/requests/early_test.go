package requests_test

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/requests"
)

// TestEarly counts requests that the connection held before the server first read from it, and the ones after.
func TestEarly(t *testing.T) {
	const number = 20
	for name, nap := range map[string]time.Duration{"quick": 0, "waits": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			var answered atomic.Int64
			server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				answered.Add(1)
				if nap > 0 {
					time.Sleep(nap)
				}
				_, _ = io.WriteString(w, "ok")
			})}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var conns []net.Conn
			for range number {
				c, err := net.Dial("tcp", l.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				conns = append(conns, c)
			}
			data := recorded(t, func() {
				go func() { _ = server.Serve(l) }()
				for _, c := range conns {
					if _, err := c.Read(make([]byte, 1<<10)); err != nil {
						t.Error(err)
					}
				}
				for _, c := range conns {
					_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
					_, _ = io.Copy(io.Discard, c)
				}
				_ = server.Close()
			})
			r, err := requests.Find(tracetest.Index(t, data), requests.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := int64(0)
			for _, class := range r.Classes {
				got += int64(class.Count)
			}
			if got != answered.Load() || got != 2*number {
				t.Errorf("%d requests, the server answered %d", got, answered.Load())
			}
		})
	}
}
