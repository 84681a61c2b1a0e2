package profile

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// A Builder puts a profile together sample by sample. Equal functions,
// locations and samples (same stack, same labels) are stored once; the values of
// equal samples are added.
type Builder struct {
	p         *Profile
	functions table
	mappings  map[mappingKey]uint32
	locations table
	samples   table
	labels    *labelBuilder

	free    []uint32
	frames  int // stored so far
	scratch []Line
	recs    []label
	seed    uint64 // so that nobody can prepare colliding input
	names   maphash.Seed
}

// NewBuilder starts a profile with the given sample types.
func NewBuilder(types ...ValueType) *Builder {
	p := &Profile{SampleTypes: types, values: make([][]int64, len(types))}
	return &Builder{
		p:        p,
		mappings: make(map[mappingKey]uint32),
		labels:   newLabelBuilder(p),
		seed:     rand.Uint64(),
		names:    maphash.MakeSeed(),
	}
}

// Function returns the index of a function.
func (b *Builder) Function(f Function) uint32 {
	// The name tells nearly all functions apart.
	h := mix(b.seed^maphash.String(b.names, f.Name), uint64(f.StartLine))
	slot, found := b.functions.find(h, func(i uint32) bool { return b.p.Functions[i] == f })
	if found {
		return b.functions.index(slot)
	}
	i := uint32(len(b.p.Functions))
	b.functions.put(slot, h, i)
	b.p.Functions = append(b.p.Functions, f)
	return i
}

type mappingKey struct {
	size, offset uint64
	file         string
}

// Mapping returns the index of a mapping. Mappings of the same file (by build
// id, if any), offset and size, rounded to pages, are one, wherever the loader
// put them.
func (b *Builder) Mapping(m Mapping) uint32 {
	const page = 0x1000
	key := mappingKey{(m.Limit - m.Start + page - 1) &^ (page - 1), m.Offset, m.File}
	if m.BuildID != "" {
		key.file = m.BuildID
	}
	i, ok := b.mappings[key]
	if !ok {
		i = uint32(len(b.p.Mappings))
		b.mappings[key] = i
		b.p.Mappings = append(b.p.Mappings, m)
	}
	return i
}

// Location returns the index of a location with the given frames, innermost
// first; none when it is not symbolised. mapping is an index or None.
func (b *Builder) Location(addr uint64, mapping uint32, folded bool, lines ...Line) uint32 {
	if len(lines) == 0 {
		b.scratch = append(b.scratch[:0], Line{Function: None})
		lines = b.scratch
	}
	h := mix(b.seed^mix(addr, uint64(mapping)), uint64(len(lines)))
	if folded {
		h = ^h
	}
	for _, l := range lines {
		h = mix(h^uint64(l.Function), uint64(uint32(l.Line))|uint64(uint32(l.Column))<<32)
	}
	p := b.p
	slot, found := b.locations.find(h, func(i uint32) bool {
		l := &p.Locations[i]
		return l.Address == addr && l.Mapping == mapping && l.Folded == folded && slices.Equal(p.Frames(i), lines)
	})
	if found {
		return b.locations.index(slot)
	}
	i := uint32(len(p.Locations))
	b.locations.put(slot, h, i)
	p.Locations = append(p.Locations, Location{
		Address: addr, Mapping: mapping, First: uint32(len(p.Lines)), Num: uint32(len(lines)), Folded: folded,
	})
	p.Lines = append(p.Lines, lines...)
	return i
}

// Sample adds values, one per sample type, to the sample with the given stack
// (location indices, leaf first) and labels.
func (b *Builder) Sample(stack []uint32, labels []Label, values ...int64) error {
	if len(values) != len(b.p.SampleTypes) {
		return fmt.Errorf("a sample with %d values for %d sample types", len(values), len(b.p.SampleTypes))
	}
	b.recs = b.recs[:0]
	for _, l := range labels {
		if l.Numeric && l.Num == 0 && l.Unit == "" || !l.Numeric && l.Str == "" {
			continue // the format cannot say this
		}
		b.recs = append(b.recs, label{b.labels.str(l.Key), b.labels.str(l.Str), b.labels.str(l.Unit), l.Num})
	}
	i, fresh := b.sample(stack, b.recs, 0)
	for t, v := range values {
		if fresh {
			b.p.values[t] = append(b.p.values[t], v)
		} else {
			b.p.values[t][i] += v
		}
	}
	return nil
}

