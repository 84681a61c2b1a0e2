package typeassert

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"test/values"
)

type point struct{ X, Y, Z int }

func (p point) String() string { return fmt.Sprint("point ", p.X) }

func Text(v reflect.Value) string {
	if s, ok := v.Interface().(fmt.Stringer); ok { // want `Take a fmt.Stringer out of v directly`
		return s.String()
	}
	s, ok := v.Interface().(string) // want `Take a string out of v directly`
	if !ok {
		return v.Kind().String()
	}
	return s
}

// A failed assertion panics here, and a type switch has several types.
func Others(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case int:
		return fmt.Sprint(x)
	case string:
		return v.Interface().(string)
	}
	return ""
}

func Try(r *rand.Rand) string {
	text := ""
	for _, x := range []any{values.Int(r), values.String(r), point{X: values.Int(r)}, &point{}, []int{1}} {
		text += Text(reflect.ValueOf(x)) + Others(reflect.ValueOf(x))
	}
	return text
}
