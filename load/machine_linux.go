package load

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/procfs"
)

// machineCPU returns the CPU time that all CPUs together have spent on anything but waiting, and
// the number of CPUs, from /proc/stat (proc(5)): columns user, nice, system, idle, iowait, irq,
// softirq, steal; guest times are included in the first two. Time that the hypervisor gave to other
// machines (steal) counts, because programs on this machine had to wait.
func machineCPU() (busy time.Duration, processors int, ok bool) {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, false
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) < 9 || !strings.HasPrefix(f[0], "cpu") {
			break
		}
		if f[0] != "cpu" {
			processors++
			continue
		}
		for i, column := range f[1:9] {
			n, err := strconv.ParseInt(column, 10, 64)
			if err != nil {
				return 0, 0, false
			}
			if idle, iowait := 3, 4; i != idle && i != iowait {
				busy += time.Duration(n) * procfs.ClockTick
			}
		}
	}
	return busy, processors, processors > 0
}
