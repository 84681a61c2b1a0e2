//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package load

import (
	"syscall"
	"time"
)

// processCPU returns the user and system time this process has used.
func processCPU() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
