package process

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/procfs"
)

// cmdline returns a process's arguments, separated by NUL.
func cmdline(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(data), "\x00")
}

// Tree returns pid and its descendants, and all processes in its group.
func Tree(pid int) []int {
	parent, group := make(map[int]int), make(map[int]int)
	for _, p := range procfs.PIDs() {
		if s, err := procfs.ReadStat(p); err == nil {
			parent[p], group[p] = s.Parent, s.Group
		}
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
