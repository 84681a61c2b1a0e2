package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find/recorded"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/findings"
	"github.com/whet-go/whet/internal/sandbox"
	"github.com/whet-go/whet/prove"
)

// proveFlags are the flags of whet prove.
type proveFlags struct {
	outputFlags
	programFlags           // a service under load, where no benchmark runs the change
	read         viewFlags // how the recordings are read

	Patch      string
	Versions   [2]string // directories
	Dir        string
	Recording  []string
	Flags      string
	Tests      string
	Bench      string
	Timeout    time.Duration
	FuzzTime   time.Duration
	MutantTime time.Duration
	Race       bool
	Configs    string
	Sandbox    bool
	Precision  share
	MaxTime    time.Duration
	Budget     time.Duration

	formatFlags
	editorFlag
	Reproducer string
}

func (a *app) proveCommand() *cobra.Command {
	f := &proveFlags{}
	cmd := &cobra.Command{
		Use:   "prove [REV | REV..REV] [--] [PACKAGE...]",
		Short: "Judge a change: does it keep behavior, and is it faster?",
		Long: `Judge a change, whoever wrote it: does the code still behave the same, and is it
faster? Version A is the code before the change, version B the code after it:

  whet prove             uncommitted work against HEAD
  whet prove REV         the working tree against a git revision
  whet prove REV..REV    two revisions; REV...REV begins at the common ancestor
  whet prove --patch P   the working tree, and the same with a patch
  whet prove --a A --b B two directories

Packages limit what is judged. They are patterns of the go command: "." and
those that begin with "./", or any after "--". Version B still has the whole
change; what changed in other packages is listed as not judged.

whet works in a copy of the module; your files are only read. Version B must
build, and go vet must report nothing new. Every test of version A must have the
same result as before. A fuzzer calls the old and the new functions with the
same inputs, and they must behave the same. Benchmarks that run the changed
lines are measured in interleaved rounds; if there are none, whet writes one.

For the other platforms and tags that the module's CI names, version B must also
build and pass vet, if version A does (--configs).

To show how strong this proof is, whet makes small errors in the changed lines
of version B, one at a time (mutants), and counts how many of them the tests and
the inputs notice. If they notice fewer than 3 of 4, the outcome is unproven.

The outcome is one of these:

  faster      behaves the same; some figure is better, and none is worse
  same speed  behaves the same; no figure shows a difference
  slower      some figure is worse
  different   behaves differently; the report shows the input or the test
  broken      does not build, or go vet has a new complaint
  unproven    something is missing to decide; the report says what

Only what was compared can count as the same. If functions could not be called,
or the users of a changed declaration were not compared, the outcome is
unproven. It is also unproven if the change adds what benchmarks do not show,
such as other settings of the garbage collector, or work in init.

For a difference, whet writes a test that passes with version A and fails with
version B: --reproducer FILE saves it.

Changes to tests, benchmarks and testdata are listed, but not used, unless
--tests b runs those of version B.

whet runs code of both versions with your privileges: do not use it on code that
you would not run. With --sandbox, on Linux, that code has no network except
loopback, and can write only to the copy.

Exit codes: 0 faster or same speed, 1 the change cannot be judged, 2 usage,
3 another outcome.`,
		Example: `  whet prove
  whet prove main...
  whet prove main ./internal/text ./cmd/...
  whet prove --format markdown -o comment.md origin/main...HEAD
  git diff | whet prove --patch - --dir ../clean
  whet prove --recording service.whet v1.2.0..HEAD
  whet prove main --service '-addr {addr}' --load http://{addr}/`,
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		args, patterns, err := splitPackages(args, cmd.ArgsLenAtDash())
		if err != nil {
			return err
		}
		if err := f.check(cmd, args); err != nil {
			return err
		}
		if f.Sandbox {
			if err := sandbox.Enter("prove"); err != nil {
				return err
			}
		}
		return a.prove(cmd.Context(), f, args, patterns)
	}
	return cmd
}

// splitPackages divides arguments into a revision, if there is one, and patterns of packages: those after "--", which
// is before the argument with number dash, and those that cannot be a revision. dash is below 0 if there is no "--".
func splitPackages(args []string, dash int) (revision, patterns []string, err error) {
	if dash < 0 {
		dash = slices.IndexFunc(args, func(arg string) bool { return arg == "." || strings.HasPrefix(arg, "./") })
	}
	if dash < 0 {
		dash = len(args)
	}
	revision, patterns = args[:dash], args[dash:]
	if len(revision) > 1 {
		return nil, nil, diag.Usagef("prove", fmt.Sprintf("%q is a second revision", revision[1]),
			"name two revisions as REV..REV; packages are \".\", begin with \"./\", or come after \"--\"")
	}
	return revision, patterns, nil
}

