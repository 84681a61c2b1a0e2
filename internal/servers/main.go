package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(1) //nolint:forbidigo // this is the program's end
	}
}

// run measures the servers in args, by default those without results, and writes the page.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("servers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	whet := flags.String("whet", ".bin/whet", "the whet `binary` to run")
	dir := flags.String("dir", "docs/measured", "`directory` to write the page and results to")
	work := flags.String("work", ".bin/servers", "`directory` for copies of the modules, and recordings")
	limit := flags.Duration("time", 5*time.Minute, "`time` to prove the changes of a server and its dependencies")
	again := flags.Bool("again", false, "measure servers that have results, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		return err
	}
	if *limit <= 0 {
		return fmt.Errorf("time %v (want more than 0)", *limit)
	}
	s := &session{limit: *limit, log: stderr}
	if s.whet, err = filepath.Abs(*whet); err != nil {
		return err
	}
	if s.work, err = filepath.Abs(*work); err != nil {
		return err
	}
	if _, err := exec.LookPath(s.whet); err != nil {
		return fmt.Errorf("whet is not built (make build): %w", err)
	}
	r, err := read(*dir)
	if err != nil {
		return err
	}
	var failed []error
	for _, one := range chosen {
		if r.has(one) && !*again && flags.NArg() == 0 {
			_, _ = fmt.Fprintf(stderr, "%s: has results; -again, or its name, measures it again\n", one.name)
			continue
		}
		m, err := s.measure(ctx, one)
		if err == nil {
			r.put(m)
			err = write(*dir, r)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", one.name, err))
		}
		if ctx.Err() != nil {
			return errors.Join(failed...)
		}
	}
	return errors.Join(append(failed, write(*dir, r))...)
}
