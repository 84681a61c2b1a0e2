package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/findings"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/pgo"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store/local"
)

// pgoFlags are the flags of whet pgo.
type pgoFlags struct {
	Dir   string
	Flags string // of go build

	Bench     string
	Timeout   time.Duration
	Precision share
	MaxTime   time.Duration
	MinGain   share
	MaxStale  share
	BuildTime bool
	NoMeasure bool

	programFlags // a service under load, in the place of benchmarks

	DryRun, Force bool

	formatFlags
	storeFlags // of --from-store
	FromStore  string
	Since      time.Duration

	read viewFlags // how profiles are read
}

func (a *app) pgoCommand() *cobra.Command {
	f := &pgoFlags{}
	cmd := &cobra.Command{
		Use:   "pgo PROFILE... [PACKAGE...]",
		Short: "Build with a CPU profile (PGO), and keep it if that is faster",
		Long: `Build with a CPU profile, and keep it if the program gets faster.

The profiles (recordings, pprof files, addresses, - for standard input) are
merged. The main package is the one named, the recording's, or that in the
current directory. It is built without a profile (-pgo=off, even if there is a
default.pgo) and with this one; benchmarks of the named packages, or of the
module, compare both in interleaved rounds.

The report shows how much of the profile is stale, the cost in build time and
binary size, the calls that are newly inlined or devirtualized, the stack frames
that grow, and the gain with its interval. If the whole interval is a gain, the
profile is written to default.pgo of the main package, where go build finds it,
reduced to what the compiler reads.

With --from-store the profile is that of all CPU profiles in a store (--store)
that a selector selects, as in whet query; --since selects the latest ones.

With --service no benchmarks are needed: both programs are started with these
arguments and loaded alternately, as in whet bench --service, and the CPU time
per request decides (A is the program without the profile, B with it). --service
and the flags after it configure this; the defaults of --precision and
--max-time are then 2% and 2m.`,
		Example: `  whet pgo cpu.whet
  whet pgo cpu.whet ./cmd/server ./internal/...
  whet pgo --dry-run --bench 'Encode|Decode' monday.pb.gz tuesday.pb.gz
  whet pgo --no-measure cpu.whet
  whet pgo --from-store 'service=shop' --store profiles --since 24h ./cmd/shop
  whet pgo --min-gain 2% --format markdown cpu.whet
  whet pgo cpu.whet --service '-addr {addr}' --load http://{addr}/`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.FromStore != "" {
				return nil
			}
			return someArgs("no profile given",
				"record the program under load first: `whet record http://localhost:6060 -o cpu.whet`")(cmd, args)
		},
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		return a.pgo(cmd.Context(), f, args)
	}
	return cmd
}

