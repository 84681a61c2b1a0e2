//go:build unix

package procgroup_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/procgroup"
)

// start starts a shell that starts a sleep in the background. It returns the shell's and the
// sleep's process ID, and their standard output: it ends when both have ended.
func start(t *testing.T, cmd *exec.Cmd) (shell, child int, out *bufio.Reader) {
	t.Helper()
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out = bufio.NewReader(pipe)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if child, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, child, out
}

const script = "sleep 60 & echo $!; wait"

func TestOwnAndKill(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	procgroup.OwnAndKill(cmd)
	shell, child, out := start(t, cmd)
	if group, err := syscall.Getpgid(child); err != nil || group != shell {
		t.Errorf("the child is in group %d, want %d (%v)", group, shell, err)
	}
	if !procgroup.Alive(shell) {
		t.Error("the group is not alive")
	}
	cancel()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("no error of a killed command")
	}
}

func TestSignal(t *testing.T) {
	cmd := exec.Command("sh", "-c", script)
	procgroup.Own(cmd)
	shell, _, out := start(t, cmd)
	procgroup.Signal(shell, procgroup.Terminate)
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	err := cmd.Wait()
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("%v, want an end by SIGTERM", err)
	}
	procgroup.Signal(shell, procgroup.Kill) // nothing is left: not a failure
}

func TestWaitDelayIsKept(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "true")
	cmd.WaitDelay = time.Minute
	procgroup.OwnAndKill(cmd)
	if cmd.WaitDelay != time.Minute {
		t.Errorf("WaitDelay %v, want the one that was set", cmd.WaitDelay)
	}
}

// TestRunGo runs a command that makes files where the go command does: none is left, also of one that was killed.
func TestRunGo(t *testing.T) {
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "GOTMPDIR"} {
		ctx, cancel := context.WithCancel(t.Context())
		cmd := exec.CommandContext(ctx, "sh", "-c", `mkdir "$GOTMPDIR/go-build1"; echo "$GOTMPDIR"; sleep 60`)
		cmd.Env = append(os.Environ(), "GOTMPDIR=", name+"="+temp)
		pipe, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = out
		ended := make(chan error, 1)
		go func() { ended <- procgroup.RunGo(cmd) }()
		made, err := bufio.NewReader(pipe).ReadString('\n')
		if err != nil || filepath.Dir(strings.TrimSpace(made)) != temp {
			t.Errorf("%s: files are made in %q (%v), want one below %s", name, made, err, temp)
		}
		cancel()
		if err := <-ended; err == nil {
			t.Error("no error of a killed command")
		}
		if err := errors.Join(out.Close(), pipe.Close()); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%s: left: %v (%v)", name, left, err)
		}
	}
}
