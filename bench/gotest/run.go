package gotest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/procgroup/clip"
)

// DefaultTimeout is the timeout of a process.
const DefaultTimeout = time.Minute

// RunOptions configure Binary.Run. The zero value runs the benchmark as go test -bench does.
type RunOptions struct {
	// Iterations is the number of iterations; 0 leaves it to testing, which finds one that takes
	// about Time, and runs others on the way.
	Iterations int
	Time       time.Duration // 0 means testing's default, a second; ignored if Iterations is set
	Count      int           // how many times in the same process; 0 means once
	Procs      int           // GOMAXPROCS; 0 leaves it to the runtime and Source.Env
	// CPUs are the logical CPUs to stay on, on Linux; empty means all. The runtime uses their
	// number as GOMAXPROCS.
	CPUs    []int
	Timeout time.Duration // of the process; 0 means DefaultTimeout
	Env     []string      // KEY=value, in addition to Source.Env
	Profile Profiles
}

// Profiles are files to write, by absolute path; "" means none.
type Profiles struct {
	CPU, Memory, Block, Mutex, Trace string
}

// A Field is a key of the configuration of results, such as goos, with its value.
type Field struct{ Key, Value string }

// A Result is what one process has measured of one benchmark.
type Result struct {
	Name   string // without the number of CPUs
	Procs  int    // GOMAXPROCS
	Config []Field
	// There are RunOptions.Count Measurements.
	Measurements []Measurement

	Wall time.Duration // from the start of the process to its end
	CPU  time.Duration // CPU time of the process, user and system
}

// A Measurement is a line of results.
type Measurement struct {
	Iterations int
	// Values are tidied: "sec/op", "B/op", "allocs/op", "B/s", and the benchmark's own
	// units.
	Values []benchfmt.Value
}

// Value returns the value of a unit, and reports whether there is one.
func (m Measurement) Value(unit string) (float64, bool) {
	for _, v := range m.Values {
		if v.Unit == unit {
			return v.Value, true
		}
	}
	return 0, false
}

// Inside returns the time spent on measured code: iterations times the time of one, over all
// measurements. It is 0 for benchmarks that hide their time, and never more than Wall, whatever a
// benchmark reports.
func (r *Result) Inside() time.Duration {
	sum := 0.0
	for _, m := range r.Measurements {
		if sec, ok := m.Value("sec/op"); ok && sec > 0 {
			sum += sec * float64(m.Iterations)
		}
	}
	if sum *= float64(time.Second); sum < float64(r.Wall) {
		return time.Duration(sum)
	}
	return r.Wall
}

// Pattern returns the -test.bench value that runs the benchmark of a name, those below it, and no
// other.
func Pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// Run runs a benchmark, by a name that Benchmarks returned, in the directory of its package. Its
// error is a *Failure, or ctx's if that has ended.
func (b *Binary) Run(ctx context.Context, name string, o RunOptions) (*Result, error) {
	res, _, err := b.run(ctx, name, o)
	return res, err
}

func (b *Binary) run(ctx context.Context, name string, o RunOptions) (*Result, *ended, error) {
	r := newReader(name, o.Iterations)
	end, err := b.start(ctx, append(o.args(), "-test.bench="+Pattern(name)), o, r)
	r.end()
	switch {
	case ctx.Err() != nil:
		return nil, end, ctx.Err()
	case errors.Is(err, errExit) && len(r.failed) > 0 && end.why() == "":
		return nil, end, b.failure(name, errFailed, end)
	case err != nil:
		return nil, end, b.failure(name, err, end)
	case end.why() != "":
		// The process may exit with 0 while the benchmark's goroutine panics.
		return nil, end, b.failure(name, errExit, end)
	}
	out := &Result{Name: name, Procs: 1, Config: r.config, Wall: end.wall, CPU: end.cpu}
	for _, res := range r.results {
		rest := strings.TrimPrefix(res.name, name)
		if procs := procsOf(rest); rest == "" || rest == "-"+strconv.Itoa(procs) {
			out.Procs = procs
			out.Measurements = append(out.Measurements, Measurement{res.iters, res.values})
		}
	}
	want := max(1, o.Count)
	if extra := len(out.Measurements) - want; extra >= 0 {
		// Lines that a benchmark prints to imitate results come before the real one.
		out.Measurements = out.Measurements[extra:]
		return out, end, nil
	}
	top, _, _ := strings.Cut(name, "/")
	got, _ := b.once(ctx, top, Pattern(top), "", o)
	if ctx.Err() != nil {
		return nil, end, ctx.Err()
	}
	if slices.Contains(got, name) {
		return nil, end, b.failure(name, errors.New("its result cannot be separated from its own output"), end)
	}
	return nil, end, b.failure(name, &missingError{Name: name, Got: got}, end)
}

