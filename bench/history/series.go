package history

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench"
)

// build makes the series from the collected results.
func (r *Report) build(c *collected, places map[commitKey]int) {
	machines := map[Machine]int{}
	for k := range c.batches {
		machines[k.machine] = 0
	}
	for i, m := range sortedKeys(machines, compareMachines) {
		machines[m] = i
		r.Machines = append(r.Machines, m)
	}
	for _, k := range sortedKeys(c.batches, compareKeys) {
		empty := Series{
			Package: k.pkg, Benchmark: k.benchmark, Unit: k.unit, Better: c.better[k.unit], Machine: machines[k.machine],
		}
		ratios, raw := splitBatches(c.batches[k])
		for _, base := range sortedKeys(ratios, strings.Compare) {
			s := empty
			s.Base = base
			r.addSeries(s, ratios[base], places)
		}
		if len(raw) > 0 {
			r.addSeries(empty, raw, places)
		}
	}
}

// splitBatches separates batches that make series of ratios, by base, from the others. A base that
// only one commit was measured against makes no series; nor do values that have no ratio.
func splitBatches(all []*batch) (ratios map[string][]*batch, raw []*batch) {
	ratios = map[string][]*batch{}
	commits := map[string]map[commitKey]bool{}
	for _, s := range all {
		if s.base == "" || len(s.other) == 0 || slices.Min(s.other) <= 0 || slices.Min(s.values) <= 0 {
			raw = append(raw, s)
			continue
		}
		ratios[s.base] = append(ratios[s.base], s)
		if commits[s.base] == nil {
			commits[s.base] = map[commitKey]bool{}
		}
		commits[s.base][s.commit] = true
	}
	for base := range ratios {
		if len(commits[base]) < 2 {
			raw = append(raw, ratios[base]...)
			delete(ratios, base)
		}
	}
	return ratios, raw
}

func (r *Report) addSeries(s Series, batches []*batch, places map[commitKey]int) {
	byCommit := map[int][]*batch{}
	for _, sit := range batches {
		at := places[sit.commit]
		byCommit[at] = append(byCommit[at], sit)
	}
	for _, at := range sortedKeys(byCommit, func(a, b int) int { return a - b }) {
		point := valuePoint
		if s.Base != "" {
			point = ratioPoint
		}
		p := point(byCommit[at], r.Confidence)
		p.Commit, p.Runs = at, len(byCommit[at])
		s.Points = append(s.Points, p)
		s.Linear = s.Linear || p.Center <= 0
	}
	if n := len(s.Points); n > maxPoints {
		r.Warnings.Addf("%s %s: only the newest %d of %d commits are used", s.Benchmark,
			s.Unit, maxPoints, n)
		s.Points = s.Points[n-maxPoints:]
	}
	r.Series = append(r.Series, s)
}

func valuePoint(batches []*batch, confidence float64) Point {
	var values []float64
	for _, s := range batches {
		values = append(values, s.values...)
	}
	center, low, high := summary(values, confidence)
	return Point{
		N: len(values), Center: bench.Float(center), Low: bench.Float(low), High: bench.Float(high), exact: alike(values),
	}
}

// alike reports whether there are several values and all are equal.
func alike(values []float64) bool { return len(values) > 1 && slices.Min(values) == slices.Max(values) }

// mostOfBatch is how many measurements of a side make a ratio, picked evenly from more: the number
// of their differences is quadratic.
const mostOfBatch = 200

// ratioPoint returns the ratio to the base. Batches are independent and may differ by the day: of
// several, the median counts, with the interval that covers all of theirs.
func ratioPoint(batches []*batch, confidence float64) Point {
	p := Point{Low: bench.Float(math.Inf(1)), High: bench.Float(math.Inf(-1)), exact: true}
	var centers, bases []float64
	for _, s := range batches {
		other, values := bench.Downsample(s.other, mostOfBatch), bench.Downsample(s.values, mostOfBatch)
		d, low, high := shift(logs(other), logs(values), confidence)
		centers = append(centers, d)
		bases = append(bases, median(s.other))
		p.N += len(s.values)
		p.exact = p.exact && alike(s.values) && alike(s.other)
		p.Low, p.High = min(p.Low, bench.Float(math.Exp(low))), max(p.High, bench.Float(math.Exp(high)))
	}
	p.Center, p.Base = bench.Float(math.Exp(median(centers))), median(bases)
	if p.Low == 0 { // the logarithm had no bound
		p.Low = bench.Float(math.Inf(-1))
	}
	return p
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
}

// values returns the values in which changes are searched: the centers, as logarithms where they
// have some.
func (s *Series) values() []float64 {
	out := make([]float64, len(s.Points))
	for i, p := range s.Points {
		if out[i] = float64(p.Center); !s.Linear {
			out[i] = math.Log(out[i])
		}
	}
	return out
}

// seed identifies the series, independent of what else is in the directory.
func (s *Series) seed(m Machine) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q %q %q %q %v", s.Package, s.Benchmark, s.Unit, s.Base, m)
	return h.Sum64()
}

// findChanges fills in the changes of all series.
func (r *Report) findChanges(ctx context.Context) error {
	all := make([][]float64, len(r.Series))
	seeds := make([]uint64, len(r.Series))
	for i := range r.Series {
		all[i] = r.Series[i].values()
		seeds[i] = r.Series[i].seed(r.Machines[r.Series[i].Machine])
	}
	points, err := divide(ctx, all, seeds, r.Alpha)
	if err != nil {
		return err
	}
	for i := range r.Series {
		s := &r.Series[i]
		s.Changes = s.measure(all[i], points[i], r.Confidence)
		for k := range s.Changes {
			s.Changes[k].Series = i
		}
		r.Changes = append(r.Changes, s.Changes...)
	}
	slices.SortStableFunc(r.Changes, func(a, b Change) int { return b.At - a.At })
	return nil
}

// measure computes how large the changes are. One whose interval includes no change is dropped; its
// two sides then become one segment.
func (s *Series) measure(values []float64, points []changePoint, confidence float64) []Change {
	for {
		var out []Change
		drop := -1
		for i, p := range points {
			from, to := 0, len(values)
			if i > 0 {
				from = points[i-1].at
			}
			if i+1 < len(points) {
				to = points[i+1].at
			}
			c := s.change(values[from:p.at], values[p.at:to], confidence)
			if c.Low <= 0 && c.High >= 0 && !math.IsInf(float64(c.High), 1) {
				drop = i
				break
			}
			c.After, c.At, c.P, c.Q = s.Points[p.at-1].Commit, s.Points[p.at].Commit, p.p, p.q
			out = append(out, c)
		}
		if drop < 0 {
			return out
		}
		points = slices.Delete(slices.Clone(points), drop, drop+1)
	}
}

func (s *Series) change(before, after []float64, confidence float64) Change {
	d, low, high := shift(before, after, confidence)
	from, to := median(before), median(after)
	if s.Linear {
		of := math.Abs(from)
		d, low, high = relative(d, of), relative(low, of), relative(high, of)
	} else {
		d, low, high = math.Expm1(d), math.Expm1(low), math.Expm1(high)
		if low == -1 { // the logarithm had no bound
			low = math.Inf(-1)
		}
		from, to = math.Exp(from), math.Exp(to)
	}
	return Change{
		From: bench.Float(from), To: bench.Float(to), Delta: bench.Float(d), Low: bench.Float(low), High: bench.Float(high),
		Verdict: verdict(d, s.Better),
	}
}

// relative returns a difference as a share; infinite from zero.
func relative(d, of float64) float64 {
	if d == 0 {
		return 0
	}
	return d / of
}
