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
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "cases:", err)
		os.Exit(1) //nolint:forbidigo // this is the program's end
	}
}

// run measures the studies that args name, all by default, and writes their pages.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("cases", flag.ContinueOnError)
	flags.SetOutput(stderr)
	whet := flags.String("whet", ".bin/whet", "the whet `binary` to run")
	dir := flags.String("dir", "docs/measured/cases", "`directory` to write pages and results to")
	benchTime := flags.Duration("time", 12*time.Second,
		"`time` for each benchmark, at most; a comparison of services gets five times as much")
	asPublished := flags.Bool("published", false,
		"measure the services as their articles published them, and continue a run that was ended")
	fixTime := flags.Duration("fix-time", 20*time.Second,
		"with -published: `time` that whet fix measures each rewrite; six times as much under load")
	fuzzTime := flags.Duration("fuzz-time", 5*time.Second, "with -published: `time` that whet fix compares each function")
	steps := flags.String("steps", "", "measure only steps that match `REGEXP`, and keep what is known of the others")
	if err := flags.Parse(args); err != nil {
		return err
	}
	only, err := regexp.Compile(*steps)
	if err != nil {
		return fmt.Errorf("steps: %w", err)
	}
	all := studies()
	if *asPublished {
		all = publishedStudies()
	}
	chosen, err := choose(all, flags.Args())
	if err != nil {
		return err
	}
	if *benchTime <= 0 {
		return fmt.Errorf("time %v (want more than 0)", *benchTime)
	}

	root, err := os.Getwd()
	if err != nil {
		return err
	}
	binary, err := filepath.Abs(*whet)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath(binary); err != nil {
		return fmt.Errorf("whet is not built (make build): %w", err)
	}
	b := &session{
		root: root, bin: filepath.Dir(binary), time: *benchTime, fixTime: *fixTime, fuzzTime: *fuzzTime, log: stderr,
		whet: func(ctx context.Context, dir string, args ...string) ([]byte, error) {
			return command(ctx, stderr, dir, binary, args...)
		},
	}
	if *asPublished {
		return b.published(ctx, *dir, chosen, len(flags.Args()) > 0)
	}
	var failed []error
	for _, s := range chosen {
		r := newResults()
		if *steps != "" {
			s.steps = slices.DeleteFunc(s.steps, func(st step) bool { return !only.MatchString(st.name) })
			r, err = read(*dir, s)
		}
		if err == nil {
			err = b.measure(ctx, s, r)
		}
		if err == nil {
			err = write(*dir, s, r)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		if ctx.Err() != nil {
			return errors.Join(failed...)
		}
	}
	return errors.Join(append(failed, writeIndex(*dir))...)
}

// choose returns the studies of all with these names; all if there are none.
func choose(all []study, names []string) ([]study, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []study
	for _, name := range names {
		i := slices.IndexFunc(all, func(s study) bool { return s.page() == name })
		if i < 0 {
			var known []string
			for _, s := range all {
				known = append(known, s.page())
			}
			return nil, fmt.Errorf("no case %q: there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
