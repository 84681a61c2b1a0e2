package regressions

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/whet-go/whet/profile"
)

// A test is one step of one subject's share.
type test struct {
	panel   *panel
	subject int
	deploy  int // -1: without a deploy
	slot    int // the first after the step
	design  *design
	step    int // of design
	est     estimate
	before  float64 // the share
	gone    bool    // it went away again
	// explained means that it is part of a shift, or went away. Its q stays that among all tests.
	explained bool
	reverts   bool // it undoes another step
	p, q      float64
}

// Limits on change points.
const (
	leastSide    = 6 // slots before and after one
	mostPoints   = 3 // of a function
	nearDeploy   = 2 // slots; a deploy is what changed there
	permutations = 999
	permuted     = 0.02  // the share of permutations that may be as extreme
	kept         = 0.4   // the part of a step that must be left at the end
	certain      = 0.001 // p up to which a change point is one when others are searched
)

// columns returns the steps of deploys, then those at slots.
func (p *panel) columns(slots ...int) [][]float64 {
	all := make([]int, len(p.deploys))
	for k := range all {
		all[k] = k
	}
	return p.columnsOf(all, slots)
}

// columnsOf returns the steps of some deploys, then those at slots.
func (p *panel) columnsOf(deploys, slots []int) [][]float64 {
	var out [][]float64
	for _, k := range deploys {
		x := make([]float64, len(p.cells))
		for i, c := range p.cells {
			if c.epoch > k {
				x[i] = 1
			}
		}
		out = append(out, x)
	}
	for _, slot := range slots {
		x := make([]float64, len(p.cells))
		for i, c := range p.cells {
			if c.slot >= slot {
				x[i] = 1
			}
		}
		out = append(out, x)
	}
	return out
}

func (p *panel) design(columns [][]float64) *design {
	return newDesign(p.cells, p.instances, p.slots, p.paired, p.period, p.day, columns)
}

// detect tests all subjects of p. Change points come first, because the steps at deploys next to one
// would otherwise explain a part of it.
func (p *panel) detect() (tests []*test) {
	if len(p.cells) == 0 {
		return nil
	}
	designs := designs{p: p, all: map[string]*design{}}
	points := map[string][]int{} // by function: slots
	if p.period > 0 {
		for s, x := range p.subjects {
			if x.line {
				continue
			}
			of := p.points(s, &designs)
			tests = append(tests, of...)
			for _, t := range of {
				if t.p <= certain {
					points[x.function] = append(points[x.function], t.slot)
				}
			}
		}
	}
	fits, with := make([][]estimate, len(p.subjects)), make([]*design, len(p.subjects))
	for s, x := range p.subjects {
		with[s] = designs.at(points[x.function]...)
		fits[s], _ = with[s].fit(x.values())
	}
	for k := range p.deploys {
		if !p.enough(k) {
			continue
		}
		var of []*test
		for s := range p.subjects {
			of = append(of, &test{
				panel: p, subject: s, deploy: k, slot: p.slotOf[k], design: with[s], step: k, est: fits[s][k],
				before: p.level(s, k),
			})
		}
		p.compose(of)
		for _, t := range of {
			if t.p = t.est.p(); t.p < 0.01 {
				t.gone = p.wentAway(t, points[p.subjects[t.subject].function])
			}
		}
		tests = append(tests, of...)
	}
	p.settle(tests)
	for _, t := range tests {
		if t.p > 0.05 {
			t.design = nil // it is large, and needed only of what is reported
		}
	}
	return tests
}

// designs are those with the steps of all deploys and of some slots.
type designs struct {
	p   *panel
	all map[string]*design
}

func (d *designs) at(slots ...int) *design {
	all := make([]int, len(d.p.deploys))
	for k := range all {
		all[k] = k
	}
	return d.of(all, slots)
}

// of returns the design with the steps of some deploys.
func (d *designs) of(deploys, slots []int) *design {
	key := fmt.Sprint(deploys, slots)
	if d.all[key] == nil {
		d.all[key] = d.p.design(d.p.columnsOf(deploys, slots))
	}
	return d.all[key]
}

