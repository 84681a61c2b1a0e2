package recompute

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"test/values"
)

type key []string

func (k key) text() string { return strings.Join(k, ".") }

type table struct {
	entries  map[string]int
	implicit map[string]bool
}

func (t *table) get(k key) int {
	if t.implicit[k.text()] { // want `Compute k.text\(\) once`
		return -1
	}
	return t.entries[k.text()]
}

func Lowered(name string, n int) string {
	if strings.ToLower(name) == "x" { // want `Compute strings.ToLower\(name\) once`
		return "letter"
	}
	return fmt.Sprint(strings.ToLower(name), n)
}

func Moved(name string) string {
	first := strings.ToLower(name)
	name += "X"
	return first + strings.ToLower(name)
}

func Shortened(s string) (n int) {
	for strings.Count(s, ",") > 2 {
		n += strings.Count(s, ",")
		s = s[1:]
	}
	return n
}

func described(x any) string {
	v := reflect.ValueOf(x)
	if v.IsValid() && v.Type().String() == "int" { // want `Compute v.Type\(\).String\(\) once`
		return "int"
	}
	return v.Type().String()
}

func Set(v reflect.Value) string {
	a := v.Kind()
	v = v.Elem()
	return a.String() + v.Kind().String()
}

var calls int

func count(s string) string {
	calls++
	return s
}

func Counted(s string) string { return count(s) + count(s) }

func Once(s string) string { return strings.ToUpper(s) }

func Try(r *rand.Rand) string {
	t := &table{map[string]int{"a.b": 1}, map[string]bool{"": true}}
	return fmt.Sprint(t.get(key{"a", "b"}), t.get(nil), t.get(values.Strings(r)), Lowered(values.String(r), 1), Lowered("X", 2),
		described(values.String(r)), described(1), Set(reflect.ValueOf(t)))
}
