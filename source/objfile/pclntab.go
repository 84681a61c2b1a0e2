package objfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
)

// Magic numbers of the function table, by the Go version that introduced them.
// The runtime's own account is runtime/symtab.go (pcHeader, _func) and
// internal/abi/symtab.go; https://go.dev/s/go12symtab is its first design.
const (
	magicGo12  = 0xfffffffb
	magicGo116 = 0xfffffffa
	magicGo118 = 0xfffffff0
	magicGo120 = 0xfffffff1
)

// maxInlineDepth limits a chain of inlined calls that refers to itself.
const maxInlineDepth = 1000

// errOldTable is returned for tables too old for pclntab; debug/gosym reads them.
var errOldTable = errors.New("function table of Go 1.17 or older")

// A pclntab is the table from which the Go runtime gets the function, file, line and inlined calls
// of an address. This reader supports the format of Go 1.18 and later.
type pclntab struct {
	order    binary.ByteOrder
	magic    uint32
	quantum  uint32
	text     uint64 // address that entries are relative to
	nfunc    int
	functab  []byte // nfunc x {entry, offset into funcdata}, then the end
	funcdata []byte
	funcname names
	files    names
	cutab    []byte
	pctab    []byte

	// inline reads n bytes at an offset into the functions' data (go:func.*); nil if that was not
	// found.
	inline func(off, n uint32) []byte

	mu   sync.Mutex
	last *goFunc // the function decoded last: consecutive lookups tend to be in one function
}

// newPclntab reads the table's header. text is the address of runtime.text; 0
// takes the one in the header, which Go 1.18 to 1.25 write.
func newPclntab(data []byte, text uint64) (_ *pclntab, err error) {
	defer guard("function table (pclntab)", &err)
	if len(data) < 16 {
		return nil, errors.New("read function table (pclntab): truncated header")
	}
	t := &pclntab{text: text}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch m := order.Uint32(data); m {
		case magicGo118, magicGo120:
			t.order, t.magic = order, m
		case magicGo12, magicGo116:
			return nil, errOldTable
		}
	}
	if t.order == nil || data[4] != 0 || data[5] != 0 {
		return nil, fmt.Errorf("read function table (pclntab): unknown magic %#x", data[:4])
	}
	t.quantum = uint32(data[6])
	ptr := int(data[7])
	if ptr != 4 && ptr != 8 || t.quantum != 1 && t.quantum != 2 && t.quantum != 4 {
		return nil, fmt.Errorf("read function table (pclntab): bad header % x", data[:8])
	}
	word := func(i int) uint64 {
		if ptr == 4 {
			return uint64(t.order.Uint32(data[8+4*i:]))
		}
		return t.order.Uint64(data[8+8*i:])
	}
	if t.text == 0 {
		t.text = word(2)
	}
	nfunc := word(0)
	t.funcname = names(data[word(3):word(4)])
	t.cutab = data[word(4):word(5)]
	t.files = names(data[word(5):word(6)])
	t.pctab = data[word(6):word(7)]
	t.funcdata = data[word(7):]
	if nfunc == 0 || nfunc > uint64(len(t.funcdata))/8 {
		return nil, fmt.Errorf("read function table (pclntab): %d functions in %d bytes", nfunc, len(t.funcdata))
	}
	t.nfunc = int(nfunc)
	t.functab = t.funcdata[:8*t.nfunc+4]
	for i := range t.nfunc {
		// Lookups need the order, and it limits the cost of decoding all functions.
		if t.entry(i) > t.entry(i+1) {
			return nil, fmt.Errorf("read function table (pclntab): function %d is not in order", i)
		}
	}
	return t, nil
}

// entry returns the address of function i, or for i == nfunc the end of the last one.
func (t *pclntab) entry(i int) uint64 {
	return t.text + uint64(t.order.Uint32(t.functab[8*i:]))
}

// index returns the function that contains pc, or -1.
func (t *pclntab) index(pc uint64) int {
	if pc < t.entry(0) || pc >= t.entry(t.nfunc) {
		return -1
	}
	return sort.Search(t.nfunc, func(i int) bool { return t.entry(i) > pc }) - 1
}

// A goFunc is a decoded record of the table.
type goFunc struct {
	index     int
	entry     uint64
	size      uint64 // of the code, without the padding up to the next function
	name      string
	startLine int
	cu        uint32 // its compilation unit's first entry in cutab
	file      pcTable
	line      pcTable
	inl       pcTable // index into the tree of inlined calls
	tree      uint32  // offset of that tree, or noTree
}

const noTree = ^uint32(0)

// fn decodes function i.
func (t *pclntab) fn(i int) (f *goFunc, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last != nil && t.last.index == i {
		return t.last, nil
	}
	defer guard("function table (pclntab)", &err)
	d := t.funcdata[t.order.Uint32(t.functab[8*i+4:]):]
	u := func(n int) uint32 { return t.order.Uint32(d[4*n:]) }
	f = &goFunc{
		index: i,
		entry: t.text + uint64(u(0)),
		name:  t.funcname.at(uint64(u(1))),
		cu:    u(8),
		tree:  noTree,
	}
	limit := uint32(t.entry(i+1) - t.entry(i))
	f.file = t.table(u(5), limit)
	f.line = t.table(u(6), limit)
	if f.size = uint64(f.line.end()); f.size == 0 || f.size > uint64(limit) {
		f.size = uint64(limit)
	}
	if t.magic == magicGo120 {
		const inlTreeIndex, inlTree = 2, 3 // PCDATA_InlTreeIndex, FUNCDATA_InlTree
		f.startLine = int(int32(u(9)))
		npcdata, nfuncdata := u(7), uint32(d[43])
		if inlTreeIndex < npcdata && inlTree < nfuncdata && t.inline != nil {
			if off := u(11 + inlTreeIndex); off != 0 {
				f.inl = t.table(off, limit)
				f.tree = u(int(11 + npcdata + inlTree))
			}
		}
	}
	t.last = f
	return f, nil
}

