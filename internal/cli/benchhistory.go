package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
)

// benchHistoryFlags are the flags of whet bench history.
type benchHistoryFlags struct {
	outputFlags
	history.Options
	HTML   string
	JSON   bool
	Gates  []string
	Strict bool
}

func (a *app) benchHistoryCommand() *cobra.Command {
	f := &benchHistoryFlags{}
	cmd := &cobra.Command{
		Use:   "history DIR",
		Short: "Show which commits changed the benchmarks, and gate the newest",
		Long: `Show which commits changed the benchmarks, and gate the newest.

DIR holds results by commit, which whet bench history add files there. Results
of one machine (processor, system, GOMAXPROCS, Go version) make a series along
the commits. Results that were measured beside a base count as ratios to it.

A change is where what was measured before and after differs by more than chance
(E-divisive with a permutation test, adjusted for the number of series). It
needs some commits on both sides: the newest is what --gate is for, which
compares it with those since the last change, and exits with code 3 when it
fails.

A gate is a unit with what is just allowed, as a share or in the unit:
sec/op<+3%, allocs/op<+0, B/s>-5%, or for some benchmarks Encode:B/op<+64.`,
		Example: `  whet bench history results
  whet bench history --html history.html results
  whet bench history --gate 'sec/op<+10%,allocs/op<+0' results
  whet bench history --gate 'Encode/.*json:sec/op<+10%' --strict results
  whet bench history --json results`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return diag.Usagef("bench history", fmt.Sprintf("want one directory, got %d", len(args)), "to file results: `whet bench history add DIR FILE`; then `whet bench history DIR`")
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringArrayVar(&f.Gates, "gate", nil, "hold the newest commit to `GATES`, with commas between")
	fs.BoolVar(&f.Strict, "strict", false, "fail, too, where noise leaves a gate undecided")
	fs.Float64Var(&f.Alpha, "alpha", 0.05, "share of the changes that may be chance")
	fs.Float64Var(&f.Confidence, "confidence", 0.95, "level of the confidence intervals")
	fs.StringVar(&f.HTML, "html", "", "write a page with charts to `FILE`, beside the text")
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
	f.registerOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.benchHistory(cmd.Context(), f, args[0]) }
	cmd.AddCommand(a.benchHistoryAddCommand())
	return cmd
}

// check reads the gates and reports what cannot work, before the work.
func (f *benchHistoryFlags) check() ([]history.Gate, error) {
	for name, v := range map[string]float64{"alpha": f.Alpha, "confidence": f.Confidence} {
		if !(v > 0 && v < 1) {
			return nil, diag.Usagef("--"+name, fmt.Sprintf("%v is not between 0 and 1", v), "leave it out for the default")
		}
	}
	if f.Strict && len(f.Gates) == 0 {
		return nil, diag.Usagef("--strict", "there is no gate", "give one: `--gate 'sec/op<+3%'`")
	}
	if f.HTML == "-" || f.HTML != "" && f.HTML == f.Output {
		return nil, diag.Usagef("--html", "the result is written there", "name another file")
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
		return benchHistoryError(err)
	}
	var warnings []error
	for _, w := range r.Warnings {
		warnings = append(warnings, errors.New(w))
	}
	a.printWarnings(warnings)
	if err := r.Check(gates); err != nil {
		return &diag.Error{Op: "--gate", Err: err, Hint: "leave it out, or name what the results have"}
	}
	err = a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		if f.JSON {
			return report.JSON(w, r)
		}
		style := a.style
		if f.toFile() {
			style = report.Style{}
		}
		return report.WriteBenchHistory(w, style, r)
	})
	if f.HTML != "" {
		page := &outputFlags{Output: f.HTML, Force: f.Force}
		err = errors.Join(err, a.writeOutput(page, func(w io.Writer) error { return report.WriteBenchHistoryPage(w, r) }))
	}
	return errors.Join(err, gateError(r, f.Strict))
}

// gatesNamed is how many failed gates an error names.
const gatesNamed = 8

// gateError names the gates that the newest commit fails; nil when there are none.
func gateError(r *history.Report, strict bool) error {
	var failed []string
	for i := range r.Gate {
		c := &r.Gate[i]
		s := &r.Series[c.Series]
		switch {
		case c.Outcome == history.Fails:
			failed = append(failed, fmt.Sprintf("%s of %s is %s, not %s", s.Unit, s.Benchmark, report.GateChange(r, c), c.Gate))
		case c.Outcome == history.Undecided && strict:
			failed = append(failed, fmt.Sprintf("%s of %s is undecided: %s", s.Unit, s.Benchmark, c.Reason))
		}
	}
	if len(failed) == 0 {
		return nil
	}
	if more := len(failed) - gatesNamed; more > 0 {
		failed = append(failed[:gatesNamed], fmt.Sprintf("%d more", more))
	}
	return &diag.Error{Op: "--gate", Err: errors.New(report.Clean(strings.Join(failed, "; "))), Kind: diag.Gate}
}

