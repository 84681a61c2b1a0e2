package local

import (
	"encoding/binary"
	"fmt"

	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/profile"
)

// A chunk has the entries that a dictionary gained in one or more transactions:
//
//	counts before: mappings, functions, lines, locations, stacks | counts of new ones
//	mappings:  start, limit, offset, file, build ID, flags of each
//	functions: number of files | files | names | linker's names, empty if equal | files | start lines
//	locations: addresses, each less the previous one | mapping plus one | 2 × lines, + 1 if folded
//	lines:     function plus one | line | column
//	stacks:    per stack: how many outer locations it shares with the previous one, and how many follow;
//	           then the location indices that are not shared, leaf first

// maxShared bounds, with depth, how many locations a stack shares with the previous one, so that what
// a chunk expands to is at most a multiple of its size.
func maxShared(depth int) int { return 256 * (1 + depth) / 257 }

// encodeChunk returns what t has above the counts before, packed but not compressed.
func encodeChunk(t *profile.StackTable, before profile.Counts) []byte {
	now := t.Counts()
	tables := profile.Tables{
		Mappings: t.Mappings[before.Mappings:], Functions: t.Functions[before.Functions:],
		Lines: t.Lines[before.Lines:], Locations: t.Locations[before.Locations:],
	}
	for i := before.Stacks; i < now.Stacks; i++ {
		tables.Stacks = append(tables.Stacks, t.AppendStack(nil, uint32(i)))
	}
	return appendChunk(nil, before, tables)
}

func appendChunk(dst []byte, before profile.Counts, t profile.Tables) []byte {
	uvarint := func(x uint64) { dst = binary.AppendUvarint(dst, x) }
	varint := func(x int64) { dst = binary.AppendVarint(dst, x) }
	for _, n := range []int{
		before.Mappings, before.Functions, before.Lines, before.Locations, before.Stacks,
		len(t.Mappings), len(t.Functions), len(t.Lines), len(t.Locations), len(t.Stacks),
	} {
		uvarint(uint64(n))
	}
	for _, m := range t.Mappings {
		dst = packed.AppendMapping(dst, &m)
	}
	files := map[string]int{}
	var order []string
	for i := range t.Functions {
		if f := t.Functions[i].File; files[f] == 0 {
			order = append(order, f)
			files[f] = len(order)
		}
	}
	uvarint(uint64(len(order)))
	for _, f := range order {
		dst = packed.AppendText(dst, f)
	}
	for i := range t.Functions {
		dst = packed.AppendText(dst, t.Functions[i].Name)
	}
	for i := range t.Functions {
		name := t.Functions[i].SystemName
		if name == t.Functions[i].Name {
			uvarint(0)
			continue
		}
		uvarint(1)
		dst = packed.AppendText(dst, name)
	}
	for i := range t.Functions {
		uvarint(uint64(files[t.Functions[i].File] - 1))
	}
	for i := range t.Functions {
		varint(t.Functions[i].StartLine)
	}
	last := uint64(0)
	for i := range t.Locations {
		varint(int64(t.Locations[i].Address - last))
		last = t.Locations[i].Address
	}
	for i := range t.Locations {
		uvarint(uint64(t.Locations[i].Mapping + 1)) // None becomes 0
	}
	for i := range t.Locations {
		x := uint64(t.Locations[i].Num) << 1
		if t.Locations[i].Folded {
			x |= 1
		}
		uvarint(x)
	}
	for _, l := range t.Lines {
		uvarint(uint64(l.Function + 1))
	}
	for _, l := range t.Lines {
		varint(int64(l.Line))
	}
	for _, l := range t.Lines {
		varint(int64(l.Column))
	}
	var previous []uint32
	shared := make([]int, len(t.Stacks))
	for i, stack := range t.Stacks {
		most := min(len(stack), len(previous), maxShared(len(stack)))
		for shared[i] < most && stack[len(stack)-1-shared[i]] == previous[len(previous)-1-shared[i]] {
			shared[i]++
		}
		uvarint(uint64(shared[i]))
		uvarint(uint64(len(stack) - shared[i]))
		previous = stack
	}
	for i, stack := range t.Stacks {
		for _, loc := range stack[:len(stack)-shared[i]] {
			uvarint(uint64(loc))
		}
	}
	return dst
}

