package flow

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
)

// Steady reports whether a local variable or parameter keeps its initial value: it is set nowhere
// else in the enclosing declaration, its address is not taken, and it is a string, number or bool
// without methods, so nothing can be changed through it.
func Steady(info *types.Info, decl inspector.Cursor, v *types.Var) bool {
	if !Plain(v.Type()) || v.Kind() == types.ResultVar { // set by return
		return false
	}
	for _, use := range Uses(info, decl, v) {
		if id, ok := use.Node().(*ast.Ident); ok && info.Defs[id] != v && IsSet(use) {
			return false
		}
	}
	return true
}

// Plain reports whether a type is a string, number or bool without methods: fmt prints it without
// calling the user's code, and == compares values.
func Plain(t types.Type) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.NumMethods() > 0 {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsString|types.IsNumeric|types.IsBoolean) != 0
}
