package clickhouse_test

import (
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/storetest"
)

// deafProxy forwards connections to a server. The first one that inserts into the table of profiles
// does not get the answer: it is closed when stored returns.
type deafProxy struct {
	listener net.Listener
	server   string
	stored   func()
	cut      atomic.Int64 // connections
	all      sync.WaitGroup
}

func newDeafProxy(t *testing.T, server string, stored func()) *deafProxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &deafProxy{listener: l, server: server, stored: stored}
	p.all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			p.all.Go(func() { p.forward(client) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.all.Wait()
	})
	return p
}

func (p *deafProxy) forward(client net.Conn) {
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		_ = client.Close()
		return
	}
	var deaf atomic.Bool
	var back sync.WaitGroup
	back.Go(func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			if err == nil && !deaf.Load() {
				_, err = client.Write(buf[:n])
			}
			if err != nil {
				_ = client.Close()
				return
			}
		}
	})
	buf := make([]byte, 64<<10)
	inserting := false
	for {
		n, err := client.Read(buf)
		if err != nil {
			break
		}
		// The rows follow when the server has sent the columns. What it says after them is lost.
		lose := inserting && p.cut.CompareAndSwap(0, 1)
		if lose {
			deaf.Store(true)
		}
		inserting = inserting || bytes.Contains(buf[:n], []byte("INSERT INTO profiles"))
		if _, err := server.Write(buf[:n]); err != nil {
			break
		}
		if lose {
			// The client may send more of the rows; the answer to it stays unread.
			go func() { _, _ = io.Copy(server, client) }()
			p.stored()
			break
		}
	}
	_ = client.Close()
	_ = server.Close()
	back.Wait()
}

// testLostAnswer loses the answer to an insert that has succeeded: it is repeated, and stored once.
func testLostAnswer(t *testing.T, servers *clickhousetest.Servers) {
	open(t, servers, "lost", clickhouse.Options{})
	proxy := newDeafProxy(t, servers.Hosts[0], func() {
		for count(t, servers.Hosts[0], "SELECT count() FROM lost.profiles") == 0 { // until the server has it
		}
	})
	a, err := clickhouse.ParseAddress("clickhouse://" + proxy.listener.Addr().String() + "/lost")
	if err != nil {
		t.Fatal(err)
	}
	s, err := clickhouse.Open(t.Context(), a, clickhouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	storetest.Write(t, s, "", storetest.Generated("shop", 1, nil))
	if proxy.cut.Load() != 1 {
		t.Fatal("no answer was lost")
	}
	if n := count(t, servers.Hosts[0], "SELECT count() FROM lost.profiles"); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
	storetest.Clean(t, s, 1)
}
