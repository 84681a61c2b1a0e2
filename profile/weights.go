package profile

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// sum is what one pass collects for one node.
type sum struct {
	flat, cum int64
	seen      uint32 // the sample that was last counted into cum, plus one
}

// sums adds up the kept samples k in [from, to).
func (v *View) sums(from, to int) []sum {
	acc := make([]sum, len(v.nodes))
	for k := from; k < to; k++ {
		i, stack := v.sample(k)
		w := v.values[i]
		if w == 0 {
			continue
		}
		if v.label != nil {
			s := &acc[v.label[i]]
			s.flat += w
			s.cum += w
			continue
		}
		mark := uint32(k) + 1
		leaf := true
		for _, loc := range stack {
			n := v.one[loc]
			if n < several {
				s := &acc[n]
				if leaf {
					s.flat += w
					leaf = false
				}
				if s.seen != mark {
					s.seen = mark
					s.cum += w
				}
				continue
			}
			if n == hidden {
				continue
			}
			for _, n := range v.frameNode[v.start[loc]:v.start[loc+1]] {
				s := &acc[n]
				if leaf {
					s.flat += w
					leaf = false
				}
				if s.seen != mark {
					s.seen = mark
					s.cum += w
				}
			}
		}
	}
	return acc
}

// parallelFrom is the number of samples from which a pass is split over CPUs.
const parallelFrom = 50_000

// allSums is sums over all kept samples, on all CPUs when it pays.
func (v *View) allSums() []sum {
	v.needNodes()
	n := v.Samples()
	workers := min(runtime.GOMAXPROCS(0), n/parallelFrom, 8)
	if workers < 2 {
		return v.sums(0, n)
	}
	parts := make([][]sum, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { parts[i] = v.sums(n*i/workers, n*(i+1)/workers) })
	}
	wg.Wait()
	acc := parts[0]
	for _, part := range parts[1:] {
		for i := range acc {
			acc[i].flat += part[i].flat
			acc[i].cum += part[i].cum
		}
	}
	return acc
}

// Nodes returns all nodes with flat or cum weight: heaviest flat first, or with
// cum heaviest cum first; then by name, file, line and address.
func (v *View) Nodes(cum bool) []Weight {
	var ws []Weight
	for id, s := range v.allSums() {
		if s.flat != 0 || s.cum != 0 {
			ws = append(ws, Weight{v.nodes[id], uint32(id), s.flat, s.cum})
		}
	}
	sortWeights(ws, cum)
	return ws
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

func sortWeights(ws []Weight, cum bool) {
	slices.SortFunc(ws, func(a, b Weight) int {
		x, y := abs(b.Flat)-abs(a.Flat), abs(b.Cum)-abs(a.Cum)
		if cum {
			x, y = y, x
		}
		switch {
		case x != 0:
			return cmp.Compare(x, 0)
		case y != 0:
			return cmp.Compare(y, 0)
		}
		return a.compare(b.Node)
	})
}

func (n Node) compare(m Node) int {
	return cmp.Or(cmp.Compare(n.Name, m.Name), cmp.Compare(n.File, m.File), cmp.Compare(n.Line, m.Line),
		cmp.Compare(n.Address, m.Address), cmp.Compare(n.Object, m.Object))
}

// Graph returns the call graph of the nodes that keep accepts (nil: all). A call
// through nodes that are left out becomes a residual edge; a sample counts once
// per edge. Calls of a node to itself make no edge.
func (v *View) Graph(keep func(Weight) bool) *Graph { return v.graph(keep, nil) }

// Around returns all nodes, but only the calls from and to those that match
// accepts, which is much less work than Graph when these are few.
func (v *View) Around(match func(Weight) bool) *Graph { return v.graph(nil, match) }

func (v *View) graph(keep, match func(Weight) bool) *Graph {
	v.needNodes()
	g := &Graph{}
	var matched []bool                   // per g.Nodes
	kept := make([]uint32, len(v.nodes)) // index in g.Nodes
	for i := range kept {
		kept[i] = None
	}
	for _, w := range v.Nodes(true) {
		if keep == nil || keep(w) {
			kept[w.ID] = uint32(len(g.Nodes))
			g.Nodes = append(g.Nodes, w)
			matched = append(matched, match == nil || match(w))
		}
	}
	e := edgeCounter{g: g, matched: matched}
	// What the loop needs to know of a location with one visible frame, in one look:
	// its node's index in g.Nodes, or outside, hidden, several.
	const outside = several - 1
	at := make([]uint32, len(v.one))
	for loc, n := range v.one {
		at[loc] = n
		if n < several {
			if at[loc] = kept[n]; at[loc] == None {
				at[loc] = outside
			}
		}
	}
	for k := range v.Samples() {
		i, stack := v.sample(k)
		if v.values[i] == 0 || v.label != nil {
			continue
		}
		e.start(uint32(k)+1, v.values[i])
		for j := len(stack) - 1; j >= 0; j-- {
			switch to := at[stack[j]]; to {
			case outside:
				e.residual = true
			case hidden:
			case several:
				first, last := v.start[stack[j]], v.start[stack[j]+1]-1
				for f := last + 1; f > first; f-- {
					if to := kept[v.frameNode[f-1]]; to == None {
						e.residual = true
					} else {
						e.call(to, f-1 != last)
					}
				}
			default:
				e.call(to, false)
			}
		}
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
	return g
}

// edgeCounter follows one sample's stack after the other from the root and adds up
// the calls between kept nodes.
type edgeCounter struct {
	g       *Graph
	matched []bool // per node: only calls from or to these count
	index   table
	seen    []uint32 // per edge: the mark of the sample that was last counted

	mark     uint32
	value    int64
	parent   uint32
	residual bool
}

// start begins a sample's stack; each has another mark.
func (e *edgeCounter) start(mark uint32, value int64) {
	e.mark, e.value, e.parent, e.residual = mark, value, None, false
}

// call goes on to the next kept node.
func (e *edgeCounter) call(to uint32, inlined bool) {
	from, residual := e.parent, e.residual
	e.parent, e.residual = to, false
	if from == None || to == from || !e.matched[to] && !e.matched[from] {
		return
	}
	h := mix(uint64(from), uint64(to))
	edges := e.g.Edges
	slot, found := e.index.find(h, func(i uint32) bool { return edges[i].From == from && edges[i].To == to })
	if !found {
		e.index.put(slot, h, uint32(len(edges)))
		edges = append(edges, Edge{From: from, To: to, Inlined: inlined, Residual: residual})
		e.g.Edges = edges
		e.seen = append(e.seen, 0)
	}
	i := e.index.index(slot)
	if e.seen[i] == e.mark {
		return
	}
	e.seen[i] = e.mark
	edge := &edges[i]
	edge.Weight += e.value
	edge.Inlined = edge.Inlined && inlined
	edge.Residual = edge.Residual || residual
}
