//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package scratch

import "os"

// lock does nothing: this system has no locks that are released when a process ends.
func lock(*os.File) error { return nil }

// removeAbandoned does nothing: whether a lock is abandoned is unknown on this system.
func removeAbandoned(string, string) {}
