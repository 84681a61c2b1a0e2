//go:build linux

package scratch

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/procgroup"
)

// TestGuard checks that commands that fill the disk or fork without end are killed with all that they started,
// and that others are not.
func TestGuard(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, script, why string }{
		{"quiet", "sleep 1", ""},
		{"writes little", "dd if=/dev/zero of=file bs=1k count=100 2>/dev/null; sleep 1", ""},
		{"writes much", "dd if=/dev/zero of=file bs=1M count=4 2>/dev/null; sleep 60", "it wrote more than"},
		{"forks", "for i in 1 2 3 4 5 6 7 8 9; do sleep 60 & done; wait", "of its processes ran at once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := newGuard(t.TempDir())
			if g.free <= 0 || g.disk <= 0 || g.disk > maxDisk {
				t.Errorf("%+v", g)
			}
			g.free, g.disk, g.processes = math.MaxInt64, 1<<20, 8 // the space that others use makes no difference
			cmd := exec.CommandContext(t.Context(), "sh", "-c", test.script)
			cmd.Dir = g.dir
			procgroup.OwnAndKill(cmd)
			began := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			done, killed := make(chan struct{}), make(chan string, 1)
			go func() { killed <- g.watch(cmd, done) }()
			_ = cmd.Wait()
			close(done)
			if why := <-killed; (why == "") != (test.why == "") || !strings.Contains(why, test.why) {
				t.Errorf("killed because %q, want %q", why, test.why)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestSizeOf checks that directories and links do not count.
func TestSizeOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"x": 10, "a/y": 200, "a/b/z": 3000} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "x"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if got := sizeOf(dir); got != 3210 {
		t.Errorf("%d bytes, want 3210", got)
	}
}
