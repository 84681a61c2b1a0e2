package makers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// comparedWithNil reports whether the package compares a variable or field with nil: nil is one of its values.
func (g *Generator) comparedWithNil(v *types.Var) bool {
	if g.compared == nil {
		g.compared = map[*types.Var]bool{}
		for _, file := range g.pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
					for _, x := range []ast.Expr{b.X, b.Y} {
						if v := g.variable(x); v != nil && g.pkg.TypesInfo.Types[other(b, x)].IsNil() {
							g.compared[v.Origin()] = true
						}
					}
				}
				return true
			})
		}
	}
	return g.compared[v.Origin()]
}

// other returns the other operand of an expression.
func other(b *ast.BinaryExpr, x ast.Expr) ast.Expr {
	if x == b.X {
		return b.Y
	}
	return b.X
}

// variable returns the variable or field that an expression is; nil if it is none.
func (g *Generator) variable(x ast.Expr) *types.Var {
	var id *ast.Ident
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	v, _ := g.pkg.TypesInfo.Uses[id].(*types.Var)
	return v
}

// nilable reports whether nil is a value of a type that its maker does not make by itself.
func nilable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Signature:
		return true
	case *types.Interface:
		return u.NumMethods() > 0
	}
	return false
}

// ParameterMaker returns the name of the function that makes values for a parameter, or why there can be none. If
// the package compares the parameter with nil, nil is one of the values. Maker makes nil pointers by itself.
func (g *Generator) ParameterMaker(v *types.Var, t types.Type) (name, why string) {
	name, why = g.makerFor(v.Name(), t, 0)
	if _, isPointer := t.Underlying().(*types.Pointer); why != "" || isPointer || !nilable(t) || !g.comparedWithNil(v) {
		return name, why
	}
	maybe := "whetMaybe" + name[len("whetMake"):]
	key := "nil or " + name
	if g.makers[key] == "" {
		g.makers[key] = maybe
		g.made = append(g.made, fmt.Sprintf("func %s(s *whetlib.Source) (v %s) {\n"+
			"\tif s.Choose(8) == 7 {\n\t\treturn nil\n\t}\n\treturn %s(s)\n}\n\n", maybe, g.typeString(t), name))
	}
	if g.partial[name] {
		g.partial[maybe] = true
	}
	return maybe, ""
}
