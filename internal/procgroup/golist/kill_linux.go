package golist

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// kill kills the processes that have an entry in their environment. Those of other users cannot be read, and are not.
func kill(entry string) {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	want := []byte(entry + "\x00")
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		environment, err := os.ReadFile("/proc/" + d.Name() + "/environ")
		if err == nil && bytes.Contains(environment, want) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
}
