package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/collect/copies"
	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/recordings"
	"github.com/whet-go/whet/unit"
)

// recordFlags are the flags of whet record.
type recordFlags struct {
	collect.Options
	handlerFlags
	sent      sharedLoad
	URLs      []string // where the load goes
	TargetLog string
	copied    captureFlags
	JSON      bool
}

// captureFlags configure which calls are copied.
type captureFlags struct {
	Capture string // a regular expression, or hot
	Redact  string
	Rate    string // of the CPU time
}

// register adds the flags to those of cmd; also is the beginning of their help.
func (f *captureFlags) register(cmd *cobra.Command, also string) {
	fs := cmd.Flags()
	fs.StringVar(&f.Capture, "capture", "", also+
		"also copy arguments and results of functions that match `REGEXP`, from another run; hot means those with the "+
		"hottest lines")
	fs.StringVar(&f.Redact, "redact", "",
		"with --capture, also redact what has a name that matches `REGEXP`; - turns all redaction off")
	fs.StringVar(&f.Rate, "capture-rate", defaultRate,
		"with --capture, `PERCENT` of the program's CPU time that copying may take")
}

// defaultRate is the default of --capture-rate: copies.DefaultShare.
const defaultRate = "1%"

// rated reports whether --capture-rate is another one than the default.
func (f *captureFlags) rated() bool { return f.Rate != defaultRate }

// options returns which calls are copied; nil for none.
func (f *captureFlags) options() (*collect.Capture, error) {
	if f.Capture == "" {
		return nil, nil //nolint:nilnil // nothing is copied, as documented
	}
	rate, err := unit.ParseShare(f.Rate)
	if err != nil || !(rate > 0 && rate <= 1) {
		return nil, diag.Usagef("--capture-rate", fmt.Sprintf("%q is not a rate above 0%% and up to 100%%", f.Rate),
			"omit it for the default of "+defaultRate)
	}
	c := &collect.Capture{Redact: f.Redact, Share: rate}
	if f.Redact != "-" {
		if _, err := compileFlag("--redact", f.Redact); err != nil {
			return nil, err
		}
	}
	if f.Capture == copies.Hot {
		return c, nil
	}
	c.Functions, err = compileFlag("--capture", f.Capture)
	return c, err
}

// handlerFlags configure the access to a target's pprof handlers.
type handlerFlags struct {
	Headers   []string
	TokenFile string
	Cert      string
	Key       string
	CA        string
	PathFlags []string
}

func (f *handlerFlags) registerHandlers(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVarP(&f.Headers, "header", "H", nil, "send the header `NAME:VALUE` to the pprof handlers; may repeat")
	fs.StringVar(&f.TokenFile, "token-file", "", "send the bearer token in `FILE`; - is standard input")
	fs.StringVar(&f.Cert, "cert", "", "TLS client certificate, a PEM `FILE`")
	fs.StringVar(&f.Key, "key", "", "key of --cert, a PEM `FILE`")
	fs.StringVar(&f.CA, "ca", "", "certificate authorities to trust, a PEM `FILE`")
	fs.StringArrayVar(&f.PathFlags, "pprof-path", nil,
		"`PREFIX` of the pprof handlers, or PROFILE=/path of one (cpu, heap, trace, …); may repeat")
}

// apply sets the options from the flags; the token is read later.
func (f *handlerFlags) apply(o *collect.Options) (err error) {
	if o.PprofPath, o.Paths, err = handlers.ParsePaths(f.PathFlags); err != nil {
		return err
	}
	if o.TLS, err = handlers.TLSFiles(f.Cert, f.Key, f.CA); err != nil {
		return err
	}
	o.Header, err = input.ParseHeaders(f.Headers, "Authorization: Bearer TOKEN")
	return err
}

