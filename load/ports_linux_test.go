package load_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/whet-go/whet/load"
)

// fewPorts makes the test binary run TestAllPortsInUse, for the engine that it names, in a separate
// network namespace, where it can set the number of ports.
const fewPorts = "WHET_LOAD_TEST_FEW_PORTS"

// TestAllPortsInUse opens more connections than there are local ports.
func TestAllPortsInUse(t *testing.T) {
	if e := os.Getenv(fewPorts); e != "" {
		testAllPortsInUse(t, load.Engine(e))
		return
	}
	engines(t, func(t *testing.T, e load.Engine) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestAllPortsInUse$", "-test.v")
		cmd.Env = append(os.Environ(), fewPorts+"="+string(e))
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		if err != nil && len(out) == 0 || strings.Contains(string(out), "SKIP: TestAllPortsInUse") {
			t.Skipf("no separate network namespace here: %v\n%s", err, out)
		}
		if err != nil || !strings.Contains(string(out), "PASS: TestAllPortsInUse") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

func testAllPortsInUse(t *testing.T, e load.Engine) {
	if err := loopbackUp(); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_local_port_range", []byte("40000 40199\n"), 0); err != nil {
		t.Skip(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	// Only some of the connections can be opened; the others keep trying.
	again(t, 500*time.Millisecond, func(d time.Duration) error {
		r, err := load.Run(t.Context(), load.Options{
			Engine: e, URL: s.URL, Connections: 300, Duration: d, Timeout: patience,
		})
		if r == nil {
			return err
		}
		if r.Responses == 0 || r.Errors.Connect == 0 {
			return fmt.Errorf("%d responses, errors %+v in %v: %w", r.Responses, r.Errors, d, err)
		}
		first, _ := json.Marshal(r.Errors.First)
		if r.Errors.Connect != r.Errors.Total() || !strings.Contains(string(first), "assign requested address") {
			t.Errorf("%d responses, errors %+v", r.Responses, r.Errors)
		}
		if float64(r.Errors.Connect) > 100_000*r.Elapsed.Seconds() {
			t.Errorf("%d connections were tried in %v: no pause", r.Errors.Connect, r.Elapsed)
		}
		return nil
	})
}

// loopbackUp brings up the loopback interface of a new network namespace.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}
