package concat

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

// build returns the fix that turns a variable into a Builder, without edits if that is impossible.
func (r *rule) build(v *types.Var, at inspector.Cursor) analysis.SuggestedFix {
	fix, ok := r.builders[v]
	if !ok {
		if within, inFunc := flow.Outermost(at); inFunc {
			fix = r.builder(v, within)
		}
		r.builders[v] = fix
	}
	return fix
}

func (r *rule) builder(v *types.Var, within inspector.Cursor) analysis.SuggestedFix {
	info := r.pass.TypesInfo
	switch {
	case !flow.IsString(v.Type()):
		return rules.None(v.Name() + " is of type " + types.TypeString(v.Type(), types.RelativeTo(r.pass.Pkg)) +
			": with a strings.Builder that is converted at the end, each part is copied once")
	case v.Name() == "_" || !flow.Private(info, within, v):
		return rules.None(v.Name() + " is used outside the function or through its address: with a local variable, " +
			"it can be a strings.Builder")
	}
	pkg, edits, ok := rewrite.Import(r.pass, v.Pos(), "strings")
	if !ok {
		return rules.None(rules.Shadowed)
	}
	for _, use := range flow.Uses(info, within, v) {
		more, ok := r.replaceUse(v, use, within, pkg)
		if !ok {
			line := r.pass.Fset.Position(use.Node().Pos()).Line
			return rules.None(fmt.Sprintf("line %d sets %s or adds to it in a way that a strings.Builder cannot "+
				"repeat: without that, it is built in one", line, v.Name()))
		}
		edits = append(edits, more...)
	}
	return analysis.SuggestedFix{Message: "Build the string with a strings.Builder", TextEdits: edits}
}

// replaceUse returns the replacement of one use of a variable that becomes a Builder.
func (r *rule) replaceUse(v *types.Var, use, within inspector.Cursor, pkg string) ([]analysis.TextEdit, bool) {
	info := r.pass.TypesInfo
	if use.Node().Pos() == v.Pos() {
		return r.declare(use, pkg)
	}
	if parent, ok := use.Parent().Node().(*ast.AssignStmt); ok && use.ParentEdgeKind() == edge.AssignStmt_Lhs {
		g := r.growth(use.Parent())
		if g == nil || g.before || g.obj != v || !flow.InBlock(use.Parent()) ||
			rewrite.HasComment(r.pass, parent.Pos(), parent.End()) {
			return nil, false
		}
		if _, pads := r.pad(g); pads {
			return nil, false // the two rewrites would conflict
		}
		text, ok := r.write(v, within, g.added)
		return []analysis.TextEdit{rewrite.Replace(parent, text)}, ok
	}
	if flow.IsSet(use) {
		return nil, false
	}
	// The first operand of s = s + x is replaced along with its statement.
	if top, ok := statement(use); ok {
		if g := r.growth(top); g != nil && g.obj == v {
			return nil, isUse(info, flow.Operands(info, g.stmt.Rhs[0])[0], v) &&
				g.stmt.Tok == token.ASSIGN && !mentions(info, g.added, v)
		}
	}
	if call, ok := use.Parent().Node().(*ast.CallExpr); ok && use.ParentEdgeKind() == edge.CallExpr_Args &&
		flow.Builtin(info, call) == "len" {
		return []analysis.TextEdit{rewrite.Replace(call, v.Name()+".Len()")}, true
	}
	return []analysis.TextEdit{rewrite.Replace(use.Node(), v.Name()+".String()")}, true
}

// statement returns the assignment around an expression, if the expression belongs to it.
func statement(c inspector.Cursor) (inspector.Cursor, bool) {
	for ; c.Valid() && c.Node() != nil; c = c.Parent() {
		switch c.Node().(type) {
		case *ast.AssignStmt:
			return c, true
		case ast.Stmt, ast.Decl, *ast.FuncLit:
			return inspector.Cursor{}, false
		}
	}
	return inspector.Cursor{}, false
}

func mentions(info *types.Info, exprs []ast.Expr, v *types.Var) bool {
	for _, e := range exprs {
		if flow.Mentions(info, e, v) {
			return true
		}
	}
	return false
}

// declare returns the replacement of the variable's declaration, if that is a statement for it
// alone.
func (r *rule) declare(use inspector.Cursor, pkg string) ([]analysis.TextEdit, bool) {
	var stmt inspector.Cursor
	var value ast.Expr
	id, ok := use.Node().(*ast.Ident)
	if !ok {
		return nil, false
	}
	switch n := use.Parent().Node().(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) != 1 || len(n.Rhs) != 1 || n.Tok != token.DEFINE {
			return nil, false
		}
		stmt, value = use.Parent(), n.Rhs[0]
	case *ast.ValueSpec:
		decl := use.Parent().Parent()
		d, ok := decl.Node().(*ast.GenDecl)
		if !ok || len(d.Specs) != 1 || len(n.Names) != 1 || len(n.Values) > 1 || decl.ParentEdgeKind() != edge.DeclStmt_Decl {
			return nil, false
		}
		stmt = decl.Parent()
		if len(n.Values) > 0 {
			value = n.Values[0]
		}
	default:
		return nil, false
	}
	if !flow.InBlock(stmt) || rewrite.HasComment(r.pass, stmt.Node().Pos(), stmt.Node().End()) {
		return nil, false
	}
	text := "var " + id.Name + " " + pkg + ".Builder"
	if value != nil {
		if s, isConst := flow.StringConst(r.pass.TypesInfo, value); !isConst || s != "" {
			if !flow.IsString(types.Default(r.pass.TypesInfo.TypeOf(value))) {
				return nil, false
			}
			text += "\n" + id.Name + ".WriteString(" + rewrite.Text(r.pass, value) + ")"
		}
	}
	return []analysis.TextEdit{rewrite.Replace(stmt.Node(), text)}, true
}

// write returns the calls that append to the Builder, one per operand, if that is allowed.
func (r *rule) write(v *types.Var, within inspector.Cursor, added []ast.Expr) (string, bool) {
	info := r.pass.TypesInfo
	if mentions(info, added, v) || !flow.InOrder(info, within, added) {
		return "", false
	}
	var lines []string
	for _, e := range added {
		method, arg := "WriteString", e
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && info.Types[e].Value == nil {
			if _, converts := flow.Conversion(info, call); converts {
				switch t := info.TypeOf(call.Args[0]); {
				case types.AssignableTo(t, types.NewSlice(types.Typ[types.Byte])):
					method, arg = "Write", call.Args[0]
				case types.Identical(t, types.Typ[types.Rune]):
					method, arg = "WriteRune", call.Args[0]
				}
			}
		}
		if method == "WriteString" && !flow.IsString(types.Default(info.TypeOf(e))) {
			return "", false
		}
		lines = append(lines, v.Name()+"."+method+"("+rewrite.Text(r.pass, arg)+")")
	}
	return strings.Join(lines, "\n"), true
}