// A pcTable maps offsets into a function to values: value[i] applies to offsets below pc[i] that no
// earlier entry applies to.
type pcTable struct {
	pc    []uint32
	value []int32
}

func (p pcTable) end() uint32 {
	if len(p.pc) == 0 {
		return 0
	}
	return p.pc[len(p.pc)-1]
}

// at returns the value for an offset, -1 beyond the table.
func (p pcTable) at(off uint32) int32 {
	i, found := slices.BinarySearch(p.pc, off)
	if found {
		i++
	}
	if i >= len(p.pc) {
		return -1
	}
	return p.value[i]
}

// table decodes a pc-value table, up to limit, the size of the function.
func (t *pclntab) table(off, limit uint32) (p pcTable) {
	t.walk(off, limit, func(pc uint32, value int32) {
		p.pc, p.value = append(p.pc, pc), append(p.value, value)
	})
	return p
}

// walk yields the entries of a pc-value table. Each is a pair of varints: the zigzag-encoded
// difference of the value, and the distance to where it ends.
func (t *pclntab) walk(off, limit uint32, yield func(pc uint32, value int32)) {
	if off == 0 {
		return
	}
	b := t.pctab[off:]
	pc, value := uint32(0), int32(-1)
	for pc < limit {
		delta, n := binary.Uvarint(b)
		if n <= 0 || delta == 0 && pc > 0 {
			return
		}
		step, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return
		}
		b = b[n+m:]
		value += int32(uint32(delta)>>1) ^ -int32(delta&1)
		next := pc + uint32(step)*t.quantum
		if next <= pc {
			return // damaged: offsets only increase
		}
		pc = next
		yield(pc, value)
	}
}

// fileLine returns the source line of an offset into f.
func (t *pclntab) fileLine(f *goFunc, off uint32) (string, int) {
	i := f.file.at(off)
	if i < 0 {
		return "", 0
	}
	at := 4 * (uint64(f.cu) + uint64(i))
	if at+4 > uint64(len(t.cutab)) {
		return "", 0
	}
	name := t.order.Uint32(t.cutab[at:])
	if name == ^uint32(0) {
		return "", 0
	}
	return t.files.at(uint64(name)), max(0, int(f.line.at(off)))
}

// frames returns the calls that the instruction at pc belongs to, innermost first; nil if pc is in
// no function.
func (t *pclntab) frames(pc uint64) ([]Frame, error) {
	i := t.index(pc)
	if i < 0 {
		return nil, nil
	}
	f, err := t.fn(i)
	if err != nil {
		return nil, err
	}
	var out []Frame
	off := uint32(pc - f.entry)
	for range maxInlineDepth {
		fr := Frame{Func: f.name, StartLine: f.startLine}
		fr.File, fr.Line = t.fileLine(f, off)
		call, ok := t.inlined(f, off)
		if !ok {
			return append(out, fr), nil
		}
		fr.Func, fr.StartLine, fr.Inlined = t.funcname.at(uint64(call.name)), call.startLine, true
		out = append(out, fr)
		off = call.parent
	}
	return nil, fmt.Errorf("read function table (pclntab): inlined calls of %s refer to themselves", f.name)
}

// An inlinedCall is one call that the compiler inlined (runtime.inlinedCall).
type inlinedCall struct {
	name      uint32 // offset into funcname
	parent    uint32 // offset of an instruction of the caller within the function
	startLine int
}

// inlined returns the innermost inlined call that contains an offset into f.
func (t *pclntab) inlined(f *goFunc, off uint32) (inlinedCall, bool) {
	if f.tree == noTree {
		return inlinedCall{}, false
	}
	i := f.inl.at(off)
	if i < 0 {
		return inlinedCall{}, false
	}
	const width = 16 // funcID and padding, name, parent, start line
	b := t.inline(f.tree+uint32(i)*width, width)
	if b == nil {
		return inlinedCall{}, false
	}
	return inlinedCall{
		name:      t.order.Uint32(b[4:]),
		parent:    t.order.Uint32(b[8:]),
		startLine: int(int32(t.order.Uint32(b[12:]))),
	}, true
}

// functions lists the functions of the table whose entries are wanted as symbols.
func (t *pclntab) functions(wanted func(entry uint64) bool) (out []Symbol, err error) {
	defer guard("function table (pclntab)", &err)
	for i := range t.nfunc {
		entry := t.entry(i)
		if !wanted(entry) {
			continue
		}
		d := t.funcdata[t.order.Uint32(t.functab[8*i+4:]):]
		limit := uint32(t.entry(i+1) - entry)
		size := uint32(0)
		t.walk(t.order.Uint32(d[4*6:]), limit, func(pc uint32, _ int32) { size = pc })
		if size == 0 || size > limit {
			size = limit
		}
		out = append(out, Symbol{
			Name: t.funcname.at(uint64(t.order.Uint32(d[4:]))), Addr: entry, Size: uint64(size), Text: true,
		})
	}
	return out, nil
}
