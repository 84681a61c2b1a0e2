package process

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// pids lists the processes.
func pids() []int {
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

// cmdline returns a process's arguments, separated by NUL.
func cmdline(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(data), "\x00")
}

// stat returns the fields of /proc/PID/stat (proc_pid_stat(5)) from the third, the state, on; nil if
// the process is gone. The second, the command, may contain anything.
func stat(pid int) []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
}

// Tree returns pid and its descendants, and all processes in its group.
func Tree(pid int) []int {
	parent, group := make(map[int]int), make(map[int]int)
	for _, p := range pids() {
		f := stat(p)
		if len(f) < 3 {
			continue
		}
		parent[p], _ = strconv.Atoi(f[1]) // 0 is the parent of none
		group[p], _ = strconv.Atoi(f[2])
	}
	in := map[int]bool{pid: true}
	for grew := true; grew; {
		grew = false
		for p, pp := range parent {
			if !in[p] && (in[pp] || group[p] == pid) {
				in[p], grew = true, true
			}
		}
	}
	return slices.Sorted(maps.Keys(in))
}
