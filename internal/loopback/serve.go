package loopback

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// DefaultAddr is any free port of the loopback interface.
const DefaultAddr = "127.0.0.1:0"

// ErrExposed is the error of [Listen] for an address that other machines can reach.
var ErrExposed = errors.New("the address is not on the loopback interface")

// Listen opens an address of the loopback interface: "127.0.0.1:8080", "localhost:0", "[::1]:0".
// Port 0 is any free port.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if !Local(host) {
		return nil, fmt.Errorf("listen on %q: %w", addr, ErrExposed)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	// Names can resolve to any address.
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("listen on %q, which is %v: %w", addr, l.Addr(), ErrExposed), l.Close())
	}
	return l, nil
}

// Local reports whether a host, as in addresses, can only be this machine.
func Local(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// Timeouts for clients and for shutdown.
const (
	readTimeout  = 10 * time.Second
	writeTimeout = 30 * time.Second // without any progress
	idleTimeout  = 2 * time.Minute
	endTimeout   = time.Second
)

// Limits on what a client can make the server hold.
const (
	maxHeader = 64 << 10 // bytes of request headers: a thousand ids fit
	maxConns  = 256      // a browser uses six
)

// Serve serves a listener until ctx ends, which is not an error. It closes the listener.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		BaseContext:    func(net.Listener) context.Context { return ctx }, // queries end when the server does
		// gRPC needs HTTP/2. The server does not see that a connection has TLS, because it is limited, so
		// it knows HTTP/2 by how it begins.
		Protocols: new(http.Protocols),
	}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(newBounded(l, maxConns, writeTimeout)) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	err := s.Shutdown(end)
	if err != nil {
		err = s.Close()
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// Check returns an error for a request whose host is not a name of this machine. A name of another
// site that resolves to the loopback interface ("DNS rebinding") would let that site's pages read
// the answers.
func Check(r *http.Request) error {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]") // without a port
	}
	if !Local(host) {
		return fmt.Errorf("the request is for %q, which is not a name of the loopback interface", r.Host)
	}
	return nil
}

// SameOrigin reports whether a request comes from the user or from a page of this server. It relies
// on a header that browsers set and pages cannot. Pages on other ports are foreign.
func SameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	return false
}
