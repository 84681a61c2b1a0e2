package listing

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/source/objfile"
)

// DisasmOptions configure Disasm.
type DisasmOptions struct {
	// Match selects functions by symbol or by their name in the profile. A number (0x4a2f30)
	// selects the function at that address.
	Match *regexp.Regexp
	// Code returns the machine code of a mapping (an index into Profile.Mappings, or -1 for samples
	// without one). It is called once for each mapping with a matching function.
	Code   func(mapping int) (code objfile.Machine, from string, err error)
	Source SourceFunc // nil: no source text
	Syntax objfile.Syntax
	// Context, when positive or zero, keeps only that many instructions around each one with cost.
	Context int
}

// machineCode is the machine code of one mapping.
type machineCode struct {
	objfile.Machine
	from string // for display
}

// A DisasmFunction is the code of one symbol. Flat and Cum are those of the function: a sample
// counts once even if the function is on its stack several times. (go tool pprof -disasm prints the
// sum of the instructions' cum, which counts recursion more than once.)
type DisasmFunction struct {
	Name   string       `json:"name"`
	AKA    []string     `json:"aka,omitempty"` // other symbols of the same code
	Binary string       `json:"binary"`
	Start  uint64       `json:"start"` // address in the file
	End    uint64       `json:"end"`
	Flat   int64        `json:"flat"`
	Cum    int64        `json:"cum"`
	Insts  []DisasmInst `json:"instructions"`
}

// A DisasmInst is one instruction. It includes samples at addresses inside it: the return address
// minus one of a call in progress is inside the call instruction.
type DisasmInst struct {
	Address uint64     `json:"address"` // in the file
	Text    string     `json:"text"`
	Flat    int64      `json:"flat"`
	Cum     int64      `json:"cum"`
	Gap     bool       `json:"gap,omitempty"`    // instructions before this one are left out
	Frames  []DisasmAt `json:"frames,omitempty"` // where it comes from, innermost (inlined) first
	Source  string     `json:"source,omitempty"` // the text of the line of Frames[0]
	Calls   []ListCall `json:"calls,omitempty"`  // what it called according to the stacks, heaviest first
}

// A DisasmAt is a position in the source.
type DisasmAt struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// Disasm annotates the machine code of the matching functions, heaviest first. The view must be
// bound by address and without inlined frames, as in go tool pprof -disasm. It returns ErrNoMatch
// if no function with cost matches, and Code's error if none of the matching functions has code.
func Disasm(v *profile.View, opt DisasmOptions) ([]DisasmFunction, error) {
	d := &disassembler{
		opt: opt, maps: nodes.NewObjects(v.Profile()), byMap: make(map[int][]profile.Weight),
		calls: make(map[uint64]map[string]*listCallee), texts: make(map[string]*listText),
	}
	if n, err := strconv.ParseUint(opt.Match.String(), 0, 64); err == nil {
		d.address = &n
	}
	d.gather(v)
	matched, firstErr := false, error(nil)
	for _, m := range d.mappings() {
		if !d.relevant(m) {
			continue
		}
		matched = true
		machine, from, err := opt.Code(m)
		if err == nil {
			err = d.mapping(v.Profile(), m, machineCode{machine, from})
		}
		if err != nil && firstErr == nil {
			firstErr = err
		}
	}
	switch {
	case len(d.functions) > 0:
	case firstErr != nil:
		return nil, firstErr
	case matched:
		return nil, fmt.Errorf("%w in the binary's symbols", ErrNoMatch)
	default:
		return nil, ErrNoMatch
	}
	d.cum(v)
	slices.SortStableFunc(d.functions, func(a, b DisasmFunction) int {
		return cmp.Or(cmp.Compare(abs(b.Flat), abs(a.Flat)), cmp.Compare(abs(b.Cum), abs(a.Cum)),
			strings.Compare(a.Name, b.Name))
	})
	return d.functions, nil
}

type disassembler struct {
	opt     DisasmOptions
	address *uint64 // in the process, if Match is an address
	maps    *nodes.Objects
	byMap   map[int][]profile.Weight // by index of the mapping, by address
	calls   map[uint64]map[string]*listCallee
	texts   map[string]*listText
	ranges  []codeRange

	functions []DisasmFunction
}

