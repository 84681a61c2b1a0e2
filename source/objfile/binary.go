package objfile

import (
	"cmp"
	"debug/buildinfo"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"sync"
)

// A Symbol is a named range of addresses.
type Symbol struct {
	Name string // the linker's name
	Addr uint64
	Size uint64 // in bytes; 0 when unknown
	Text bool   // it is code
}

// A Frame is one call that an instruction belongs to.
type Frame struct {
	Func      string // Go symbol, or the linker's name (mangled for C++ and Rust)
	File      string // as the compiler recorded it; "" when unknown
	Line      int    // of the instruction or of the inlined call in it; 0 when unknown
	Column    int    // 0 when unknown
	StartLine int    // of the function; 0 when unknown
	Inlined   bool   // into the next frame
}

// A Machine is machine code with symbols and lines: a Binary or a Code. All
// addresses are those of the file; see Base.
type Machine interface {
	// Arch is the GOARCH of the code.
	Arch() string
	// Base returns the value to subtract from addresses of a process that maps the file, from
	// offset on, at [start, limit). It is 0 for an empty mapping.
	Base(start, limit, offset uint64) (uint64, error)
	// Functions lists the functions, by address.
	Functions() ([]Symbol, error)
	// Symbol returns the symbol, of code or data, that contains addr.
	Symbol(addr uint64) (Symbol, bool)
	// Frames returns the calls that the instruction at addr, or around it, belongs to, innermost
	// first: inlined calls, then the function itself.
	Frames(addr uint64) ([]Frame, error)
	// Bytes returns the code in [start, end). It returns an error if the range exceeds the code.
	Bytes(start, end uint64) ([]byte, error)
}

// A Binary is an open program or library. It implements Machine.
type Binary struct {
	*image
	name   string
	closer io.Closer
	size   int64
	r      io.ReaderAt

	syms  func() (symbolTable, error)
	funcs func() ([]Symbol, error)
	lines func() (lineTable, error)
	debug func() (*dwarfIndex, error)
	info  func() (*debug.BuildInfo, error)
}

// A symbolTable is a list of symbols by address; among those with the same address the largest
// comes last.
type symbolTable []Symbol

// Open opens the ELF, Mach-O or PE file at path. The caller must close it.
func Open(path string) (*Binary, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, openError(path, err)
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("open binary %s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	b, err := NewBinary(path, f, fi.Size())
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	b.closer = f
	return b, nil
}

// openError returns an error that names the file once, and omits the system call.
func openError(path string, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("open binary %s: %w", path, err)
}

// NewBinary is like Open, but reads size bytes from r, which must remain readable while the Binary
// is used. name is for error messages.
func NewBinary(name string, r io.ReaderAt, size int64) (*Binary, error) {
	r = io.NewSectionReader(r, 0, size)
	var head [4]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, fmt.Errorf("open binary %s: read magic: %w", name, err)
	}
	var open func(io.ReaderAt, int64) (*image, error)
	switch string(head[:]) {
	case elf.ELFMAG:
		open = openELF
	case "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe":
		open = openMachO
	case "\xca\xfe\xba\xbe":
		open = openFat
	default:
		if string(head[:2]) != "MZ" {
			return nil, fmt.Errorf("open binary %s: not an ELF, Mach-O or PE file", name)
		}
		open = openPE
	}
	im, err := open(r, size)
	if err != nil {
		return nil, fmt.Errorf("open binary %s: %w", name, err)
	}
	b := &Binary{image: im, name: name, r: r, size: size}
	b.lines = sync.OnceValues(b.readLines)
	b.syms = sync.OnceValues(b.readSymbols)
	b.funcs = sync.OnceValues(b.readFunctions)
	b.debug = sync.OnceValues(b.readDWARF)
	b.info = sync.OnceValues(b.readBuildInfo)
	return b, nil
}

// Close closes the file.
func (b *Binary) Close() error {
	if b.closer == nil {
		return nil
	}
	return b.closer.Close()
}

// Name returns the path that the binary was opened with.
func (b *Binary) Name() string { return b.name }

// Format returns "ELF", "Mach-O" or "PE".
func (b *Binary) Format() string { return b.format }

// Arch implements Machine. It is "" for an architecture that Go does not know.
func (b *Binary) Arch() string { return b.goarch }

// BuildID returns the GNU build ID of an ELF file or the UUID of a Mach-O file, in lower-case hex;
// "" if there is none.
func (b *Binary) BuildID() string { return b.gnuID }

// GoBuildID returns the ID that the Go linker wrote (go tool buildid); "" if there is none.
func (b *Binary) GoBuildID() (id string) {
	defer func() {
		if recover() != nil {
			id = ""
		}
	}()
	if b.format == "ELF" {
		if f, err := elf.NewFile(b.r); err == nil {
			if id := elfNote(f, "Go", 4); id != nil {
				return string(id)
			}
		}
	}
	return goBuildID(b.image)
}

// BuildInfo returns the modules and settings that the Go linker recorded. It returns an error for a
// program that is not written in Go.
func (b *Binary) BuildInfo() (*debug.BuildInfo, error) { return b.info() }

func (b *Binary) readBuildInfo() (_ *debug.BuildInfo, err error) {
	defer guard("build info", &err)
	bi, err := buildinfo.Read(b.r)
	if err != nil {
		return nil, fmt.Errorf("build info of %s: %w", b.name, err)
	}
	return bi, nil
}

// HasGoLines reports whether Frames resolves Go functions and lines.
func (b *Binary) HasGoLines() bool {
	t, err := b.lines()
	return err == nil && t != nil
}

