package lateerror

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"test/values"
)

var errBase = errors.New("base")

func Check(name string, n int) error {
	if n < 0 {
		return fmt.Errorf("%d of %q is negative", n, name) // want `Format the text of the error when it is needed`
	}
	return nil
}

func Wrapped(name string, err error) (text string, wrapped error) {
	if err != nil {
		wrapped = fmt.Errorf("100%% %s: %w", name, err) // want `Format the text`
	}
	return name, wrapped
}

func As[T int | string, U any](x any, to T, _ U) (T, error) {
	if v, ok := x.(T); ok {
		return v, nil
	}
	return to, fmt.Errorf("%#v of type %T is no %T", x, x, to) // want `Format the text`
}

func Format(x any) error {
	return fmt.Errorf("format %v", x) // want `Format the text`
}

// The operand may change, the format is not constant, and a variable would have another type.
func Others(list []string, format string, n int) []error {
	err := fmt.Errorf("%d", n)
	return []error{fmt.Errorf("%v", list), fmt.Errorf(format, n), err}
}

func Try(r *rand.Rand) string {
	_, err := Wrapped(values.String(r), errBase)
	_, none := Wrapped(values.String(r), nil)
	_, as := As[int](values.String(r), 0, 1)
	_, other := As(any(values.Int(r)), "", true)
	return fmt.Sprint(as, other, Format(values.Int(r)), Check(values.String(r), values.Int(r)), err, none, errors.Is(err, errBase), errors.Unwrap(err),
		Others(values.Strings(r), "%d", 1))
}
