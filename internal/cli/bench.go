package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/bench/export"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/layout"
)

func (a *app) benchCommand() *cobra.Command {
	f, two := &benchRunFlags{}, &benchABFlags{}
	cmd := &cobra.Command{
		Use:   "bench [PACKAGE...] | bench COMMAND",
		Short: "Run Go benchmarks and compare results",
		Long: `Run the benchmarks of Go packages (./... by default) and report how long they
take, with confidence intervals.

Each benchmark runs in a separate process, in rounds: all benchmarks once, in
random order, then all again, so that a slow phase of the machine is spread over
all of them. The table shows the median of the rounds and the half width of its
confidence interval, computed as benchstat does. A benchmark that panics, exits
or hangs is reported, and the others continue. Ctrl-C prints what was measured
so far.

Given --base, two directories or two sets of flags, whet compares two builds. It
first measures the noise, A against A, to choose how to run the rounds. Rounds
of A and B then alternate in random order until their ratio is known to
--precision. The intervals are valid whenever you stop. A commit is built in a
temporary git worktree; your files are not changed.`,
		Example: `  whet bench
  whet bench ./encode ./decode --bench 'JSON|XML' --count 20
  whet bench ./... --flags '-tags fast GOGC=off' --cpu 1,2
  whet bench ./... -o new.txt
  whet bench --base main ./encode
  whet bench --b-flags '-tags fast' --precision 0.5%
  whet bench --a ../old --b . --benchmarks-from b
  whet bench compare old.txt new.txt`,
		Args: cobra.ArbitraryArgs,
	}
	f.register(cmd)
	two.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		if err := checkUseless("bench", cmd.Flags().Changed, []useless{
			noFile(!f.toFile() && two.HTML == "", "name it with -o, or with --html in a comparison"),
		}); err != nil {
			return err
		}
		if two.requested() {
			const chosen = "in a comparison, which chooses the rounds itself"
			if err := checkUseless("bench", cmd.Flags().Changed, []useless{
				{"count", true, chosen, "--precision and --max-time set when it ends"},
				{"benchtime", true, chosen, "--round is the length of a round"},
				{"markdown", f.JSON || f.Output == "-", "with --json or -o -, which choose the output", "leave one out"},
				{"cpu", true, "in a comparison, which runs benchmarks as they are", "set it for both with --flags GOMAXPROCS=2"},
			}); err != nil {
				return err
			}
			return a.benchAB(cmd.Context(), f, two, args)
		}
		for _, name := range onlyForTwo() {
			if cmd.Flags().Changed(name) {
				return diag.Usagef("--"+name, "nothing to compare with", "give --base REF, or --a and --b, or --b-flags")
			}
		}
		return a.benchRun(cmd.Context(), f, args)
	}
	cmd.AddCommand(a.benchCompareCommand(), a.benchHistoryCommand(), a.benchProfileCommand())
	a.addBenchService(cmd)
	return cmd
}

// benchCompareFlags are the flags of whet bench compare.
type benchCompareFlags struct {
	outputFlags
	bench.Options
	formatFlags
}

