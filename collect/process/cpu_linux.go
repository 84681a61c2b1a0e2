package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// clockTick is the unit of times in /proc/PID/stat: USER_HZ, which is 100 on all
// architectures that Go runs on.
const clockTick = time.Second / 100

// CPU returns the CPU time, user and system, that pid, its descendants and its
// group have used so far, those of their children included that have ended and were
// waited for. It fails when pid is gone.
//
// The time of what runs is that of the processes' clocks, which count nanoseconds;
// /proc counts hundredths of a second, which is what the ended ones are known to.
func CPU(pid int) (time.Duration, error) {
	if _, err := clock(pid); err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, p := range Tree(pid) {
		used, err := clock(p)
		if err != nil {
			continue // it ended meanwhile
		}
		sum += used + ofEnded(p)
	}
	return sum, nil
}

// clock reads a process's own clock. Its number is made as the C library's
// clock_getcpuclockid(3) makes it: all bits of the pid inverted, over three bits, of which 2
// stands for the scheduler's count of nanoseconds (linux/posix-timers_types.h).
func clock(pid int) (time.Duration, error) {
	const sched = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|sched, &t); err != nil {
		return 0, fmt.Errorf("read the processor time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// ofEnded is the time of the children that a process has waited for: fields 16 and 17
// of /proc/PID/stat (proc_pid_stat(5)).
func ofEnded(pid int) time.Duration {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 15 {
		return 0
	}
	user, _ := strconv.ParseInt(f[13], 10, 64) // 0 when it is no number
	system, _ := strconv.ParseInt(f[14], 10, 64)
	return time.Duration(user+system) * clockTick
}
