package makers

import (
	"go/ast"
	"go/types"
	"slices"
)

// AnySize reports whether a function's int parameter may be any number: nothing is made of that size, or repeated that
// often. It is used only in comparisons, arithmetic and calls of a few packages that do neither. info is that of the
// function's package; if the declaration is nil, the answer is no.
func AnySize(info *types.Info, d *ast.FuncDecl, param *types.Var) bool {
	if d == nil || param.Name() == "" {
		return false
	}
	uses := func(n ast.Node) bool {
		found := false
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && info.Uses[id] == param
			return !found
		})
		return found
	}
	free := true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			free = free && !uses(x)
		case *ast.AssignStmt: // another variable may be used in any way
			for _, rhs := range x.Rhs {
				free = free && !uses(rhs)
			}
		case *ast.ValueSpec, *ast.CompositeLit:
			free = free && !uses(x)
		case *ast.CallExpr:
			free = free && (!slices.ContainsFunc(x.Args, func(arg ast.Expr) bool { return uses(arg) }) || sizeless(info, x))
		}
		return free
	})
	return free
}

// sizeless reports whether a call makes nothing of the size of a number among its arguments.
func sizeless(info *types.Info, call *ast.CallExpr) bool {
	if info.Types[call.Fun].IsType() {
		return true
	}
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		b, ok := info.Uses[fun].(*types.Builtin)
		return ok && b.Name() != "make"
	case *ast.SelectorExpr:
		fn, ok := info.Uses[fun.Sel].(*types.Func)
		if !ok || fn.Pkg() == nil {
			return false
		}
		switch fn.Pkg().Path() {
		case "fmt", "strconv", "math", "math/bits", "errors":
			return true
		}
	}
	return false
}
