package flame

import (
	"math/rand/v2"
	"testing"

	"github.com/whet-go/whet/profile"
)

// randomTree returns a tree of n nodes and a root, as deep as stacks are.
func randomTree(n int) *profile.Tree {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	nodes := []profile.TreeNode{{}}
	path := []uint32{0}
	for at := uint32(1); int(at) <= n; at++ {
		for len(path) > 1 && (r.IntN(100) < 45 || len(path) > 60) {
			path = path[:len(path)-1]
		}
		nodes = append(nodes, profile.TreeNode{Parent: path[len(path)-1], Self: int64(r.ExpFloat64() * 1e7)})
		path = append(path, at)
	}
	for i := n; i >= 0; i-- {
		nodes[i].Total += nodes[i].Self
		if i > 0 {
			nodes[nodes[i].Parent].Total += nodes[i].Total
		}
	}
	return &profile.Tree{Nodes: nodes}
}

func TestPrune(t *testing.T) {
	full := randomTree(MaxNodes)
	mass := weigh(full)
	for _, keep := range []int{1, 2, 3, 10, 1000, 59_999, MaxNodes + 1, 1 << 20} {
		got := Prune(full, keep)
		if err := Check(got); err != nil {
			t.Fatalf("keep %d: %v", keep, err)
		}
		kept, sum, left := 0, int64(0), 0
		for i := range got.Nodes {
			n := &got.Nodes[i]
			sum += Value(n)
			if n.Rest > 0 {
				left += int(n.Rest)
			} else {
				kept++
			}
		}
		if kept != min(keep, len(full.Nodes)) {
			t.Errorf("keep %d: kept %d", keep, kept)
		}
		if sum != full.Nodes[0].Total {
			t.Errorf("keep %d: sum %d, want %d", keep, sum, full.Nodes[0].Total)
		}
		if got.Nodes[0].Total != full.Nodes[0].Total {
			t.Errorf("keep %d: total %d", keep, got.Nodes[0].Total)
		}
		again := Prune(got, max(1, keep/2))
		if w := weigh(again); w[0] != mass[0] {
			t.Errorf("keep %d, then half: weight %v, want %v", keep, w[0], mass[0])
		}
	}
}

func TestHeaviest(t *testing.T) {
	ws := Heaviest([]profile.Weight{
		{ID: 0, Flat: 1, Cum: 9},
		{ID: 1, Flat: -5, Cum: -5},
		{ID: 2, Cum: 3},
		{ID: 3, Flat: 4, Cum: 4},
	}, 2)
	if len(ws) != 2 || ws[0].ID != 1 || ws[1].ID != 0 {
		t.Errorf("heaviest: %v", ws)
	}
}
