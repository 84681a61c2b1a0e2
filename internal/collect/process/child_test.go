//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
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
	"github.com/whet-go/whet/internal/procgroup"
)

// The tests start this test binary as their commands.
const roleVar = "WHET_PROCESS_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "spin":
		var used syscall.Rusage
		for used.Utime.Nano() < int64(200*time.Millisecond) {
			for range 1 << 20 { // which takes a fraction of a millisecond
			}
			_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
		}
		_, _ = os.Stdout.WriteString("spun\n")
		_, _ = os.Stdin.Read(make([]byte, 1)) // the test kills it
		os.Exit(1)
	case "listen":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			_, err = os.Stdout.WriteString(l.Addr().String() + "\n")
		}
		if err == nil {
			_, err = l.Accept() // no client connects: the test ends it
		}
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// lineWriter closes ready on the first line.
type lineWriter struct {
	once  sync.Once
	ready chan struct{}
}

func newLineWriter() *lineWriter { return &lineWriter{ready: make(chan struct{})} }

func (w *lineWriter) Write(p []byte) (int, error) {
	if slices.Contains(p, '\n') {
		w.once.Do(func() { close(w.ready) })
	}
	return len(p), errors.New("a log that cannot be written is no reason to stop")
}

// start runs a command that is killed with the test, and waits for its first line.
func start(t *testing.T, c Command) *Child {
	t.Helper()
	w := newLineWriter()
	c.Output = w
	child, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		aborted, abort := context.WithCancel(context.Background())
		abort()
		child.Stop(aborted)
	})
	select {
	case <-w.ready:
	case <-child.Done():
		t.Fatalf("%v%s", child.Exited(), child.LastOutput())
	}
	return child
}

// TestStopStubborn stops a command that ignores every signal but SIGKILL, and so does its child.
func TestStopStubborn(t *testing.T) {
	c := start(t, Command{Args: []string{
		"/bin/sh", "-c", `trap "" INT TERM; sh -c 'echo ready; while :; do sleep 60; done'; sleep 60`,
	}})
	aborted, abort := context.WithCancel(t.Context())
	abort() // do not wait between the signals
	c.Stop(aborted, procgroup.Interrupt, procgroup.Terminate)
	select {
	case <-c.Done():
	default:
		t.Fatal("still running")
	}
	if err := c.Exited(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("exited: %v", err)
	}
	left := func() (lines []string) {
		for _, pid := range Tree(c.PID()) {
			if line := cmdline(pid); line != "" { // a zombie has none
				lines = append(lines, line)
			}
		}
		return lines
	}
	// The kernel ends the rest of the group a little later.
	for deadline := time.Now().Add(2 * time.Minute); len(left()) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still running: %q", left())
		}
	}
}

// TestStopSignals stops a command that only SIGTERM ends.
func TestStopSignals(t *testing.T) {
	c := start(t, Command{
		Args: []string{
			"/bin/sh", "-c",
			`trap "echo stopping; exit 3" TERM; echo $GREETING in $PWD; while :; do sleep 0.02; done`,
		},
		Env: []string{"GREETING=hello"}, Dir: "/",
	})
	if err := c.Exited(); err != nil {
		t.Error(err)
	}
	c.grace = 2 * time.Minute // enough on a busy machine
	c.Stop(t.Context(), procgroup.Terminate)
	if err := c.Exited(); err == nil || !strings.Contains(err.Error(), "exit status 3") ||
		!strings.HasPrefix(c.LastOutput(), "; its last output:\n  hello in /\n") ||
		!strings.HasSuffix(c.LastOutput(), "\n  stopping") {
		// In between, the shell may print that sleep was terminated.
		t.Errorf("%v%s", err, c.LastOutput())
	}
}

func TestStartErrors(t *testing.T) {
	for name, args := range map[string][]string{"path": {"./no-such-command"}, "name": {"no-such-command-anywhere"}} {
		_, err := Start(Command{Args: args})
		if err == nil || !strings.HasPrefix(err.Error(), "start "+args[0]+": ") ||
			strings.Contains(err.Error(), "fork") || !strings.Contains(diag.Hint(err), "build it first") {
			t.Errorf("%s: %v, hint %q", name, err, diag.Hint(err))
		}
	}
	if _, err := Start(Command{
		Args: []string{"/bin/sh"}, Dir: filepath.Join(t.TempDir(), "absent"),
	}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing directory: %v", err)
	}
}

// TestOutputBounded keeps the end of a long output.
func TestOutputBounded(t *testing.T) {
	c := start(t, Command{Args: []string{
		"/bin/sh", "-c", `i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done`,
	}})
	<-c.Done()
	if out := c.Output(); len(out) > tailBytes || !strings.HasSuffix(string(out), "line 2999\n") ||
		strings.Count(c.LastOutput(), "\n") != tailLines {
		t.Errorf("%d bytes: %q", len(out), c.LastOutput())
	}
}

// TestAddresses finds what a grandchild listens on.
func TestAddresses(t *testing.T) {
	c := start(t, Command{Args: []string{"/bin/sh", "-c", `"$0" & wait`, os.Args[0]}, Env: []string{roleVar + "=listen"}})
	want := strings.TrimSpace(string(c.Output()))
	if got := c.Addresses(); !slices.Equal(got, []string{want}) {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestCPU compares the clock of a process that has computed and now waits with what the kernel
// reports to its parent when it ends.
func TestCPU(t *testing.T) {
	if _, err := CPU(os.Getpid()); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"=spin")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	first, err := CPU(pid)
	if err != nil {
		t.Error(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "spun\n" {
		t.Errorf("%q, %v", line, err)
	}
	last, err := CPU(pid)
	if err != nil || last < first {
		t.Errorf("%v after %v, %v", last, first, err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); last > used+20*time.Millisecond ||
		used > last*3/2+20*time.Millisecond { // for the time before it waits, and to exit
		t.Errorf("its clock says %v, the kernel %v", last, used)
	}
	if _, err := CPU(pid); err == nil {
		t.Error("a process that is gone: no error")
	}
}

// TestCPUOfEnded checks that ended processes count after another process of the tree has waited for
// them.
func TestCPUOfEnded(t *testing.T) {
	if _, err := CPU(os.Getpid()); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	c := start(t, Command{Args: []string{
		"/bin/sh", "-c", `children=$(sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times')
echo "$children"; exec sleep 600`,
	}})
	// The time of a process itself comes first, as minutes and seconds of user and of system time.
	var m float64
	var s string
	if _, err := fmt.Sscanf(string(c.Output()), "%fm%s", &m, &s); err != nil {
		t.Fatalf("%q: %v", c.Output(), err)
	}
	used, err := time.ParseDuration(s)
	if err != nil || used <= 0 {
		t.Fatalf("the shell says %q: %v", c.Output(), err)
	}
	used += time.Duration(m) * time.Minute
	if got, err := CPU(c.PID()); err != nil || got < used-20*time.Millisecond { // /proc counts hundredths of a second
		t.Errorf("%v, %v; the shell says %q", got, err, c.Output())
	}
}