func (f *proveFlags) register(cmd *cobra.Command) {
	f.read.command = "prove"
	f.Precision = 0.02
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.Patch, "patch", "", "apply the patch in `FILE` to get version B; - is standard input")
	fs.StringVar(&f.Versions[0], "a", "", "take version A from the module in `DIR`")
	fs.StringVar(&f.Versions[1], "b", "", "take version B from the module in `DIR`")
	fs.StringVar(&f.Dir, "dir", ".", "judge the module in `DIR`")
	fs.StringArrayVar(&f.Recording, "recording", nil, "take hot lines from `RECORDING`, made of version A; may repeat")
	fs.StringVar(&f.Flags, "flags", "", "go build `FLAGS` and KEY=value environment to build with")
	fs.StringVar(&f.Tests, "tests", "a", "run the tests and benchmarks of `VERSION`: a or b")
	fs.StringVar(&f.Bench, "bench", "", "measure with benchmarks that match `REGEXP` (default: those that run the lines)")
	fs.DurationVar(&f.Timeout, "timeout", prove.DefaultTimeout, "limit on the tests, and on one run of a benchmark")
	fs.DurationVar(&f.FuzzTime, "fuzz-time", prove.DefaultFuzzTime, "time to fuzz old against new, for each function")
	fs.BoolVar(&f.Race, "race", true, "also run tests that start goroutines with the race detector")
	fs.BoolVar(&f.Sandbox, "sandbox", false,
		"run code of both versions without a network, and let it write only to the copy (Linux)")
	fs.StringVar(&f.Configs, "configs", "ci",
		"also build for `LIST`, such as \"windows/amd64 linux/arm64+tag,tag\", for what the module's CI names (ci), or none")
	fs.DurationVar(&f.MutantTime, "mutant-time", prove.DefaultMutantTime,
		"time to run mutants, small errors in the changed lines; 0 for none")
	fs.Var(&f.Precision, "precision", "measure until the interval's half width is below this, such as 1%")
	fs.DurationVar(&f.MaxTime, "max-time", 10*time.Second, "measure each benchmark for at most this time")
	fs.DurationVar(&f.Budget, "budget", 0, "end the whole proof after this time, such as 5m (default: no limit)")
	f.registerFormat(cmd, "text", "markdown", "html", "json", "sarif")
	f.registerEditor(cmd)
	f.registerOutput(cmd)
	fs.StringVar(&f.Reproducer, "reproducer", "", "write a test that shows a difference to `FILE`")
	f.registerProgram(cmd)
	_ = cmd.RegisterFlagCompletionFunc("tests",
		cobra.FixedCompletions([]string{"a", "b"}, cobra.ShellCompDirectiveNoFileComp))
}

func (f *proveFlags) check(cmd *cobra.Command, args []string) error {
	changed := cmd.Flags().Changed
	if err := errors.Join(f.checkFormat("prove", cmd), f.checkEditor("prove", cmd, f.Format)); err != nil {
		return err
	}
	if f.Tests != "a" && f.Tests != "b" {
		return unknownValue("prove", "version", f.Tests, []string{"a", "b"})
	}
	dirs := changed("a") || changed("b")
	switch {
	case dirs && (f.Versions[0] == "" || f.Versions[1] == ""):
		return diag.Usagef("prove", "--a and --b go together", "name both directories")
	case dirs && (f.Patch != "" || len(args) > 0 || changed("dir")), f.Patch != "" && len(args) > 0:
		return diag.Usagef("prove", "a revision, --patch, and --a with --b are mutually exclusive", "name the change once")
	}
	if err := checkPositive("prove", cmd, "timeout", "max-time", "fuzz-time"); err != nil {
		return err
	}
	if f.Budget < 0 || cmd.Flags().Changed("budget") && f.Budget == 0 {
		return diag.Usagef("prove", fmt.Sprintf("--budget must be positive, not %v", f.Budget), "omit it for no limit")
	}
	if f.MutantTime < 0 {
		return diag.Usagef("prove", fmt.Sprintf("--mutant-time must not be negative, but is %v", f.MutantTime),
			"use 0 to try no mutants")
	}
	if f.Configs != "ci" && f.Configs != "none" {
		if list, err := prove.ParseConfigs(f.Configs); err != nil {
			return diag.Usagef("prove", "--configs: "+err.Error(), "use none to build in this configuration only")
		} else if len(list) == 0 {
			return diag.Usagef("prove", "--configs is empty", "use none to build in this configuration only")
		}
	}
	if err := checkPrecision("prove", f.Precision); err != nil {
		return err
	}
	if _, err := compileFlag("--bench", f.Bench); err != nil {
		return err
	}
	if err := f.checkProgram(cmd, f.Dir, float64(f.Precision), f.MaxTime); err != nil {
		return err
	}
	return errors.Join(f.checkOutput(f.Reproducer), f.reproducer().checkThere())
}

