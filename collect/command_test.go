//go:build unix

package collect

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
)

// syncBuffer is a log that may be read while it is written.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestCommand starts a server, finds it, records it, and leaves nothing running.
func TestCommand(t *testing.T) {
	t.Setenv(roleVar, "server rates")
	out := filepath.Join(t.TempDir(), "r.whet")
	var log syncBuffer
	// A shell starts the server, so that the listener is not the command itself.
	sum, err := Run(t.Context(), Options{
		Command: []string{"/bin/sh", "-c", `"$0" & wait`, os.Args[0]}, Out: out,
		Start: 2 * time.Minute, Duration: time.Second, TargetLog: &log,
	})
	if err != nil {
		t.Fatal(err)
	}
	m := sum.Meta
	if m.Target.Kind != recording.Command || m.Target.PID == 0 ||
		!strings.Contains(log.String(), strings.TrimSuffix(m.Target.Address, "/debug/pprof/")) {
		t.Errorf("target %+v, log %q", m.Target, log.String())
	}
	gone(t, m.Target.PID)
	if p, err := openRecording(t, out).Profile("cpu"); err != nil || p.NumSamples() == 0 {
		t.Error(err)
	}
}

// gone waits until a process that was killed has exited and its parent has waited for it.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); syscall.Kill(pid, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("the server is still running")
			return
		}
	}
}

// TestSourceNotFound records a binary that does not contain the paths of its source, away from the
// source and next to it.
func TestSourceNotFound(t *testing.T) {
	example, err := filepath.Abs("../examples/leftpad")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "leftpad")
	if out, err := exec.Command("go", "build", "-C", example, "-trimpath", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for dir, lost := range map[string]bool{t.TempDir(): true, example: false} {
		t.Chdir(dir)
		out := filepath.Join(t.TempDir(), "r.whet")
		sum, err := Run(t.Context(), Options{
			Command: []string{bin, "-addr", "127.0.0.1:0", "-pprof", "127.0.0.1:0", "-log", filepath.Join(t.TempDir(), "log")},
			Out:     out, Start: 2 * time.Minute, Duration: 500 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		missing := slices.ContainsFunc(sum.Meta.Missing, func(m recording.Missing) bool {
			return m.Part == "source" && strings.Contains(m.Hint, "-trimpath")
		})
		own := slices.ContainsFunc(openRecording(t, out).Sources(), func(f string) bool {
			return strings.HasSuffix(f, "leftpad/main.go")
		})
		if missing != lost || own == lost {
			t.Errorf("in %s: source missing: %v, want %v; stored: %v", dir, missing, lost, own)
		}
	}
}

// TestCommandErrors has commands that cannot be recorded.
func TestCommandErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		role         string
		command      []string
		addr         string
		reason, hint string
	}{
		"not there": {"", []string{"./no-such-command"}, "", "start ./no-such-command: no such file", "build it first"},
		"exits":     {"server exits", []string{os.Args[0]}, "", "cannot find the configuration", "agent.Record"},
		"no pprof":  {"server bare", []string{os.Args[0]}, "", "404", "net/http/pprof"},
		"elsewhere": {"server", []string{os.Args[0]}, "127.0.0.1:1", "127.0.0.1:1", "--pprof-addr"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(roleVar, tc.role)
			out := filepath.Join(t.TempDir(), "r.whet")
			var err error
			// On a busy machine the command may take longer to start.
			for start := 2 * time.Second; start < 5*time.Minute; start *= 8 {
				if _, err = Run(t.Context(), Options{
					Command: tc.command, Out: out, Start: start, PprofAddr: tc.addr,
				}); err == nil || strings.Contains(err.Error(), tc.reason) {
					break
				}
			}
			if err == nil || !strings.Contains(err.Error(), tc.reason) || !strings.Contains(diag.Hint(err), tc.hint) {
				t.Errorf("error %v\nhint %s", err, diag.Hint(err))
			}
		})
	}
}

// TestCommandInterrupted cancels while Run waits for the command, and while it records it.
func TestCommandInterrupted(t *testing.T) {
	t.Setenv(roleVar, "server")
	out := filepath.Join(t.TempDir(), "r.whet")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sum, err := Run(ctx, Options{
		Command: []string{os.Args[0]}, Out: out, Start: 2 * time.Minute, Duration: time.Hour,
		Progress: func(p Progress) {
			if len(p.Running) > 0 && strings.HasPrefix(p.Running[0], "cpu") {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := openRecording(t, out); !r.Meta().Interrupted || !r.Has("profiles/heap.pb.gz") {
		t.Errorf("parts %+v", r.Meta().Parts)
	}
	gone(t, sum.Meta.Target.PID)
	canceled, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Run(canceled, Options{
		Command: []string{os.Args[0]}, Out: out + "2", PprofAddr: "127.0.0.1:1",
	}); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("canceled before the start: %v", err)
	}
}

// TestSourceOfOthers checks that a target at an address cannot name files outside the directories
// that the user gave.
func TestSourceOfOthers(t *testing.T) {
	url, _ := startServer(t, "")
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, sources := range map[string][]string{"elsewhere": nil, "given": {here}} {
		out := filepath.Join(t.TempDir(), "r.whet")
		var notes []string
		_, err := Run(t.Context(), Options{
			URL: url, Out: out, Duration: time.Second, Trace: -1, Sources: sources,
			Progress: func(p Progress) { notes = append(notes, p.Note) },
		})
		if err != nil {
			t.Fatal(err)
		}
		rec := openRecording(t, out)
		own := slices.ContainsFunc(rec.Sources(), func(f string) bool { return strings.HasSuffix(f, "collect/main_test.go") })
		noted := slices.ContainsFunc(notes, func(n string) bool {
			return strings.HasPrefix(n, "source: packed ") && strings.Contains(n, "collect/main_test.go")
		})
		miss, lost := missing(rec.Meta(), "source")
		if want := sources != nil; own != want || noted != want || lost == want ||
			lost && !strings.Contains(miss.Hint, "--source DIR") {
			t.Errorf("%s: packed %v, told %v, missing %v %+v", name, own, noted, lost, miss)
		}
	}
}
