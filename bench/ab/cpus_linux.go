package ab

import "golang.org/x/sys/unix"

// Processors are the logical processors that this process may be on, to which rounds can
// be pinned; nil when that is not possible here.
func Processors() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var cpus []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
