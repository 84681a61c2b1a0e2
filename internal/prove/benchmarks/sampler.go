package benchmarks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/prove/shape"
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

// A sampler compares the CPU profiles of a package's written benchmarks with the recording. It builds
// the benchmarks when they are first needed.
type sampler struct {
	set      *Set
	w        *writtenFile
	pkg      *packages.Package
	recorded *profile.Profile // nil: there is nothing to compare with
	temp     string
	bin      *gotest.Binary
}

// compare records in p how similar a benchmark's profile is to the recording, if both have enough
// samples below the function.
func (s *sampler) compare(ctx context.Context, p *callPath, b *Benchmark) error {
	if s.recorded == nil {
		return nil
	}
	of := s.set.subject(s.pkg, p.function)
	recorded, err := of.Of(s.recorded)
	if err != nil || recorded.Samples < minSamples {
		return err
	}
	for length := sampleTime; !p.sampled && length <= maxSampleTime; length *= 3 {
		sampled, err := s.sample(ctx, b.name, length)
		if err != nil {
			if ctx.Err() == nil {
				s.set.warnings.Add(fmt.Errorf("profile the generated benchmark %s: %w", b.name, err))
			}
			return ctx.Err()
		}
		measured, err := of.Of(sampled)
		if err != nil {
			return err
		}
		b.sampled = sampled
		if measured.Samples >= minSamples {
			p.sampled, p.similar = true, shape.Similarity(recorded, measured)
			p.chance = shape.Chance(recorded, measured)
		}
	}
	return nil
}

// subject names a function of a package, in the form of differ.FuncName.
func (s *Set) subject(pkg *packages.Package, function string) *shape.Subject {
	return &shape.Subject{
		Module: s.o.Module, Package: pkg.PkgPath, Main: pkg.Name == "main",
		Symbol: regexp.MustCompile(`\[[^\]]*\]`).ReplaceAllString(function, ""),
	}
}

// sample runs a benchmark for some time and returns its CPU profile.
func (s *sampler) sample(ctx context.Context, benchmark string, length time.Duration) (_ *profile.Profile, err error) {
	if s.bin == nil {
		if s.temp, err = os.MkdirTemp(s.set.scratch.Temp, "sample"); err != nil {
			return nil, err
		}
		if s.w == nil {
			s.bin, err = s.set.compileOwn(ctx, s.pkg, s.temp)
		} else {
			s.bin, err = s.set.compileWritten(ctx, s.w, s.pkg, s.temp, s.set.o.Flags)
		}
		if err != nil {
			return nil, err
		}
	}
	file := filepath.Join(s.temp, "cpu.pb.gz")
	err = s.set.runBenchmark(ctx, s.bin, benchmark, nil, "-test.benchtime="+length.String(), "-test.cpuprofile="+file)
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
