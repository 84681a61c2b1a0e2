package differ

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

// declOf returns the declaration of a function of the package.
func (g *testFile) declOf(fn *types.Func) *ast.FuncDecl {
	for _, file := range g.pkg.Syntax {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && g.pkg.TypesInfo.Defs[d.Name] == fn {
				return d
			}
		}
	}
	return nil
}
