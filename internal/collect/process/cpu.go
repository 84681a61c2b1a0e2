package process

import (
	"time"

	"github.com/whet-go/whet/internal/procfs"
)

// CPU returns the CPU time, user and system, that pid, its descendants and its group have used so
// far, including that of their children that have ended and were waited for. It returns an error if
// pid is gone, and on systems other than Linux.
//
// The time of running processes comes from their clocks, which count nanoseconds; that of ended
// ones from /proc, which counts hundredths of a second.
func CPU(pid int) (time.Duration, error) {
	if _, err := procfs.CPU(pid); err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, p := range Tree(pid) {
		used, err := procfs.CPU(p)
		if err != nil {
			continue // it has ended in the meantime
		}
		ended, _ := procfs.ReadStat(p) // zero if it has ended in the meantime
		sum += used + ended.ChildrenUser + ended.ChildrenSystem
	}
	return sum, nil
}
