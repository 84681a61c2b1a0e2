package pictures

import (
	"cmp"
	"math"
	"slices"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// GraphSchema is the schema of CallGraph.
const GraphSchema = "whet.graph/1"

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
	Kind func(profile.Node) FlameKind
}

// CallGraph is the document of whet graph: the nodes that matter and the calls between them.
type CallGraph struct {
	Schema string          `json:"schema"`
	Header profiles.Header `json:"profile"`
	By     string          `json:"by"`
	Nodes  []GraphNode     `json:"nodes"` // most informative first
	Edges  []GraphEdge     `json:"edges"` // heaviest first

	HiddenNodes int   `json:"hidden_nodes"`
	HiddenEdges int   `json:"hidden_edges"` // between shown nodes
	Shown       int64 `json:"shown"`        // flat value of Nodes
	Kept        int64 `json:"kept"`         // flat value of all nodes that the filters keep

	by   profile.By
	unit string // of all values in text
}

// A GraphNode is a node of a CallGraph.
type GraphNode struct {
	profiles.Node
	Kind string `json:"kind,omitempty"` // own, std or dep; "" if unknown

	kind FlameKind
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

// NewCallGraph chooses what to draw of a view's call graph, as go tool pprof does. It drops light
// nodes, keeps the remaining ones whose calls are the most informative, and drops light edges and
// residual ones whose ends are connected by other edges.
func NewCallGraph(h profiles.Header, v *profile.View, opt GraphOptions) CallGraph {
	by := v.Query().By
	doc := CallGraph{Schema: GraphSchema, Header: h, By: by.String(), by: by, Nodes: []GraphNode{}, Edges: []GraphEdge{}}

	all := v.Nodes(true)
	mass := int64(0) // differs from Kept in a difference, where signs cancel
	for _, w := range all {
		doc.Kept += w.Flat
		mass += magnitude(w.Flat)
	}
	nodeCutoff := int64(float64(mass) * opt.NodeFraction)
	edgeCutoff := int64(float64(mass) * opt.EdgeFraction)

	heavy := func(w profile.Weight) bool { return magnitude(w.Cum) >= nodeCutoff }
	g := v.Graph(heavy)
	if opt.Nodes > 0 && len(g.Nodes) > opt.Nodes {
		chosen := make(map[uint32]bool, opt.Nodes)
		for _, i := range byInterest(g, by)[:opt.Nodes] {
			chosen[g.Nodes[i].ID] = true
		}
		g = v.Graph(func(w profile.Weight) bool { return chosen[w.ID] })
	}
	order := byInterest(g, by)
	edges := len(g.Edges)
	g.Edges = withoutRedundant(order, names(g, by), trim(g.Edges, edgeCutoff))
	doc.HiddenNodes, doc.HiddenEdges = len(all)-len(g.Nodes), edges-len(g.Edges)

	doc.fill(g, order, opt.Kind)
	return doc
}

// fill turns g into the document's nodes, in the given order, and edges.
func (d *CallGraph) fill(g *profile.Graph, order []int, kind func(profile.Node) FlameKind) {
	names := [...]string{FlameOwn: "own", FlameStd: "std", FlameDependency: "dep"}
	place := make([]int, len(g.Nodes)) // index in d's nodes, by g's
	for at, i := range order {
		w := g.Nodes[i]
		place[i] = at
		n := GraphNode{Node: profiles.NewNode(w, d.by, d.Header.Total)}
		if kind != nil {
			n.kind = kind(w.Node)
			n.Kind = names[n.kind]
		}
		d.Shown += w.Flat
		d.Nodes = append(d.Nodes, n)
	}
	slices.SortStableFunc(g.Edges, func(a, b profile.Edge) int {
		return cmp.Or(cmp.Compare(magnitude(b.Weight), magnitude(a.Weight)),
			cmp.Compare(place[a.From], place[b.From]), cmp.Compare(place[a.To], place[b.To]))
	})
	for _, e := range g.Edges {
		d.Edges = append(d.Edges, GraphEdge{
			From: place[e.From], To: place[e.To], Weight: e.Weight, Share: unit.Share(e.Weight, d.Header.Total),
			Inlined: e.Inlined, Residual: e.Residual,
		})
	}
	d.unit = d.Header.Scale(d.Header.Total, func(yield func(int64) bool) {
		for _, n := range d.Nodes {
			if !yield(cmp.Or(n.Flat, n.Cum)) {
				return
			}
		}
	})
}

func magnitude(v int64) int64 { return max(v, -v) }

func trim(edges []profile.Edge, cutoff int64) []profile.Edge {
	return slices.DeleteFunc(edges, func(e profile.Edge) bool { return magnitude(e.Weight) < cutoff })
}

// byInterest returns the indices of g's nodes, the most informative first. The score is that of go
// tool pprof: a node's weight times the entropy of its incoming and outgoing cost, so that a mere
// step between two functions counts little.
func byInterest(g *profile.Graph, by profile.By) []int {
	in, out := make([][]int64, len(g.Nodes)), make([][]int64, len(g.Nodes))
	for _, e := range g.Edges {
		out[e.From] = append(out[e.From], e.Weight)
		in[e.To] = append(in[e.To], e.Weight)
	}
	called := names(g, by)
	score := make([]int64, len(g.Nodes))
	order := make([]int, len(g.Nodes))
	for i, w := range g.Nodes {
		entry, exit := 1.0, 1.0 // roots and leaves are informative
		if len(in[i]) > 0 {
			entry = entropy(in[i], 0)
		}
		if len(out[i]) > 0 {
			exit = entropy(out[i], w.Flat)
		}
		score[i] = magnitude(int64((entry+exit)*float64(w.Cum)) + w.Flat)
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if c := cmp.Compare(score[b], score[a]); c != 0 {
			return c
		}
		return cmp.Compare(called[a], called[b])
	})
	return order
}

