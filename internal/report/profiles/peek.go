package profiles

import (
	"cmp"
	"io"
	"regexp"
	"slices"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// PeekSchema is the schema of Peek.
const PeekSchema = "whet.peek/2"

// Peek is the document of whet peek: matching nodes with their callers and callees.
type Peek struct {
	Schema   string        `json:"schema"`
	Header   Header        `json:"profile"`
	By       string        `json:"by"`
	Pattern  string        `json:"pattern"`
	Nodes    []PeekNode    `json:"nodes"`
	Hidden   int           `json:"hidden"` // lighter matches left out
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A PeekNode is one matching node.
type PeekNode struct {
	Node
	Callers []PeekEdge `json:"callers"` // heaviest first
	Callees []PeekEdge `json:"callees"`
}

// A PeekEdge is the calls between a PeekNode and another node.
type PeekEdge struct {
	Name    string  `json:"name"`
	Weight  int64   `json:"weight"`
	Share   float64 `json:"share"`             // of the PeekNode's Cum, 0 to 1
	Inlined bool    `json:"inlined,omitempty"` // every call is inlined
}

// NewPeek returns the document of the n heaviest nodes (0: all) whose names match pattern, by flat
// or, with cum, by cumulative value.
func NewPeek(h Header, v *profile.View, pattern *regexp.Regexp, n int, cum bool) Peek {
	by := v.Query().By
	matches := func(w profile.Weight) bool { return pattern.MatchString(nodes.Name(w.Node, by)) }
	g := v.Around(matches)
	d := Peek{Schema: PeekSchema, Header: h, By: by.String(), Pattern: pattern.String(), Nodes: []PeekNode{}}
	var matching []int // indices in g.Nodes
	for i, w := range g.Nodes {
		if matches(w) {
			matching = append(matching, i)
		}
	}
	if !cum {
		slices.SortStableFunc(matching, func(a, b int) int {
			x, y := g.Nodes[a].Flat, g.Nodes[b].Flat
			return cmp.Compare(max(y, -y), max(x, -x))
		})
	}
	if n > 0 && len(matching) > n {
		d.Hidden, matching = len(matching)-n, matching[:n]
	}
	index := make(map[uint32]int, len(matching))
	for i, m := range matching {
		index[uint32(m)] = i
		d.Nodes = append(d.Nodes, PeekNode{
			Node: NewNode(g.Nodes[m], by, h.Total), Callers: []PeekEdge{},
			Callees: []PeekEdge{},
		})
	}
	edge := func(other uint32, e profile.Edge, of *PeekNode) PeekEdge {
		node := g.Nodes[other].Node
		return PeekEdge{Name: nodes.Name(node, by), Weight: e.Weight, Share: unit.Share(e.Weight, of.Cum), Inlined: e.Inlined}
	}
	for _, e := range g.Edges {
		if i, ok := index[e.To]; ok {
			d.Nodes[i].Callers = append(d.Nodes[i].Callers, edge(e.From, e, &d.Nodes[i]))
		}
		if i, ok := index[e.From]; ok {
			d.Nodes[i].Callees = append(d.Nodes[i].Callees, edge(e.To, e, &d.Nodes[i]))
		}
	}
	return d
}

// WritePeek writes a Peek as text: each node with its callers above and its callees below, each
// with its part of the node's cumulative value.
func WritePeek(w io.Writer, s layout.Style, d Peek) error {
	t := layout.NewWriter(w)
	writeHeader(t, s, d.Header)
	for i := range d.Nodes {
		writePeekNode(t, s, d, &d.Nodes[i])
	}
	if d.Hidden > 0 {
		t.Line()
		t.Line(s.Paint(layout.Dim, layout.Plural(d.Hidden, "more match", "more matches")+" (-n 0 shows all)"))
	}
	return t.Result()
}

func writePeekNode(t *layout.Writer, s layout.Style, d Peek, n *PeekNode) {
	calls := slices.Concat(n.Callers, n.Callees)
	weights := each(calls, func(e *PeekEdge) int64 { return e.Weight })
	value := d.Header.Column(n.Cum, weights)
	valueW := max(columnWidth("", value, weights), layout.Columns(value(n.Cum)), layout.Columns(value(n.Flat)), 6)
	lead := 2 + valueW + 1 + ownShareW + 2
	edges := func(list []PeekEdge, first, last string) {
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
