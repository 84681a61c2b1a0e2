//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package tempfile

import "os"

// Lock does nothing: this system has no locks that are released when a process ends.
func Lock(*os.File) error { return nil }

// SyncDirectory does nothing: directories cannot be synchronized here.
func SyncDirectory(string) error { return nil }
