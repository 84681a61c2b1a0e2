// Command leftpad is an HTTP service that pads texts on the left. It is slow on
// purpose, unless it is built with -tags fast: see README.md.
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
		fmt.Fprintln(os.Stderr, "leftpad:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done. It prints the addresses it listens on.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("leftpad", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to serve on; port 0 takes a free one")
	statsAddr := flags.String("statsd", "127.0.0.1:8125", "UDP `address` of the metrics aggregator")
	rate := flags.Float64("sample", 0.5, "`share` of the metrics to send, above 0 and at most 1")
	logPath := flags.String("log", "",
		"`file` to append the request log to (default: a temporary file, removed at the end)")
	debugAddr := flags.String("pprof", "", "loopback `address` to serve profiles on (default: do not)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *rate <= 0 || *rate > 1 {
		return fmt.Errorf("sample %v (want a number above 0 and at most 1)", *rate)
	}

	logFile, removeLog, err := openLog(*logPath)
	if err != nil {
		return err
	}
	requests, closeLog := newLog(logFile)
	defer func() { err = errors.Join(err, closeLog(), logFile.Close(), removeLog()) }()
	conn, err := net.Dial("udp", *statsAddr)
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()

	s := &Server{
		Stats: &StatsD{Namespace: "leftpad", SampleRate: *rate, Conn: conn},
		Log:   requests,
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "leftpad on http://%s/v1/leftpad/\n", l.Addr())
	_, _ = fmt.Fprintf(out, "log in %s\n", logFile.Name())
	servers := []*http.Server{newServer(s.Routes())}
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

// openLog opens the request log.
func openLog(path string) (f *os.File, remove func() error, err error) {
	if path == "" {
		f, err = os.CreateTemp("", "leftpad-*.log")
		return f, func() error { return os.Remove(f.Name()) }, err
	}
	f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return f, func() error { return nil }, err
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
