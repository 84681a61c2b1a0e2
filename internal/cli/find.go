package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/find/recorded"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/upstream"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/findings"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/tempfile"
	"github.com/whet-go/whet/unit"
)

// findFlags are the flags of whet find.
type findFlags struct {
	outputFlags
	read viewFlags // how profiles are read

	Dir      string
	Flags    string // of go build
	MinShare share
	Rule     string
	NoNotes  bool
	Deps     bool     // also look into copies of dependencies
	MaxTrace byteSize // of execution traces
	Gate     bool
	Baseline string // a file with what is accepted
	Accept   string // a file to write one to

	formatFlags
	editorFlag
}

func (a *app) findCommand() *cobra.Command {
	f := &findFlags{}
	cmd := &cobra.Command{
		Use:   "find RECORDING...",
		Short: "Find what is expensive in your code, why, and how to rewrite it",
		Long: `Find what is expensive in your code, why, and how to rewrite it.

Each sample is charged to the line of your own code that caused it. The rules
analyze the packages with hot lines. The cost of a finding is what the profiles
show on its lines in the functions that its rule is about. Findings are ranked
by the most that a fix can save: their share of CPU time, plus the garbage
collector's share for what they allocate. They are followed by hot lines that no
rule explains, and by lines that only wait: as mutex and block profiles show,
and as requests do in the recording's execution trace. Waits have no rewrites
and do not affect the ranking.

A RECORDING is a .whet file, or pprof files of one program: CPU, allocs, mutex
and block profiles. All profiles of a .whet file are used, and its trace. The
source is that of the current module, or of --dir; functions changed since the
recording are listed as stale and skipped.

Calls of other modules with 2% or more of the CPU time or the allocated bytes
are listed with the hottest lines below them, what they do, and other functions
of that module whose types fit. With --dependencies, rules and generators also
run on copies of the most expensive dependencies, up to three: what they find is
for the authors of these, and shown apart.

Nothing is written or changed: rewrites are shown as diffs.`,
		Example: `  whet find demo.whet --dir examples/leftpad
  whet find --format markdown -o findings.md cpu.pb.gz allocs.pb.gz
  whet find --format html -o findings.html service.whet
  whet find --dependencies service.whet
  whet find --gate --rule percall service.whet
  whet find --write-baseline accepted.json service.whet
  whet find --gate --baseline accepted.json service.whet`,
		Args: someArgs("no recording given",
			"record the program under load first: `whet record http://localhost:6060 -o service.whet`"),
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		return a.find(cmd.Context(), f, args)
	}
	return cmd
}

func (f *findFlags) register(cmd *cobra.Command) {
	f.read.command = "find"
	f.MinShare = find.DefaultMinShare
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.Dir, "dir", "", "read the source of the module in `DIR` (default: current directory)")
	fs.StringVar(&f.Flags, "flags", "", "go build `FLAGS` and KEY=value environment of the recorded program")
	fs.StringArrayVar(&f.read.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	fs.Var(&f.MinShare, "min-share", "omit what is below this share of every profile")
	fs.StringVar(&f.Rule, "rule", "", "run only rules and generators that match `REGEXP`")
	fs.BoolVar(&f.NoNotes, "no-notes", false, "do not collect compiler notes for hot lines")
	fs.BoolVar(&f.Deps, "dependencies", false, "also look into copies of the most expensive dependencies")
	f.registerMaxTrace(fs)
	fs.BoolVar(&f.Gate, "gate", false, "exit with code 3 if there is a finding; with --baseline, a new one")
	fs.StringVar(&f.Baseline, "baseline", "", "mark findings accepted in `FILE` as known, and list its stale entries")
	fs.StringVar(&f.Accept, "write-baseline", "", "accept all findings: write them to `FILE`, for --baseline")
	f.registerFormat(cmd, "text", "markdown", "html", "sarif", "json")
	f.registerEditor(cmd)
	f.registerOutput(cmd)
	f.read.MaxMemory.register(fs, "")
	_ = cmd.RegisterFlagCompletionFunc("rule", completeRules)
}

// registerMaxTrace adds the flag that limits the size of the execution traces to read.
func (f *findFlags) registerMaxTrace(fs *pflag.FlagSet) {
	f.MaxTrace = byteSize(recorded.DefaultMaxTrace)
	fs.Var(&f.MaxTrace, "max-trace", "read execution traces of up to `SIZE` in total; 0 for none")
}

func (f *findFlags) check(cmd *cobra.Command) error {
	if err := errors.Join(f.checkFormat("find", cmd), f.checkEditor("find", cmd, f.Format)); err != nil {
		return err
	}
	if f.Accept != "" && (f.Gate || f.Baseline != "") {
		return diag.Usagef("find", "--write-baseline cannot be combined with --gate or --baseline",
			"it accepts all findings: write it first, then use --baseline")
	}
	if f.Accept != "" && !f.Force {
		if _, err := os.Lstat(f.Accept); err == nil {
			return &diag.Error{Op: "write", Subject: f.Accept, Err: errors.New("the file exists"), Hint: "--force replaces it"}
		}
	}
	if err := checkUseless("find", cmd.Flags().Changed, []useless{
		noFile(!f.toFile() && f.Accept == "", "name it with -o or --write-baseline"),
	}); err != nil {
		return err
	}
	return f.checkThere()
}

