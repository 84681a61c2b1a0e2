package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/whet-go/whet/unit"
)

// WriteDisasm writes a Disasm for people: per function the heading of go tool
// pprof -disasm, then one row per instruction with flat, cum, address and text.
// Where the source line changes, a row with its text comes first, with the chain
// of inlined calls when there is one; a call shows what was called and what it
// cost.
func WriteDisasm(w io.Writer, s Style, d *Disasm) error {
	t := &disasmWriter{text: text{w: w}, s: s, h: &d.Header}
	t.line("Total: ", t.value(d.Header.Total), " ", Clean(d.Header.SampleType.Type))
	for i := range d.Functions {
		t.function(&d.Functions[i])
	}
	return t.result()
}

type disasmWriter struct {
	text
	s Style
	h *Header
}

// disasmLead is the width of flat, cum and address with the blanks after them.
const disasmLead = 10 + 1 + 10 + 1 + 10 + 2

// arrow leads to what an instruction called; disasmCall is the room that it gets at
// least.
const (
	arrow      = "  → "
	disasmCall = 14
)

func (t *disasmWriter) value(v int64) string { return t.h.write(v) }

func (t *disasmWriter) dot(v int64) string {
	if v == 0 {
		return "."
	}
	return t.value(v)
}

func (t *disasmWriter) function(f *DisasmFunction) {
	t.line(t.s.paint(bold, "ROUTINE ======================== "+Clean(f.Name)))
	for _, name := range f.AKA {
		t.line("    AKA ======================== ", Clean(name))
	}
	t.line(fmt.Sprintf("%10s %10s (flat, cum) %s of total", t.value(f.Flat), t.value(f.Cum), unit.Percent(f.Cum, t.h.Total)))
	t.line("  code of ", Clean(f.Binary))
	var at []DisasmAt
	for i := range f.Insts {
		in := &f.Insts[i]
		if in.Gap && i > 0 {
			t.line(blanks(disasmLead-3), t.s.paint(dim, "⋮"))
		}
		if i == 0 || in.Gap || !slices.Equal(at, in.Frames) {
			at = in.Frames
			t.place(in)
		}
		room := t.s.room(disasmLead, 20)
		code := cut(in.Text, room)
		var calls painted
		if len(in.Calls) > 0 {
			// Beside the instruction, as far as a narrow terminal allows.
			code = cut(in.Text, max(room-columns(arrow)-disasmCall, 20))
			code = left(code, min(40, room-columns(arrow)-2*disasmCall))
			calls = t.s.paint(dim, arrow+t.calls(in.Calls, max(room-columns(code)-columns(arrow), 10)))
		}
		costs := fmt.Sprintf("%10s %10s", t.dot(in.Flat), t.dot(in.Cum))
		t.line(t.s.paint(heat(unit.Share(in.Cum, t.h.Total)), costs), fmt.Sprintf(" %10x: ", in.Address), code, calls)
	}
}

// place writes the row that says where the following instructions come from:
// outermost first, as the calls go; the last is the line itself.
func (t *disasmWriter) place(in *DisasmInst) {
	if len(in.Frames) == 0 {
		return
	}
	var b strings.Builder
	for i := len(in.Frames) - 1; i >= 0; i-- {
		fr := in.Frames[i]
		if i < len(in.Frames)-1 {
			fmt.Fprintf(&b, " ⤷ %s ", ShortName(fr.Function))
		}
		fmt.Fprintf(&b, "%s:%d", baseName(fr.File), fr.Line)
	}
	row := "; " + Clean(b.String())
	if in.Source != "" {
		row += "  " + cleanSource(in.Source)
	}
	t.line(blanks(disasmLead), t.s.paint(cyan, cut(row, t.s.room(disasmLead, 20))))
}

// calls names what was called and what it cost in at most room columns. The cost of
// the first says more than the names.
func (t *disasmWriter) calls(calls []ListCall, room int) string {
	const most = 3
	parts := make([]string, 0, most+1)
	for i, c := range calls {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(calls)-i))
			break
		}
		parts = append(parts, Clean(c.Function)+" "+t.value(c.Cum))
	}
	all := strings.Join(parts, ", ")
	if columns(all) <= room {
		return all
	}
	cost := " " + t.value(calls[0].Cum)
	if len(calls) > 1 {
		cost += ", …"
	}
	return FitName(calls[0].Function, room-columns(cost)) + cost
}