// enough reports whether the build of deploy k runs on enough instances to tell it from theirs.
func (p *panel) enough(k int) bool {
	before, after := map[int]bool{}, map[int]bool{}
	for _, c := range p.cells {
		switch c.epoch {
		case k:
			before[c.inst] = true
		case k + 1:
			after[c.inst] = true
		}
	}
	return len(after) >= min(len(before), 3) && len(after) > 0
}

// level returns the mean share of a subject in an epoch.
func (p *panel) level(s, epoch int) float64 {
	sum, weight := 0.0, 0.0
	for i, c := range p.cells {
		if c.epoch == epoch {
			sum += c.weight * float64(p.subjects[s].share[i])
			weight += c.weight
		}
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

// compose subtracts what all shares changed by: if one function costs more, the shares of all others
// shrink by the same factor. It is the median of the functions' relative changes.
func (p *panel) compose(of []*test) {
	type change struct{ ratio, weight float64 }
	var all []change
	sum := 0.0
	for _, t := range of {
		if p.subjects[t.subject].line || t.before <= 0 || math.IsInf(t.est.variance, 0) {
			continue
		}
		w := math.Sqrt(t.before) // between counting functions and counting cost
		all = append(all, change{t.est.step / t.before, w})
		sum += w
	}
	const least = 8
	if len(all) < least {
		return
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.ratio, b.ratio) })
	quantile := func(share float64) float64 {
		at := 0.0
		for _, c := range all {
			if at += c.weight; at >= share*sum {
				return c.ratio
			}
		}
		return all[len(all)-1].ratio
	}
	factor := quantile(0.5)
	// The error of a median, of the distance of the quartiles.
	off := 1.25 * (quantile(0.75) - quantile(0.25)) / 1.349 / math.Sqrt(float64(len(all)))
	for _, t := range of {
		t.est.step -= factor * t.before
		t.est.variance += off * off * t.before * t.before
	}
}

// wentAway reports whether a step at a deploy is not there any more in the second half of its epoch.
// points are other steps of the function.
func (p *panel) wentAway(t *test, points []int) bool {
	end := p.slots
	if t.deploy+1 < len(p.deploys) {
		end = p.slotOf[t.deploy+1]
	}
	middle := (t.slot + end) / 2
	if middle-t.slot < nearDeploy+1 {
		return false
	}
	x := make([]float64, len(p.cells))
	for i, c := range p.cells {
		if c.epoch > t.deploy && c.slot >= middle {
			x[i] = 1
		}
	}
	steps, _ := p.design(append(p.columns(points...), x)).fit(p.subjects[t.subject].values())
	first, second := steps[t.deploy], steps[len(steps)-1]
	left := first.step + second.step
	return math.Abs(left) < kept*math.Abs(first.step) && second.p() < 0.05 || left*t.est.step < 0
}

// points finds the change points of a function that are not at deploys.
func (p *panel) points(s int, designs *designs) (tests []*test) {
	y := p.subjects[s].values()
	var slots []int
	for len(slots) < mostPoints {
		_, left := designs.at(slots...).fit(y)
		at, ok := p.split(left, s, slots)
		if !ok {
			break
		}
		slots = append(slots, at)
		with := designs.at(slots...)
		steps, _ := with.fit(y)
		// Deploys that this function shows nothing of only cost precision.
		var deploys []int
		for k := range p.deploys {
			if steps[k].p() < 0.1 {
				deploys = append(deploys, k)
			}
		}
		if len(deploys) < len(p.deploys) {
			with = designs.of(deploys, slots)
			steps, _ = with.fit(y)
		}
		t := &test{
			panel: p, subject: s, deploy: -1, slot: at, design: with, step: len(steps) - 1, est: steps[len(steps)-1],
			before: p.levelBefore(s, at),
		}
		// It could have been anywhere.
		t.p = min(t.est.p()*float64(max(p.slots-2*leastSide, 1)), 1)
		tests = append(tests, t)
		if t.p > certain {
			break
		}
	}
	if len(tests) == 0 {
		return []*test{{panel: p, subject: s, deploy: -1, p: 1, est: estimate{variance: math.Inf(1)}}}
	}
	return tests
}

