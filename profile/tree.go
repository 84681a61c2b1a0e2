package profile

import (
	"cmp"
	"container/heap"
	"slices"
)

// Tree returns the call tree, in which equal stacks share their prefix, pruned to
// its maxNodes heaviest nodes (0: all of them). What is left out of a node's
// children is one child with Rest set, which does not count. With bottomUp the
// root's children are the leaves of stacks, and their children the callers.
//
// The full tree of a large profile has millions of nodes, so it is never built:
// samples are partitioned by their frames from the root down, the heaviest group
// first, and groups that are too light to be shown are not looked into. Since a
// child never weighs more than its parent, that finds the heaviest nodes.
func (v *View) Tree(maxNodes int, bottomUp bool) *Tree {
	g := newGrower(v, bottomUp)
	g.grow(maxNodes)
	return g.tree()
}

// group is a node of the tree with the samples that pass through it.
type group struct {
	node   uint32
	parent int32 // index in grower.shown; -1 for the root
	lo, hi int32 // range of grower.order
	self   int64
	total  int64
	weight int64 // sum of absolute values: what the pruning goes by
}

// walker is what is left of a sample's stack: what was walked is cut off, at the
// root's end or, bottom up, at the leaf's.
type walker struct {
	stack []uint32
	value int64
}

type grower struct {
	v        *View
	bottomUp bool
	order    []int32  // positions of kept samples, grouped
	walkers  []walker // by position
	inside   []uint32 // by position: frames walked of a location with several, or of a label
	next     []uint32 // by index in order: scratch, the node the sample goes to

	shown []group
	heap  groupHeap

	// Per node, while one group is split.
	splits  int32
	slots   []partSlot
	parts   []part
	scratch []int32
}

// partSlot tells which part a node has in the group that is being split.
type partSlot struct {
	mark int32 // the split that part is of
	part int32
}

type part struct {
	node   uint32
	count  int32
	at     int32
	total  int64
	weight int64
}

func newGrower(v *View, bottomUp bool) *grower {
	n := v.Samples()
	g := &grower{
		v: v, bottomUp: bottomUp,
		walkers: make([]walker, n),
		inside:  make([]uint32, n),
		slots:   make([]partSlot, len(v.nodes)),
		order:   make([]int32, 0, n),
	}
	root := group{node: None, parent: -1}
	for k := range n {
		i, stack := v.sample(k)
		w := v.values[i]
		if w == 0 {
			continue
		}
		if v.label != nil {
			stack = v.label[i : i+1]
		}
		g.walkers[k] = walker{stack, w}
		g.order = append(g.order, int32(k))
		root.total += w
		root.weight += abs(w)
	}
	root.hi = int32(len(g.order))
	g.next = make([]uint32, len(g.order))
	g.scratch = make([]int32, len(g.order))
	g.show(root)
	return g
}

// step returns the next node of a sample's path, None at its end.
func (g *grower) step(k int32) uint32 {
	v, w := g.v, &g.walkers[k]
	if v.label != nil {
		if len(w.stack) == 0 {
			return None
		}
		n := w.stack[0]
		w.stack = nil
		return n
	}
	for len(w.stack) > 0 {
		at := len(w.stack) - 1
		if g.bottomUp {
			at = 0
		}
		loc := w.stack[at]
		n := v.one[loc]
		if n == several {
			first, end := v.start[loc], v.start[loc+1]
			f := g.inside[k]
			g.inside[k]++
			if g.bottomUp {
				n = v.frameNode[first+f]
			} else {
				n = v.frameNode[end-1-f]
			}
			if f+1 < end-first {
				return n
			}
			g.inside[k] = 0 // that was its last frame
		}
		if g.bottomUp {
			w.stack = w.stack[1:]
		} else {
			w.stack = w.stack[:at]
		}
		if n != hidden {
			return n
		}
	}
	return None
}

