package equal

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"test/values"
)

func Same(a, b any) bool {
	return reflect.DeepEqual(a, b) // want `Compare strings and numbers without reflection`
}

// Their types are known.
func Lists(a, b []string) bool { return reflect.DeepEqual(a, b) }

type named string

func draw(r *rand.Rand) any {
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return values.Int(r)
	case 2:
		return int64(values.Int(r))
	case 3:
		return values.Float(r)
	case 4:
		return values.Bool(r)
	case 5:
		return named(values.String(r))
	case 6:
		return values.Strings(r)
	}
	return values.String(r)
}

func Try(r *rand.Rand) string {
	a, b := draw(r), draw(r)
	return fmt.Sprint(Same(a, a), Same(a, b), Lists(values.Strings(r), nil))
}
