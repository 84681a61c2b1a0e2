//go:build !unix

package procgroup

import (
	"os"
	"os/exec"
	"syscall"
)

// The signals that end a group, politest first. Only Kill has an effect.
const (
	Interrupt = syscall.Signal(2)
	Terminate = syscall.Signal(15)
	Kill      = syscall.Signal(9)
)

// Own does nothing: there are no process groups.
func Own(*exec.Cmd) {}

// Signal kills the process pid if sig is Kill, and does nothing otherwise.
func Signal(pid int, sig syscall.Signal) {
	if sig != Kill {
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// Alive reports whether any process of the group is left. Here that is unknown, and it returns
// false.
func Alive(int) bool { return false }
