package worker

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/whet-go/whet/internal/load/http2"
	"github.com/whet-go/whet/internal/load/poll"
)

// sending is a Poller that records what it is to send.
type sending struct {
	poll.Poller
	unsent        int
	sends, writes [][]byte // not copied: copies would hide that something is overwritten
}

func (p *sending) Send(_ int, b []byte)  { p.sends = append(p.sends, b) }
func (p *sending) Write(_ int, b []byte) { p.writes = append(p.writes, bytes.Clone(b)) }
func (p *sending) Unsent(int) int        { return p.unsent }

// handshaken returns a connection of a loop after the handshake, and the server's end.
func handshaken(t *testing.T, p poll.Poller) (s *secureStream, server *tls.Conn, encrypted *bytes.Buffer) {
	t.Helper()
	ts := httptest.NewUnstartedServer(nil)
	ts.StartTLS()
	certificates := ts.TLS.Certificates
	ts.Close()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close() })
	encrypted = new(bytes.Buffer)
	// No tickets: the test does not read what the server sends after the handshake.
	server = tls.Server(&readingFrom{Conn: theirs}, &tls.Config{Certificates: certificates, SessionTicketsDisabled: true})
	s = &secureStream{Conn: ours}
	s.tls = tls.Client(s, &tls.Config{InsecureSkipVerify: true}) // the server is this test
	done := make(chan error, 1)
	go func() { done <- server.Handshake() }()
	if err := s.tls.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	from, ok := server.NetConn().(*readingFrom)
	if !ok {
		t.Fatal("the server's connection is another one")
	}
	from.r = encrypted
	s.Conn, s.c = nil, &conn{loop: &loop{poller: p}}
	return s, server, encrypted
}

// readingFrom reads from r unless it is nil.
type readingFrom struct {
	net.Conn
	r io.Reader
}

func (c *readingFrom) Read(b []byte) (int, error) {
	if c.r != nil {
		return c.r.Read(b)
	}
	return c.Conn.Read(b)
}

// TestSecureWrite checks that an HTTP/1.1 request over TLS is sent in one piece, whatever the
// number of its records, and without a completion event, which would end a wait for answers.
func TestSecureWrite(t *testing.T) {
	p := new(sending)
	s, server, encrypted := handshaken(t, p)
	read := func(want []byte) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(server, got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("the server read %d bytes, %v: not what was written", len(got), err)
		}
	}
	for _, size := range []int{100, 40_000, 100} {
		request := bytes.Repeat([]byte("x"), size)
		p.sends = nil
		s.write(request)
		if len(p.sends) != 1 || len(p.writes) != 0 {
			t.Fatalf("%d bytes: %d sends, %d writes; want one send", size, len(p.sends), len(p.writes))
		}
		encrypted.Write(p.sends[0])
		read(request)
	}
	// After unsent bytes, and in HTTP/2, where an answer does not imply what has been sent, it uses
	// Write, which keeps the order.
	p.sends, p.unsent = nil, 1
	s.write([]byte("behind a reply"))
	p.unsent, s.c.h2 = 0, new(http2.Conn)
	s.write([]byte("a stream"))
	if len(p.sends) != 0 || len(p.writes) != 2 {
		t.Fatalf("%d sends, %d writes; want two writes", len(p.sends), len(p.writes))
	}
	encrypted.Write(p.writes[0])
	encrypted.Write(p.writes[1])
	read([]byte("behind a replya stream"))
}
