package fix

import (
	"io"
	"os"
	"path/filepath"
)

// scratchPrefix begins the names of scratch directories.
const scratchPrefix = "whet-fix-"

// lockName is the file in a scratch directory that the process that made it has locked. The kernel gives
// the lock free when the process ends, however it does.
const lockName = "lock"

// sweep removes the scratch directories of processes that were killed. What cannot be removed, or is
// another's, stays.
func sweep(temp string) {
	folders, err := filepath.Glob(filepath.Join(temp, scratchPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range folders {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			continue
		}
		if abandoned(filepath.Join(dir, lockName)) {
			_ = os.RemoveAll(dir)
		}
	}
}

// holdLock locks the scratch directory for as long as the process lives. The file gets its name when it
// is locked, so that nobody ever finds it free.
func holdLock(dir string) (io.Closer, error) {
	file, err := os.CreateTemp(dir, lockName+"-")
	if err != nil {
		return nil, err
	}
	if err := lock(file); err != nil {
		return file, err
	}
	return file, os.Rename(file.Name(), filepath.Join(dir, lockName))
}
