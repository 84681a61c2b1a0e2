//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package load

import (
	"fmt"
	"syscall"
)

// spareFiles is how many open files the rest of the process may need.
const spareFiles = 64

// checkFiles returns an error if the process may not open that many connections. Go has already
// raised the soft limit to the hard one.
func checkFiles(connections int) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return nil //nolint:nilerr // the limit is unknown then
	}
	if most := int64(l.Cur) - spareFiles; int64(connections) > most {
		return &Error{
			Op: "open", Subject: fmt.Sprintf("%d connections", connections),
			Err: fmt.Errorf("this process may have %d files open, which is enough for %d", l.Cur, max(most, 0)),
			Hint: fmt.Sprintf("raise the limit with `ulimit -n %d` (and, for the hard limit, in /etc/security/limits.conf), "+
				"or use fewer connections", connections+spareFiles),
		}
	}
	return nil
}
