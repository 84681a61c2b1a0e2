package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
)

const (
	defaultStart = 15 * time.Second
	lookEvery    = 50 * time.Millisecond
	probeTimeout = 2 * time.Second
	// How long a command may take to end after each signal.
	interruptGrace = 5 * time.Second
	terminateGrace = 3 * time.Second
	killGrace      = 2 * time.Second
)

// recordCommand starts a command, records the server it is, and stops it.
func (s *session) recordCommand(ctx context.Context) (*Summary, error) {
	child, err := startChild(&s.opt)
	if err != nil {
		return nil, err
	}
	// Deferred, so that a panic does not leave the command behind either.
	defer child.stop(s.abort)
	var c *client
	var offered []string
	s.report.run("waiting for the command's pprof handlers", func() {
		run, cancel := s.untilEither(ctx)
		defer cancel()
		c, offered, err = s.findHandlers(run, child)
	})
	if err != nil {
		return nil, err
	}
	defer c.close()
	s.report.note("recording %s", public(c.base))
	if err := s.create(recording.Target{Kind: recording.Command, Address: public(c.base), Command: s.opt.Command}); err != nil {
		return nil, err
	}
	s.here()
	return s.sit(ctx, c, offered, child.exited)
}

// A child is a command that runs in a process group of its own.
type child struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has exited
	err  error         // how, once done is closed

	mu   sync.Mutex
	tail []byte // the last of its output
}

const tailBytes = 4 << 10

// Write keeps the end of the output for error messages.
func (c *child) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tail = append(c.tail, p...)
	if over := len(c.tail) - tailBytes; over > 0 {
		c.tail = slices.Delete(c.tail, 0, over)
	}
	return len(p), nil
}

func (c *child) output() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.tail)
}

func startChild(opt *Options) (*child, error) {
	c := &child{done: make(chan struct{})}
	c.cmd = exec.Command(opt.Command[0], opt.Command[1:]...)
	c.cmd.Dir = opt.Dir
	c.cmd.WaitDelay = killGrace
	out := &teeWriter{keep: c, log: opt.TargetLog}
	c.cmd.Stdout, c.cmd.Stderr = out, out
	ownGroup(c.cmd)
	started := make(chan error)
	go func() {
		// The command dies with this thread, so the thread has to last as long.
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
		e := &diag.Error{Op: "start", Subject: opt.Command[0], Err: err}
		if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
			e.Err = pe.Err // "fork/exec PATH" goes without saying
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			e.Hint = "build it first, and name it with its path: -- ./server"
		}
		if errors.Is(err, exec.ErrNotFound) {
			e.Err = exec.ErrNotFound
		}
		return nil, e
	}
	return c, nil
}

// teeWriter copies a command's output. A log that cannot be written does not
// stop the command.
type teeWriter struct {
	keep *child
	log  interface{ Write([]byte) (int, error) }
}

func (t *teeWriter) Write(p []byte) (int, error) {
	if t.log != nil {
		_, _ = t.log.Write(p)
	}
	return t.keep.Write(p)
}

// exited is nil while the command runs, and says afterwards how it ended.
func (c *child) exited() error {
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

// stop ends the whole group, asking first. abort shortens the asking.
func (c *child) stop(abort context.Context) {
	pid := c.cmd.Process.Pid
	ended := func(within time.Duration) bool {
		timer := time.NewTimer(within)
		defer timer.Stop()
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-c.done:
				if !groupAlive(pid) {
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
				return !groupAlive(pid)
			}
		}
	}
	signalGroup(pid, sigInterrupt)
	if ended(interruptGrace) {
		return
	}
	signalGroup(pid, sigTerminate)
	if ended(terminateGrace) {
		return
	}
	signalGroup(pid, sigKill)
	select {
	case <-c.done:
	case <-time.After(2 * killGrace):
	}
}

