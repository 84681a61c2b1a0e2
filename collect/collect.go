package collect

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/collect/copies"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/source/objfile"
)

// Defaults of [Options].
const (
	DefaultDuration = 10 * time.Second
	DefaultTrace    = 2 * time.Second
)

// Options configure [Run]. Out and exactly one of URL, Packages, Benchmark and Command are
// required.
type Options struct {
	// URL is the address of a server with pprof handlers: with or without /debug/pprof/, below any
	// prefix. A user and password in it are sent to that host only.
	URL string
	// Packages are Go package patterns whose benchmarks are run.
	Packages []string
	// Benchmark is one benchmark whose test binary is already built. Of its options, only Timeout
	// is used, for each of the two runs.
	Benchmark *gotest.Job
	// Command is a command to start, record and stop.
	Command []string

	// Out is the file to write.
	Out string
	// Duration is the length of the window, rounded up to the whole seconds that net/http/pprof
	// requires; 0 means DefaultDuration. For Packages it is the time that both runs of all
	// benchmarks share after they are built; 0 means as long as go test takes. It is ignored for
	// Benchmark.
	Duration time.Duration
	// Trace is the length of the execution trace within the window; 0 means
	// DefaultTrace, negative none.
	Trace time.Duration
	// Flight records the flight recorder of URL's agent instead of a window, that is, the seconds
	// before now, with snapshots of the other profiles. Duration, Trace and Load are then ignored.
	Flight bool

	// Grace is how long all of the target's answers together may take, in addition to the window.
	// Answers that have not arrived by then are cut off and listed as missing. 0 means
	// DefaultGrace.
	Grace time.Duration
	// MaxSize bounds the size of all answers together, in bytes; 0 means DefaultMaxSize. One answer
	// may use an eighth of what is left when it begins.
	MaxSize int64
	// MaxMemory bounds the memory for decoding one profile, in bytes; 0 means a limit that depends
	// on its size, at most DefaultMaxMemory.
	MaxMemory int64

	Header    http.Header // sent with each request to the pprof handlers
	Token     string      // bearer token; "" means none
	TLS       *tls.Config // nil means the system's roots
	PprofPath string      // prefix of the handlers; "" means that Run looks for it
	// Paths are the paths of single handlers by kind (cpu, heap, trace, …), such as "/own/profile".
	Paths map[string]string

	Bench     string        // regular expression of benchmarks; "" means all
	BenchTime string        // as for go test -benchtime; "" means go test's, or the share of Duration
	Count     int           // as for go test -count; 0 means 1
	Dir       string        // where Packages are looked up and Command runs; "" means the current directory
	Env       []string      // of Command: KEY=value, in addition to the process's environment
	PprofAddr string        // host:port of Command's handlers; "" means that Run looks for it
	TargetLog io.Writer     // receives Command's output; nil discards it
	Start     time.Duration // how long Command may take to listen; 0 means 15 s

	// Load configures the load during the window, except for Duration, Requests, Warmup and
	// Progress, which Run sets. nil means no load.
	Load *load.Options

	// Sources are directories whose files may be packed if the target at URL names them, in
	// addition to GOROOT, the module cache and the module around Dir.
	Sources []string

	// Capture, if set, has calls copied after the measurement, for which Command must be of the form go run PACKAGE or go
	// test PACKAGES, and Packages are built again. Tests run to their end unless Duration is set.
	Capture *Capture

	Own     []string // module or package prefixes that count as own code, in addition to the main module
	Version string   // of whet, for the recording

	// Progress, if set, is called several times a second with the current activity; calls do not
	// overlap.
	Progress func(Progress)
	// Abort, when closed, ends the recording immediately; what has arrived is kept. nil means
	// never.
	Abort <-chan struct{}
	// Discard keeps nothing of a recording that Abort ends: Run returns an error without completing the file.
	Discard bool
}

// Summary describes what Run recorded.
type Summary struct {
	Path string         `json:"path"` // of the recording
	Meta recording.Meta `json:"meta"`
	Load *load.Result   `json:"load,omitempty"`
	// Collection is the part of the CPU profile spent on garbage collection; zero without a CPU
	// profile.
	Collection profile.Collection `json:"-"`
	// Failures are errors that did not prevent a recording: a package that does not build, a
	// benchmark that fails, a load without answers.
	Failures []error `json:"-"`
	// Warnings are reasons to distrust the recording.
	Warnings recording.Warnings `json:"-"`
}

