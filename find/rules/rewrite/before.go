package rewrite

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// Statement returns the innermost statement around a node that another statement can be inserted
// before: it is in the list of a block or a case. ok is false outside functions.
func Statement(c inspector.Cursor) (stmt inspector.Cursor, ok bool) {
	for ; c.Valid() && c.Node() != nil; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
			switch c.Node().(type) {
			case *ast.CaseClause, *ast.CommClause: // of a switch, whose body is a block
				continue
			}
			return c, true
		case edge.FuncDecl_Body, edge.FuncDecl_Type:
			return inspector.Cursor{}, false
		}
	}
	return inspector.Cursor{}, false
}

// Before returns the edit that inserts a statement before another one, and before the comment lines
// directly above that, if it is the first on its line: otherwise they are about something else.
func Before(pass *analysis.Pass, stmt ast.Node, text string) analysis.TextEdit {
	at := stmt.Pos()
	file := File(pass, at)
	tf := pass.Fset.File(at)
	if file == nil || strings.TrimSpace(Between(pass, tf.LineStart(tf.Line(at)), at)) != "" {
		return Insert(at, text+"\n")
	}
	for _, group := range file.Comments {
		if group.End() > at {
			break
		}
		first := tf.LineStart(tf.Line(group.Pos()))
		if tf.Line(group.End()) == tf.Line(at)-1 && strings.TrimSpace(Between(pass, first, group.Pos())) == "" {
			at = group.Pos()
			break
		}
	}
	return Insert(at, text+"\n")
}

// LocalNames returns unused names for new variables of one function: nothing in its declaration has
// them.
func LocalNames(pass *analysis.Pass, decl *ast.FuncDecl) *Names {
	n := &Names{pass: pass, taken: map[string]bool{}}
	ast.Inspect(decl, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok {
			n.taken[id.Name] = true
		}
		return true
	})
	return n
}

// Means reports whether all names in an expression have the same meaning at another position of the
// package.
func Means(pass *analysis.Pass, e ast.Expr, at token.Pos) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			same = false // declares its own names
		case *ast.KeyValueExpr:
			same = false // a key may be a field
		case *ast.SelectorExpr:
			same = same && Means(pass, n.X, at)
			return false
		case *ast.Ident:
			obj := pass.TypesInfo.ObjectOf(n)
			same = same && obj != nil && n.Name != "_" && Lookup(pass, at, n.Name) == obj
		}
		return same
	})
	return same
}
