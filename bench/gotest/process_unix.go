//go:build unix

package gotest

import (
	"os/exec"
	"syscall"
	"time"
)

// ownGroup makes cmd the leader of a process group, so that everything it starts ends with it, and
// a Ctrl-C meant for whet does not reach it. When cmd's context ends the group is killed.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	cmd.WaitDelay = 2 * time.Second // for pipes that others keep open
	cmd.Cancel = func() error { return killGroup(cmd) }
}

// killGroup kills what is left of cmd's process group; an empty group is not an error.
func killGroup(cmd *exec.Cmd) error {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return nil
}

// interrupted reports whether a Ctrl-C has ended a process.
func interrupted(exit *exec.ExitError) bool {
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGINT
}
