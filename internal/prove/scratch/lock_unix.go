//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package scratch

import (
	"os"
	"syscall"
)

// lock locks a file that is not locked yet. Child processes do not inherit the lock.
func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // a descriptor
}

// abandoned reports whether a lock exists that no process holds.
func abandoned(name string) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return lock(file) == nil
}