// Run records a target. When ctx is canceled, the window ends early and what was measured until
// then is kept; Options.Abort ends it immediately.
//
// If nothing could be recorded, Run returns an error and leaves no file. Errors carry hints; see
// package diag.
func Run(ctx context.Context, opt Options) (*Summary, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if opt.Grace == 0 {
		opt.Grace = DefaultGrace
	}
	if opt.MaxSize == 0 {
		opt.MaxSize = DefaultMaxSize
	}
	s := &session{opt: opt, now: time.Now()}
	s.abort, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer s.cancel()
	if opt.Abort != nil {
		go func() {
			select {
			case <-opt.Abort:
				s.cancel()
			case <-s.abort.Done():
			}
		}()
	}
	s.report = newReporter(opt.Progress)
	defer s.report.stop()
	defer func() {
		if s.binary != nil {
			_ = s.binary.Close() // only read
		}
	}()
	switch {
	case opt.URL != "":
		return s.recordURL(ctx)
	case len(opt.Packages) > 0, opt.Benchmark != nil:
		return s.recordBench(ctx)
	case opt.Tests():
		return s.recordTests(ctx)
	}
	return s.recordCommand(ctx)
}

// HandlerOptions configure a client of a target's pprof handlers.
type HandlerOptions = handlers.Options

// Handlers returns the options for a client of the handlers at o.URL.
func (o *Options) Handlers() HandlerOptions {
	return HandlerOptions{
		URL: o.URL, Header: o.Header, Token: o.Token, TLS: o.TLS, Prefix: o.PprofPath, Paths: o.Paths,
	}
}

// Tests reports whether Command runs tests, which whet then builds and records like benchmarks: for Capture only.
func (o *Options) Tests() bool { return o.Capture != nil && copies.IsTest(o.Command) }

// Check returns an error for options that Run would reject before it starts anything, for callers that do something
// else first. It runs nothing.
func (o *Options) Check() error {
	kinds := 0
	for _, set := range []bool{o.URL != "", len(o.Packages) > 0, o.Benchmark != nil, len(o.Command) > 0} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return diag.Usagef("record", "want exactly one target",
			"give a URL, a Go package pattern with -bench, or a command after --")
	case o.Flight && o.URL == "":
		return diag.Usagef("record", "only a server has a flight recorder",
			"give its address: `whet record --flight http://localhost:6060 -o FILE.whet`")
	case o.Capture != nil && len(o.Packages) == 0 && len(o.Command) == 0:
		return diag.Usagef("record", "--capture needs a program that whet builds",
			"give a command after --, such as go run ./cmd/server, or packages with --bench")
	case o.Capture != nil && !(o.Capture.Share >= 0 && o.Capture.Share <= 1):
		return diag.Usagef("record", "the share of the CPU time for copying is not between 0 and 1", "omit --capture-rate")
	case o.Out == "":
		return diag.Usagef("record", "no output file", "name it with -o FILE.whet")
	case o.Duration < 0:
		return diag.Usagef("record", "the duration is negative", "give -d 10s")
	case o.Grace < 0 || o.MaxSize < 0 || o.MaxMemory < 0:
		return diag.Usagef("record", "a limit is negative",
			"leave out --grace, --max-size and --max-memory, or give values above zero")
	case o.Duration > 24*time.Hour:
		return diag.Usagef("record", "the duration is longer than a day", "give -d 10s")
	}
	if o.Capture != nil && len(o.Command) > 0 {
		if err := copies.Check(o.Command); err != nil {
			return err
		}
	}
	return checkReplace(o.Out)
}

// checkReplace refuses to overwrite a file that is not a recording.
func checkReplace(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return nil // Create reports any error
	}
	defer func() { _ = f.Close() }() // only read
	var head [4]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && n == 0 && errors.Is(err, io.EOF) || recording.IsRecording(head[:n]) {
		return nil
	}
	return diag.Usagef("record", file+" exists and is not a recording", "choose another name with -o FILE.whet")
}

// window returns the lengths of the CPU profile and the trace, and how long after the CPU profile
// the trace starts. The trace lies within the profile.
func (o *Options) window() (cpu, trace, traceAt time.Duration) {
	cpu = o.Duration
	if cpu == 0 {
		cpu = DefaultDuration
	}
	cpu = (cpu + time.Second - 1).Truncate(time.Second)
	trace = o.Trace
	if trace == 0 {
		trace = DefaultTrace
	}
	trace = max(0, min(trace, cpu/2))
	return cpu, trace, (cpu - trace) / 2
}

// A session is one call of Run.
type session struct {
	collection profile.Collection // of the CPU profile

	opt    Options
	now    time.Time       // when the session started
	abort  context.Context // done when everything has to end at once
	cancel context.CancelFunc
	report *reporter
	w      *recording.Writer

	mu   sync.Mutex
	meta recording.Meta
	// the memory that decoding each recorded profile may take; 0 means that it depends on its size
	profiles map[string]int64
	failures []error
	warnings recording.Warnings
	load     *load.Result
	spent    time.Duration   // of Grace
	binary   *objfile.Binary // the target's executable; nil if it is not on this machine
	// afterwards, if set, is called when everything else is recorded.
	afterwards func()
	quiet      bool // the summary follows at once, and lists what is missing
}