// show makes a group part of the tree and splits its samples into candidates.
func (g *grower) show(gr group) {
	g.splits++
	g.parts = g.parts[:0]
	me := int32(len(g.shown))
	ended := int32(0)
	order, next := g.order[gr.lo:gr.hi], g.next[gr.lo:gr.hi]
	// The samples' stacks are all over memory. In a loop that does nothing else, the
	// processor fetches many at once.
	for j, k := range order {
		next[j] = g.step(k)
	}
	for j, k := range order {
		n, w := next[j], g.walkers[k].value
		if n == None {
			gr.self += w
			ended++
			continue
		}
		s := &g.slots[n]
		if s.mark != g.splits {
			*s = partSlot{g.splits, int32(len(g.parts))}
			g.parts = append(g.parts, part{node: n})
		}
		p := &g.parts[s.part]
		p.count++
		p.total += w
		p.weight += abs(w)
	}
	g.shown = append(g.shown, gr)
	if len(g.parts) == 0 {
		return
	}
	// Bring the samples of each part together, ended ones last.
	at := int32(0)
	for i := range g.parts {
		g.parts[i].at = at
		at += g.parts[i].count
	}
	if len(g.parts) > 1 || ended > 0 {
		scratch := g.scratch[:len(order)]
		for j, k := range order {
			if next[j] == None {
				scratch[at] = k
				at++
				continue
			}
			p := &g.parts[g.slots[next[j]].part]
			scratch[p.at] = k
			p.at++
		}
		copy(order, scratch)
	} else {
		g.parts[0].at = g.parts[0].count
	}
	for _, p := range g.parts {
		g.heap = append(g.heap, group{
			node: p.node, parent: me, lo: gr.lo + p.at - p.count, hi: gr.lo + p.at, total: p.total, weight: p.weight,
		})
	}
}

func (g *grower) grow(maxNodes int) {
	if maxNodes == 0 {
		for len(g.heap) > 0 {
			last := len(g.heap) - 1
			gr := g.heap[last]
			g.heap = g.heap[:last]
			g.show(gr)
		}
		return
	}
	heap.Init(&g.heap)
	for len(g.heap) > 0 && len(g.shown)-1 < maxNodes {
		gr := g.heap[0]
		before := len(g.heap)
		last := before - 1
		g.heap[0] = g.heap[last]
		g.heap = g.heap[:last]
		if last > 0 {
			heap.Fix(&g.heap, 0)
		}
		g.show(gr) // appends to the heap
		for n := last; n < len(g.heap); n++ {
			part := g.heap[:n+1]
			heap.Fix(&part, n)
		}
	}
}

// tree puts what is shown into preorder, heaviest children first.
func (g *grower) tree() *Tree {
	rest := make(map[int32]*TreeNode)
	for _, gr := range g.heap {
		r := rest[gr.parent]
		if r == nil {
			r = &TreeNode{Node: None}
			rest[gr.parent] = r
		}
		r.Rest++
		r.Total += gr.total
	}
	// Children of each shown node, as runs of one array sorted by parent.
	kids := make([]int32, 0, len(g.shown))
	for i := 1; i < len(g.shown); i++ {
		kids = append(kids, int32(i))
	}
	slices.SortFunc(kids, func(a, b int32) int {
		x, y := &g.shown[a], &g.shown[b]
		return cmp.Or(cmp.Compare(x.parent, y.parent), cmp.Compare(y.weight, x.weight), g.compareNodes(x.node, y.node))
	})
	first := make([]int32, len(g.shown)+1) // kids of i are kids[first[i]:first[i+1]]
	for _, k := range kids {
		first[g.shown[k].parent+1]++
	}
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
	t := &Tree{Nodes: make([]TreeNode, 0, len(g.shown)+len(rest))}
	type item struct {
		shown  int32 // -1: the rest of parent
		parent uint32
		of     int32
	}
	stack := []item{{0, 0, -1}}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at := uint32(len(t.Nodes))
		if it.shown < 0 {
			r := *rest[it.of]
			r.Parent = it.parent
			t.Nodes = append(t.Nodes, r)
			continue
		}
		gr := &g.shown[it.shown]
		t.Nodes = append(t.Nodes, TreeNode{Node: gr.node, Parent: it.parent, Self: gr.self, Total: gr.total})
		if rest[it.shown] != nil {
			stack = append(stack, item{-1, at, it.shown})
		}
		for j := first[it.shown+1] - 1; j >= first[it.shown]; j-- {
			stack = append(stack, item{kids[j], at, 0})
		}
	}
	return t
}

func (g *grower) compareNodes(a, b uint32) int { return g.v.nodes[a].compare(g.v.nodes[b]) }

// groupHeap has the heaviest group on top.
type groupHeap []group

func (h groupHeap) Len() int           { return len(h) }
func (h groupHeap) Less(i, j int) bool { return h[i].weight > h[j].weight }
func (h groupHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *groupHeap) Push(x any)        { *h = append(*h, x.(group)) }
func (h *groupHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
