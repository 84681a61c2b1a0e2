package documents

import (
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// TreeSchema is the schema of Tree.
const TreeSchema = "whet.tree/2"

// Tree is the document of whet tree: the call tree, in which equal stacks share their prefix. It
// has the same nodes as the flame graph of the same query.
type Tree struct {
	Schema   string        `json:"schema"`
	Header   Header        `json:"profile"`
	By       string        `json:"by"`
	BottomUp bool          `json:"bottom_up"` // children are callers
	Nodes    []TreeNode    `json:"nodes"`     // preorder, heaviest child first; [0] is the root
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A TreeNode is a node of a Tree. A rest node sums siblings that are left out to limit the size.
type TreeNode struct {
	Name   string  `json:"name,omitempty"`
	File   string  `json:"file,omitempty"`
	Line   int     `json:"line,omitempty"`
	Parent int     `json:"parent"` // index in Nodes; 0 for the root itself
	Self   int64   `json:"self"`
	Total  int64   `json:"total"`
	Share  float64 `json:"share"` // Total of Header.Total, 0 to 1
	Rest   int     `json:"rest,omitempty"`
}

// NewTree returns the document of a view's n heaviest tree nodes (0: all).
func NewTree(h Header, v *profile.View, n int, bottomUp bool) Tree {
	by := v.Query().By
	src := v.Tree(n, bottomUp).Nodes
	d := Tree{Schema: TreeSchema, Header: h, By: by.String(), BottomUp: bottomUp, Nodes: make([]TreeNode, len(src))}
	for i, s := range src {
		t := &d.Nodes[i]
		*t = TreeNode{
			Parent: int(s.Parent), Self: s.Self, Total: s.Total, Share: unit.Share(s.Total, h.Total),
			Rest: int(s.Rest),
		}
		if i > 0 && s.Rest == 0 {
			node := v.Node(s.Node)
			t.Name, t.File, t.Line = nodes.Name(node, by), node.File, node.Line
		}
	}
	return d
}
