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
		fmt.Fprintln(os.Stderr, "precision:", err)
		os.Exit(1) //nolint:forbidigo // this is the program's end
	}
}

// run measures the modules in args, by default those without results, and writes the page.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("precision", flag.ContinueOnError)
	flags.SetOutput(stderr)
	whet := flags.String("whet", ".bin/whet", "the whet `binary` to run")
	dir := flags.String("dir", "docs/measured", "`directory` to write the page and results to")
	work := flags.String("work", ".bin/precision",
		"`directory` for copies of the modules, and recordings, which a later run uses again")
	perRewrite := flags.Duration("time", 100*time.Second, "`time` for each rewrite, on average")
	budget := flags.Duration("reach", 0, "measure the reach of candidates instead, with this `budget` to try those of "+
		"a module")
	again := flags.Bool("again", false, "measure modules that have results, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		return err
	}
	if *perRewrite <= 0 {
		return fmt.Errorf("time %v (want more than 0)", *perRewrite)
	}
	s := &session{time: *perRewrite, log: stderr}
	if s.whet, err = filepath.Abs(*whet); err != nil {
		return err
	}
	if s.work, err = filepath.Abs(*work); err != nil {
		return err
	}
	if _, err := exec.LookPath(s.whet); err != nil {
		return fmt.Errorf("whet is not built (make build): %w", err)
	}
	if *budget > 0 {
		return s.measureReach(ctx, *dir, *budget)
	}
	r, err := read(*dir)
	if err != nil {
		return err
	}
	var failed []error
	for _, m := range chosen {
		if r.has(m) && !*again && flags.NArg() == 0 {
			_, _ = fmt.Fprintf(stderr, "%s: has results; -again, or its name, measures it again\n", m.name)
			continue
		}
		x, err := s.measure(ctx, m)
		if err == nil {
			r.put(x)
			err = write(*dir, r)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", m.name, err))
		}
		if ctx.Err() != nil {
			return errors.Join(failed...)
		}
	}
	return errors.Join(append(failed, write(*dir, r))...)
}
