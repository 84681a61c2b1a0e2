package profiles

import (
	"cmp"
	"io"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// TopSchema is the schema of Top.
const TopSchema = "whet.top/2"

// Top is the document of whet top: own lines, or with All all nodes.
type Top struct {
	Schema string          `json:"schema"`
	Header Header          `json:"profile"`
	Own    *owncode.Result `json:"own,omitempty"`
	All    *All            `json:"all,omitempty"`
	// Collector is the garbage collector's share of all samples, before filters; nil if they do not
	// count CPU time.
	Collector *Collector    `json:"collector,omitempty"`
	Warnings  diag.Warnings `json:"warnings,omitempty"`
}

// All is the classic view: nodes by flat or cumulative value.
type All struct {
	By     string `json:"by"`
	Cum    bool   `json:"cum"` // ranked by cumulative value
	Nodes  []Node `json:"nodes"`
	Hidden int    `json:"hidden"`        // lighter nodes left out
	Shown  int64  `json:"shown"`         // flat value of Nodes
	Kept   int64  `json:"kept"`          // flat value of all nodes that the filters keep
	Why    string `json:"why,omitempty"` // why this view is shown
}

// A Node is a node of a view with its values.
type Node struct {
	Name     string  `json:"name"` // as go tool pprof writes it
	Function string  `json:"function,omitempty"`
	File     string  `json:"file,omitempty"`
	Line     int     `json:"line,omitempty"`
	Address  uint64  `json:"address,omitempty"`
	Flat     int64   `json:"flat"`
	Cum      int64   `json:"cum"`
	FlatPart float64 `json:"flat_share"` // of Header.Total, 0 to 1
	CumPart  float64 `json:"cum_share"`

	From profile.Node `json:"-"`
}

// NewTop returns the classic document of the n heaviest nodes (0: all) of a view. why, if not
// empty, is one line that explains why it is shown.
func NewTop(h Header, v *profile.View, n int, cum bool, why string) Top {
	by := v.Query().By
	all := &All{By: by.String(), Cum: cum, Nodes: []Node{}, Why: why}
	for i, w := range v.Nodes(cum) {
		all.Kept += w.Flat
		if n > 0 && i >= n {
			all.Hidden++
			continue
		}
		all.Shown += w.Flat
		all.Nodes = append(all.Nodes, NewNode(w, by, h.Total))
	}
	return Top{Schema: TopSchema, Header: h, All: all}
}

// NewNode converts a weight of a view with the given granularity.
func NewNode(w profile.Weight, by profile.By, total int64) Node {
	n := Node{
		Name: nodes.Name(w.Node, by), File: w.File, Line: w.Line, Address: w.Address,
		Flat: w.Flat, Cum: w.Cum, FlatPart: unit.Share(w.Flat, total), CumPart: unit.Share(w.Cum, total),
		From: w.Node,
	}
	if by == profile.ByFunction || by == profile.ByLine || by == profile.ByAddress {
		n.Function = w.Name
	}
	return n
}

// WriteTop writes a Top as text.
func WriteTop(w io.Writer, s layout.Style, d Top) error {
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

func writeAll(t *layout.Writer, s layout.Style, h Header, a *All) {
	if a.Why != "" {
		t.Line(layout.Cut(a.Why, s.Remaining(0, 10)))
	}
	t.Line()
	if len(a.Nodes) == 0 {
		t.Line(layout.NothingToShow)
		return
	}
	value := h.Column(h.Total, each(a.Nodes, func(n *Node) int64 { return cmp.Or(n.Flat, n.Cum) }))
	flatW := max(columnWidth("flat", value, each(a.Nodes, func(n *Node) int64 { return n.Flat })),
		layout.Columns(value(a.Kept-a.Shown)))
	cumW := columnWidth("cum", value, each(a.Nodes, func(n *Node) int64 { return n.Cum }))
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
	return layout.Cut("in "+layout.Plural(n, one, many)+" (-n 0 shows all)", room)
}
