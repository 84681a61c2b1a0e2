package procfs

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ClockTick is the unit of times in /proc/stat and /proc/PID/stat: USER_HZ, which is 100 on all
// architectures that Go supports.
const ClockTick = time.Second / 100

// PIDs returns the numbers of the visible processes, in no particular order.
func PIDs() []int {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []int
	for _, d := range dirs {
		if pid, err := strconv.Atoi(d.Name()); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// A Stat is what whet uses of /proc/PID/stat (proc_pid_stat(5)). Fields that the kernel does not
// report are zero. Times are CPU times, in multiples of ClockTick.
type Stat struct {
	Parent, Group int
	User, System  time.Duration // of the process itself
	// ChildrenUser and ChildrenSystem are those of children that have ended and were waited for.
	ChildrenUser, ChildrenSystem time.Duration
}

// ReadStat reads the Stat of a process. It fails if the process is gone.
func ReadStat(pid int) (Stat, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Stat{}, fmt.Errorf("read the state of process %d: %w", pid, err)
	}
	return parseStat(data), nil
}

// parseStat parses the contents of /proc/PID/stat.
func parseStat(data []byte) Stat {
	// The second field, the command, is in parentheses and may contain anything. The third is the
	// state.
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	number := func(i int) int64 {
		if i >= len(f) {
			return 0
		}
		n, _ := strconv.ParseInt(f[i], 10, 64) // 0 if it is not a number
		return n
	}
	ticks := func(i int) time.Duration { return time.Duration(number(i)) * ClockTick }
	return Stat{
		Parent: int(number(1)), Group: int(number(2)),
		User: ticks(11), System: ticks(12), ChildrenUser: ticks(13), ChildrenSystem: ticks(14),
	}
}
