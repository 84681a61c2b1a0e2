//go:build !unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

const (
	Interrupt = syscall.Signal(2)
	Terminate = syscall.Signal(15)
	Kill      = syscall.Signal(9)
)

func OwnGroup(*exec.Cmd) {}

// SignalGroup can only kill where there are no process groups.
func SignalGroup(pid int, sig syscall.Signal) {
	if sig != Kill {
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func GroupAlive(int) bool { return false }
