//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// The signals that end a group, politest first.
const (
	Interrupt = syscall.SIGINT
	Terminate = syscall.SIGTERM
	Kill      = syscall.SIGKILL
)

// Own makes cmd, which must not be started yet, the leader of a process group.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// Signal signals the group that pid leads. It ignores a group that no longer exists.
func Signal(pid int, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
}

// Alive reports whether any process of the group that pid leads is left.
func Alive(pid int) bool { return syscall.Kill(-pid, 0) == nil }
