package objfile

import (
	"bytes"
	"debug/gosym"
	"errors"
	"sync"
)

// A lineTable resolves addresses of Go functions.
type lineTable interface {
	frames(pc uint64) ([]Frame, error)
	// functions lists the functions whose entry addresses are wanted.
	functions(wanted func(entry uint64) bool) ([]Symbol, error)
}

// openLineTable finds the function table of a Go program. It returns nil without an error if there
// is none: the program is not written in Go.
//
// Its location has four sources, depending on Go version, operating system, linker and stripping:
// its own section; symbols, among them runtime.pclntab and go:func.*; the table's header; and the
// linker's description of the module (runtime.firstmoduledata), which is found by its pointer to
// the table that it begins with.
func openLineTable(im *image, syms []Symbol) (lineTable, error) {
	var text, start, end, gofunc, module uint64
	for i := range syms {
		switch s := &syms[i]; s.Name {
		case "runtime.text":
			text = s.Addr
		case "runtime.pclntab":
			start = s.Addr
		case "runtime.epclntab":
			end = s.Addr
		case "go:func.*":
			gofunc = s.Addr
		case "runtime.firstmoduledata":
			module = s.Addr
		}
	}
	data, addr, err := pclntabBytes(im, start, end)
	if data == nil || err != nil {
		return nil, err
	}
	if md, ok := findModuledata(im, addr, module); ok {
		if text == 0 {
			text = md.text
		}
		if gofunc == 0 {
			gofunc = md.gofunc
		}
	}
	if text == 0 && headerText(im, data) == 0 {
		if s := im.section(im.textName); s != nil {
			text = s.addr
		}
	}
	t, err := newPclntab(data, text)
	if errors.Is(err, errOldTable) {
		return openGosym(data, text)
	}
	if err != nil {
		return nil, err
	}
	if sec := im.at(gofunc); gofunc != 0 && sec != nil {
		// The functions' data follow their table or are a symbol of the read-only data.
		all := sync.OnceValue(func() []byte {
			b, err := sec.data()
			if err != nil {
				return nil
			}
			return b[gofunc-sec.addr:]
		})
		if off := gofunc - addr; gofunc > addr && off < uint64(len(data)) {
			all = func() []byte { return data[off:] }
		}
		t.inline = func(off, n uint32) []byte {
			b := all()
			if uint64(off)+uint64(n) > uint64(len(b)) {
				return nil
			}
			return b[off : off+n]
		}
	}
	return t, nil
}

// pclntabBytes returns the table and its address.
func pclntabBytes(im *image, start, end uint64) ([]byte, uint64, error) {
	if s := im.section(im.pclnNames...); s != nil {
		b, err := s.data()
		return b, s.addr, err
	}
	if start != 0 && end > start {
		b, err := im.bytes(start, end)
		return b, start, err
	}
	// Without symbols: look for the header in everything that is not code.
	for i := range im.sections {
		s := &im.sections[i]
		if s.exec || s.addr == 0 {
			continue
		}
		b, err := s.data()
		if err != nil {
			continue
		}
		if off := findMagic(b, im); off >= 0 {
			return b[off:], s.addr + uint64(off), nil
		}
	}
	return nil, 0, nil
}

// findMagic returns the offset in b of a function table's header, or -1.
func findMagic(b []byte, im *image) int {
	for _, magic := range []uint32{magicGo120, magicGo118, magicGo116, magicGo12} {
		want := make([]byte, 6)
		im.order.PutUint32(want, magic)
		for from := 0; ; {
			i := bytes.Index(b[from:], want)
			if i < 0 || from+i+8 > len(b) {
				break
			}
			at := from + i
			q, p := b[at+6], b[at+7]
			if (q == 1 || q == 2 || q == 4) && int(p) == im.ptrSize && at%im.ptrSize == 0 {
				if _, err := newPclntab(b[at:], 1); err == nil || errors.Is(err, errOldTable) {
					return at
				}
			}
			from = at + 1
		}
	}
	return -1
}

