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
			g := (&Module{Temp: t.TempDir()}).newGuard()
			if g.free <= 0 || g.disk <= 0 || g.disk > maxDisk {
				t.Errorf("%+v", g)
			}
			g.free, g.disk, g.processes = math.MaxInt64, 1<<20, 8 // the space that others use makes no difference
			cmd := exec.CommandContext(t.Context(), "sh", "-c", test.script)
			cmd.Dir = g.dir
			procgroup.OwnAndKill(cmd)
			began := time.Now()
			why, err := g.run(cmd)
			if (why == "") != (err == nil) || (why == "") != (test.why == "") || !strings.Contains(why, test.why) {
				t.Errorf("killed because %q, %v, want %q", why, err, test.why)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestForks ends a test that starts processes without end, and does not count those after it as passing.
func TestForks(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := moduleOf(t, `
-- go.mod --
module example.com/m

go 1.26
-- a/a_test.go --
package a

import (
	"os/exec"
	"testing"
)

func TestForks(t *testing.T) {
	var all []*exec.Cmd
	for range 200 {
		cmd := exec.Command("sleep", "600")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		_ = cmd.Wait()
	}
}

func TestAfter(t *testing.T) {}
-- b/b_test.go --
package b

import "testing"

func TestQuiet(t *testing.T) {}
`)
	m.options.Processes = 100
	r := m.test(t.Context(), []string{"-p=1"}, []string{"example.com/m/a", "example.com/m/b"}, nil)
	forks := Test{"example.com/m/a", "TestForks"}
	bad := r.failures()
	if len(bad) == 0 || bad[0] != forks || !strings.Contains(r.outputs[forks], "of its processes ran at once") {
		t.Errorf("failed: %v\n%v", bad, r.outputs)
	}
	for _, one := range []Test{{"example.com/m/a", "TestAfter"}, {"example.com/m/b", "TestQuiet"}} {
		if r.outcomes[one] == passed {
			t.Errorf("%s passes, although its process was killed", one)
		}
	}
	if r.outcomes[Test{Package: "example.com/m/b"}] == passed {
		t.Error("a package passes that was not tested")
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
