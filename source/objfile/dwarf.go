package objfile

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"slices"
	"sort"
	"sync"
)

// A dwarfIndex resolves addresses in code with DWARF, including inlined calls. It decodes one
// compilation unit at a time, on demand.
type dwarfIndex struct {
	mu    sync.Mutex
	data  *dwarf.Data
	units map[dwarf.Offset]*dwarfUnit
	names map[dwarf.Offset]dwarfName // of abstract functions
}

// A dwarfUnit is a decoded compilation unit.
type dwarfUnit struct {
	funcs []dwarfFunc
	lines []lineSequence // by start
	files []*dwarf.LineFile
}

// A lineSequence is a run of the line table with increasing addresses. The table has one per
// section of code, in any order, which dwarf.LineReader.SeekPC does not support.
type lineSequence struct {
	rows []dwarf.LineEntry
	end  uint64
}

// A dwarfFunc is a function or, among its calls, one that was inlined into it.
type dwarfFunc struct {
	dwarfName
	ranges   [][2]uint64
	callFile int // where it was inlined; index into the unit's files
	callLine int
	callCol  int
	calls    []dwarfFunc
}

type dwarfName struct {
	name string
	line int // where it is declared
}

const maxDWARFDepth = 200

func newDWARFIndex(d *dwarf.Data) *dwarfIndex {
	return &dwarfIndex{data: d, units: map[dwarf.Offset]*dwarfUnit{}, names: map[dwarf.Offset]dwarfName{}}
}

// frames returns the calls around addr, innermost first; nil if no unit contains it.
func (x *dwarfIndex) frames(addr uint64) (out []Frame, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	defer guard("DWARF sections", &err)
	r := x.data.Reader()
	cu, err := r.SeekPC(addr)
	if errors.Is(err, dwarf.ErrUnknownPC) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u := x.units[cu.Offset]
	if u == nil {
		if u, err = x.readUnit(r, cu); err != nil {
			return nil, err
		}
		x.units[cu.Offset] = u
	}
	here := u.line(addr)
	at := Frame{Line: here.Line, Column: here.Column}
	if here.File != nil {
		at.File = here.File.Name
	}
	chain := holding(u.funcs, addr, nil)
	if len(chain) == 0 {
		if at.File == "" {
			return nil, nil
		}
		return []Frame{at}, nil
	}
	for i := len(chain) - 1; i >= 0; i-- {
		f := chain[i]
		at.Func, at.StartLine, at.Inlined = f.name, f.line, i > 0
		out = append(out, at)
		at = Frame{Line: f.callLine, Column: f.callCol}
		if f.callFile > 0 && f.callFile < len(u.files) && u.files[f.callFile] != nil {
			at.File = u.files[f.callFile].Name
		}
	}
	return out, nil
}

// line returns the row of the line table that addr belongs to, or the zero row.
func (u *dwarfUnit) line(addr uint64) (row dwarf.LineEntry) {
	i := sort.Search(len(u.lines), func(i int) bool { return u.lines[i].rows[0].Address > addr })
	if i == 0 || addr >= u.lines[i-1].end {
		return row
	}
	rows := u.lines[i-1].rows
	i = sort.Search(len(rows), func(i int) bool { return rows[i].Address > addr })
	return rows[i-1]
}

// readLines decodes the line table of the unit.
func (u *dwarfUnit) readLines(lr *dwarf.LineReader) {
	var rows []dwarf.LineEntry
	for {
		var e dwarf.LineEntry
		if err := lr.Next(&e); err != nil {
			break // the end, or damage: keep what was read
		}
		if e.EndSequence {
			if len(rows) > 0 && e.Address > rows[0].Address {
				u.lines = append(u.lines, lineSequence{rows: rows, end: e.Address})
			}
			rows = nil
			continue
		}
		if len(rows) == 0 || e.Address >= rows[len(rows)-1].Address {
			rows = append(rows, e)
		}
	}
	slices.SortFunc(u.lines, func(a, b lineSequence) int { return cmp.Compare(a.rows[0].Address, b.rows[0].Address) })
	u.files = lr.Files()
}

// holding appends the functions that contain addr, outermost first.
func holding(fns []dwarfFunc, addr uint64, chain []*dwarfFunc) []*dwarfFunc {
	for i := range fns {
		for _, r := range fns[i].ranges {
			if r[0] <= addr && addr < r[1] {
				return holding(fns[i].calls, addr, append(chain, &fns[i]))
			}
		}
	}
	return chain
}

// readUnit decodes the functions of the unit whose entry r has just read.
func (x *dwarfIndex) readUnit(r *dwarf.Reader, cu *dwarf.Entry) (*dwarfUnit, error) {
	u := &dwarfUnit{}
	if lr, err := x.data.LineReader(cu); err == nil && lr != nil {
		u.readLines(lr)
	}
	if !cu.Children {
		return u, nil
	}
	var err error
	u.funcs, err = x.readChildren(r, 0)
	return u, err
}

// readChildren collects functions and inlined calls among the children of the
// entry just read, looking through lexical blocks and namespaces.
func (x *dwarfIndex) readChildren(r *dwarf.Reader, depth int) (out []dwarfFunc, err error) {
	if depth > maxDWARFDepth {
		return nil, errors.New("entries nest too deep")
	}
	for {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil || e.Tag == 0 {
			return out, nil
		}
		switch e.Tag {
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine:
			f := dwarfFunc{dwarfName: x.name(e, 0)}
			if f.ranges, err = x.data.Ranges(e); err != nil {
				f.ranges = nil
			}
			f.callFile, f.callLine, f.callCol = intAttr(e, dwarf.AttrCallFile), intAttr(e, dwarf.AttrCallLine),
				intAttr(e, dwarf.AttrCallColumn)
			if e.Children {
				if f.calls, err = x.readChildren(r, depth+1); err != nil {
					return nil, err
				}
			}
			if len(f.ranges) > 0 {
				out = append(out, f)
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagNamespace, dwarf.TagModule, dwarf.TagClassType, dwarf.TagStructType:
			if e.Children {
				inner, err := x.readChildren(r, depth+1)
				if err != nil {
					return nil, err
				}
				out = append(out, inner...)
			}
		default:
			if e.Children {
				r.SkipChildren()
			}
		}
	}
}

// name follows abstract origins and specifications to a function's name. It prefers the linker's
// name, which symbols and other frames use.
func (x *dwarfIndex) name(e *dwarf.Entry, depth int) dwarfName {
	var n dwarfName
	n.line = intAttr(e, dwarf.AttrDeclLine)
	const mipsLinkageName = dwarf.Attr(0x2007)
	for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, mipsLinkageName, dwarf.AttrName} {
		if s, ok := e.Val(a).(string); ok && s != "" {
			n.name = s
			if a != dwarf.AttrName {
				return n
			}
			break
		}
	}
	if depth > 10 {
		return n
	}
	for _, a := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		off, ok := e.Val(a).(dwarf.Offset)
		if !ok {
			continue
		}
		target, known := x.names[off]
		if !known {
			r := x.data.Reader()
			r.Seek(off)
			if te, err := r.Next(); err == nil && te != nil {
				target = x.name(te, depth+1)
			}
			x.names[off] = target
		}
		if target.name != "" {
			n.name = target.name
		}
		if n.line == 0 {
			n.line = target.line
		}
	}
	return n
}

func intAttr(e *dwarf.Entry, a dwarf.Attr) int {
	switch v := e.Val(a).(type) {
	case int64:
		return int(v)
	case uint64:
		return int(v)
	}
	return 0
}