// create creates the file.
func (s *session) create(target recording.Target) error {
	s.meta = recording.Meta{Whet: s.opt.Version, Created: time.Now(), Target: target, Own: s.opt.Own}
	s.profiles = make(map[string]int64)
	if fi, err := os.Stat(s.opt.Out); err == nil && fi.Size() > 0 {
		s.report.note("%s exists and will be replaced", s.opt.Out)
	}
	w, err := recording.Create(s.opt.Out, s.meta)
	if err != nil {
		return &diag.Error{Op: "record", Err: err, Hint: "choose a file in a writable directory with -o FILE.whet"}
	}
	s.w = w
	return nil
}

// miss records what is unavailable.
func (s *session) miss(part string, err error) {
	m := recording.Missing{Part: part, Reason: reason(err), Hint: diag.Hint(err)}
	s.mu.Lock()
	s.meta.Missing = append(s.meta.Missing, m)
	s.mu.Unlock()
	if !s.quiet {
		s.report.note("%s: %s", part, m.Reason)
	}
}

// reason returns err without the operation and the address, which are clear from the context.
func reason(err error) string {
	//nolint:errorlint // only an outermost diag.Error is removed: an error that wraps one says more
	if e, ok := err.(*diag.Error); ok && e.Err != nil {
		return reason(e.Err)
	}
	return err.Error()
}

// fail records a failure, but equal ones only once: a full disk makes every part fail alike.
func (s *session) fail(err error) {
	s.mu.Lock()
	known := slices.ContainsFunc(s.failures, func(f error) bool { return f.Error() == err.Error() })
	if !known {
		s.failures = append(s.failures, err)
	}
	s.mu.Unlock()
	if !known {
		s.report.note("%v", err)
	}
}

func (s *session) warn(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings.Add(err)
}

// add stores a profile.
func (s *session) add(name string, p *profile.Profile, part recording.Part) {
	if err := s.w.AddProfile(name, p, part); err != nil {
		s.fail(err)
		return
	}
	s.added(name, 2*s.decoding(DefaultMaxMemory)) // at most one of two
}

// added records that a profile was stored.
func (s *session) added(name string, decoding int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.profiles[name] = decoding
}

// addRaw stores a profile as it arrived, if it can be read.
func (s *session) addRaw(name string, a *handlers.Answer, part recording.Part) {
	p, err := s.decode(a)
	if err != nil {
		s.miss(name, err)
		return
	}
	if !a.Gzipped() {
		s.add(name, p, part)
		return
	}
	if err := s.w.AddProfileReader(name, a.Reader(), part); err != nil {
		s.fail(err)
		return
	}
	s.added(name, s.decoding(a.Size()))
}

// finish adds what is derived from the profiles and closes the file.
func (s *session) finish(interrupted bool) (*Summary, error) {
	if s.opt.Discard && s.abort.Err() != nil {
		return nil, errors.Join(&diag.Error{Op: "record", Err: s.abort.Err()}, s.w.Abort())
	}
	s.report.run("source", s.addSource)
	s.report.run("machine code", s.addCode)
	if s.afterwards != nil && !interrupted {
		s.afterwards()
	}
	s.mu.Lock()
	s.meta.Interrupted = interrupted
	slices.SortFunc(s.meta.Missing, func(a, b recording.Missing) int { return strings.Compare(a.Part, b.Part) })
	meta := s.meta
	s.mu.Unlock()
	measured := slices.ContainsFunc(s.w.Parts(), func(p recording.Part) bool {
		return p.Kind == recording.KindProfile || p.Kind == recording.KindTrace
	})
	if !measured {
		err := s.nothing()
		return nil, errors.Join(err, s.w.Abort())
	}
	if err := s.w.Close(meta); err != nil {
		return nil, &diag.Error{Op: "record", Err: err, Hint: "what was written so far is in " + s.opt.Out +
			recording.PartialSuffix}
	}
	meta.Version, meta.Parts = recording.Version, s.w.Parts()
	return &Summary{
		Path: s.opt.Out, Meta: meta, Load: s.load, Collection: s.collection, Failures: s.failures,
		Warnings: s.warnings,
	}, nil
}

// nothing returns the error for a recording with no content.
func (s *session) nothing() error {
	if len(s.failures) > 0 {
		return errors.Join(s.failures...)
	}
	if len(s.warnings) > 0 { // of benchmarks: they were interrupted
		return s.warnings[0].Err()
	}
	if len(s.meta.Missing) > 0 {
		m := s.meta.Missing[0]
		for _, other := range s.meta.Missing {
			if other.Part == "cpu" {
				m = other
			}
		}
		return &diag.Error{
			Op: "record", Subject: s.meta.Target.String(), Err: errors.New(m.Part + ": " + m.Reason),
			Hint: m.Hint,
		}
	}
	return &diag.Error{
		Op: "record", Subject: s.meta.Target.String(),
		Err: errors.New("ended before anything was measured"),
	}
}

// here assumes the Go toolchain of this machine if there is no better information about that of the
// target.
func (s *session) here() {
	s.meta.GOOS, s.meta.GOARCH, s.meta.NumCPU = runtime.GOOS, runtime.GOARCH, runtime.NumCPU()
}
