package flame

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/whet-go/whet/profile"
)

// The data of a flame graph page is, gzipped and then in base64:
//
//	+------------+-----------------+----------------------------------+
//	| length u32 | header, JSON    | columns, varints                 |
//	+------------+-----------------+----------------------------------+
//	               flameDoc          frames, then one set per view
//
//	frames   name     zigzag  string index, less that of the frame before
//	         package  uvarint string index
//	         file     uvarint string index
//	         line     uvarint
//	         kind     uvarint Kind
//	view     up       uvarint levels up from the node before; 0 is its child
//	         frame    uvarint frame index + 1; 0 is "smaller ones"
//	         value    zigzag  what the node itself weighs
//	         rest     uvarint number of subtrees, per node with frame 0
//	         weight   zigzag  frame index, less that of the weight before
//	         self     zigzag  per weight
//	         total    zigzag  per weight
//
// Each column is separate, because similar values compress well together. A view's nodes are in
// preorder without the root. Totals are not stored: a node's total is its value plus its children's
// totals. The reader is ui/src/lib/decode.ts.

// Check rejects a tree that is not in preorder.
func Check(t *profile.Tree) error {
	if t == nil || len(t.Nodes) == 0 {
		return errors.New("tree without a root")
	}
	for i := 1; i < len(t.Nodes); i++ {
		parent := t.Nodes[i].Parent
		// In preorder the parent is the previous node or one of its ancestors. Each step up leaves
		// a node for good, so the steps are linear in total.
		at := uint32(i - 1)
		for at != parent && at != 0 {
			at = t.Nodes[at].Parent
		}
		if at != parent {
			return fmt.Errorf("tree node %d: parent %d is not on the way to it", i, parent)
		}
	}
	return nil
}

// weigh returns for each node the sum of the absolute values below it: the width of its box. Unlike
// Total it never shrinks towards the root, even where a difference cancels.
func weigh(t *profile.Tree) []float64 {
	mass := make([]float64, len(t.Nodes))
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		n := &t.Nodes[i]
		mass[i] += math.Abs(float64(Value(n)))
		if i > 0 {
			mass[n.Parent] += mass[i]
		}
	}
	return mass
}

// Value returns the value of a node without its children. A node that sums smaller ones has no
// children; its value is its total.
func Value(n *profile.TreeNode) int64 {
	if n.Rest > 0 {
		return n.Total
	}
	return n.Self
}

// Prune keeps the root and the Heaviest nodes, keep in all. Nodes below a kept node that are
// not kept become one node with Rest set.
func Prune(t *profile.Tree, keep int) *profile.Tree {
	if len(t.Nodes) <= keep {
		return t
	}
	mass := weigh(t)
	limit, ties := nthLargest(mass, keep)
	kept := make([]bool, len(t.Nodes))
	kept[0] = true
	for i := 1; i < len(t.Nodes); i++ {
		n := &t.Nodes[i]
		if !kept[n.Parent] || n.Rest > 0 || mass[i] < limit {
			continue
		}
		if mass[i] == limit {
			if ties == 0 {
				continue
			}
			ties--
		}
		kept[i] = true
	}

	out := &profile.Tree{Nodes: make([]profile.TreeNode, 0, 2*keep)}
	type open struct {
		node, out uint32 // index before and after
		rest      profile.TreeNode
	}
	var path []open
	leave := func() {
		top := path[len(path)-1]
		path = path[:len(path)-1]
		if top.rest.Rest > 0 {
			top.rest.Parent = top.out
			out.Nodes = append(out.Nodes, top.rest)
		}
	}
	for i := range t.Nodes {
		n := t.Nodes[i]
		if i > 0 {
			if !kept[n.Parent] {
				continue
			}
			for path[len(path)-1].node != n.Parent {
				leave()
			}
		}
		if !kept[i] {
			rest := &path[len(path)-1].rest
			rest.Rest = addRest(rest.Rest, max(n.Rest, 1))
			rest.Total += n.Total
			continue
		}
		at := open{node: uint32(i), out: uint32(len(out.Nodes))}
		if i > 0 {
			n.Parent = path[len(path)-1].out
		}
		path = append(path, at)
		out.Nodes = append(out.Nodes, n)
	}
	for len(path) > 0 {
		leave()
	}
	return out
}

func addRest(a, b int32) int32 {
	return int32(min(int64(a)+int64(b), math.MaxInt32))
}

// nthLargest returns the n-th largest of vs and how many values equal to it are among the n
// largest.
func nthLargest(vs []float64, n int) (limit float64, ties int) {
	sorted := append([]float64(nil), vs...)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	n = max(1, min(n, len(sorted)))
	limit = sorted[n-1]
	for i := n - 1; i >= 0 && sorted[i] == limit; i-- {
		ties++
	}
	return limit, ties
}

// Heaviest returns at most n weights, half of them the Heaviest by self, the rest by total.
func Heaviest(ws []profile.Weight, n int) []profile.Weight {
	if len(ws) <= n {
		return ws
	}
	ws = slices.Clone(ws)
	by := func(key func(w *profile.Weight) int64) {
		slices.SortStableFunc(ws, func(a, b profile.Weight) int {
			return cmp.Compare(math.Abs(float64(key(&b))), math.Abs(float64(key(&a))))
		})
	}
	by(func(w *profile.Weight) int64 { return w.Flat })
	half := slices.Clone(ws[:n/2])
	ws = ws[n/2:]
	by(func(w *profile.Weight) int64 { return w.Cum })
	return append(half, ws[:n-n/2]...)
}
