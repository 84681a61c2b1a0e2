//go:build unix

package costs

import (
	"os"
	"runtime"
	"syscall"
)

// PeakMemory returns the peak of the resident memory of a process that has ended, in bytes; 0 if it is
// unknown.
func PeakMemory(state *os.ProcessState) int64 {
	if state == nil {
		return 0
	}
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return usage.Maxrss
	}
	return usage.Maxrss << 10
}
