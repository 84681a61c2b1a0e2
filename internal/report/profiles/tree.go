package profiles

import (
	"io"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// A branch is the state of drawing one node of the tree.
type branch struct {
	shown bool
	kids  int    // shown children, including the line for the others
	drawn int    // the number of kids drawn so far
	rest  int    // children that are not shown
	left  int64  // their total
	cont  string // the prefix of its children's lines
}

// WriteTree writes a Tree as text. Nodes below minShare (0 to 1) of the total are summed up. An
// only child is drawn directly below its parent, so that long chains of calls do not run off the
// page.
func WriteTree(w io.Writer, s layout.Style, d documents.Tree, minShare float64) error {
	t := layout.NewWriter(w)
	writeHeader(t, s, d.Header)
	t.Line()
	if len(d.Nodes) <= 1 {
		t.Line(layout.NothingToShow)
		return t.Result()
	}
	bs := branches(d, minShare)
	var shown []documents.TreeNode
	for i, n := range d.Nodes {
		if bs[i].shown {
			shown = append(shown, n)
		}
	}
	total, own := func(n *documents.TreeNode) int64 { return n.Total }, func(n *documents.TreeNode) int64 { return n.Self }
	format := column(&d.Header, d.Header.Total, layout.Each(shown, total))
	value := func(v int64) string {
		if v == 0 {
			return "·"
		}
		return format(v)
	}
	costW := columnWidth("total", value, layout.Each(shown, total))
	selfW := columnWidth("self", value, layout.Each(shown, own))
	what := d.By + ", callees below"
	if d.BottomUp {
		what = d.By + ", callers below"
	}
	// Bottom-up, a stack ends at its outermost frame: a self cost would mean little.
	self := func(v string) string {
		if d.BottomUp {
			return ""
		}
		return layout.Right(v, selfW) + "  "
	}
	lead := ownShareW + 2 + costW + 2 + layout.Columns(self(""))
	t.Line(s.Paint(layout.Dim, layout.Right("share", ownShareW)+"  "+layout.Right("total", costW)+"  "+self("self")+what))
	row := func(share float64, total, own int64, art, name string, faint bool) {
		room := s.Remaining(lead, 10)
		art = fitArt(art, room-20)
		name = layout.Cut(name, room-layout.Columns(art))
		code, shade := layout.Heat(share), layout.Color("")
		if faint {
			code, shade = layout.Dim, layout.Dim
		}
		t.Line(s.Paint(code, layout.Right(layout.ColumnPercent(total, d.Header.Total), ownShareW)), "  ",
			layout.Right(value(total), costW), "  ",
			self(value(own)), s.Paint(layout.Dim, art), s.Paint(shade, name))
	}
	// The line for the children that a node leaves out comes after its last shown descendant: open
	// holds the nodes on the path to the current one.
	var open []int
	closeTo := func(parent int) {
		for len(open) > 0 && (parent < 0 || open[len(open)-1] != parent) {
			p := open[len(open)-1]
			open = open[:len(open)-1]
			if b := &bs[p]; b.rest > 0 && b.drawn < b.kids {
				art, _ := b.next()
				row(0, b.left, 0, art, layout.Plural(b.rest, "more", "more"), true)
			}
		}
	}
	for i, n := range d.Nodes {
		if !bs[i].shown {
			continue
		}
		art := ""
		if i > 0 {
			closeTo(n.Parent)
			art, bs[i].cont = bs[n.Parent].next()
			room := s.Remaining(lead+layout.Columns(art), 10)
			row(n.Share, n.Total, n.Self, art, FitNode(n.Name, d.By, room), false)
		} else {
			row(n.Share, n.Total, n.Self, "", "all", false)
		}
		open = append(open, i)
	}
	closeTo(-1)
	return t.Result()
}

// branches decides which nodes are shown and how many children each draws.
func branches(d documents.Tree, minShare float64) []branch {
	bs := make([]branch, len(d.Nodes))
	for i, n := range d.Nodes {
		if i == 0 {
			bs[i].shown = true
			continue
		}
		p := &bs[n.Parent]
		if !p.shown {
			continue
		}
		if n.Rest == 0 && (n.Share >= minShare || -n.Share >= minShare) {
			bs[i].shown = true
			p.kids++
			continue
		}
		p.rest += max(n.Rest, 1)
		p.left += n.Total
	}
	for i := range bs {
		b := &bs[i]
		if share := unit.Share(b.left, d.Header.Total); b.rest > 0 && (share >= minShare || -share >= minShare) {
			b.kids++
		} else {
			b.rest = 0
		}
	}
	return bs
}

// next returns the art before the next child's line and before what is below it.
func (b *branch) next() (art, cont string) {
	b.drawn++
	switch {
	case b.kids == 1:
		return b.cont, b.cont
	case b.drawn == b.kids:
		return b.cont + "└ ", b.cont + "  "
	}
	return b.cont + "├ ", b.cont + "│ "
}

// fitArt shortens the art of a deep branch from its left.
func fitArt(art string, n int) string {
	if layout.Columns(art) <= n || n < 4 {
		return art
	}
	return "… " + layout.LastRunes(art, (n-2)/2*2)
}
