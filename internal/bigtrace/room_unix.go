//go:build linux || darwin

package main

import (
	"fmt"
	"syscall"
)

// checkRoom returns an error unless there is space for a trace twice as large.
func checkRoom(dir string, bytes int64) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return fmt.Errorf("look for room in %s: %w", dir, err)
	}
	if free := int64(s.Bavail) * int64(s.Bsize); free < 2*bytes { //nolint:unconvert // macOS has the size in 32 bits
		return fmt.Errorf("%s has %d bytes free (want twice the %d of the trace)", dir, free, bytes)
	}
	return nil
}
