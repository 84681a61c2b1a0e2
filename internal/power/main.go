package main

import (
	"cmp"
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
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
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
	held, again, compare   bool
	shared                 bool
	budget, maxTime        time.Duration
	parallel               int

	most, releases int
	out            string
}

// run runs a command: it measures the cases, unless the arguments begin with another one.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	command := ""
	if len(args) > 0 && slices.Contains([]string{"diff", "mine", "mutants", "versions"}, args[0]) {
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
		flags.BoolVar(&s.compare, "compare", false, "only compare old and new code, of cases of modules")
		flags.DurationVar(&s.budget, "budget", 2*time.Minute, "limit on the `duration` of each proof")
		flags.DurationVar(&s.maxTime, "max-time", maxTime, "limit on the `duration` of each benchmark")
		flags.IntVar(&s.parallel, "parallel", 1, "run `N` cases at a time; their times do not count")
		flags.BoolVar(&s.shared, "shared", false, "the machine does other work: times do not count")
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
	case "versions":
		return versionsCommand(ctx, &s, flags.Args())
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown command %q (want diff, mine, mutants, versions or none)", flags.Arg(0))
	}
	return measure(ctx, &s, stderr)
}

// mineAll writes a file of candidates for each module.
func mineAll(ctx context.Context, s *settings, modules []string, log io.Writer) error {
	m := &miner{workshop: workshop{dir: s.work}, most: s.most, releases: s.releases, log: log}
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
	w := workshop{dir: s.work}
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
	w := workshop{dir: s.work}
	return w.listMutants(ctx, all[i], args[1:], out)
}

// versionsCommand writes the two versions of a case into the directories a and b of a directory.
func versionsCommand(ctx context.Context, s *settings, args []string) error {
	if len(args) != 2 {
		return errors.New("versions needs the name of a case and a directory")
	}
	all, err := corpus(os.DirFS(s.dir))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(c *testCase) bool { return c.Name == args[0] })
	if i < 0 {
		return fmt.Errorf("no case has the name %q", args[0])
	}
	w := workshop{dir: s.work}
	a, b, remove, err := w.versions(ctx, all[i])
	if err != nil {
		return err
	}
	return errors.Join(os.CopyFS(filepath.Join(args[1], "a"), os.DirFS(a)),
		os.CopyFS(filepath.Join(args[1], "b"), os.DirFS(b)), remove())
}

// measure runs the cases that have no results, and writes the page.
func measure(ctx context.Context, s *settings, log io.Writer) error {
	wanted, err := regexp.Compile(s.cases)
	if err != nil {
		return err
	}
	if s.budget <= 0 || s.maxTime <= 0 || s.parallel <= 0 {
		return errors.New("-budget, -max-time and -parallel must be positive")
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
	all = slices.DeleteFunc(all, func(c *testCase) bool {
		left := c.held() && !s.held || !wanted.MatchString(c.Name) || s.compare && c.archive != nil
		has := r.has(c)
		if s.compare {
			has = r.wasCompared(c)
		}
		return left || has && !s.again && s.cases == ""
	})
	// What an interrupted run has judged is a sample.
	slices.SortFunc(all, func(a, b *testCase) int { return cmp.Compare(a.key(), b.key()) })
	err = errors.Join(proveAll(ctx, s, all, r, log), r.write(s.dir))
	text, failed := page(r)
	err = errors.Join(err, failed, os.WriteFile(s.page, text, 0o644)) //nolint:gosec // a page of the documentation
	return errors.Join(err, ctx.Err())
}

// proveAll judges cases, as many at a time as the settings allow, and stores each result.
func proveAll(ctx context.Context, s *settings, cases []*testCase, r *results, log io.Writer) error {
	w := workshop{dir: s.work}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.parallel)
	for _, c := range cases {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			put, summary := w.judge(ctx, s, c)
			if ctx.Err() != nil {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			_, _ = fmt.Fprintf(log, "%s: %s\n", c.Name, summary)
			put(r)
			return r.write(s.dir)
		})
	}
	return group.Wait()
}

// judge judges a case as configured. It returns a function that stores the result, and the outcome
// in one line.
func (w *workshop) judge(ctx context.Context, s *settings, c *testCase) (put func(*results), summary string) {
	if s.compare {
		x := w.compare(ctx, c)
		return func(r *results) { r.putCompared(x) }, x.summary()
	}
	x := w.prove(ctx, c, s.budget, s.maxTime)
	x.Shared = s.shared || s.parallel > 1
	return func(r *results) { r.put(x) }, x.summary()
}
