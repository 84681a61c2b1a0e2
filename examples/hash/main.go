// Command hash is an HTTP service that hashes texts. It is slow on purpose, unless
// it is built with -tags fast: see README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	headerTimeout   = 5 * time.Second
	idleTimeout     = time.Minute
	shutdownTimeout = 10 * time.Second // half as long for a connection that never sent a request
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "hash:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done. It prints the addresses it listens on.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("hash", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8081", "`address` to serve on; port 0 takes a free one")
	debugAddr := flags.String("pprof", "", "loopback `address` to serve profiles on (default: do not)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "hash on http://%s/v1/hashes\n", l.Addr())
	servers := []*http.Server{newServer(handler())}
	listeners := []net.Listener{l}
	if *debugAddr != "" {
		l, err := listenDebug(*debugAddr)
		if err != nil {
			return errors.Join(err, listeners[0].Close())
		}
		_, _ = fmt.Fprintf(out, "pprof on http://%s/debug/pprof/\n", l.Addr())
		servers, listeners = append(servers, newServer(debugRoutes())), append(listeners, l)
	}
	return serve(ctx, servers, listeners)
}

func newServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout}
}

// serve runs the servers until ctx is done or one of them fails, and then completes
// the requests in progress.
func serve(ctx context.Context, servers []*http.Server, listeners []net.Listener) error {
	failed := make(chan error, len(servers))
	for i, s := range servers {
		go func() { failed <- s.Serve(listeners[i]) }()
	}
	var err error
	running := len(servers)
	select {
	case <-ctx.Done():
	case err = <-failed:
		running--
	}
	// The caller's context is done by now.
	stop, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	for _, s := range servers {
		if shutdownErr := s.Shutdown(stop); shutdownErr != nil {
			err = errors.Join(err, shutdownErr, s.Close())
		}
	}
	for range running {
		if serveErr := <-failed; !errors.Is(serveErr, http.ErrServerClosed) {
			err = errors.Join(err, serveErr)
		}
	}
	return err
}
