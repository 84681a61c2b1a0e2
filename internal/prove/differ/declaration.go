package differ

import (
	"go/ast"
	"go/types"

	"github.com/whet-go/whet/internal/prove/differ/declarations"
)

// FuncName returns a function's name in the form of Go source.
func FuncName(d *ast.FuncDecl) string { return declarations.FuncName(d) }

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
