package boxed

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Sum(a, b any) (any, error) {
	x, ok := a.(float64)
	y, ok2 := b.(float64)
	if !ok || !ok2 {
		return nil, fmt.Errorf("%T or %T", a, b)
	}
	return x + y, nil // want `Take small numbers in interfaces from a table`
}

func Length(list []string) (n any) {
	n = len(list) // want `Take small numbers`
	return n
}

func store(to map[string]any, x any) { to["x"] = x }

func Stored(n int64) map[string]any {
	m := map[string]any{"n": n} // want `Take small numbers`
	store(m, n+1)               // want `Take small numbers`
	return m
}

// The number is constant, is printed, or stays one.
func Others(n int) (any, string, int) { return 7, fmt.Sprint(n), n }

func Try(r *rand.Rand) string {
	a, b, n := values.Float(r), values.Float(r), values.Int(r)
	sum, err := Sum(a, b)
	whole, _ := Sum(float64(n%1024), 0.0)
	zero, _ := Sum(a*0, -0.0)
	other, text, _ := Others(n)
	return fmt.Sprint(sum, err, whole, zero, Length(values.Strings(r)), Stored(int64(n)), other, text)
}
