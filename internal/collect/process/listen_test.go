package process

import (
	"net"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestListeners(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc/net here")
	}
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Logf("%s: %v", addr, err)
			continue
		}
		args := strings.Split(cmdline(os.Getpid()), "\x00")
		if pid := FindPID(l.Addr(), args); pid != os.Getpid() {
			t.Errorf("%s: pid %d, want %d", l.Addr(), pid, os.Getpid())
		}
		if pid := FindPID(l.Addr(), []string{"another program"}); pid != 0 {
			t.Errorf("%s: pid %d for another program", l.Addr(), pid)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if pid := FindPID(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}, os.Args); pid != 0 {
		t.Errorf("a remote address has pid %d", pid)
	}
}

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
		for _, l := range parseListeners(table) {
			if !l.addr.IsValid() {
				t.Errorf("invalid address out of %q", table)
			}
		}
	})
}
