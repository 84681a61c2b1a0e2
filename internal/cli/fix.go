package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
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
	Apply     bool
	Patches   string
	Author    string

	Format string
	JSON   bool
}

func fixFormats() []string { return []string{"text", "markdown", "html", "json"} }

func (a *app) fixCommand() *cobra.Command {
	f := &rewriteFlags{}
	cmd := &cobra.Command{
		Use:   "fix RECORDING...",
		Short: "Make the rewrites that whet find shows, and keep what is proven",
		Long: `Make the rewrites that whet find shows, and keep what is proven.

In a copy of the module, for each finding in the order of its rank: the rewrite
is made; it must build, go vet must have nothing new to say, and the module's
tests must pass; the old and the new function are called with the same inputs by
a fuzzer, and must answer alike; and benchmarks that reach the line must show a
gain in interleaved rounds, and no loss. What does not is dropped, with the
reason. Then findings are looked for again in the module with what was kept, for
rewrites that were in each other's way, until there is nothing new, four times
at most; those whose gains are too small to be seen are tried together; and the
original is compared with all that was kept.

Your files are not touched unless --apply is given, which wants a tree without
changes that are not committed. --patches DIR writes a patch for each rewrite,
with its evidence and proof in the message, for git am. Ctrl-C ends early: the
report and the patches have what was proven by then, and nothing is applied.

Rewrites that need somebody to review them are tried with --review. Settings of
the build and the run, as GOEXPERIMENT=jsonv2 and GOGC, are tried after the
rewrites, on top of what was kept; what is proven is said, and set by nobody but
you.

With --service a rewrite that no benchmark reaches is measured under load: the
program is built without and with it, both are started with these arguments and
loaded in turn, as whet bench --service does it. In the end, so are the original
and all that was kept. The flags from --service on are about that; --precision
is 2% there, and --max-time 2m, unless given.`,
		Example: `  whet fix demo.whet --dir examples/leftpad
  whet fix --patches patches --bench 'StatsD|Handler' service.whet
  whet fix --apply --review --max-time 20s service.whet
  whet fix --format html -o fixes.html service.whet
  whet fix service.whet --service '-addr {addr}' --load http://{addr}/`,
		Args: someArgs("no recording given", "record the program under load first: `whet record http://localhost:6060 -o service.whet`"),
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
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
	fs.StringVar(&f.find.Dir, "dir", "", "make faster the module in `DIR` (default: the current directory)")
	fs.StringVar(&f.find.Flags, "flags", "", "build with these `FLAGS` of go build, and KEY=value of the environment")
	fs.StringArrayVar(&f.find.read.Own, "own", nil, "packages below `PATH` are own code too; may repeat")
	fs.Var(&f.find.MinShare, "min-share", "leave out what is less of every profile than this")
	fs.StringVar(&f.find.Rule, "rule", "", "look only for the rules that match `REGEXP`")
	f.find.registerMaxTrace(fs)
	fs.StringVar(&f.Bench, "bench", "", "measure by the benchmarks that match `REGEXP` (default: those that reach the line)")
	fs.DurationVar(&f.Timeout, "timeout", fix.DefaultTimeout, "give up on the tests, or on one run of a benchmark, after this time")
	fs.DurationVar(&f.FuzzTime, "fuzz-time", fix.DefaultFuzzTime, "compare the answers of old and new for so long, for each function")
	fs.Var(&f.Precision, "precision", "measure until the interval is within so much, as 1%")
	fs.DurationVar(&f.MaxTime, "max-time", 20*time.Second, "measure each benchmark for so long at most")
	fs.BoolVar(&f.Review, "review", false, "also try rewrites that need somebody to review them")
	fs.BoolVar(&f.Settings, "settings", true, "measure the settings of build and run that findings name, too")
	fs.BoolVar(&f.Apply, "apply", false, "write what is kept to your files")
	fs.StringVar(&f.Patches, "patches", "", "write a patch for each rewrite that is kept into `DIR`")
	fs.StringVar(&f.Author, "author", "whet <whet@localhost>", "author of the patches")
	fs.StringVar(&f.Format, "format", "text", "write `FORMAT` "+strings.Join(fixFormats(), ", "))
	fs.BoolVar(&f.JSON, "json", false, "write JSON, the same as --format json")
	fs.StringVarP(&f.Output, "output", "o", "", "write to `FILE`; - is standard output, the default")
	fs.BoolVar(&f.Force, "force", false, "replace the file of -o; with --apply, write beside changes that are not committed")
	fs.Var(&f.find.read.MaxMemory, "max-memory", "limit on the memory to decode one profile, as 2GB (default: by its `size`)")
	f.registerProgram(cmd)
	_ = cmd.RegisterFlagCompletionFunc("rule", completeRules)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(fixFormats(), cobra.ShellCompDirectiveNoFileComp))
}

