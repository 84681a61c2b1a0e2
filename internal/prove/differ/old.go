package differ

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"slices"
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

// oldFunction returns the source of an original function under another name. It calls the originals
// of other changed functions, and imports packages under the same names as its file.
func (g *testFile) oldFunction(fn *types.Func, was map[*types.Func]string) (string, error) {
	d := g.declOf(fn)
	file := g.pkg.Fset.File(d.Pos())
	text, err := os.ReadFile(file.Name())
	if err != nil {
		return "", err
	}
	from, to := file.Offset(d.Pos()), file.Offset(d.End())
	type change struct {
		at, end int
		text    string
	}
	changes := []change{{file.Offset(d.Name.Pos()), file.Offset(d.Name.End()), was[fn]}}
	ast.Inspect(d, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id == d.Name {
			return true
		}
		switch obj := g.pkg.TypesInfo.Uses[id].(type) {
		case *types.Func:
			if name := was[obj.Origin()]; name != "" {
				changes = append(changes, change{file.Offset(id.Pos()), file.Offset(id.End()), name})
			}
		case *types.PkgName:
			as := g.use(obj.Imported().Path(), obj.Imported().Name())
			if as != id.Name {
				changes = append(changes, change{file.Offset(id.Pos()), file.Offset(id.End()), as})
			}
		}
		return true
	})
	slices.SortFunc(changes, func(a, b change) int { return a.at - b.at })
	var out strings.Builder
	at := from
	for _, c := range changes {
		out.Write(text[at:c.at])
		out.WriteString(c.text)
		at = c.end
	}
	out.Write(text[at:to])
	out.WriteString("\n")
	return out.String(), nil
}

// copyable returns why the source of a function cannot be moved to another file.
func (g *testFile) copyable(fn *types.Func) (err error) {
	d := g.declOf(fn)
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			obj := g.pkg.TypesInfo.Uses[id]
			if obj != nil && obj.Pkg() != nil && obj.Pkg() != g.pkg.Types && obj.Parent() == obj.Pkg().Scope() &&
				!isSelected(d, id) {
				err = fmt.Errorf("it uses %s of a dot import", obj.Name())
			}
		}
		return err == nil
	})
	return err
}

// isSelected reports whether an identifier is the right side of a selector: pkg.Name, x.Field.
func isSelected(d *ast.FuncDecl, id *ast.Ident) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel == id {
			found = true
		}
		return !found
	})
	return found
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
