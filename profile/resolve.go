package profile

import (
	"errors"
	"fmt"
	"slices"
)

// index maps the ids of one table to indices.
type index struct {
	dense bool // id i+1 is at index i
	n     int
	m     map[uint64]uint32
}

func newIndex(what string, ids []uint64) (*index, error) {
	ix := &index{dense: true, n: len(ids)}
	for i, id := range ids {
		if id == 0 {
			return nil, fmt.Errorf("%s with the reserved id 0", what)
		}
		if id != uint64(i)+1 {
			ix.dense = false
		}
	}
	if ix.dense {
		return ix, nil
	}
	ix.m = make(map[uint64]uint32, len(ids))
	for i, id := range ids {
		if _, ok := ix.m[id]; ok {
			return nil, fmt.Errorf("two %ss with id %d", what, id)
		}
		ix.m[id] = uint32(i)
	}
	return ix, nil
}

func (ix *index) get(id uint64) (uint32, bool) {
	if ix.dense {
		return uint32(id - 1), id-1 < uint64(ix.n)
	}
	i, ok := ix.m[id]
	return i, ok
}

// ids collects the ids of a table.
func ids[T any](table *chunked[T], id func(*T) uint64) []uint64 {
	out := make([]uint64, 0, table.n)
	for x := range table.all() {
		out = append(out, id(x))
	}
	return out
}

// finish resolves ids and strings.
func (d *decoder) finish() error {
	p := d.p
	p.stacks = d.stacks.take()
	for t := range d.columns {
		p.values = append(p.values, d.columns[t].take())
	}
	if len(p.labels) > 0 {
		p.labelEnd = d.ends.take()
	}
	if len(d.types) == 0 && len(p.stacks) == 0 && len(d.strs) == 0 {
		return errors.New("not a profile: it has no sample types, samples or strings")
	}
	if len(d.types) == 0 {
		return errors.New("it has no sample types")
	}
	if len(d.strs) > 0 && d.strs[0] != "" {
		return errors.New("the first string of the string table is not empty")
	}
	var bad error
	str := func(i int64) string {
		if i == 0 {
			return ""
		}
		if i < 0 || i >= int64(len(d.strs)) {
			if bad == nil {
				bad = fmt.Errorf("string %d is missing: the table has %d", i, len(d.strs))
			}
			return ""
		}
		return d.strs[i]
	}
	for _, t := range d.types {
		p.SampleTypes = append(p.SampleTypes, ValueType{str(t.typ), str(t.unit)})
	}
	if p.values == nil {
		p.values = make([][]int64, len(d.types))
	}
	if len(p.values) != len(d.types) {
		return fmt.Errorf("samples have %d values for %d sample types", len(p.values), len(d.types))
	}
	p.PeriodType = ValueType{str(d.period.typ), str(d.period.unit)}
	p.DefaultSampleType, p.DocURL = str(d.defType), str(d.docURL)
	p.DropFrames, p.KeepFrames = str(d.drop), str(d.keep)
	for _, c := range d.comment {
		p.Comments = append(p.Comments, str(c))
	}
	for i, s := range d.mappingStrs {
		p.Mappings[i].File, p.Mappings[i].BuildID = str(s[0]), str(s[1])
	}
	p.Functions = make([]Function, 0, d.functions.n)
	for fn := range d.functions.all() {
		p.Functions = append(p.Functions, Function{str(fn.name), str(fn.systemName), str(fn.file), fn.startLine})
	}
	if len(p.labels) > 0 {
		if len(d.strs) == 0 {
			d.strs = []string{""}
		}
		p.strings = d.strs
		for _, l := range p.labels {
			_, _, _ = str(int64(l.key)), str(int64(l.str)), str(int64(l.unit))
		}
	}
	if bad != nil {
		return bad
	}
	if err := d.resolveTables(); err != nil {
		return err
	}
	p.base = len(p.stacks)
	return nil
}

func (d *decoder) resolveTables() error {
	p := d.p
	mappings, err := newIndex("mapping", d.mappingIDs)
	if err != nil {
		return err
	}
	functions, err := newIndex("function", ids(&d.functions, func(f *rawFunction) uint64 { return f.id }))
	if err != nil {
		return err
	}
	locations, err := newIndex("location", ids(&d.locations, func(l *rawLocation) uint64 { return l.id }))
	if err != nil {
		return err
	}
	p.Locations = make([]Location, 0, d.locations.n)
	first := uint32(0)
	for raw := range d.locations.all() {
		l := Location{Address: raw.address, Mapping: None, First: first, Num: raw.lines, Folded: raw.folded}
		if m, ok := mappings.get(raw.mapping); ok {
			l.Mapping = m
		}
		first += raw.lines
		p.Locations = append(p.Locations, l)
	}
	p.Lines = make([]Line, 0, d.lines.n)
	for raw := range d.lines.all() {
		ln := Line{None, raw.line, raw.column}
		if !raw.none {
			fn, ok := functions.get(raw.function)
			if !ok {
				return fmt.Errorf("line %d of the locations is of function %d, which is missing", len(p.Lines)+1, raw.function)
			}
			ln.Function = fn
		}
		p.Lines = append(p.Lines, ln)
	}
	if locations.dense && len(d.big) == 0 {
		if len(p.stacks) > 0 && int(d.maxID) >= len(p.Locations) && d.anyID() {
			return fmt.Errorf("a sample refers to location %d, which is missing: there are %d",
				uint64(d.maxID)+1, len(p.Locations))
		}
		return nil
	}
	return d.remap(locations)
}

// anyID reports whether any sample has a location (maxID is 0 either way).
func (d *decoder) anyID() bool {
	return slices.ContainsFunc(d.p.stacks, func(r stackRef) bool { return r.depth() > 0 })
}

// remap replaces stored location ids by indices, for ids that are not 1, 2, 3, …
func (d *decoder) remap(locations *index) error {
	byBig := make([]uint64, len(d.big))
	for id, stored := range d.big {
		byBig[stored-bigID] = id
	}
	memo := make(map[uint32]uint32, len(d.p.Locations))
	return d.p.pieces.rewrite(d.p.stacks, func(i int, stack []uint32) error {
		for j, stored := range stack {
			ix, ok := memo[stored]
			if !ok {
				id := uint64(stored) + 1
				if stored >= bigID {
					id = byBig[stored-bigID]
				}
				if ix, ok = locations.get(id); !ok {
					return fmt.Errorf("sample %d refers to location %d, which is missing", i, id)
				}
				memo[stored] = ix
			}
			stack[j] = ix
		}
		return nil
	})
}
