//go:build !unix

package gotest

import (
	"os/exec"
	"time"
)

// ownGroup can only end the command itself where there are no process groups.
func ownGroup(cmd *exec.Cmd) { cmd.WaitDelay = 2 * time.Second }

func killGroup(*exec.Cmd) error { return nil }

func interrupted(*exec.ExitError) bool { return false }