// headerText returns the start of code according to the table's header; 0 if it does not contain it
// (Go 1.26, position-independent code).
func headerText(im *image, table []byte) uint64 {
	if len(table) < 8+3*im.ptrSize {
		return 0
	}
	if m := im.order.Uint32(table); m != magicGo118 && m != magicGo120 {
		return 0
	}
	return im.pointer(table[8+2*im.ptrSize:])
}

// A moduledata is the required part of runtime.moduledata.
type moduledata struct{ text, gofunc uint64 }

// findModuledata reads runtime.firstmoduledata, at module unless that is 0. The words up to types
// have kept their order since Go 1.20. Go 1.27 inserted two lengths and an offset between types and
// gofunc:
//
//	word   Go 1.20 to 1.26   Go 1.27
//	37     types             types
//	38     etypes            typedesclen, a length
//	39     rodata            etypes
//	40     gofunc            itaboffset, relative to types
//	43                       gofunc
func findModuledata(im *image, pclntab, module uint64) (moduledata, bool) {
	const (
		minpc, maxpc, text, etext = 20, 21, 22, 23
		types, etypes             = 37, 38
		gofunc, gofunc127         = 40, 43
	)
	word := func(at uint64, i int) uint64 {
		v, err := im.word(at + uint64(i*im.ptrSize))
		if err != nil {
			return 0
		}
		return v
	}
	read := func(at uint64) (moduledata, bool) {
		md := moduledata{text: word(at, text), gofunc: word(at, gofunc)}
		if word(at, etypes) < word(at, types) {
			md.gofunc = word(at, gofunc127) // a length is less than an address, an end is not
		}
		s := im.at(md.text)
		ok := word(at, 0) == pclntab && s != nil && s.exec &&
			md.text <= word(at, minpc) && word(at, minpc) < word(at, maxpc) && word(at, maxpc) <= word(at, etext)
		return md, ok
	}
	if module != 0 {
		return read(module)
	}
	for at, v := range im.relocs() {
		if v == pclntab {
			if md, ok := read(at); ok {
				return md, true
			}
		}
	}
	for i := range im.sections {
		s := &im.sections[i]
		switch s.name {
		case ".go.module", ".noptrdata", ".data", ".data.rel.ro", "__go_module", "__noptrdata", "__data":
		default:
			continue
		}
		b, err := s.data()
		if err != nil {
			continue
		}
		for off := 0; off+im.ptrSize <= len(b); off += im.ptrSize {
			if im.pointer(b[off:]) == pclntab {
				if md, ok := read(s.addr + uint64(off)); ok {
					return md, true
				}
			}
		}
	}
	return moduledata{}, false
}

// A gosymTable reads the function tables of Go 1.2 to 1.17 through debug/gosym.
type gosymTable struct {
	mu    sync.Mutex // gosym caches names without a lock
	table *gosym.Table
}

func openGosym(data []byte, text uint64) (_ lineTable, err error) {
	defer guard("function table (pclntab)", &err)
	t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text))
	if err != nil {
		return nil, err
	}
	return &gosymTable{table: t}, nil
}

func (t *gosymTable) frames(pc uint64) (_ []Frame, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer guard("function table (pclntab)", &err)
	file, line, fn := t.table.PCToLine(pc)
	if fn == nil {
		return nil, nil
	}
	return []Frame{{Func: fn.Name, File: file, Line: line}}, nil
}

func (t *gosymTable) functions(wanted func(entry uint64) bool) ([]Symbol, error) {
	var out []Symbol
	for i := range t.table.Funcs {
		f := &t.table.Funcs[i]
		if !wanted(f.Entry) {
			continue
		}
		out = append(out, Symbol{Name: f.Name, Addr: f.Entry, Size: f.End - f.Entry, Text: true})
	}
	return out, nil
}

// goBuildID returns the Go build ID, which the linker puts at the start of the code of non-ELF
// files.
func goBuildID(im *image) string {
	s := im.section(im.textName)
	if s == nil {
		return ""
	}
	b, err := s.read(0, min(s.size, 32<<10))
	if err != nil {
		return ""
	}
	_, rest, ok := bytes.Cut(b, []byte("\xff Go build ID: \""))
	if !ok {
		return ""
	}
	id, _, ok := bytes.Cut(rest, []byte("\"\n \xff"))
	if !ok {
		return ""
	}
	return string(id)
}