func (f *rewriteFlags) check(cmd *cobra.Command) error {
	if f.JSON {
		if cmd.Flags().Changed("format") && f.Format != "json" {
			return diag.Usagef("fix", "--json and --format "+f.Format+" exclude each other", "give one of them")
		}
		f.Format = "json"
	}
	if !slices.Contains(fixFormats(), f.Format) {
		return diag.Usagef("fix", fmt.Sprintf("--format %q: there is no such one", f.Format), "there is "+strings.Join(fixFormats(), ", "))
	}
	for _, name := range []string{"timeout", "max-time", "fuzz-time"} {
		if v := cmd.Flags().Lookup(name).Value.String(); strings.HasPrefix(v, "-") || v == "0s" {
			return diag.Usagef("fix", fmt.Sprintf("--%s %s is not above zero", name, v), "leave it out for the default")
		}
	}
	if f.Precision == 0 {
		return diag.Usagef("fix", "--precision 0% is never reached", "1% is the default")
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
			return &diag.Error{Op: "write patches to", Subject: f.Patches, Err: errors.New("the folder is not empty"), Hint: "--patches names another"}
		}
	}
	if err := f.checkProgram(cmd, f.find.Dir, float64(f.Precision), f.MaxTime); err != nil {
		return err
	}
	return f.checkThere()
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
	look, err := a.prepareFind(ctx, &f.find, args)
	if err != nil {
		return err
	}
	defer look.Close()
	found, err := look.find(ctx)
	if err != nil {
		return err
	}
	a.printWarnings(found.Warnings)
	view := a.newWorkView()
	defer view.end()
	o := fix.Options{
		Bench: f.Bench, Timeout: f.Timeout, FuzzTime: f.FuzzTime, Review: f.Review, Settings: f.Settings,
		AB:       ab.Options{Precision: float64(f.Precision), MaxTime: f.MaxTime, Progress: view.measures},
		Progress: view.begins, Tried: view.tried,
		Again: func(ctx context.Context, dir string) (*find.Result, error) {
			return look.again(ctx, found.Dir, dir)
		},
	}
	if o.Flags, o.Env, err = pgoBuildFlags(f.find.Flags); err != nil {
		return err
	}
	if f.serves() {
		work, err := os.MkdirTemp("", "whet-programs-*")
		if err != nil {
			return fmt.Errorf("make a directory for the programs: %w", err)
		}
		defer func() { _ = os.RemoveAll(work) }() // nothing of it is needed
		program := a.serviceOfBuilds(f, work, cmp.Or(found.Program, "."))
		o.Program = func(ctx context.Context, one, other builds.Side) (*ab.Result, error) {
			defer view.pause()() // it shows its own progress
			return program(ctx, one, other)
		}
	}
	r, err := fix.Run(ctx, found, o)
	view.pause() // for good
	if err != nil {
		return err
	}
	a.printWarnings(r.Warnings)
	return a.handOver(ctx, f, r, args)
}

// handOver writes the report and the patches, and what was kept to the user's files if they are to
// have it. What cannot be written leaves the rest to be.
func (a *app) handOver(ctx context.Context, f *rewriteFlags, r *fix.Result, args []string) error {
	err := a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		switch f.Format {
		case "json":
			return report.JSON(w, r)
		case "markdown":
			return report.WriteFixMarkdown(w, r)
		case "html":
			return report.WriteFixPage(w, r)
		}
		return report.WriteFix(w, a.style, r)
	})
	if f.Patches != "" {
		err = errors.Join(err, a.writePatches(f, r))
	}
	switch {
	case r.Interrupted && f.Apply:
		return errors.Join(err, errors.New("interrupted, nothing was applied"))
	case r.Interrupted:
		return errors.Join(err, errors.New("interrupted"))
	case f.Apply:
		return errors.Join(err, r.Apply(ctx, f.Force))
	}
	if err == nil && f.Format == "text" && f.Output == "" && slices.ContainsFunc(r.Attempts, func(x fix.Attempt) bool { return x.Kept() }) {
		a.next(append([]string{"fix", "--apply"}, args...)...)
	}
	return err
}

// serviceOfBuilds compares two builds of the main package as services under load.
func (a *app) serviceOfBuilds(f *rewriteFlags, work, program string) func(context.Context, builds.Side, builds.Side) (*ab.Result, error) {
	return func(ctx context.Context, one, other builds.Side) (*ab.Result, error) {
		var paths [2]string
		flags := f.programFlags
		for i, side := range []builds.Side{one, other} {
			flags.service.Commands[i].Env = slices.Concat(flags.service.Commands[i].Env, side.Env)
			paths[i] = filepath.Join(work, [2]string{"a", "b"}[i])
			cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, side.Flags, []string{"-o", paths[i], program})...)
			cmd.Dir, cmd.Env = side.Dir, append(os.Environ(), side.Env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				return nil, &diag.Error{Op: "build", Subject: program, Err: fmt.Errorf("%w: %s", err, bytes.TrimSpace(out)), Hint: "the recording names its main package; without one, --dir is its folder"}
			}
		}
		r, doubts, err := a.comparePrograms(ctx, &flags, paths)
		for _, d := range doubts {
			a.printWarnings([]error{errors.New(d)})
		}
		return r, err
	}
}

func (a *app) writePatches(f *rewriteFlags, r *fix.Result) error {
	patches := r.Patches(f.Author)
	if len(patches) == 0 {
		return nil
	}
	if err := os.MkdirAll(f.Patches, 0o750); err != nil {
		return fmt.Errorf("write patches: %w", err)
	}
	for _, p := range patches {
		if err := os.WriteFile(filepath.Join(f.Patches, p.Name), p.Text, 0o600); err != nil {
			return fmt.Errorf("write patches: %w", err)
		}
	}
	_, _ = fmt.Fprintf(a.stderr, "wrote %d patches to %s\n", len(patches), f.Patches)
	return nil
}
