package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/whet-go/whet/load"
)

// Limits on a trace.
const (
	maxBytes   = 4 << 30
	maxSeconds = 600
)

// bytesEach is the approximate size of an event.
const bytesEach = 4.9

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if os.Getenv(beServer) != "" {
		err = serve(ctx, os.Stdin, os.Stdout)
	} else {
		err = run(ctx, os.Args[1:], os.Stderr)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bigtrace:", err)
		os.Exit(1) //nolint:forbidigo // this is the program's end
	}
}

// A wish is the requested size of a trace, which ends at the first limit reached.
type wish struct {
	bytes   int64
	seconds float64
}

// run writes a trace as the flags specify.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("bigtrace", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("o", "big.trace", "`file` to write")
	seconds := flags.Float64("seconds", 0, "trace for so many `seconds`")
	size := flags.String("size", "", "trace until the file has this `size`, as 47MB or 1GB")
	events := flags.Int64("events", 0, "trace until there are about this `number` of events")
	connections := flags.Int("connections", 32, "load with this `number` of connections")
	if err := flags.Parse(args); err != nil {
		return err
	}
	w := wish{bytes: maxBytes, seconds: maxSeconds}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q (want flags only)", flags.Arg(0))
	case *seconds < 0 || *seconds > maxSeconds || *events < 0 || *connections < 1 || *connections > 1000:
		return fmt.Errorf("want up to %d seconds, and 1 to 1000 connections", maxSeconds)
	case *seconds > 0:
		w.seconds = *seconds
	case *events > 0:
		w.bytes = int64(float64(*events) * bytesEach)
	case *size != "":
		n, err := parseSize(*size)
		if err != nil {
			return err
		}
		w.bytes = n
	default:
		w.seconds = 8
	}
	if w.bytes > maxBytes {
		return fmt.Errorf("a trace of %d bytes: the limit is %d", w.bytes, int64(maxBytes))
	}
	file, err := filepath.Abs(*name)
	if err != nil {
		return err
	}
	if *seconds == 0 { // else unknown
		if err := checkRoom(filepath.Dir(file), w.bytes); err != nil {
			return err
		}
	}
	start := time.Now()
	if err := record(ctx, file, w, *connections); err != nil {
		return errors.Join(err, remove(file))
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stderr, "%s: %d bytes in %v\n", *name, info.Size(), time.Since(start).Round(100*time.Millisecond))
	return err
}

func remove(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// parseSize parses a size in bytes, with decimal units.
func parseSize(text string) (int64, error) {
	for _, unit := range []struct {
		name string
		size float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"", 1}} {
		if number, ok := strings.CutSuffix(text, unit.name); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || !(n > 0 && n*unit.size <= maxBytes) {
				return 0, fmt.Errorf("size %q (want a size such as 47MB or 1GB, up to %d GB)", text, maxBytes>>30)
			}
			return int64(n * unit.size), nil
		}
	}
	return 0, nil // every text has the suffix ""
}

// record makes a server under load write its trace to a file.
func record(ctx context.Context, file string, w wish, connections int) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	server := exec.CommandContext(ctx, self)
	server.Env = append(os.Environ(), beServer+"=1")
	server.Stderr = os.Stderr
	stdin, err := server.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stdin.Close(), server.Wait()) }()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	address = strings.TrimSpace(address)

	ctx, cancel := context.WithCancel(ctx)
	loaded := make(chan error, 1)
	go func() {
		_, err := load.Run(ctx, load.Options{
			Targets: targets(address), Connections: connections, Duration: (maxSeconds + 60) * time.Second,
		})
		loaded <- err
	}()
	defer func() {
		cancel()
		err = errors.Join(err, <-loaded)
	}()
	query := url.Values{
		"file": {file}, "bytes": {strconv.FormatInt(w.bytes, 10)},
		"seconds": {strconv.FormatFloat(w.seconds, 'f', -1, 64)},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/trace?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("trace: %s", strings.TrimSpace(string(text)))
	}
	return nil
}

// targets returns the requests, mostly short ones.
func targets(address string) []load.Target {
	return []load.Target{
		{URL: address + "/read", Weight: 8},
		{URL: address + "/write", Weight: 3},
		{URL: address + "/gather", Weight: 2},
		{URL: address + "/queue", Weight: 2},
		{URL: address + "/report", Weight: 1},
	}
}
