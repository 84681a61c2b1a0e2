package cli_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDemo does what `make demo` does, in less time, and checks that the slow lines of the example
// are shown with their shares of CPU time and of bytes.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	example, err := filepath.Abs("../../examples/leftpad")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	build := exec.Command("go", "build", "-o", filepath.Join(t.TempDir(), "leftpad"), ".")
	build.Dir = example
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var missing []string
	if !longEnough(4*time.Second, func(d time.Duration) bool {
		missing = demoed(t, example, build.Args[3], d)
		return len(missing) == 0
	}) {
		t.Error(strings.Join(missing, "\n"))
	}
}

// longEnough reports whether measure succeeds with a time, which is doubled as long as measure
// reports that it measured too little: on a busy machine, a process may get no CPU time in a short
// time.
func longEnough(d time.Duration, measure func(time.Duration) bool) bool {
	for range 6 {
		if measure(d) {
			return true
		}
		d *= 2
	}
	return false
}

// demoed records the example and returns what the reports lack.
func demoed(t *testing.T, example, program string, length time.Duration) (missing []string) {
	t.Helper()
	// The load needs a fixed address, as the services of users have.
	addr := freeAddr(t)
	code, stdout, stderr := runWhet(t, "record", "-o", "demo.whet", "-d", length.String(), "--trace", "1s",
		"--load", "http://"+addr+"/v1/leftpad/?str=test&len=50&chr=*", "--", program, "-addr", addr, "-pprof", "127.0.0.1:0")
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, typ := range []string{"cpu", "alloc_space"} {
		code, stdout, stderr := runWhet(t, "top", "-n", "20", "--type", typ, "demo.whet")
		if code != 0 {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		for _, slow := range []struct{ file, text string }{
			{"leftpad.go", "text = string(fill) + text"},
			{"statsd.go", "strings.NewReplacer("},
			{"statsd.go", "fmt.Sprintf("},
			{"handlers.go", `s.Log.Printf("request`},
		} {
			for _, n := range linesWith(t, filepath.Join(example, "slow", slow.file), slow.text) {
				row := rowOf(stdout, fmt.Sprintf("%s:%d ", slow.file, n))
				shares := strings.Count(strings.Join(strings.Fields(row), " "), "% ")
				if shares == 0 {
					missing = append(missing, fmt.Sprintf("%s: %s:%d (%s) is not named:\n%s", typ, slow.file, n, slow.text, stdout))
				}
			}
		}
		for _, column := range []string{"cpu", "alloc"} {
			if header := rowOf(stdout, "what it called"); !strings.Contains(header, column) {
				missing = append(missing, fmt.Sprintf("%s: no column %s:\n%s", typ, column, header))
			}
		}
	}
	// The trace lasts a second, in which the service may get no CPU time on a busy machine.
	code, stdout, stderr = runWhet(t, "flame", "--order", "time", "--json", "demo.whet")
	switch {
	case code != 0 && strings.Contains(stderr, "has no CPU samples"):
		missing = append(missing, stderr)
	case code != 0 || !strings.Contains(stdout, `"ordered": true`) || !strings.Contains(stdout, "leftpad"):
		t.Errorf("flame in the order of time: exit code %d\n%s%.2000s", code, stderr, stdout)
	}
	return missing
}

// linesWith lists the numbers of a file's lines that contain text.
func linesWith(t *testing.T, file, text string) (out []int) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		if n++; strings.Contains(line, text) {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no line with %q", file, text)
	}
	return out
}

// rowOf returns the line of a report that contains text; "" if there is none.
func rowOf(report, text string) string {
	for line := range strings.Lines(report) {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// freeAddr returns a loopback address on which nothing listens. Its port is below those that
// systems choose for connections and listeners, so that no other test takes it before it is used.
func freeAddr(t *testing.T) string {
	t.Helper()
	for {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		l, err := net.Listen("tcp", addr)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }() // it only had to choose
		return addr
	}
}
