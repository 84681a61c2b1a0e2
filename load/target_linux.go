package load

import (
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/procfs"
)

// target is the process that listens at the loaded address.
type target struct {
	pid     int // 0 means unknown
	command string
}

// findTarget finds the local process that listens at the address of all targets, as far as
// permissions allow.
func (p *plan) findTarget() target {
	if len(p.hosts) != 1 {
		return target{}
	}
	inodes := map[string]bool{}
	for _, a := range p.hosts[0].Addresses {
		switch a := a.(type) {
		case *net.TCPAddr:
			if a.IP.IsLoopback() || a.IP.IsUnspecified() {
				all, _ := procfs.Listeners() // without a list, the target is unknown
				for _, l := range all {
					if int(l.Addr.Port()) == a.Port {
						inodes[l.Inode] = true
					}
				}
			}
		case *net.UnixAddr:
			for _, inode := range procfs.UnixListeners(a.Name) {
				inodes[inode] = true
			}
		}
	}
	if len(inodes) == 0 {
		return target{}
	}
	pid := ownerOf(inodes)
	if pid == 0 {
		return target{}
	}
	command, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return target{}
	}
	return target{pid, strings.TrimSpace(string(command))}
}

// ownerOf returns the process that holds one of the sockets; 0 when it is not visible. Of several,
// as after a fork, it is the one with the lowest number.
func ownerOf(inodes map[string]bool) int {
	pids := procfs.PIDs()
	slices.Sort(pids)
	for _, pid := range pids {
		if pid == os.Getpid() {
			continue
		}
		for inode := range procfs.Sockets(pid) {
			if inodes[inode] {
				return pid
			}
		}
	}
	return 0
}

// cpu returns the CPU time that the process has used so far.
func (t target) cpu() (time.Duration, bool) {
	if t.pid == 0 {
		return 0, false
	}
	used, err := procfs.CPU(t.pid)
	return used, err == nil
}
