//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tempfile

import (
	"errors"
	"os"
	"syscall"
)

// Lock locks a file that no process has locked, until it is closed or the process ends. Child
// processes do not inherit the lock. Systems without such locks return nil.
func Lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // a descriptor
}

// SyncDirectory writes the names in a directory to the disk, so that files that were created or
// renamed there survive a crash of the machine. Systems that cannot do so return nil.
func SyncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
