//go:build !linux

package worker

import (
	"errors"
	"fmt"
	"runtime"
)

// newLoops reports that there are no event loops on this system.
func newLoops(_ *Group, e Engine) ([]worker, error) {
	return nil, fmt.Errorf("no %s on %s: %w", e, runtime.GOOS, errors.ErrUnsupported)
}
