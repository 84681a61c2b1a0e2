package profiles

import (
	"cmp"
	"io"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/layout"
)

// WriteTop writes a Top as text.
func WriteTop(w io.Writer, s layout.Style, d documents.Top) error {
	t := layout.NewWriter(w)
	writeHeader(t, s, d.Header)
	if d.Own != nil {
		writeOwn(t, s, d.Header, d.Own)
	}
	if d.All != nil {
		writeAll(t, s, d.Header, d.All)
	}
	if d.Collector != nil && d.Collector.Share > 0 {
		t.Line()
		t.Line(s.Paint(layout.Dim, layout.Cut(CollectorText(*d.Collector), s.Remaining(0, 10))))
	}
	return t.Result()
}

func writeAll(t *layout.Writer, s layout.Style, h documents.Header, a *documents.All) {
	if a.Why != "" {
		t.Line(layout.Cut(a.Why, s.Remaining(0, 10)))
	}
	t.Line()
	if len(a.Nodes) == 0 {
		t.Line(layout.NothingToShow)
		return
	}
	value := column(&h, h.Total, each(a.Nodes, func(n *documents.Node) int64 { return cmp.Or(n.Flat, n.Cum) }))
	flatW := max(columnWidth("flat", value, each(a.Nodes, func(n *documents.Node) int64 { return n.Flat })),
		layout.Columns(value(a.Kept-a.Shown)))
	cumW := columnWidth("cum", value, each(a.Nodes, func(n *documents.Node) int64 { return n.Cum }))
	const shareW = 7
	head := "  " + layout.Right("flat", flatW) + layout.Right("flat%", shareW+1) + layout.Right("sum%", shareW+1) +
		"  " + layout.Right("cum", cumW) + layout.Right("cum%", shareW+1) + "  " + a.By
	t.Line(s.Paint(layout.Dim, head))
	nameW := s.Remaining(layout.Columns(head)-layout.Columns(a.By), 10)
	sum := int64(0)
	for _, n := range a.Nodes {
		sum += n.Flat
		lead := n.FlatPart
		if a.Cum {
			lead = n.CumPart
		}
		t.Line("  ", layout.Right(value(n.Flat), flatW),
			" ", s.Paint(heatIf(!a.Cum, lead), layout.Right(layout.PprofPercent(n.Flat, h.Total), shareW)),
			" ", layout.Right(layout.PprofPercent(sum, h.Total), shareW),
			"  ", layout.Right(value(n.Cum), cumW),
			" ", s.Paint(heatIf(a.Cum, lead), layout.Right(layout.PprofPercent(n.Cum, h.Total), shareW)),
			"  ", FitNode(n.Name, a.By, nameW))
	}
	if a.Hidden > 0 {
		t.Line(s.Paint(layout.Dim, "  "+layout.Right(value(a.Kept-a.Shown), flatW)+" "+
			layout.Right(layout.PprofPercent(a.Kept-a.Shown, h.Total), shareW)+
			" "+layout.Right(layout.PprofPercent(a.Kept, h.Total), shareW)+"  "+more(a.Hidden, "more "+a.By, "more "+nouns(a.By),
			s.Remaining(4+flatW+2*(shareW+1), 10))))
	}
}

func heatIf(on bool, share float64) layout.Color {
	if !on {
		return ""
	}
	return layout.Heat(share)
}

// nouns is the plural of a granularity's name.
func nouns(by string) string {
	switch by {
	case "address":
		return "addresses"
	}
	return by + "s"
}

// more says in at most room columns what was left out and how to see it.
func more(n int, one, many string, room int) string {
	return layout.Cut("in "+layout.Plural(n, one, many)+" "+layout.ShowAll, room)
}
