package profile

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Merge adds profiles. It sums samples with equal stacks and labels, and drops samples whose values
// all become zero. Profiles of different kinds merge over the sample types that all of them have;
// if there is none, Merge returns an error. The result has the earliest start and the sum of the
// durations.
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
	// Each worker merges some of the profiles: first their locations, then, once all workers agree
	// on location numbers, the samples. The sequential rest is to find equal samples of different
	// workers, by hashes that are known.
	parts := make([]*merger, workers)
	run := func(i int) []*Profile { return ps[len(ps)*i/workers : len(ps)*(i+1)/workers] }
	locations := make([][]uint32, len(ps))
	inParallel(workers, func(i int) {
		parts[i] = m
		if i > 0 {
			parts[i] = m.fork()
		}
		for j, p := range run(i) {
			locations[len(ps)*i/workers+j] = parts[i].locate(p, nil)
		}
	})
	numbers := make([][]uint32, workers)
	for i, part := range parts[1:] {
		numbers[i+1] = m.locateAll(part.b.p, nil)
	}
	inParallel(workers, func(i int) {
		if i == 0 {
			m.b.grow(countSamples(ps)) // all are added to it in the end
		} else {
			parts[i].b.grow(countSamples(run(i)))
		}
		for j, p := range run(i) {
			numbered := locations[len(ps)*i/workers+j]
			if i > 0 {
				renumber(numbered, numbers[i])
			}
			parts[i].addSamples(p, numbered, nil, 1)
		}
	})
	for _, part := range parts[1:] {
		m.adopt(part.b)
	}
	return m.profile(), nil
}

// A Sum adds profiles one after the other. The result is that of Merge, but each profile can be freed once
// it is added: a Sum takes the memory of its result alone. The zero Sum is empty.
type Sum struct{ m *merger }

// Add adds a profile, with the errors of Merge, after which the Sum must not be used. It does not keep p.
func (s *Sum) Add(p *Profile) error {
	var err error
	switch {
	case s.m == nil:
		s.m, err = newMerger(p)
	case slices.Equal(s.m.types, p.SampleTypes):
		err = s.m.describe(p)
	default: // the sample types that all have become fewer
		before := s.m.profile()
		if s.m, err = newMerger(before, p); err == nil {
			s.m.add(before, nil, 1)
		}
	}
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	s.m.add(p, nil, 1)
	return nil
}

// Profile returns the sum; nil if nothing was added. The Sum must not be used afterwards.
func (s *Sum) Profile() *Profile {
	if s.m == nil {
		return nil
	}
	return s.m.profile()
}

func renumber(locations, numbers []uint32) {
	for i, loc := range locations {
		if loc != None {
			locations[i] = numbers[loc]
		}
	}
}

// inParallel runs n calls concurrently.
func inParallel(n int, call func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { call(i) })
	}
	wg.Wait()
}

// addAll adds all samples of ps.
func (m *merger) addAll(ps []*Profile) {
	m.b.grow(countSamples(ps))
	for _, p := range ps {
		m.add(p, nil, 1)
	}
}

func countSamples(ps []*Profile) (n int) {
	for _, p := range ps {
		n += len(p.stacks)
	}
	return n
}

// fork returns an empty merger for the same sample types, whose samples have the same hashes as in
// m.
func (m *merger) fork() *merger {
	f := &merger{types: m.types, b: NewBuilder(m.types...)}
	f.b.seed, f.b.hashes = m.b.seed, []uint64{}
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

// DiffBase is Subtract, but the samples of base remain separate and are marked (IsBase), so that
// totals, and with them shares, are those of base alone. It is pprof's -diff_base.
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

// Scaled returns p with the values of each sample type multiplied by scale. Rounding errors of one
// sample carry over to the next, so that sums are preserved. p is not changed; the two share what
// they have in common.
func (p *Profile) Scaled(scale func(ValueType) float64) *Profile {
	q := *p
	q.values = make([][]int64, len(p.values))
	for t, column := range p.values {
		s := scale(p.SampleTypes[t])
		if s == 1 {
			q.values[t] = column
			continue
		}
		scaled, rest := make([]int64, len(column)), 0.0
		for i, v := range column {
			exact := float64(v)*s + rest
			scaled[i] = int64(math.Round(exact))
			if v == 0 {
				scaled[i] = 0
			}
			rest = exact - float64(scaled[i])
		}
		q.values[t] = scaled
	}
	return &q
}

// Sum returns the sum of the values of a sample type, 0 if p does not have it.
func (p *Profile) Sum(t ValueType) int64 {
	i := slices.Index(p.SampleTypes, t)
	if i < 0 {
		return 0
	}
	return sumOf(p, i)
}

// Comparable returns why values of sample type t cannot be added or compared between p and q; nil
// if they can. Counts of samples are comparable only if each sample represents the same amount.
func Comparable(p, q *Profile, t ValueType) error {
	for _, x := range []*Profile{p, q} {
		if !slices.Contains(x.SampleTypes, t) {
			return fmt.Errorf("different sample types: one has %s, the other %s", typeList(p.SampleTypes),
				typeList(q.SampleTypes))
		}
	}
	if t.Type == "samples" && t.Unit == "count" &&
		(p.PeriodType != q.PeriodType || p.Period != q.Period && p.Period > 0 && q.Period > 0) {
		return fmt.Errorf("different periods: a sample represents %d %s of %s in one, %d %s of %s in the other",
			p.Period, p.PeriodType.Unit, p.PeriodType.Type, q.Period, q.PeriodType.Unit, q.PeriodType.Type)
	}
	return nil
}

func typeList(types []ValueType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Type + " (" + t.Unit + ")"
	}
	return strings.Join(names, ", ")
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

	functions, mappings, locations []uint32 // of the source to those of the builder
	strings                        []uint32
	lines                          []Line
	stack                          []uint32
	touched                        uint64 // keeps the loads of mapLocations from being optimized away
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
	for _, p := range ps {
		if err := m.describe(p); err != nil {
			return nil, err
		}
	}
	m.b = NewBuilder(m.types...)
	if len(first.Mappings) > 0 {
		m.b.Mapping(first.Mappings[0]) // by convention the first is the main binary
	}
	return m, nil
}

