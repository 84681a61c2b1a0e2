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

// DefaultAddr is a free port of the loopback interface.
const DefaultAddr = "127.0.0.1:0"

// ErrExposed is the error of [Listen] for addresses that others can reach.
var ErrExposed = errors.New("the address is not on the loopback interface")

// Listen opens an address of the loopback interface: "127.0.0.1:8080", "localhost:0", "[::1]:0". A
// port of 0 is a free one.
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
	// What a name stands for is not ours to say.
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("listen on %q, which is %v: %w", addr, l.Addr(), ErrExposed), l.Close())
	}
	return l, nil
}

// Local reports whether a host, as it stands in addresses, can only be this machine.
func Local(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// How long clients may take, and a server that ends waits for them.
const (
	readTimeout  = 10 * time.Second
	writeTimeout = 30 * time.Second // without taking anything
	idleTimeout  = 2 * time.Minute
	endTimeout   = time.Second
)

// Limits of what a client can make a server hold.
const (
	maxHeader = 64 << 10 // bytes of a request's head: a thousand ids fit
	maxConns  = 256      // a browser has six
)

// Serve answers what comes to a listener until ctx ends, which is no error. It closes the listener.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		BaseContext:    func(net.Listener) context.Context { return ctx }, // queries end when the server does
	}
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

// Check returns an error for a request that is not for this machine by name. A name of
// another site that resolves to the loopback interface ("DNS rebinding") would let
// that site's pages read what is served.
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

// SameOrigin reports whether a request is the user's own or that of a page of this
// server. It believes the header that browsers set and pages cannot. Pages of other
// ports are others'.
func SameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	return false
}
