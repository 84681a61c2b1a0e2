package profile

import (
	"cmp"
	"slices"
)

// Graph returns the call graph of the nodes that keep accepts (nil: all). A call through nodes that
// are left out becomes a residual edge; a sample counts once per edge. Calls of a node to itself
// are not edges.
func (v *View) Graph(keep func(Weight) bool) *Graph { return v.graph(keep, nil) }

// Around returns all nodes, but only the calls from and to those that match
// accepts, which is much less work than Graph when these are few.
func (v *View) Around(match func(Weight) bool) *Graph { return v.graph(nil, match) }

func (v *View) graph(keep, match func(Weight) bool) *Graph {
	v.needNodes()
	g := &Graph{}
	choice := &graphChoice{kept: make([]uint32, len(v.nodes)), at: make([]uint32, len(v.one))}
	for i := range choice.kept {
		choice.kept[i] = None
	}
	for _, w := range v.Nodes(true) {
		if keep == nil || keep(w) {
			choice.kept[w.ID] = uint32(len(g.Nodes))
			g.Nodes = append(g.Nodes, w)
			choice.matched = append(choice.matched, match == nil || match(w))
		}
	}
	for loc, n := range v.one {
		choice.at[loc] = n
		if n < several {
			if choice.at[loc] = choice.kept[n]; choice.at[loc] == None {
				choice.at[loc] = outside
			}
		}
	}
	if v.label == nil { // labels do not call each other
		g.Edges = v.allEdges(choice).edges
	}
	slices.SortFunc(g.Edges, func(a, b Edge) int {
		switch x, y := abs(a.Weight), abs(b.Weight); {
		case x != y:
			return cmp.Compare(y, x)
		case a.From != b.From:
			return cmp.Compare(a.From, b.From)
		}
		return cmp.Compare(a.To, b.To)
	})
	if v.divisor != nil {
		v.divisor.needNodes()
		counts := v.divisor.allEdges(choice)
		for i := range g.Edges {
			e := &g.Edges[i]
			e.Weight = mean(e.Weight, counts.edges[counts.edge(e.From, e.To, e.Inlined, e.Residual)].Weight)
		}
	}
	return g
}

// allEdges sums the calls of all kept samples.
func (v *View) allEdges(choice *graphChoice) *edgeCounter {
	parts := inParts(v, func(from, to int) *edgeCounter { return v.countEdges(choice, from, to) })
	for _, part := range parts[1:] {
		parts[0].addAll(part)
	}
	return parts[0]
}

// graphChoice selects the nodes of a graph.
type graphChoice struct {
	kept    []uint32 // per node of the view: index in the graph, None if it is not in it
	matched []bool   // per node of the graph: only calls from or to these count
	// at is what the inner loop needs of a location with one visible frame, in one lookup: its
	// node's index in the graph, or outside, hidden, several.
	at []uint32
}

const outside = several - 1

// countEdges sums the calls of the kept samples [from, to).
func (v *View) countEdges(choice *graphChoice, from, to int) *edgeCounter {
	e := &edgeCounter{matched: choice.matched}
	var stack []uint32
	for k := from; k < to; k++ {
		i, packed := v.sample(k)
		if v.values[i] == 0 {
			continue
		}
		e.start(uint32(k)+1, v.values[i])
		stack = packed.appendTo(stack[:0])
		for j := len(stack) - 1; j >= 0; j-- {
			switch at := choice.at[stack[j]]; at {
			case outside:
				e.residual = true
			case hidden:
			case several:
				first, last := v.start[stack[j]], v.start[stack[j]+1]-1
				for f := last + 1; f > first; f-- {
					if at := choice.kept[v.frameNode[f-1]]; at == None {
						e.residual = true
					} else {
						e.call(at, f-1 != last)
					}
				}
			default:
				e.call(at, false)
			}
		}
	}
	return e
}

// edgeCounter follows one sample's stack after the other from the root and sums the calls between
// kept nodes.
type edgeCounter struct {
	matched []bool
	edges   []Edge
	index   table
	seen    []uint32 // per edge: the mark of the last sample counted

	mark     uint32
	value    int64
	parent   uint32
	residual bool
}

// start begins a sample's stack; each has its own mark.
func (e *edgeCounter) start(mark uint32, value int64) {
	e.mark, e.value, e.parent, e.residual = mark, value, None, false
}

// call continues to the next kept node.
func (e *edgeCounter) call(to uint32, inlined bool) {
	from, residual := e.parent, e.residual
	e.parent, e.residual = to, false
	if from == None || to == from || !e.matched[to] && !e.matched[from] {
		return
	}
	i := e.edge(from, to, inlined, residual)
	if e.seen[i] != e.mark {
		e.seen[i] = e.mark
		e.edges[i].add(e.value, inlined, residual)
	}
}

// edge returns the index of the edge between two nodes.
func (e *edgeCounter) edge(from, to uint32, inlined, residual bool) uint32 {
	h := mix(uint64(from), uint64(to))
	slot, found := e.index.find(h, func(i uint32) bool { return e.edges[i].From == from && e.edges[i].To == to })
	if found {
		return e.index.index(slot)
	}
	i := uint32(len(e.edges))
	e.index.put(slot, h, i)
	e.edges = append(e.edges, Edge{From: from, To: to, Inlined: inlined, Residual: residual})
	e.seen = append(e.seen, 0)
	return i
}

func (e *Edge) add(weight int64, inlined, residual bool) {
	e.Weight += weight
	e.Inlined = e.Inlined && inlined
	e.Residual = e.Residual || residual
}

// addAll adds the counts of another counter, for other samples.
func (e *edgeCounter) addAll(other *edgeCounter) {
	for _, o := range other.edges {
		e.edges[e.edge(o.From, o.To, o.Inlined, o.Residual)].add(o.Weight, o.Inlined, o.Residual)
	}
}
