//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// The steps by which a command is stopped, politest first.
const (
	Interrupt = syscall.SIGINT
	Terminate = syscall.SIGTERM
	Kill      = syscall.SIGKILL
)

// OwnGroup makes cmd the leader of a process group, so that signals reach all
// that it starts, and a Ctrl-C meant for whet does not.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// SignalGroup signals a whole group. A group that is gone is no failure.
func SignalGroup(pid int, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
}

// GroupAlive reports whether any process of the group is left.
func GroupAlive(pid int) bool { return syscall.Kill(-pid, 0) == nil }
