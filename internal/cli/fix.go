package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/fix/failures"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/findings"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/sandbox"
	"github.com/whet-go/whet/prove"
	"github.com/whet-go/whet/service"
)

// rewriteFlags are the flags of whet fix.
type rewriteFlags struct {
	outputFlags
	programFlags           // a service under load, in the place of benchmarks
	find         findFlags // where to look, and for what

	Bench     string
	Timeout   time.Duration
	FuzzTime  time.Duration
	Precision share
	MaxTime   time.Duration
	Review    bool
	Settings  bool
	Budget    time.Duration
	Apply     bool
	Sandbox   bool
	Patches   string
	Author    string

	Candidates string // a command
	candidates fix.Candidates

	formatFlags
	editorFlag
}

func (a *app) fixCommand() *cobra.Command {
	f := &rewriteFlags{}
	cmd := &cobra.Command{
		Use:   "fix RECORDING...",
		Short: "Apply the rewrites of whet find, and keep those that are proven",
		Long: `Apply the rewrites that whet find shows, and keep those that are proven.

whet works in a copy of the module, on one finding at a time, in order of rank.
A rewrite must build, and pass go vet and the module's tests. A fuzzer calls the
old and the new function with the same inputs, and the results must be equal.
Benchmarks that run the line must show a gain in interleaved rounds, and no loss
elsewhere. A rewrite that fails is dropped, and the reason is reported.
whet then looks for findings again in the rewritten module, up to four times,
for rewrites that conflicted with others. Rewrites with gains too small to
measure are tried together. Finally the original is compared with the result.

Your files are not changed without --apply, which requires a clean working tree.
--patches DIR writes a patch for each rewrite, with its evidence and proof in
the message, for git am. Ctrl-C ends early: the report and the patches contain
what was proven so far, and nothing is applied.

A rewrite whose results cannot be compared, because the function panics on each
input or always returns the same value, is reported as unproven and not kept.

--review also tries rewrites that need review, and keeps unproven ones. Build
and run settings, such as GOEXPERIMENT=jsonv2 and GOGC, are tried after the
rewrites. Proven settings are reported; whet never applies them.

Hot lines without such a rewrite may have candidates, which whet find lists as
unproven: changes that compile, but may be wrong. They are tried after the
rewrites, the most expensive lines first, for at most --budget, and are kept
only if everything is proven. The report has the others with the reason: a
counterexample, a failing test, or no gain.

With --candidates, a program of yours writes changes, too. For each of the most
expensive lines, after whet's own rewrites, CMD gets a work order as JSON
(schema whet.workorder/1) on standard input: the source, the cost, callers and
callees, allocations, compiler notes, captured arguments and benchmarks. It
writes a unified diff of existing source files, relative to the module, to
standard output, or nothing. The diff is judged like a rewrite. If it is
dropped, CMD is run again with the reason and the input on which the code
behaves differently, up to --candidate-rounds times. CMD is split into words as
a shell does, with quotes and leading KEY=value, but runs without a shell:
sh -c '...' adds one. It runs in the module's directory, in its own process
group, with your privileges.

With --dependencies, rules and generators also run on the hot lines of the
dependencies that cost most, up to three, each in a copy of it. What is found
there must pass the dependency's tests, and is measured by its benchmarks and
by yours that reach it. The patches are for its authors, in a directory below
that of --patches; --apply leaves them out. Neither the module cache nor
your module is changed. This takes the time of a whet fix, and --budget, for
each dependency.

whet runs code of the module, changed and unchanged, with your privileges. With
--sandbox, on Linux, that code and CMD have no network except loopback, and that
code can write only to the copy.

With --service, a rewrite that no benchmark runs is measured under load: the
program is built with and without it, and both are started and loaded
alternately, as in whet bench --service. The original and the result are
compared in the same way. --service and the flags after it configure this; the
defaults of --precision and --max-time are then 2% and 2m.`,
		Example: `  whet fix demo.whet --dir examples/leftpad
  whet fix --patches patches --bench 'StatsD|Handler' service.whet
  whet fix --apply --review --max-time 20s service.whet
  whet fix --format html -o fixes.html service.whet
  whet fix --dependencies --patches patches service.whet
  whet fix --candidates './assistant --model local' service.whet
  whet fix service.whet --service '-addr {addr}' --load http://{addr}/`,
		Args: someArgs("no recording given",
			"record the program under load first: `whet record http://localhost:6060 -o service.whet`"),
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		if f.Sandbox {
			if err := sandbox.Enter("fix"); err != nil {
				return err
			}
		}
		return a.fix(cmd.Context(), f, args)
	}
	return cmd
}

