package procfs

import (
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestParseHexAddr(t *testing.T) {
	// As the kernel writes them on a little-endian machine.
	if b := [2]byte{1, 0}; *(*uint16)(reflect.ValueOf(&b).UnsafePointer()) != 1 {
		t.Skip("big-endian")
	}
	for in, want := range map[string]string{
		"0100007F:1F90":                         "127.0.0.1:8080",
		"00000000000000000000000001000000:0050": "[::1]:80",
		"0000000000000000FFFF00000100007F:0001": "127.0.0.1:1",
		"00000000000000000000000000000000:FFFF": "[::]:65535",
	} {
		if got, err := parseHexAddr(in); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v, want %s", in, got, err, want)
		}
	}
}

func FuzzParseListeners(f *testing.F) {
	if data, err := os.ReadFile("/proc/net/tcp"); err == nil {
		f.Add(string(data))
	}
	f.Add("  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 12345 1")
	f.Fuzz(func(t *testing.T, table string) {
		for _, l := range parseListeners(strings.NewReader(table)) {
			if !l.Addr.IsValid() {
				t.Errorf("invalid address out of %q", table)
			}
		}
	})
}

// TestSockets finds this process's listening sockets.
func TestSockets(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc/net here")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	path := filepath.Join(t.TempDir(), "s")
	u, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = u.Close() }()
	mine := slices.Collect(Sockets(os.Getpid()))
	all, err := Listeners()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(one Listener) bool { return one.Addr.String() == l.Addr().String() })
	if i < 0 || !slices.Contains(mine, all[i].Inode) {
		t.Errorf("%v is not among the listeners %v with an inode of %v", l.Addr(), all, mine)
	}
	if got := UnixListeners(path); len(got) != 1 || !slices.Contains(mine, got[0]) {
		t.Errorf("listeners at %s: %v, want one of %v", path, got, mine)
	}
	if got := UnixListeners(path + "x"); len(got) != 0 {
		t.Errorf("listeners at a path without a socket: %v", got)
	}
}
