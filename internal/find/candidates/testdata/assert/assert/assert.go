package assert

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"

	"test/values"
)

var (
	errorType    = reflect.TypeOf((*error)(nil)).Elem()
	stringerType = reflect.TypeFor[fmt.Stringer]()
	changed      = reflect.TypeFor[fmt.Stringer]()
)

func Describe(x any) string {
	v := reflect.ValueOf(x)
	switch {
	case !v.IsValid():
		return "none"
	case v.Type().Implements(errorType): // want `Assert that v is a error`
		return "error"
	case v.Type().Implements(stringerType): // want `Assert that v is a fmt.Stringer`
		return "stringer"
	}
	return v.Kind().String()
}

// The type is set, and only the type is known.
func Others(x any, t reflect.Type) bool {
	changed = errorType
	return reflect.ValueOf(x).Type().Implements(changed) || t.Implements(errorType)
}

type text struct{ s string }

func (t *text) String() string { return t.s }

type field struct{ err error }

func Try(r *rand.Rand) string {
	out := Describe(nil) + Describe(reflect.ValueOf(field{errors.New("x")}).Field(0))
	for _, x := range []any{values.String(r), &text{values.String(r)}, text{}, errors.New("x"), (*text)(nil), 1} {
		out += Describe(x) + fmt.Sprint(Others(x, reflect.TypeOf(x)))
	}
	return out + Describe(values.Strings(r)) + values.String(r)
}