// args returns the arguments that all ways of running a benchmark share.
func (o RunOptions) args() []string {
	args := []string{"-test.run=^$", "-test.benchmem", "-test.paniconexit0", "-test.timeout=0"}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, "-test."+flag+"="+value)
		}
	}
	switch {
	case o.Iterations > 0:
		add("benchtime", strconv.Itoa(o.Iterations)+"x")
	case o.Time > 0:
		add("benchtime", o.Time.String())
	}
	if o.Count > 1 {
		add("count", strconv.Itoa(o.Count))
	}
	if o.Procs > 0 {
		add("cpu", strconv.Itoa(o.Procs))
	}
	add("cpuprofile", o.Profile.CPU)
	add("memprofile", o.Profile.Memory)
	add("blockprofile", o.Profile.Block)
	add("mutexprofile", o.Profile.Mutex)
	add("trace", o.Profile.Trace)
	return args
}

// Causes of a Failure.
var (
	errExit   = errors.New("the process failed")
	errFailed = errors.New("it failed")
)

// An exitError reports a process that did not exit successfully.
type exitError struct{ *exec.ExitError }

func (e exitError) Is(target error) bool { return target == errExit }

// ended describes how a process has ended.
type ended struct {
	wall, cpu time.Duration
	out       clip.Buffer // the last of both streams
	errors    clip.Buffer // standard error, where the runtime reports why it exits
}

// start runs the binary with its standard output going to stdout, and waits for its end; any other
// than success is an error.
func (b *Binary) start(ctx context.Context, args []string, o RunOptions, stdout io.Writer) (*ended, error) {
	timeout := o.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	end := &ended{out: clip.Buffer{Tail: 16 << 10}, errors: clip.Buffer{Head: 64 << 10, Tail: 4 << 10}}
	command := slices.Concat(b.Source.Wrap, []string{b.Path}, args)
	cmd := exec.CommandContext(limited, command[0], command[1:]...)
	cmd.Dir = b.Package.Dir
	cmd.Env = slices.Concat(cmd.Environ(), b.Source.Env, o.Env)
	cmd.Stdout = io.MultiWriter(stdout, &end.out)
	cmd.Stderr = io.MultiWriter(&end.errors, &end.out)
	procgroup.OwnAndKill(cmd)
	begin := time.Now()
	if err := startOn(cmd, o.CPUs); err != nil {
		return end, fmt.Errorf("start the test binary: %w", err)
	}
	killed, watched := "", func() {}
	if watch := b.Source.Watch; watch != nil {
		done, why := make(chan struct{}), make(chan string, 1)
		go func() { why <- watch(cmd.Process.Pid, done) }()
		watched = func() { close(done); killed = <-why }
	}
	err := cmd.Wait()
	end.wall = time.Since(begin)
	watched()
	procgroup.Signal(cmd.Process.Pid, procgroup.Kill) // processes that it left behind
	end.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	exit := (*exec.ExitError)(nil)
	switch {
	case killed != "":
		return end, fmt.Errorf("killed: %s", killed)
	case limited.Err() != nil && ctx.Err() == nil && err != nil:
		return end, fmt.Errorf("%w after %v", ErrTimeout, timeout)
	case errors.Is(err, exec.ErrWaitDelay):
		return end, nil // it succeeded; a process that it started kept its output open
	case errors.As(err, &exit):
		if interrupted(exit) {
			// A Ctrl-C before the process had its own group is meant for this process, too, and its
			// signal is about to arrive.
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		return end, exitError{exit}
	}
	return end, err
}

// why returns the line by which the runtime reports why it ends the process; "" if there is none.
func (e *ended) why() string {
	for line := range strings.Lines(e.errors.String()) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// failure describes how the process of a benchmark ended, or that of all benchmarks for "".
func (b *Binary) failure(name string, err error, end *ended) *Failure {
	f := &Failure{Package: b.Package.ImportPath, Benchmark: name, Err: err, Output: lastLines(end.out.String())}
	if why := end.why(); why != "" && errors.Is(err, errExit) {
		f.Err = errors.New(why)
		_, rest, _ := strings.Cut(end.errors.String(), why)
		f.Output = firstOf(why + rest)
	}
	return f
}

// Limits on the output in a Failure.
const (
	outputLines = 12
	outputBytes = 4 << 10
)

func lastLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	lines = lines[max(0, len(lines)-outputLines):]
	text = strings.Join(lines, "\n")
	return text[max(0, len(text)-outputBytes):]
}

func firstOf(text string) string {
	lines := strings.SplitN(strings.TrimRight(text, "\n"), "\n", outputLines+1)
	text = strings.Join(lines[:min(len(lines), outputLines)], "\n")
	return text[:min(len(text), outputBytes)]
}
