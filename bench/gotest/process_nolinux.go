//go:build !linux

package gotest

import (
	"errors"
	"os/exec"
	"runtime"
)

var errNoPinning = errors.New("a process can be pinned to processors on Linux only, not on " + runtime.GOOS)

func startOn(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) > 0 {
		return errNoPinning
	}
	return cmd.Start()
}

// Processors returns the logical processors that this process may run on.
func Processors() ([]int, error) { return nil, errNoPinning }
