package profiles

import (
	"io"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// WriteTraces writes Traces as text.
func WriteTraces(w io.Writer, s layout.Style, d documents.Traces) error {
	t := layout.NewWriter(w)
	writeHeader(t, s, d.Header)
	if len(d.Stacks) == 0 {
		t.Line()
		t.Line(layout.NothingToShow)
	}
	values := layout.Each(d.Stacks, func(t *documents.Trace) int64 { return t.Value })
	value := column(&d.Header, d.Header.Total, values)
	valueW := max(columnWidth("", value, values), 6)
	lead := ownShareW + 2 + valueW + 2
	for _, st := range d.Stacks {
		t.Line()
		front := layout.Join(s.Paint(layout.Heat(st.Share), layout.Right(unit.Percent(st.Value, d.Header.Total), ownShareW)),
			"  ", layout.Right(value(st.Value), valueW), "  ")
		for _, l := range st.Labels {
			t.Line(front, s.Paint(layout.Cyan, layout.Cut(layout.Clean(l.Key+": "+l.Value), s.Remaining(lead, 10))))
			front = layout.Join(layout.Spaces(lead))
		}
		for _, f := range st.Frames {
			suffix := ""
			if f.Inlined {
				suffix = " (inline)"
			}
			t.Line(front, FitNode(f.Name, d.By, s.Remaining(lead+layout.Columns(suffix), 10)), s.Paint(layout.Dim, suffix))
			front = layout.Join(layout.Spaces(lead))
		}
	}
	if d.Hidden > 0 {
		t.Line()
		t.Line(s.Paint(layout.Dim, layout.Right(unit.Percent(d.Left, d.Header.Total), ownShareW)+"  "+
			layout.Right(value(d.Left), valueW)+
			"  "+layout.Cut(more(d.Hidden, "more stack", "more stacks"), s.Remaining(lead, 10))))
	}
	return t.Result()
}
