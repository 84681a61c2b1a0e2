package profile

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
)

// Merge adds profiles into one. Samples with equal stacks and labels are summed,
// and samples whose values all become zero are dropped. Profiles of different
// kinds merge over the sample types that all of them have; without a common one
// it is an error. Times: the earliest start, the sum of the durations.
func Merge(ps ...*Profile) (*Profile, error) {
	if len(ps) == 0 {
		return nil, errors.New("merge: no profiles")
	}
	m, err := newMerger(ps...)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	workers := min(runtime.GOMAXPROCS(0), len(ps)/4, 8)
	if workers < 2 {
		m.addAll(ps)
		return m.profile(), nil
	}
	// Each worker merges a run of the profiles, this goroutine the first. Then the
	// results are added in order.
	parts := make([]*Profile, workers)
	run := func(i int) []*Profile { return ps[len(ps)*i/workers : len(ps)*(i+1)/workers] }
	var wg sync.WaitGroup
	for i := 1; i < workers; i++ {
		wg.Go(func() {
			part := m.fork()
			part.addAll(run(i))
			parts[i] = part.b.Profile(nil)
		})
	}
	m.addAll(run(0))
	wg.Wait()
	m.consume = true // nobody else knows the parts
	m.addAll(parts[1:])
	return m.profile(), nil
}

// addAll adds all samples of ps.
func (m *merger) addAll(ps []*Profile) {
	n := 0
	for _, p := range ps {
		n += len(p.stacks)
	}
	m.b.grow(n)
	for _, p := range ps {
		m.add(p, nil, 1)
	}
}

// fork returns an empty merger for the same sample types.
func (m *merger) fork() *merger {
	f := &merger{types: m.types, b: NewBuilder(m.types...)}
	if first := m.b.p.Mappings; len(first) > 0 {
		f.b.Mapping(first[0])
	}
	return f
}

// Subtract returns p with base's samples negated; equal samples cancel. With
// normalize, p is first scaled so that the sum of each sample type equals
// base's. It is pprof's -base.
func Subtract(p, base *Profile, normalize bool) (*Profile, error) {
	return difference(p, base, normalize, false)
}

// DiffBase is Subtract, but the samples of base stay apart and are marked
// (IsBase), so that totals, and with them shares, are those of base alone. It is
// pprof's -diff_base.
func DiffBase(p, base *Profile, normalize bool) (*Profile, error) {
	return difference(p, base, normalize, true)
}

func difference(p, base *Profile, normalize, mark bool) (*Profile, error) {
	m, err := newMerger(p, base)
	if err != nil {
		return nil, fmt.Errorf("subtract: %w", err)
	}
	var scale []float64
	if normalize {
		scale = make([]float64, len(m.types))
		for i := range m.types {
			if sum := sumOf(p, m.column(p, i)); sum != 0 {
				scale[i] = float64(sumOf(base, m.column(base, i))) / float64(sum)
			}
		}
	}
	m.add(p, scale, 1)
	if mark {
		m.b.p.base = len(m.b.p.stacks)
		m.salt = 1
	}
	m.add(base, nil, -1)
	d := m.profile()
	d.Duration, d.Time = p.Duration, p.Time
	return d, nil
}

func sumOf(p *Profile, column int) (sum int64) {
	for _, v := range p.values[column] {
		sum += v
	}
	return sum
}

// merger maps profiles into one builder.
type merger struct {
	b     *Builder
	types []ValueType // common to all
	meta  *Profile
	salt  int
	// consume lets add overwrite and keep the stacks of the profiles it is given.
	consume bool

	functions, mappings, locations []uint32 // of the source to the builder's
	strings                        []uint32
	lines                          []Line
	stack                          []uint32
	touched                        uint64 // keeps the loads of mapLocations
}

func newMerger(ps ...*Profile) (*merger, error) {
	first := ps[0]
	m := &merger{meta: &Profile{
		PeriodType: first.PeriodType, DropFrames: first.DropFrames, KeepFrames: first.KeepFrames,
	}}
	for _, t := range first.SampleTypes {
		if !slices.ContainsFunc(ps, func(p *Profile) bool { return !slices.Contains(p.SampleTypes, t) }) {
			m.types = append(m.types, t)
		}
	}
	if len(m.types) == 0 {
		for _, p := range ps[1:] {
			if !slices.Equal(p.SampleTypes, first.SampleTypes) {
				return nil, fmt.Errorf("profiles of different kinds: one has %v, another %v", first.SampleTypes, p.SampleTypes)
			}
		}
		return nil, errors.New("no sample types")
	}
	meta := m.meta
	for _, p := range ps {
		if p.PeriodType != first.PeriodType {
			return nil, fmt.Errorf("profiles of different kinds: one counts %s, another %s", first.PeriodType.Type, p.PeriodType.Type)
		}
		if meta.Time.IsZero() || !p.Time.IsZero() && p.Time.Before(meta.Time) {
			meta.Time = p.Time
		}
		meta.Duration += p.Duration
		meta.Period = max(meta.Period, p.Period)
		for _, c := range p.Comments {
			if !slices.Contains(meta.Comments, c) {
				meta.Comments = append(meta.Comments, c)
			}
		}
		if meta.DefaultSampleType == "" {
			meta.DefaultSampleType = p.DefaultSampleType
		}
		if meta.DocURL == "" {
			meta.DocURL = p.DocURL
		}
		meta.Warnings = append(meta.Warnings, p.Warnings...)
	}
	m.b = NewBuilder(m.types...)
	if len(first.Mappings) > 0 {
		m.b.Mapping(first.Mappings[0]) // by convention the first is the main binary
	}
	return m, nil
}

func (m *merger) column(p *Profile, i int) int { return slices.Index(p.SampleTypes, m.types[i]) }