// A codeRange is the addresses of functions[function] in the process.
type codeRange struct {
	start, end uint64
	function   int
}

// gather sorts the view's nodes by mapping and address, and records what the matching ones called.
func (d *disassembler) gather(v *profile.View) {
	for _, n := range v.Nodes(false) {
		if n.Address == 0 {
			continue // it is unknown where it ran
		}
		m := d.maps.Index(n.Address)
		d.byMap[m] = append(d.byMap[m], n)
	}
	for _, ns := range d.byMap {
		slices.SortFunc(ns, func(a, b profile.Weight) int { return cmp.Compare(a.Address, b.Address) })
	}
	sample := 0
	for s := range v.Stacks() {
		sample++
		for i := 1; i < len(s.Nodes); i++ {
			n := v.Node(s.Nodes[i])
			if n.Address == 0 {
				continue
			}
			callee := v.Node(s.Nodes[i-1])
			if profile.IsInjected(callee.Name) {
				continue // the instruction did not call it
			}
			name := callee.Name
			if name == "" {
				name = nodes.FrameName(callee)
			}
			byName := d.calls[n.Address]
			if byName == nil {
				byName = make(map[string]*listCallee)
				d.calls[n.Address] = byName
			}
			c := byName[name]
			if c == nil {
				c = new(listCallee)
				byName[name] = c
			}
			if c.seen != sample {
				c.seen = sample
				c.cum += s.Value
			}
		}
	}
}

func (d *disassembler) mappings() []int {
	ms := make([]int, 0, len(d.byMap))
	for m := range d.byMap {
		ms = append(ms, m)
	}
	slices.Sort(ms)
	return ms
}

// relevant reports whether a matching function may be in mapping m.
func (d *disassembler) relevant(m int) bool {
	for _, n := range d.byMap[m] {
		if n.Name == "" || d.opt.Match.MatchString(n.Name) {
			return true
		}
	}
	return d.address != nil && d.maps.Index(*d.address) == m
}

// mapping adds the matching functions of mapping m.
func (d *disassembler) mapping(p *profile.Profile, m int, code machineCode) error {
	var base uint64
	if m >= 0 {
		var err error
		if base, err = code.Base(p.Mappings[m].Start, p.Mappings[m].Limit, p.Mappings[m].Offset); err != nil {
			return fmt.Errorf("place %s in the process: %w", code.from, err)
		}
	}
	fns, err := code.Functions()
	if err != nil {
		return err
	}
	nodes := d.byMap[m]
	seen := make(map[uint64]int) // start of a symbol: 1 + index in functions
	for _, fn := range fns {
		if fn.Size == 0 {
			continue
		}
		lo := sort.Search(len(nodes), func(i int) bool { return nodes[i].Address-base >= fn.Addr })
		hi := lo + sort.Search(len(nodes)-lo, func(i int) bool { return nodes[lo+i].Address-base >= fn.Addr+fn.Size })
		if lo == hi || !d.wanted(fn, nodes[lo:hi], base) {
			continue
		}
		if i := seen[fn.Addr]; i > 0 && d.functions[i-1].End == fn.Addr+fn.Size {
			d.functions[i-1].AKA = append(d.functions[i-1].AKA, fn.Name)
			continue
		}
		f, err := d.function(code, fn, nodes[lo:hi], base)
		if err != nil {
			return err
		}
		d.ranges = append(d.ranges, codeRange{f.Start + base, f.End + base, len(d.functions)})
		d.functions = append(d.functions, f)
		seen[fn.Addr] = len(d.functions)
	}
	return nil
}

// wanted reports whether a symbol with the given samples matches.
func (d *disassembler) wanted(fn objfile.Symbol, nodes []profile.Weight, base uint64) bool {
	if d.address != nil {
		return *d.address-base >= fn.Addr && *d.address-base < fn.Addr+fn.Size
	}
	if d.opt.Match.MatchString(fn.Name) {
		return true
	}
	for _, n := range nodes {
		if n.Name != "" && d.opt.Match.MatchString(n.Name) {
			return true
		}
	}
	return false
}

