//go:build !linux

package procfs

import (
	"errors"
	"fmt"
	"time"
)

// CPU returns the CPU time of a process. It is implemented on Linux only.
func CPU(pid int) (time.Duration, error) {
	return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, errors.ErrUnsupported)
}
