package prove

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/profile"
)

// A written benchmark runs sampleTime for its profile, which has a hundred samples per second of CPU
// time, and longer on a busy machine, up to maxSampleTime.
const (
	sampleTime    = time.Second
	maxSampleTime = 9 * time.Second
)

// minSamples is the minimum number of samples below a function, in the recording and of a benchmark,
// for their distribution to say something.
const minSamples = 50

// A shape is the distribution of CPU time below a function.
type shape struct {
	parts   map[spot]float64 // sums to 1
	samples int64
}

// A spot is where CPU time is spent: a line of the module, or a function called from it.
type spot struct {
	function string // innermost function of the module
	line     int64  // relative to the function's first line
	calls    string // function that the line calls, not of the module or the runtime; "" if none
}

// A subject names a function whose calls are compared.
type subject struct {
	module string // path
	pkg    string // import path
	main   bool   // the package is a command
	symbol string // without the package, in the form of differ.FuncName
}

// name returns the symbol of a frame without type arguments, with the import path of a command's
// package.
func (s *subject) name(symbol string) (pkg, name string) {
	pkg = profile.PackagePath(symbol)
	name = strings.ReplaceAll(profile.Generic(symbol), "[...]", "")
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	_, name, _ = strings.Cut(name, ".")
	if pkg == "main" && s.main {
		pkg = s.pkg
	}
	return pkg, name
}

// has reports whether a frame is of the function or of a literal in it.
func (s *subject) has(symbol string) bool {
	pkg, name := s.name(symbol)
	return pkg == s.pkg && (name == s.symbol || strings.HasPrefix(name, s.symbol+".") || name == s.symbol+"-fm")
}

// own reports whether a package is part of the module.
func (s *subject) own(pkg string) bool {
	return pkg == s.module || strings.HasPrefix(pkg, s.module+"/")
}

// shapeOf returns how a CPU profile distributes the time below the outermost call of the function.
// It has no samples if the profile has none below the function, is no CPU profile, or does not know
// where functions begin.
func (s *subject) shapeOf(p *profile.Profile) (shape, error) {
	out := shape{parts: map[spot]float64{}}
	cpu, noCPU := p.TypeIndex("cpu")
	count, noCount := p.TypeIndex("samples")
	if noCPU != nil || noCount != nil {
		return shape{}, nil
	}
	v, err := p.View(profile.Query{Type: cpu})
	if err != nil {
		return shape{}, err
	}
	total := 0.0
	for stack := range v.Stacks() {
		at, known := s.spotOf(p, stack.Lines)
		if !known || stack.Value <= 0 {
			continue
		}
		if at.line < 0 {
			return shape{}, nil
		}
		out.parts[at] += float64(stack.Value)
		total += float64(stack.Value)
		out.samples += p.Value(stack.Sample, count)
	}
	for at := range out.parts {
		out.parts[at] /= total
	}
	return out, nil
}

// spotOf returns where a stack, leaf first, spends time below the function; ok is false if it is not
// in it. The line is negative if the profile does not know where the function begins.
func (s *subject) spotOf(p *profile.Profile, lines []uint32) (at spot, ok bool) {
	function := func(i int) *profile.Function {
		if f := p.Lines[lines[i]].Function; f != profile.None {
			return &p.Functions[f]
		}
		return &profile.Function{}
	}
	root := len(lines) - 1
	for root >= 0 && !s.has(function(root).Name) {
		root--
	}
	for i := range root + 1 {
		f := function(i)
		pkg, name := s.name(f.Name)
		if !s.own(pkg) {
			continue
		}
		at = spot{function: pkg + "." + name, line: int64(p.Lines[lines[i]].Line) - f.StartLine}
		if f.StartLine == 0 {
			at.line = -1
		}
		if i > 0 {
			if pkg, name := s.name(function(i - 1).Name); !isRuntime(pkg) {
				at.calls = pkg + "." + name
			}
		}
		return at, true
	}
	return spot{}, false
}

// isRuntime reports whether a package is part of the runtime, whose functions say little about the
// path: the same line may allocate, copy or be interrupted.
func isRuntime(pkg string) bool {
	return pkg == "" || pkg == "runtime" || strings.HasPrefix(pkg, "runtime/") || strings.HasPrefix(pkg, "internal/")
}

// similarity returns how much two distributions have in common: from 0 to 1, the sum of the smaller
// share of each spot.
func similarity(a, b shape) float64 {
	sum := 0.0
	for at, share := range a.parts {
		sum += min(share, b.parts[at])
	}
	return sum
}

// A sampler compares the CPU profiles of a package's written benchmarks with the recording. It builds
// the benchmarks when they are first needed.
type sampler struct {
	f    *Prover
	w    *writtenFile
	pkg  *packages.Package
	temp string
	bin  *gotest.Binary
}

// compare records in p how similar a benchmark's profile is to the recording, if both have enough
// samples below the function.
func (s *sampler) compare(ctx context.Context, p *callPath, benchmark string) error {
	if s.f.Recorded == nil {
		return nil
	}
	of := &subject{
		module: s.f.module, pkg: s.pkg.PkgPath, main: s.pkg.Name == "main",
		symbol: regexp.MustCompile(`\[[^\]]*\]`).ReplaceAllString(p.function, ""),
	}
	recorded, err := of.shapeOf(s.f.Recorded)
	if err != nil || recorded.samples < minSamples {
		return err
	}
	for length := sampleTime; !p.sampled && length <= maxSampleTime; length *= 3 {
		sampled, err := s.sample(ctx, benchmark, length)
		if err != nil {
			if ctx.Err() == nil {
				s.f.warnings.Add(fmt.Errorf("profile the generated benchmark %s: %w", benchmark, err))
			}
			return ctx.Err()
		}
		measured, err := of.shapeOf(sampled)
		if err != nil {
			return err
		}
		if measured.samples >= minSamples {
			p.sampled, p.similar = true, similarity(recorded, measured)
		}
	}
	return nil
}

// sample runs a benchmark for some time and returns its CPU profile.
func (s *sampler) sample(ctx context.Context, benchmark string, length time.Duration) (_ *profile.Profile, err error) {
	if s.bin == nil {
		if s.temp, err = os.MkdirTemp(s.f.scratch.Temp, "sample"); err != nil {
			return nil, err
		}
		if s.bin, err = s.f.compileWritten(ctx, s.w, s.pkg, s.temp); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(s.temp, "cpu.pb.gz")
	err = s.f.runBenchmark(ctx, s.bin, benchmark, nil, "-test.benchtime="+length.String(), "-test.cpuprofile="+file)
	if err != nil {
		return nil, err
	}
	return profile.ReadFile(file, profile.ReadOptions{})
}

func (s *sampler) close() error {
	if s.temp == "" {
		return nil
	}
	return os.RemoveAll(s.temp)
}
