//go:build !linux

package load

import (
	"errors"
	"fmt"
	"runtime"
)

// newLoops reports that there are no event loops on this system.
func newLoops(_ *generator, e Engine) ([]worker, error) {
	return nil, fmt.Errorf("no %s on %s: %w", e, runtime.GOOS, errors.ErrUnsupported)
}