// benchHistoryError gives errors of package history their cures.
func benchHistoryError(err error) error {
	const measure = "`go test -run '^$' -bench . -benchmem -count 10 > FILE`"
	dirty := (*history.DirtyError)(nil)
	switch {
	case errors.Is(err, history.ErrEmpty):
		return &diag.Error{Err: err, Hint: "file some: " + measure + ", then `whet bench history add DIR FILE`"}
	case errors.Is(err, history.ErrNoResults):
		return &diag.Error{Err: err, Hint: "give what this prints: " + measure}
	case errors.Is(err, history.ErrNoRepository):
		return &diag.Error{Op: "bench history add", Err: err, Hint: "results are filed under a commit: run it in the repository that was measured"}
	case errors.Is(err, history.ErrOtherCommit):
		return &diag.Error{Op: "bench history add", Err: err, Hint: "name it: --commit HASH"}
	case errors.Is(err, history.ErrChanged):
		return &diag.Error{Op: "bench history add", Err: err, Hint: "commit and measure again; or --dirty to file them marked"}
	case errors.Is(err, history.ErrNoBase):
		return &diag.Error{Op: "bench history add", Err: err, Hint: "say it: --base-commit NAME"}
	case errors.Is(err, history.ErrAlone):
		return &diag.Error{Op: "--base-commit", Err: err, Hint: "name them: --base FILE", Kind: diag.Usage}
	case errors.As(err, &dirty):
		return &diag.Error{Op: "bench history add", Err: err, Hint: "commit and measure again; or --dirty to file them marked, or --commit REF if they are of another commit"}
	case errors.Is(err, fs.ErrNotExist):
		return &diag.Error{Err: err, Hint: "make it: " + measure + ", then `whet bench history add DIR FILE`"}
	}
	return err
}

// benchHistoryAddFlags are the flags of whet bench history add.
type benchHistoryAddFlags struct {
	Commit, Base, BaseCommit, Go string
	Dirty                        bool
}

func (a *app) benchHistoryAddCommand() *cobra.Command {
	f := &benchHistoryAddFlags{}
	cmd := &cobra.Command{
		Use:   "add DIR FILE...",
		Short: "File results of benchmarks under the commit that they are of",
		Long: `File results of benchmarks under the commit that they are of.

FILE is what go test -bench prints, a run each; - is standard input. They are
of the commit that the working directory is at, which must not have uncommitted
changes then, or of --commit. Each becomes a new file in DIR, in the same
format, named by the time and the hash of the commit; nothing is ever replaced.

Times of different days differ by what the machine does besides. With --base,
the results of another commit from the same sitting, it is the ratio that
counts; so it is with files of whet bench that hold two builds.`,
		Example: `  whet bench history add results new.txt
  whet bench history add --commit HEAD~1 results old.txt
  whet bench history add --base old.txt --base-commit HEAD~1 results new.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return diag.Usagef("bench history add", "want a directory and files of results", "`go test -run '^$' -bench . -count 10 | whet bench history add DIR -`")
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.Commit, "commit", "", "what was measured, by any `NAME` that git knows (default HEAD)")
	fs.BoolVar(&f.Dirty, "dirty", false, "file results of uncommitted changes, marked as such")
	fs.StringVar(&f.Base, "base", "", "results in `FILE` are of another commit, from the same sitting")
	fs.StringVar(&f.BaseCommit, "base-commit", "", "which commit `NAME` the base is of")
	fs.StringVar(&f.Go, "go", "", "`VERSION` of Go that built them, if they do not say (default: go env's)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.benchHistoryAdd(cmd.Context(), f, args) }
	return cmd
}

func (a *app) benchHistoryAdd(ctx context.Context, f *benchHistoryAddFlags, args []string) error {
	if f.Base != "" && f.BaseCommit == "" {
		return diag.Usagef("--base", "it is not said which commit it is of", "`--base old.txt --base-commit HEAD~1`")
	}
	if f.Base != "" && len(args) != 2 {
		return diag.Usagef("bench history add", fmt.Sprintf("--base belongs to one file of results, not to %d", len(args)-1), "file the others without it")
	}
	filing := history.Filing{Dir: args[0], Stdin: a.stdin, Base: f.Base, BaseCommit: f.BaseCommit, Commit: f.Commit, Dirty: f.Dirty, Go: f.Go}
	if filing.Go == "" {
		filing.Go = goVersionHere(ctx)
	}
	stdin := 0
	for _, in := range args[1:] {
		if in == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return diag.Usagef("bench history add", fmt.Sprintf("standard input is asked for %d times", stdin), "it can be read once; use files for the others")
	}
	filing.Inputs = args[1:]
	paths, texts, err := history.Add(ctx, filing)
	var warnings []error
	for _, w := range texts {
		warnings = append(warnings, errors.New(w))
	}
	a.printWarnings(warnings)
	werr := a.write(func(w io.Writer) error {
		for _, p := range paths {
			if _, err := fmt.Fprintln(w, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		err = benchHistoryError(err)
	}
	return errors.Join(err, werr)
}

// goVersionHere is the version of the go command in the working directory, whose go.mod
// may choose it; "" when there is none.
func goVersionHere(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
