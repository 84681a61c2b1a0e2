package textbuild

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A list is a variable of strings that are collected, and then joined.
type list struct {
	variable

	first     []ast.Expr         // initial elements
	grown     []inspector.Cursor // the statements that append to it, in order
	added     [][]ast.Expr       // what they append
	joined    []inspector.Cursor // the calls of strings.Join
	separator string
}

// listed returns the list for a variable: false if it is used for anything other than being
// appended to, and then joined.
func listed(info *types.Info, v variable, within inspector.Cursor) (*list, bool) {
	l := &list{variable: v}
	if !types.Identical(v.v.Type(), types.NewSlice(types.Typ[types.String])) || !l.begins(info) {
		return nil, false
	}
	for _, use := range flow.Uses(info, within, v.v) {
		if use.Node().Pos() == v.v.Pos() {
			continue
		}
		if s, ok := l.grows(info, use); ok {
			if s.Valid() {
				l.grown = append(l.grown, s)
			}
			continue
		}
		if !l.joins(info, use) {
			return nil, false
		}
	}
	return l, len(l.grown) > 0 && l.endsJoined() && flow.Private(info, within, v.v) && !flow.Jumps(within)
}

// begins records the initial elements of the list, and reports whether it is usable.
func (l *list) begins(info *types.Info) bool {
	x := ast.Unparen(l.value)
	if call, ok := x.(*ast.CallExpr); ok && flow.Builtin(info, call) == "append" &&
		!call.Ellipsis.IsValid() && len(call.Args) > 0 {
		l.first = call.Args[1:]
		x = ast.Unparen(call.Args[0])
	}
	switch x := x.(type) {
	case nil:
		return true
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if _, isKeyed := e.(*ast.KeyValueExpr); isKeyed {
				return false
			}
		}
		l.first = append(x.Elts[:len(x.Elts):len(x.Elts)], l.first...)
		return true
	case *ast.CallExpr:
		if flow.Builtin(info, x) != "make" || len(x.Args) != 3 {
			return false
		}
		n, ok := flow.IntConst(info, x.Args[1])
		return ok && n == 0 && isCount(info, x.Args[2])
	}
	return false
}

// isCount reports whether an expression has no side effects and is never negative, for which make
// would panic.
func isCount(info *types.Info, e ast.Expr) bool {
	if n, ok := flow.IntConst(info, e); ok {
		return n >= 0
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.MUL) && isCount(info, e.X) && isCount(info, e.Y)
	case *ast.CallExpr:
		return flow.Builtin(info, e) == "len" && isSafeRead(info, e.Args[0])
	}
	return false
}

// isSafeRead reports whether an expression is a variable or a field that can be read without
// dereferencing a pointer.
func isSafeRead(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		s := info.Selections[e]
		return s == nil || !s.Indirect() && s.Kind() == types.FieldVal && isSafeRead(info, e.X)
	}
	return false
}

// grows recognizes both uses in l = append(l, x), and returns the statement with the first.
func (l *list) grows(info *types.Info, use inspector.Cursor) (stmt inspector.Cursor, ok bool) {
	if use.ParentEdgeKind() == edge.CallExpr_Args { // its statement is already known
		for _, g := range l.grown {
			if use.Parent().Parent() == g && use.ParentEdgeIndex() == 0 {
				return stmt, true
			}
		}
	}
	if use.ParentEdgeKind() != edge.AssignStmt_Lhs {
		return stmt, false
	}
	s, ok := use.Parent().Node().(*ast.AssignStmt)
	if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 || !flow.InBlock(use.Parent()) {
		return stmt, false
	}
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || flow.Builtin(info, call) != "append" || len(call.Args) < 2 || call.Ellipsis.IsValid() {
		return stmt, false
	}
	if id, ok := call.Args[0].(*ast.Ident); !ok || info.ObjectOf(id) != types.Object(l.v) {
		return stmt, false
	}
	l.added = append(l.added, call.Args[1:])
	return use.Parent(), true
}

