package flow

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/inspector"
)

// Jumps reports whether a function contains a goto, which must not jump over a new variable, and
// which makes the order of statements differ from the order of execution.
func Jumps(f inspector.Cursor) bool {
	for c := range f.Preorder((*ast.BranchStmt)(nil)) {
		if b, ok := c.Node().(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			return true
		}
	}
	return false
}

// An Exit is a statement in a loop's body that leaves the body before its end.
type Exit struct {
	Stmt *ast.BranchStmt
	Ends bool // the loop, or may: a break, a goto, or a branch with a label
}

// Exits returns the branch statements in a loop's body that refer to this loop or to one around it,
// in source order. Those of loops and switches inside the body are left out, unless they have a
// label, and so is all that function literals contain.
func Exits(body *ast.BlockStmt) []Exit {
	var found []Exit
	var visit func(n ast.Node, breaks, continues bool)
	visit = func(n ast.Node, breaks, continues bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n {
				return true
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				visit(m, false, false)
				return false
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				visit(m, false, continues)
				return false
			case *ast.BranchStmt:
				switch {
				case m.Label != nil || m.Tok == token.GOTO || m.Tok == token.BREAK && breaks:
					found = append(found, Exit{m, true})
				case m.Tok == token.CONTINUE && continues:
					found = append(found, Exit{m, false})
				}
			}
			return true
		})
	}
	visit(body, true, true)
	return found
}
