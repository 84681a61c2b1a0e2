//go:build !linux

package gotest

import (
	"errors"
	"os/exec"
	"runtime"
)

func startOn(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) > 0 {
		return errors.New("pinning to CPUs requires Linux, not " + runtime.GOOS)
	}
	return cmd.Start()
}
