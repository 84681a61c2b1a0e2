package profile

import (
	"errors"
	"fmt"
	"slices"
)

// A Dictionary has the functions, locations and stacks of many profiles, each once, under numbers
// that never change. It is what a store of profiles keeps apart from their values. It is not safe
// for concurrent use, but the StackTables that it returns are, also while it grows.
type Dictionary struct {
	m *merger
	// frozen is what the last StackTable has.
	frozen Counts
}

// Counts are the sizes of the tables of a Dictionary.
type Counts struct{ Mappings, Functions, Lines, Locations, Stacks int }

// NewDictionary returns an empty dictionary.
func NewDictionary() *Dictionary { return &Dictionary{m: &merger{b: NewBuilder()}} }

// Counts returns the sizes of the tables.
func (d *Dictionary) Counts() Counts { return d.m.b.counts() }

func (b *Builder) counts() Counts {
	p := b.p
	return Counts{len(p.Mappings), len(p.Functions), len(p.Lines), len(p.Locations), len(p.stacks)}
}

// Memory returns the approximate memory that the dictionary takes, in bytes.
func (d *Dictionary) Memory() int64 {
	c := d.Counts()
	// Per entry: the entry, its key, its slot of a hash table, and 100 bytes of strings.
	return int64(d.m.b.p.pieces.size) + 28*int64(c.Stacks) + 56*int64(c.Locations) + 12*int64(c.Lines) +
		192*int64(c.Functions) + 128*int64(c.Mappings)
}

// Add appends what samples of p have and d has not, and returns the number of the stack of each
// sample of p. Without a new stack it adds nothing.
func (d *Dictionary) Add(p *Profile) []uint32 {
	m := d.m
	m.locations = reset(m.locations, len(p.Locations))
	for i := range p.stacks {
		m.stack = p.stack(i).appendTo(m.stack[:0])
		for _, loc := range m.stack {
			m.locations[loc] = used
		}
	}
	m.locateUsed(p, m.locations)
	stacks := make([]uint32, len(p.stacks))
	for i := range p.stacks {
		m.stack = p.stack(i).appendTo(m.stack[:0])
		most := uint32(0)
		for j, loc := range m.stack {
			loc = m.locations[loc]
			m.stack[j] = loc
			most = max(most, loc)
		}
		at, _ := m.b.sample(m.stack, most, nil, 0)
		stacks[i] = uint32(at)
	}
	return stacks
}

// MainMapping returns the number of the first mapping of p, which by convention is the main binary,
// in d; None if p has no mapping, or d does not have it.
func (d *Dictionary) MainMapping(p *Profile) uint32 {
	if len(p.Mappings) == 0 {
		return None
	}
	if i, ok := d.m.b.mappings[p.Mappings[0].key()]; ok {
		return i
	}
	return None
}

// Tables are entries of a Dictionary. Indices refer to the whole dictionary, except for
// Location.First, which is not used: each location has the next Num lines.
type Tables struct {
	Mappings  []Mapping
	Functions []Function
	Lines     []Line
	Locations []Location
	Stacks    [][]uint32
}

// Append adds entries under the next numbers. It fails if an index is out of range or the
// dictionary already has an entry; d must not be used afterwards.
func (d *Dictionary) Append(t Tables) error { return d.m.b.append(t, finding{d.m.b}) }

// Table returns the present content. It stays as it is when the dictionary grows.
func (d *Dictionary) Table() *StackTable { return d.m.b.table(&d.frozen) }

// A Loader reads what was in a Dictionary, for queries: unlike one, it does not find entries, and needs no hash tables
// for that. It is not safe for concurrent use, but the StackTables that it returns are.
type Loader struct {
	b      *Builder // without its hash tables
	frozen Counts
}

// NewLoader returns a loader without entries.
func NewLoader() *Loader { return &Loader{b: NewBuilder()} }

// Counts returns the sizes of the tables.
func (l *Loader) Counts() Counts { return l.b.counts() }

