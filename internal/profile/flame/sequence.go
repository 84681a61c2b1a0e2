package flame

import "github.com/whet-go/whet/profile"

// A Sequence makes the tree of stacks in the order in which they are added: equal calls are one node
// only while they follow each other. What a function costs without its calls is after them.
type Sequence struct {
	nodes []profile.TreeNode
	open  []uint32 // the nodes of the last stack, the outermost first
}

// NewSequence returns an empty sequence.
func NewSequence() *Sequence { return &Sequence{nodes: make([]profile.TreeNode, 1)} }

// Add adds a stack: the ids of its functions, the outermost first. It costs value, which is at least 0.
func (s *Sequence) Add(stack []uint32, value int64) {
	same := 0
	for same < min(len(stack), len(s.open)) && s.nodes[s.open[same]].Node == stack[same] {
		same++
	}
	s.open = s.open[:same]
	for _, id := range stack[same:] {
		n := profile.TreeNode{Node: id}
		if len(s.open) > 0 {
			n.Parent = s.open[len(s.open)-1]
		}
		s.open = append(s.open, uint32(len(s.nodes)))
		s.nodes = append(s.nodes, n)
	}
	s.nodes[0].Total += value
	for _, at := range s.open {
		s.nodes[at].Total += value
	}
	last := uint32(0)
	if len(s.open) > 0 {
		last = s.open[len(s.open)-1]
	}
	s.nodes[last].Self += value
}

// Tree returns the tree, in preorder. The sequence must not be used after it.
func (s *Sequence) Tree() *profile.Tree { return &profile.Tree{Nodes: s.nodes} }
