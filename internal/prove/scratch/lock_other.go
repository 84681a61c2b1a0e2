//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package scratch

import "os"

// lock does nothing: this system has no locks that are released when a process ends.
func lock(*os.File) error { return nil }

// abandoned reports whether a lock is abandoned, which is unknown on this system.
func abandoned(string) bool { return false }
