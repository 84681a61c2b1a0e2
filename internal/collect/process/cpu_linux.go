package process

import (
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the CPU time, user and system, that pid, its descendants and its group have used so
// far, including that of their children that have ended and were waited for. It fails if pid is
// gone.
//
// The time of running processes comes from their clocks, which count nanoseconds; that of ended
// ones from /proc, which counts hundredths of a second.
func CPU(pid int) (time.Duration, error) {
	if _, err := clock(pid); err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, p := range Tree(pid) {
		used, err := clock(p)
		if err != nil {
			continue // it has ended meanwhile
		}
		sum += used + ofEnded(p)
	}
	return sum, nil
}

// clock reads the CPU clock of a process. The clock's ID is computed as in the C library's
// clock_getcpuclockid(3): all bits of the pid inverted, shifted left by three bits, of which 2
// selects the scheduler's count of nanoseconds (linux/posix-timers_types.h).
func clock(pid int) (time.Duration, error) {
	const sched = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|sched, &t); err != nil {
		return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// ofEnded returns the time of the children that a process has waited for: fields 16 and 17 of
// /proc/PID/stat (proc_pid_stat(5)).
func ofEnded(pid int) time.Duration {
	f := stat(pid)
	if len(f) < 15 {
		return 0
	}
	user, _ := strconv.ParseInt(f[13], 10, 64) // 0 if it is not a number
	system, _ := strconv.ParseInt(f[14], 10, 64)
	return time.Duration(user+system) * clockTick
}
