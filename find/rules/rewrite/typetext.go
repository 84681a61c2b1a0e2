package rewrite

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"
)

// TypeText returns a type as the code at a position writes it, without new imports; false if that
// is impossible, for a type in a package that the file does not import, or an unnamed struct with
// fields or interface with methods.
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
	case *types.Chan:
		s, ok := TypeText(pass, at, t.Elem())
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- " + s, ok
		case types.RecvOnly:
			return "<-chan " + s, ok
		default:
			if elem, isChan := t.Elem().(*types.Chan); isChan && elem.Dir() == types.RecvOnly {
				s = "(" + s + ")"
			}
			return "chan " + s, ok
		}
	case *types.Signature:
		return signatureText(pass, at, t)
	case *types.Interface:
		return "interface{}", t.Empty() && !t.IsComparable()
	case *types.Struct:
		return "struct{}", t.NumFields() == 0
	case *types.Alias:
		return nameText(pass, at, t.Obj(), t.TypeArgs())
	case *types.Named:
		return nameText(pass, at, t.Obj(), t.TypeArgs())
	case *types.TypeParam:
		return t.Obj().Name(), Lookup(pass, at, t.Obj().Name()) == types.Object(t.Obj())
	}
	return "", false
}

func signatureText(pass *analysis.Pass, at token.Pos, t *types.Signature) (string, bool) {
	if t.TypeParams().Len() > 0 {
		return "", false
	}
	list := func(of *types.Tuple, variadic bool) (string, bool) {
		text := ""
		for i := range of.Len() {
			typ, dots := of.At(i).Type(), ""
			if slice, isSlice := typ.(*types.Slice); isSlice && variadic && i == of.Len()-1 {
				typ, dots = slice.Elem(), "..."
			}
			one, ok := TypeText(pass, at, typ)
			if !ok {
				return "", false
			}
			if i > 0 {
				text += ", "
			}
			text += dots + one
		}
		return "(" + text + ")", true
	}
	params, ok1 := list(t.Params(), t.Variadic())
	results, ok2 := list(t.Results(), false)
	if !ok1 || !ok2 {
		return "", false
	}
	switch t.Results().Len() {
	case 0:
		return "func" + params, true
	case 1:
		results = results[1 : len(results)-1]
	}
	return "func" + params + " " + results, true
}

func nameText(pass *analysis.Pass, at token.Pos, obj *types.TypeName, args *types.TypeList) (string, bool) {
	name := obj.Name()
	if obj.Pkg() == nil || obj.Pkg() == pass.Pkg {
		if Lookup(pass, at, name) != types.Object(obj) {
			return "", false
		}
	} else if Lookup(pass, at, name) != types.Object(obj) { // the import has a dot
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