// findHandlers waits until the command, or a process it has started, answers with
// pprof handlers.
func (s *session) findHandlers(ctx context.Context, child *child) (*client, []string, error) {
	limit := s.opt.Start
	if limit == 0 {
		limit = defaultStart
	}
	deadline := time.Now().Add(limit)
	tried := make(map[string]string) // address to what came of it
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		for _, addr := range s.addresses(child) {
			if settled(tried[addr]) {
				continue
			}
			c, offered, err := s.try(ctx, addr)
			if err == nil {
				return c, offered, nil
			}
			tried[addr] = reason(err)
			if se := (*statusError)(nil); errors.As(err, &se) && (se.code == 401 || se.code == 403) {
				return nil, nil, err // these are the handlers, and they want credentials
			}
		}
		if exit := child.exited(); exit != nil {
			return nil, nil, &diag.Error{
				Op: "record", Subject: s.opt.Command[0], Err: fmt.Errorf("%w before its pprof handlers were found%s", exit, lastOutput(child)),
				Hint: "whet records servers; to record a program that ends by itself, call agent.Record in it",
			}
		}
		if time.Now().After(deadline) {
			return nil, nil, s.notFound(child, tried, limit)
		}
		select {
		case <-ctx.Done():
			return nil, nil, &diag.Error{Op: "record", Subject: s.opt.Command[0], Err: errors.New("interrupted before its pprof handlers were found")}
		case <-child.done:
		case <-tick.C:
		}
	}
}

// settled says whether an address that gave that answer need not be asked again:
// it does listen, and it is something else.
func settled(answer string) bool {
	return answer != "" && !strings.Contains(answer, "refused") && !strings.Contains(answer, "reset") && !strings.Contains(answer, "EOF")
}

func lastOutput(c *child) string {
	out := strings.TrimSpace(string(c.output()))
	if out == "" {
		return ""
	}
	lines := strings.Split(out, "\n")
	return "; its last output:\n  " + strings.Join(lines[max(0, len(lines)-5):], "\n  ")
}

func (s *session) notFound(child *child, tried map[string]string, limit time.Duration) error {
	var list []string
	for addr, why := range tried {
		list = append(list, addr+" ("+why+")")
	}
	slices.Sort(list)
	err := fmt.Errorf("no pprof handlers within %v; it listens nowhere that whet can see", limit)
	if len(list) > 0 {
		err = fmt.Errorf("no pprof handlers within %v; tried %s", limit, strings.Join(list, ", "))
	}
	return &diag.Error{
		Op: "record", Subject: s.opt.Command[0], Err: fmt.Errorf("%w%s", err, lastOutput(child)),
		Hint: `import _ "net/http/pprof" in it and serve http.DefaultServeMux, or say where they are with --pprof-addr HOST:PORT and --pprof-path /PREFIX`,
	}
}

// try looks for handlers at host:port.
func (s *session) try(ctx context.Context, addr string) (*client, []string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	opt := s.opt
	var first error
	for _, scheme := range []string{"http://", "https://"} {
		opt.URL = scheme + addr
		if strings.Contains(addr, "://") {
			opt.URL = addr
		}
		c, err := newClient(&opt)
		if err != nil {
			return nil, nil, err
		}
		offered, err := c.discover(ctx, opt.PprofPath)
		if err == nil {
			return c, offered, nil
		}
		c.close()
		if first == nil {
			first = err
		}
		if msg := err.Error(); !strings.Contains(msg, "malformed HTTP response") && !strings.Contains(msg, "HTTPS server") {
			break
		}
	}
	return nil, nil, first
}

// printed matches addresses that servers print when they start to listen.
var printed = regexp.MustCompile(`(?:https?://)?(?:localhost|\[?[\d.:a-f]*\]?):(\d{2,5})\b`)

// addresses lists where the command may be listening: where the user says, where
// the system says, or, on systems that do not tell, where its output says.
func (s *session) addresses(child *child) []string {
	if s.opt.PprofAddr != "" {
		return []string{s.opt.PprofAddr}
	}
	all, err := listeners()
	if err != nil {
		var out []string
		for _, m := range printed.FindAllSubmatch(child.output(), -1) {
			if port := string(bytes.TrimSpace(m[1])); !slices.Contains(out, "127.0.0.1:"+port) {
				out = append(out, "127.0.0.1:"+port)
			}
		}
		return out
	}
	mine := make(map[string]bool)
	for _, pid := range tree(child.cmd.Process.Pid) {
		for _, inode := range sockets(pid) {
			mine[inode] = true
		}
	}
	var out []string
	for _, l := range all {
		if !mine[l.inode] {
			continue
		}
		host := l.addr.Addr().String()
		if l.addr.Addr().IsUnspecified() {
			host = "127.0.0.1"
		}
		out = append(out, net.JoinHostPort(host, strconv.Itoa(int(l.addr.Port()))))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
