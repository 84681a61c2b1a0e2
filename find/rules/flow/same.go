package flow

import (
	"go/ast"
	"go/types"
)

// Same reports whether two expressions denote the same variable, field of one, element at a
// constant index, or target of a pointer. Evaluating them has no side effects, except possibly a
// panic.
func Same(info *types.Info, a, b ast.Expr) bool {
	a, b = ast.Unparen(a), ast.Unparen(b)
	switch a := a.(type) {
	case *ast.Ident:
		b, ok := b.(*ast.Ident)
		return ok && isVariable(info, a) && info.ObjectOf(a) == info.ObjectOf(b)
	case *ast.SelectorExpr:
		b, ok := b.(*ast.SelectorExpr)
		if !ok || !isVariable(info, a.Sel) || info.ObjectOf(a.Sel) != info.ObjectOf(b.Sel) {
			return false
		}
		if x, ok := a.X.(*ast.Ident); ok {
			if pkg, ok := info.ObjectOf(x).(*types.PkgName); ok {
				y, ok := b.X.(*ast.Ident)
				return ok && info.ObjectOf(y) == types.Object(pkg)
			}
		}
		return Same(info, a.X, b.X)
	case *ast.StarExpr:
		b, ok := b.(*ast.StarExpr)
		return ok && Same(info, a.X, b.X)
	case *ast.IndexExpr:
		b, ok := b.(*ast.IndexExpr)
		if !ok || !Same(info, a.X, b.X) {
			return false
		}
		i, ok1 := IntConst(info, a.Index)
		j, ok2 := IntConst(info, b.Index)
		return ok1 && ok2 && i == j
	}
	return false
}

func isVariable(info *types.Info, id *ast.Ident) bool {
	_, ok := info.ObjectOf(id).(*types.Var)
	return ok
}
