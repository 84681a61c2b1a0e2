package pictures

import (
	"io"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/pages"
)

// FlameTree is the contents of a flame graph page, for programs.
type FlameTree struct {
	Schema   string          `json:"schema"` // "whet.flame/2"
	Title    string          `json:"title"`
	Facts    []pages.Fact    `json:"facts"`
	Views    []FlameTreeView `json:"views"`
	Warnings diag.Warnings   `json:"warnings,omitempty"`
}

// FlameTreeView is the call tree of one sample type.
type FlameTreeView struct {
	Type  string          `json:"type"`
	Unit  string          `json:"unit"`
	Total int64           `json:"total"` // 100% for shares
	Nodes []FlameTreeNode `json:"nodes"` // preorder; [0] is the root
	// Ordered is set if the children of a node are in the order of time.
	Ordered bool `json:"ordered,omitempty"`
}

// FlameTreeNode is one box.
type FlameTreeNode struct {
	Parent  int        `json:"parent"` // index in nodes; -1 for the root
	Name    string     `json:"name,omitempty"`
	Package string     `json:"package,omitempty"`
	File    string     `json:"file,omitempty"`
	Line    int        `json:"line,omitempty"`
	Kind    flame.Kind `json:"kind,omitempty"`
	Self    int64      `json:"self"`
	Total   int64      `json:"total"`
	Smaller int32      `json:"smaller,omitempty"` // stands for this many subtrees left out for size
}

// FlameJSON writes the contents of Flame's page as a FlameTree, unclipped.
func FlameJSON(w io.Writer, in FlameInput) error {
	doc := FlameTree{
		Schema: "whet.flame/2", Title: in.Title, Facts: in.Facts, Warnings: in.Warnings, Views: []FlameTreeView{},
	}
	for _, v := range in.Views {
		view := FlameTreeView{
			Type: v.Type.Type, Unit: v.Type.Unit, Total: v.Total,
			Nodes: make([]FlameTreeNode, len(v.Tree.Nodes)), Ordered: v.Ordered,
		}
		for i, n := range v.Tree.Nodes {
			node := FlameTreeNode{Parent: int(n.Parent), Self: n.Self, Total: n.Total, Smaller: n.Rest}
			switch {
			case i == 0:
				node.Parent = -1
			case n.Rest == 0:
				f := v.Frame(n.Node)
				node.Name, node.Package, node.File, node.Line, node.Kind = f.Name, f.Package, f.File, f.Line, f.Kind
			}
			view.Nodes[i] = node
		}
		doc.Views = append(doc.Views, view)
	}
	return report.JSON(w, doc)
}
