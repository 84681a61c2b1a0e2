package gotest

import (
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startOn starts cmd on the given logical CPUs. A process inherits them from the thread that starts
// it, so that it never runs elsewhere, not even at first.
func startOn(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) == 0 {
		return cmd.Start()
	}
	runtime.LockOSThread()
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("pin to CPUs: %w", err)
	}
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("pin to CPUs %v: %w", cpus, err)
	}
	err := cmd.Start()
	if unix.SchedSetaffinity(0, &before) == nil {
		// Otherwise the thread stays with this goroutine, and nothing else runs on it.
		runtime.UnlockOSThread()
	}
	return err
}
