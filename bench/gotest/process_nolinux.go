//go:build !linux

package gotest

import (
	"errors"
	"os/exec"
	"runtime"
)

func startOn(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) > 0 {
		return errors.New("a process can be pinned to processors on Linux only, not on " + runtime.GOOS)
	}
	return cmd.Start()
}