// find does the work of whet find.
func (a *app) find(ctx context.Context, f *findFlags, args []string) error {
	var accepted *find.Baseline
	if f.Baseline != "" {
		var err error
		if accepted, err = find.OpenBaseline(f.Baseline); err != nil {
			return err // before minutes of work
		}
	}
	r, err := a.findInRecordings(ctx, f, args)
	if err != nil {
		return err
	}
	a.warn(r.Warnings...)
	r.Warnings = a.warned // also those of reading the recordings
	if accepted != nil {
		if err := r.Accept(accepted, f.Baseline, f.runs); err != nil {
			return err
		}
	}
	if f.Accept != "" {
		if _, err := tempfile.Replace(f.Accept, func(w io.Writer) error { return report.JSON(w, r.Baseline()) }); err != nil {
			return &diag.Error{Op: "write", Subject: f.Accept, Err: err, Hint: diag.Hint(err)}
		}
		_, _ = fmt.Fprintf(a.stderr, "wrote %s (%s accepted)\n", f.Accept,
			layout.Plural(len(r.Findings), "finding", "findings"))
	}
	err = a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		switch f.Format {
		case "json":
			return report.JSON(w, r)
		case "markdown":
			return findings.Find(r).WriteMarkdown(w)
		case "html":
			return f.withEditor(findings.Find(r), r.Dir).WritePage(w)
		case "sarif":
			return findings.WriteFindSARIF(w, r, index.Rules(), version().Version)
		}
		return findings.Find(r).Write(w, a.style)
	})
	if err == nil && f.Format == "text" && f.Output == "" &&
		slices.ContainsFunc(r.Findings, func(x find.Finding) bool { return x.Fix != nil }) {
		a.next(append([]string{"fix"}, args...)...)
	}
	found, by := len(r.Findings), ""
	if r.Against != nil {
		found, by = r.Against.New, " not accepted by "+f.Baseline
	}
	if err == nil && f.Gate && found > 0 {
		return &diag.Error{
			Op: "find", Err: errors.New(layout.Plural(found, "finding", "findings") + by), Kind: diag.Gate,
			Hint: "`whet fix` applies the rewrites and measures them",
		}
	}
	return err
}

// runs reports whether a rule runs.
func (f *findFlags) runs(rule string) bool {
	names, err := optionalRegexp("--rule", f.Rule)
	// A rule that no longer exists accepts nothing.
	return err == nil && (names == nil || names.MatchString(rule) || index.Named(rule) == nil)
}

// findInRecordings finds what is expensive in the recordings that args name.
func (a *app) findInRecordings(ctx context.Context, f *findFlags, args []string) (*find.Result, error) {
	program, o, err := a.readProgram(ctx, f, args)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	r, err := a.findIn(ctx, program, o)
	if err != nil || !f.Deps {
		return r, err
	}
	view := progress.NewSteps(a.newLine())
	defer view.End()
	o.Progress = view.Begin
	o.Target.Requests = program.Target.Requests
	return r, upstream.Look(ctx, program.Profiles, o, r)
}

// findIn finds what is expensive, and shows progress.
func (a *app) findIn(ctx context.Context, program *recorded.Program, o find.Options) (*find.Result, error) {
	view := progress.NewSteps(a.newLine())
	defer view.End()
	o.Progress = view.Begin
	return program.Find(ctx, o)
}

// readProgram reads the recordings that args name, and returns the options for package find. The
// caller closes the program.
func (a *app) readProgram(ctx context.Context, f *findFlags, args []string) (*recorded.Program, find.Options, error) {
	o := find.Options{Dir: f.Dir, MinShare: float64(f.MinShare)}
	names, err := optionalRegexp("--rule", f.Rule)
	if err != nil {
		return nil, o, err
	}
	if names != nil {
		o.Generators = names.MatchString
	}
	o.Rules = index.Matching(names)
	if len(o.Rules) == 0 && !slices.ContainsFunc(find.Generators(), o.Generators) {
		return nil, o, diag.Usagef("--rule", fmt.Sprintf("no rule or generator of candidates matches %q", f.Rule),
			"`whet rules` lists the rules; the generators are "+strings.Join(find.Generators(), ", "))
	}
	if o.Flags, o.Env, err = buildFlags(f.Flags); err != nil {
		return nil, o, err
	}
	if !f.NoNotes {
		o.Notes = lines.CacheDir()
	}
	from, err := a.opener(&f.read)
	if err != nil {
		return nil, o, err
	}
	program, err := recorded.Read(ctx, from, args, recorded.Options{Own: f.read.Own, MaxTrace: unit.Bytes(f.MaxTrace)})
	if err != nil {
		return nil, o, err
	}
	a.warn(program.Warnings...)
	return program, o, nil
}
