package pgo

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/whet-go/whet/source/objfile"
)

// callCode describes the calls in the machine code of Go programs: their source positions, and
// whether they were inlined. Positions have the form that the compiler uses in profiles, function
// and line within it, so that a program's code and any profile can be compared. It is read-only.
type callCode struct {
	functions map[string]bool // functions with code, on their own or inlined
	sites     map[site]*calls
	frames    map[string]int64    // bytes of a function's stack frame, where known
	tails     map[string][]string // functions that others jump to instead of returning
}

// A site is a line of a function, relative to its first.
type site struct {
	function string
	offset   int
}

// calls are the calls at a site.
type calls struct {
	file     string
	line     int
	callees  map[string]way
	indirect bool // calls of interface methods or function values
}

// A way is how a function is called at a site, which may differ between copies.
type way uint8

const (
	called way = 1 << iota
	inlined
)

// readCalls reads the calls in the code of a program.
func readCalls(m objfile.Machine) (*callCode, error) {
	fns, err := m.Functions()
	if err != nil {
		return nil, fmt.Errorf("read calls: %w", err)
	}
	c := &callCode{
		functions: map[string]bool{}, sites: map[site]*calls{}, frames: map[string]int64{}, tails: map[string][]string{},
	}
	frame := framePattern(m.Arch())
	for _, f := range fns {
		if f.Size == 0 {
			continue
		}
		insts, err := objfile.DisasmRange(m, f.Addr, f.Addr+f.Size, objfile.GoSyntax)
		if err != nil {
			return nil, fmt.Errorf("read calls of %s: %w", f.Name, err)
		}
		c.add(f, insts, frame)
	}
	if len(c.sites) == 0 {
		return nil, errors.New("read calls: no Go functions with line numbers")
	}
	return c, nil
}

// merge adds the calls of another program.
func (c *callCode) merge(o *callCode) {
	for f := range o.functions {
		c.functions[f] = true
	}
	for f, n := range o.frames {
		c.frames[f] = max(c.frames[f], n)
	}
	for f, to := range o.tails {
		c.tails[f] = append(c.tails[f], to...)
	}
	for at, theirs := range o.sites {
		ours := c.sites[at]
		if ours == nil {
			c.sites[at] = theirs
			continue
		}
		ours.indirect = ours.indirect || theirs.indirect
		for callee, how := range theirs.callees {
			ours.call(callee, how)
		}
	}
}

// framePattern matches the instruction that allocates a stack frame; nil if it is unknown for the
// architecture.
func framePattern(arch string) *regexp.Regexp {
	switch arch {
	case "amd64":
		return regexp.MustCompile(`^(?:SUBQ \$|ADDQ \$-)(0x[0-9a-f]+), SP$`)
	case "arm64":
		// R20 holds the new stack pointer of a large frame. R17 is compared with the stack limit.
		return regexp.MustCompile(`^(?:MOVD\.W R30, -(\d+)\(RSP\)|SUB \$(\d+), RSP, (?:RSP|R20))$`)
	}
	return nil
}

// prologue is the number of instructions in which the frame is allocated.
const prologue = 16

func (c *callCode) add(f objfile.Symbol, insts []objfile.Inst, frame *regexp.Regexp) {
	name := symbolName(f.Name)
	for i, in := range insts {
		chain := in.Inline
		if len(chain) == 0 || chain[0].Line == 0 {
			continue
		}
		if i < prologue && frame != nil && c.frames[name] == 0 {
			if m := frame.FindStringSubmatch(in.Text); m != nil {
				c.frames[name], _ = strconv.ParseInt(strings.Join(m[1:], ""), 0, 64)
			}
		}
		for k := range chain {
			at := c.at(chain[k])
			if k > 0 {
				at.call(chain[k-1].Func, inlined)
			}
		}
		if target, jump, ok := target(in.Text); ok {
			at := c.at(chain[0])
			switch {
			case jump && target != "" && target != name:
				c.tails[name] = append(c.tails[name], target)
			case jump:
			case target == "":
				at.indirect = true
			default:
				at.call(target, called)
			}
		}
	}
}

// at returns the calls of a frame's line.
func (c *callCode) at(f objfile.Frame) *calls {
	c.functions[f.Func] = true
	key := site{f.Func, f.Line - f.StartLine}
	s := c.sites[key]
	if s == nil {
		s = &calls{file: f.File, line: f.Line}
		c.sites[key] = s
	}
	return s
}

func (s *calls) call(callee string, how way) {
	if s.callees == nil {
		s.callees = map[string]way{}
	}
	s.callees[callee] |= how
}

// target returns what an instruction in Go assembler syntax calls or jumps to, or "" if that is
// only known at run time. Jumps within a function go to addresses.
func target(text string) (name string, jump, ok bool) {
	op, operand, _ := strings.Cut(text, " ")
	switch op {
	case "CALL", "BL", "JAL", "JALR":
	case "JMP", "B":
		jump = true
	default:
		return "", false, false
	}
	name, direct := strings.CutSuffix(operand, "(SB)")
	if !direct {
		return "", jump, true
	}
	name, _, _ = strings.Cut(name, "+") // into a function, such as a part of duffzero
	return symbolName(name), jump, true
}

// symbolName returns a symbol as in profiles: without the calling convention that the linker
// appends.
func symbolName(s string) string {
	return strings.TrimSuffix(strings.TrimSuffix(s, ".abi0"), ".abiinternal")
}
