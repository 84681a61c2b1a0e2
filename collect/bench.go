package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/collect/testoutput"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

const (
	// secondRun is the time per benchmark in the run that takes block and mutex profiles and the
	// trace: long enough to see every wait, short enough to keep the trace small.
	secondRun = 100 * time.Millisecond
)

// A benchPackage is a package whose benchmarks are run.
type benchPackage struct {
	path, dir  string
	binary     *gotest.Binary
	benchmarks []string // names of the benchmark functions
	count      int      // benchmarks, including known sub-benchmarks
}

// recordBench builds and runs the benchmarks of packages.
func (s *session) recordBench(ctx context.Context) (*Summary, error) {
	run, cancel := s.untilEither(ctx)
	defer cancel()
	temp, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return nil, fmt.Errorf("record benchmarks: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()

	var pkgs []benchPackage
	s.report.run("build", func() { pkgs, err = s.build(run, temp) })
	if err != nil {
		return nil, err
	}
	target := recording.Target{Kind: recording.Bench, Pattern: strings.Join(s.opt.Packages, " "), Bench: s.opt.Bench}
	if s.opt.Benchmark != nil {
		target.Pattern, target.Bench = pkgs[0].path, s.bench()
	}
	if err := s.create(target); err != nil {
		return nil, err
	}
	s.here()
	s.meta.GOMAXPROCS = runtime.GOMAXPROCS(0)
	budget := s.newBudget(run, pkgs)
	if ctx.Err() != nil {
		return nil, errors.Join(&diag.Error{Op: "record benchmarks", Err: ctx.Err()}, s.w.Abort())
	}
	var text bytes.Buffer
	parts := make(map[string][]*profile.Profile)
	for _, p := range pkgs {
		if run.Err() != nil {
			s.warn(fmt.Errorf("%s was not run: interrupted", p.path))
			continue
		}
		prefix := ""
		if len(pkgs) > 1 {
			prefix = p.path + "/"
		}
		if s.meta.Build == nil {
			s.readExecutable(p.binary.Path)
		}
		if len(pkgs) == 1 {
			s.openExecutable(p.binary.Path)
		}
		turn, ok := budget.next(p)
		if !ok {
			s.warn(&diag.Error{
				Op: "record benchmarks of", Subject: p.path, Err: errors.New("the time of -d ran out before they could run"),
				Hint: budgetHint,
			})
			continue
		}
		got := s.benchPackage(run, p, prefix, turn, filepath.Join(temp, "out"), &text)
		for name, prof := range got {
			parts[name] = append(parts[name], prof)
		}
	}
	if err := s.w.Add(recording.Part{Name: recording.BenchPart, Kind: recording.KindText, Note: budget.note(text.Bytes())},
		text.Bytes()); err != nil {
		s.fail(err)
	}
	if len(pkgs) > 1 {
		s.mergePackages(parts)
	}
	s.meta.Duration = time.Since(s.meta.Created)
	if s.opt.Capture != nil {
		s.afterwards = func() { s.captureBench(run, pkgs, temp) }
	}
	return s.finish(ctx.Err() != nil)
}

// untilEither returns a context that ends when ctx ends or the session is aborted.
func (s *session) untilEither(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.abort, cancel)
	return out, func() { stop(); cancel() }
}

func (s *session) mergePackages(parts map[string][]*profile.Profile) {
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		merged, err := profile.Merge(parts[name]...)
		if err != nil {
			s.fail(fmt.Errorf("merge the packages' %s profiles: %w", name, err))
			continue
		}
		s.add(name, merged, recording.Part{Note: fmt.Sprintf("sum of %d packages", len(parts[name]))})
	}
}