// decodeChunk returns the entries of a chunk, and what its dictionary had before.
func decodeChunk(b []byte) (before profile.Counts, t profile.Tables, err error) {
	d := &packed.Decoder{B: b}
	for _, n := range []*int{&before.Mappings, &before.Functions, &before.Lines, &before.Locations, &before.Stacks} {
		*n = int(d.Index())
	}
	t.Mappings = make([]profile.Mapping, 0, d.Count())
	t.Functions = make([]profile.Function, d.Count())
	t.Lines = make([]profile.Line, d.Count())
	t.Locations = make([]profile.Location, d.Count())
	t.Stacks = make([][]uint32, d.Count())
	for range cap(t.Mappings) {
		t.Mappings = append(t.Mappings, d.Mapping())
	}
	files := make([]string, d.Count())
	for i := range files {
		files[i] = d.Text()
	}
	for i := range t.Functions {
		t.Functions[i].Name = d.Text()
	}
	for i := range t.Functions {
		t.Functions[i].SystemName = t.Functions[i].Name
		if d.Uvarint() != 0 {
			t.Functions[i].SystemName = d.Text()
		}
	}
	for i := range t.Functions {
		file := int64(d.Index())
		if file >= int64(len(files)) {
			return before, t, packed.ErrDamaged
		}
		t.Functions[i].File = files[file]
	}
	for i := range t.Functions {
		t.Functions[i].StartLine = d.Varint()
	}
	last := uint64(0)
	for i := range t.Locations {
		last += uint64(d.Varint())
		t.Locations[i].Address = last
	}
	for i := range t.Locations {
		t.Locations[i].Mapping = d.Index() - 1
	}
	for i := range t.Locations {
		x := d.Index()
		t.Locations[i].Num, t.Locations[i].Folded = x>>1, x&1 != 0
	}
	for i := range t.Lines {
		t.Lines[i].Function = d.Index() - 1
	}
	for i := range t.Lines {
		t.Lines[i].Line = int32(d.Varint())
	}
	for i := range t.Lines {
		t.Lines[i].Column = int32(d.Varint())
	}
	if err := readStacks(d, t.Stacks); err != nil {
		return before, t, err
	}
	return before, t, d.End()
}

// readStacks reads stacks, all into one array.
func readStacks(d *packed.Decoder, stacks [][]uint32) error {
	type form struct{ shared, own int }
	forms := make([]form, len(stacks))
	depth, total, own := 0, 0, 0
	for i := range forms {
		f := form{int(d.Index()), int(d.Index())}
		if d.Err != nil || f.shared > depth || f.shared > maxShared(f.shared+f.own) {
			return packed.ErrDamaged
		}
		if own += f.own; own > len(d.B) {
			return packed.ErrDamaged
		}
		forms[i], depth = f, f.shared+f.own
		total += depth
	}
	all := make([]uint32, total)
	var previous []uint32
	for i, f := range forms {
		stack := all[: f.own+f.shared : f.own+f.shared]
		all = all[len(stack):]
		d.Indices(stack[:f.own])
		copy(stack[f.own:], previous[len(previous)-f.shared:])
		stacks[i], previous = stack, stack
	}
	return d.Err
}

// joined returns the entries of consecutive chunks as those of one.
func joined(chunks [][]byte) (data []byte, err error) {
	var first profile.Counts
	var all profile.Tables
	for i, b := range chunks {
		before, t, err := decodeChunk(b)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = before
		}
		want := profile.Counts{
			Mappings:  first.Mappings + len(all.Mappings),
			Functions: first.Functions + len(all.Functions),
			Lines:     first.Lines + len(all.Lines),
			Locations: first.Locations + len(all.Locations),
			Stacks:    first.Stacks + len(all.Stacks),
		}
		if before != want {
			return nil, fmt.Errorf("a chunk begins at %+v (want %+v)", before, want)
		}
		all.Mappings = append(all.Mappings, t.Mappings...)
		all.Functions = append(all.Functions, t.Functions...)
		all.Lines = append(all.Lines, t.Lines...)
		all.Locations = append(all.Locations, t.Locations...)
		all.Stacks = append(all.Stacks, t.Stacks...)
	}
	return appendChunk(nil, first, all), nil
}
