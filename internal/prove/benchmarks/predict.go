package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/shape"
	"github.com/whet-go/whet/profile"
)

// A Prediction is how a program's CPU time changes, as far as one benchmark of the change shows.
//
// The changed functions take the share Below of the benchmark's CPU time, so that its ratio of time, r, is a change of
// (r-1)/Below of theirs; and that is Share times as much of the program's, without what the benchmark replaces: Other.
type Prediction struct {
	Benchmark string `json:"benchmark"`        // the one that spends most of its time in the changed functions
	Inputs    string `json:"inputs,omitempty"` // of a benchmark that was written
	// Change is of the program's CPU time: -0.02 is 2% less. Low and High are the ends of its interval, which is that
	// of the benchmark: the shares are taken as exact. They are infinite if there were too few pairs.
	Change bench.Float `json:"change"`
	Low    bench.Float `json:"low"`
	High   bench.Float `json:"high"`
	Share  float64     `json:"share"` // of the recording's CPU time, in the changed functions and what they call
	Below  float64     `json:"below"` // of the benchmark's CPU time, in the same
	// Other is the part of Share in packages that the benchmark does not run below the functions, such as those of the
	// connection that a server writes to. It is taken to stay as it is.
	Other float64 `json:"other,omitempty"`
	// Similar is how much the CPU profiles below the functions have in common, compared with profiles of the same
	// work: at most 1; 0 if it is unknown, for the reason in Unknown.
	Similar float64 `json:"similar,omitempty"`
	Unknown string  `json:"unknown,omitempty"`
}

// leastBelow is the share of a benchmark's time in the changed functions from which on a gain says something of them.
const leastBelow = 0.05

// Predict predicts the change of the recorded program's CPU time from a comparison by benchmarks, and compares their
// profiles with the recording's. It warns of each that is not like the program, or not known to be. It returns nil if
// no benchmark can tell.
func (s *Set) Predict(
	ctx context.Context, m *Measured, changes []Change, recorded *profile.Profile,
) (best *Prediction, err error) {
	var of []*shape.Subject
	for _, c := range changes {
		for _, fn := range c.Functions {
			of = append(of, s.subject(c.Package, differ.FuncName(fn.Decl)))
		}
	}
	share, samples, err := shape.Share(recorded, of)
	if err != nil {
		return nil, err
	}
	for _, b := range ofModule(m.covering) {
		p := &Prediction{Benchmark: b.String(), Inputs: b.inputs, Share: share}
		if samples < minSamples {
			p.Unknown = fmt.Sprintf("the recording has %d samples of the changed functions, fewer than %d", samples, minSamples)
		}
		if samples == 0 {
			s.warnings.Add(p.warning(&b))
			continue
		}
		if err := s.liken(ctx, p, &b, of, recorded); err != nil {
			return nil, err
		}
		if err := p.warning(&b); err != nil {
			s.warnings.Add(err)
		}
		if p.Below >= leastBelow && p.set(ratioOf(m.AB, &b)) && (best == nil || p.Below > best.Below) {
			best = p
		}
	}
	return best, nil
}