// reproducer returns where to write the test that shows a difference.
func (f *proveFlags) reproducer() *outputFlags {
	return &outputFlags{Output: f.Reproducer, Force: f.Force}
}

// versions returns the two versions to compare.
func (a *app) versions(ctx context.Context, f *proveFlags, args []string) (*prove.Versions, error) {
	switch {
	case f.Versions[0] != "":
		return prove.Dirs(ctx, f.Versions[0], f.Versions[1])
	case f.Patch == "-":
		return prove.Patch(ctx, f.Dir, "standard input", a.stdin)
	case f.Patch != "":
		file, err := os.Open(f.Patch)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		return prove.Patch(ctx, f.Dir, f.Patch, file)
	case len(args) == 0:
		return prove.Work(ctx, f.Dir, "HEAD")
	case strings.Contains(args[0], ".."):
		return prove.Revisions(ctx, f.Dir, args[0])
	}
	return prove.Work(ctx, f.Dir, args[0])
}

// prove does the work of whet prove.
func (a *app) prove(ctx context.Context, f *proveFlags, args, packages []string) error {
	if f.serves() {
		if err := a.prepareProgram(&f.programFlags, "prove", f.Recording); err != nil {
			return err
		}
	}
	q := prove.Request{AcceptTests: f.Tests == "b", Packages: packages}
	if f.Sandbox {
		q.Wrap = sandbox.Command
	}
	var err error
	if q.Versions, err = a.versions(ctx, f, args); err != nil {
		return err
	}
	if q.Flags, q.Env, err = buildFlags(f.Flags); err != nil {
		return err
	}
	switch f.Configs {
	case "ci":
		q.CIConfigs = true
	case "none":
	default:
		if q.Configs, err = prove.ParseConfigs(f.Configs); err != nil {
			return err
		}
	}
	if len(f.Recording) > 0 {
		from, err := a.opener(&f.read)
		if err != nil {
			return err
		}
		program, err := recorded.Read(ctx, from, f.Recording, recorded.Options{MaxTrace: recorded.DefaultMaxTrace})
		if err != nil {
			return err
		}
		defer program.Close()
		a.warn(program.Warnings...)
		q.Profiles, q.Find = program.Profiles, program.Options(q.Find)
		if q.Captured, err = captured.In(program.Opened); err != nil {
			return err
		}
	}
	view := progress.NewSteps(a.newLine())
	defer view.End()
	q.Bench, q.Timeout, q.FuzzTime, q.MutantTime = f.Bench, f.Timeout, f.FuzzTime, f.MutantTime
	q.Race, q.Budget = f.Race, f.Budget
	q.AB = ab.Options{Precision: float64(f.Precision), MaxTime: f.MaxTime, Progress: view.Measure}
	q.Progress = view.Begin
	if f.serves() {
		done, err := a.watchService(&f.programFlags, view)
		if err != nil {
			return err
		}
		defer done()
		q.Service = &f.program
	}
	r, err := prove.Run(ctx, q)
	view.Pause() // for good
	if err != nil {
		return err
	}
	a.warn(r.Warnings...)
	r.Warnings = a.warned // also those of reading
	err = a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		switch d := findings.Prove(r); f.Format {
		case "json":
			return report.JSON(w, r)
		case "sarif":
			return findings.WriteProveSARIF(w, r, version().Version)
		case "markdown":
			return d.WriteMarkdown(w)
		case "html":
			return f.withEditor(d, cmp.Or(f.Versions[1], f.Dir)).WritePage(w)
		default:
			return d.Write(w, a.style)
		}
	})
	if p := r.Reproducer; err == nil && f.Reproducer != "" && p != nil && p.Source != "" {
		err = a.writeOutput(f.reproducer(), func(w io.Writer) error {
			_, err := io.WriteString(w, p.Source)
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case r.Interrupted:
		return errors.New("interrupted")
	case !r.OK():
		return &diag.Error{Op: "prove", Err: errors.New("the change is " + string(r.Outcome)), Kind: diag.Gate}
	}
	return nil
}
