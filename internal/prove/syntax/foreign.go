package syntax

import (
	"go/ast"
	"go/token"
	"go/types"
)

// foreignNames returns the identifiers in a function that are fields of types of other packages, and no functions of
// this one, whatever their names: keys of composite literals of such a type, and fields of variables that are declared
// with one. What is called may be a method of this package, behind an interface of another one.
func (s *source) foreignNames(fn *function) map[*ast.Ident]bool {
	names, called := map[*ast.Ident]bool{}, map[ast.Expr]bool{}
	variables := s.foreignVariables(fn)
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
		case *ast.CompositeLit:
			if !s.isForeign(n.Type) {
				return true
			}
			for _, e := range n.Elts {
				pair, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				if key, ok := pair.Key.(*ast.Ident); ok && s.info.ObjectOf(key) == nil {
					names[key] = true
				}
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && !called[n] && variables[s.info.ObjectOf(x)] {
				names[n.Sel] = true
			}
		}
		return true
	})
	return names
}

// foreignVariables returns the parameters and variables of a function whose types are evidently those of other
// packages: they are declared with one, or by a conversion, a composite literal or new.
func (s *source) foreignVariables(fn *function) map[types.Object]bool {
	found := map[types.Object]bool{}
	add := func(id *ast.Ident, foreign bool) {
		if obj := s.info.Defs[id]; obj != nil && foreign {
			found[obj] = true
		}
	}
	ast.Inspect(fn.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				add(name, s.isForeign(n.Type))
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				add(name, s.isForeign(n.Type))
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE || len(n.Lhs) != len(n.Rhs) {
				return true
			}
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok {
					add(id, s.makesForeign(n.Rhs[i]))
				}
			}
		}
		return true
	})
	return found
}

// makesForeign reports whether the type of a value is evidently one of another package: T{…}, &T{…}, new(T), and the
// conversion (*T)(x).
func (s *source) makesForeign(value ast.Expr) bool {
	switch v := ast.Unparen(value).(type) {
	case *ast.CompositeLit:
		return s.isForeign(v.Type)
	case *ast.UnaryExpr:
		return v.Op == token.AND && s.makesForeign(v.X)
	case *ast.CallExpr:
		if len(v.Args) != 1 {
			return false
		}
		if id, ok := v.Fun.(*ast.Ident); ok && id.Name == "new" {
			return s.isForeign(v.Args[0])
		}
		star, ok := ast.Unparen(v.Fun).(*ast.StarExpr) // without a star, it may be a call
		return ok && s.isForeign(star)
	}
	return false
}

// isForeign reports whether a type is one of another package, or a pointer to it.
func (s *source) isForeign(t ast.Expr) bool {
	if star, ok := ast.Unparen(t).(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	_, isPackage := s.info.ObjectOf(x).(*types.PkgName)
	return isPackage
}