func (f *rewriteFlags) register(cmd *cobra.Command) {
	f.find.read.command = "fix"
	f.find.MinShare = find.DefaultMinShare
	f.Precision = 0.01
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.find.Dir, "dir", "", "rewrite the module in `DIR` (default: current directory)")
	fs.StringVar(&f.find.Flags, "flags", "", "go build `FLAGS` and KEY=value environment to build with")
	fs.StringArrayVar(&f.find.read.Own, "own", nil,
		"also treat modules or packages with this `PREFIX` as own code; may repeat")
	fs.Var(&f.find.MinShare, "min-share", "omit what is below this share of every profile")
	fs.StringVar(&f.find.Rule, "rule", "", "run only rules and generators that match `REGEXP`")
	fs.BoolVar(&f.find.Deps, "dependencies", false, "also try rewrites in copies of the most expensive dependencies")
	f.find.registerMaxTrace(fs)
	fs.StringVar(&f.Bench, "bench", "", "measure with benchmarks that match `REGEXP` (default: those that run the line)")
	fs.DurationVar(&f.Timeout, "timeout", prove.DefaultTimeout, "limit on the tests, and on one run of a benchmark")
	fs.DurationVar(&f.FuzzTime, "fuzz-time", prove.DefaultFuzzTime, "time to fuzz old against new, for each function")
	fs.Var(&f.Precision, "precision", "measure until the interval's half width is below this, such as 1%")
	fs.DurationVar(&f.MaxTime, "max-time", 20*time.Second, "measure each benchmark for at most this time")
	fs.BoolVar(&f.Review, "review", false, "also try rewrites that need review")
	fs.BoolVar(&f.Settings, "settings", true, "also measure the build and run settings that findings suggest")
	fs.DurationVar(&f.Budget, "budget", fix.DefaultBudget, "try candidates for at most this time; 0 tries none")
	fs.BoolVar(&f.Sandbox, "sandbox", false,
		"run code of the module without a network, and let it write only to the copy (Linux)")
	fs.BoolVar(&f.Apply, "apply", false, "apply the kept rewrites to your files")
	fs.StringVar(&f.Patches, "patches", "", "write a patch for each kept rewrite to `DIR`")
	fs.StringVar(&f.Author, "author", "whet <whet@localhost>", "`AUTHOR` of the patches")
	fs.StringVar(&f.Candidates, "candidates", "", "also try changes that the program `CMD` writes")
	fs.IntVar(&f.candidates.Rounds, "candidate-rounds", fix.DefaultCandidateRounds, "try up to `N` candidates for a line")
	fs.IntVar(&f.candidates.Lines, "candidate-lines", fix.DefaultCandidateLines, "ask CMD about up to `N` lines")
	fs.DurationVar(&f.candidates.Timeout, "candidate-timeout", fix.DefaultCandidateTimeout, "limit on one run of CMD")
	f.registerFormat(cmd, "text", "markdown", "html", "json")
	f.registerEditor(cmd)
	fs.StringVarP(&f.Output, "output", "o", "", "write to `FILE`; - is standard output, the default")
	fs.BoolVar(&f.Force, "force", false, "replace the file of -o; with --apply, allow uncommitted changes")
	f.find.read.MaxMemory.register(fs, "")
	f.registerProgram(cmd)
	_ = cmd.RegisterFlagCompletionFunc("rule", completeRules)
}

func (f *rewriteFlags) check(cmd *cobra.Command) error {
	if err := errors.Join(f.checkFormat("fix", cmd), f.checkEditor("fix", cmd, f.Format)); err != nil {
		return err
	}
	if err := checkPositive("fix", cmd, "timeout", "max-time", "fuzz-time"); err != nil {
		return err
	}
	if err := checkPrecision("fix", f.Precision); err != nil {
		return err
	}
	if f.Budget < 0 {
		return diag.Usagef("fix", "--budget must not be negative", "--budget 0 tries no candidates")
	}
	if err := f.checkCandidates(cmd); err != nil {
		return err
	}
	if _, err := compileFlag("--bench", f.Bench); err != nil {
		return err
	}
	if err := checkUseless("fix", cmd.Flags().Changed, []useless{
		{"author", f.Patches == "", "without --patches", "name the directory of the patches: --patches DIR"},
		noFile(!f.toFile() && !f.Apply, "name it with -o, or write to your files with --apply"),
	}); err != nil {
		return err
	}
	if f.Patches != "" {
		if entries, err := os.ReadDir(f.Patches); err == nil && len(entries) > 0 {
			return &diag.Error{
				Op: "write patches to", Subject: f.Patches, Err: errors.New("the directory is not empty"),
				Hint: "name another directory with --patches",
			}
		}
	}
	if err := f.checkProgram(cmd, f.find.Dir, float64(f.Precision), f.MaxTime); err != nil {
		return err
	}
	return f.checkThere()
}

