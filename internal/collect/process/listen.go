package process

import (
	"net"
	"net/netip"
	"strings"

	"github.com/whet-go/whet/internal/procfs"
)

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
// which excludes proxies and the port forwarders of containers. It returns 0 if there is none that
// this user may see.
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
	all, err := procfs.Listeners()
	if err != nil {
		return 0
	}
	inodes := make(map[string]bool)
	for _, l := range all {
		if l.Addr.Port() == at.Port() && (l.Addr.Addr() == ip || l.Addr.Addr().IsUnspecified()) {
			inodes[l.Inode] = true
		}
	}
	for _, pid := range procfs.PIDs() {
		if cmdline(pid) != strings.Join(args, "\x00") {
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
