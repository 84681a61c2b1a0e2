package regressions

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// A cell is what one instance did in one slot.
type cell struct {
	inst, slot int
	epoch      int     // number of deploys before it
	weight     float64 // of the observation
	total      float64 // cost, in the unit of the sample type
}

// A design is the model of shares: levels of instances and of times of day, the effect of the load, and
// steps.
type design struct {
	cells []cell
	inst  []int // per cell: fixed effect; nil without
	bin   []int // per cell: time of day; nil without
	insts int   // clusters
	slots int
	load  [][]float64 // per cell: that of all instances and its square, less the levels
	x     [][]float64
	h     [][]float64 // per step: what a cell contributes to its estimate; nil if it cannot be estimated
	sums  [][]float64 // per step and slot: sum of h
	free  float64     // slots less the model's parameters
	day   int         // slots of a day, if days repeat
}

// newDesign prepares the estimates of steps, each a column with a value for each cell.
func newDesign(cells []cell, insts, slots int, paired bool, period, day int, steps [][]float64) *design {
	d := &design{cells: cells, insts: insts, slots: slots, day: day}
	n := len(cells)
	seen := make([]bool, slots)
	bins := map[int]bool{}
	if paired {
		d.inst = make([]int, n)
	}
	if period > 0 {
		d.bin = make([]int, n)
	}
	for i, c := range cells {
		seen[c.slot] = true
		if paired {
			d.inst[i] = c.inst
		}
		if period > 0 {
			d.bin[i] = c.slot % period
			bins[d.bin[i]] = true
		}
	}
	for _, s := range seen {
		if s {
			d.free++
		}
	}
	d.free -= float64(max(len(bins), 1) + len(steps))
	d.addLoad()
	for _, s := range steps {
		d.x = append(d.x, d.residual(s))
	}
	d.contributions(steps)
	return d
}

// addLoad sets the load: the logarithm of the cost, relative to an instance's usual one, on average
// of all instances in a slot. Days differ in it, and shares follow it.
func (d *design) addLoad() {
	const (
		least  = 24 // slots
		smooth = 2  // slots on either side
	)
	if d.free < least {
		return
	}
	logs := make([]float64, len(d.cells))
	insts := make([]int, len(d.cells))
	for i, c := range d.cells {
		logs[i], insts[i] = math.Log(c.total), c.inst
	}
	d.subtract(logs, insts)
	sum, n := make([]float64, d.slots), make([]float64, d.slots)
	for i, c := range d.cells {
		sum[c.slot] += c.weight * logs[i]
		n[c.slot] += c.weight
	}
	// Single slots have noise, which would make the effect seem smaller than it is.
	for i, c := range d.cells {
		s, weight := 0.0, 0.0
		for t := max(c.slot-smooth, 0); t <= min(c.slot+smooth, d.slots-1); t++ {
			s, weight = s+sum[t], weight+n[t]
		}
		logs[i] = s / weight
	}
	squares := make([]float64, len(logs))
	for i, v := range logs {
		squares[i] = v * v
	}
	for _, column := range [][]float64{logs, squares} {
		load := d.residual(column)
		if square := d.dot(load, load); square > 1e-6 {
			scale(load, 1/math.Sqrt(square))
			d.load = append(d.load, load)
			d.free--
		}
	}
}

