package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/hostile"
)

// runProcess runs whet as a process of its own in dir and returns what it printed and
// took: bytes of memory, and processor time.
func runProcess(t *testing.T, dir string, args ...string) (code int, stdout, stderr string, memory int64, cpu time.Duration) {
	t.Helper()
	whet, err := exec.LookPath("whet")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), whet, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOGC=40") // cmd/whet's
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // its state says how it ended
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatalf("whet %q: %v", args, cmd.ProcessState)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String(), usage.Maxrss << 10, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// bounded runs whet and wants it to end by itself within the bounds.
func bounded(t *testing.T, dir string, args ...string) (code int, stderr string) {
	t.Helper()
	code, _, stderr, memory, cpu := runProcess(t, dir, args...)
	switch {
	case code != 0 && (code > 2 || !strings.Contains(stderr, "whet: ")) || strings.Contains(stderr, "internal error"):
		t.Errorf("whet %q: exit code %d\n%.2000s", args, code, stderr)
	case memory > hostile.BoundMemory || cpu > hostile.BoundSeconds*time.Second:
		t.Errorf("whet %q took %d MB and %v", args, memory>>20, cpu)
	case len(stderr) > 64<<10:
		t.Errorf("whet %q says %d bytes of errors and warnings", args, len(stderr))
	}
	return code, stderr
}

// TestHostileFiles reads every hostile file, as a profile and with google/pprof's driver.
func TestHostileFiles(t *testing.T) {
	dir := t.TempDir()
	names, err := hostile.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			bounded(t, dir, "top", name)
			bounded(t, dir, "pprof", "-top", name)
			switch {
			case strings.HasPrefix(name, "inlined"), strings.HasPrefix(name, "deep"):
				bounded(t, dir, "list", ".", name)
				bounded(t, dir, "traces", name)
				bounded(t, dir, "callgrind", "-o", filepath.Join(t.TempDir(), "out"), name)
			case name == "count.txt.gz", name == "heap.txt.gz", name == "samples.pb.gz", name == "part.whet", name == "part-text.whet":
				if code, stderr := bounded(t, dir, "top", name); code != 1 || !strings.Contains(stderr, "of memory that it may take") || !strings.Contains(stderr, "--max-memory") {
					t.Errorf("exit code %d\n%.500s", code, stderr)
				}
			}
		})
	}
}
