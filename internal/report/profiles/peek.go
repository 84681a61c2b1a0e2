package profiles

import (
	"io"
	"slices"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// WritePeek writes a Peek as text: each node with its callers above and its callees below, each
// with its part of the node's cumulative value.
func WritePeek(w io.Writer, s layout.Style, d documents.Peek) error {
	t := layout.NewWriter(w)
	writeHeader(t, s, d.Header)
	for i := range d.Nodes {
		writePeekNode(t, s, d, &d.Nodes[i])
	}
	layout.More(t, s, layout.Dim, d.Hidden, "more match", "more matches")
	return t.Result()
}

func writePeekNode(t *layout.Writer, s layout.Style, d documents.Peek, n *documents.PeekNode) {
	calls := slices.Concat(n.Callers, n.Callees)
	weights := layout.Each(calls, func(e *documents.PeekEdge) int64 { return e.Weight })
	value := column(&d.Header, n.Cum, weights)
	valueW := max(columnWidth("", value, weights), layout.Columns(value(n.Cum)), layout.Columns(value(n.Flat)), 6)
	lead := 2 + valueW + 1 + ownShareW + 2
	edges := func(list []documents.PeekEdge, first, last string) {
		for i, e := range list {
			art := "│ "
			if i == 0 && first != "" {
				art = first
			}
			if i == len(list)-1 && last != "" {
				art = last
			}
			suffix := ""
			if e.Inlined {
				suffix = " (inline)"
			}
			name := FitNode(e.Name, d.By, s.Remaining(lead+4+layout.Columns(suffix), 10))
			t.Line("  ", layout.Right(value(e.Weight), valueW), " ", layout.Right(unit.Percent(e.Weight, n.Cum), ownShareW),
				"  ",
				s.Paint(layout.Dim, "  "+art), name, s.Paint(layout.Dim, suffix))
		}
	}
	t.Line()
	edges(n.Callers, "┌ ", "")
	t.Line("  ", layout.Right(value(n.Cum), valueW), " ",
		s.Paint(layout.Heat(n.CumPart), layout.Right(unit.Percent(n.Cum, d.Header.Total), ownShareW)), "  ",
		s.Paint(layout.Bold, FitNode(n.Name, d.By, s.Remaining(lead, 10))))
	t.Line("  ", layout.Right(value(n.Flat), valueW), " ", layout.Right(unit.Percent(n.Flat, d.Header.Total), ownShareW),
		"  ", s.Paint(layout.Dim, "self"))
	edges(n.Callees, "", "└ ")
}
