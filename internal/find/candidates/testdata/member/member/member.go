package member

import (
	"fmt"
	"math/rand/v2"
	"reflect"
)

type point struct{ X, Y int }

func (p point) Sum() int       { return p.X + p.Y }
func (p *point) Scale(n int)   { p.X, p.Y = p.X*n, p.Y*n }
func (p point) String() string { return fmt.Sprint(p.X, "/", p.Y) }

type deep struct {
	*point
	Z int
}

func Call(v reflect.Value, name string) string {
	m := v.MethodByName(name) // want `Keep the indexes that MethodByName finds in a table`
	if !m.IsValid() {
		return "none"
	}
	return fmt.Sprint(m.Type())
}

func Field(v reflect.Value, name string) (text string) {
	defer func() {
		if bad := recover(); bad != nil {
			text = "panic"
		}
	}()
	f := v.FieldByName(name) // want `Keep the indexes that FieldByName finds in a table`
	return fmt.Sprint(f.IsValid(), f)
}

var one = reflect.ValueOf(point{}).MethodByName("Sum")

func Index(v reflect.Value) reflect.Value { return v.Field(0) }

func Try(r *rand.Rand) string {
	p := &point{r.IntN(9), 2}
	all := []any{*p, p, deep{p, 1}, deep{}, 3, fmt.Stringer(p), nil}
	v := reflect.ValueOf(all[r.IntN(len(all)-1)])
	names := []string{"Sum", "Scale", "String", "X", "Z", "nothing", "point"}
	name := names[r.IntN(len(names))]
	return fmt.Sprint(Call(v, name), Field(v, name), Field(v, "Y"), one.IsValid(), Index(reflect.ValueOf(*p)))
}