// Memory returns the approximate memory that the entries take, in bytes.
func (l *Loader) Memory() int64 {
	c := l.Counts()
	// Per entry: the entry and its key, and 100 bytes of strings.
	return int64(l.b.p.pieces.size) + 8*int64(c.Stacks) + 40*int64(c.Locations) + 12*int64(c.Lines) +
		176*int64(c.Functions) + 128*int64(c.Mappings)
}

// Append adds entries under the next numbers. It fails if an index is out of range; l must not be used afterwards. An
// entry that is there already gets a second number.
func (l *Loader) Append(t Tables) error { return l.b.append(t, adding{l.b}) }

// Table returns the present content. It stays as it is when more is appended.
func (l *Loader) Table() *StackTable { return l.b.table(&l.frozen) }

// adder adds entries to a Builder, and reports whether they were not there.
type adder interface {
	mapping(m Mapping) bool
	function(f Function) bool
	location(l *Location, lines []Line) bool
	stack(ids []uint32, most uint32) bool // most is the largest of ids
}

// finding looks for each entry.
type finding struct{ b *Builder }

func (a finding) mapping(m Mapping) bool {
	n := len(a.b.p.Mappings)
	return int(a.b.Mapping(m)) == n
}

func (a finding) function(f Function) bool {
	n := len(a.b.p.Functions)
	return int(a.b.Function(f)) == n
}

func (a finding) location(l *Location, lines []Line) bool {
	n := len(a.b.p.Locations)
	return int(a.b.Location(l.Address, l.Mapping, l.Folded, lines...)) == n
}

func (a finding) stack(ids []uint32, most uint32) bool {
	_, fresh := a.b.sample(ids, most, nil, 0)
	return fresh
}

// adding takes all entries for new ones.
type adding struct{ b *Builder }

func (a adding) mapping(m Mapping) bool {
	a.b.addMapping(m.key().key(), m)
	return true
}

func (a adding) function(f Function) bool {
	a.b.addFunction(functionKey(&f), f)
	return true
}

func (a adding) location(l *Location, lines []Line) bool {
	a.b.addLocation(a.b.keyOf(l.Address, l.Mapping, l.Folded, lines), l.Address, l.Mapping, l.Folded, lines)
	return true
}

func (a adding) stack(ids []uint32, most uint32) bool {
	p := a.b.p
	ref := p.pieces.put(ids, most)
	p.pieces.keep(ref)
	p.stacks = append(p.stacks, ref)
	return true
}

// append adds entries under the next numbers.
func (b *Builder) append(t Tables, to adder) error {
	p := b.p
	for _, m := range t.Mappings {
		if n := len(p.Mappings); !to.mapping(m) {
			return fmt.Errorf("mapping %d is there already", n)
		}
	}
	for _, f := range t.Functions {
		if n := len(p.Functions); !to.function(f) {
			return fmt.Errorf("function %d is there already", n)
		}
	}
	lines := t.Lines
	for i := range t.Locations {
		l, n := &t.Locations[i], len(p.Locations)
		if l.Num == 0 || int64(l.Num) > int64(len(lines)) || l.Mapping != None && int(l.Mapping) >= len(p.Mappings) {
			return fmt.Errorf("location %d: out of range", n)
		}
		own := lines[:l.Num]
		lines = lines[l.Num:]
		for _, line := range own {
			if line.Function != None && int(line.Function) >= len(p.Functions) {
				return fmt.Errorf("location %d: out of range", n)
			}
		}
		if !to.location(l, own) {
			return fmt.Errorf("location %d is there already", n)
		}
	}
	if len(lines) > 0 {
		return errors.New("lines without a location")
	}
	for _, stack := range t.Stacks {
		n, most := len(p.stacks), uint32(0)
		for _, loc := range stack {
			most = max(most, loc)
		}
		if int64(most) >= int64(len(p.Locations)) && len(stack) > 0 {
			return fmt.Errorf("stack %d: out of range", n)
		}
		if err := checkDepth(len(stack)); err != nil {
			return err
		}
		if !to.stack(stack, most) {
			return fmt.Errorf("stack %d is there already", n)
		}
	}
	return nil
}

