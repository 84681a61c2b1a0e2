package fields

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"test/values"
)

func Names(v reflect.Value) (all []string) {
	t := v.Type()
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i) // want `Keep the fields of types in a table`
		all = append(all, f.Name+f.Tag.Get("key"))
	}
	return all
}

var first = reflect.TypeFor[point]().Field(0)

// A field of a value is not described.
func Others(v reflect.Value) string {
	return fmt.Sprint(v.Field(0), first.Name)
}

type point struct {
	X int `key:"x"`
	Y string
}

func Try(r *rand.Rand) string {
	p := reflect.ValueOf(point{values.Int(r), values.String(r)})
	failed := func() (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		return fmt.Sprint(Names(reflect.ValueOf(r.IntN(3))))
	}()
	return fmt.Sprint(Names(p), Names(reflect.ValueOf(struct{ A, B bool }{})), failed, Others(p))
}
