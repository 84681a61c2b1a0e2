package callgraph

import (
	"cmp"
	"math"
	"slices"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/profile"
)

// Options configure Choose.
type Options struct {
	Nodes int // at most this many; 0 means all that pass NodeFraction

	// Nodes and edges lighter than these fractions of what the filters keep are left out. 0 keeps
	// all.
	NodeFraction, EdgeFraction float64
}

// A Choice is the part of a call graph to draw.
type Choice struct {
	Graph *profile.Graph
	Order []int // indices of Graph.Nodes, the most informative first

	HiddenNodes int
	HiddenEdges int   // between nodes of Graph
	Kept        int64 // flat value of all nodes that the filters keep
}

// Choose returns what to draw of a view's call graph, as go tool pprof does. It drops light nodes,
// keeps the remaining ones whose calls are the most informative, and drops light edges and residual
// ones whose ends are connected by other edges.
func Choose(v *profile.View, o Options) Choice {
	var c Choice
	by := v.Query().By
	all := v.Nodes(true)
	mass := int64(0) // differs from Kept in a difference, where signs cancel
	for _, w := range all {
		c.Kept += w.Flat
		mass += magnitude(w.Flat)
	}
	nodeCutoff := int64(float64(mass) * o.NodeFraction)
	edgeCutoff := int64(float64(mass) * o.EdgeFraction)

	heavy := func(w profile.Weight) bool { return magnitude(w.Cum) >= nodeCutoff }
	c.Graph = v.Graph(heavy)
	if o.Nodes > 0 && len(c.Graph.Nodes) > o.Nodes {
		chosen := make(map[uint32]bool, o.Nodes)
		for _, i := range byInterest(c.Graph, by)[:o.Nodes] {
			chosen[c.Graph.Nodes[i].ID] = true
		}
		c.Graph = v.Graph(func(w profile.Weight) bool { return chosen[w.ID] })
	}
	c.Order = byInterest(c.Graph, by)
	edges := len(c.Graph.Edges)
	c.Graph.Edges = withoutRedundant(c.Order, names(c.Graph, by), trim(c.Graph.Edges, edgeCutoff))
	c.HiddenNodes, c.HiddenEdges = len(all)-len(c.Graph.Nodes), edges-len(c.Graph.Edges)
	return c
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
