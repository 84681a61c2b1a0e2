package concat

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A padding is a loop that only appends or prepends one string, written as an if statement that
// does so at once.
type padding struct {
	header string // if CONDITION
	count  string // number of repetitions
	fill   string // the string
	define string // a statement before it, or ""
}

// pad returns the fix for a loop that contains nothing but a growth; false if it contains more.
func (r *rule) pad(g *growth) (analysis.SuggestedFix, bool) {
	none := analysis.SuggestedFix{}
	info := r.pass.TypesInfo
	within, ok := flow.Outermost(g.at)
	block, isBlock := g.at.Parent().Node().(*ast.BlockStmt)
	if !ok || !isBlock || len(block.List) != 1 || len(g.added) != 1 || !flow.IsString(g.obj.Type()) ||
		flow.Variable(info, g.stmt.Lhs[0]) == nil || !flow.Private(info, within, g.obj) {
		return none, false
	}
	loop := g.at.Parent().Parent()
	if loop.ParentEdgeKind() == edge.LabeledStmt_Stmt ||
		rewrite.HasComment(r.pass, loop.Node().Pos(), block.Lbrace) ||
		rewrite.HasComment(r.pass, g.stmt.Pos(), g.stmt.End()) {
		return none, false
	}
	fill := g.added[0]
	if flow.Calls(info, fill) || flow.Mentions(info, fill, g.obj) || !flow.IsString(types.Default(info.TypeOf(fill))) {
		return none, false
	}
	var p padding
	switch l := loop.Node().(type) {
	case *ast.ForStmt:
		switch {
		case l.Init == nil && l.Post == nil:
			p, ok = r.padBytes(g, l, fill)
		default:
			p, ok = r.padIterations(g, l, fill)
		}
	case *ast.RangeStmt:
		p, ok = r.padRange(g, l, fill)
	default:
		return none, false
	}
	if !ok {
		return none, false
	}
	pkg, edits, ok := rewrite.Import(r.pass, g.stmt.Pos(), "strings")
	if !ok {
		return none, false
	}
	repeat := fmt.Sprintf("%s.Repeat(%s, %s)", pkg, p.fill, p.count)
	text := g.obj.Name() + " += " + repeat
	if g.before {
		text = g.obj.Name() + " = " + repeat + " + " + g.obj.Name()
	}
	edits = append(edits,
		analysis.TextEdit{Pos: loop.Node().Pos(), End: block.Lbrace, NewText: []byte(p.header + " ")},
		rewrite.Replace(g.stmt, p.define+text),
	)
	return analysis.SuggestedFix{Message: "Pad with one call of strings.Repeat", TextEdits: edits}, true
}

// padIterations handles for n := FROM; n < TO; n++, which counts iterations.
func (r *rule) padIterations(g *growth, l *ast.ForStmt, fill ast.Expr) (padding, bool) {
	info := r.pass.TypesInfo
	init, ok1 := l.Init.(*ast.AssignStmt)
	cond, ok2 := l.Cond.(*ast.BinaryExpr)
	post, ok3 := l.Post.(*ast.IncDecStmt)
	if !ok1 || !ok2 || !ok3 || init.Tok != token.DEFINE ||
		len(init.Lhs) != 1 || len(init.Rhs) != 1 ||
		cond.Op != token.LSS || post.Tok != token.INC {
		return padding{}, false
	}
	n := flow.Variable(info, init.Lhs[0])
	to := cond.Y
	if n == nil || !types.Identical(n.Type(), types.Typ[types.Int]) ||
		!isUse(info, cond.X, n) || !isUse(info, post.X, n) ||
		!r.steady(g, to) || flow.Mentions(info, to, n) || flow.Mentions(info, fill, n) {
		return padding{}, false
	}
	p := padding{fill: rewrite.Text(r.pass, fill)}
	from, isConst := flow.IntConst(info, init.Rhs[0])
	switch {
	case isConst && from == 0:
		p.header = "if " + rewrite.Text(r.pass, to) + " > 0"
		p.count = rewrite.Text(r.pass, to)
	case isConst && from > 0, isCount(info, init.Rhs[0]):
		// FROM is not negative, so the difference does not overflow.
		p.header = "if " + rewrite.Text(r.pass, init) + "; " + rewrite.Text(r.pass, cond)
		p.count = operand(r.pass, to) + "-" + n.Name()
	default:
		return padding{}, false
	}
	return p, !isConst || info.Types[to].Value == nil
}

// padRange handles for range COUNT.
func (r *rule) padRange(g *growth, l *ast.RangeStmt, fill ast.Expr) (padding, bool) {
	if l.Key != nil || !r.steady(g, l.X) || r.pass.TypesInfo.Types[l.X].Value != nil ||
		!types.Identical(r.pass.TypesInfo.TypeOf(l.X), types.Typ[types.Int]) {
		return padding{}, false
	}
	turns := rewrite.Text(r.pass, l.X)
	return padding{header: "if " + turns + " > 0", count: turns, fill: rewrite.Text(r.pass, fill)}, true
}

// padBytes handles for len(s) < TO, which counts bytes. With an empty fill it would never end, so
// the fill must be known not to be empty.
func (r *rule) padBytes(g *growth, l *ast.ForStmt, fill ast.Expr) (padding, bool) {
	info := r.pass.TypesInfo
	cond, ok := l.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS || !r.steady(g, cond.Y) {
		return padding{}, false
	}
	length, ok := ast.Unparen(cond.X).(*ast.CallExpr)
	if !ok || flow.Builtin(info, length) != "len" || len(length.Args) != 1 || !isUse(info, length.Args[0], g.obj) {
		return padding{}, false
	}
	missing := operand(r.pass, cond.Y) + "-" + rewrite.Text(r.pass, length)
	p := padding{header: "if " + rewrite.Text(r.pass, cond), fill: rewrite.Text(r.pass, fill)}
	if s, isConst := flow.StringConst(info, fill); isConst {
		switch len(s) {
		case 0:
			return padding{}, false
		case 1:
			p.count = missing
		default:
			p.count = fmt.Sprintf("(%s-1)/%d+1", missing, len(s))
		}
		return p, true
	}
	call, ok := ast.Unparen(fill).(*ast.CallExpr)
	if !ok {
		return padding{}, false
	}
	_, converts := flow.Conversion(info, call)
	from, isBasic := info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	if !converts || !isBasic || from.Info()&types.IsInteger == 0 {
		return padding{}, false
	}
	name := r.names.Fresh("piece")
	p.define = name + " := " + p.fill + "\n"
	p.fill = name
	p.count = fmt.Sprintf("(%s-1)/len(%s)+1", missing, name)
	return p, true
}

// steady reports whether the bound of a loop, an int, is the same in every iteration, as far as the
// loop's own code shows.
func (r *rule) steady(g *growth, to ast.Expr) bool {
	info := r.pass.TypesInfo
	t := info.TypeOf(to)
	return t != nil && types.Identical(types.Default(t), types.Typ[types.Int]) &&
		!flow.Calls(info, to) && !flow.Mentions(info, to, g.obj)
}

// isCount reports whether an expression is of type int and never negative.
func isCount(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	switch flow.Callee(info, call) {
	case "unicode/utf8.RuneCountInString", "unicode/utf8.RuneCount":
		return true
	}
	return flow.Builtin(info, call) == "len"
}

// operand returns the text of an expression for use as the left operand of a minus.
func operand(pass *analysis.Pass, e ast.Expr) string {
	text := rewrite.Text(pass, e)
	if _, ok := ast.Unparen(e).(*ast.BinaryExpr); ok {
		return "(" + text + ")"
	}
	return text
}
