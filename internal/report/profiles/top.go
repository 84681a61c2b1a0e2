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
	value := column(&h, h.Total, layout.Each(a.Nodes, func(n *documents.Node) int64 { return cmp.Or(n.Flat, n.Cum) }))
	share := func(v int64) string { return layout.PprofPercent(v, h.Total) }
	table := layout.Table{
		Head: []string{"flat", "flat%", "sum%", "cum", "cum%", a.By}, Align: "rrrrrl", Gaps: []int{0, 1, 1, 2, 1, 2},
		Min: []int{0, ownShareW, ownShareW, 0, ownShareW}, Indent: 2, HeadColor: layout.Dim, Wide: 5, Least: 10,
		Fit: func(row, n int) string { return FitNode(a.Nodes[row].Name, a.By, n) },
		Color: func(row, column int) layout.Color {
			switch {
			case column == 1 && !a.Cum:
				return layout.Heat(a.Nodes[row].FlatPart)
			case column == 4 && a.Cum:
				return layout.Heat(a.Nodes[row].CumPart)
			default:
				return ""
			}
		},
	}
	sum := int64(0)
	for _, n := range a.Nodes {
		sum += n.Flat
		row := []string{value(n.Flat), share(n.Flat), share(sum), value(n.Cum), share(n.Cum), n.Name}
		table.Rows = append(table.Rows, row)
	}
	if rest := a.Kept - a.Shown; a.Hidden > 0 {
		table.Foot = []string{value(rest), share(rest), share(a.Kept), more(a.Hidden, "more "+a.By, "more "+Nouns(a.By))}
	}
	table.Write(t, s)
}

// Nouns is the plural of a granularity's name.
func Nouns(by string) string {
	switch by {
	case "address":
		return "addresses"
	case "label":
		return "values"
	}
	return by + "s"
}

// more says what was left out and how to see it.
func more(n int, one, many string) string {
	return "in " + layout.Plural(n, one, many) + " " + layout.ShowAll
}
