package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/collect/process"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// Capture configures which calls are copied after the measurement, by a program that is built again for it.
type Capture struct {
	// Functions matches the symbols of the functions to copy, as profiles have them. nil means those with the hottest
	// own lines of the recording.
	Functions *regexp.Regexp
	// Redact is a regular expression of further names of what is secret; "-" disables all rules.
	Redact string
	// Share is the fraction of the elapsed time that the program spends on copying; 0 means support.DefaultShare.
	Share float64
}

const (
	// captureTime is how long the program that copies is loaded, at most.
	captureTime = 5 * time.Second
	// hotFunctions is the number of functions that are copied unless they are named.
	hotFunctions = 8
	// hotLeast is the minimum share of the CPU time of such a function.
	hotLeast = 0.01
)

// capturePart is the part in the list of what is missing.
const capturePart = "arguments"

// A goRun is a command that the go command builds and runs.
type goRun struct {
	flags []string // of go build
	main  string   // the package
	args  []string
}

// parseGoRun splits a command of the form go run [FLAGS] PACKAGE [ARGUMENTS].
func parseGoRun(command []string) (*goRun, error) {
	bad := func(what string) error {
		return &diag.Error{
			Op: "capture", Subject: strings.Join(command, " "), Err: errors.New(what), Kind: diag.Usage,
			Hint: "whet builds the program to copy arguments: write the command as `go run ./cmd/server -addr :8080`",
		}
	}
	if len(command) < 2 || filepath.Base(command[0]) != "go" || command[1] != "run" {
		return nil, bad("the command does not say how the program is built")
	}
	r := &goRun{}
	rest := command[2:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "-" {
		name := strings.TrimLeft(rest[0], "-")
		r.flags = append(r.flags, rest[0])
		rest = rest[1:]
		if strings.Contains(name, "=") || isSwitch(name) {
			continue
		}
		if name == "exec" || name == "overlay" {
			return nil, bad("-" + name + " is not supported with --capture")
		}
		if len(rest) == 0 {
			return nil, bad("-" + name + " has no value")
		}
		r.flags, rest = append(r.flags, rest[0]), rest[1:]
	}
	if len(rest) == 0 || strings.HasSuffix(rest[0], ".go") || strings.Contains(rest[0], "@") {
		return nil, bad("it names no package of this module")
	}
	r.main, r.args = rest[0], rest[1:]
	return r, nil
}

// isSwitch reports whether a flag of go build takes no value.
func isSwitch(name string) bool {
	return slices.Contains([]string{
		"a", "asan", "cover", "json", "linkshared", "modcacherw", "msan", "n", "race", "trimpath", "v", "work", "x",
	}, name)
}

// build builds the program.
func (r *goRun) build(ctx context.Context, dir, file string, more ...string) error {
	args := slices.Concat([]string{"build"}, r.flags, more, []string{"-o", file, r.main})
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	procgroup.OwnAndKill(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return &diag.Error{
			Op: "build", Subject: r.main, Err: fmt.Errorf("%w: %s", err, firstLines(out, err)),
			Hint: "`go build " + r.main + "` shows the same",
		}
	}
	return nil
}

// programName returns the name of a program's file, which views show.
func programName(main, dir string) string {
	name := filepath.Base(main)
	if name == "." || name == ".." || strings.HasSuffix(name, "...") {
		if abs, err := filepath.Abs(filepath.Join(dir, main)); err == nil {
			name = filepath.Base(abs)
		}
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// A capturing is what is needed to build a command twice.
type capturing struct {
	run  *goRun
	temp string
}

// beginCapture builds the command as it is, and has it run instead of the go command.
func (s *session) beginCapture(ctx context.Context) (*capturing, error) {
	run, err := parseGoRun(s.opt.Command)
	if err != nil {
		return nil, err
	}
	c := &capturing{run: run}
	if c.temp, err = os.MkdirTemp("", "whet-capture-"); err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	file := filepath.Join(c.temp, programName(run.main, s.opt.Dir))
	s.report.run("build", func() { err = run.build(ctx, s.opt.Dir, file) })
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	s.opt.Command = append([]string{file}, run.args...)
	return c, nil
}

func (c *capturing) close() error { return os.RemoveAll(c.temp) }

// rank returns the function that ranks those to copy.
func (s *session) rank() (func(symbol string) int, error) {
	if re := s.opt.Capture.Functions; re != nil {
		return func(symbol string) int {
			if re.MatchString(symbol) {
				return 0
			}
			return -1
		}, nil
	}
	p := s.profile("cpu")
	if p == nil {
		return nil, &diag.Error{
			Op: "capture", Err: errors.New("there is no CPU profile that shows the hottest lines"),
			Hint: "name the functions: --capture REGEXP",
		}
	}
	hot := hottest(p, s.own())
	if len(hot) == 0 {
		return nil, &diag.Error{
			Op: "capture", Err: errors.New("no function of own code has a hot line"), Hint: "name the functions: --capture REGEXP",
		}
	}
	return func(symbol string) int { return slices.Index(hot, symbol) }, nil
}

// hottest returns the symbols of the functions whose lines are charged the most CPU time, and of their callers.
func hottest(p *profile.Profile, own func(profile.Function) bool) []string {
	typ, err := p.TypeIndex("cpu")
	if err != nil {
		return nil
	}
	v, err := p.View(profile.Query{Type: typ})
	if err != nil {
		return nil
	}
	weight, total := map[string]float64{}, 0.0
	for stack := range v.Stacks() {
		total += float64(stack.Value)
		seen := map[string]bool{}
		share := float64(stack.Value)
		for _, l := range stack.Lines { // leaf first
			at := p.Lines[l].Function
			if at == profile.None || !own(p.Functions[at]) {
				continue
			}
			name := symbolOf(p.Functions[at].Name)
			if seen[name] {
				continue
			}
			seen[name] = true
			weight[name] += share
			// A caller sees the arguments, too, but less of what makes the line hot.
			if share /= 4; len(seen) == 3 {
				break
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(weight), func(a, b string) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), strings.Compare(a, b))
	})
	names = slices.DeleteFunc(names, func(name string) bool { return weight[name] < hotLeast*total })
	return names[:min(len(names), hotFunctions)]
}

// symbolOf returns the symbol of the declared function that a function is in: of literals, and of instances.
func symbolOf(name string) string {
	name = strings.ReplaceAll(profile.Generic(name), "[...]", "")
	return strings.TrimSuffix(literal().ReplaceAllString(name, ""), "-fm")
}

func literal() *regexp.Regexp {
	return regexp.MustCompile(`(\.(func|gowrap|deferwrap)\d+(\.\d+)*)+(-range\d+)?$`)
}

// captureCommand builds the command with copies, runs it with the load, and stores what it copied. What goes wrong is
// listed as missing.
func (s *session) captureCommand(ctx context.Context, c *capturing) {
	run, cancel := s.untilEither(ctx)
	defer cancel()
	err := s.copyCommand(run, c)
	if ctx.Err() != nil && err != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		s.miss(capturePart, err)
	}
}

func (s *session) copyCommand(ctx context.Context, c *capturing) error {
	rank, err := s.rank()
	if err != nil {
		return err
	}
	copies := filepath.Join(c.temp, "copies")
	if err := os.MkdirAll(copies, 0o700); err != nil {
		return fmt.Errorf("capture: %w", err)
	}
	file := filepath.Join(copies, programName(c.run.main, s.opt.Dir))
	var made *instrument.Program
	s.report.run("build with copies of arguments", func() {
		made, err = instrument.Make(ctx, instrument.Options{
			Dir: s.opt.Dir, Packages: []string{c.run.main}, Flags: c.run.flags, Rank: rank, Temp: c.temp,
		})
		if err == nil {
			err = c.run.build(ctx, s.opt.Dir, file, "-overlay="+made.Overlay)
		}
	})
	if err != nil {
		return err
	}
	dir, env, err := s.captureDir(c.temp, "0")
	if err != nil {
		return err
	}
	child, err := process.Start(process.Command{
		Args: append([]string{file}, c.run.args...), Dir: s.opt.Dir, Env: env, Output: s.opt.TargetLog,
	})
	if err != nil {
		return err
	}
	defer child.Stop(s.abort, procgroup.Interrupt, procgroup.Terminate)
	client, err := s.findHandlers(ctx, child)
	if err != nil {
		return err
	}
	defer client.Close()
	window, _, _ := s.opt.window()
	window = min(window, captureTime)
	s.report.run("copying arguments", func() { err = s.loadCopies(ctx, window, child) })
	if err != nil {
		return err
	}
	child.Stop(s.abort, procgroup.Interrupt, procgroup.Terminate)
	return s.addArguments(made.Left, dir)
}

// loadCopies runs the load while arguments are copied, and waits until the last ones are written.
func (s *session) loadCopies(ctx context.Context, window time.Duration, child *process.Child) error {
	ending, cancel := context.WithTimeout(ctx, window+writeTime)
	defer cancel()
	if s.opt.Load != nil {
		o := *s.opt.Load
		o.Duration, o.Requests, o.Warmup, o.Progress = window, 0, 0, nil
		if _, err := load.Run(ending, o); err != nil && ctx.Err() == nil {
			return fmt.Errorf("load the program that copies: %w", err)
		}
	}
	select {
	case <-ending.Done():
	case <-child.Done():
		return fmt.Errorf("the program that copies ended: %w%s", child.Exited(), child.LastOutput())
	}
	return ctx.Err()
}

// writeTime is how long the last copies may take to be written.
const writeTime = 1100 * time.Millisecond

// captureDir makes the directory for the documents of processes. env tells them.
func (s *session) captureDir(temp, name string) (dir string, env []string, err error) {
	dir = filepath.Join(temp, "documents", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("capture: %w", err)
	}
	env = []string{support.DirEnv + "=" + dir, support.RedactEnv + "=" + s.opt.Capture.Redact}
	if share := s.opt.Capture.Share; share > 0 {
		env = append(env, support.ShareEnv+"="+strconv.FormatFloat(share, 'g', -1, 64))
	}
	return dir, env, nil
}

// addArguments stores what processes copied into directories.
func (s *session) addArguments(left []instrument.Left, dirs ...string) error {
	redactor, err := arguments.NewRedactor(s.opt.Capture.Redact)
	if err != nil {
		return err
	}
	all := &arguments.Document{Schema: support.Schema, Left: left}
	for _, dir := range dirs {
		d, err := arguments.Read(dir, redactor)
		if err != nil {
			return err
		}
		all.Functions = append(all.Functions, d.Functions...)
	}
	calls := 0
	for _, f := range all.Functions {
		calls += len(f.Calls)
	}
	if calls == 0 {
		return &diag.Error{
			Op: "capture", Err: errors.New("none of the functions was called"),
			Hint: "send a load that calls them, or run longer: --load, -d",
		}
	}
	s.report.note("arguments: copied %d calls of %d functions", calls, len(all.Functions))
	return s.w.AddJSON(recording.ArgumentsPart, all)
}

// captureBench runs the benchmarks of packages again, with copies, and stores these.
func (s *session) captureBench(ctx context.Context, pkgs []benchPackage, temp string) {
	rank, err := s.rank()
	if err != nil {
		s.miss(capturePart, err)
		return
	}
	var left []instrument.Left
	var dirs []string
	var failed error
	for i, p := range pkgs {
		if ctx.Err() != nil {
			failed = errors.New("interrupted")
			break
		}
		dir, more, err := s.copyBench(ctx, p, rank, filepath.Join(temp, "capture"+strconv.Itoa(i)))
		left = append(left, more...)
		if err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		dirs = append(dirs, dir)
	}
	if len(dirs) > 0 {
		failed = s.addArguments(left, dirs...)
	}
	if failed != nil {
		s.miss(capturePart, failed)
	}
}

// copyBench runs the benchmarks of a package with copies.
func (s *session) copyBench(
	ctx context.Context, p benchPackage, rank func(string) int, temp string,
) (dir string, left []instrument.Left, err error) {
	dir, env, err := s.captureDir(temp, "0")
	if err != nil {
		return "", nil, err
	}
	src := p.binary.Source
	var made *instrument.Program
	var binary *gotest.Binary
	s.report.run("build "+p.path+" with copies of arguments", func() {
		made, err = instrument.Make(ctx, instrument.Options{
			Dir: cmp.Or(p.dir, src.Dir), Packages: []string{p.path}, Flags: src.Flags, Env: src.Env, Rank: rank, Temp: temp,
			Tests: true,
		})
		if err != nil {
			return
		}
		src.Overlay = maps.Clone(src.Overlay)
		if src.Overlay == nil {
			src.Overlay = map[string]string{}
		}
		maps.Copy(src.Overlay, made.Files)
		binary, err = gotest.Compile(ctx, src, p.binary.Package, filepath.Join(temp, "copies.test"))
	})
	if err != nil {
		return "", nil, err
	}
	s.report.run("copying arguments of "+p.path, func() {
		limit, cancel := context.WithTimeout(ctx, captureTime)
		defer cancel()
		cmd := exec.CommandContext(limit, binary.Path, "-test.run=^$", "-test.bench="+s.bench(), "-test.benchtime=300ms")
		cmd.Dir, cmd.Env = p.dir, slices.Concat(os.Environ(), src.Env, env)
		procgroup.OwnAndKill(cmd)
		_ = cmd.Run() // a benchmark that fails was reported; a run that is cut short has copied enough
	})
	return dir, made.Left, ctx.Err()
}
