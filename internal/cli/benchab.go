package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/layout"
)

// benchABFlags are the flags of whet bench that compare two builds.
type benchABFlags struct {
	Base           string
	Dirs           [2]string // of A and B, as those below
	Flags          [2]string
	BenchmarksFrom string
	HTML           string
	Markdown       bool
	Gates          []string
	Continue       bool
	VaryLayout     bool
	abFlags
}

// abFlags are the flags of every comparison in rounds.
type abFlags struct {
	Precision share
	MaxTime   time.Duration
	Round     time.Duration
	Pairs     string
}

func pairings() []string {
	var names []string
	for _, p := range ab.Pairings() {
		names = append(names, string(p))
	}
	return names
}

func (f *abFlags) register(cmd *cobra.Command, precision float64, maxTime time.Duration) {
	f.Precision = share(precision)
	fs := cmd.Flags()
	fs.Var(&f.Precision, "precision", "stop when the half width of the ratio's interval is below this")
	fs.DurationVar(&f.MaxTime, "max-time", maxTime, "stop each benchmark after this time in any case")
	fs.DurationVar(&f.Round, "round", 0, "length of a round (default: the length with less noise)")
}

// registerPairs adds the flag for where rounds run, which services leave to the system.
func (f *abFlags) registerPairs(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Pairs, "pairs", string(ab.PairsAuto),
		"run pairs of A and B in `MODE`: "+strings.Join(pairings(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("pairs", cobra.FixedCompletions(pairings(), cobra.ShellCompDirectiveNoFileComp))
}

func (f *abFlags) check() error {
	switch {
	case f.MaxTime <= 0:
		return diag.Usagef("--max-time", "must be positive, not "+f.MaxTime.String(), "omit it for the default")
	case f.Round < 0:
		return diag.Usagef("--round", "must be positive, not "+f.Round.String(), "omit it to let whet choose")
	case !slices.Contains(pairings(), f.Pairs):
		return unknownValue("bench", "--pairs mode", f.Pairs, pairings())
	}
	return checkPrecision("bench", f.Precision)
}

func (f *benchABFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Base, "base", "", "compare with a commit: A is `REF`, B the working tree")
	fs.StringVar(&f.Dirs[ab.A], "a", "", "A is the module in `DIR`")
	fs.StringVar(&f.Dirs[ab.B], "b", "", "B is the module in `DIR`")
	fs.StringVar(&f.Flags[ab.A], "a-flags", "", "build A with `FLAGS`, such as '-tags x GOGC=50'")
	fs.StringVar(&f.Flags[ab.B], "b-flags", "", "build B with `FLAGS`")
	fs.StringVar(&f.BenchmarksFrom, "benchmarks-from", "", "use the test files of `SIDE` (a or b) for both")
	f.abFlags.register(cmd, 0.01, time.Minute)
	f.registerPairs(cmd)
	fs.BoolVar(&f.VaryLayout, "vary-layout", false,
		"link A and B for each pair, with functions in another order")
	fs.StringVar(&f.HTML, "html", "", "also write an HTML page with the distributions to `FILE`")
	fs.BoolVar(&f.Markdown, "markdown", false, "write the comparison as Markdown")
	fs.StringArrayVar(&f.Gates, "gate", nil, "exit with code 3 unless `GATES` hold, such as 'sec/op<+3%'")
	fs.BoolVar(&f.Continue, "continue", false, "continue an interrupted comparison")
	_ = cmd.RegisterFlagCompletionFunc("benchmarks-from",
		cobra.FixedCompletions([]string{"a", "b"}, cobra.ShellCompDirectiveNoFileComp))
}

// onlyForTwo lists the flags that apply only to two builds.
func onlyForTwo() []string {
	return []string{
		"benchmarks-from", "precision", "max-time", "round", "pairs", "vary-layout", "html", "markdown", "gate", "continue",
	}
}

// requested reports whether the flags request a comparison of two builds.
func (f *benchABFlags) requested() bool {
	return f.Base != "" || f.Dirs != [2]string{} || f.Flags != [2]string{}
}

// sides returns what to build, with names for the results.
func (f *benchABFlags) sides(run *benchRunFlags) (sides [2]builds.Side, err error) {
	if f.Base != "" && f.Dirs[ab.A] != "" {
		return sides, diag.Usagef("bench", "--base and --a are mutually exclusive: both set A", "leave one out")
	}
	sides[ab.A].Ref = f.Base
	if f.Base != "" {
		// A is a commit of the repository that contains B.
		sides[ab.A].Dir = f.Dirs[ab.B]
		sides[ab.A].Name = f.Base
	}
	for side := range sides {
		if sides[side].Dir == "" {
			sides[side].Dir = f.Dirs[side]
		}
		sides[side].Name = cmp.Or(sides[side].Name, f.Dirs[side], "working tree")
		flags, env, err := gotest.ParseFlags(f.Flags[side])
		if err != nil {
			return sides, &diag.Error{Op: fmt.Sprintf("--%s-flags", []string{"a", "b"}[side]), Err: err, Kind: diag.Usage}
		}
		// Flags of one side come after those of both, so they win.
		sides[side].Flags = slices.Concat(run.source.Flags, flags)
		sides[side].Env = slices.Concat(run.source.Env, env)
		if f.Flags[side] != "" {
			sides[side].Name += " with " + f.Flags[side]
		}
	}
	if sides[ab.A].Ref == "" && sides[ab.A].Name == sides[ab.B].Name {
		return sides, diag.Usagef("bench", "A and B are the same",
			"give --base REF, or --a and --b, or flags for one of them")
	}
	return sides, nil
}

func (f *benchABFlags) from() (*ab.Side, error) {
	switch f.BenchmarksFrom {
	case "":
		return nil, nil
	case "a", "b":
		side := ab.Side(f.BenchmarksFrom[0] - 'a')
		return &side, nil
	}
	return nil, unknownValue("bench", "--benchmarks-from side", f.BenchmarksFrom, []string{"a", "b"})
}

// benchAB compares two builds.
func (a *app) benchAB(ctx context.Context, run *benchRunFlags, f *benchABFlags, patterns []string) error {
	if err := f.check(); err != nil {
		return err
	}
	sides, err := f.sides(run)
	if err != nil {
		return err
	}
	from, err := f.from()
	if err != nil {
		return err
	}
	gates, err := parseGates(f.Gates)
	if err != nil {
		return err
	}
	page := outputFlags{Output: f.HTML, Force: run.Force}
	if err := page.checkThere(); err != nil {
		return err
	}
	view := progress.NewComparison(a.newLine(), "benchmarks")
	o := builds.Options{
		Patterns: patterns, Bench: run.match(), BenchmarksFrom: from, Timeout: run.Timeout,
		VaryLayout: f.VaryLayout,
		AB: ab.Options{
			Precision: float64(f.Precision), MaxTime: f.MaxTime,
			Plans: ab.PlansFor(len(ab.Processors()), ab.Pairing(f.Pairs), f.Round), Seed: run.Seed, Progress: view.Show,
		},
		Journal: builds.JournalFile(sides, patterns, run.Bench, f.BenchmarksFrom), Continue: f.Continue,
		Stage: view.Stage,
	}
	r, err := builds.Run(ctx, sides[ab.A], sides[ab.B], o)
	view.End()
	if r == nil {
		return err
	}
	a.warn(r.Warnings...)
	r.Warnings = a.warned
	a.printFailures(r)
	switch {
	case errors.Is(err, builds.ErrNoCommon):
		return &diag.Error{Op: "bench", Err: err, Hint: "give --bench a pattern that matches benchmarks of both sides"}
	case err != nil:
		return err
	}
	errs := []error{a.writeAB(run, f.Markdown, r)}
	if run.toFile() {
		errs = append(errs, a.writeOutput(&run.outputFlags, r.WriteFormat))
	}
	if f.HTML != "" {
		errs = append(errs,
			a.writeOutput(&page, func(w io.Writer) error { return benchmarks.WriteABPage(w, &r.Result) }))
	}
	if r.Interrupted && o.Journal != "" {
		_, _ = fmt.Fprintln(a.stderr, "interrupted; run the same command with --continue to resume")
	}
	if failed, err := r.Check(gates); err != nil {
		errs = append(errs, &diag.Error{Op: "--gate", Err: err, Hint: "omit it, or name a unit that the benchmarks measure"})
	} else if len(failed) > 0 {
		errs = append(errs, &diag.Error{Op: "--gate", Err: errors.New(strings.Join(failed, "; ")), Kind: diag.Gate})
	}
	if r.Failed() {
		errs = append(errs, &diag.Error{Op: "bench", Err: errors.New("some benchmarks were not measured")})
	}
	return errors.Join(errs...)
}

func (a *app) writeAB(run *benchRunFlags, markdown bool, r *builds.Result) error {
	return a.write(func(w io.Writer) error {
		switch {
		case run.JSON:
			return report.JSON(w, r)
		case run.Output == "-":
			return r.WriteFormat(w)
		case markdown:
			return benchmarks.Builds(r).WriteMarkdown(w)
		}
		return benchmarks.Builds(r).Write(w, a.style)
	})
}

// printFailures lists on standard error what cannot be compared.
func (a *app) printFailures(r *builds.Result) {
	for _, f := range r.Failures {
		_, _ = fmt.Fprintln(a.stderr, "whet: "+layout.Clean(f.String()))
		for line := range strings.Lines(f.Output) {
			_, _ = fmt.Fprintln(a.stderr, "    "+layout.Clean(strings.TrimRight(line, "\n")))
		}
	}
}
