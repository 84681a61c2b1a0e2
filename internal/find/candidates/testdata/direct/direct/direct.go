package direct

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"test/values"
)

func Ended(err error) bool {
	return errors.Is(err, io.EOF) // want `Compare err with io.EOF first`
}

func Both(err error, text string) int {
	if text != "" && !errors.Is(err, io.EOF) { // want `Compare err with io.EOF first`
		return 1
	}
	return 2
}

type failure struct{ code int }

func (f failure) Error() string { return fmt.Sprint(f.code) }

// The operands are computed.
func Others(next func() error) bool { return errors.Is(next(), failure{1}) }

func Try(r *rand.Rand) string {
	text := values.String(r)
	errs := []error{nil, io.EOF, fmt.Errorf("%s: %w", text, io.EOF), errors.New(text), failure{1}}
	err := errs[r.IntN(len(errs))]
	return fmt.Sprint(Ended(err), Both(err, text), Others(func() error { return err }))
}
