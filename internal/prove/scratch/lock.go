package scratch

import (
	"io"
	"os"
	"path/filepath"

	"github.com/whet-go/whet/internal/tempfile"
)

// scratchPrefix is the prefix of the names of scratch directories.
const scratchPrefix = "whet-fix-"

// lockName is the file in a scratch directory that is locked by the process that created it. The
// kernel releases the lock however the process ends.
const lockName = "lock"

// sweep removes the scratch directories of killed processes.
func sweep(temp string) {
	folders, err := filepath.Glob(filepath.Join(temp, scratchPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range folders {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			continue
		}
		removeAbandoned(dir, filepath.Join(dir, lockName)) // it stays if it cannot be removed
	}
}

// holdLock locks the scratch directory until the process ends. The file gets its name after it is
// locked, so that no other process ever finds it unlocked.
func holdLock(dir string) (io.Closer, error) {
	file, err := os.CreateTemp(dir, lockName+"-")
	if err != nil {
		return nil, err
	}
	if err := tempfile.Lock(file); err != nil {
		return file, err
	}
	return file, os.Rename(file.Name(), filepath.Join(dir, lockName))
}
