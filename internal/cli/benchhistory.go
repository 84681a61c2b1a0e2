package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/layout"
)

// benchHistoryFlags are the flags of whet bench history.
type benchHistoryFlags struct {
	outputFlags
	history.Options
	HTML   string
	JSON   bool
	Gates  []string
	Strict bool
	storeFlags
}

func (a *app) benchHistoryCommand() *cobra.Command {
	f := &benchHistoryFlags{}
	cmd := &cobra.Command{
		Use:   "history [DIR]",
		Short: "Find the commits that changed benchmarks, and gate the newest",
		Long: `Find the commits that changed benchmarks, and gate the newest.

DIR holds results by commit, added with whet bench history add; --store reads
them from a store of profiles instead. Results from one
kind of machine (CPU, system, GOMAXPROCS, Go version) form a series along the
commits. Results measured together with a base count as ratios to it.

A change point is where the measurements before and after differ by more than
chance (E-divisive with a permutation test, adjusted for the number of series).
It needs several commits on both sides. Use --gate for the newest commit: it is
compared with the commits since the last change point, and the exit code is 3
if it fails.

A gate is a unit and its limit, as a percentage or in the unit itself:
sec/op<+3%, allocs/op<+0, B/s>-5%, or for some benchmarks Encode:B/op<+64.`,
		Example: `  whet bench history results
  whet bench history --html history.html results
  whet bench history --gate 'sec/op<+10%,allocs/op<+0' results
  whet bench history --gate 'Encode/.*json:sec/op<+10%' --strict results
  whet bench history --store profiles
  whet bench history --json results`,
		Args: func(_ *cobra.Command, args []string) error {
			if f.Store != "" && len(args) == 0 {
				return nil
			}
			if len(args) != 1 || f.Store != "" {
				return diag.Usagef("bench history", fmt.Sprintf("want one directory, got %d", len(args)),
					"add results with `whet bench history add DIR FILE`, then run `whet bench history DIR`")
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringArrayVar(&f.Gates, "gate", nil, "check the newest commit against comma-separated `GATES`")
	fs.BoolVar(&f.Strict, "strict", false, "also fail when noise leaves a gate undecided")
	fs.Float64Var(&f.Alpha, "alpha", 0.05, "allow the fraction `ALPHA` of reported changes to be chance")
	fs.Float64Var(&f.Confidence, "confidence", 0.95, "compute intervals with confidence `LEVEL`, a fraction")
	fs.StringVar(&f.HTML, "html", "", "also write a page with charts to `FILE`")
	f.registerStore(fs, true)
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
	f.registerOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err := f.checkNamed("bench history"); err != nil {
			return err
		}
		if f.Store == "" {
			return a.benchHistory(cmd.Context(), f, args[0])
		}
		dir, remove, err := a.storedBenchmarks(cmd.Context(), &f.storeFlags)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
		return a.benchHistory(cmd.Context(), f, dir)
	}
	cmd.AddCommand(a.benchHistoryAddCommand())
	return cmd
}

// check parses the gates and rejects invalid flags before any work.
func (f *benchHistoryFlags) check() ([]history.Gate, error) {
	for name, v := range map[string]float64{"alpha": f.Alpha, "confidence": f.Confidence} {
		if !(v > 0 && v < 1) {
			return nil, diag.Usagef("--"+name, fmt.Sprintf("%v is not between 0 and 1", v), "omit it for the default")
		}
	}
	if f.Strict && len(f.Gates) == 0 {
		return nil, diag.Usagef("--strict", "requires --gate", "for example `--gate 'sec/op<+3%'`")
	}
	if f.HTML == "-" || f.HTML != "" && f.HTML == f.Output {
		return nil, diag.Usagef("--html", "standard output already receives the result", "name a file")
	}
	if err := errors.Join(f.checkOutput(f.HTML), (&outputFlags{Output: f.HTML, Force: f.Force}).checkThere()); err != nil {
		return nil, err
	}
	return parseGates(f.Gates)
}

// parseGates reads the values of --gate.
func parseGates(texts []string) ([]history.Gate, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	gates, err := history.ParseGates(strings.Join(texts, ","))
	if err != nil {
		return nil, &diag.Error{Op: "--gate", Err: err, Hint: history.GateSyntax, Kind: diag.Usage}
	}
	return gates, nil
}

func (a *app) benchHistory(ctx context.Context, f *benchHistoryFlags, dir string) error {
	gates, err := f.check()
	if err != nil {
		return err
	}
	r, err := history.Read(ctx, dir, f.Options)
	if err != nil {
		return err
	}
	a.warn(r.Warnings...)
	r.Warnings = a.warned
	if err := r.Check(gates); err != nil {
		return &diag.Error{Op: "--gate", Err: err, Hint: "omit it, or name a unit that the results have"}
	}
	err = a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		if f.JSON {
			return report.JSON(w, r)
		}
		style := a.style
		if f.toFile() {
			style = layout.Style{}
		}
		return benchmarks.WriteHistory(w, style, r)
	})
	if f.HTML != "" {
		page := &outputFlags{Output: f.HTML, Force: f.Force}
		err = errors.Join(err, a.writeOutput(page, func(w io.Writer) error { return benchmarks.WriteHistoryPage(w, r) }))
	}
	if failed := benchmarks.FailedGates(r, f.Strict); failed != "" {
		err = errors.Join(err, &diag.Error{Op: "--gate", Err: errors.New(failed), Kind: diag.Gate})
	}
	return err
}

