package listings

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// WriteDisasm writes a Disasm as text: per function the heading of go tool pprof -disasm, then a
// row per instruction with flat, cum, address and text. Where the source line changes, a row with
// its text comes first, with the chain of inlined calls if any; a call shows what it called and the
// cost.
func WriteDisasm(w io.Writer, s layout.Style, d *documents.Disasm) error {
	t := &disasmWriter{newCostWriter(w, s, &d.Header)}
	for i := range d.Functions {
		t.function(&d.Functions[i])
	}
	return t.Result()
}

type disasmWriter struct{ *costWriter }

// disasmLead is the width of flat, cum and address with the blanks after them.
const disasmLead = 10 + 1 + 10 + 1 + 10 + 2

// arrow precedes what an instruction called; disasmCall is the least width for that.
const (
	arrow      = "  → "
	disasmCall = 14
)

func (t *disasmWriter) function(f *listing.DisasmFunction) {
	t.Line(t.s.Paint(layout.Bold, "ROUTINE ======================== "+layout.Clean(f.Name)))
	for _, name := range f.AKA {
		t.Line("    AKA ======================== ", layout.Clean(name))
	}
	t.Line(fmt.Sprintf("%10s %10s (flat, cum) %s of total", t.value(f.Flat), t.value(f.Cum),
		unit.Percent(f.Cum, t.h.Total)))
	t.Line("  code of ", layout.Clean(f.Binary))
	var at []listing.DisasmAt
	for i := range f.Insts {
		in := &f.Insts[i]
		if in.Gap && i > 0 {
			t.Line(layout.Spaces(disasmLead-3), t.s.Paint(layout.Dim, "⋮"))
		}
		if i == 0 || in.Gap || !slices.Equal(at, in.Frames) {
			at = in.Frames
			t.place(in)
		}
		room := t.s.Remaining(disasmLead, 20)
		code := layout.Cut(in.Text, room)
		var calls layout.Painted
		if len(in.Calls) > 0 {
			// On the same line as the instruction, as far as the width allows.
			code = layout.Cut(in.Text, max(room-layout.Columns(arrow)-disasmCall, 20))
			code = layout.Left(code, min(40, room-layout.Columns(arrow)-2*disasmCall))
			calls = t.s.Paint(layout.Dim, arrow+t.calls(in.Calls, max(room-layout.Columns(code)-layout.Columns(arrow), 10)))
		}
		costs := fmt.Sprintf("%10s %10s", t.dot(in.Flat), t.dot(in.Cum))
		t.Line(t.s.Paint(layout.Heat(unit.Share(in.Cum, t.h.Total)), costs), fmt.Sprintf(" %10x: ", in.Address), code, calls)
	}
}

// place writes a row with the source of the following instructions: outermost call first, the line
// itself last.
func (t *disasmWriter) place(in *listing.DisasmInst) {
	if len(in.Frames) == 0 {
		return
	}
	var b strings.Builder
	for i := len(in.Frames) - 1; i >= 0; i-- {
		fr := in.Frames[i]
		if i < len(in.Frames)-1 {
			fmt.Fprintf(&b, " ⤷ %s ", layout.ShortName(fr.Function))
		}
		fmt.Fprintf(&b, "%s:%d", layout.BaseName(fr.File), fr.Line)
	}
	row := "; " + layout.Clean(b.String())
	if in.Source != "" {
		row += "  " + layout.CleanSource(in.Source)
	}
	t.Line(layout.Spaces(disasmLead), t.s.Paint(layout.Cyan, layout.Cut(row, t.s.Remaining(disasmLead, 20))))
}

// calls lists what was called and the cost, in at most room columns. The cost of the first matters
// more than the names.
func (t *disasmWriter) calls(calls []listing.ListCall, room int) string {
	const most = 3
	parts := make([]string, 0, most+1)
	for i, c := range calls {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(calls)-i))
			break
		}
		parts = append(parts, layout.Clean(c.Function)+" "+t.value(c.Cum))
	}
	all := strings.Join(parts, ", ")
	if layout.Columns(all) <= room {
		return all
	}
	cost := " " + t.value(calls[0].Cum)
	if len(calls) > 1 {
		cost += ", …"
	}
	return layout.FitName(calls[0].Function, room-layout.Columns(cost)) + cost
}
