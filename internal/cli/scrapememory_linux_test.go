package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestWatchMemory runs whet watch --config as a process with 500 targets, of which 50 accept connections and
// send nothing, 50 refuse, and 50 send garbage, and bounds its memory and its descriptors.
func TestWatchMemory(t *testing.T) {
	const healthy, broken, connections, rounds = 350, 50, 96, 3
	const mostMemory = 160 << 20 // of the process, with the test binary; --memory would allow more
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: pprofHandler(dir, ""), ReadHeaderTimeout: time.Minute}
	var running sync.WaitGroup
	var listeners []net.Listener
	var names []string
	bad := map[string]bool{}
	for i := range healthy + 3*broken {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners, names = append(listeners, l), append(names, l.Addr().String())
		if i < healthy {
			running.Go(func() { _ = server.Serve(l) })
			continue
		}
		bad[l.Addr().String()] = true
		switch i % 3 {
		case 0: // the kernel accepts connections
		case 1:
			_ = l.Close()
		case 2:
			running.Go(func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = c.Write([]byte(strings.Repeat("\x00\xffgarbage\r\n\r\n", 100)))
					_ = c.Close()
				}
			})
		}
	}
	defer func() {
		_ = server.Close()
		for _, l := range listeners {
			_ = l.Close()
		}
		running.Wait()
	}()
	config := filepath.Join(dir, "targets.yaml")
	text := `{global: {scrape_interval: 2s, scrape_timeout: 5s, profiles: [heap]},
		scrape_configs: [{job_name: shop, static_configs: [{targets: ["` + strings.Join(names, `", "`) + `"]}]}]}`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), "whet", "watch", "--config", config, "--json", "--store",
		filepath.Join(dir, "st"), "--connections", strconv.Itoa(connections))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	process := fmt.Sprintf("/proc/%d/", cmd.Process.Pid)
	scrapes, left, descriptors, attempts := map[string]int{}, healthy, 0, 0
	var memory int64
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		var e struct{ Target, Error string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Errorf("%v: %s", err, lines.Text())
			break
		}
		files, err := os.ReadDir(process + "fd")
		if err != nil {
			t.Error(err)
			break
		}
		descriptors = max(descriptors, len(files))
		address := strings.TrimSuffix(strings.TrimPrefix(e.Target, "http://"), "/debug/pprof")
		scrapes[address]++
		switch {
		case bad[address]:
			attempts++
		case e.Error != "":
			t.Errorf("%s: %s", address, e.Error)
		case scrapes[address] == rounds:
			left--
		}
		if left == 0 && attempts >= 3*broken {
			memory = highWater(t, process+"status")
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); { // until it ends
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &stderr)
	}
	t.Logf("%d targets: at most %d MiB, %d descriptors", len(names), memory>>20, descriptors)
	if memory == 0 || memory > mostMemory {
		t.Errorf("%d bytes of memory, want at most %d", memory, mostMemory)
	}
	// A connection has one end in that process; the rest are the store, its log, and standard files.
	if descriptors > connections+40 {
		t.Errorf("%d descriptors with %d connections", descriptors, connections)
	}
}

// highWater returns the most memory that a process has had, in bytes.
func highWater(t *testing.T, status string) int64 {
	t.Helper()
	text, err := os.ReadFile(status)
	if err != nil {
		t.Error(err)
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kilobytes, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Error(err)
	}
	return kilobytes << 10
}