// liken profiles a benchmark and compares it with the recording, unless that is known to have too few samples.
func (s *Set) liken(
	ctx context.Context, p *Prediction, b *Benchmark, of []*shape.Subject, recorded *profile.Profile,
) (err error) {
	sampled := b.sampled
	if sampled == nil {
		pkg := &packages.Package{PkgPath: b.pkg}
		sampler := &sampler{set: s, w: s.fileOf(*b), pkg: pkg}
		pkg.Dir = s.scratch.Path(b.dir)
		defer func() { err = errors.Join(err, sampler.close()) }()
		for length := sampleTime; length <= maxSampleTime; length *= 3 {
			sampled, err = sampler.sample(ctx, b.name, length)
			if err != nil {
				if p.Unknown = "its profile cannot be taken: " + err.Error(); ctx.Err() == nil {
					return nil
				}
				return ctx.Err()
			}
			if _, n, err := shape.Share(sampled, of); err != nil || n >= minSamples {
				break
			}
		}
	}
	var samples int64
	if p.Below, samples, err = shape.Share(sampled, of); err != nil {
		return err
	}
	if samples < minSamples {
		p.Unknown = fmt.Sprintf("its profile has %d samples of the changed functions, fewer than %d", samples, minSamples)
		return nil
	}
	if p.Other, err = shape.Other(recorded, sampled, of); err != nil || p.Unknown != "" {
		return err
	}
	// The functions are weighed by the recording's time below each.
	all, sum := 0.0, 0.0
	for _, one := range of {
		in, err := one.Of(recorded)
		if err != nil {
			return err
		}
		if in.Samples < minSamples {
			continue
		}
		out, err := one.Of(sampled)
		if err != nil {
			return err
		}
		weight := float64(in.Samples)
		all += weight
		sum += weight * min(1, shape.Similarity(in, out)/shape.Chance(in, out))
	}
	if all == 0 {
		p.Unknown = "no changed function has enough samples in the recording"
		return nil
	}
	p.Similar = sum / all
	return nil
}

// compileOwn builds the tests of a package as the module has them.
func (s *Set) compileOwn(ctx context.Context, pkg *packages.Package, temp string) (*gotest.Binary, error) {
	src := gotest.Source{Dir: s.scratch.Dir, Env: s.o.Env, Flags: s.o.Flags}
	return gotest.Compile(ctx, src, gotest.Package{ImportPath: pkg.PkgPath, Dir: pkg.Dir}, filepath.Join(temp, "own.test"))
}

// warning is the warning about a benchmark that is not like the program, or not known to be; nil for none. Written
// benchmarks that are not like it were warned of when they were chosen.
func (p *Prediction) warning(b *Benchmark) error {
	const hint = "whet prove --service measures the program itself"
	switch {
	case p.Unknown != "":
		return &diag.Error{
			Err:  fmt.Errorf("the similarity of %s to the recording is not known: %s", p.Benchmark, p.Unknown),
			Hint: "record the program longer under load, or measure it: --service",
		}
	case !b.written && p.Similar < goodAlike:
		return &diag.Error{
			Err: fmt.Errorf("%s runs the changed functions in other proportions than the recording: their CPU profiles "+
				"agree on %.0f%% of the time, less than %.0f%%", p.Benchmark, 100*p.Similar, 100*goodAlike),
			Hint: hint,
		}
	}
	return nil
}

// set sets the change that follows from a benchmark's ratio of time, and reports whether there is one.
func (p *Prediction) set(ratio, low, high float64, ok bool) bool {
	of := func(ratio float64) bench.Float { return bench.Float(max(-1, (p.Share-p.Other)*(ratio-1)/p.Below)) }
	p.Change, p.Low, p.High = of(ratio), of(low), of(high)
	return ok && !math.IsNaN(ratio)
}

// ratioOf returns the ratio of a benchmark's time, with its interval: for several sub-benchmarks, geometric means.
func ratioOf(r *ab.Result, b *Benchmark) (ratio, low, high float64, ok bool) {
	name := strings.TrimPrefix(b.name, "Benchmark")
	n, logs := 0.0, [3]float64{}
	for _, subject := range r.Subjects {
		full, _, _ := strings.Cut(strings.TrimPrefix(subject.Name, b.pkg+"."), "/")
		full = strings.TrimPrefix(full, path.Base(b.pkg)+".")
		if full != name || subject.Error != "" {
			continue
		}
		at := slices.IndexFunc(subject.Units, func(u ab.Unit) bool { return u.Unit == gotest.CPUTime })
		if at < 0 {
			at = slices.IndexFunc(subject.Units, func(u ab.Unit) bool { return u.Unit == "sec/op" })
		}
		if at < 0 {
			continue
		}
		n++
		u := &subject.Units[at]
		for i, x := range []bench.Float{u.Ratio, u.Low, u.High} {
			logs[i] += math.Log(float64(x))
		}
	}
	if n == 0 {
		return 0, 0, 0, false
	}
	return math.Exp(logs[0] / n), math.Exp(logs[1] / n), math.Exp(logs[2] / n), true
}