// checkCandidates checks the flags about the program that writes changes.
func (f *rewriteFlags) checkCandidates(cmd *cobra.Command) error {
	none := f.Candidates == ""
	const hint = "name the program that writes changes: --candidates CMD"
	if err := checkUseless("fix", cmd.Flags().Changed, []useless{
		{"candidate-rounds", none, "without --candidates", hint},
		{"candidate-lines", none, "without --candidates", hint},
		{"candidate-timeout", none, "without --candidates", hint},
	}); err != nil {
		return err
	}
	if err := checkPositive("fix", cmd, "candidate-timeout"); err != nil {
		return err
	}
	c := &f.candidates
	if c.Rounds < 1 || c.Lines < 1 {
		return diag.Usagef("fix", "--candidate-rounds and --candidate-lines must be positive", "omit them for the defaults")
	}
	if none {
		return nil
	}
	command, err := service.ParseCommand(f.Candidates)
	if err != nil {
		return err
	}
	c.Command, c.Env = command.Args, command.Env
	if c.Command[0], err = exec.LookPath(c.Command[0]); err == nil {
		c.Command[0], err = filepath.Abs(c.Command[0]) // it runs in the module's directory
	}
	if err != nil {
		return &diag.Error{Op: "--candidates", Err: err, Hint: "name a program that can be run"}
	}
	return nil
}

// fix does the work of whet fix.
func (a *app) fix(ctx context.Context, f *rewriteFlags, args []string) error {
	if f.serves() {
		if err := a.prepareProgram(&f.programFlags, "fix", args); err != nil {
			return err
		}
	}
	if f.Apply && !f.Force {
		if err := fix.CheckClean(ctx, cmp.Or(f.find.Dir, ".")); err != nil {
			return err // before minutes of work
		}
	}
	program, look, err := a.readProgram(ctx, &f.find, args)
	if err != nil {
		return err
	}
	defer program.Close()
	found, err := a.findIn(ctx, program, look)
	if err != nil {
		return err
	}
	a.warn(found.Warnings...)
	view := progress.NewSteps(a.newLine())
	defer view.End()
	o := fix.Options{
		Bench: f.Bench, Timeout: f.Timeout, FuzzTime: f.FuzzTime, Review: f.Review, Settings: f.Settings,
		AB:       ab.Options{Precision: float64(f.Precision), MaxTime: f.MaxTime, Progress: view.Measure},
		Progress: view.Begin, Tried: view.Tried,
		Profiles: program.Profiles, Find: program.Options(look), Budget: f.Budget, Candidates: f.candidates,
	}
	o.Flags, o.Env = look.Flags, look.Env
	if f.Sandbox {
		o.Wrap = sandbox.Command
	}
	if o.Captured, err = captured.In(program.Opened); err != nil {
		return err
	}
	for _, l := range program.Opened {
		if l.Recording != nil {
			o.Recordings = append(o.Recordings, l.Recording)
		}
	}
	if f.serves() {
		done, err := a.watchService(&f.programFlags, view)
		if err != nil {
			return err
		}
		defer done()
		o.Service = &f.program
	}
	r, err := fix.Run(ctx, found, o)
	if err == nil && f.find.Deps && ctx.Err() == nil {
		var failed error
		r.Upstream, failed = fixUpstream(ctx, program, look, found, o)
		r.Warnings.Add(failed)
		r.Interrupted = r.Interrupted || ctx.Err() != nil
	}
	view.Pause() // for good
	if err != nil {
		return err
	}
	r.Warnings.Add(failures.Remember(failures.CacheDir(), r))
	a.warn(r.Warnings...)
	r.Warnings = a.warned // also those of reading and of finding
	return a.writeFixResults(ctx, f, r, args)
}

// writeFixResults writes the report, the patches and, with --apply, the kept rewrites to the user's
// files. If one cannot be written, the others still are.
func (a *app) writeFixResults(ctx context.Context, f *rewriteFlags, r *fix.Result, args []string) error {
	err := a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		switch f.Format {
		case "json":
			return report.JSON(w, r)
		case "markdown":
			return findings.Fix(r).WriteMarkdown(w)
		case "html":
			return f.withEditor(findings.Fix(r), r.Dir).WritePage(w)
		}
		return findings.Fix(r).Write(w, a.style)
	})
	if f.Patches != "" {
		err = errors.Join(err, a.writePatches(f, r))
	}
	switch {
	case r.Interrupted && f.Apply:
		return errors.Join(err, errors.New("interrupted; nothing was applied"))
	case r.Interrupted:
		return errors.Join(err, errors.New("interrupted"))
	case f.Apply:
		return errors.Join(err, r.Apply(ctx, f.Force))
	}
	if err == nil && f.Format == "text" && f.Output == "" &&
		slices.ContainsFunc(r.Attempts, func(x fix.Attempt) bool { return x.Kept() }) {
		a.next(append([]string{"fix", "--apply"}, args...)...)
	}
	return err
}

func (a *app) writePatches(f *rewriteFlags, r *fix.Result) error {
	if err := a.writeUpstream(f.Patches, f.Author, r.Upstream); err != nil {
		return err
	}
	patches := r.Patches(f.Author)
	if len(patches) == 0 {
		return nil
	}
	if err := writePatchFiles(f.Patches, patches); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(a.stderr, "wrote %s to %s\n", layout.Plural(len(patches), "patch", "patches"), f.Patches)
	return nil
}
