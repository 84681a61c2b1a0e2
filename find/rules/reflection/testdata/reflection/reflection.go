package reflection

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"test/values"
)

type kind int8

type point struct {
	x, y int
	name [2]string
}

type kinds []kind

type pair struct{ a, b []string }

func Bytes(a, b []byte) bool {
	return reflect.DeepEqual(a, b) // want `reflect.DeepEqual compares two values of type \[\]byte by reflection`
}

func (p *pair) Changed() bool {
	if !reflect.DeepEqual(p.a, p.b) { // want `by reflection`
		return true
	}
	return p == nil || reflect.DeepEqual(p.b, p.a) && false // want `by reflection`
}

func Maps(a, b map[string]kind) string {
	equal := reflect.DeepEqual(a, b)                  // want `type map\[string\]kind by`
	return fmt.Sprint(equal, reflect.DeepEqual(a, a)) // want `by reflection`
}

func Points(a, b point, as, bs []point) bool {
	return reflect.DeepEqual(a, b) != reflect.DeepEqual(as, bs) // want `by reflection` `by reflection`
}

func Kinds(a, b kinds) bool { return reflect.DeepEqual(a, b) } // want `by reflection`

// What follows is reported without a rewrite.

func Floats(a, b []float64) bool { return reflect.DeepEqual(a, b) } // want `by reflection`

func Types(a kinds, b []kind) bool { return reflect.DeepEqual(a, b) } // want `by reflection`

func Any(a []any, b any) bool {
	return reflect.DeepEqual(a, b) || reflect.DeepEqual(b, b) // want `by reflection` `by reflection`
}

func Calls(f func() []int) bool { return reflect.DeepEqual(f(), f()) } // want `by reflection`

func Const(n int) bool { return reflect.DeepEqual(n, 3) } // want `by reflection`

func Pointers(a, b *point) bool { return reflect.DeepEqual(a, b) } // want `by reflection`

func Nested(a, b [][]int) bool { return reflect.DeepEqual(a, b) } // want `by reflection`

func Generic[T comparable](a, b []T) bool { return reflect.DeepEqual(a, b) } // want `by reflection`

func Binary(n int32) string {
	var buf bytes.Buffer
	v := struct{ A, B int32 }{n, n}
	if err := binary.Write(&buf, binary.BigEndian, &v); err != nil { // want `encoding/binary.Write finds the fields by reflection`
		return err.Error()
	}
	err := binary.Read(&buf, binary.LittleEndian, &v) // want `encoding/binary.Read finds`
	return fmt.Sprint(v, err)
}

func Scan(s string) string {
	var n int
	var f float64
	_, err := fmt.Sscan(s, &n)         // want `fmt.Sscan reads one int`
	_, err2 := fmt.Sscanf(s, "%g", &f) // want `fmt.Sscanf reads one float64`
	return fmt.Sprint(n, err, f, err2)
}

func Try(r *rand.Rand) string {
	few := func(r *rand.Rand) kind { return kind(r.IntN(2)) }
	draw := func() kinds { return values.Slice(r, few)[:] }
	texts := func() []string {
		return values.Slice(r, func(r *rand.Rand) string { return []string{"", "a"}[r.IntN(2)] })
	}
	table := func() map[string]kind {
		if r.IntN(3) == 0 {
			return nil
		}
		m := map[string]kind{}
		for _, s := range texts() {
			m[s] = few(r)
		}
		return m
	}
	p := func() point { return point{r.IntN(2), 1, [2]string{"a"}} }
	floats := []float64{math.NaN()}
	a, b := p(), p()
	return fmt.Sprint(Bytes([]byte(values.String(r)[:0]), nil), Bytes(values.Bytes(r), values.Bytes(r)), (&pair{texts(), texts()}).Changed(), Maps(table(), table()),
		Points(p(), p(), values.Slice(r, func(*rand.Rand) point { return p() }), nil), Kinds(draw(), draw()), Floats(floats, floats), Types(draw(), draw()),
		Any([]any{1}, []any{values.Int(r)}), Calls(func() []int { return values.Slice(r, values.Int) }), Const(values.Int(r)), Pointers(&a, &b),
		Nested([][]int{nil}, [][]int{{}}), Generic(texts(), texts()), Binary(int32(values.Int(r))), Scan(values.String(r)))
}
