package jsoncodec

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/whet-go/whet/find/rules/flow"
)

// hasFields reports whether reflection finds fields in what a call of encoding/json encodes or
// decodes: a generated codec requires them, and only with them is the other implementation faster.
// Strings, numbers, maps of unknown values and types with their own methods have none.
func hasFields(info *types.Info, root, c inspector.Cursor, call *ast.CallExpr, verb string) bool {
	at := 0
	if len(call.Args) == 2 && verb == decodes {
		at = 1 // Unmarshal(text, value)
	}
	if at >= len(call.Args) {
		return false
	}
	method := "MarshalJSON"
	if verb == decodes {
		method = "UnmarshalJSON"
	}
	return slices.ContainsFunc(handed(info, root, c, call.Args[at]), func(t types.Type) bool {
		return fieldsIn(t, method, map[types.Type]bool{})
	})
}

// handed returns the possible types of an argument. For an interface that is a parameter of the
// function, these are the types that the function is called with in its package.
func handed(info *types.Info, root, c inspector.Cursor, arg ast.Expr) []types.Type {
	t := info.TypeOf(arg)
	if t == nil || !types.IsInterface(t) {
		return []types.Type{t}
	}
	decl, ok := flow.Decl(c)
	v := flow.Variable(info, arg)
	if !ok || v == nil {
		return nil
	}
	home, _ := decl.Node().(*ast.FuncDecl)
	f, ok := info.Defs[home.Name].(*types.Func)
	if !ok {
		return nil
	}
	at := -1
	for i := range f.Signature().Params().Len() {
		if f.Signature().Params().At(i) == v {
			at = i
		}
	}
	var all []types.Type
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if ok && at >= 0 && at < len(call.Args) && typeutil.StaticCallee(info, call) == f {
			all = append(all, info.TypeOf(call.Args[at]))
		}
	}
	return all
}

func fieldsIn(t types.Type, method string, seen map[types.Type]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	if own, _, _ := types.LookupFieldOrMethod(t, true, nil, method); own != nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return fieldsIn(u.Elem(), method, seen)
	case *types.Slice:
		return fieldsIn(u.Elem(), method, seen)
	case *types.Array:
		return fieldsIn(u.Elem(), method, seen)
	case *types.Map:
		return fieldsIn(u.Elem(), method, seen)
	case *types.Struct:
		return u.NumFields() > 0
	}
	return false
}
