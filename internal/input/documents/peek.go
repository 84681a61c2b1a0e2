package documents

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/nodes"
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
