//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package load

import "time"

// processCPU says that this system does not tell.
func processCPU() (time.Duration, bool) { return 0, false }
