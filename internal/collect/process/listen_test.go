package process

import (
	"net"
	"os"
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