// table returns the present content. frozen is that of the last call.
func (b *Builder) table(frozen *Counts) *StackTable {
	p, c := b.p, b.counts()
	if *frozen != c {
		// Reading a stack loads bytes beyond it, which the next one must not write.
		skip := min(piecePad, len(p.pieces.free))
		p.pieces.free = p.pieces.free[skip:]
		p.pieces.at += uint64(skip)
		*frozen = c
	}
	return &StackTable{
		Mappings:  slices.Clip(p.Mappings),
		Functions: slices.Clip(p.Functions),
		Lines:     slices.Clip(p.Lines),
		Locations: slices.Clip(p.Locations),
		keys:      slices.Clip(p.keys),
		stacks:    slices.Clip(p.stacks),
		pieces:    stackPieces{pieces: slices.Clip(p.pieces.pieces)},
	}
}

// A StackTable is the content of a Dictionary at one time. It is immutable and safe for concurrent
// use.
type StackTable struct {
	Mappings  []Mapping
	Functions []Function
	Lines     []Line
	Locations []Location

	keys   []key
	stacks []stackRef
	pieces stackPieces
}

// Counts returns the sizes of the tables.
func (t *StackTable) Counts() Counts {
	return Counts{len(t.Mappings), len(t.Functions), len(t.Lines), len(t.Locations), len(t.stacks)}
}

// AppendStack appends the location indices of a stack, leaf first, to dst.
func (t *StackTable) AppendStack(dst []uint32, stack uint32) []uint32 {
	return t.pieces.stack(t.stacks[stack]).appendTo(dst)
}

// Samples are the columns of a profile whose stacks are in a StackTable.
type Samples struct {
	Stacks []uint32  // numbers of stacks
	Labels [][]Label // per sample; nil if no sample has labels
	Values [][]int64 // per sample type, per sample
}

// Profile returns a profile with these samples and the descriptive fields of meta, of which
// SampleTypes are those of the values. Mapping main comes first in the result, unless it is None.
// The profile shares the tables, so it also has functions and locations that no sample uses, which
// Merge drops; it takes over the slices of s.
func (t *StackTable) Profile(meta *Profile, main uint32, s Samples) (*Profile, error) {
	if len(s.Values) != len(meta.SampleTypes) || s.Labels != nil && len(s.Labels) != len(s.Stacks) {
		return nil, errors.New("columns of a profile are missing")
	}
	b := NewBuilder(meta.SampleTypes...)
	p := b.p
	p.stacks = make([]stackRef, len(s.Stacks))
	for i, stack := range s.Stacks {
		if int64(stack) >= int64(len(t.stacks)) {
			return nil, fmt.Errorf("stack %d of %d", stack, len(t.stacks))
		}
		p.stacks[i] = t.stacks[stack]
	}
	for i, column := range s.Values {
		if len(column) != len(s.Stacks) {
			return nil, errors.New("columns of a profile differ in length")
		}
		p.values[i] = column
	}
	for _, labels := range s.Labels {
		for _, l := range labels {
			b.labels.add(l)
		}
		b.labels.endSample()
	}
	p.Mappings, p.Functions, p.Lines, p.Locations = t.Mappings, t.Functions, t.Lines, t.Locations
	p.keys, p.pieces = t.keys, t.pieces
	if main != None && main != 0 && int64(main) < int64(len(t.Mappings)) {
		p.Mappings = slices.Clone(t.Mappings)
		p.Mappings[0], p.Mappings[main] = p.Mappings[main], p.Mappings[0]
		p.Locations = slices.Clone(t.Locations)
		for i := range p.Locations {
			switch l := &p.Locations[i]; l.Mapping {
			case 0:
				l.Mapping = main
			case main:
				l.Mapping = 0
			}
		}
	}
	return b.Profile(meta), nil
}
