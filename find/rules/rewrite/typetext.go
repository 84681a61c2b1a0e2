package rewrite

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"
)

// TypeText returns a type as the code at a position writes it, without new imports; false if that
// is impossible, for a type in a package that the file does not import, or an unnamed type other
// than pointers, slices, arrays and maps.
func TypeText(pass *analysis.Pass, at token.Pos, t types.Type) (string, bool) {
	switch t := t.(type) {
	case *types.Basic:
		return t.Name(), t.Kind() != types.UnsafePointer && t.Info()&types.IsUntyped == 0 &&
			Lookup(pass, at, t.Name()) == types.Universe.Lookup(t.Name())
	case *types.Pointer:
		s, ok := TypeText(pass, at, t.Elem())
		return "*" + s, ok
	case *types.Slice:
		s, ok := TypeText(pass, at, t.Elem())
		return "[]" + s, ok
	case *types.Array:
		s, ok := TypeText(pass, at, t.Elem())
		return "[" + strconv.FormatInt(t.Len(), 10) + "]" + s, ok
	case *types.Map:
		k, ok1 := TypeText(pass, at, t.Key())
		v, ok2 := TypeText(pass, at, t.Elem())
		return "map[" + k + "]" + v, ok1 && ok2
	case *types.Alias:
		return nameText(pass, at, t.Obj(), t.TypeArgs())
	case *types.Named:
		return nameText(pass, at, t.Obj(), t.TypeArgs())
	case *types.TypeParam:
		return t.Obj().Name(), Lookup(pass, at, t.Obj().Name()) == types.Object(t.Obj())
	}
	return "", false
}

func nameText(pass *analysis.Pass, at token.Pos, obj *types.TypeName, args *types.TypeList) (string, bool) {
	name := obj.Name()
	if obj.Pkg() == nil || obj.Pkg() == pass.Pkg {
		if Lookup(pass, at, name) != types.Object(obj) {
			return "", false
		}
	} else {
		pkg, edits, ok := Import(pass, at, obj.Pkg().Path())
		if !ok || len(edits) > 0 || !obj.Exported() {
			return "", false
		}
		name = pkg + "." + name
	}
	for i := range args.Len() {
		arg, ok := TypeText(pass, at, args.At(i))
		if !ok {
			return "", false
		}
		if i == 0 {
			name += "["
		} else {
			name += ", "
		}
		name += arg
	}
	if args.Len() > 0 {
		name += "]"
	}
	return name, true
}
