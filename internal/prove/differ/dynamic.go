package differ

import (
	"go/ast"
	"go/types"
	"slices"
)

// calledDynamically reports whether a program calls a function of the package through a function
// value or an interface, as far as the package shows: the package does not call it directly, and
// either uses it as a value, or it is a method of an interface that the package can name.
func (g *testFile) calledDynamically(fn *types.Func) bool {
	direct, value := g.calls(fn)
	if direct {
		return false
	}
	return value || fn.Signature().Recv() != nil && g.methodOfInterface(fn)
}

// calls reports whether the package calls a function directly, and whether it uses it as a value.
func (g *testFile) calls(fn *types.Func) (direct, value bool) {
	called := map[*ast.Ident]bool{}
	for _, file := range g.pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if id := calledName(n); id != nil {
					called[id] = true
				}
			case *ast.Ident:
				if used, ok := g.pkg.TypesInfo.Uses[n].(*types.Func); ok && used.Origin() == fn {
					direct = direct || called[n]
					value = value || !called[n]
				}
			}
			return true
		})
	}
	return direct, value
}

// calledName returns the name of what is called; nil if it has none.
func calledName(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}

// methodOfInterface reports whether a method is one that its type needs for an interface of the package, of
// a package that it imports, or for error.
func (g *testFile) methodOfInterface(fn *types.Func) bool {
	recv := fn.Signature().Recv().Type()
	if fn.Signature().RecvTypeParams().Len() > 0 {
		return false
	}
	scopes := []*types.Scope{types.Universe, g.pkg.Types.Scope()}
	for _, p := range g.pkg.Types.Imports() {
		scopes = append(scopes, p.Scope())
	}
	return slices.ContainsFunc(scopes, func(s *types.Scope) bool {
		return slices.ContainsFunc(s.Names(), func(name string) bool {
			t, ok := s.Lookup(name).(*types.TypeName)
			if !ok {
				return false
			}
			if named, ok := types.Unalias(t.Type()).(*types.Named); ok && named.TypeParams().Len() > 0 {
				return false
			}
			i, ok := t.Type().Underlying().(*types.Interface)
			if !ok || !i.IsMethodSet() || !types.Implements(recv, i) {
				return false
			}
			method, _, _ := types.LookupFieldOrMethod(i, false, fn.Pkg(), fn.Name())
			return method != nil
		})
	})
}
