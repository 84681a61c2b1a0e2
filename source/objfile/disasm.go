package objfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"sort"

	"golang.org/x/arch/arm/armasm"
	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/loong64/loong64asm"
	"golang.org/x/arch/ppc64/ppc64asm"
	"golang.org/x/arch/riscv64/riscv64asm"
	"golang.org/x/arch/s390x/s390xasm"
	"golang.org/x/arch/x86/x86asm"
)

// A Syntax is an assembly syntax.
type Syntax uint8

// Syntaxes.
const (
	GoSyntax    Syntax = iota // the Go assembler's, as printed by go tool objdump
	GNUSyntax                 // the GNU assembler's
	IntelSyntax               // that of Intel's manuals, for 386 and amd64 only
)

// An Inst is one decoded instruction.
type Inst struct {
	Addr  uint64 `json:"addr"`
	Size  int    `json:"size"`           // in bytes
	Bytes []byte `json:"bytes"`          // the code itself
	Text  string `json:"text"`           // "?" if it cannot be decoded
	File  string `json:"file,omitempty"` // of the innermost call
	Line  int    `json:"line,omitzero"`  // in File
	// the calls that it belongs to, innermost first; the last is the function itself
	Inline []Frame `json:"inline,omitempty"`
}

// A FuncCode is the code of one function.
type FuncCode struct {
	Symbol
	File  string // of its first instruction
	Insts []Inst
}

// Disasm decodes the functions of m whose names match re, in the order of their addresses.
func Disasm(m Machine, re *regexp.Regexp, syntax Syntax) ([]FuncCode, error) {
	fns, err := m.Functions()
	if err != nil {
		return nil, err
	}
	var out []FuncCode
	for _, f := range fns {
		if f.Size == 0 || !re.MatchString(f.Name) {
			continue
		}
		insts, err := DisasmRange(m, f.Addr, f.Addr+f.Size, syntax)
		if err != nil {
			return nil, fmt.Errorf("disassemble %s: %w", f.Name, err)
		}
		fc := FuncCode{Symbol: f, Insts: insts}
		if len(insts) > 0 {
			fc.File = insts[0].File
		}
		out = append(out, fc)
	}
	return out, nil
}

// DisasmRange decodes the instructions in [start, end). An instruction must begin at start. Bytes
// that cannot be decoded have the Text "?".
func DisasmRange(m Machine, start, end uint64, syntax Syntax) ([]Inst, error) {
	code, err := m.Bytes(start, end)
	if err != nil {
		return nil, err
	}
	d, err := newDecoder(m, syntax)
	if err != nil {
		return nil, err
	}
	insts := make([]Inst, 0, len(code)/4)
	for off := 0; off < len(code); {
		in := d.inst(code[off:], start+uint64(off))
		// Lines may be missing (assembly in C libraries); the instruction is shown anyway.
		in.Inline, _ = m.Frames(in.Addr)
		if len(in.Inline) > 0 {
			in.File, in.Line = in.Inline[0].File, in.Inline[0].Line
		}
		insts = append(insts, in)
		off += in.Size
	}
	return insts, nil
}

// DisasmWindow is like DisasmRange, for a range that need not begin at an instruction or lie within
// the code. It decodes functions that overlap the range from their start, and bytes between
// functions from the first one, and returns the instructions that begin in [start, end).
func DisasmWindow(m Machine, start, end uint64, syntax Syntax) ([]Inst, error) {
	fns, err := m.Functions()
	if err != nil {
		return nil, err
	}
	if _, err := newDecoder(m, syntax); err != nil {
		return nil, err
	}
	var out []Inst
	for at := start; at < end; {
		from, to := at, end
		if s, ok := m.Symbol(at); ok && s.Text {
			from, to = s.Addr, s.Addr+s.Size
		} else if i := sort.Search(len(fns), func(i int) bool { return fns[i].Addr > at }); i < len(fns) {
			to = min(end, fns[i].Addr)
		}
		if insts, err := DisasmRange(m, from, to, syntax); err == nil {
			for _, in := range insts {
				if in.Addr >= at && in.Addr < end {
					out = append(out, in)
				}
			}
		}
		at = max(to, at+1)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("disassemble %#x-%#x: no code there", start, end)
	}
	return out, nil
}

// A decoder turns bytes into instructions of one architecture.
type decoder struct {
	arch   arch
	order  binary.ByteOrder
	syntax Syntax
	lookup func(addr uint64) (name string, base uint64)
}

// An arch decodes the instruction at the start of code. It returns size 0 if there is none.
type arch struct {
	decode func(d *decoder, code []byte, pc uint64) (text string, size int)
	unit   int // number of bytes skipped when decoding fails
	order  binary.ByteOrder
}

func archOf(name string) (arch, bool) {
	switch name {
	case "386":
		return arch{
			func(d *decoder, code []byte, pc uint64) (string, int) { return d.x86(code, pc, 32) }, 1,
			binary.LittleEndian,
		}, true
	case "amd64":
		return arch{
			func(d *decoder, code []byte, pc uint64) (string, int) { return d.x86(code, pc, 64) }, 1,
			binary.LittleEndian,
		}, true
	case "arm":
		return arch{(*decoder).arm, 4, binary.LittleEndian}, true
	case "arm64":
		return arch{(*decoder).arm64, 4, binary.LittleEndian}, true
	case "loong64":
		return arch{(*decoder).loong64, 4, binary.LittleEndian}, true
	case "ppc64":
		return arch{(*decoder).ppc64, 4, binary.BigEndian}, true
	case "ppc64le":
		return arch{(*decoder).ppc64, 4, binary.LittleEndian}, true
	case "riscv64":
		return arch{(*decoder).riscv64, 2, binary.LittleEndian}, true
	case "s390x":
		return arch{(*decoder).s390x, 2, binary.BigEndian}, true
	}
	return arch{}, false
}