// settle determines which steps of functions the later ones undo. undone steps went away; those that
// undo them are a part of that.
func (p *panel) settle(tests []*test) {
	steps := map[int][]*test{}
	for _, t := range tests {
		if t.p <= certain && !p.subjects[t.subject].line {
			steps[t.subject] = append(steps[t.subject], t)
		}
	}
	for _, of := range steps {
		slices.SortFunc(of, func(a, b *test) int { return cmp.Compare(a.slot, b.slot) })
		levels := []float64{0}
		for _, t := range of {
			levels = append(levels, levels[len(levels)-1]+t.est.step)
		}
		end := levels[len(of)]
		for i, t := range of {
			if t.reverts || (end-levels[i])/t.est.step >= kept {
				continue
			}
			t.gone = true
			for j := i + 1; j < len(of); j++ {
				if math.Abs(levels[j+1]-levels[i]) < kept*math.Abs(t.est.step) {
					of[j].explained, of[j].reverts = true, true
					break
				}
			}
		}
	}
}

// levelBefore returns the mean share in the day before a slot.
func (p *panel) levelBefore(s, slot int) float64 {
	sum, weight := 0.0, 0.0
	for i, c := range p.cells {
		if c.slot < slot && c.slot >= slot-max(p.period, leastSide) {
			sum += c.weight * float64(p.subjects[s].share[i])
			weight += c.weight
		}
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

// split returns the slot at which what is left of a share divides best, if few permutations of
// blocks of slots divide as well. Deploys and known points divide the time into parts, of which each
// has its own level.
func (p *panel) split(left []float64, s int, known []int) (slot int, ok bool) {
	ends := append(slices.Clone(p.slotOf), known...)
	ends = append(ends, p.slots)
	slices.Sort(ends)
	var values []float64
	seen, from := 0.0, 0
	for _, end := range ends {
		var part []float64
		var slots []int
		for t := from; t < end; t++ {
			if !math.IsNaN(left[t]) {
				part, slots = append(part, left[t]), append(slots, t)
			}
		}
		from = end
		if at, d := bestSplit(part); d > seen {
			slot, seen, values = slots[at], d, part
		}
	}
	n := len(values)
	if n < 2*leastSide {
		return 0, false
	}
	block := max(min(n/12, 4), 1)
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.service + "\x00" + p.subjects[s].function)) // never fails
	r := rand.New(rand.NewPCG(h.Sum64(), uint64(len(known))))
	var blocks [][]float64
	for from := 0; from < n; from += block {
		blocks = append(blocks, values[from:min(from+block, n)])
	}
	mixed := make([]float64, 0, n)
	exceed := 0
	for range permutations {
		r.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
		mixed = mixed[:0]
		for _, b := range blocks {
			mixed = append(mixed, b...)
		}
		if _, v := bestSplit(mixed); v >= seen*(1-1e-9) {
			if exceed++; float64(exceed) > permuted*permutations {
				return 0, false
			}
		}
	}
	return slot, true
}

// bestSplit returns the split of values with the largest difference of means, in units of its
// standard deviation.
func bestSplit(values []float64) (at int, most float64) {
	n := len(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	left := 0.0
	for i := 1; i < n; i++ {
		left += values[i-1]
		if i < leastSide || n-i < leastSide {
			continue
		}
		a, b := float64(i), float64(n-i)
		if d := math.Abs(left/a-(sum-left)/b) * math.Sqrt(a*b/float64(n)); d > most {
			at, most = i, d
		}
	}
	return at, most
}

// related reports whether functions call each other or are in one package.
func (p *panel) related(a, b string) bool {
	return p.calls[[2]string{a, b}] || p.calls[[2]string{b, a}] || profile.PackagePath(a) == profile.PackagePath(b)
}
