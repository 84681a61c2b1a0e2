package documents

import (
	"cmp"
	"slices"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/callgraph"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// GraphSchema is the schema of CallGraph.
const GraphSchema = "whet.graph/2"

// Defaults of GraphOptions, as in go tool pprof.
const (
	GraphNodes        = 80
	GraphNodeFraction = 0.005
	GraphEdgeFraction = 0.001
)

// GraphOptions selects the part of a call graph to draw.
type GraphOptions struct {
	Nodes int // at most this many; 0: all that pass NodeFraction

	// Nodes and edges lighter than these fractions of what the filters keep are left out. 0 keeps
	// all.
	NodeFraction, EdgeFraction float64

	// Kind returns the origin of a node's code; nil: unknown.
	Kind func(profile.Node) flame.Kind
}

// CallGraph is the document of whet graph: the nodes that matter and the calls between them.
type CallGraph struct {
	Schema string      `json:"schema"`
	Header Header      `json:"profile"`
	By     string      `json:"by"`
	Nodes  []GraphNode `json:"nodes"` // most informative first
	Edges  []GraphEdge `json:"edges"` // heaviest first

	HiddenNodes int           `json:"hidden_nodes"`
	HiddenEdges int           `json:"hidden_edges"` // between shown nodes
	Shown       int64         `json:"shown"`        // flat value of Nodes
	Kept        int64         `json:"kept"`         // flat value of all nodes that the filters keep
	Warnings    diag.Warnings `json:"warnings,omitempty"`

	Granularity profile.By `json:"-"` // By
}

// A GraphNode is a node of a CallGraph.
type GraphNode struct {
	Node
	Kind flame.Kind `json:"kind,omitempty"`
}

// A GraphEdge is a call. From and To are indices into CallGraph.Nodes.
type GraphEdge struct {
	From     int     `json:"from"`
	To       int     `json:"to"`
	Weight   int64   `json:"weight"`
	Share    float64 `json:"share"`    // of Header.Total, 0 to 1
	Inlined  bool    `json:"inlined"`  // every call is inlined
	Residual bool    `json:"residual"` // nodes between the two are left out
}

// NewCallGraph returns the document of a view's call graph, as much of it as callgraph.Choose keeps.
func NewCallGraph(h Header, v *profile.View, opt GraphOptions) CallGraph {
	by := v.Query().By
	doc := CallGraph{
		Schema: GraphSchema, Header: h, By: by.String(), Granularity: by, Nodes: []GraphNode{}, Edges: []GraphEdge{},
	}

	c := callgraph.Choose(v, callgraph.Options{
		Nodes: opt.Nodes, NodeFraction: opt.NodeFraction, EdgeFraction: opt.EdgeFraction,
	})
	doc.HiddenNodes, doc.HiddenEdges, doc.Kept = c.HiddenNodes, c.HiddenEdges, c.Kept
	doc.fill(c.Graph, c.Order, opt.Kind)
	return doc
}

// fill turns g into the document's nodes, in the given order, and edges.
func (d *CallGraph) fill(g *profile.Graph, order []int, kind func(profile.Node) flame.Kind) {
	place := make([]int, len(g.Nodes)) // index in d's nodes, by g's
	for at, i := range order {
		w := g.Nodes[i]
		place[i] = at
		n := GraphNode{Node: NewNode(w, d.Granularity, d.Header.Total)}
		if kind != nil {
			n.Kind = kind(w.Node)
		}
		d.Shown += w.Flat
		d.Nodes = append(d.Nodes, n)
	}
	slices.SortStableFunc(g.Edges, func(a, b profile.Edge) int {
		return cmp.Or(cmp.Compare(max(b.Weight, -b.Weight), max(a.Weight, -a.Weight)),
			cmp.Compare(place[a.From], place[b.From]), cmp.Compare(place[a.To], place[b.To]))
	})
	for _, e := range g.Edges {
		d.Edges = append(d.Edges, GraphEdge{
			From: place[e.From], To: place[e.To], Weight: e.Weight, Share: unit.Share(e.Weight, d.Header.Total),
			Inlined: e.Inlined, Residual: e.Residual,
		})
	}
}
