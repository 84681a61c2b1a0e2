package jsoncodec

import (
	"go/ast"
	"go/types"
)

// hasFields tells whether a codec can be generated for what a call of encoding/json encodes or decodes:
// whether there are fields in it that reflection finds. Texts, numbers, values of unknown types and
// types with methods of their own have none. A value that is handed over as an interface may be
// anything.
func hasFields(info *types.Info, call *ast.CallExpr, verb string) bool {
	at := 0
	if len(call.Args) == 2 && verb == decodes {
		at = 1 // Unmarshal(text, value)
	}
	if at >= len(call.Args) {
		return false
	}
	t := info.TypeOf(call.Args[at])
	if t == nil || types.IsInterface(t) {
		return t != nil
	}
	method := "MarshalJSON"
	if verb == decodes {
		method = "UnmarshalJSON"
	}
	return fieldsIn(t, method, map[types.Type]bool{})
}

func fieldsIn(t types.Type, method string, seen map[types.Type]bool) bool {
	if seen[t] {
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