// residual returns what the levels and the load leave of a column: its weighted means by instance and
// by bin are subtracted in turn until they are zero.
func (d *design) residual(column []float64) []float64 {
	out := append([]float64(nil), column...)
	groups := [][]int{}
	for _, g := range [][]int{d.inst, d.bin} {
		if g != nil {
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		groups = append(groups, make([]int, len(d.cells)))
	}
	const turns = 60
	for range turns {
		most := 0.0
		for _, g := range groups {
			most = max(most, d.subtract(out, g))
		}
		if len(groups) == 1 || most < 1e-10 {
			break
		}
	}
	for _, load := range d.load {
		axpy(out, load, -d.dot(out, load))
	}
	return out
}

// subtract subtracts the mean of each group and returns the largest one.
func (d *design) subtract(column []float64, group []int) (most float64) {
	size := 0
	for _, g := range group {
		size = max(size, g+1)
	}
	sum, weight := make([]float64, size), make([]float64, size)
	for i, g := range group {
		sum[g] += d.cells[i].weight * column[i]
		weight[g] += d.cells[i].weight
	}
	for g := range sum {
		if weight[g] > 0 {
			sum[g] /= weight[g]
			most = max(most, math.Abs(sum[g]))
		}
	}
	for i, g := range group {
		column[i] -= sum[g]
	}
	return most
}

// contributions solves the normal equations: the estimate of step k is the sum of h[k] times the
// shares. Steps that levels and the steps before them explain are left out.
func (d *design) contributions(steps [][]float64) {
	k, n := len(steps), len(d.cells)
	d.h, d.sums = make([][]float64, k), make([][]float64, k)
	// Gram-Schmidt from the other steps: what is left of a step is its own contribution.
	for a := range k {
		left := append([]float64(nil), d.x[a]...)
		var basis [][]float64
		for b := range k {
			if b == a {
				continue
			}
			v := append([]float64(nil), d.x[b]...)
			before := d.dot(v, v)
			for _, q := range basis {
				axpy(v, q, -d.dot(v, q))
			}
			if norm := d.dot(v, v); norm > 1e-8*before && norm > 1e-9 {
				scale(v, 1/math.Sqrt(norm))
				basis = append(basis, v)
			}
		}
		before := d.dot(left, left)
		for _, q := range basis {
			axpy(left, q, -d.dot(left, q))
		}
		norm := d.dot(left, left)
		if before < 1e-9 || norm < 1e-6*before {
			continue
		}
		h := make([]float64, n)
		sums := make([]float64, d.slots)
		for i := range h {
			h[i] = d.cells[i].weight * left[i] / norm
			sums[d.cells[i].slot] += h[i]
		}
		d.h[a], d.sums[a] = h, sums
	}
}

func (d *design) dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += d.cells[i].weight * a[i] * b[i]
	}
	return sum
}

func axpy(v, q []float64, f float64) {
	for i := range v {
		v[i] += f * q[i]
	}
}

func scale(v []float64, f float64) {
	for i := range v {
		v[i] *= f
	}
}

// An estimate is a step with its variance; free are the degrees of freedom of the variance.
type estimate struct{ step, variance, free float64 }

// p returns the two-sided p value of no step.
func (e estimate) p() float64 {
	if !(e.variance > 0) || !(e.free >= 1) {
		return 1
	}
	return 2 * stats.TDist{V: e.free}.CDF(-math.Abs(e.step)/math.Sqrt(e.variance))
}

// half returns the half width of the 95% interval.
func (e estimate) half() float64 {
	if !(e.variance > 0) || !(e.free >= 1) {
		return math.Inf(1)
	}
	return stats.InvCDF(stats.TDist{V: e.free})(0.975) * math.Sqrt(e.variance)
}

