package collect

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Process is process.json: the target as the operating system sees it.
type Process struct {
	PID   int            `json:"pid"`
	Start *ProcessSample `json:"start,omitempty"` // at the window's start
	End   *ProcessSample `json:"end,omitempty"`   // at its end; nil when the process was gone
}

// ProcessSample is one look at a process.
type ProcessSample struct {
	Time    time.Time     `json:"time"`
	RSS     int64         `json:"rss_bytes"`
	PeakRSS int64         `json:"peak_rss_bytes"`
	Virtual int64         `json:"virtual_bytes"`
	Threads int           `json:"threads"`
	User    time.Duration `json:"user_ns"`   // CPU time since the process started
	System  time.Duration `json:"system_ns"` // the same, in the kernel
	// RSSByName sums the resident bytes of the mappings by their name, such as
	// "[anon: Go: heap]", "[stack]" or a file; nameless ones are "[anon]".
	RSSByName map[string]int64 `json:"rss_by_name,omitempty"`
}

// clockTick is the unit of the times in /proc/PID/stat: USER_HZ, 100 on every
// platform that Go runs on.
const clockTick = time.Second / 100

// sampleProcess reads /proc/PID. On systems without it, it fails.
func sampleProcess(pid int) (*ProcessSample, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	s := &ProcessSample{Time: time.Now()}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		f := strings.Fields(value)
		if len(f) == 0 {
			continue
		}
		n, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			continue
		}
		switch key {
		case "VmRSS":
			s.RSS = n << 10
		case "VmHWM":
			s.PeakRSS = n << 10
		case "VmSize":
			s.Virtual = n << 10
		case "Threads":
			s.Threads = int(n)
		}
	}
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return nil, err
	}
	// The command's name, in parentheses, may hold anything.
	if f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])); len(f) > 12 {
		user, uerr := strconv.ParseInt(f[11], 10, 64)
		system, serr := strconv.ParseInt(f[12], 10, 64)
		if uerr == nil && serr == nil {
			s.User, s.System = time.Duration(user)*clockTick, time.Duration(system)*clockTick
		}
	}
	// smaps needs the right to trace the process; the rest does not.
	if f, err := os.Open(filepath.Join(dir, "smaps")); err == nil {
		s.RSSByName = sumSmaps(f)
		_ = f.Close()
	}
	return s, nil
}

// sumSmaps sums the Rss lines of smaps by the mapping's name.
func sumSmaps(r io.Reader) map[string]int64 {
	sums := make(map[string]int64)
	name := ""
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		line := sc.Text()
		key, rest, _ := strings.Cut(line, " ")
		if !strings.HasSuffix(key, ":") {
			// "start-end perms offset dev inode   name"
			f := strings.Fields(line)
			name = "[anon]"
			if len(f) > 5 {
				name = strings.Join(f[5:], " ")
			}
			continue
		}
		if key != "Rss:" {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64); err == nil && n > 0 {
			sums[name] += n << 10
		}
	}
	return sums
}

// A listener is a listening TCP socket.
type listener struct {
	addr  netip.AddrPort
	inode string
}

// listeners reads /proc/net/tcp and tcp6. Where there is neither, it fails.
func listeners() ([]listener, error) {
	var out []listener
	var first error
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, err := os.ReadFile(file)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		out = append(out, parseListeners(string(data))...)
	}
	if len(out) > 0 {
		return out, nil
	}
	return nil, first
}

func parseListeners(table string) []listener {
	const listening = "0A"
	var out []listener
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != listening {
			continue
		}
		if addr, err := parseHexAddr(f[1]); err == nil {
			out = append(out, listener{addr, f[9]})
		}
	}
	return out
}

// parseHexAddr reads an address as /proc/net/tcp prints it: 32-bit words in the
// machine's byte order, then the port.
func parseHexAddr(s string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(s, ":")
	b, err := hex.DecodeString(host)
	if err != nil || len(b)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("address %q", s)
	}
	for w := 0; w < len(b); w += 4 {
		binary.NativeEndian.PutUint32(b[w:], binary.BigEndian.Uint32(b[w:]))
	}
	ip, ok := netip.AddrFromSlice(b)
	p, perr := strconv.ParseUint(port, 16, 16)
	if !ok || perr != nil {
		return netip.AddrPort{}, fmt.Errorf("address %q", s)
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(p)), nil
}

// isLocal says whether addr is one of this machine's.
func isLocal(ip netip.Addr) bool {
	if ip.IsLoopback() {
		return true
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if own, ok := netip.AddrFromSlice(n.IP); ok && own.Unmap() == ip {
				return true
			}
		}
	}
	return false
}

// findPID finds the process on this machine that listens at remote and whose
// command line is args: a proxy or a container's port forwarder in between is
// not the target. It returns 0 when there is none that this user may see.
func findPID(remote net.Addr, args []string) int {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok || len(args) == 0 {
		return 0
	}
	at := tcp.AddrPort()
	ip := at.Addr().Unmap()
	if !isLocal(ip) {
		return 0
	}
	all, err := listeners()
	if err != nil {
		return 0
	}
	inodes := make(map[string]bool)
	for _, l := range all {
		if l.addr.Port() == at.Port() && (l.addr.Addr() == ip || l.addr.Addr().IsUnspecified()) {
			inodes[l.inode] = true
		}
	}
	for _, pid := range pids() {
		if cmdline(pid) == strings.Join(args, "\x00") && slices.ContainsFunc(sockets(pid), func(i string) bool { return inodes[i] }) {
			return pid
		}
	}
	return 0
}

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

// sockets lists the inodes of a process's open sockets.
func sockets(pid int) []string {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	fds, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, fd := range fds {
		link, err := os.Readlink(filepath.Join(dir, fd.Name()))
		if inode, ok := strings.CutPrefix(link, "socket:["); ok && err == nil {
			out = append(out, strings.TrimSuffix(inode, "]"))
		}
	}
	return out
}

// tree lists pid and its descendants, and all that share its process group.
func tree(pid int) []int {
	parent, group := make(map[int]int), make(map[int]int)
	for _, p := range pids() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			continue
		}
		f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(f) < 3 {
			continue
		}
		parent[p], _ = strconv.Atoi(f[1]) // 0 is nobody's child
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
