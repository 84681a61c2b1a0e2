package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procfs"
	"github.com/whet-go/whet/internal/procgroup"
)

const (
	lookEvery = 50 * time.Millisecond
	// How long a command may take to exit after each signal.
	firstGrace = 5 * time.Second
	nextGrace  = 3 * time.Second
	killGrace  = 2 * time.Second
	// exitWait is how long Stop waits for a killed command to exit. Only the kernel can delay that.
	exitWait = 30 * time.Second

	tailBytes = 4 << 10
	tailLines = 5
)

// A Command configures [Start]. Only Args is required.
type Command struct {
	// Args are the program, which is looked up in PATH unless it contains a slash, and its
	// arguments.
	Args []string
	// Dir is the working directory; "" means whet's own.
	Dir string
	// Env are variables ("KEY=value") that override those of whet's environment.
	Env []string
	// Output, if set, receives all output. A failing writer does not stop the command.
	Output io.Writer
}

// A Child is a command that was started.
type Child struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has exited
	err  error         // how; valid once done is closed

	grace time.Duration // after the first signal

	mu   sync.Mutex
	tail []byte // the last part of its output
}

// Start starts a command. The error has a hint if the program does not exist.
func Start(command Command) (*Child, error) {
	c := &Child{done: make(chan struct{}), grace: firstGrace}
	c.cmd = exec.Command(command.Args[0], command.Args[1:]...)
	c.cmd.Dir = command.Dir
	if len(command.Env) > 0 {
		c.cmd.Env = append(os.Environ(), command.Env...)
	}
	c.cmd.WaitDelay = killGrace
	out := &tee{keep: c, log: command.Output}
	c.cmd.Stdout, c.cmd.Stderr = out, out
	procgroup.Own(c.cmd)
	started := make(chan error)
	go func() {
		// The kernel kills the command when this thread ends, so the thread must not end before.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.err = c.cmd.Wait()
			close(c.done)
		}
	}()
	if err := <-started; err != nil {
		e := &diag.Error{Op: "start", Subject: command.Args[0], Err: err}
		if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
			e.Err = pe.Err // without "fork/exec PATH"
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			e.Hint = "build it first, and give its path, such as ./server"
		}
		if errors.Is(err, exec.ErrNotFound) {
			e.Err = exec.ErrNotFound
		}
		return nil, e
	}
	return c, nil
}

// tee copies a command's output.
type tee struct {
	keep *Child
	log  io.Writer
}

func (t *tee) Write(p []byte) (int, error) {
	// This comes before the write to Output, so that everything written there is also in the tail.
	t.keep.remember(p)
	if t.log != nil {
		_, _ = t.log.Write(p)
	}
	return len(p), nil
}

// remember keeps the end of the output.
func (c *Child) remember(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tail = append(c.tail, p...)
	if over := len(c.tail) - tailBytes; over > 0 {
		c.tail = slices.Delete(c.tail, 0, over)
	}
}

// PID returns the ID of the command's process, which is also that of its group.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Done returns a channel that is closed when the command itself has exited; processes it started
// may still run.
func (c *Child) Done() <-chan struct{} { return c.done }

// Exited returns nil while the command runs, and afterwards an error with its exit status.
func (c *Child) Exited() error {
	select {
	case <-c.done:
	default:
		return nil
	}
	if c.err == nil {
		return errors.New("the target exited with status 0")
	}
	return fmt.Errorf("the target exited: %w", c.err)
}

// Output returns the end of the command's output, at most 4 KiB.
func (c *Child) Output() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.tail)
}

// LastOutput returns the end of the output for an error message, after "; its last output:"; "" if
// there is none.
func (c *Child) LastOutput() string {
	out := strings.TrimSpace(string(c.Output()))
	if out == "" {
		return ""
	}
	lines := strings.Split(out, "\n")
	return "; its last output:\n  " + strings.Join(lines[max(0, len(lines)-tailLines):], "\n  ")
}

// Stop ends the whole group: it sends the signals one after the other, waits some seconds after
// each, and then kills. Once abort is done, it does not wait between them.
func (c *Child) Stop(abort context.Context, signals ...syscall.Signal) {
	grace := c.grace
	for _, sig := range signals {
		procgroup.Signal(c.PID(), sig)
		if c.ended(abort, grace) {
			return
		}
		grace = nextGrace
	}
	procgroup.Signal(c.PID(), procgroup.Kill)
	select {
	case <-c.done:
	case <-time.After(exitWait):
	}
}

// ended waits for the end of the whole group, and reports whether it ended in time.
func (c *Child) ended(abort context.Context, within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			if !procgroup.Alive(c.PID()) {
				return true
			}
		case <-abort.Done():
			return false
		case <-timer.C:
			return false
		}
		select {
		case <-tick.C:
		case <-timer.C:
			return !procgroup.Alive(c.PID())
		}
	}
}

// printed matches addresses that servers print when they start to listen.
func printed() *regexp.Regexp {
	return regexp.MustCompile(`(?:https?://)?(?:localhost|\[?[\d.:a-f]*\]?):(\d{2,5})\b`)
}

// Addresses returns where the command, or a process that it started, listens now, as host:port to
// connect to: from the system or, on systems without that information, from the end of its output.
func (c *Child) Addresses() []string {
	all, err := procfs.Listeners()
	if err != nil {
		var out []string
		for _, m := range printed().FindAllSubmatch(c.Output(), -1) {
			if port := string(bytes.TrimSpace(m[1])); !slices.Contains(out, "127.0.0.1:"+port) {
				out = append(out, "127.0.0.1:"+port)
			}
		}
		return out
	}
	mine := make(map[string]bool)
	for _, pid := range Tree(c.PID()) {
		for inode := range procfs.Sockets(pid) {
			mine[inode] = true
		}
	}
	var out []string
	for _, l := range all {
		if !mine[l.Inode] {
			continue
		}
		host := l.Addr.Addr().String()
		if l.Addr.Addr().IsUnspecified() {
			host = "127.0.0.1"
		}
		out = append(out, net.JoinHostPort(host, strconv.Itoa(int(l.Addr.Port()))))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
