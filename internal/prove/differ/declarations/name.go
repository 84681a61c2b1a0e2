package declarations

import (
	"go/ast"
	"go/types"
	"strings"
)

// FuncName returns a function's name in the form of Go source.
func FuncName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := types.ExprString(d.Recv.List[0].Type)
	if strings.HasPrefix(t, "*") {
		t = "(" + t + ")"
	}
	return t + "." + d.Name.Name
}