// fit estimates the steps of a share, and returns the mean of what is left in each slot, NaN in
// slots without cells.
func (d *design) fit(y []float64) (steps []estimate, left []float64) {
	u := d.residual(y)
	steps = make([]estimate, len(d.x))
	for k, h := range d.h {
		if h == nil {
			steps[k].variance = math.Inf(1)
			continue
		}
		for i, v := range h {
			steps[k].step += v * y[i]
		}
	}
	for k, x := range d.x {
		if d.h[k] != nil {
			axpy(u, x, -steps[k].step)
		}
	}
	left, variance, rho := d.shocks(u)
	if d.free < 1 {
		return steps, left
	}
	// Neighbors that resemble each other count as fewer.
	timeFree := max(d.free*(1-rho)/(1+rho), 1)
	for k, h := range d.h {
		if h == nil {
			continue
		}
		ofTime := max(variance*correlated(d.sums[k], rho), d.long(left, d.sums[k]), d.daily(left, d.sums[k]))
		byInst := make([]float64, d.insts)
		white := 0.0
		for i, v := range h {
			byInst[d.cells[i].inst] += v * u[i]
			white += v * v * u[i] * u[i]
		}
		e := &steps[k]
		e.variance, e.free = max(ofTime, white), timeFree
		if n := float64(d.insts); n > 1 {
			ofInst := 0.0
			for _, s := range byInst {
				ofInst += s * s
			}
			ofInst *= n / (n - 1)
			both := ofTime + ofInst - white
			e.variance = max(ofTime, ofInst, both, white)
			// Satterthwaite, of the two that add up.
			share := ofTime * ofTime / timeFree
			share += ofInst * ofInst / (n - 1)
			e.free = min(max((ofTime+ofInst)*(ofTime+ofInst)/share, 1), d.free+n)
		}
	}
	return steps, left
}

// shocks returns the mean of what is left in each slot, the variance of these means, and the
// correlation of neighbors.
func (d *design) shocks(u []float64) (left []float64, variance, rho float64) {
	left = make([]float64, d.slots)
	weight := make([]float64, d.slots)
	for i, c := range d.cells {
		left[c.slot] += c.weight * u[i]
		weight[c.slot] += c.weight
	}
	sum, pairs, n := 0.0, 0.0, 0.0
	for t := range left {
		if weight[t] == 0 {
			left[t] = math.NaN()
			continue
		}
		left[t] /= weight[t]
		sum += left[t] * left[t]
		n++
		if t > 0 && weight[t-1] > 0 {
			pairs += left[t] * left[t-1]
		}
	}
	if sum == 0 || n < 3 {
		return left, 0, 0
	}
	// The estimate is too small by about (1+4ρ)/n (Marriott and Pope, Biometrika 41, 1954).
	rho = pairs / sum
	rho = min(max(rho+(1+4*rho)/n, 0), 0.95)
	return left, sum / max(d.free, 1), rho
}

// long returns the variance of the sum of what is left in slots times weights, with all correlations
// up to a day (Newey and West, Econometrica 55, 1987), which fall slower than a power of that of
// neighbors if days differ.
func (d *design) long(left, weights []float64) float64 {
	lags := min(24, d.slots/8)
	sum := 0.0
	for lag := 0; lag <= lags; lag++ {
		covariance, product := 0.0, 0.0
		for t := lag; t < len(left); t++ {
			if v := left[t] * left[t-lag]; !math.IsNaN(v) {
				covariance += v
			}
			product += weights[t] * weights[t-lag]
		}
		factor := 2 * (1 - float64(lag)/float64(lags+1))
		if lag == 0 {
			factor = 1
		}
		sum += factor * covariance * product
	}
	return sum / max(d.free, 1)
}

// daily returns the variance of the same sum if what is left is the same for a day.
func (d *design) daily(left, weights []float64) float64 {
	if d.day == 0 {
		return 0
	}
	var square, factor, days float64
	for from := 0; from < len(left); from += d.day {
		sum, weight, n := 0.0, 0.0, 0.0
		for t := from; t < min(from+d.day, len(left)); t++ {
			if !math.IsNaN(left[t]) {
				sum, weight, n = sum+left[t], weight+weights[t], n+1
			}
		}
		if n >= float64(d.day)/2 { // else its mean says little
			square, days = square+sum/n*sum/n, days+1
		}
		factor += weight * weight
	}
	if days < 3 {
		return 0
	}
	return square / (days - 1) * factor
}

// correlated returns the variance of a weighted sum of values of variance 1 whose correlation is
// rho to the power of their distance.
func correlated(weights []float64, rho float64) (sum float64) {
	past := 0.0 // the sum of the weights before, each times its correlation
	for _, w := range weights {
		past *= rho
		sum += w*w + 2*w*past
		past += w
	}
	return sum
}
