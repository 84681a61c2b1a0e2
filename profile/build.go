package profile

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
)

// A Builder builds a profile sample by sample. Equal functions, locations and samples (same stack,
// same labels) are stored once; the values of equal samples are added.
type Builder struct {
	p         *Profile
	functions table
	mappings  map[mappingKey]uint32
	locations table
	samples   table
	labels    *labelBuilder

	functionKeys []key // by index, like Profile.keys
	mappingKeys  []key

	hashes  []uint64 // per sample, of its stack; nil if not needed
	scratch []Line
	recs    []label
	seed    maphash.Seed // so that colliding stacks cannot be crafted
}

// NewBuilder starts a profile with the given sample types.
func NewBuilder(types ...ValueType) *Builder {
	p := &Profile{SampleTypes: types, values: make([][]int64, len(types))}
	return &Builder{
		p:        p,
		mappings: make(map[mappingKey]uint32),
		labels:   newLabelBuilder(p),
		seed:     maphash.MakeSeed(),
	}
}

// Function returns the index of a function.
func (b *Builder) Function(f Function) uint32 {
	k := functionKey(&f)
	slot, found := b.functions.find(k[0], func(i uint32) bool { return b.functionKeys[i] == k })
	if found {
		return b.functions.index(slot)
	}
	i := uint32(len(b.p.Functions))
	b.functions.put(slot, k[0], i)
	b.addFunction(k, f)
	return i
}

// addFunction stores a function that is not there, with its key.
func (b *Builder) addFunction(k key, f Function) {
	b.functionKeys = append(b.functionKeys, k)
	b.p.Functions = append(b.p.Functions, f)
}

// Mapping returns the index of a mapping. Mappings of the same file (by build id, if any), offset
// and size, rounded to pages, are one, wherever the loader placed them.
func (b *Builder) Mapping(m Mapping) uint32 {
	mk := m.key()
	i, ok := b.mappings[mk]
	if !ok {
		i = uint32(len(b.p.Mappings))
		b.mappings[mk] = i
		b.addMapping(mk.key(), m)
	}
	return i
}

// addMapping stores a mapping that is not there, with its key.
func (b *Builder) addMapping(k key, m Mapping) {
	b.mappingKeys = append(b.mappingKeys, k)
	b.p.Mappings = append(b.p.Mappings, m)
}

// Location returns the index of a location with the given frames, innermost first; none if it is
// not symbolized. mapping is an index or None.
func (b *Builder) Location(addr uint64, mapping uint32, folded bool, lines ...Line) uint32 {
	if len(lines) == 0 {
		b.scratch = append(b.scratch[:0], Line{Function: None})
		lines = b.scratch
	}
	k := b.keyOf(addr, mapping, folded, lines)
	return b.location(k, addr, mapping, folded, func() []Line { return lines })
}

// keyOf returns the key of a location.
func (b *Builder) keyOf(addr uint64, mapping uint32, folded bool, lines []Line) key {
	k := key{}.with(addr)
	if mapping != None {
		k = b.mappingKeys[mapping].with(addr - b.p.Mappings[mapping].Start)
	}
	return locationKey(k, folded, lines, b.functionKeys)
}

// location finds a location by its key, or stores it with the lines that the
// function returns.
func (b *Builder) location(k key, addr uint64, mapping uint32, folded bool, lines func() []Line) uint32 {
	p := b.p
	slot, found := b.locations.find(k[0], func(i uint32) bool { return p.keys[i] == k })
	if found {
		return b.locations.index(slot)
	}
	i := uint32(len(p.Locations))
	b.locations.put(slot, k[0], i)
	b.addLocation(k, addr, mapping, folded, lines())
	return i
}

// addLocation stores a location that is not there, with its key.
func (b *Builder) addLocation(k key, addr uint64, mapping uint32, folded bool, lines []Line) {
	p := b.p
	l := Location{Address: addr, Mapping: mapping, First: uint32(len(p.Lines)), Num: uint32(len(lines)), Folded: folded}
	p.Lines = append(double(p.Lines), lines...)
	p.Locations = append(double(p.Locations), l)
	p.keys = append(double(p.keys), k)
}