// joins records a strings.Join of the list, and reports whether it is usable, with a constant
// separator.
func (l *list) joins(info *types.Info, use inspector.Cursor) bool {
	call, ok := use.Parent().Node().(*ast.CallExpr)
	if !ok || use.ParentEdgeKind() != edge.CallExpr_Args ||
		flow.Callee(info, call) != "strings.Join" || len(call.Args) != 2 {
		return false
	}
	separator, ok := flow.StringConst(info, call.Args[1])
	if !ok || len(l.joined) > 0 && separator != l.separator {
		return false
	}
	l.separator = separator
	l.joined = append(l.joined, use.Parent())
	return true
}

// endsJoined reports whether the list is joined once each time it is collected: after the last
// element, or where the function returns.
func (l *list) endsJoined() bool {
	returns := true
	for _, j := range l.joined {
		isReturned := j.ParentEdgeKind() == edge.ReturnStmt_Results
		if !isReturned && l.loops(j) {
			return false
		}
		returns = returns && isReturned
	}
	last := l.grown[len(l.grown)-1]
	return returns && len(l.joined) > 0 || len(l.joined) == 1 && l.joined[0].Node().Pos() > last.Node().End()
}

// report reports the places where the list allocates, with one fix.
func (l *list) report(pass *analysis.Pass, fix analysis.SuggestedFix) {
	if l.value != nil {
		rules.Report(pass, l.decl.Node(), "list", l.v.Name()+" exists only to be joined, which copies its strings", fix)
	}
	for _, g := range l.grown {
		rules.Report(pass, g.Node(), "list", l.v.Name()+" grows only to be joined, which copies its strings", fix)
	}
}

// fix returns the fix that appends the strings themselves, without edits if that is impossible. If
// the list may be empty, a separator follows each string, and the last one is cut off: after an
// empty first string it would be unknown whether one is due.
func (l *list) fix(pass *analysis.Pass, within inspector.Cursor) analysis.SuggestedFix {
	none := rules.None("an element of " + l.v.Name() + " or its separator has no form that appends, or a comment " +
		"would be lost: with strings and numbers, they are appended to one buffer")
	if !rewrite.Predeclared(pass, l.decl.Node().End(),
		"append", "make", "byte", "string", "int64", "uint64", "float64", "bool",
	) {
		return none
	}
	b := &buffer{pass: pass, within: within, name: rewrite.NewLocals(pass).Fresh(l.v.Pos(), "joined")}
	before, after, cut := l.separator, "", false
	if len(l.first) == 0 {
		before, after, cut = "", l.separator, l.separator != ""
	}
	if len(l.first) > 1 && !flow.InOrder(pass.TypesInfo, within, l.first) {
		return none
	}
	var edits []analysis.TextEdit
	put := func(n ast.Node, text string) bool {
		edits = append(edits, rewrite.Replace(n, text))
		return !rewrite.HasComment(pass, n.Pos(), n.End())
	}
	var begin []string
	for i, x := range l.first {
		between := before
		if i == 0 {
			between = ""
		}
		lines, ok := b.lines(between, []ast.Expr{x}, "")
		if !ok {
			return none
		}
		begin = append(begin, lines)
	}
	for i, g := range l.grown {
		was := b.size
		lines, ok := b.lines(before, l.added[i], after)
		if !ok || !put(g.Node(), lines) {
			return none
		}
		if l.loops(g) {
			b.size += (b.size - was) * 3 // an estimate
		}
	}
	if !put(l.decl.Node(), strings.Join(append([]string{b.made()}, begin...), "\n")) {
		return none
	}
	for _, j := range l.joined {
		text := "string(" + b.name + ")"
		if cut {
			call, _ := j.Node().(*ast.CallExpr)
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return none
			}
			text = fmt.Sprintf("%s.TrimSuffix(%s, "+
				"%s)", rewrite.Text(pass, sel.X), text, rewrite.Text(pass, call.Args[1]))
		}
		if !put(j.Node(), text) {
			return none
		}
	}
	return analysis.SuggestedFix{Message: "Append to one buffer", TextEdits: append(edits, b.imports...)}
}
