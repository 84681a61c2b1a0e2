package clickhouse

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/whet-go/whet/store"
)

// TestLeaseError tells a store that is down for all from one that this process cannot reach.
func TestLeaseError(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	const closed = "127.0.0.1:1"
	for _, test := range []struct {
		hosts []string
		down  bool
	}{
		{[]string{closed}, true},
		{[]string{closed, closed}, true},
		{[]string{l.Addr().String()}, false},
		{[]string{closed, l.Addr().String()}, false},
		{[]string{l.Addr().String(), closed}, false},
	} {
		s := &Store{a: &Address{Hosts: test.hosts}}
		got := s.leaseError(t.Context(), io.EOF) // as an open connection fails
		if errors.Is(got, store.ErrDown) != test.down || !errors.Is(got, store.ErrUnavailable) {
			t.Errorf("%q: %v", test.hosts, got)
		}
	}
}
