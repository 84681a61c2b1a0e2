package diff

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording/work"
	"github.com/whet-go/whet/unit"
)

// Schema is the schema of Result.
const Schema = "whet.diff/2"

// An Input is one of the two profiles to compare.
type Input struct {
	Name string // for display: the file or URL
	// View is bound to the same granularity for A and B.
	View *profile.View
	// Duration is the span of time that the values cover; 0 when unknown.
	Duration time.Duration
	// Own reports whether a function is own code; nil when unknown.
	Own func(profile.Function) bool
	// Source returns the text of a file, named as in the profile; nil if there is none. With the
	// text of both, a line is followed from A to B when lines above it were added or removed.
	Source listing.SourceFunc
}

// Of returns an input as a side of a comparison.
func Of(in *input.Input) Input {
	d := Input{Name: in.Name, View: in.View, Duration: in.Duration(), Source: in.Source}
	if in.Own.Known {
		d.Own = in.Own.Match
	}
	return d
}

// Options configures New.
type Options struct {
	By profile.By // what both views are bound by
	// Own selects the own-code view, which requires Own of both inputs, instead of the classic one.
	Own bool
	// Normalize scales A's values so that both totals are equal, which leaves only shares to
	// compare.
	Normalize bool
	// Work is the number of requests that A and B answered; with it, costs are compared per
	// request. It is nil if unknown, and NoWork explains why.
	Work   *work.Pair
	NoWork error
	Cum    bool // order by the change of cum instead of flat
	N      int  // at most N entries in each list; 0 is all
}

// Result is the document of whet diff: what changed from A to B. The own-code view, where each sample
// is charged to its innermost own frame, fills in Own and Rest (the outermost frames of samples
// without an own frame); the classic view fills in Entries.
type Result struct {
	Schema     string  `json:"schema"`
	Type       string  `json:"type"`
	Unit       string  `json:"unit"`
	OutputUnit string  `json:"-"` // the unit of all values in text; "" chooses one for each value
	By         string  `json:"by"`
	Normalized bool    `json:"normalized"`
	Scale      float64 `json:"scale"` // A's values are multiplied by it
	Before     Side    `json:"before"`
	After      Side    `json:"after"`
	Total      Value   `json:"total"`
	// Smallest is the smallest relative change of the total that this comparison can show: 2√(1/nA
	// + 1/nB), or the half width of the interval where the CPU clocks of the processes give the
	// total.
	Smallest float64       `json:"smallest_visible_change"`
	Noise    string        `json:"noise"` // what is counted; "exact" if nothing is sampled
	Warnings diag.Warnings `json:"warnings,omitempty"`
	// PerRequest reports whether values have per_request and entries are ordered by it. Where
	// values could be costs of requests and are not, a warning of kind NoPerRequest explains why.
	PerRequest bool `json:"per_request"`
	// Recorded reports whether A or B comes from a recording. Without a number of answered requests
	// there is then no verdict on the total.
	Recorded bool    `json:"recorded,omitempty"`
	Own      []Entry `json:"own,omitempty"`
	Rest     []Entry `json:"rest,omitempty"`
	Entries  []Entry `json:"entries,omitempty"`
	LeftOut  int     `json:"left_out,omitempty"` // entries dropped by N
	Cum      bool    `json:"sorted_by_cum,omitempty"`
}

// NoPerRequest is the kind of the warning about why there is no comparison per request.
const NoPerRequest = "no_per_request"

// A Side describes A or B.
type Side struct {
	Name     string        `json:"name"`
	Total    int64         `json:"total"`  // of the samples that the filters keep, not scaled
	Noise    int64         `json:"noise"`  // two standard deviations of Total
	Events   int64         `json:"events"` // sampling events behind Total
	Duration time.Duration `json:"duration_ns"`
	Work     *work.Count   `json:"work,omitempty"` // nil if unknown
}

