package loopback

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// TestSlowReader has clients that request much and read nothing: the handler ends, and the
// connection is free again.
func TestSlowReader(t *testing.T) {
	l, err := Listen(t.Context(), DefaultAddr)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	s := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/quick" {
				return
			}
			piece := make([]byte, 1<<20)
			for err := error(nil); ; {
				if _, err = w.Write(piece); err != nil {
					failed <- err
					return
				}
			}
		}),
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(newBounded(l, 1, 50*time.Millisecond)) }()
	ask := func(path string) net.Conn {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return c
	}
	slow := ask("/much")
	next := ask("/quick") // waits until the slow one ends
	if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the handler: %v", err)
	}
	head := make([]byte, 12)
	for tries := 1; ; tries++ {
		_, err := io.ReadFull(next, head)
		if err == nil && strings.HasSuffix(string(head), "200") {
			break
		}
		if tries == 5 {
			t.Errorf("the next connections: %q, %v", head, err)
			break
		}
		// Where the process is stopped between the deadline of a write and the write, this fails, too.
		if err := next.Close(); err != nil {
			t.Error(err)
		}
		next = ask("/quick")
	}
	if err := errors.Join(slow.Close(), next.Close(), s.Shutdown(context.WithoutCancel(t.Context()))); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}
