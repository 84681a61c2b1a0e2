//go:build unix

package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/prove/provetest"
)

// waiting is a test that says where it runs, and goes on for a minute.
const waiting = `package p

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestWait(t *testing.T) {
	if Join([]string{"a"}) != "a," {
		t.Error("wrong")
	}
	name := fmt.Sprint(os.Getenv("WHET_RUNS"), "/", os.Getpid())
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Minute)
}
`

// TestProveEnded ends a proof while tests run, by Ctrl-C and by kill -9. The versions are unchanged. After Ctrl-C,
// nothing is left; after a kill, the next proof removes the copy.
func TestProveEnded(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			dir, temp, runs := t.TempDir(), t.TempDir(), t.TempDir()
			faster := strings.ReplaceAll(proved, "// Join joins words.", "// Join joins words with commas.\nvar _ = 1\n")
			for version, archive := range map[string]string{"a": proved, "b": faster} {
				if err := os.Mkdir(filepath.Join(dir, version), 0o700); err != nil {
					t.Fatal(err)
				}
				for _, f := range txtar.Parse([]byte(archive + "-- wait_test.go --\n" + waiting)).Files {
					if err := os.WriteFile(filepath.Join(dir, version, f.Name), f.Data, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := tree(t, dir)
			prove := func() (*exec.Cmd, *bytes.Buffer) {
				cmd := exec.CommandContext(t.Context(), "whet", "prove", "--a", "a", "--b", "b", "--configs", "none")
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+temp, "WHET_RUNS="+runs)
				out := &bytes.Buffer{}
				cmd.Stdout, cmd.Stderr = out, out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
					if list, err := os.ReadDir(runs); err == nil && len(list) > 0 {
						return cmd, out
					}
					if time.Since(began) > 2*time.Minute {
						t.Fatalf("no test runs:\n%s", out)
					}
				}
			}
			end := func(cmd *exec.Cmd, signal syscall.Signal) time.Duration {
				began := time.Now()
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // ended
				for name, text := range tree(t, dir) {
					if before[name] != text {
						t.Errorf("%s was changed, or is new", name)
					}
				}
				return time.Since(began)
			}
			left := func() int {
				names, err := filepath.Glob(filepath.Join(temp, "whet-*"))
				if err != nil {
					t.Fatal(err)
				}
				return len(names)
			}
			cmd, _ := prove()
			if left() != 1 {
				t.Fatalf("%d copies while it runs", left())
			}
			took := end(cmd, signal)
			if signal == syscall.SIGKILL {
				if left() != 1 {
					t.Fatal("nothing is left of what was killed, and the test tests nothing")
				}
				kill(t, runs) // they would wait for the whole minute
				var out *bytes.Buffer
				if cmd, out = prove(); left() != 1 {
					t.Errorf("%d copies after the next proof began\n%s", left(), out)
				}
				took = end(cmd, syscall.SIGINT)
			}
			if n := kill(t, runs); n > 0 || left() > 0 {
				t.Errorf("after Ctrl-C, %d processes and %d copies are left", n, left())
			}
			if took > 20*time.Second {
				t.Errorf("it took %v to end", took)
			}
		})
	}
}

// kill kills the processes whose files are in a directory, removes these, and returns how many did not end within some
// seconds.
func kill(t *testing.T, dir string) (n int) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range list {
		pid := 0
		for _, digit := range entry.Name() {
			pid = 10*pid + int(digit-'0')
		}
		began := time.Now()
		for err == nil && time.Since(began) < 5*time.Second { // the system may take a moment to forget a process
			time.Sleep(10 * time.Millisecond)
			err = syscall.Kill(pid, 0)
		}
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
			n++
		}
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Error(err)
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			t.Error(err)
		}
	}
	return n
}
