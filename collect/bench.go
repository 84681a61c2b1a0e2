package collect

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

const (
	// secondRun is the time per benchmark of the run that takes block and mutex
	// profiles and the trace: long enough to see every wait, short enough for the
	// trace to stay small.
	secondRun    = "100ms"
	minBenchTime = 10 * time.Millisecond
	maxBenchText = 64 << 20
)

// A benchPackage is one package whose benchmarks are run.
type benchPackage struct {
	path, dir  string
	binary     string
	env        []string // KEY=value besides this process's
	benchmarks []string
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
	benchtime := s.benchTime(pkgs)
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
			s.readExecutable(p.binary)
		}
		if len(pkgs) == 1 {
			s.openExecutable(p.binary)
		}
		got := s.benchPackage(run, p, prefix, benchtime, filepath.Join(temp, "out"), &text)
		for name, prof := range got {
			parts[name] = append(parts[name], prof)
		}
	}
	if err := s.w.Add(recording.Part{Name: recording.BenchPart, Kind: recording.KindText}, text.Bytes()); err != nil {
		s.fail(err)
	}
	if len(pkgs) > 1 {
		s.mergePackages(parts)
	}
	s.meta.Duration = time.Since(s.meta.Created)
	return s.finish(ctx.Err() != nil)
}

// untilEither is a context that ends with ctx or when the session is aborted.
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

// build lists the packages and compiles those with benchmarks. Packages that do
// not build are noted, and the error is only that nothing is left to run.
func (s *session) build(ctx context.Context, temp string) ([]benchPackage, error) {
	if job := s.opt.Benchmark; job != nil {
		b := job.Binary
		return []benchPackage{{path: b.Package.ImportPath, dir: b.Package.Dir, binary: b.Path, env: b.Source.Env, benchmarks: []string{job.Name}}}, nil
	}
	top, _, _ := strings.Cut(s.bench(), "/") // the rest matches sub-benchmarks
	match, err := regexp.Compile(top)
	if err != nil {
		return nil, &diag.Error{Op: "match benchmarks", Subject: strconv.Quote(s.bench()), Err: err, Hint: "it is a regular expression, as go test -bench takes it", Kind: diag.Usage}
	}
	src := gotest.Source{Dir: s.opt.Dir}
	listed, failed, err := gotest.List(ctx, src, s.opt.Packages)
	if err != nil {
		return nil, hinted(err)
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
		// Its name is seen in views, and a folder of its own keeps it apart.
		file := filepath.Join(temp, strconv.Itoa(i), path.Base(p.ImportPath)+".test")
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		if _, err := gotest.Compile(ctx, src, p, file); err != nil {
			s.fail(hinted(err))
			continue
		}
		out = append(out, benchPackage{path: p.ImportPath, dir: p.Dir, binary: file, benchmarks: p.Benchmarks})
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
		e.Hint = "go test -list Benchmark " + strings.Join(s.opt.Packages, " ") + " lists what there is; -bench . takes all"
	}
	return nil, e
}

// command prepares a child that is interrupted, and later killed, with ctx.
func (s *session) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.opt.Dir
	cmd.WaitDelay = 2 * time.Second
	ownGroup(cmd)
	cmd.Cancel = func() error {
		signalGroup(cmd.Process.Pid, sigKill)
		return nil
	}
	return cmd
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

// benchTime is the -test.benchtime of the first run; "" leaves it to testing.
func (s *session) benchTime(pkgs []benchPackage) string {
	if s.opt.BenchTime != "" || s.opt.Duration == 0 {
		return s.opt.BenchTime
	}
	n := 0
	for _, p := range pkgs {
		n += len(p.benchmarks)
	}
	share := s.opt.Duration / time.Duration(n*max(1, s.opt.Count))
	s.report.expect(s.opt.Duration)
	return max(minBenchTime, share.Round(time.Millisecond)).String()
}

