package collect

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/collect/process"
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
	listed, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	var out []benchPackage
	tested := 0
	for i, p := range listed {
		if ctx.Err() != nil {
			return nil, &diag.Error{Op: "record benchmarks", Err: ctx.Err()}
		}
		if p.Error != nil {
			s.fail(&diag.Error{Op: "load package", Subject: p.ImportPath, Err: errors.New(p.Error.Err)})
			continue
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		tested++
		s.report.note("building the benchmarks of %s", p.ImportPath)
		// Its name is seen in views, and a folder of its own keeps it apart.
		b := benchPackage{path: p.ImportPath, dir: p.Dir, binary: filepath.Join(temp, strconv.Itoa(i), path.Base(p.ImportPath)+".test")}
		if runtime.GOOS == "windows" {
			b.binary += ".exe"
		}
		if msg, err := s.goCommand(ctx, "test", "-c", "-o", b.binary, p.ImportPath); err != nil {
			s.fail(&diag.Error{Op: "build the tests of", Subject: p.ImportPath, Err: errors.New(firstLines(msg, err)), Hint: "go vet " + p.ImportPath + " shows the same"})
			continue
		}
		if b.benchmarks, err = s.benchmarks(ctx, b); err != nil {
			s.fail(&diag.Error{Op: "list the benchmarks of", Subject: p.ImportPath, Err: err})
			continue
		}
		if len(b.benchmarks) > 0 {
			out = append(out, b)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	if len(s.failures) > 0 {
		return nil, errors.Join(s.failures...)
	}
	e := &diag.Error{Op: "record benchmarks of", Subject: strings.Join(s.opt.Packages, " "), Kind: diag.Failure}
	switch {
	case tested == 0:
		e.Err = errors.New("no package has tests")
		e.Hint = "write a benchmark: func BenchmarkName(b *testing.B) { for b.Loop() { … } }"
	default:
		e.Err = fmt.Errorf("no benchmark matches %q", s.opt.Bench)
		e.Hint = "go test -list Benchmark " + strings.Join(s.opt.Packages, " ") + " lists what there is; -bench . takes all"
	}
	return nil, e
}

// listedPackage is what go list -json says, as far as it matters here.
type listedPackage struct {
	ImportPath   string
	Dir          string
	TestGoFiles  []string
	XTestGoFiles []string
	Error        *struct{ Err string }
}

func (s *session) list(ctx context.Context) ([]listedPackage, error) {
	cmd := s.command(ctx, "go", append([]string{"list", "-e", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,Error", "--"}, s.opt.Packages...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	fails := func(err error) error {
		e := &diag.Error{Op: "list packages", Subject: strings.Join(s.opt.Packages, " "), Err: err}
		if errors.Is(err, exec.ErrNotFound) {
			e.Hint = "install Go: https://go.dev/dl"
		}
		return e
	}
	if errors.As(err, new(*exec.ExitError)) {
		return nil, fails(errors.New(firstLines(stderr.Bytes(), err)))
	} else if err != nil {
		return nil, fails(err)
	}
	var out []listedPackage
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var p listedPackage
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fails(err)
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, fails(errors.New("no packages match"))
	}
	return out, nil
}

// command prepares a child that is interrupted, and later killed, with ctx.
func (s *session) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.opt.Dir
	cmd.WaitDelay = 2 * time.Second
	process.OwnGroup(cmd)
	cmd.Cancel = func() error {
		process.SignalGroup(cmd.Process.Pid, process.Kill)
		return nil
	}
	return cmd
}

func (s *session) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	return s.command(ctx, "go", args...).CombinedOutput()
}

// benchmarks lists a test binary's benchmarks that the user wants.
func (s *session) benchmarks(ctx context.Context, b benchPackage) ([]string, error) {
	top, _, _ := strings.Cut(s.bench(), "/") // the rest matches sub-benchmarks
	cmd := s.command(ctx, b.binary, "-test.list", top)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, errors.New(firstLines(out, err))
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "Benchmark") {
			names = append(names, line)
		}
	}
	return names, nil
}

func (s *session) bench() string {
	if s.opt.Bench == "" {
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
	cmd := s.command(ctx, p.binary, args...)
	cmd.Dir = p.dir
	var out bytes.Buffer
	w := &limitedWriter{&out, maxBenchText}
	cmd.Stdout, cmd.Stderr = w, w
	err := cmd.Run()
	switch {
	case ctx.Err() != nil: // for the caller, which knows what is lost
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
