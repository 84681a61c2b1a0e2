//go:build unix

package gotest

import (
	"os/exec"
	"syscall"
)

// interrupted reports whether a Ctrl-C has ended a process.
func interrupted(exit *exec.ExitError) bool {
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGINT
}