func (f *pgoFlags) register(cmd *cobra.Command) {
	f.read.command, f.read.given = "pgo", cmd.Flags().Changed
	f.MaxStale, f.Precision = 0.3, 0.01
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.Dir, "dir", "", "build the module in `DIR` (default: current directory)")
	fs.StringVar(&f.Flags, "flags", "", "go build `FLAGS` and KEY=value environment to build with")
	fs.StringVar(&f.Bench, "bench", ".", "compare with benchmarks that match `REGEXP`")
	fs.DurationVar(&f.Timeout, "timeout", gotest.DefaultTimeout, "limit on one run of a benchmark")
	fs.Var(&f.Precision, "precision", "measure until the interval's half width is below this, such as 1%")
	fs.DurationVar(&f.MaxTime, "max-time", time.Minute, "measure each benchmark, or the service, for at most this time")
	fs.StringVar(&f.FromStore, "from-store", "", "build with the CPU profiles of a store that `SELECTOR` selects")
	fs.StringVar(&f.Store, "store", "", "the store in `DIR`, or the address of whet serve --store")
	fs.StringVar(&f.storeFlags.TokenFile, "store-token-file", "", "send the token in `FILE` to the store's address")
	fs.StringVar(&f.Tenant, "tenant", "", "`NAME` of the tenant in a directory; an address knows it by the token")
	fs.DurationVar(&f.Since, "since", 0, "with --from-store, select profiles of the last `duration`, such as 24h")
	fs.Var(&f.MinGain, "min-gain", "require a gain of at least this, such as 2% (default: any proven gain)")
	fs.Var(&f.MaxStale, "max-stale", "warn if more than this share of the profile is stale")
	fs.BoolVar(&f.BuildTime, "build-time", true, "rebuild everything to measure the cost in build time")
	fs.BoolVar(&f.NoMeasure, "no-measure", false, "do not compare: report what the profile changes, and write nothing")
	fs.BoolVar(&f.DryRun, "dry-run", false, "write nothing")
	fs.BoolVar(&f.Force, "force", false, "replace an existing default.pgo")
	f.registerFormat(cmd, "text", "markdown", "json")
	fs.StringArrayVarP(&f.read.Header, "header", "H", nil,
		"send the header `NAME:VALUE` when fetching an address; may repeat")
	fs.DurationVar(&f.read.Duration, "duration", 30*time.Second, "profile an address for this `duration`")
	f.read.MaxMemory.register(fs, "")
	f.registerProgram(cmd)
}

func (f *pgoFlags) check(cmd *cobra.Command) error {
	if err := f.checkFormat("pgo", cmd); err != nil {
		return err
	}
	if err := checkPrecision("pgo", f.Precision); err != nil {
		return err
	}
	if _, err := compileFlag("--bench", f.Bench); err != nil {
		return err
	}
	if err := checkPositive("pgo", cmd, "timeout", "max-time", "duration"); err != nil {
		return err
	}
	if cmd.Flags().Changed("service") {
		switch {
		case cmd.Flags().Changed("bench"):
			return diag.Usagef("pgo", "--bench and --service are mutually exclusive",
				"--bench configures benchmarks, which --service replaces")
		case cmd.Flags().Changed("timeout"):
			return diag.Usagef("pgo", "--timeout and --service are mutually exclusive",
				"--timeout configures benchmarks, which --service replaces")
		case f.NoMeasure:
			return diag.Usagef("pgo", "--no-measure and --service are mutually exclusive",
				"to measure without writing, use --dry-run")
		}
	}
	const unmeasured = "with --no-measure, which compares nothing"
	if err := checkUseless("pgo", cmd.Flags().Changed, []useless{
		{"bench", f.NoMeasure, unmeasured, "leave one out"},
		{"timeout", f.NoMeasure, unmeasured, "leave one out"},
		{"max-time", f.NoMeasure, unmeasured, "leave one out"},
		{"precision", f.NoMeasure, unmeasured, "leave one out"},
		{"min-gain", f.NoMeasure, unmeasured, "leave one out"},
		{"round", f.NoMeasure, unmeasured, "leave one out"},
		{"force", f.NoMeasure, "with --no-measure, which writes nothing", "leave one out"},
		{"dry-run", f.NoMeasure, "with --no-measure, which writes nothing anyway", "leave one out"},
		{"force", f.DryRun, "with --dry-run, which writes nothing", "leave one out"},
		{"store", f.FromStore == "", "without --from-store", "select profiles with --from-store 'service=shop'"},
		{"store-token-file", f.FromStore == "", "without --from-store", "leave it out"},
		{"tenant", f.FromStore == "", "without --from-store", "leave it out"},
		{"since", f.FromStore == "", "without --from-store", "leave it out"},
	}); err != nil {
		return err
	}
	return f.checkProgram(cmd, f.Dir, float64(f.Precision), f.MaxTime)
}

