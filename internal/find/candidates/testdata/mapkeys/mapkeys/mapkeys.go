package mapkeys

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"test/values"
)

func Sum(v reflect.Value) (sum int) {
	for _, k := range v.MapKeys() { // want `Iterate over the map of v`
		sum += len(k.String()) + int(v.MapIndex(k).Int())
	}
	return sum
}

func Values(v reflect.Value) (n int64) {
	for _, k := range v.MapKeys() { // want `Iterate over the map of v`
		n += v.MapIndex(k).Int()
	}
	return n
}

func Copy(v reflect.Value) any {
	to := reflect.MakeMap(v.Type())
	for _, k := range v.MapKeys() { // want `Iterate over the map of v`
		to.SetMapIndex(k, v.MapIndex(k))
	}
	return to.Interface()
}

// It changes the map.
func Double(v reflect.Value) {
	for _, k := range v.MapKeys() {
		v.SetMapIndex(k, reflect.ValueOf(int(2*v.MapIndex(k).Int())))
	}
}

// It keeps the keys.
func Keys(v reflect.Value) []reflect.Value {
	return v.MapKeys()
}

func Try(r *rand.Rand) string {
	m := map[string]int{}
	for _, s := range values.Strings(r) {
		m[s] = len(s) + r.IntN(5)
	}
	v := reflect.ValueOf(m)
	Double(v)
	return fmt.Sprint(Sum(v), Values(v), Copy(v), len(Keys(v)))
}
