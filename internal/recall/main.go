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
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1) //nolint:forbidigo // this is the program's end
	}
}

// run measures the cases in args, by default those without results, and writes the page.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	s := &session{log: stderr}
	flags := flag.NewFlagSet("recall", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("dir", "docs/measured", "`DIR` to write the page and results to")
	flags.StringVar(&s.whet, "whet", ".bin/whet", "the whet `BINARY` to run")
	flags.StringVar(&s.power, "power", ".bin/power-cases", "the `BINARY` of internal/power")
	flags.StringVar(&s.corpus, "corpus", "internal/power", "`DIR` of the corpus")
	flags.StringVar(&s.work, "work", ".bin/recall", "`DIR` for copies of modules")
	flags.StringVar(&s.modules, "modules", ".bin/power", "`DIR` for modules, which internal/power uses, too")
	flags.DurationVar(&s.budget, "budget", 2*time.Minute, "`duration` for trying the candidates of a case")
	held := flags.Bool("held", false, "measure the cases that are held back, too")
	again := flags.Bool("again", false, "measure cases that have results, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, name := range []*string{&s.whet, &s.power, &s.corpus, &s.work, &s.modules} {
		var err error
		if *name, err = filepath.Abs(*name); err != nil {
			return err
		}
	}
	for _, program := range []string{s.whet, s.power} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("it is not built (make recall builds it): %w", err)
		}
	}
	if err := errors.Join(os.MkdirAll(s.work, 0o750), os.MkdirAll(s.modules, 0o750)); err != nil {
		return err
	}
	cases, err := readCases(casesJSON)
	if err != nil {
		return err
	}
	for _, name := range flags.Args() {
		if !slices.ContainsFunc(cases, func(c testCase) bool { return c.Name == name }) {
			return fmt.Errorf("no case has the name %q", name)
		}
	}
	r, err := read(*dir)
	if err != nil {
		return err
	}
	for i := range cases {
		c := &cases[i]
		if named := slices.Contains(flags.Args(), c.Name); !named &&
			(flags.NArg() > 0 || c.held() && !*held || r.of(c.Name) != nil && !*again) {
			continue
		}
		m, err := s.measure(ctx, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m = &measurement{Name: c.Name, Error: err.Error()}
			_, _ = fmt.Fprintf(stderr, "%s: %v\n", c.Name, err)
		}
		r.put(m, cases)
		if err := r.write(*dir, cases); err != nil {
			return err
		}
	}
	return r.write(*dir, cases)
}
