package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Movable tells whether the names in an expression, or a type, mean at another position what they
// mean where it stands.
func Movable(pass *analysis.Pass, e ast.Expr, to token.Pos) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ok = ok && Movable(pass, n.X, to)
			return false
		case *ast.FuncLit:
			ok = false
		case *ast.Ident:
			if obj := pass.TypesInfo.Uses[n]; obj != nil && Lookup(pass, to, n.Name) != obj {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// Predeclared tells whether names that Go declares have their meaning at a position.
func Predeclared(pass *analysis.Pass, at token.Pos, names ...string) bool {
	for _, name := range names {
		if Lookup(pass, at, name) != types.Universe.Lookup(name) {
			return false
		}
	}
	return true
}

// LineStart is where text goes that is to stand before a statement: before the comment that
// belongs to it, if there is one, else at the statement.
func LineStart(pass *analysis.Pass, stmt ast.Stmt) token.Pos {
	file := File(pass, stmt.Pos())
	if file == nil {
		return stmt.Pos()
	}
	at := stmt.Pos()
	line := func(p token.Pos) int { return pass.Fset.PositionFor(p, false).Line }
	for _, g := range file.Comments {
		// A comment that ends on the line above, and has its own.
		if g.End() <= at && line(g.End()) == line(at)-1 && ownLine(pass, g.Pos()) {
			return g.Pos()
		}
	}
	return at
}

// ownLine tells whether nothing but blanks stands before a position on its line.
func ownLine(pass *analysis.Pass, at token.Pos) bool {
	f := pass.Fset.File(at)
	text := Between(pass, f.LineStart(f.PositionFor(at, false).Line), at)
	for _, r := range text {
		if r != ' ' && r != '\t' {
			return false
		}
	}
	return true
}

// Commented tells whether a comment lies between two positions of a file.
func Commented(pass *analysis.Pass, from, to token.Pos) bool {
	file := File(pass, from)
	if file == nil {
		return true
	}
	for _, g := range file.Comments {
		if g.Pos() < to && g.End() > from {
			return true
		}
	}
	return false
}

// Before is the edit that puts text before a statement and its comment. Unlike an insertion, it is
// made once when several fixes ask for it.
func Before(pass *analysis.Pass, stmt ast.Stmt, text string) analysis.TextEdit {
	at := LineStart(pass, stmt)
	first := Between(pass, at, at+1)
	return analysis.TextEdit{Pos: at, End: at + token.Pos(len(first)), NewText: []byte(text + first)}
}