// pgo does the work of whet pgo.
func (a *app) pgo(ctx context.Context, f *pgoFlags, args []string) (err error) {
	view := progress.NewSteps(a.newLine())
	defer view.End()
	o := pgo.Options{
		Dir: f.Dir, BuildTime: f.BuildTime, NoMeasure: f.NoMeasure,
		Benchmarks: pgo.Benchmarks{Match: f.Bench, Run: gotest.RunOptions{Timeout: f.Timeout}},
		AB:         ab.Options{Precision: float64(f.Precision), MaxTime: f.MaxTime, Progress: view.Measure},
		MinGain:    float64(f.MinGain), MaxStale: float64(f.MaxStale),
		Progress: view.Begin,
	}
	if o.Flags, o.Env, err = buildFlags(f.Flags); err != nil {
		return err
	}
	var profiles []string
	profiles, o.Packages = input.SplitPackages(args)
	if f.serves() {
		if err := a.prepareProgram(&f.programFlags, "pgo", profiles); err != nil {
			return err
		}
		done, err := a.watchService(&f.programFlags, view)
		if err != nil {
			return err
		}
		defer done()
		o.Service = &f.program
	}
	var warnings diag.Warnings
	if err := f.read.checkAddressFlags(profiles); err != nil {
		return err
	}
	switch {
	case f.FromStore == "":
		from, err := a.opener(&f.read)
		if err != nil {
			return err
		}
		if o.Profile, o.Recording, warnings, err = from.CPU(ctx, profiles); err != nil {
			return err
		}
	case len(profiles) > 0:
		return diag.Usagef("pgo", "--from-store and files of profiles are mutually exclusive", "leave one out")
	default:
		if o.Profile, err = a.storedCPU(ctx, f); err != nil {
			return err
		}
	}
	a.warn(warnings...)
	if o.Work, err = os.MkdirTemp("", "whet-pgo-*"); err != nil {
		return fmt.Errorf("make a directory for the builds: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Work)) }()
	o.Found = func(t *pgo.Target) error {
		if t.Existing < 0 || f.Force || f.DryRun || f.NoMeasure {
			return nil
		}
		return &diag.Error{
			Op: "write", Subject: t.Default(), Err: errors.New("the file exists"),
			Hint: "--force replaces it if the new one is faster; --dry-run only compares",
		}
	}
	res, err := pgo.Run(ctx, o)
	view.Pause() // for good
	if err != nil {
		return err
	}
	if res.Pays && res.Target.Main != "" && !f.DryRun {
		if err := res.Save(); err != nil {
			return err
		}
	}
	a.warn(res.Warnings...)
	res.Warnings = a.warned // also those of reading the profiles
	if err := a.writePGO(f, res); err != nil {
		return err
	}
	if res.Comparison != nil && res.Comparison.Interrupted {
		return errors.New("interrupted")
	}
	return nil
}

// storedCPU merges the CPU profiles of --from-store.
func (a *app) storedCPU(ctx context.Context, f *pgoFlags) (*profile.Profile, error) {
	selection := queryFlags{storeFlags: f.storeFlags, Type: "cpu", Since: f.Since}
	q, _, err := selection.selected("--from-store", []string{f.FromStore})
	if err != nil {
		return nil, err
	}
	s, err := a.openStore(ctx, "pgo", &f.storeFlags, local.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // only read
	p, stats, err := s.Merge(ctx, q)
	if err == nil {
		_, _ = fmt.Fprintln(a.stderr, stores.Selected(stats))
	}
	return p, err
}

func (a *app) writePGO(f *pgoFlags, res *pgo.Result) error {
	return a.write(func(w io.Writer) error {
		switch f.Format {
		case "markdown":
			return findings.PGO(res).WriteMarkdown(w)
		case "json":
			return report.JSON(w, res)
		default:
			return findings.PGO(res).Write(w, a.style)
		}
	})
}

// buildFlags reads --flags.
func buildFlags(text string) (flags, env []string, err error) {
	flags, env, err = gotest.ParseProgramFlags(text)
	if err != nil {
		return nil, nil, &diag.Error{Op: "--flags", Err: err, Kind: diag.Usage}
	}
	return flags, env, nil
}