// double grows a full list. append adds a quarter to long lists, which leaves twice the garbage.
func double[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return slices.Grow(s, len(s))
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
			continue // the format cannot represent it
		}
		b.recs = append(b.recs, label{b.labels.str(l.Key), b.labels.str(l.Str), b.labels.str(l.Unit), l.Num})
	}
	if err := checkDepth(len(stack)); err != nil {
		return err
	}
	most := uint32(0)
	for _, l := range stack {
		most = max(most, l)
	}
	i, fresh := b.sample(stack, most, b.recs, 0)
	for t, v := range values {
		if fresh {
			b.p.values[t] = append(b.p.values[t], v)
		} else {
			b.p.values[t][i] += v
		}
	}
	return nil
}

// sample finds or creates the sample with a stack, whose largest location is most, and labels; the
// caller sets the values of a fresh one. Samples with different salts are never equal; salts may
// only grow.
func (b *Builder) sample(stack []uint32, most uint32, labels []label, salt int) (int, bool) {
	p := b.p
	ref := p.pieces.put(stack, most)
	packed := p.pieces.bytes(ref)[:ref.depth()*ref.width()]
	h := mix(maphash.Bytes(b.seed, packed), ref.form()<<32^uint64(salt))
	i, fresh := b.insert(ref, h, labels)
	if fresh {
		p.pieces.keep(ref)
	}
	return i, fresh
}

// insert is sample for a stack that is already stored, with its hash.
func (b *Builder) insert(ref stackRef, stackHash uint64, labels []label) (int, bool) {
	p, h := b.p, stackHash
	packed := p.pieces.bytes(ref)[:ref.depth()*ref.width()]
	if len(labels) > 1 {
		slices.SortStableFunc(labels, func(x, y label) int { return int(int64(x.key) - int64(y.key)) })
	}
	for _, l := range labels {
		h = mix(h^uint64(l.key)<<32, uint64(l.str)^uint64(l.num)^uint64(l.unit)<<48)
	}
	slot, found := b.samples.find(h, func(i uint32) bool {
		r := p.stacks[i]
		return int(i) >= p.base && r.form() == ref.form() && bytes.Equal(p.pieces.bytes(r)[:len(packed)], packed) &&
			slices.Equal(p.labelRun(int(i)), labels)
	})
	if found {
		return int(b.samples.index(slot)), false
	}
	i := len(p.stacks)
	b.samples.put(slot, h, uint32(i))
	p.stacks = append(p.stacks, ref)
	if b.hashes != nil {
		b.hashes = append(b.hashes, stackHash)
	}
	p.labels = append(p.labels, labels...)
	b.labels.any = b.labels.any || len(labels) > 0
	b.labels.endSample()
	return i, true
}

// grow allocates space for n more samples.
func (b *Builder) grow(n int) {
	p := b.p
	p.stacks = slices.Grow(p.stacks, n)
	p.labelEnd = slices.Grow(p.labelEnd, n)
	for t := range p.values {
		p.values[t] = slices.Grow(p.values[t], n)
	}
	if b.hashes != nil {
		b.hashes = slices.Grow(b.hashes, n)
	}
	b.samples.reserve(n)
}

// NumSamples returns the number of distinct samples so far.
func (b *Builder) NumSamples() int { return len(b.p.stacks) }

// Profile returns the profile, with meta's descriptive fields (period, time, duration, comments, …)
// unless meta is nil. The builder must not be used afterwards.
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

// table is an open-addressing hash table from hashes to indices whose entries are stored elsewhere.
// Only the upper half of a hash is used.
type table struct {
	slots []slot
	n     int
}

type slot struct {
	hash uint32
	ix   uint32 // index + 1; 0 if free
}

// find returns the slot of the entry with hash h that equal accepts, or the free
// slot where it belongs.
func (t *table) find(h uint64, equal func(uint32) bool) (int, bool) {
	if (t.n+1)*4 > len(t.slots)*3 {
		t.reserve(1)
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

// first returns the index in the first slot that find would examine for h, None if that is free.
func (t *table) first(h uint64) uint32 {
	if len(t.slots) == 0 {
		return None
	}
	return t.slots[int(uint32(h>>32))&(len(t.slots)-1)].ix - 1
}

func (t *table) index(slot int) uint32 { return t.slots[slot].ix - 1 }

// put fills a free slot that find returned.
func (t *table) put(at int, h uint64, ix uint32) {
	t.slots[at] = slot{uint32(h >> 32), ix + 1}
	t.n++
}

// reserve allocates space for n more entries.
func (t *table) reserve(n int) {
	size := max(64, len(t.slots))
	for (t.n+n)*4 > size*3 {
		size *= 2
	}
	if size > len(t.slots) {
		t.resize(size)
	}
}

func (t *table) resize(size int) {
	old := t.slots
	t.slots = make([]slot, size)
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
