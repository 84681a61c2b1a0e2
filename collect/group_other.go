//go:build !unix

package collect

import (
	"os"
	"os/exec"
	"syscall"
)

const (
	sigInterrupt = syscall.Signal(2)
	sigTerminate = syscall.Signal(15)
	sigKill      = syscall.Signal(9)
)

func ownGroup(*exec.Cmd) {}

// signalGroup can only kill where there are no process groups.
func signalGroup(pid int, sig syscall.Signal) {
	if sig != sigKill {
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func groupAlive(int) bool { return false }