// build lists the packages and compiles those with benchmarks. It records packages that do not
// build as failures, and returns an error only if no package is left to run.
func (s *session) build(ctx context.Context, temp string) ([]benchPackage, error) {
	if job := s.opt.Benchmark; job != nil {
		b := job.Binary
		return []benchPackage{{
			path: b.Package.ImportPath, dir: b.Package.Dir, binary: b, benchmarks: []string{job.Name},
			count: 1,
		}}, nil
	}
	top, _, _ := strings.Cut(s.bench(), "/") // the rest matches sub-benchmarks
	match, err := regexp.Compile(top)
	if err != nil {
		return nil, &diag.Error{
			Op: "match benchmarks", Subject: strconv.Quote(s.bench()), Err: err,
			Hint: "give a regular expression, as for go test -bench", Kind: diag.Usage,
		}
	}
	src := gotest.Source{Dir: s.opt.Dir}
	listed, failed, err := gotest.List(ctx, src, s.opt.Packages)
	if err != nil {
		return nil, err
	}
	for _, f := range failed {
		s.fail(&diag.Error{Op: "load package", Subject: f.Package, Err: f.Err})
	}
	var out []benchPackage
	for i, p := range listed {
		if ctx.Err() != nil {
			return nil, &diag.Error{Op: "record benchmarks", Err: ctx.Err()}
		}
		p.Benchmarks = slices.DeleteFunc(p.Benchmarks, func(name string) bool { return !match.MatchString(name) })
		if len(p.Benchmarks) == 0 {
			continue
		}
		s.report.note("building the benchmarks of %s", p.ImportPath)
		// Views show the name of the file; a separate directory makes its path unique.
		file := filepath.Join(temp, strconv.Itoa(i), path.Base(p.ImportPath)+".test")
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		binary, err := gotest.CompileStoppable(ctx, src, p, file)
		if err != nil {
			s.fail(err)
			continue
		}
		out = append(out, benchPackage{
			path: p.ImportPath, dir: p.Dir, binary: binary, benchmarks: p.Benchmarks,
			count: len(p.Benchmarks),
		})
	}
	if len(out) > 0 {
		return out, nil
	}
	if len(s.failures) > 0 {
		return nil, errors.Join(s.failures...)
	}
	e := &diag.Error{Op: "record benchmarks of", Subject: strings.Join(s.opt.Packages, " "), Kind: diag.Failure}
	switch {
	case len(listed) == 0:
		e.Err = errors.New("no package has benchmarks")
		e.Hint = "write one: func BenchmarkName(b *testing.B) { for b.Loop() { … } }"
	default:
		e.Err = fmt.Errorf("no benchmark matches %q", s.opt.Bench)
		e.Hint = "go test -list Benchmark " + strings.Join(s.opt.Packages, " ") + " lists the benchmarks; -bench . runs all"
	}
	return nil, e
}

func (s *session) bench() string {
	switch {
	case s.opt.Benchmark != nil:
		return gotest.Pattern(s.opt.Benchmark.Name)
	case s.opt.Bench == "":
		return "."
	}
	return s.opt.Bench
}

// benchPackage runs one package's benchmarks twice: first for CPU and memory, then, for a shorter
// time, for block, mutex and trace, which slow the benchmarks down. It stores the profiles under
// prefix and returns them by their plain names.
func (s *session) benchPackage(ctx context.Context, p benchPackage, prefix string, turn benchTurn, dir string,
	text *bytes.Buffer,
) map[string]*profile.Profile {
	got := make(map[string]*profile.Profile)
	count := strconv.Itoa(max(1, s.opt.Count))
	base := []string{"-test.run=^$", "-test.bench=" + s.bench(), "-test.outputdir=" + dir}

	args := append(slices.Clone(base), "-test.benchmem", "-test.count="+count, "-test.cpuprofile=cpu",
		"-test.memprofile=allocs")
	if turn.benchTime != "" {
		args = append(args, "-test.benchtime="+turn.benchTime)
	}
	begin := time.Now()
	var first benchRun
	s.report.run("benchmarks of "+p.path, func() { first = s.runBench(ctx, p, dir, args, turn.first()) })
	text.Write(first.out)
	if first.err != nil {
		s.fail(first.err)
	}
	if first.killed {
		s.warn(&diag.Error{
			Op: "record benchmarks of", Subject: p.path, Err: errors.New("ended before their test binary wrote its profiles, " +
				"which are lost"),
			Hint: budgetHint,
		})
		return got
	}
	if first.stopped && ctx.Err() == nil {
		s.warn(&diag.Error{
			Op: "record benchmarks of", Subject: p.path,
			Err: fmt.Errorf("the time of -d ran out after %d of %s", testoutput.Results(first.out),
				numberOf(p.count*max(1, s.opt.Count), "result")),
			Hint: budgetHint,
		})
	}
	note := ""
	if first.stopped {
		note = "ended early"
	}
	s.takeProfiles(got, prefix, dir, recording.Part{Start: begin, Note: note}, "cpu", "allocs")
	missed := func(why string) {
		for _, name := range []string{"block", "mutex", recording.TracePart} {
			s.miss(prefix+name, errors.New(why))
		}
	}
	if ctx.Err() != nil {
		missed("interrupted before the second run")
		return got
	}

	args = append(slices.Clone(base), "-test.benchtime="+turn.secondTime.String(), "-test.cpuprofile=cpu",
		"-test.blockprofile=block", "-test.mutexprofile=mutex", "-test.trace=trace")
	begin = time.Now()
	var second benchRun
	s.report.run("waits and trace of "+p.path, func() { second = s.runBench(ctx, p, dir, args, turn.second()) })
	// A failure in both runs is reported once.
	if second.err != nil && first.err == nil {
		s.fail(fmt.Errorf("second run, with block and mutex profiles and a trace: %w", second.err))
	}
	if second.killed {
		missed("interrupted in the second run")
		return got
	}
	note = ""
	if second.stopped {
		note = "ended early"
	}
	s.takeProfiles(got, prefix, dir, recording.Part{Start: begin, Note: note}, "block", "mutex")
	if s.opt.Trace >= 0 {
		s.takeTrace(prefix, dir, recording.Part{Start: begin, Note: note})
	}
	return got
}

