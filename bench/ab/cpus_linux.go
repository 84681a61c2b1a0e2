package ab

import "golang.org/x/sys/unix"

// Processors returns the logical CPUs that this process may use, to which rounds can be pinned; nil
// when pinning is not possible here.
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
