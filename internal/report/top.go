package report

import (
	"io"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// TopSchema is the schema of Top.
const TopSchema = "whet.top/1"

// Top is what whet top shows: own lines, or with All all nodes.
type Top struct {
	Schema string `json:"schema"`
	Header Header `json:"profile"`
	Own    *Own   `json:"own,omitempty"`
	All    *All   `json:"all,omitempty"`
	// Collector is the garbage collector's share of all samples, whatever the filters keep; nil when
	// they are not of CPU time.
	Collector *Collector `json:"collector,omitempty"`
}

// All is the classic view: nodes by flat or cumulative value.
type All struct {
	By     string `json:"by"`
	Cum    bool   `json:"cum"` // ranked by cumulative value
	Nodes  []Node `json:"nodes"`
	Hidden int    `json:"hidden"` // lighter nodes that were left out
	Shown  int64  `json:"shown"`  // flat value of Nodes
	Kept   int64  `json:"kept"`   // flat value of all nodes: what the filters keep
	by     profile.By
	why    string
}

// A Node is a node of a view with what the profile charges to it.
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

	node profile.Node
}

// NewTop makes the classic document of the n heaviest nodes (0: all) of a view.
// why, if not empty, is one line that says why it is shown.
func NewTop(h Header, v *profile.View, n int, cum bool, why string) Top {
	by := v.Query().By
	all := &All{By: by.String(), Cum: cum, Nodes: []Node{}, by: by, why: why}
	for i, w := range v.Nodes(cum) {
		all.Kept += w.Flat
		if n > 0 && i >= n {
			all.Hidden++
			continue
		}
		all.Shown += w.Flat
		all.Nodes = append(all.Nodes, newNode(w, by, h.Total))
	}
	return Top{Schema: TopSchema, Header: h, All: all}
}

func newNode(w profile.Weight, by profile.By, total int64) Node {
	n := Node{
		Name: NodeName(w.Node, by), File: w.File, Line: w.Line, Address: w.Address,
		Flat: w.Flat, Cum: w.Cum, FlatPart: unit.Share(w.Flat, total), CumPart: unit.Share(w.Cum, total),
		node: w.Node,
	}
	if by == profile.ByFunction || by == profile.ByLine || by == profile.ByAddress {
		n.Function = w.Name
	}
	return n
}

// WriteTop writes a Top for people.
func WriteTop(w io.Writer, s Style, d Top) error {
	t := &text{w: w}
	writeHeader(t, s, d.Header)
	if d.Own != nil {
		writeOwn(t, s, d.Header, d.Own)
	}
	if d.All != nil {
		writeAll(t, s, d.Header, d.All)
	}
	if d.Collector != nil && d.Collector.Share > 0 {
		t.line()
		t.line(s.paint(dim, cut(collectorText(*d.Collector), s.room(0, 10))))
	}
	return t.result()
}

func writeAll(t *text, s Style, h Header, a *All) {
	if a.why != "" {
		t.line(cut(a.why, s.room(0, 10)))
	}
	t.line()
	if len(a.Nodes) == 0 {
		t.line(nothing)
		return
	}
	common := h.scale(h.Total, func(yield func(int64) bool) {
		for _, n := range a.Nodes {
			if n.Flat != 0 && !yield(n.Flat) || n.Flat == 0 && !yield(n.Cum) {
				return
			}
		}
	})
	value := func(v int64) string { return columnValue(v, h.SampleType.Unit, common) }
	flatW, cumW := max(columns("flat"), columns(value(a.Kept-a.Shown))), columns("cum")
	for _, n := range a.Nodes {
		flatW, cumW = max(flatW, columns(value(n.Flat))), max(cumW, columns(value(n.Cum)))
	}
	const shareW = 7
	head := "  " + right("flat", flatW) + right("flat%", shareW+1) + right("sum%", shareW+1) +
		"  " + right("cum", cumW) + right("cum%", shareW+1) + "  " + a.By
	t.line(s.paint(dim, head))
	nameW := s.room(columns(head)-columns(a.By), 10)
	sum := int64(0)
	for _, n := range a.Nodes {
		sum += n.Flat
		lead := n.FlatPart
		if a.Cum {
			lead = n.CumPart
		}
		t.line("  ", right(value(n.Flat), flatW),
			" ", s.paint(heatIf(!a.Cum, lead), right(pprofPercent(n.Flat, h.Total), shareW)),
			" ", right(pprofPercent(sum, h.Total), shareW),
			"  ", right(value(n.Cum), cumW),
			" ", s.paint(heatIf(a.Cum, lead), right(pprofPercent(n.Cum, h.Total), shareW)),
			"  ", FitNode(n.node, a.by, nameW))
	}
	if a.Hidden > 0 {
		t.line(s.paint(dim, "  "+right(value(a.Kept-a.Shown), flatW)+" "+right(pprofPercent(a.Kept-a.Shown, h.Total), shareW)+
			" "+right(pprofPercent(a.Kept, h.Total), shareW)+"  "+more(a.Hidden, "more "+a.By, "more "+nouns(a.By), s.room(4+flatW+2*(shareW+1), 10))))
	}
}

func heatIf(on bool, share float64) string {
	if !on {
		return ""
	}
	return heat(share)
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
	return cut("in "+plural(n, one, many)+" (-n 0 shows all)", room)
}

// plural writes a number with the noun that suits it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(n).String() + " " + many
}
