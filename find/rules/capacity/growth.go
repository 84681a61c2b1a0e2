package capacity

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
)

// maxGrowths is the maximum number of appends to a slice that are analyzed: more are generated
// code, and each is compared with all others.
const maxGrowths = 200

// A growth is a statement that adds elements to a variable.
type growth struct {
	stmt   inspector.Cursor
	at     ast.Node // reported node
	count  int      // number of elements
	spread ast.Expr // whose elements are added, in append(x, spread...)
	key    ast.Expr // for a map
	loops  []inspector.Cursor
	always bool // it is in the statement list of the declaration itself
}

// text returns the constant whose bytes are appended, in append(x, "text"...).
func (g *growth) text(info *types.Info) (string, bool) {
	if g.spread == nil {
		return "", false
	}
	return flow.StringConst(info, g.spread)
}

// growths are the growths of one variable, by statement.
type growths map[ast.Stmt]*growth

// within reports whether a statement contains growths.
func (g growths) within(s ast.Node) bool {
	for stmt := range g {
		if s.Pos() <= stmt.Pos() && stmt.Pos() < s.End() {
			return true
		}
	}
	return false
}

// appends returns the growth that a use of a slice is part of, in x = append(x, …).
func (f *growthFinder) appends(v *variable, use inspector.Cursor) *growth {
	c := use
	if c.ParentEdgeKind() == edge.CallExpr_Args && c.ParentEdgeIndex() == 0 {
		c = c.Parent()
	}
	switch c.ParentEdgeKind() {
	case edge.AssignStmt_Lhs, edge.AssignStmt_Rhs:
	default:
		return nil
	}
	s, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 ||
		flow.Variable(f.pass.TypesInfo, s.Lhs[0]) != v.obj {
		return nil
	}
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || flow.Builtin(f.pass.TypesInfo, call) != "append" || len(call.Args) < 2 ||
		flow.Variable(f.pass.TypesInfo, call.Args[0]) != v.obj {
		return nil
	}
	g := &growth{stmt: c.Parent(), at: call.Fun, count: len(call.Args) - 1}
	if call.Ellipsis.IsValid() {
		g.count, g.spread = 0, call.Args[1]
	}
	return g
}

// A use is a use of a variable that does not append to it.
type use struct {
	inspector.Cursor
	at      token.Pos
	returns bool // it is part of the function's result
}

// A history is what happens to a slice.
type history struct {
	grown growths
	order []*growth
	// observing contains the uses that can distinguish nil from empty, or observe where the memory
	// is.
	observing []use
	end       token.Pos // end of the last growth, or of the loop around it
}

// history returns the history of a slice, or nil if allocating in advance would change behavior.
func (f *growthFinder) history(v *variable) *history {
	h := &history{grown: growths{}}
	var others []inspector.Cursor
	for _, c := range f.places[v.obj] {
		if c.Node().Pos() == v.obj.Pos() {
			continue
		}
		inside, _ := flow.Func(c)
		if g := f.appends(v, c); g != nil && inside == v.fn && inList(g.stmt) {
			s, ok := g.stmt.Node().(ast.Stmt)
			if ok && h.grown[s] == nil {
				g.loops = v.loops(g.stmt)
				g.always = g.stmt.Parent() == v.decl.Parent()
				h.grown[s] = g
				h.order = append(h.order, g)
				h.end = max(h.end, s.End())
				for _, l := range g.loops {
					h.end = max(h.end, l.Node().End())
				}
			}
			continue
		}
		others = append(others, c)
	}
	if len(h.order) == 0 || len(h.order) > maxGrowths {
		return nil
	}
	begin := h.order[0].stmt.Node().Pos()
	for _, l := range h.order[0].loops {
		begin = min(begin, l.Node().Pos())
	}
	for _, c := range others {
		u := use{Cursor: c, at: c.Node().Pos(), returns: returned(c)}
		inside, _ := flow.Func(c)
		if isCap(f, c) || u.at < h.end && (inside != v.fn || flow.IsSet(c) || flow.Addresses(f.pass.TypesInfo, c)) {
			return nil
		}
		if inside == v.fn && f.ignoresNil(c) {
			continue
		}
		// The slice escapes while it grows.
		if begin <= u.at && u.at < h.end && !u.returns {
			return nil
		}
		h.observing = append(h.observing, u)
	}
	return h
}

func isCap(f *growthFinder, c inspector.Cursor) bool {
	call, ok := c.Parent().Node().(*ast.CallExpr)
	return ok && flow.Builtin(f.pass.TypesInfo, call) == "cap"
}

// returned reports whether a use is in a return statement of the variable's function.
func returned(c inspector.Cursor) bool {
	for p := range c.Enclosing((*ast.ReturnStmt)(nil), (*ast.FuncLit)(nil)) {
		_, ok := p.Node().(*ast.ReturnStmt)
		return ok
	}
	return false
}

// ignoresNil reports whether a use of a slice is the same for nil and an empty one, and does not
// retain it.
func (f *growthFinder) ignoresNil(c inspector.Cursor) bool {
	switch c.ParentEdgeKind() {
	case edge.RangeStmt_X, edge.IndexExpr_X:
		return true
	case edge.CallExpr_Args:
	default:
		return false
	}
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok {
		return false
	}
	if to, ok := flow.Conversion(f.pass.TypesInfo, call); ok {
		b, ok := to.Underlying().(*types.Basic)
		return ok && b.Kind() == types.String
	}
	switch flow.Builtin(f.pass.TypesInfo, call) {
	case "len", "copy", "clear":
		return true
	case "append":
		return c.ParentEdgeIndex() == 1 && call.Ellipsis.IsValid()
	}
	switch flow.Callee(f.pass.TypesInfo, call) {
	case "strings.Join", "bytes.Join",
		"sort.Strings", "sort.Ints", "sort.Float64s",
		"slices.Sort", "slices.Contains", "slices.Index", "slices.Reverse":
		return true
	}
	return false
}

// appendsEachTime reports whether every iteration of a loop appends something before the slice is
// used otherwise, and the loop always runs to its end.
func (h *history) appendsEachTime(loop inspector.Cursor) bool {
	body := loopBody(loop.Node())
	if body == nil {
		return false
	}
	i := slices.IndexFunc(body.List, h.grown.alwaysAppends)
	if i < 0 {
		return false
	}
	sure := body.List[i]
	for _, u := range h.observing {
		if loop.Node().Pos() <= u.at && u.at < sure.End() {
			return false
		}
	}
	return alwaysReaches(body, sure.End())
}

// alwaysAppends reports whether a statement appends something on every path.
func (g growths) alwaysAppends(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return g[s] != nil && g[s].count > 0
	case *ast.BlockStmt:
		return slices.ContainsFunc(s.List, g.alwaysAppends)
	case *ast.IfStmt:
		return s.Else != nil && g.alwaysAppends(s.Body) && g.alwaysAppends(s.Else)
	}
	return false
}

// alwaysReaches reports whether every iteration of a loop with this body reaches a position in it,
// and the loop always runs to its end.
func alwaysReaches(body *ast.BlockStmt, to token.Pos) bool {
	return !slices.ContainsFunc(flow.Exits(body), func(e flow.Exit) bool { return e.Ends || e.Stmt.Pos() < to })
}

func loopBody(loop ast.Node) *ast.BlockStmt {
	switch l := loop.(type) {
	case *ast.ForStmt:
		return l.Body
	case *ast.RangeStmt:
		return l.Body
	}
	return nil
}
