package procfs

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Listener is a TCP socket that listens.
type Listener struct {
	Addr  netip.AddrPort
	Inode string // identifies the socket, as in Sockets
}

// Listeners returns the TCP sockets that listen on this machine. It fails if the system does not
// list them.
func Listeners() ([]Listener, error) {
	var out []Listener
	var first error
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(name)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		out = append(out, parseListeners(f)...)
		_ = f.Close() // was only read
	}
	if len(out) > 0 {
		return out, nil
	}
	return nil, first
}

// parseListeners parses /proc/net/tcp (proc(5)): columns sl, local address, remote address, state, …,
// inode as the tenth.
func parseListeners(table io.Reader) []Listener {
	const listening = "0A"
	var out []Listener
	eachLine(table, " "+listening+" ", func(f []string) {
		if len(f) < 10 || f[3] != listening {
			return
		}
		if addr, err := parseHexAddr(f[1]); err == nil {
			out = append(out, Listener{addr, f[9]})
		}
	})
	return out
}

// UnixListeners returns the inodes of the Unix sockets that listen at a path.
func UnixListeners(path string) []string {
	f, err := os.Open("/proc/net/unix")
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // was only read
	const accepting = " 00010000 "   // __SO_ACCEPTCON
	var out []string
	// The columns are num, references, protocol, flags, type, state, inode, path.
	eachLine(f, accepting, func(f []string) {
		if len(f) == 8 && f[7] == path {
			out = append(out, f[6])
		}
	})
	return out
}

// eachLine calls do with the columns of each line that contains mark. There may be tens of
// thousands of other lines.
func eachLine(table io.Reader, mark string, do func(fields []string)) {
	for lines := bufio.NewScanner(table); lines.Scan(); {
		if bytes.Contains(lines.Bytes(), []byte(mark)) {
			do(strings.Fields(lines.Text()))
		}
	}
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

// Sockets yields the inodes of the sockets that a process has open; none for another user's. A
// process may have tens of thousands of open files.
func Sockets(pid int) iter.Seq[string] {
	return func(yield func(inode string) bool) {
		dir, err := os.Open("/proc/" + strconv.Itoa(pid) + "/fd")
		if err != nil {
			return
		}
		defer func() { _ = dir.Close() }() // was only read
		for {
			names, err := dir.Readdirnames(256)
			for _, name := range names {
				link, err := os.Readlink(filepath.Join(dir.Name(), name))
				inode, ok := strings.CutPrefix(link, "socket:[")
				if ok && err == nil && !yield(strings.TrimSuffix(inode, "]")) {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
}
