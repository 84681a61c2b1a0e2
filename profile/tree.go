package profile

import (
	"cmp"
	"container/heap"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Tree returns the call tree, in which equal stacks share their prefix, pruned to its maxNodes
// heaviest nodes (0: all of them). The children of a node that are left out become one child with
// Rest set, which does not count. With bottomUp the root's children are the leaves of stacks, and
// their children the callers.
//
// The full tree of a large profile has millions of nodes, so it is never built: samples are
// partitioned by their frames from the root down, the heaviest group first, and groups that are too
// light to be shown are not partitioned. Since a child never weighs more than its parent, that
// finds the heaviest nodes. Which of several equally heavy ones are shown is arbitrary, but
// deterministic.
func (v *View) Tree(maxNodes int, bottomUp bool) *Tree {
	v.needNodes()
	g := newGrower(v, nil, maxNodes, bottomUp)
	g.grow()
	return g.tree()
}

// TreeBelow returns the part of the call tree below a path, pruned like Tree: its root is the path's last node. path
// has the nodes from the root's child down: each matches the indices of nodes for which it is true. The tree is a lone
// root without cost if no sample has the path.
func (v *View) TreeBelow(path []func(node uint32) bool, maxNodes int) *Tree {
	v.needNodes()
	g := newGrower(v, path, maxNodes, false)
	g.grow()
	return g.tree()
}

// group is a node of the tree with the samples that pass through it.
type group struct {
	node   uint32
	parent int32 // index in grower.shown; -1 for the root
	lo, hi int32 // range of grower.walkers[side]
	side   uint8
	self   int64
	total  int64
	weight int64 // sum of absolute values, which determines the pruning
}

// walker is a sample with the remaining part of its stack: the part already walked is removed, at
// the root's end or, bottom up, at the leaf's.
type walker struct {
	stack  stackRef
	ahead  window // the next locations, so that not every one is a cache miss
	loaded int32  // locations in ahead
	inside uint32 // frames walked of a location with several; the node ByLabel
	value  int64
}

// location returns the next location.
func (w *walker) location(p *stackPieces, bottomUp bool) uint32 {
	width := w.stack.width()
	if w.loaded == 0 {
		w.loaded = int32(windowSize / width)
		if bottomUp {
			w.ahead = p.stack(w.stack).innermost()
		} else {
			w.ahead = p.stack(w.stack).outermost()
		}
	}
	if bottomUp {
		return uint32(w.ahead.low) & (math.MaxUint32 >> (32 - 8*width))
	}
	return uint32(w.ahead.high >> (64 - 8*width))
}

// walk removes the next location.
func (w *walker) walk(bottomUp bool) {
	w.loaded--
	bits := 8 * w.stack.width()
	if bottomUp {
		w.ahead.low = w.ahead.low>>bits | w.ahead.high<<(64-bits)
		w.ahead.high >>= bits
		w.stack = w.stack.from(1)
	} else {
		w.ahead.high = w.ahead.high<<bits | w.ahead.low>>(64-bits)
		w.ahead.low <<= bits
		w.stack = w.stack.upTo(w.stack.depth() - 1)
	}
}

// grower grows a tree. It takes the heaviest candidates in batches, which it splits on all CPUs:
// their samples are disjoint, and the results are combined in the batch's order, so the tree does
// not depend on the number of CPUs. A batch may contain nodes that turn out to be too light once
// all are known; tree leaves them out.
type grower struct {
	v        *View
	bottomUp bool
	maxNodes int // 0: all

	// A group's samples are contiguous in one of these; those of its parts are moved to the same
	// range of the other.
	walkers [2][]walker
	next    []uint32 // parallel to walkers: scratch, the node the sample goes to

	shown []group
	rest  []rest // per shown group: children that will never be shown

	// Candidates, by the magnitude of their weight. Those below floor cannot be among the maxNodes
	// heaviest: there are as many known nodes at floor or above.
	open    [magnitudes][]group
	waiting int // candidates in open from floor up
	top     int // no candidate is above
	known   [magnitudes]int
	heavier int // sum of known from floor up
	floor   int

	batch     []group
	results   []splitResult
	splitters []*splitter
}

// rest sums children that are left out.
type rest struct {
	count int32
	total int64
}

func (r *rest) add(total int64) {
	r.count++
	r.total += total
}

const (
	magnitudes = 65 << 4
	maxBatch   = 4096
	// splitAlone is the number of samples below which splitting them is faster than waking other
	// CPUs.
	splitAlone = 4096
)

// magnitude returns a rough order of weights: by their five highest bits.
func magnitude(weight int64) int {
	n := bits.Len64(uint64(weight))
	return n<<4 | int(uint64(weight)<<(64-n)>>59&15)
}

// newGrower returns a grower of the tree of the samples that have the path, from its end on.
func newGrower(v *View, path []func(node uint32) bool, maxNodes int, bottomUp bool) *grower {
	n := v.Samples()
	g := &grower{v: v, bottomUp: bottomUp, maxNodes: maxNodes}
	walkers := make([]walker, 0, n)
	root := group{node: None, parent: -1}
	for k := range n {
		i, stack := v.ref(k)
		w := walker{stack: stack, value: v.values[i]}
		if w.value == 0 {
			continue
		}
		if v.label != nil {
			w.stack, w.inside = stackRef(0).upTo(1), v.label[i]
		}
		if !g.follow(&w, path) {
			continue
		}
		walkers = append(walkers, w)
		root.total += w.value
		root.weight += abs(w.value)
	}
	root.hi = int32(len(walkers))
	g.walkers = [2][]walker{walkers, make([]walker, len(walkers))}
	g.next = make([]uint32, len(walkers))
	g.splitters = make([]*splitter, max(min(runtime.GOMAXPROCS(0), 8, n/splitAlone), 1))
	for i := range g.splitters {
		g.splitters[i] = &splitter{g: g, slots: make([]partSlot, len(v.nodes))}
	}
	g.shown = make([]group, 0, min(max(maxNodes, 0), n, 1<<16))
	g.batch = append(g.batch, root)
	g.show()
	return g
}

// follow walks a sample down a path, and reports whether it has that.
func (g *grower) follow(w *walker, path []func(node uint32) bool) bool {
	for _, is := range path {
		if n := g.step(w); n == None || !is(n) {
			return false
		}
	}
	return true
}

// step returns the next node of a sample's path, None at its end.
func (g *grower) step(w *walker) uint32 {
	v := g.v
	if v.label != nil {
		if w.stack.depth() == 0 {
			return None
		}
		w.stack = 0
		return w.inside
	}
	for w.stack.depth() > 0 {
		loc := w.location(&v.p.pieces, g.bottomUp)
		n := v.one[loc]
		if n == several {
			first, end := v.start[loc], v.start[loc+1]
			f := w.inside
			w.inside++
			if g.bottomUp {
				n = v.frameNode[first+f]
			} else {
				n = v.frameNode[end-1-f]
			}
			if f+1 < end-first {
				return n
			}
			w.inside = 0 // that was its last frame
		}
		w.walk(g.bottomUp)
		if n != hidden {
			return n
		}
	}
	return None
}

// splitter splits groups, one at a time.
type splitter struct {
	g      *grower
	splits int32
	slots  []partSlot // per node
	parts  []part
	out    []group // of the batch
}

// partSlot maps a node to its part in the group that is being split.
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

// splitResult is the result of splitting one group of the batch.
type splitResult struct {
	self  int64
	parts []group // without their parent
}

// split moves a group's samples one node forward and returns its parts.
func (s *splitter) split(gr *group) splitResult {
	g := s.g
	s.splits++
	s.parts = s.parts[:0]
	self, ended := int64(0), false
	walkers, next := g.walkers[gr.side][gr.lo:gr.hi], g.next[gr.lo:gr.hi]
	// The samples' stacks are scattered in memory. In a loop that does nothing else, the CPU
	// fetches many at once.
	for j := range walkers {
		next[j] = g.step(&walkers[j])
	}
	for j, n := range next {
		w := walkers[j].value
		if n == None {
			self += w
			ended = true
			continue
		}
		slot := &s.slots[n]
		if slot.mark != s.splits {
			*slot = partSlot{s.splits, int32(len(s.parts))}
			s.parts = append(s.parts, part{node: n})
		}
		p := &s.parts[slot.part]
		p.count++
		p.total += w
		p.weight += abs(w)
	}
	// Make the samples of each part contiguous, unless they are.
	side := gr.side
	if len(s.parts) > 1 || ended {
		side = 1 - side
		at := int32(0)
		for i := range s.parts {
			s.parts[i].at = at
			at += s.parts[i].count
		}
		moved := g.walkers[side][gr.lo:gr.hi]
		for j, n := range next {
			if n != None {
				p := &s.parts[s.slots[n].part]
				moved[p.at] = walkers[j]
				p.at++
			}
		}
	}
	first, lo := len(s.out), gr.lo
	for i := range s.parts {
		p := &s.parts[i]
		s.out = append(s.out, group{node: p.node, lo: lo, hi: lo + p.count, side: side, total: p.total, weight: p.weight})
		lo += p.count
	}
	return splitResult{self, s.out[first:len(s.out):len(s.out)]}
}

// show adds the groups of the batch to the tree and makes their parts candidates.
func (g *grower) show() {
	samples := 0
	for i := range g.batch {
		samples += int(g.batch[i].hi - g.batch[i].lo)
	}
	g.results = slices.Grow(g.results[:0], len(g.batch))[:len(g.batch)]
	for _, s := range g.splitters {
		s.out = s.out[:0]
	}
	if samples <= splitAlone || len(g.batch) == 1 {
		for i := range g.batch {
			g.results[i] = g.splitters[0].split(&g.batch[i])
		}
	} else {
		const run = 8 // groups
		var done atomic.Int64
		var wg sync.WaitGroup
		for _, s := range g.splitters {
			wg.Go(func() {
				for {
					end := int(done.Add(run))
					if end-run >= len(g.batch) {
						return
					}
					for i := end - run; i < min(end, len(g.batch)); i++ {
						g.results[i] = s.split(&g.batch[i])
					}
				}
			})
		}
		wg.Wait()
	}
	for i, gr := range g.batch {
		r := &g.results[i]
		gr.self = r.self
		me := int32(len(g.shown))
		g.shown = append(g.shown, gr)
		g.rest = append(g.rest, rest{})
		for _, p := range r.parts {
			p.parent = me
			g.offer(p)
		}
	}
}

// offer makes a group a candidate if it may be among the heaviest.
func (g *grower) offer(gr group) {
	m := 1
	if g.maxNodes > 0 {
		m = magnitude(gr.weight)
		if m < g.floor {
			g.rest[gr.parent].add(gr.total)
			return
		}
	}
	g.open[m] = append(g.open[m], gr)
	g.waiting++
	g.top = max(g.top, m)
	g.known[m]++
	g.heavier++
	for g.maxNodes > 0 && g.heavier-g.known[g.floor] >= g.maxNodes {
		g.heavier -= g.known[g.floor]
		g.waiting -= len(g.open[g.floor])
		g.floor++
	}
}

func (g *grower) grow() {
	for {
		// The heaviest eighth: most of these will be shown whatever their parts are.
		g.batch = g.batch[:0]
		for n := min((g.waiting+7)/8, maxBatch); n > 0 && g.top > g.floor; {
			open := g.open[g.top]
			first := max(len(open)-n, 0)
			g.batch = append(g.batch, open[first:]...)
			g.open[g.top] = open[:first]
			n -= len(open) - first
			if first == 0 {
				g.top--
			}
		}
		if len(g.batch) == 0 {
			break
		}
		g.waiting -= len(g.batch)
		g.show()
	}
	if g.maxNodes == 0 {
		return
	}
	// Everything above the floor is shown. Of those on it, the heaviest.
	h := groupHeap(g.open[g.floor])
	heap.Init(&h)
	for left := g.maxNodes - (g.heavier - g.known[g.floor]); left > 0 && len(h) > 0; left-- {
		g.batch = append(g.batch[:0], heap.Pop(&h).(group))
		g.open[g.floor] = nil
		g.show()
		for _, gr := range g.open[g.floor] {
			heap.Push(&h, gr)
		}
	}
	g.open[g.floor] = h
}

// prune returns which shown groups are in the tree: the maxNodes heaviest, parents before their
// children, and the root.
func (g *grower) prune() []bool {
	kept := make([]bool, len(g.shown))
	limit, ties := int64(math.MinInt64), 0
	if n := g.maxNodes; n > 0 && len(g.shown)-1 > n {
		weights := make([]int64, len(g.shown)-1)
		for i := range weights {
			weights[i] = g.shown[i+1].weight
		}
		limit = nthLargest(weights, n-1)
		for _, w := range weights[:n] {
			if w == limit {
				ties++
			}
		}
	}
	for i := range g.shown {
		gr := &g.shown[i]
		kept[i] = i == 0 || gr.weight > limit
		if !kept[i] && gr.weight == limit && ties > 0 {
			kept[i] = true
			ties--
		}
		if !kept[i] {
			g.rest[gr.parent].add(gr.total)
		}
	}
	return kept
}

// nthLargest returns the element at index n of xs in descending order; it reorders xs (Hoare's
// quickselect).
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

// tree returns the shown groups in preorder, heaviest children first.
func (g *grower) tree() *Tree {
	for _, open := range g.open {
		for _, gr := range open {
			g.rest[gr.parent].add(gr.total)
		}
	}
	kept := g.prune()
	// Children of each shown node, as runs of one array sorted by parent.
	kids := make([]int32, 0, len(g.shown))
	for i := 1; i < len(g.shown); i++ {
		if kept[i] {
			kids = append(kids, int32(i))
		}
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