// benchPackage runs one package's benchmarks twice: once for CPU and memory,
// undisturbed, and once, shorter, for what disturbs more. It stores the profiles
// under prefix and returns them by their plain names.
func (s *session) benchPackage(ctx context.Context, p benchPackage, prefix, benchtime, dir string, text *bytes.Buffer) map[string]*profile.Profile {
	got := make(map[string]*profile.Profile)
	count := strconv.Itoa(max(1, s.opt.Count))
	base := []string{"-test.run=^$", "-test.bench=" + s.bench(), "-test.outputdir=" + dir}

	args := append(slices.Clone(base), "-test.benchmem", "-test.count="+count, "-test.cpuprofile=cpu", "-test.memprofile=allocs")
	if benchtime != "" {
		args = append(args, "-test.benchtime="+benchtime)
	}
	begin := time.Now()
	var failed error
	s.report.run("benchmarks of "+p.path, func() {
		var out []byte
		out, failed = s.runBench(ctx, p, dir, args)
		text.Write(out)
	})
	if failed != nil {
		s.fail(failed)
	}
	if ctx.Err() != nil {
		s.warn(&diag.Error{
			Op: "record benchmarks of", Subject: p.path, Err: errors.New("interrupted; a test binary writes its profiles at its end, so they are lost"),
			Hint: "give less time with -d or --benchtime, or fewer benchmarks with --bench",
		})
		return got
	}
	s.takeProfiles(got, prefix, dir, begin, "cpu", "allocs")

	args = append(slices.Clone(base), "-test.benchtime="+secondRun, "-test.cpuprofile=cpu", "-test.blockprofile=block", "-test.mutexprofile=mutex", "-test.trace=trace")
	begin = time.Now()
	s.report.run("waits and trace of "+p.path, func() {
		// What fails twice is told once.
		if _, err := s.runBench(ctx, p, dir, args); err != nil && failed == nil {
			s.fail(fmt.Errorf("second run, with block and mutex profiles and a trace: %w", err))
		}
	})
	if ctx.Err() != nil {
		err := errors.New("interrupted in the second run")
		for _, name := range []string{"block", "mutex", recording.TracePart} {
			s.miss(prefix+name, err)
		}
		return got
	}
	s.takeProfiles(got, prefix, dir, begin, "block", "mutex")
	if s.opt.Trace >= 0 {
		s.takeTrace(prefix, dir, begin)
	}
	return got
}

// runBench runs a test binary in its package's folder, its profiles going to dir,
// and returns its output.
func (s *session) runBench(ctx context.Context, p benchPackage, dir string, args []string) ([]byte, error) {
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
		return nil, fmt.Errorf("prepare a folder for profiles: %w", err)
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if s.opt.Benchmark != nil && s.opt.Benchmark.Options.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, s.opt.Benchmark.Options.Timeout)
	}
	defer cancel()
	cmd := s.command(limited, p.binary, args...)
	cmd.Dir = p.dir
	cmd.Env = append(cmd.Environ(), p.env...)
	var out bytes.Buffer
	w := &limitedWriter{&out, maxBenchText}
	cmd.Stdout, cmd.Stderr = w, w
	err := cmd.Run()
	switch {
	case ctx.Err() != nil: // for the caller, which knows what is lost
	case limited.Err() != nil:
		return out.Bytes(), &diag.Error{
			Op: "run", Subject: s.opt.Benchmark.Name + " of " + p.path, Err: fmt.Errorf("%w after %v", gotest.ErrTimeout, s.opt.Benchmark.Options.Timeout),
			Hint: "give it more with --timeout",
		}
	case err != nil:
		return out.Bytes(), &diag.Error{
			Op: "run the benchmarks of", Subject: p.path, Err: errors.New(benchFailure(out.Bytes(), err)),
			Hint: "go test -run '^$' -bench '" + s.bench() + "' " + p.path + " runs it alone",
		}
	}
	return out.Bytes(), nil
}

// benchFailure is the part of the output that says what went wrong.
func benchFailure(out []byte, err error) string {
	var names []string
	running := ""
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, maxBenchText)
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		// A benchmark's name stands alone on its line until its result comes.
		if strings.HasPrefix(line, "Benchmark") {
			if i := strings.IndexAny(line, " \t"); i >= 0 {
				running, line = line[:i], strings.TrimSpace(line[i:])
			} else {
				running, line = line, ""
			}
		}
		switch {
		case strings.HasPrefix(line, "--- FAIL: "):
			names = append(names, strings.TrimPrefix(line, "--- FAIL: "))
		case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
			if running != "" {
				line += " in " + running
			}
			return line
		}
	}
	if len(names) > 0 {
		return "failed: " + strings.Join(names, ", ")
	}
	return firstLines(out, err)
}

// firstLines is the start of a command's output, or err when there is none.
func firstLines(out []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) == 1 && lines[0] == "" {
		return err.Error()
	}
	const most = 5
	if len(lines) > most {
		lines = append(lines[:most], "…")
	}
	return strings.Join(lines, "\n")
}

// takeProfiles stores the files of those names that the run has left in dir.
func (s *session) takeProfiles(got map[string]*profile.Profile, prefix, dir string, begin time.Time, names ...string) {
	part := recording.Part{Start: begin, End: time.Now()}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
			s.miss(prefix+name, errors.New("the benchmarks ended without writing it"))
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
		s.keep(prefix+name, p)
		got[name] = p
	}
}

func (s *session) takeTrace(prefix, dir string, begin time.Time) {
	name := prefix + recording.TracePart
	f, err := os.Open(filepath.Join(dir, "trace"))
	if err == nil {
		err = s.w.AddReader(recording.Part{Name: name, Kind: recording.KindTrace, Start: begin, End: time.Now()}, f, maxTraceBody)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		s.miss(name, err)
	}
}

// limitedWriter drops what goes beyond its limit, without failing the writer.
type limitedWriter struct {
	w    io.Writer
	left int
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}