func (a *app) recordCommand() *cobra.Command {
	f := &recordFlags{}
	cmd := &cobra.Command{
		Use:   "record -o FILE.whet [flags] (TARGET | -- COMMAND [ARGS...])",
		Short: "Record a service, benchmarks or a command into one file",
		Long: `Record everything that the Go runtime offers about a target, over one window.

TARGET is an address that serves /debug/pprof/ (with or without that path, at
any prefix) or, with --bench, Go packages whose benchmarks are run. A command
after -- is started, found by its listening sockets, recorded and stopped.

A recording of a server contains a CPU profile and, within it, an execution
trace; what heap, allocs, block and mutex profiles gained over the window; the
live heap at the end; goroutines at both ends; memory statistics; build
information; and the source files with hot lines. Anything unavailable is
listed, with the line of code that enables it. --load and --targets send
requests during the window; --load and the flags after it are those of whet
load. Ctrl-C ends the window early and keeps what was measured; a second Ctrl-C
ends the recording at once.

--capture copies arguments, receivers and results of sampled calls into the
recording. After the measurement, whet builds the program again and runs it
under the same load, so that nothing that is measured changes; the command must
be "go run PACKAGE" or --bench. With "go test PACKAGES", the arguments are those
of the tests, which run twice. What looks like a secret is left out, but a
recording with arguments is still data of the program: treat it as such.

With --bench, all benchmarks and sub-benchmarks share -d, and are stopped when
the time is up.`,
		Example: `  whet record http://localhost:6060 -o run.whet
  whet record http://localhost:6060 -o run.whet --load http://localhost:8080/pad
  whet record http://localhost:6060 -o orders.whet \
    --load http://localhost:8080/orders --body @order.json -r 500
  whet record http://localhost:6060 -o slow.whet --flight
  whet record https://host/internal/debug/pprof/ -o run.whet --token-file token
  whet record ./stats --bench . -o bench.whet
  whet record -o run.whet --load http://localhost:8080/ -- ./server -addr :8080
  whet record -o run.whet --load http://localhost:8080/ --capture hot \
    -- go run ./cmd/server -addr :8080
  whet record -o tests.whet --capture 'slow\.Leftpad$' -- go test ./...`,
		Args: someArgs("no target given",
			"give an address, Go packages with --bench, or -- and a command: `whet record http://localhost:6060 -o run.whet`"),
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.target(cmd, args); err != nil {
			return err
		}
		return a.record(cmd.Context(), f)
	}
	return cmd
}

func (f *recordFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&f.Out, "output", "o", "", "write the recording to `FILE`")
	fs.DurationVarP(&f.Duration, "duration", "d", collect.DefaultDuration,
		"length of the window; with --bench, total time of all benchmarks")
	fs.DurationVar(&f.Trace, "trace", collect.DefaultTrace, "length of the execution trace within the window; 0 for none")
	fs.BoolVar(&f.Flight, "flight", false,
		"record the seconds before now, from the target's flight recorder (agent.Options.Flight), "+
			"and snapshots, without waiting")
	fs.StringArrayVar(&f.Sources, "source", nil,
		"also include source files in `DIR` that the target names, in addition to GOROOT, "+
			"the module cache and the current module; may repeat")
	fs.StringArrayVar(&f.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")

	f.registerHandlers(cmd)
	fs.DurationVar(&f.Grace, "grace", collect.DefaultGrace,
		"total time for a server's answers, in addition to the window; what arrives later is cut off and listed as missing")
	fs.Var((*byteSize)(&f.MaxSize), "max-size",
		"limit on the total `SIZE` of a server's answers, such as 8GB (default 2GB)")
	(*byteSize)(&f.MaxMemory).register(fs, ", at most 128MB")

	fs.StringVar(&f.Bench, "bench", "", "record benchmarks that match `REGEXP`; TARGETs are Go packages")
	fs.StringVar(&f.BenchTime, "benchtime", "",
		"run each benchmark for this `duration`, such as 1s or 100x (default: its share of -d, or 1s)")
	fs.IntVar(&f.Count, "count", 1, "run each benchmark `N` times")

	f.copied.register(cmd, "")

	fs.StringVar(&f.PprofAddr, "pprof-addr", "", "`HOST:PORT` of the command's pprof handlers (default: detected)")
	fs.StringVar(&f.TargetLog, "target-log", "", "write the command's output to `FILE` (default: standard error)")
	fs.DurationVar(&f.Start, "start-timeout", 0, "limit on the time until the command listens (default 15s)")
	fs.BoolVar(&f.JSON, "json", false, "write JSON")

	fs.StringArrayVar(&f.URLs, "load", nil, "send requests to `URL` during the window, as whet load does; may repeat")
	f.sent.bind(cmd, []string{"resolve", "unix-socket", "allow-remote"}, nil)
}

// loads reports whether requests are sent during the window.
func (f *recordFlags) loads() bool { return len(f.URLs) > 0 || f.sent.load.Targets != "" }

