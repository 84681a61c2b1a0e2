//go:build unix

package collect

import (
	"os/exec"
	"syscall"
)

// The steps by which a command is stopped, politest first.
const (
	sigInterrupt = syscall.SIGINT
	sigTerminate = syscall.SIGTERM
	sigKill      = syscall.SIGKILL
)

// ownGroup makes cmd the leader of a process group, so that signals reach all
// that it starts, and a Ctrl-C meant for whet does not.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// signalGroup signals a whole group. A group that is gone is no failure.
func signalGroup(pid int, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
}

// groupAlive says whether any process of the group is left.
func groupAlive(pid int) bool { return syscall.Kill(-pid, 0) == nil }
