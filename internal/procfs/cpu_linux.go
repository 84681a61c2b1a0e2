package procfs

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the CPU time that a process has used so far: from its clock, which counts
// nanoseconds, or else from /proc. It fails if the process is gone.
func CPU(pid int) (time.Duration, error) {
	// The clock's ID is computed as in the C library's clock_getcpuclockid(3): all bits of the pid
	// inverted, shifted left by three bits, of which 2 selects the scheduler's count of nanoseconds
	// (linux/posix-timers_types.h).
	const sched = 2
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid)<<3|sched, &t)
	if err == nil {
		return time.Duration(t.Nano()), nil
	}
	if s, err := ReadStat(pid); err == nil {
		return s.User + s.System, nil
	}
	return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
}
