//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package scratch

import (
	"os"

	"github.com/whet-go/whet/internal/tempfile"
)

// removeAbandoned removes a directory if its lock exists and no process holds it. It holds the lock meanwhile, and
// checks that it still is the directory's: names are used again.
func removeAbandoned(dir, name string) {
	file, err := os.Open(name)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	if tempfile.Lock(file) != nil {
		return
	}
	held, err := file.Stat()
	if err != nil {
		return
	}
	if now, err := os.Stat(name); err == nil && os.SameFile(held, now) {
		_ = removeAll(dir)
	}
}
