package flow

import "go/types"

// SizeVaries reports whether the size of a type depends on a type parameter.
func SizeVaries(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Array:
		return SizeVaries(t.Elem())
	case *types.Named:
		return SizeVaries(t.Underlying())
	case *types.Struct:
		for f := range t.Fields() {
			if SizeVaries(f.Type()) {
				return true
			}
		}
	}
	return false
}