// A Value is one value in A and in B. Change is After - Before; Relative is Change/|Before|, null
// when Before is 0. Noise is two standard deviations of Change, and WithinNoise reports whether
// chance alone explains it (see noiseModel).
type Value struct {
	Before      int64    `json:"before"`
	After       int64    `json:"after"`
	Change      int64    `json:"change"`
	Relative    *float64 `json:"relative"`
	Noise       int64    `json:"noise"`
	WithinNoise bool     `json:"within_noise"`
	// PerRequest compares the cost of a request; nil if unknown.
	PerRequest *work.Change `json:"per_request,omitempty"`
}

// An Entry is one function, line or other node. In the own-code view, Cum is what is charged to the
// entry and Flat what was spent in the frame itself.
type Entry struct {
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`        // in B; in A if it is gone from B
	Before int    `json:"line_before,omitempty"` // in A, if it differs
	Own    bool   `json:"own,omitempty"`
	Status string `json:"status,omitempty"` // "appeared", "vanished" or ""
	Flat   Value  `json:"flat"`
	Cum    Value  `json:"cum"`
}

// New compares B with A. It returns an error if the two do not measure the same thing.
func New(a, b Input, opt Options) (*Result, error) {
	ta, tb := a.View.Type(), b.View.Type()
	if ta != tb {
		return nil, fmt.Errorf("compare profiles: %s has %s (%s), %s has %s (%s)", a.Name, ta.Type, ta.Unit, b.Name,
			tb.Type, tb.Unit)
	}
	if err := profile.Comparable(a.View.Profile(), b.View.Profile(), ta); err != nil {
		return nil, fmt.Errorf("compare profiles %s and %s: %w", a.Name, b.Name, err)
	}
	own := opt.Own && a.Own != nil && b.Own != nil && opt.By != profile.ByLabel
	r := &Result{
		Schema: Schema, Type: tb.Type, Unit: tb.Unit, By: opt.By.String(),
		Normalized: opt.Normalize, Scale: 1, Cum: opt.Cum || own,
	}
	align := newAligner(a, b, opt.By)
	before := gatherDiff(a, opt.By, own, align)
	after := gatherDiff(b, opt.By, own, nil)
	rates := r.rates(before, after, opt)
	if opt.Normalize && before.total.value != 0 {
		r.Scale = math.Abs(float64(after.total.value) / float64(before.total.value))
	}
	r.Noise = string(before.model.name)
	r.Before, r.After = before.side(), after.side()
	if rates != nil {
		r.Before.Work, r.After.Work = opt.Work.A, opt.Work.B
	}
	r.Total = compare(before.total.times(r.Scale), after.total)
	r.Total.PerRequest = rates.compare(before.total, after.total)
	if p := r.Total.PerRequest; rates != nil && rates.clock && p.Low != nil {
		r.Smallest = (*p.High - *p.Low) / 2 / (1 + *p.Relative)
	} else if before.events > 0 && after.events > 0 && before.model.name != noiseExact {
		r.Smallest = 2 * math.Sqrt(1/before.events+1/after.events)
	}
	r.warn(opt, rates != nil && rates.clock)

	entries := joinDiff(before.entries, after.entries, r.Scale, rates, align)
	for i := range entries {
		e := &entries[i]
		f := profile.Function{Name: e.Name, File: e.File}
		e.Own = own || opt.By <= profile.ByLine && (a.Own != nil && a.Own(f) || b.Own != nil && b.Own(f))
	}
	if !own {
		r.Entries = r.order(entries, opt.N)
		return r, nil
	}
	rest := joinDiff(before.rest, after.rest, r.Scale, rates, nil)
	r.Own, r.Rest = r.order(entries, opt.N), r.order(rest, opt.N)
	return r, nil
}

// order sorts entries by absolute change and keeps the first n.
func (r *Result) order(entries []Entry, n int) []Entry {
	key := func(e *Entry) float64 {
		v := &e.Flat
		if r.Cum {
			v = &e.Cum
		}
		if p := v.PerRequest; p != nil {
			return math.Abs(p.After - p.Before)
		}
		return math.Abs(float64(v.Change))
	}
	slices.SortFunc(entries, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(key(&y), key(&x)),
			cmp.Compare(abs(y.Cum.Change), abs(x.Cum.Change)),
			cmp.Compare(abs(y.Cum.After), abs(x.Cum.After)),
			strings.Compare(x.Name, y.Name), strings.Compare(x.File, y.File),
			cmp.Compare(x.Line, y.Line), cmp.Compare(x.Before, y.Before))
	})
	if n > 0 && len(entries) > n {
		r.LeftOut += len(entries) - n
		entries = entries[:n]
	}
	return entries
}

// Limits on the smallest visible change of the total: above few, a comparison is meaningless; above
// poor, it shows only large changes.
const (
	few  = 0.5
	poor = 0.1
)

func (r *Result) warn(opt Options, clock bool) {
	if r.Before.Events == 0 || r.After.Events == 0 {
		side := "B"
		if r.Before.Events == 0 {
			side = "A"
		}
		r.Warnings = append(r.Warnings, diag.Warning{Text: side + " has no samples: there is nothing to compare"})
	}
	counts := fmt.Sprintf("%d %s before, %d after", r.Before.Events, r.Noise, r.After.Events)
	switch {
	case clock && r.Smallest > poor:
		r.Warnings = append(r.Warnings, diag.Warning{
			Text: fmt.Sprintf(
				"the CPU time of a request varies a lot from second to second: changes of the total below %.0f%% are noise",
				100*r.Smallest),
			Hint: "record both for longer, on an otherwise idle machine",
		})
	case clock:
	case r.Smallest > few:
		r.Warnings = append(r.Warnings, diag.Warning{
			Text: fmt.Sprintf("too few samples (%s): even changes of the total below %.0f%% are noise", counts,
				100*r.Smallest),
			Hint: "record both for longer, or under more load",
		})
	case r.Smallest > poor:
		r.Warnings = append(r.Warnings, diag.Warning{
			Text: fmt.Sprintf("few samples (%s): changes of the total below %.0f%% are noise, and larger ones of "+
				"a single entry", counts, 100*r.Smallest),
			Hint: "record both for longer, or under more load",
		})
	}
	if r.PerRequest {
		r.warnWork(opt.Work)
	}
	if r.Noise == string(noiseContention) {
		r.Warnings = append(r.Warnings, diag.Warning{
			Text: "the profile does not record the rate at which the runtime samples contention: the noise is at least " +
				"what is shown",
		})
	}
	da, db := r.Before.Duration, r.After.Duration
	if !r.Normalized && !r.PerRequest && da > 0 && db > 0 && !strings.HasPrefix(r.Type, "inuse_") && !isSnapshot(r.Type) {
		if ratio := float64(da) / float64(db); ratio > 1.05 || ratio < 1/1.05 {
			r.Warnings = append(r.Warnings, diag.Warning{
				Text: fmt.Sprintf("A covers %s and B %s: absolute changes compare different spans of time", unit.Duration(da),
					unit.Duration(db)),
				Hint: "--normalize compares shares of the total",
			})
		}
	}
}

// warnWork adds warnings about comparisons per request.
func (r *Result) warnWork(pair *work.Pair) {
	for _, text := range pair.Differences {
		w := diag.Warning{Text: text}
		if pair.Other {
			w.Text += ": no verdict per request"
			w.Hint = "record both with the same load, and look at why requests fail first"
		}
		r.Warnings = append(r.Warnings, w)
	}
	if pair.Rates != "" {
		r.Warnings = append(r.Warnings,
			diag.Warning{Text: pair.Rates, Hint: "send both the same rate: `whet record --load URL -r 1000`"})
	}
	const busy = 0.1
	if drift := max(pair.A.Drift, pair.B.Drift); r.Noise == string(noiseTicks) && drift > 0 &&
		max(pair.A.Others, pair.B.Others) > busy {
		r.Warnings = append(r.Warnings, diag.Warning{
			Text: fmt.Sprintf(
				"other programs used %.0f%% of the CPUs in A and %.0f%% in B, which affects all CPU times: the "+
					"intervals allow for it", 100*pair.A.Others, 100*pair.B.Others),
			Hint: "record on an otherwise idle machine, or both at the same time",
		})
	}
	if pair.A.Source == work.Trace {
		r.Warnings = append(r.Warnings, diag.Warning{
			Text: "requests are counted in the traces; their kinds and outcomes are not compared",
			Hint: "`whet record --load URL` counts all requests and their answers",
		})
	}
}

// A diffKey identifies a node in both profiles. Of files it has only the last element, so that
// profiles of two machines with different paths compare.
type diffKey struct {
	name, file string
	line       int
	address    uint64
}

// A diffSum is a node in A or B.
type diffSum struct {
	file      string // the whole path
	line      int    // as in the profile
	flat, cum measured
	seen      int // last sample counted in cum
	// names are the functions of an own line, with their values.
	names map[string]int64
}

// name returns the heaviest function; "" if the key has the name.
func (e *diffSum) name() string {
	best := ""
	for name, v := range e.names {
		if w := abs(e.names[best]); best == "" || abs(v) > w || abs(v) == w && name < best {
			best = name
		}
	}
	return best
}

type diffGathered struct {
	name     string
	duration time.Duration
	model    noiseModel
	whole    measured // of all samples, before filters
	total    measured
	events   float64
	entries  map[diffKey]*diffSum
	rest     map[diffKey]*diffSum // own-code view: samples without an own frame
}

func (g *diffGathered) side() Side {
	return Side{
		Name: g.name, Total: g.total.value, Noise: int64(math.Round(2 * math.Sqrt(g.total.variance))),
		Events: int64(math.Round(g.events)), Duration: g.duration,
	}
}

// gatherDiff makes one pass over the stacks of A or B. Lines of A are numbered as in B where align
// can map them.
func gatherDiff(in Input, by profile.By, own bool, align *aligner) *diffGathered {
	v := in.View
	p := v.Profile()
	t := slices.Index(p.SampleTypes, v.Type())
	g := &diffGathered{
		name: in.Name, duration: in.Duration, model: newNoiseModel(p, t),
		entries: make(map[diffKey]*diffSum), rest: make(map[diffKey]*diffSum),
	}
	nodes := make([]*diffSum, v.NumNodes())
	sum := func(id uint32) *diffSum {
		if nodes[id] == nil {
			nodes[id] = findDiff(g.entries, v.Node(id), by, align)
		}
		return nodes[id]
	}
	g.gatherWhole(p, t)
	isOwn := ownFrames(p, in.Own)
	injected := ownFrames(p, func(f profile.Function) bool { return profile.IsInjected(f.Name) })
	ownSum := func(id uint32) *diffSum {
		if nodes[id] == nil {
			nodes[id] = findOwnDiff(g.entries, v.Node(id), by, align)
		}
		return nodes[id]
	}
	sample := 0
	for s := range v.Stacks() {
		sample++
		k := g.model.events(p, s.Sample, s.Value)
		variance := g.model.variance(s.Value, k)
		g.total.add(s.Value, variance)
		g.events += k
		if len(s.Nodes) == 0 {
			continue
		}
		if own {
			i := 0
			for i < len(s.Lines) && !isOwn(s.Lines[i]) {
				i++
			}
			if i == len(s.Lines) {
				e := findDiff(g.rest, v.Node(s.Nodes[i-1]), by, nil)
				e.cum.add(s.Value, variance)
				continue
			}
			e := ownSum(s.Nodes[i])
			e.names[profile.Generic(v.Node(s.Nodes[i]).Name)] += s.Value
			e.cum.add(s.Value, variance)
			if i == 0 || injected(s.Lines[i-1]) { // the line did not call what interrupted it
				e.flat.add(s.Value, variance)
			}
			continue
		}
		for i, id := range s.Nodes {
			e := sum(id)
			if i == 0 {
				e.flat.add(s.Value, variance)
			}
			if e.seen != sample {
				e.seen = sample
				e.cum.add(s.Value, variance)
			}
		}
	}
	return g
}

func findDiff(m map[diffKey]*diffSum, n profile.Node, by profile.By, align *aligner) *diffSum {
	key := diffKey{name: n.Name}
	switch {
	case by == profile.ByFile:
		key.file = n.File
	case by == profile.ByLine:
		key.file, key.line = path.Base(n.File), align.after(n.File, n.Line)
	case by == profile.ByAddress || n.Name == "":
		key.file, key.line, key.address = path.Base(n.File), n.Line, n.Address
	}
	if n.Name == "" && n.File == "" {
		key.name = nodes.FrameName(n)
	}
	e := m[key]
	if e == nil {
		e = &diffSum{file: n.File, line: n.Line}
		m[key] = e
	}
	return e
}

// findOwnDiff is findDiff for own code. An entry corresponds to a row of whet top: all
// instantiations of a function, and by line all functions that its code is inlined into.
func findOwnDiff(m map[diffKey]*diffSum, n profile.Node, by profile.By, align *aligner) *diffSum {
	if n.Name = profile.Generic(n.Name); by == profile.ByLine && n.File != "" && n.Line != 0 {
		if pkg := profile.PackagePath(n.Name); pkg != "" {
			n.Name = pkg
		}
	}
	e := findDiff(m, n, by, align)
	if e.names == nil {
		e.names = make(map[string]int64)
	}
	return e
}

// ownFrames returns a function that reports whether the frame Profile.Lines[i] is own.
func ownFrames(p *profile.Profile, own func(profile.Function) bool) func(line uint32) bool {
	if own == nil {
		return func(uint32) bool { return false }
	}
	is := make([]bool, len(p.Functions))
	for i, f := range p.Functions {
		is[i] = own(f)
	}
	return func(line uint32) bool {
		f := p.Lines[line].Function
		return f != profile.None && is[f]
	}
}

// joinDiff compares the nodes of A and B.
func joinDiff(before, after map[diffKey]*diffSum, scale float64, rates *diffRates, align *aligner) []Entry {
	entries := make([]Entry, 0, max(len(before), len(after)))
	add := func(k diffKey, a, b *diffSum) {
		e := Entry{Name: k.name}
		var zero diffSum
		switch {
		case a == nil:
			a, e.Status, e.File, e.Line = &zero, "appeared", b.file, b.line
			e.Name = cmp.Or(b.name(), e.Name)
		case b == nil:
			b, e.Status, e.File, e.Line = &zero, "vanished", a.file, a.line
			e.Name = cmp.Or(a.name(), e.Name)
		default:
			e.File, e.Line = b.file, b.line
			e.Name = cmp.Or(b.name(), e.Name)
			if align != nil && a.line != b.line {
				e.Before = a.line
			}
		}
		if k.line == 0 {
			e.Line, e.Before = 0, 0
		}
		e.Flat, e.Cum = compare(a.flat.times(scale), b.flat), compare(a.cum.times(scale), b.cum)
		if e.Cum.Before == 0 && e.Cum.After == 0 && e.Flat.Before == 0 && e.Flat.After == 0 {
			return // canceled out in both
		}
		e.Flat.PerRequest, e.Cum.PerRequest = rates.compare(a.flat, b.flat), rates.compare(a.cum, b.cum)
		entries = append(entries, e)
	}
	for k, b := range after {
		add(k, before[k], b)
	}
	for k, a := range before {
		if after[k] == nil {
			add(k, a, nil)
		}
	}
	return entries
}

func abs(x int64) int64 { return max(x, -x) }
