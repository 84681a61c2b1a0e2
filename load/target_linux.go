package load

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

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
				listenersTCP(inodes, a.Port)
			}
		case *net.UnixAddr:
			listenersUnix(inodes, a.Name)
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

// listenersTCP adds the sockets that listen at a port, from /proc/net/tcp (proc(5)): columns sl,
// local address, remote address, state, …, inode as the tenth.
func listenersTCP(inodes map[string]bool, port int) {
	const listening = " 0A "
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		eachLine(table, listening, func(f []string) {
			if len(f) < 10 {
				return
			}
			_, p, ok := strings.Cut(f[1], ":")
			if b, err := hex.DecodeString(p); ok && err == nil && len(b) == 2 && int(b[0])<<8|int(b[1]) == port {
				inodes[f[9]] = true
			}
		})
	}
}

// listenersUnix adds the sockets that listen at a path, from /proc/net/unix: columns num,
// references, protocol, flags, type, state, inode, path.
func listenersUnix(inodes map[string]bool, path string) {
	const accepting = " 00010000 " // __SO_ACCEPTCON
	eachLine("/proc/net/unix", accepting, func(f []string) {
		if len(f) == 8 && f[7] == path {
			inodes[f[6]] = true
		}
	})
}

// eachLine calls do with the columns of each line that contains mark. There may be tens of
// thousands of other lines.
func eachLine(file, mark string, do func(fields []string)) {
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if bytes.Contains(lines.Bytes(), []byte(mark)) {
			do(strings.Fields(lines.Text()))
		}
	}
}

// ownerOf returns the process that holds one of the sockets; 0 when it is not visible. Of several,
// as after a fork, it is the one with the lowest number.
func ownerOf(inodes map[string]bool) int {
	pids := procfs.PIDs()
	slices.Sort(pids)
	for _, pid := range pids {
		if pid != os.Getpid() && holds(pid, inodes) {
			return pid
		}
	}
	return 0
}

// holds reports whether a process has one of the sockets open. A process may have tens of thousands
// of open files.
func holds(pid int, inodes map[string]bool) bool {
	dir, err := os.Open("/proc/" + strconv.Itoa(pid) + "/fd")
	if err != nil {
		return false // another user's
	}
	defer func() { _ = dir.Close() }()
	var buf [64]byte
	for {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			n, err := unix.Readlinkat(int(dir.Fd()), name, buf[:])
			if err != nil {
				continue
			}
			inode, ok := bytes.CutPrefix(buf[:n], []byte("socket:["))
			if ok && inodes[string(bytes.TrimSuffix(inode, []byte("]")))] {
				return true
			}
		}
		if err != nil {
			return false
		}
	}
}

// cpu returns the CPU time that the process has used so far.
func (t target) cpu() (time.Duration, bool) {
	if t.pid == 0 {
		return 0, false
	}
	used, err := procfs.CPU(t.pid)
	return used, err == nil
}