// add adds p's samples, times sign, times scale (per common type; nil: 1).
func (m *merger) add(p *Profile, scale []float64, sign int64) {
	m.functions = reset(m.functions, len(p.Functions))
	m.mappings = reset(m.mappings, len(p.Mappings))
	m.locations = reset(m.locations, len(p.Locations))
	m.strings = reset(m.strings, len(p.strings))
	columns := make([][]int64, len(m.types))
	for i := range columns {
		columns[i] = p.values[m.column(p, i)]
	}
	m.mapLocations(p, columns)
	b := m.b
	values := make([]int64, len(columns))
	for i, stack := range p.stacks {
		zero := true
		for t, col := range columns {
			v := col[i]
			if scale != nil {
				v = int64(math.Round(float64(v) * scale[t]))
			}
			values[t] = sign * v
			zero = zero && v == 0
		}
		if zero {
			continue
		}
		mapped := stack
		if !m.consume {
			m.stack = slices.Grow(m.stack[:0], len(stack))[:len(stack)]
			mapped = m.stack
		}
		for j, loc := range stack {
			mapped[j] = m.locations[loc]
		}
		b.recs = b.recs[:0]
		for _, l := range p.labelRun(i) {
			b.recs = append(b.recs, label{m.str(p, l.key), m.str(p, l.str), m.str(p, l.unit), l.num})
		}
		at, fresh := b.sample(mapped, b.recs, m.salt, m.consume)
		for t, v := range values {
			if fresh {
				b.p.values[t] = append(b.p.values[t], v)
			} else {
				b.p.values[t][at] += v
			}
		}
	}
}

// used marks the locations to be mapped.
const used = None - 1

// batch is how many locations are looked up together. What that needs is first
// touched in a loop whose loads do not depend on each other, so that the processor
// fetches what is not in cache all at once instead of one after the other.
const batch = 64

// mapLocations maps the locations that samples with values use, by their keys
// alone; lines, functions and mappings are looked at only for what is new. It
// goes through the table from front to back: with many profiles it is not in
// cache, and random access to it would take most of the time.
func (m *merger) mapLocations(p *Profile, columns [][]int64) {
	for i, stack := range p.stacks {
		if !slices.ContainsFunc(columns, func(col []int64) bool { return col[i] != 0 }) {
			continue
		}
		for _, loc := range stack {
			m.locations[loc] = used
		}
	}
	b := m.b
	var todo [batch]uint32
	for at := 0; at < len(p.Locations); {
		n := 0
		for ; at < len(p.Locations) && n < batch; at++ {
			if m.locations[at] == used {
				todo[n] = uint32(at)
				n++
			}
		}
		for _, i := range todo[:n] {
			if first := b.locations.first(p.keys[i][0]); first != None {
				m.touched += b.p.keys[first][0]
			}
		}
		for _, i := range todo[:n] {
			m.locations[i] = m.location(p, i)
		}
	}
}

func (m *merger) location(p *Profile, loc uint32) uint32 {
	l := &p.Locations[loc]
	addr, mapping := l.Address, None
	slot, found := m.b.locations.find(p.keys[loc][0], func(i uint32) bool { return m.b.p.keys[i] == p.keys[loc] })
	if found {
		return m.b.locations.index(slot)
	}
	if l.Mapping != None {
		if m.mappings[l.Mapping] == None {
			m.mappings[l.Mapping] = m.b.Mapping(p.Mappings[l.Mapping])
		}
		mapping = m.mappings[l.Mapping]
		// The same binary may have been loaded elsewhere.
		addr += m.b.p.Mappings[mapping].Start - p.Mappings[l.Mapping].Start
	}
	return m.b.location(p.keys[loc], addr, mapping, l.Folded, func() []Line {
		m.lines = m.lines[:0]
		for _, ln := range p.Frames(loc) {
			if ln.Function != None {
				if m.functions[ln.Function] == None {
					m.functions[ln.Function] = m.b.Function(p.Functions[ln.Function])
				}
				ln.Function = m.functions[ln.Function]
			}
			m.lines = append(m.lines, ln)
		}
		return m.lines
	})
}

func reset(s []uint32, n int) []uint32 {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = None
	}
	return s
}

func (m *merger) str(p *Profile, i uint32) uint32 {
	if m.strings[i] == None {
		m.strings[i] = m.b.labels.str(p.strings[i])
	}
	return m.strings[i]
}

// profile finishes the merge: samples that became zero go.
func (m *merger) profile() *Profile {
	base := m.b.p.base
	p := m.b.Profile(m.meta)
	if m.salt > 0 {
		p.base = base
	}
	p.dropZero()
	return p
}

// dropZero drops the samples whose values are all zero, in place.
func (p *Profile) dropZero() {
	zero := func(i int) bool {
		for _, col := range p.values {
			if col[i] != 0 {
				return false
			}
		}
		return true
	}
	kept, base := 0, 0
	var labels, start, end uint32
	for i, stack := range p.stacks {
		if p.labelEnd != nil {
			start, end = end, p.labelEnd[i]
		}
		if zero(i) {
			continue
		}
		p.stacks[kept] = stack
		for _, col := range p.values {
			col[kept] = col[i]
		}
		if p.labelEnd != nil {
			labels += uint32(copy(p.labels[labels:], p.labels[start:end]))
			p.labelEnd[kept] = labels
		}
		kept++
		if i < p.base {
			base++
		}
	}
	p.stacks, p.base = p.stacks[:kept], base
	for t := range p.values {
		p.values[t] = p.values[t][:kept]
	}
	if p.labelEnd != nil {
		p.labelEnd, p.labels = p.labelEnd[:kept], p.labels[:labels]
	}
}