// checkSent checks the flags of the load.
func (f *recordFlags) checkSent(cmd *cobra.Command) error {
	switch {
	case !f.loads():
		for _, name := range f.sent.names {
			if cmd.Flags().Changed(name) {
				return diag.Usagef("record", "--"+name+" needs a load", "give --load http://localhost:8080/, or --targets FILE")
			}
		}
		return nil
	case len(f.Packages) > 0:
		return diag.Usagef("record", "--bench cannot be combined with a load",
			"omit --load and --targets, or give the address of a server instead of --bench")
	case f.TokenFile == "-" && f.sent.load.StdinUses() > 0:
		return diag.Usagef("record", "standard input can be read only once", "put the token into a file: --token-file FILE")
	}
	return f.sent.checkLoad()
}

var hostPort = regexp.MustCompile(`^(\[[0-9a-fA-F:.]+\]|[\w.\-]*):\d+(/|$)`)

// target determines the target from the arguments.
func (f *recordFlags) target(cmd *cobra.Command, args []string) error {
	benchSet := cmd.Flags().Changed("bench")
	dash := cmd.ArgsLenAtDash()
	switch {
	case f.Flight && (dash >= 0 || benchSet):
		return diag.Usagef("record", "only a server has a flight recorder",
			"give its address: `whet record --flight http://localhost:6060 -o FILE.whet`")
	case dash == 0 && benchSet:
		return diag.Usagef("record", "--bench cannot be combined with a command",
			"omit --bench, or name packages instead of the command")
	case dash == 0:
		f.Command = args
	case dash > 0:
		return diag.Usagef("record", "a target and a command are given", "give one of them; flags go before --")
	case benchSet && input.IsURL(args[0]):
		return diag.Usagef("record", "--bench cannot be combined with an address",
			"omit --bench, or name Go packages instead of the address")
	case benchSet:
		f.Packages = args
		if !cmd.Flags().Changed("duration") {
			f.Duration = 0
		}
	case len(args) > 1:
		return diag.Usagef("record", fmt.Sprintf("%d targets given", len(args)),
			"record one server at a time; for benchmarks of several packages add --bench REGEXP")
	case strings.Contains(args[0], "://") || hostPort.MatchString(args[0]):
		f.URL = args[0]
	default:
		return diag.Usagef("record", fmt.Sprintf("%q is not an address", args[0]),
			"for a server give http://HOST:PORT; for benchmarks add --bench REGEXP; for a command put -- before it")
	}
	for _, name := range []string{"duration", "trace", "load", "targets"} {
		if f.Flight && cmd.Flags().Changed(name) {
			return diag.Usagef("record", "--flight and --"+name+" are mutually exclusive",
				"--flight records the past: leave one out")
		}
	}
	if err := checkPositive("record", cmd, "duration", "grace"); err != nil {
		return err
	}
	bench, command := len(f.Packages) > 0, len(f.Command) > 0
	const benchHint, commandHint = "name Go packages and --bench REGEXP", "put -- and the command after the flags"
	if err := checkUseless("record", cmd.Flags().Changed, []useless{
		{"benchtime", !bench, "without --bench", benchHint},
		{"count", !bench, "without --bench", benchHint},
		{"pprof-addr", !command, "without a command", commandHint},
		{"target-log", !command, "without a command", commandHint},
		{"start-timeout", !command, "without a command", commandHint},
		{"redact", f.copied.Capture == "", "without --capture", "give --capture hot"},
		{"capture-rate", f.copied.Capture == "", "without --capture", "give --capture hot"},
		{"header", bench, "on benchmarks, which are not recorded over HTTP", "omit it"},
		{"token-file", bench, "on benchmarks, which are not recorded over HTTP", "omit it"},
		{"pprof-path", bench, "on benchmarks, which are not recorded over HTTP", "omit it"},
		{"cert", bench, "on benchmarks, which are not recorded over HTTP", "omit it"},
		{"key", bench, "on benchmarks, which are not recorded over HTTP", "omit it"},
		{"ca", bench, "on benchmarks, which are not recorded over HTTP", "omit it"},
		{"grace", bench, "on benchmarks, which are not recorded over HTTP", "omit it"},
		{"max-size", bench, "on benchmarks, which are not recorded over HTTP", "omit it"},
		{"max-memory", bench, "on benchmarks, whose profiles are trusted", "omit it"},
	}); err != nil {
		return err
	}
	if err := f.setCapture(); err != nil {
		return err
	}
	if err := f.setTests(cmd); err != nil {
		return err
	}
	if f.Trace == 0 {
		f.Trace = -1
	}
	if f.Out == "" {
		return diag.Usagef("record", "no output file", "name it with -o FILE.whet")
	}
	if err := f.checkSent(cmd); err != nil {
		return err
	}
	return f.apply(&f.Options)
}