func (b *Binary) readLines() (_ lineTable, err error) {
	defer guard("function table (pclntab)", &err)
	syms, _ := b.symbols() // with a damaged symbol table, the other sources remain
	t, err := openLineTable(b.image, syms)
	if err != nil {
		return nil, fmt.Errorf("open binary %s: %w", b.name, err)
	}
	return t, nil
}

// readSymbols returns the linker's symbols, and those of Go's own table that are missing there
// (stripped files).
func (b *Binary) readSymbols() (symbolTable, error) {
	raw, err := b.symbols()
	syms := make(symbolTable, 0, len(raw))
	for _, s := range raw {
		switch s.Name {
		case "runtime.text", "text", "_text", "runtime.etext", "etext", "_etext":
			continue // section boundaries
		}
		syms = append(syms, s)
	}
	syms.sort()
	t, terr := b.lines()
	if t != nil {
		// ELF records exact sizes; in the other formats they are inferred and include padding.
		trim := b.format != "ELF"
		var fns []Symbol
		fns, terr = t.functions(func(entry uint64) bool {
			_, known := syms.find(entry)
			return trim || !known
		})
		syms = syms.withFunctions(fns, trim)
	}
	if len(syms) == 0 {
		if err = errors.Join(err, terr); err == nil {
			err = errors.New("no symbols: the file is stripped and not a Go program")
		}
		return nil, fmt.Errorf("symbols of %s: %w", b.name, err)
	}
	return syms, nil
}

// withFunctions adds the functions of Go's own table that t does not contain. With trim, the others
// take their size from that table.
func (t symbolTable) withFunctions(fns []Symbol, trim bool) symbolTable {
	if len(fns) == 0 {
		return t
	}
	size := make(map[uint64]uint64, len(fns))
	known := t
	for _, f := range fns {
		if _, ok := known.find(f.Addr); !ok {
			t = append(t, f)
		}
		size[f.Addr] = f.Size
	}
	if trim {
		for i, s := range known {
			if n, ok := size[s.Addr]; ok {
				known[i].Size = min(s.Size, n)
			}
		}
	}
	t.sort()
	return t
}

func (t symbolTable) sort() {
	slices.SortStableFunc(t, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Size, b.Size))
	})
}

// find returns the symbol that contains addr.
func (t symbolTable) find(addr uint64) (Symbol, bool) {
	i := sort.Search(len(t), func(i int) bool { return addr < t[i].Addr })
	if i == 0 {
		return Symbol{}, false
	}
	s := t[i-1]
	return s, s.Addr != 0 && addr-s.Addr < s.Size
}

// inferSizes extends symbols without sizes up to the next symbol.
func inferSizes(syms []Symbol) {
	addrs := make([]uint64, len(syms))
	for i := range syms {
		addrs[i] = syms[i].Addr
	}
	slices.Sort(addrs)
	addrs = slices.Compact(addrs)
	for i := range syms {
		if j, _ := slices.BinarySearch(addrs, syms[i].Addr+1); j < len(addrs) {
			syms[i].Size = addrs[j] - syms[i].Addr
		}
	}
}

// Functions implements Machine.
func (b *Binary) Functions() ([]Symbol, error) {
	return b.funcs()
}

func (b *Binary) readFunctions() ([]Symbol, error) {
	t, err := b.syms()
	if err != nil {
		return nil, err
	}
	var out []Symbol
	for _, s := range t {
		if s.Text {
			out = append(out, s)
		}
	}
	return out, nil
}

// Symbol implements Machine.
func (b *Binary) Symbol(addr uint64) (Symbol, bool) {
	t, _ := b.syms()
	return t.find(addr)
}

// SymbolAddr returns the address of the symbol with that name, and whether there is one.
func (b *Binary) SymbolAddr(name string) (uint64, bool) {
	raw, _ := b.symbols()
	for i := range raw {
		if raw[i].Name == name {
			return raw[i].Addr, true
		}
	}
	return 0, false
}

// Bytes implements Machine.
func (b *Binary) Bytes(start, end uint64) ([]byte, error) {
	s := b.at(start)
	if s == nil || !s.exec {
		return nil, fmt.Errorf("code %#x-%#x of %s: not in an executable section", start, end, b.name)
	}
	code, err := b.bytes(start, end)
	if err != nil {
		return nil, fmt.Errorf("code of %s: %w", b.name, err)
	}
	return code, nil
}

// Frames implements Machine. It uses Go's function table, else DWARF, else the symbol table, which
// has no files and lines.
func (b *Binary) Frames(addr uint64) ([]Frame, error) {
	t, err := b.lines()
	if t != nil {
		fr, ferr := t.frames(addr)
		if len(fr) > 0 {
			return fr, nil
		}
		err = ferr
	}
	d, derr := b.debug()
	if d != nil {
		fr, ferr := d.frames(addr)
		if n := len(fr); n > 0 {
			if s, ok := b.Symbol(addr); ok && fr[n-1].Func == "" {
				fr[n-1].Func = s.Name
			}
			return fr, nil
		}
		derr = ferr
	}
	if s, ok := b.Symbol(addr); ok && s.Text {
		return []Frame{{Func: s.Name}}, nil
	}
	if err = errors.Join(err, derr); err != nil {
		return nil, fmt.Errorf("frames of %#x in %s: %w", addr, b.name, err)
	}
	return nil, fmt.Errorf("frames of %#x in %s: no function there", addr, b.name)
}

func (b *Binary) readDWARF() (*dwarfIndex, error) {
	d, err := b.dwarf()
	if err != nil {
		if _, ok := errors.AsType[dwarf.DecodeError](err); ok && strings.Contains(err.Error(), "too short") {
			return nil, nil // no debug sections at all
		}
		return nil, fmt.Errorf("debug information of %s: %w", b.name, err)
	}
	return newDWARFIndex(d), nil
}