// A benchRun is the outcome of one run of a test binary.
type benchRun struct {
	out     []byte
	err     error // of the benchmarks
	stopped bool  // ended early
	killed  bool  // ended early, before it wrote its profiles
}

// profileGrace is how long a test binary may take to write its profiles when it is ended early.
const profileGrace = 30 * time.Second

// runBench runs a test binary in its package's directory and lets it write its profiles to dir. A
// nonzero limit ends it early, as does the end of ctx.
func (s *session) runBench(ctx context.Context, p benchPackage, dir string, args []string,
	limit time.Duration,
) benchRun {
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
		return benchRun{err: fmt.Errorf("create directory for profiles: %w", err), killed: ctx.Err() != nil}
	}
	timeout := time.Duration(0)
	if s.opt.Benchmark != nil {
		timeout = s.opt.Benchmark.Options.Timeout
	}
	soft, done := within(ctx, limit)
	defer done()
	hard, kill := within(context.WithoutCancel(ctx), timeout)
	defer kill()
	defer context.AfterFunc(s.abort, kill)()

	cmd := exec.CommandContext(hard, p.binary.Path, args...)
	cmd.Dir = p.dir
	cmd.Env = append(cmd.Environ(), p.binary.Source.Env...)
	procgroup.OwnAndKill(cmd)
	var out testoutput.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	stop := kill
	if p.binary.Stoppable {
		end, release, err := gotest.StopPipe(cmd)
		if err != nil {
			return benchRun{err: err}
		}
		defer release()
		stop = func() {
			end()
			time.AfterFunc(profileGrace, kill)
		}
	}
	defer context.AfterFunc(soft, stop)()
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it succeeded; a process that it started keeps its output open
	}
	run := benchRun{out: out.Bytes(), stopped: soft.Err() != nil}
	if run.stopped {
		run.killed = hard.Err() != nil
		if cmd.Process != nil {
			procgroup.Signal(cmd.Process.Pid, procgroup.Kill) // the processes it started
		}
		// The line of the benchmark that was running has no result.
		run.out = run.out[:bytes.LastIndexByte(run.out, '\n')+1]
		if !testoutput.Failed(run.out) && (run.killed || err == nil) {
			return run
		}
	}
	switch {
	case hard.Err() != nil && !run.stopped:
		run.err = &diag.Error{
			Op: "run", Subject: s.opt.Benchmark.Name + " of " + p.path, Err: fmt.Errorf("%w after %v", gotest.ErrTimeout,
				timeout),
			Hint: "give it more with --timeout",
		}
	case err != nil || run.stopped:
		run.err = &diag.Error{
			Op: "run the benchmarks of", Subject: p.path, Err: errors.New(testoutput.Failure(out.Bytes(), err)),
			Hint: "go test -run '^$' -bench '" + s.bench() + "' " + p.path + " runs it alone",
		}
	}
	return run
}

// within returns a context that also ends after limit, if that is not 0.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

// takeProfiles stores the profiles that the run left in dir.
func (s *session) takeProfiles(got map[string]*profile.Profile, prefix, dir string, part recording.Part,
	names ...string,
) {
	part.End = time.Now()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
			why := "the benchmarks ended without writing it"
			if part.Note != "" {
				why = part.Note + ", before there was anything to write"
			}
			s.miss(prefix+name, errors.New(why))
			continue
		}
		var p *profile.Profile
		if err == nil {
			p, err = profile.Parse(data, profile.ReadOptions{})
		}
		if err != nil {
			s.miss(prefix+name, err)
			continue
		}
		if err := s.w.AddRawProfile(prefix+name, data, part); err != nil {
			s.fail(err)
			continue
		}
		s.added(prefix+name, 0)
		got[name] = p
	}
}

func (s *session) takeTrace(prefix, dir string, part recording.Part) {
	name := prefix + recording.TracePart
	part.Name, part.Kind, part.End = name, recording.KindTrace, time.Now()
	f, err := os.Open(filepath.Join(dir, "trace"))
	if errors.Is(err, fs.ErrNotExist) && part.Note != "" {
		err = errors.New(part.Note + ", before there was anything to write")
	}
	if err == nil {
		err = s.w.AddReader(part, f, handlers.MaxTrace)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		s.miss(name, err)
	}
}