// benchHistoryAddFlags are the flags of whet bench history add.
type benchHistoryAddFlags struct {
	Commit, Base, BaseCommit, Go string
	Dirty                        bool
	Service                      string
	storeFlags
}

func (a *app) benchHistoryAddCommand() *cobra.Command {
	f := &benchHistoryAddFlags{}
	cmd := &cobra.Command{
		Use:   "add [DIR] FILE...",
		Short: "Add benchmark results to the history of their commit",
		Long: `Add benchmark results to the history of their commit.

Each FILE is the output of one go test -bench run; - is standard input. The
results belong to the commit that is checked out, which requires a clean working
tree, or to --commit. Each becomes a new file in DIR, in the same format, named
by the time and hash of the commit; existing files are never replaced. With
--store, they are added to a store of profiles, and there is no DIR.

Measurements of different days differ because the machine differs. With --base,
results of another commit measured at the same time, the ratio is recorded. The
same applies to files of whet bench that hold two builds.`,
		Example: `  whet bench history add results new.txt
  whet bench history add --commit HEAD~1 results old.txt
  whet bench history add --base old.txt --base-commit HEAD~1 results new.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 && (f.Store == "" || len(args) == 0) {
				return diag.Usagef("bench history add", "want a directory and files of results",
					"`go test -run '^$' -bench . -count 10 | whet bench history add DIR -`")
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.Commit, "commit", "", "the measured commit, any `REV` that git accepts (default HEAD)")
	fs.BoolVar(&f.Dirty, "dirty", false, "accept uncommitted changes, and mark the results as dirty")
	fs.StringVar(&f.Base, "base", "", "read results of another commit, measured at the same time, from `FILE`")
	fs.StringVar(&f.BaseCommit, "base-commit", "", "the commit of --base, any `REV` that git accepts")
	fs.StringVar(&f.Go, "go", "", "Go `VERSION` of results that do not record it (default: from go env)")
	f.registerStore(fs, true)
	fs.StringVar(&f.Service, "service", "benchmarks", "with --store, `NAME` of what was measured")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err := f.checkNamed("bench history add"); err != nil {
			return err
		}
		if f.Store == "" {
			return a.benchHistoryAdd(cmd.Context(), f, args)
		}
		dir, err := os.MkdirTemp("", "whet-history-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		return a.benchHistoryAdd(cmd.Context(), f, append([]string{dir}, args...))
	}
	return cmd
}

func (a *app) benchHistoryAdd(ctx context.Context, f *benchHistoryAddFlags, args []string) error {
	if f.Base != "" && f.BaseCommit == "" {
		return diag.Usagef("--base", "requires --base-commit, the commit of these results",
			"`--base old.txt --base-commit HEAD~1`")
	}
	if f.Base != "" && len(args) != 2 {
		return diag.Usagef("bench history add", fmt.Sprintf("--base applies to one file of results, not %d", len(args)-1),
			"add the others without it")
	}
	filing := history.Filing{
		Dir: args[0], Stdin: a.stdin, Base: f.Base, BaseCommit: f.BaseCommit, Commit: f.Commit, Dirty: f.Dirty,
		Go: f.Go,
	}
	if filing.Go == "" {
		filing.Go, _ = gotest.GoVersion(ctx, gotest.Source{}) // "" means unknown
	}
	stdin := 0
	for _, in := range args[1:] {
		if in == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return diag.Usagef("bench history add", fmt.Sprintf("standard input is used %d times", stdin),
			"it can only be read once; use files for the others")
	}
	filing.Inputs = args[1:]
	paths, warnings, err := history.Add(ctx, filing)
	a.warn(warnings...)
	if f.Store != "" {
		if err != nil {
			return err
		}
		if err := a.storeBenchmarks(ctx, &f.storeFlags, f.Service, paths); err != nil {
			return err
		}
		for i := range paths {
			paths[i] = filepath.Base(paths[i])
		}
	}
	werr := a.write(func(w io.Writer) error {
		for _, p := range paths {
			if _, err := fmt.Fprintln(w, p); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, werr)
}
