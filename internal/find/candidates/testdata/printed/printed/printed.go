package printed

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Text(x any) string {
	return fmt.Sprint(x) // want `Print strings and numbers without fmt`
}

func Formatted(x any) (string, string) {
	return fmt.Sprintf("%v", x), fmt.Sprintf("%s", x) // want `without fmt` `without fmt`
}

// Only two values are between spaces, the type is known, and a method may print it.
func Others(x any, n int, err error) (string, string, string) {
	return fmt.Sprint(x, x), fmt.Sprint(n), fmt.Sprint(err)
}

type named string

func (n named) String() string { return "named " + string(n) }

func Try(r *rand.Rand) string {
	text := ""
	for _, x := range []any{
		values.String(r), named(values.String(r)), values.Int(r), int64(values.Int(r)), values.Float(r), float32(values.Float(r)),
		values.Bool(r), nil, errors.New("x"), values.Strings(r), struct{ a any }{values.Int(r)},
	} {
		a, b := Formatted(x)
		text += Text(x) + a + b
	}
	a, b, c := Others(text, values.Int(r), errors.New(text))
	return text + a + b + c
}
