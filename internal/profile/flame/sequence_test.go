package flame

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/whet-go/whet/profile"
)

func TestSequence(t *testing.T) {
	s := NewSequence()
	for _, stack := range [][]uint32{{1, 2}, {1, 2, 3}, {1, 4}, {1, 2}, {}, {5}} {
		s.Add(stack, 2)
	}
	want := []profile.TreeNode{
		{Total: 12, Self: 2},
		{Node: 1, Total: 8},
		{Node: 2, Parent: 1, Total: 4, Self: 2},
		{Node: 3, Parent: 2, Total: 2, Self: 2},
		{Node: 4, Parent: 1, Total: 2, Self: 2},
		{Node: 2, Parent: 1, Total: 2, Self: 2},
		{Node: 5, Total: 2, Self: 2},
	}
	if got := s.Tree().Nodes; !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// TestSequenceSums compares with the values that were added, and has a tree in preorder, whatever the stacks.
func TestSequenceSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		s, sum := NewSequence(), int64(0)
		for range r.IntN(50) {
			stack := make([]uint32, r.IntN(6))
			for i := range stack {
				stack[i] = uint32(r.IntN(3))
			}
			value := int64(r.IntN(4))
			s.Add(stack, value)
			sum += value
		}
		tree := s.Tree()
		if err := Check(tree); err != nil {
			t.Fatal(err)
		}
		selfs := int64(0)
		for _, n := range tree.Nodes {
			selfs += n.Self
		}
		if tree.Nodes[0].Total != sum || selfs != sum {
			t.Fatalf("total %d, selfs %d, want %d", tree.Nodes[0].Total, selfs, sum)
		}
	}
}