// function annotates the code of one symbol with its samples.
func (d *disassembler) function(
	code machineCode, fn objfile.Symbol, nodes []profile.Weight, base uint64,
) (DisasmFunction, error) {
	f := DisasmFunction{Name: fn.Name, Binary: code.from, Start: fn.Addr, End: fn.Addr + fn.Size}
	insts, err := objfile.DisasmRange(code.Machine, f.Start, f.End, d.opt.Syntax)
	if err != nil {
		return f, fmt.Errorf("disassemble %s in %s: %w", fn.Name, code.from, err)
	}
	all := make([]DisasmInst, len(insts))
	for i, in := range insts {
		x := &all[i]
		x.Address, x.Text = in.Addr, in.Text
		end := f.End
		if i+1 < len(insts) {
			end = insts[i+1].Addr
		}
		var calls []ListCall
		for ; len(nodes) > 0 && nodes[0].Address-base < end; nodes = nodes[1:] {
			n := &nodes[0]
			x.Flat += n.Flat
			x.Cum += n.Cum
			// Nodes of one address differ by source line; the calls belong to the address.
			for name, c := range d.calls[n.Address] {
				calls = append(calls, ListCall{Function: name, Cum: c.cum})
			}
			delete(d.calls, n.Address)
			if len(in.Inline) == 0 && len(x.Frames) == 0 && n.Name != "" {
				x.Frames = []DisasmAt{{n.Name, n.File, n.Line}}
			}
		}
		x.Calls = sumCalls(calls)
		f.Flat += x.Flat
		for _, fr := range in.Inline {
			x.Frames = append(x.Frames, DisasmAt{fr.Func, fr.File, fr.Line})
		}
		if len(x.Frames) > 0 {
			x.Source = strings.TrimSpace(d.text(x.Frames[0].File).line(x.Frames[0].Line))
		}
	}
	f.Insts = d.near(all)
	return f, nil
}

// cum fills in the Cum of functions, which are in the order of ranges.
func (d *disassembler) cum(v *profile.View) {
	within := make([][]int, v.NumNodes()) // the functions that contain the node; mostly one
	for id := range within {
		addr := v.Node(uint32(id)).Address
		for _, c := range d.ranges {
			if addr >= c.start && addr < c.end {
				within[id] = append(within[id], c.function)
			}
		}
	}
	seen := make([]int, len(d.functions))
	sample := 0
	for s := range v.Stacks() {
		sample++
		for _, id := range s.Nodes {
			for _, f := range within[id] {
				if seen[f] != sample {
					seen[f] = sample
					d.functions[f].Cum += s.Value
				}
			}
		}
	}
}

// sumCalls adds up calls of the same function, heaviest first.
func sumCalls(calls []ListCall) []ListCall {
	slices.SortFunc(calls, func(a, b ListCall) int { return strings.Compare(a.Function, b.Function) })
	out := calls[:0]
	for _, c := range calls {
		if n := len(out); n > 0 && out[n-1].Function == c.Function {
			out[n-1].Cum += c.Cum
			continue
		}
		out = append(out, c)
	}
	out = slices.DeleteFunc(out, func(c ListCall) bool { return c.Cum == 0 })
	slices.SortStableFunc(out, func(a, b ListCall) int { return cmp.Compare(abs(b.Cum), abs(a.Cum)) })
	return out
}

// near keeps the instructions within Context of one with cost.
func (d *disassembler) near(all []DisasmInst) []DisasmInst {
	if d.opt.Context < 0 {
		return all
	}
	var out []DisasmInst
	kept := -1 // last instruction kept, by index in all
	hot := -1  // last instruction seen with cost
	next := 0  // first instruction with cost at or after i
	for i := range all {
		if all[i].Cum != 0 || all[i].Flat != 0 {
			hot = i
		}
		for next = max(next, i); next < len(all) && all[next].Cum == 0 && all[next].Flat == 0; {
			next++
		}
		if (hot < 0 || i-hot > d.opt.Context) && (next == len(all) || next-i > d.opt.Context) {
			continue
		}
		in := all[i]
		in.Gap = kept != i-1
		kept = i
		out = append(out, in)
	}
	return out
}

func (d *disassembler) text(file string) *listText {
	t := d.texts[file]
	if t == nil {
		t = ReadLines(d.opt.Source, file)
		d.texts[file] = t
	}
	return t
}
