package objfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// codeFormat identifies the format of a code pack. Readers reject others.
const codeFormat = "whet.code/1"

// A codeFile is the content of a code pack. It is JSON, so that people can read it; recordings
// compress it. Strings and frames are stored once and referenced by index.
type codeFile struct {
	Format  string      `json:"format"`
	Arch    string      `json:"arch"`
	BuildID string      `json:"build_id,omitempty"`
	Layout  layout      `json:"layout"`
	Strings []string    `json:"strings"`
	Frames  []codeFrame `json:"frames"`
	Chains  [][]int     `json:"chains"` // of inlined calls, indices into Frames, innermost first
	Funcs   []codeFunc  `json:"funcs"`  // by Start, without overlaps
	Targets []codeSym   `json:"targets"`
}

type codeFrame struct {
	Func    int  `json:"f"`
	File    int  `json:"p"`
	Line    int  `json:"l"`
	Column  int  `json:"c,omitzero"`
	Start   int  `json:"s,omitzero"`
	Inlined bool `json:"i,omitzero"`
}

// A codeSym is a symbol that instructions refer to.
type codeSym struct {
	Name int    `json:"n"`
	Addr uint64 `json:"a"`
	Size uint64 `json:"s"`
	Text bool   `json:"t,omitzero"`
}

type codeFunc struct {
	Name  int    `json:"name"`
	Start uint64 `json:"start"`
	Code  []byte `json:"code"`
	// Lines are pairs of an offset into Code and the chain that applies from there on; -1 is none.
	Lines []int `json:"lines"`
}

// ExtractCode packs the functions of m that contain the given file addresses, with their lines,
// inlined calls and the names that their instructions refer to. Addresses outside any function
// are skipped.
func ExtractCode(m Machine, addrs []uint64) ([]byte, error) {
	d, err := newDecoder(m, GoSyntax)
	if err != nil {
		return nil, fmt.Errorf("extract code: %w", err)
	}
	out := codeFile{Format: codeFormat, Arch: m.Arch()}
	switch m := m.(type) {
	case *Binary:
		out.BuildID, out.Layout = m.BuildID(), m.layout
	case *Code:
		out.BuildID, out.Layout = m.file.BuildID, m.file.Layout
	}
	pack := newPacker(&out)
	want := map[uint64]Symbol{}
	for _, a := range addrs {
		if s, ok := m.Symbol(a); ok && s.Text && s.Size > 0 {
			want[s.Addr] = s
		}
	}
	targets := map[uint64]Symbol{}
	lookup := d.lookup
	d.lookup = func(addr uint64) (string, uint64) {
		if s, ok := m.Symbol(addr); ok {
			targets[s.Addr] = s
		}
		return lookup(addr)
	}
	var end uint64
	for _, s := range inOrder(want) {
		if s.Addr < end {
			continue // an alias, or a part of the previous function
		}
		code, err := m.Bytes(s.Addr, s.Addr+s.Size)
		if err != nil {
			return nil, fmt.Errorf("extract code: %w", err)
		}
		f := codeFunc{Name: pack.str(s.Name), Start: s.Addr, Code: code}
		last := -2
		for off := 0; off < len(code); {
			in := d.inst(code[off:], s.Addr+uint64(off))
			chain := -1
			if frames, err := m.Frames(in.Addr); err == nil {
				chain = pack.chain(frames)
			}
			if chain != last {
				f.Lines = append(f.Lines, off, chain)
				last = chain
			}
			off += in.Size
		}
		out.Funcs = append(out.Funcs, f)
		end = s.Addr + s.Size
	}
	for _, s := range inOrder(targets) {
		out.Targets = append(out.Targets, codeSym{Name: pack.str(s.Name), Addr: s.Addr, Size: s.Size, Text: s.Text})
	}
	return json.Marshal(out)
}

func inOrder(m map[uint64]Symbol) []Symbol {
	out := make(symbolTable, 0, len(m))
	for _, s := range m {
		out = append(out, s)
	}
	out.sort()
	return out
}

// A packer interns what a code pack references by index.
type packer struct {
	file    *codeFile
	strings map[string]int
	frames  map[codeFrame]int
	chains  map[string]int
}

func newPacker(f *codeFile) *packer {
	return &packer{file: f, strings: map[string]int{}, frames: map[codeFrame]int{}, chains: map[string]int{}}
}

func (p *packer) str(s string) int {
	i, ok := p.strings[s]
	if !ok {
		i = len(p.file.Strings)
		p.strings[s], p.file.Strings = i, append(p.file.Strings, s)
	}
	return i
}

func (p *packer) chain(frames []Frame) int {
	ids := make([]int, len(frames))
	for i, f := range frames {
		cf := codeFrame{p.str(f.Func), p.str(f.File), f.Line, f.Column, f.StartLine, f.Inlined}
		id, ok := p.frames[cf]
		if !ok {
			id = len(p.file.Frames)
			p.frames[cf], p.file.Frames = id, append(p.file.Frames, cf)
		}
		ids[i] = id
	}
	key := fmt.Sprint(ids)
	i, ok := p.chains[key]
	if !ok {
		i = len(p.file.Chains)
		p.chains[key], p.file.Chains = i, append(p.file.Chains, ids)
	}
	return i
}

// A Code is an open code pack. It implements Machine for the functions that it contains.
type Code struct {
	file    codeFile
	symbols symbolTable
	chains  [][]Frame
}

