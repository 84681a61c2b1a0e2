package error

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

func Check(n int) error {
	if n < 0 {
		return errors.New("negative number") // want `Return one error`
	}
	if n > 5 {
		return fmt.Errorf("the number is too large") // want `Return one error`
	}
	return nil
}

func Variable(text string) error { return errors.New(text) }

func Format() error { return fmt.Errorf("%s", "x") }

func Try(r *rand.Rand) string { return fmt.Sprint(Check(r.IntN(9) - 2)) }