// sample finds or makes the sample with a stack and labels; the caller sets its
// values when it is fresh. Samples with different salts are never equal; salts
// may only grow.
func (b *Builder) sample(stack []uint32, labels []label, salt int) (int, bool) {
	h := b.seed ^ (uint64(salt)<<32 | uint64(len(stack)))
	for _, l := range stack {
		h = mix(h, uint64(l))
	}
	if len(labels) > 1 {
		slices.SortStableFunc(labels, func(x, y label) int { return int(int64(x.key) - int64(y.key)) })
	}
	for _, l := range labels {
		h = mix(h^uint64(l.key)<<32, uint64(l.str)^uint64(l.num)^uint64(l.unit)<<48)
	}
	p := b.p
	slot, found := b.samples.find(h, func(i uint32) bool {
		return int(i) >= p.base && slices.Equal(p.stacks[i], stack) && slices.Equal(p.labelRun(int(i)), labels)
	})
	if found {
		return int(b.samples.index(slot)), false
	}
	i := len(p.stacks)
	b.samples.put(slot, h, uint32(i))
	if len(b.free) < len(stack) {
		b.free = make([]uint32, max(min(stackChunk, 1024+4*b.frames), len(stack)))
	}
	n := copy(b.free, stack)
	p.stacks = append(p.stacks, b.free[:n:n])
	b.free = b.free[n:]
	b.frames += n
	p.labels = append(p.labels, labels...)
	b.labels.any = b.labels.any || len(labels) > 0
	b.labels.endSample()
	return i, true
}

// Profile returns what was built, with meta's descriptive fields (period, time,
// duration, comments, …; nil: none). The builder must not be used afterwards.
func (b *Builder) Profile(meta *Profile) *Profile {
	p := b.p
	if meta != nil {
		p.DefaultSampleType = meta.DefaultSampleType
		p.PeriodType, p.Period = meta.PeriodType, meta.Period
		p.Time, p.Duration = meta.Time, meta.Duration
		p.Comments, p.DocURL = meta.Comments, meta.DocURL
		p.DropFrames, p.KeepFrames = meta.DropFrames, meta.KeepFrames
		p.Warnings = meta.Warnings
	}
	b.labels.finish()
	p.base = len(p.stacks)
	return p
}

// mix is a multiply-fold hash step (as in wyhash).
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, x^0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(h, 23)
}

// table is an open-addressing hash table from hashes to indices whose entries
// live elsewhere. Only the upper half of a hash is used.
type table struct {
	slots []slot
	n     int
}

type slot struct {
	hash uint32
	ix   uint32 // index + 1; 0 when free
}

// find returns the slot of the entry with hash h that equal accepts, or the free
// slot where it belongs.
func (t *table) find(h uint64, equal func(uint32) bool) (int, bool) {
	if t.n*4 >= len(t.slots)*3 {
		t.grow()
	}
	h32 := uint32(h >> 32)
	mask := len(t.slots) - 1
	i := int(h32) & mask
	for ; t.slots[i].ix != 0; i = (i + 1) & mask {
		if s := t.slots[i]; s.hash == h32 && equal(s.ix-1) {
			return i, true
		}
	}
	return i, false
}

func (t *table) index(slot int) uint32 { return t.slots[slot].ix - 1 }

// put fills a free slot that find returned.
func (t *table) put(at int, h uint64, ix uint32) {
	t.slots[at] = slot{uint32(h >> 32), ix + 1}
	t.n++
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, max(64, 2*len(old)))
	mask := len(t.slots) - 1
	for _, s := range old {
		if s.ix == 0 {
			continue
		}
		i := int(s.hash) & mask
		for t.slots[i].ix != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}
