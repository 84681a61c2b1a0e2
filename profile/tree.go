package profile

import (
	"cmp"
	"container/heap"
	"math"
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
	v.needNodes()
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
	heap  groupHeap // candidates to be shown
	rest  []rest    // per shown group: children that never will be
	floor int64     // candidates that weigh no more need not be kept

	// Per node, while one group is split.
	splits  int32
	slots   []partSlot
	parts   []part
	scratch []int32
}

// rest adds up children that are left out.
type rest struct {
	count int32
	total int64
}

func (r *rest) add(total int64) {
	r.count++
	r.total += total
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
	g.rest = append(g.rest, rest{})
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
		if p.weight <= g.floor {
			g.rest[me].add(p.total)
			continue
		}
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
		last := len(g.heap) - 1
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
		if quota := maxNodes - (len(g.shown) - 1); len(g.heap) > 2*quota+4096 {
			g.trim(quota)
		}
	}
}

// trim keeps the quota heaviest candidates: no more can be shown, and what comes
// later and weighs no more than they do cannot be shown instead.
func (g *grower) trim(quota int) {
	weights := make([]int64, len(g.heap))
	for i := range g.heap {
		weights[i] = g.heap[i].weight
	}
	if quota > 0 {
		g.floor = nthLargest(weights, quota-1)
	} else {
		g.floor = math.MaxInt64
	}
	equal := quota // how many of the floor's own weight may stay
	for i := range g.heap {
		if g.heap[i].weight > g.floor {
			equal--
		}
	}
	kept := g.heap[:0]
	for _, gr := range g.heap {
		if gr.weight == g.floor {
			equal--
		}
		if gr.weight < g.floor || gr.weight == g.floor && equal < 0 {
			g.rest[gr.parent].add(gr.total)
			continue
		}
		kept = append(kept, gr)
	}
	g.heap = kept
	heap.Init(&g.heap)
}

// nthLargest returns what xs would have at index n if it were sorted downwards; it
// reorders xs (Hoare's quickselect).
func nthLargest(xs []int64, n int) int64 {
	lo, hi := 0, len(xs)-1
	for lo < hi {
		pivot := xs[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for xs[i] > pivot {
				i++
			}
			for xs[j] < pivot {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			hi = j
		case n >= i:
			lo = i
		default:
			return xs[n]
		}
	}
	return xs[n]
}

// tree puts what is shown into preorder, heaviest children first.
func (g *grower) tree() *Tree {
	for _, gr := range g.heap {
		g.rest[gr.parent].add(gr.total)
	}
	// Children of each shown node, as runs of one array sorted by parent.
	kids := make([]int32, 0, len(g.shown))
	for i := 1; i < len(g.shown); i++ {
		kids = append(kids, int32(i))
	}
	slices.SortFunc(kids, func(a, b int32) int {
		x, y := &g.shown[a], &g.shown[b]
		switch {
		case x.parent != y.parent:
			return cmp.Compare(x.parent, y.parent)
		case x.weight != y.weight:
			return cmp.Compare(y.weight, x.weight)
		}
		return g.v.nodes[x.node].compare(g.v.nodes[y.node])
	})
	first := make([]int32, len(g.shown)+1) // kids of i are kids[first[i]:first[i+1]]
	for _, k := range kids {
		first[g.shown[k].parent+1]++
	}
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
	t := &Tree{Nodes: make([]TreeNode, 0, len(g.shown))}
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
			r := g.rest[it.of]
			t.Nodes = append(t.Nodes, TreeNode{Node: None, Parent: it.parent, Total: r.total, Rest: r.count})
			continue
		}
		gr := &g.shown[it.shown]
		t.Nodes = append(t.Nodes, TreeNode{Node: gr.node, Parent: it.parent, Self: gr.self, Total: gr.total})
		if g.rest[it.shown].count > 0 {
			stack = append(stack, item{-1, at, it.shown})
		}
		for j := first[it.shown+1] - 1; j >= first[it.shown]; j-- {
			stack = append(stack, item{kids[j], at, 0})
		}
	}
	return t
}

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
