//go:build linux

package poll

import (
	"bytes"
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// each runs a test with each kind of Poller that works here.
func each(t *testing.T, slots int, test func(t *testing.T, p Poller)) {
	for name, make := range map[string]func(int) (Poller, error){"epoll": Epoll, "io_uring": IOUring} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			p, err := make(slots)
			if name == "io_uring" && errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}()
			test(t, p)
		})
	}
}

// listen serves connections until the test ends.
func listen(t *testing.T, serve func(net.Conn)) Address {
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
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	a, err := ParseAddress(l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// seen collects what a Poller reports.
type seen struct {
	connected map[int]error
	received  map[int][]byte
	ended     map[int]error
	on        func(slot int, b []byte)
}

func newSeen() *seen {
	return &seen{connected: map[int]error{}, received: map[int][]byte{}, ended: map[int]error{}}
}

func (s *seen) Connected(slot int, err error) { s.connected[slot] = err }
func (s *seen) Ended(slot int, err error)     { s.ended[slot] = err }
func (s *seen) Received(slot int, b []byte) {
	s.received[slot] = append(s.received[slot], b...)
	if s.on != nil {
		s.on(slot, b)
	}
}

// until waits for a condition.
func (s *seen) until(t *testing.T, p Poller, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: waited too long; connected %v, ended %v, received from %d", what, s.connected,
				s.ended, len(s.received))
		}
		if err := p.Wait(10*time.Millisecond, 1, 0, s); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *seen) connectAll(t *testing.T, p Poller, n int, to Address) {
	t.Helper()
	for slot := range n {
		if err := p.Connect(slot, to); err != nil {
			t.Fatal(err)
		}
	}
	s.until(t, p, "connect", func() bool { return len(s.connected) == n })
	for slot, err := range s.connected {
		if err != nil {
			t.Fatalf("slot %d: %v", slot, err)
		}
	}
}

func echo(c net.Conn) { _, _ = io.Copy(c, c) }

func TestEcho(t *testing.T) {
	const n, rounds = 100, 50
	each(t, n, func(t *testing.T, p Poller) {
		s := newSeen()
		s.connectAll(t, p, n, listen(t, echo))
		message := []byte("hello\n")
		left := make([]int, n)
		finished := 0
		s.on = func(slot int, _ []byte) {
			if len(s.received[slot])%len(message) != 0 {
				return
			}
			if left[slot]--; left[slot] == 0 {
				finished++
			} else {
				p.Send(slot, message)
			}
		}
		for slot := range n {
			left[slot] = rounds
			p.Send(slot, message)
		}
		s.until(t, p, "echo", func() bool { return finished == n })
		for slot, got := range s.received {
			if want := bytes.Repeat(message, rounds); !bytes.Equal(got, want) {
				t.Fatalf("slot %d received %d bytes, want %d", slot, len(got), len(want))
			}
		}
	})
}

// TestLargeWrites fills the socket's buffers, and checks that order and content do not change.
func TestLargeWrites(t *testing.T) {
	const size = 24 << 20
	each(t, 2, func(t *testing.T, p Poller) {
		s := newSeen()
		s.connectAll(t, p, 2, listen(t, echo))
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(i * 7 >> 3)
		}
		p.Send(0, want)
		for rest := want; len(rest) > 0; rest = rest[min(100_001, len(rest)):] {
			p.Write(1, rest[:min(100_001, len(rest))])
		}
		s.until(t, p, "large", func() bool { return len(s.received[0]) >= size && len(s.received[1]) >= size })
		if !bytes.Equal(s.received[0], want) || !bytes.Equal(s.received[1], want) {
			t.Error("the bytes that came back differ")
		}
		s.until(t, p, "sent", func() bool { return p.Unsent(0)+p.Unsent(1) == 0 })
	})
}

func TestRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	// A connection holds the port, so nothing can listen there.
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}
	c, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	to, err := ParseAddress(c.LocalAddr())
	if err != nil {
		t.Fatal(err)
	}
	each(t, 1, func(t *testing.T, p Poller) {
		s := newSeen()
		if err := p.Connect(0, to); err != nil {
			s.connected[0] = err // refused immediately
		}
		s.until(t, p, "refuse", func() bool { return len(s.connected) > 0 })
		if err := s.connected[0]; !errors.Is(err, unix.ECONNREFUSED) {
			t.Errorf("got %v", err)
		}
	})
}

// TestEnd distinguishes the ways in which a connection ends, after the bytes sent before.
func TestEnd(t *testing.T) {
	each(t, 2, func(t *testing.T, p Poller) {
		s := newSeen()
		s.connectAll(t, p, 1, listen(t, func(c net.Conn) {
			_, _ = c.Write([]byte("last words"))
		}))
		s.until(t, p, "close", func() bool { return len(s.ended) > 0 })
		if err := s.ended[0]; err != nil || string(s.received[0]) != "last words" {
			t.Errorf("got %q, then %v", s.received[0], err)
		}
		p.Disconnect(0)
		*s = *newSeen()
		s.connectAll(t, p, 1, listen(t, func(c net.Conn) {
			_, _ = c.Read(make([]byte, 1))
			_ = c.(*net.TCPConn).SetLinger(0)
		}))
		p.Send(0, []byte("x"))
		s.until(t, p, "reset", func() bool { return len(s.ended) > 0 })
		if err := s.ended[0]; !errors.Is(err, unix.ECONNRESET) {
			t.Errorf("got %v", err)
		}
	})
}

// TestReuse disconnects with bytes in transit and connects the same slot again: nothing of the old
// connection may appear on the new one.
func TestReuse(t *testing.T) {
	each(t, 1, func(t *testing.T, p Poller) {
		to := listen(t, echo)
		s := newSeen()
		for range 200 {
			*s = *newSeen()
			s.connectAll(t, p, 1, to)
			p.Send(0, []byte("old"))
			p.Disconnect(0)
			s.connected = map[int]error{}
			s.connectAll(t, p, 1, to)
			p.Send(0, []byte("new"))
			s.until(t, p, "answer", func() bool { return len(s.received[0]) >= 3 })
			if got := string(s.received[0]); got != "new" || len(s.ended) > 0 {
				t.Fatalf("received %q, ended %v", got, s.ended)
			}
			p.Disconnect(0)
		}
	})
}

// TestManyAnswers receives more answers at once than there are buffers.
func TestManyAnswers(t *testing.T) {
	const n, size = 64, 1 << 20
	each(t, n, func(t *testing.T, p Poller) {
		s := newSeen()
		s.connectAll(t, p, n, listen(t, func(c net.Conn) {
			_, _ = c.Write(make([]byte, size))
			_, _ = io.Copy(io.Discard, c)
		}))
		whole := 0
		s.on = func(slot int, _ []byte) {
			if len(s.received[slot]) == size {
				whole++
			}
		}
		s.until(t, p, "answers", func() bool { return whole == n })
		if len(s.ended) > 0 {
			t.Errorf("ended: %v", s.ended)
		}
	})
}

// TestGather checks that Wait waits for several answers, but not for more than arrive.
func TestGather(t *testing.T) {
	each(t, 4, func(t *testing.T, p Poller) {
		s := newSeen()
		s.connectAll(t, p, 4, listen(t, echo))
		p.Send(0, []byte("x"))
		for deadline := time.Now().Add(2 * time.Minute); len(s.received) == 0; {
			if time.Now().After(deadline) {
				t.Fatal("the one answer did not come")
			}
			if err := p.Wait(time.Second, 4, 50*time.Microsecond, s); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestUnix(t *testing.T) {
	path := t.TempDir() + "/s"
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go echo(c)
		}
	}()
	to, err := ParseAddress(l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	each(t, 1, func(t *testing.T, p Poller) {
		s := newSeen()
		s.connectAll(t, p, 1, to)
		p.Send(0, []byte("hi"))
		s.until(t, p, "answer", func() bool { return string(s.received[0]) == "hi" })
	})
}