func names(g *profile.Graph, by profile.By) []string {
	list := make([]string, len(g.Nodes))
	for i, n := range g.Nodes {
		list[i] = nodes.Name(n.Node, by)
	}
	return list
}

// entropy returns the information, in bits, of how a cost splits over edges and the node itself.
func entropy(weights []int64, self int64) float64 {
	total := self
	for _, w := range weights {
		total += magnitude(w)
	}
	if total == 0 {
		return 0
	}
	bits := 0.0
	add := func(w int64) {
		if part := float64(magnitude(w)) / math.Abs(float64(total)); part > 0 {
			bits -= part * math.Log2(part)
		}
	}
	for _, w := range weights {
		add(w)
	}
	if self > 0 {
		add(self)
	}
	return bits
}

// withoutRedundant drops residual edges between nodes that other edges connect. To keep the drawing
// honest, an edge goes only if no direct call into the same node is lighter. The least informative
// nodes, at the end of order, are considered first; names break ties.
func withoutRedundant(order []int, names []string, edges []profile.Edge) []profile.Edge {
	nodes := len(order)
	in := make([][]int, nodes) // edges into each node, lightest first
	for e, edge := range edges {
		in[edge.To] = append(in[edge.To], e)
	}
	for i := range in {
		slices.SortFunc(in[i], func(a, b int) int {
			return cmp.Or(cmp.Compare(magnitude(edges[a].Weight), magnitude(edges[b].Weight)),
				cmp.Compare(names[edges[b].From], names[edges[a].From]))
		})
	}
	gone := make([]bool, len(edges))
	seen := make([]int, nodes) // the last search that visited the node
	search := 0
	redundant := func(e int) bool {
		search++
		queue := []int{int(edges[e].To)}
		seen[edges[e].To] = search
		for len(queue) > 0 {
			node := queue[0]
			queue = queue[1:]
			for _, other := range in[node] {
				from := int(edges[other].From)
				if other == e || gone[other] || seen[from] == search {
					continue
				}
				if from == int(edges[e].From) {
					return true
				}
				seen[from] = search
				queue = append(queue, from)
			}
		}
		return false
	}
	for _, node := range slices.Backward(order) {
		for _, e := range in[node] {
			if !edges[e].Residual {
				break
			}
			gone[e] = redundant(e)
		}
	}
	kept := edges[:0]
	for e, edge := range edges {
		if !gone[e] {
			kept = append(kept, edge)
		}
	}
	return kept
}
