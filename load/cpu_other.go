//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package load

import "time"

// processCPU is not available on this system.
func processCPU() (time.Duration, bool) { return 0, false }
