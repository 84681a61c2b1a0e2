package pprof

import (
	"fmt"
	"io"
	"regexp"
	"sync"

	"github.com/google/pprof/driver"

	"github.com/whet-go/whet/source/objfile"
)

// objTool implements the driver's plugin.ObjTool with package objfile. Binaries stay open until the
// process ends: the driver opens and closes the same one for every report, and uses object files
// after closing them.
type objTool struct {
	recordings *recordings

	mu     sync.Mutex
	opened map[string]*machine
}

// A machine is an opened binary, or the error of opening it.
type machine struct {
	objfile.Machine
	err error
}

func newObjTool(r *recordings) *objTool {
	return &objTool{recordings: r, opened: map[string]*machine{}}
}

// machine opens the binary on this machine, or its code in a recording. If both exist but differ in
// build, the recording's is the one that ran.
func (t *objTool) machine(name string) (objfile.Machine, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.opened[name]
	if m == nil {
		m = &machine{}
		b, err := objfile.Open(name)
		c, cerr := t.recordings.code(name)
		switch {
		case err == nil && (cerr != nil || c.BuildID() == "" || c.BuildID() == b.BuildID()):
			m.Machine = b
		case cerr == nil:
			m.Machine = c
			if err == nil {
				_ = b.Close() // opened for reading
			}
		default:
			// A recording opened later may have it.
			return nil, err
		}
		t.opened[name] = m
	}
	return m.Machine, m.err
}

// Open implements driver.ObjTool.
func (t *objTool) Open(name string, start, limit, offset uint64, relocationSymbol string) (driver.ObjFile, error) {
	m, err := t.machine(name)
	if err != nil {
		return nil, err
	}
	f := &objFile{name: name, m: m}
	if b, ok := m.(*objfile.Binary); ok && relocationSymbol != "" {
		// A kernel's mapping is given by the address of one of its symbols.
		if addr, ok := b.SymbolAddr(relocationSymbol); ok && start != 0 {
			f.base = start - addr
			return f, nil
		}
	}
	if f.base, err = m.Base(start, limit, offset); err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return f, nil
}

// Disasm implements driver.ObjTool; addresses are those of the file. The driver also requests a
// window around hot addresses, so the range may start and end within an instruction or outside the
// code.
func (t *objTool) Disasm(file string, start, end uint64, intelSyntax bool) ([]driver.Inst, error) {
	m, err := t.machine(file)
	if err != nil {
		return nil, err
	}
	syntax := objfile.GoSyntax
	if intelSyntax {
		syntax = objfile.IntelSyntax
	}
	// The driver passes the address of a function's last byte as the end, so go tool pprof loses
	// the last instruction.
	if s, ok := m.Symbol(end); ok && s.Text && end == s.Addr+s.Size-1 {
		end++
	}
	insts, err := objfile.DisasmWindow(m, start, end, syntax)
	if err != nil {
		return nil, err
	}
	out := make([]driver.Inst, len(insts))
	for i, in := range insts {
		out[i] = driver.Inst{Addr: in.Addr, Text: in.Text, File: in.File, Line: in.Line}
	}
	return out, nil
}

// objFile implements the driver's plugin.ObjFile: a binary as a process mapped it.
type objFile struct {
	name string
	m    objfile.Machine
	base uint64
}

func (f *objFile) Name() string { return f.name }

func (f *objFile) ObjAddr(addr uint64) (uint64, error) { return addr - f.base, nil }

// BuildID returns the GNU build id; Mach-O files have none.
func (f *objFile) BuildID() string {
	switch m := f.m.(type) {
	case *objfile.Binary:
		if m.Format() == "ELF" {
			return m.BuildID()
		}
	case *objfile.Code:
		return m.BuildID()
	}
	return ""
}

func (f *objFile) SourceLine(addr uint64) ([]driver.Frame, error) {
	frames, err := f.m.Frames(addr - f.base)
	if err != nil {
		return nil, err
	}
	out := make([]driver.Frame, len(frames))
	for i, fr := range frames {
		out[i] = driver.Frame{Func: fr.Func, File: fr.File, Line: fr.Line, Column: fr.Column, StartLine: fr.StartLine}
	}
	return out, nil
}

// Symbols lists functions. The driver's End is the address of the last byte.
func (f *objFile) Symbols(r *regexp.Regexp, addr uint64) ([]*driver.Sym, error) {
	fns, err := f.m.Functions()
	if err != nil {
		return nil, err
	}
	var out []*driver.Sym
	for _, s := range fns {
		if s.Size == 0 || r != nil && !r.MatchString(s.Name) || addr != 0 && addr-s.Addr >= s.Size {
			continue
		}
		out = append(out, &driver.Sym{Name: []string{s.Name}, File: f.name, Start: s.Addr, End: s.Addr + s.Size - 1})
	}
	return out, nil
}

// Close implements driver.ObjFile; see objTool.
func (f *objFile) Close() error { return nil }

// close closes the binaries.
func (t *objTool) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.opened {
		if c, ok := m.Machine.(io.Closer); ok {
			_ = c.Close() // opened for reading
		}
	}
}
