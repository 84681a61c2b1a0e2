package process

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/procfs"
)

// A listener is a listening TCP socket.
type listener struct {
	addr  netip.AddrPort
	inode string
}

// listeners reads /proc/net/tcp and tcp6. It fails if neither exists.
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

// parseHexAddr parses an address as /proc/net/tcp prints it: 32-bit words in the machine's byte
// order, then the port.
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

// isLocal reports whether addr is one of this machine's.
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

// FindPID finds the process on this machine that listens at remote and whose command line is args,
// which excludes a proxy or a container's port forwarder in between. It returns 0 if there is none
// that this user may see.
func FindPID(remote net.Addr, args []string) int {
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
	for _, pid := range procfs.PIDs() {
		if cmdline(pid) == strings.Join(args, "\x00") &&
			slices.ContainsFunc(sockets(pid), func(i string) bool { return inodes[i] }) {
			return pid
		}
	}
	return 0
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
