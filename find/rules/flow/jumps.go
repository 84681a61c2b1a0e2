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