// describe adds what is known of a profile apart from its samples.
func (m *merger) describe(p *Profile) error {
	meta := m.meta
	if p.PeriodType != meta.PeriodType {
		return fmt.Errorf("profiles of different kinds: one counts %s, another %s",
			meta.PeriodType.Type, p.PeriodType.Type)
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
	return nil
}

func (m *merger) column(p *Profile, i int) int { return slices.Index(p.SampleTypes, m.types[i]) }

// add adds p's samples, times sign, times scale (per common type; nil: 1).
func (m *merger) add(p *Profile, scale []float64, sign int64) {
	m.locations = m.locate(p, m.locations)
	m.addSamples(p, m.locations, scale, sign)
}

// columns returns p's values of the common types.
func (m *merger) columns(p *Profile) [][]int64 {
	columns := make([][]int64, len(m.types))
	for i := range columns {
		columns[i] = p.values[m.column(p, i)]
	}
	return columns
}

// addSamples is add for known locations of p.
func (m *merger) addSamples(p *Profile, locations []uint32, scale []float64, sign int64) {
	m.strings = reset(m.strings, len(p.strings))
	columns := m.columns(p)
	b := m.b
	values := make([]int64, len(columns))
	for i := range p.stacks {
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
		m.stack = p.stack(i).appendTo(m.stack[:0])
		most := uint32(0)
		for j, loc := range m.stack {
			loc = locations[loc]
			m.stack[j] = loc
			most = max(most, loc)
		}
		b.recs = m.appendLabels(b.recs[:0], p, i)
		at, fresh := b.sample(m.stack, most, b.recs, m.salt)
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

// batch is how many locations are looked up together. Their data is first touched in a loop of
// independent loads, so that the CPU fetches what is not in cache concurrently.
const batch = 64

// locate returns the builder's locations for those of p that samples with values use, None for the
// others. buf is reused.
func (m *merger) locate(p *Profile, buf []uint32) []uint32 {
	locations := reset(buf, len(p.Locations))
	columns := m.columns(p)
	for i := range p.stacks {
		if !slices.ContainsFunc(columns, func(col []int64) bool { return col[i] != 0 }) {
			continue
		}
		m.stack = p.stack(i).appendTo(m.stack[:0])
		for _, loc := range m.stack {
			locations[loc] = used
		}
	}
	m.locateUsed(p, locations)
	return locations
}

// locateAll is locate for all locations of p.
func (m *merger) locateAll(p *Profile, buf []uint32) []uint32 {
	locations := reset(buf, len(p.Locations))
	for i := range locations {
		locations[i] = used
	}
	m.locateUsed(p, locations)
	return locations
}

// locateUsed finds the used locations by their keys alone; it reads lines, functions and mappings
// only of new ones. It reads the table from front to back: with many profiles it is not in cache,
// and random access to it would take most of the time.
func (m *merger) locateUsed(p *Profile, locations []uint32) {
	m.functions = reset(m.functions, len(p.Functions))
	m.mappings = reset(m.mappings, len(p.Mappings))
	b := m.b
	var todo [batch]uint32
	for at := 0; at < len(p.Locations); {
		n := 0
		for ; at < len(p.Locations) && n < batch; at++ {
			if locations[at] == used {
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
			locations[i] = m.location(p, i)
		}
	}
}

// adopt adds the samples of another builder, whose stacks consist of m's locations, and takes over
// its stacks.
func (m *merger) adopt(o *Builder) {
	b, p := m.b, o.p
	o.labels.finish()
	m.strings = reset(m.strings, len(p.strings))
	moved := b.p.pieces.adopt(&p.pieces)
	for i, ref := range p.stacks {
		b.recs = m.appendLabels(b.recs[:0], p, i)
		at, fresh := b.insert(ref+moved, o.hashes[i], b.recs)
		for t, col := range p.values {
			if fresh {
				b.p.values[t] = append(b.p.values[t], col[i])
			} else {
				b.p.values[t][at] += col[i]
			}
		}
	}
}

func (m *merger) appendLabels(dst []label, p *Profile, i int) []label {
	for _, l := range p.labelRun(i) {
		dst = append(dst, label{m.str(p, l.key), m.str(p, l.str), m.str(p, l.unit), l.num})
	}
	return dst
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
		// The same binary may have been loaded at another address.
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

// profile finishes the merge and drops samples that became zero.
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
