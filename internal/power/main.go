package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "power:", err)
		os.Exit(1) //nolint:forbidigo // this is the program's end
	}
}

// settings are the flags.
type settings struct {
	dir, page, work, cases string
	held, again            bool
	budget                 time.Duration

	most, releases int
	out            string
}

// run runs a command: it measures the cases, unless the arguments begin with another one.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	command := ""
	if len(args) > 0 && slices.Contains([]string{"diff", "mine", "mutants"}, args[0]) {
		command, args = args[0], args[1:]
	}
	var s settings
	flags := flag.NewFlagSet("power", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.dir, "dir", "internal/power", "`DIR` of the corpus and its results")
	flags.StringVar(&s.work, "work", ".bin/power", "`DIR` for copies of modules, which a later run uses again")
	switch command {
	case "mine":
		flags.IntVar(&s.most, "lines", 60, "most lines of a change, `N`")
		flags.IntVar(&s.releases, "releases", 12, "compare the newest `N` releases with the ones before")
		flags.StringVar(&s.out, "o", ".", "`DIR` for a Markdown file per module")
	case "":
		flags.StringVar(&s.page, "page", "docs/measured/prove-power.md", "`FILE` for the page")
		flags.StringVar(&s.cases, "cases", "", "run the cases whose names match `REGEXP`, also those with results")
		flags.BoolVar(&s.held, "held", false, "run the cases that are held back, too")
		flags.BoolVar(&s.again, "again", false, "run cases that have results, too")
		flags.DurationVar(&s.budget, "budget", 2*time.Minute, "limit on the `duration` of each proof")
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if s.work, err = filepath.Abs(s.work); err != nil {
		return err
	}
	if err := os.MkdirAll(s.work, 0o750); err != nil {
		return err
	}
	switch command {
	case "mine":
		return mineAll(ctx, &s, flags.Args(), stderr)
	case "diff":
		return diffCommand(ctx, &s, flags.Args(), stdout)
	case "mutants":
		return mutantsCommand(ctx, &s, flags.Args(), stdout)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown command %q (want diff, mine, mutants or none)", flags.Arg(0))
	}
	return measure(ctx, &s, stderr)
}

// mineAll writes a file of candidates for each module.
func mineAll(ctx context.Context, s *settings, modules []string, log io.Writer) error {
	m := &miner{workshop: workshop{s.work}, most: s.most, releases: s.releases, log: log}
	for _, modulePath := range modules {
		name := filepath.Join(s.out, shortName(modulePath)+".md")
		file, err := os.Create(name)
		if err != nil {
			return err
		}
		n, err := m.mine(ctx, modulePath, file)
		if err = errors.Join(err, file.Close()); ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			_, _ = fmt.Fprintf(log, "%s: %v\n", modulePath, err)
		}
		_, _ = fmt.Fprintf(log, "%s: %d candidates in %s\n", modulePath, n, name)
	}
	return nil
}

// diffCommand writes the changes of the cases whose names match a regular expression.
func diffCommand(ctx context.Context, s *settings, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("diff needs a regular expression of names")
	}
	wanted, err := regexp.Compile(args[0])
	if err != nil {
		return err
	}
	all, err := corpus(os.DirFS(s.dir))
	if err != nil {
		return err
	}
	w := workshop{s.work}
	var failed []error
	for _, c := range all {
		if c.archive != nil || !wanted.MatchString(c.Name) {
			continue
		}
		if err := w.diff(ctx, c, out); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", c.Name, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// mutantsCommand lists the mutants of a case.
func mutantsCommand(ctx context.Context, s *settings, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("no case is named")
	}
	all, err := corpus(os.DirFS(s.dir))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(c *testCase) bool { return c.Name == args[0] })
	if i < 0 || all[i].archive != nil {
		return fmt.Errorf("no case of a module has the name %q", args[0])
	}
	w := workshop{s.work}
	return w.listMutants(ctx, all[i], args[1:], out)
}

// measure runs the cases that have no results, and writes the page.
func measure(ctx context.Context, s *settings, log io.Writer) error {
	wanted, err := regexp.Compile(s.cases)
	if err != nil {
		return err
	}
	if s.budget <= 0 {
		return fmt.Errorf("budget %v (want more than 0)", s.budget)
	}
	all, err := corpus(os.DirFS(s.dir))
	if err != nil {
		return err
	}
	r, err := readResults(s.dir)
	if err != nil {
		return err
	}
	r.keep(all)
	w := workshop{s.work}
	for _, c := range all {
		if c.held() && !s.held || !wanted.MatchString(c.Name) || r.has(c) && !s.again && s.cases == "" {
			continue
		}
		_, _ = fmt.Fprintf(log, "%s: ", c.Name)
		x := w.prove(ctx, c, s.budget)
		if ctx.Err() != nil {
			break
		}
		_, _ = fmt.Fprintln(log, x.summary())
		r.put(x)
		if err := r.write(s.dir); err != nil {
			return err
		}
	}
	text, err := page(r)
	return errors.Join(err, os.WriteFile(s.page, text, 0o644), ctx.Err()) //nolint:gosec // a page of the documentation
}
