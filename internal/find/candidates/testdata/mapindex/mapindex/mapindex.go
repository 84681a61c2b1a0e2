package mapindex

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"test/values"
)

func Entry(x any, name string) reflect.Value {
	return reflect.ValueOf(x).MapIndex(reflect.ValueOf(name)) // want `Read the entry of a common map without reflection`
}

func Key(x, key any) reflect.Value {
	m := reflect.ValueOf(x)
	return m.MapIndex(reflect.ValueOf(key)) // want `Read the entry`
}

// It is a map of the package.
func Own(m map[string]int, name string) int { return m[name] }

type named string

func Try(r *rand.Rand) string {
	name, text := values.String(r), ""
	for _, m := range []any{
		map[string]any{name: values.Int(r), "x": nil}, map[string]string{name: name}, map[string]int{name: 3},
		map[string][]string{"": values.Strings(r)},
	} {
		for _, k := range []string{name, "x", "none"} {
			v, w := Entry(m, k), Key(m, k)
			text += fmt.Sprint(v.IsValid(), v.Kind(), v, w.IsValid(), w.Kind(), w)
		}
	}
	return text + fmt.Sprint(Key(map[named]any{"a": 1}, named("a")), Key(map[int]string{1: name}, 1),
		Own(map[string]int{"a": 1}, name))
}