func newDecoder(m Machine, syntax Syntax) (*decoder, error) {
	a, ok := archOf(m.Arch())
	if !ok {
		return nil, fmt.Errorf("no disassembler for architecture %q (want 386, amd64, arm, arm64, loong64, ppc64, "+
			"ppc64le, riscv64 or s390x)", m.Arch())
	}
	if syntax == IntelSyntax && m.Arch() != "386" && m.Arch() != "amd64" {
		return nil, fmt.Errorf("intel syntax is for 386 and amd64 only, not for %s", m.Arch())
	}
	lookup := func(addr uint64) (string, uint64) {
		if s, ok := m.Symbol(addr); ok {
			return s.Name, s.Addr
		}
		return "", 0
	}
	return &decoder{arch: a, order: a.order, syntax: syntax, lookup: lookup}, nil
}

// inst decodes one instruction. The disassemblers are generated from tables and may panic on
// unexpected bytes.
func (d *decoder) inst(code []byte, pc uint64) (in Inst) {
	bad := Inst{Addr: pc, Text: "?", Size: min(d.arch.unit, len(code))}
	bad.Bytes = code[:bad.Size:bad.Size]
	defer func() {
		if recover() != nil {
			in = bad
		}
	}()
	text, size := d.arch.decode(d, code, pc)
	if size <= 0 || size > len(code) {
		return bad
	}
	return Inst{Addr: pc, Text: text, Size: size, Bytes: code[:size:size]}
}

func (d *decoder) x86(code []byte, pc uint64, mode int) (string, int) {
	in, err := x86asm.Decode(code, mode)
	if err != nil || in.Op == 0 {
		return "", 0
	}
	if in.Op == x86asm.VZEROUPPER || in.Op == x86asm.VZEROALL {
		// x86asm of x/arch v0.32.0 reads an operand byte that these instructions do not have, and
		// so swallows the start of the next instruction.
		in.Len = 3
		if code[0] == 0xc4 {
			in.Len = 4
		}
	}
	switch d.syntax {
	case GNUSyntax:
		return x86asm.GNUSyntax(in, pc, d.lookup), in.Len
	case IntelSyntax:
		return x86asm.IntelSyntax(in, pc, d.lookup), in.Len
	case GoSyntax:
	}
	return x86asm.GoSyntax(in, pc, d.lookup), in.Len
}

func (d *decoder) arm(code []byte, pc uint64) (string, int) {
	in, err := armasm.Decode(code, armasm.ModeARM)
	if err != nil || in.Op == 0 {
		return "", 0
	}
	if d.syntax == GNUSyntax {
		return armasm.GNUSyntax(in), in.Len
	}
	return armasm.GoSyntax(in, pc, d.lookup, literals{code, pc}), in.Len
}

func (d *decoder) arm64(code []byte, pc uint64) (string, int) {
	in, err := arm64asm.Decode(code)
	if err != nil || in.Op == 0 {
		return "", 0
	}
	if d.syntax == GNUSyntax {
		return arm64asm.GNUSyntax(in), 4
	}
	return arm64asm.GoSyntax(in, pc, d.lookup, literals{code, pc}), 4
}

func (d *decoder) loong64(code []byte, pc uint64) (string, int) {
	in, err := loong64asm.Decode(code)
	if err != nil || in.Op == 0 {
		return "", 0
	}
	if d.syntax == GNUSyntax {
		return loong64asm.GNUSyntax(in), 4
	}
	return loong64asm.GoSyntax(in, pc, d.lookup), 4
}

func (d *decoder) ppc64(code []byte, pc uint64) (string, int) {
	in, err := ppc64asm.Decode(code, d.order)
	if err != nil || in.Len == 0 {
		return "", 0
	}
	if d.syntax == GNUSyntax {
		return ppc64asm.GNUSyntax(in, pc), in.Len
	}
	return ppc64asm.GoSyntax(in, pc, d.lookup), in.Len
}

func (d *decoder) riscv64(code []byte, pc uint64) (string, int) {
	in, err := riscv64asm.Decode(code)
	if err != nil || in.Op == 0 {
		return "", 0
	}
	if d.syntax == GNUSyntax {
		return riscv64asm.GNUSyntax(in), in.Len
	}
	return riscv64asm.GoSyntax(in, pc, d.lookup, literals{code, pc}), in.Len
}

func (d *decoder) s390x(code []byte, pc uint64) (string, int) {
	in, err := s390xasm.Decode(code)
	if err != nil || in.Op == 0 {
		return "", 0
	}
	if d.syntax == GNUSyntax {
		return s390xasm.GNUSyntax(in, pc), in.Len
	}
	return s390xasm.GoSyntax(in, pc, d.lookup), in.Len
}

// literals lets a disassembler read constants after the code, at their addresses.
type literals struct {
	code []byte
	pc   uint64
}

// ReadAt implements io.ReaderAt; off is an address.
func (l literals) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || uint64(off) < l.pc || uint64(off)-l.pc >= uint64(len(l.code)) {
		return 0, io.EOF
	}
	n := copy(p, l.code[uint64(off)-l.pc:])
	if n < len(p) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}