// setCapture sets the options of --capture.
func (f *recordFlags) setCapture() error {
	if f.copied.Capture == "" {
		return nil
	}
	if len(f.Packages) == 0 && len(f.Command) == 0 {
		return diag.Usagef("record", "--capture needs a program that whet builds",
			"give a command such as -- go run ./cmd/server or -- go test ./..., or packages with --bench")
	}
	var err error
	f.Options.Capture, err = f.copied.options()
	return err
}

// setTests checks the flags of a command that runs tests.
func (f *recordFlags) setTests(cmd *cobra.Command) error {
	if !f.Tests() {
		return nil
	}
	if f.loads() {
		return diag.Usagef("record", "tests cannot be combined with a load",
			"omit --load and --targets, or give a command such as -- go run ./cmd/server")
	}
	if !cmd.Flags().Changed("duration") {
		f.Duration = 0 // until they end
	}
	const why, hint = "with go test", "omit it"
	var list []useless
	for _, name := range []string{
		"trace", "pprof-addr", "start-timeout", "header", "token-file", "pprof-path", "cert", "key", "ca", "grace",
		"max-size", "max-memory", "capture-rate",
	} {
		list = append(list, useless{name, true, why, hint})
	}
	return checkUseless("record", cmd.Flags().Changed, list)
}

func (a *app) record(ctx context.Context, f *recordFlags) error {
	if f.TokenFile != "" {
		token, err := input.ReadToken(f.TokenFile, a.stdin)
		if err != nil {
			return err
		}
		f.Token = token
	}
	if f.loads() {
		o, err := a.loadOptions(f.URLs, &f.sent.load)
		if err != nil {
			return f.sent.renamed(err)
		}
		f.Load = &o
	}
	f.Version = version().Version
	line := a.newLine()
	f.Progress = showRecording(line)
	if len(f.Command) > 0 {
		log, closeLog, err := f.openLog(line)
		if err != nil {
			return err
		}
		defer closeLog()
		f.Options.TargetLog = log
	}
	done := make(chan struct{})
	defer close(done)
	f.Abort = secondSignal(done)

	sum, err := collect.Run(ctx, f.Options)
	line.Clear()
	if err != nil {
		return err
	}
	doc := documents.NewRecord(sum)
	a.warn(sum.Warnings...)
	doc.Warnings = a.warned // also those of the load's plan
	if f.JSON {
		err = a.writeJSON(doc)
	} else {
		err = a.write(func(w io.Writer) error { return recordings.WriteRecord(w, a.style, doc) })
	}
	return errors.Join(append([]error{err}, sum.Failures...)...)
}

// openLog opens the writer for the command's output.
func (f *recordFlags) openLog(line *progress.Line) (io.Writer, func(), error) {
	if f.TargetLog == "" {
		p := line.Prefixer("target| ")
		return p, p.Flush, nil
	}
	file, err := os.Create(f.TargetLog)
	if err != nil {
		return nil, nil, &diag.Error{Op: "open --target-log", Err: err}
	}
	return file, func() { _ = file.Close() }, nil // a log cut short is not worth failing for
}

// secondSignal returns a channel that is closed by the second signal to stop; the
// first one cancels the command's context.
func secondSignal(done <-chan struct{}) <-chan struct{} {
	abort := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		for range 2 {
			select {
			case <-signals:
			case <-done:
				return
			}
		}
		close(abort)
	}()
	return abort
}

// goTestFlags lets whet record and whet bench accept go test's flags, such as -bench and -benchtime,
// and whet bench compare those of benchstat, such as -filter and -col, with the single dash that they
// have there.
func goTestFlags(args []string) []string {
	if len(args) == 0 || args[0] != "record" && args[0] != "bench" {
		return args
	}
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		switch name, _, _ := strings.Cut(arg, "="); name {
		case "-bench", "-benchtime", "-count", "-cpu", "-timeout":
			arg = "-" + arg
		case "-alpha", "-col", "-confidence", "-filter", "-format", "-ignore", "-row", "-table":
			if len(args) > 1 && args[0] == "bench" && args[1] == "compare" {
				arg = "-" + arg
			}
		}
		out = append(out, arg)
	}
	return out
}