// OpenCode opens what ExtractCode returned. It checks every reference, and its memory use is
// proportional to data.
func OpenCode(data []byte) (*Code, error) {
	c := &Code{}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&c.file); err != nil {
		return nil, fmt.Errorf("open code pack: byte %d: %w", dec.InputOffset(), err)
	}
	f := &c.file
	if f.Format != codeFormat {
		return nil, fmt.Errorf("open code pack: format %q: this version reads %s", f.Format, codeFormat)
	}
	str := func(i int) (string, error) {
		if i < 0 || i >= len(f.Strings) {
			return "", fmt.Errorf("open code pack: no string %d", i)
		}
		return f.Strings[i], nil
	}
	frames := make([]Frame, len(f.Frames))
	for i, cf := range f.Frames {
		fn, err := str(cf.Func)
		file, err2 := str(cf.File)
		if err = errors.Join(err, err2); err != nil {
			return nil, err
		}
		frames[i] = Frame{Func: fn, File: file, Line: cf.Line, Column: cf.Column, StartLine: cf.Start, Inlined: cf.Inlined}
	}
	c.chains = make([][]Frame, len(f.Chains))
	for i, ids := range f.Chains {
		for _, id := range ids {
			if id < 0 || id >= len(frames) {
				return nil, fmt.Errorf("open code pack: chain %d: no frame %d", i, id)
			}
			c.chains[i] = append(c.chains[i], frames[id])
		}
	}
	for _, t := range f.Targets {
		name, err := str(t.Name)
		if err != nil {
			return nil, err
		}
		c.symbols = append(c.symbols, Symbol{Name: name, Addr: t.Addr, Size: t.Size, Text: t.Text})
	}
	if err := c.checkFuncs(str); err != nil {
		return nil, err
	}
	c.symbols.sort()
	c.symbols = slices.Compact(c.symbols)
	return c, nil
}

// checkFuncs validates the functions and adds their symbols.
func (c *Code) checkFuncs(str func(int) (string, error)) error {
	var end uint64
	for i, fn := range c.file.Funcs {
		name, err := str(fn.Name)
		if err != nil {
			return err
		}
		if fn.Start < end || fn.Start+uint64(len(fn.Code)) < fn.Start {
			return fmt.Errorf("open code pack: function %d (%s) overlaps the one before", i, name)
		}
		end = fn.Start + uint64(len(fn.Code))
		if len(fn.Lines)%2 != 0 {
			return fmt.Errorf("open code pack: function %d (%s): odd line table", i, name)
		}
		for j := 0; j < len(fn.Lines); j += 2 {
			if chain := fn.Lines[j+1]; chain < -1 || chain >= len(c.chains) {
				return fmt.Errorf("open code pack: function %d (%s): no chain %d", i, name, chain)
			}
			if fn.Lines[j] < 0 || j > 0 && fn.Lines[j] <= fn.Lines[j-2] {
				return fmt.Errorf("open code pack: function %d (%s): line table is not in order", i, name)
			}
		}
		c.symbols = append(c.symbols, Symbol{Name: name, Addr: fn.Start, Size: uint64(len(fn.Code)), Text: true})
	}
	return nil
}

// Arch implements Machine.
func (c *Code) Arch() string { return c.file.Arch }

// BuildID returns the build ID of the binary that the code is from (Binary.BuildID).
func (c *Code) BuildID() string { return c.file.BuildID }

// Base implements Machine.
func (c *Code) Base(start, limit, offset uint64) (uint64, error) {
	return c.file.Layout.Base(start, limit, offset)
}

// Functions implements Machine. It lists only the functions in the pack.
func (c *Code) Functions() ([]Symbol, error) {
	out := make([]Symbol, len(c.file.Funcs))
	for i, f := range c.file.Funcs {
		out[i] = Symbol{Name: c.file.Strings[f.Name], Addr: f.Start, Size: uint64(len(f.Code)), Text: true}
	}
	return out, nil
}

// Symbol implements Machine.
func (c *Code) Symbol(addr uint64) (Symbol, bool) { return c.symbols.find(addr) }

// fn returns the function that contains addr.
func (c *Code) fn(addr uint64) *codeFunc {
	fns := c.file.Funcs
	i := sort.Search(len(fns), func(i int) bool { return addr < fns[i].Start })
	if i == 0 || addr-fns[i-1].Start >= uint64(len(fns[i-1].Code)) {
		return nil
	}
	return &fns[i-1]
}

// Frames implements Machine.
func (c *Code) Frames(addr uint64) ([]Frame, error) {
	f := c.fn(addr)
	if f == nil {
		return nil, fmt.Errorf("frames of %#x: not in the code pack", addr)
	}
	off := int(addr - f.Start)
	i := sort.Search(len(f.Lines)/2, func(i int) bool { return f.Lines[2*i] > off })
	if i == 0 || f.Lines[2*i-1] < 0 {
		return nil, fmt.Errorf("frames of %#x: no line", addr)
	}
	return c.chains[f.Lines[2*i-1]], nil
}

// Bytes implements Machine.
func (c *Code) Bytes(start, end uint64) ([]byte, error) {
	f := c.fn(start)
	if f == nil || end < start || end-f.Start > uint64(len(f.Code)) {
		return nil, fmt.Errorf("code %#x-%#x: not in the code pack", start, end)
	}
	return f.Code[start-f.Start : end-f.Start], nil
}

var (
	_ Machine = (*Binary)(nil)
	_ Machine = (*Code)(nil)
)