func (a *app) benchCompareCommand() *cobra.Command {
	f := &benchCompareFlags{}
	cmd := &cobra.Command{
		Use:   "compare OLD NEW [MORE...]",
		Short: "Compare benchmark results, with confidence intervals",
		Long: `Compare benchmark results, with confidence intervals.

The inputs are outputs of go test -bench, ideally with -count 10 or more; - is
standard input, and LABEL=FILE names a column. The statistics and the meaning of
--table, --row, --col, --ignore and --filter are those of benchstat; see
https://pkg.go.dev/golang.org/x/perf/benchproc/syntax

A row shows the median of each side with the half width of its confidence
interval, the change, and p, the probability of such a difference by chance.
Among many benchmarks some p are small by chance; q is p adjusted for their
number (Benjamini and Hochberg). Decide by q.

--format html writes a page that plots the measurements of each benchmark; it
needs no network. --format benchstat and --format benchstat-csv write what
benchstat and benchstat -format csv write, for tools that read those; --ignore
is then empty by default, as in benchstat.`,
		Example: `  whet bench compare old.txt new.txt
  whet bench compare before=old.txt after=new.txt
  whet bench compare --filter '.name:Encode .unit:sec/op' old.txt new.txt
  whet bench compare --col /format --row .name --ignore .file new.txt
  whet bench compare --format markdown old.txt new.txt
  whet bench compare --format benchstat old.txt new.txt
  whet bench compare --json old.txt new.txt
  whet bench compare --format html -o difference.html old.txt new.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			stdin := 0
			for _, in := range bench.ParseInputs(args) {
				if in.Path == "-" {
					stdin++
				}
			}
			switch {
			case len(args) == 0:
				return diag.Usagef("bench compare", "no files given",
					"give the output of go test -bench before and after: `whet bench compare old.txt new.txt`")
			case stdin > 1:
				return diag.Usagef("bench compare", fmt.Sprintf("standard input is used %d times", stdin),
					"it can only be read once; use files for the others")
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.Filter, "filter", "*", "use only results that match `QUERY`")
	fs.StringVar(&f.Row, "row", ".fullname", "split results into rows by `PROJECTION`")
	fs.StringVar(&f.Column, "col", ".file", "split results into columns by `PROJECTION`")
	fs.StringVar(&f.Table, "table", ".config", "split results into tables by `PROJECTION`")
	fs.StringVar(&f.Ignore, "ignore", strings.Join(bench.DescriptiveKeys(), ","), "ignore differences in `KEYS`")
	fs.Float64Var(&f.Alpha, "alpha", 0.05, "treat changes as significant if p is below `ALPHA`, a fraction")
	fs.Float64Var(&f.Confidence, "confidence", 0.95, "compute intervals with confidence `LEVEL`, a fraction")
	f.registerFormat(cmd, "text", "markdown", "csv", "json", "html", "benchstat", "benchstat-csv")
	f.registerOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		switch {
		case cmd.Flags().Changed("ignore"):
		case strings.HasPrefix(f.Format, "benchstat"):
			f.Ignore = ""
		default:
			f.Unique = "commit" // of which two in one column are rarely meant
		}
		return a.benchCompare(cmd.Context(), f, args)
	}
	return cmd
}

func (f *benchCompareFlags) check(cmd *cobra.Command) error {
	if err := f.checkFormat("bench compare", cmd); err != nil {
		return err
	}
	for name, v := range map[string]float64{"alpha": f.Alpha, "confidence": f.Confidence} {
		if !(v > 0 && v < 1) {
			return diag.Usagef("--"+name, fmt.Sprintf("%v is not between 0 and 1", v), "omit it for the default")
		}
	}
	return f.checkOutput()
}

func (a *app) benchCompare(ctx context.Context, f *benchCompareFlags, args []string) error {
	f.Stdin = a.stdin
	c, err := bench.Compare(ctx, bench.ParseInputs(args), f.Options)
	if err != nil {
		return benchError(err)
	}
	a.warn(c.Warnings...)
	c.Warnings = a.warned
	return a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		switch f.Format {
		case "markdown":
			return benchmarks.Comparison(c).WriteMarkdown(w)
		case "csv":
			return export.CSV(w, c)
		case "json":
			return report.JSON(w, c)
		case "html":
			return benchmarks.WritePage(w, c)
		case "benchstat":
			return export.Benchstat(w, c)
		case "benchstat-csv":
			return export.BenchstatCSV(w, a.stderr, c)
		default:
			style := a.style
			if f.toFile() {
				style = layout.Style{}
			}
			return benchmarks.Comparison(c).Write(w, style)
		}
	})
}

// benchError adds the flag or the command to an error of package bench.
func benchError(err error) error {
	pooled := (*bench.PooledError)(nil)
	if oe := (*bench.OptionError)(nil); errors.As(err, &oe) {
		return &diag.Error{Op: "--" + oe.Option, Err: oe.Err, Hint: oe.Hint(), Kind: diag.Usage}
	}
	if errors.As(err, &pooled) || errors.Is(err, bench.ErrNoResults) {
		return &diag.Error{Op: "bench compare", Err: err}
	}
	return err
}
