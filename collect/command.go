package collect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/collect/copies"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/collect/process"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/recording"
)

const (
	defaultStart = 15 * time.Second
	lookEvery    = 50 * time.Millisecond
)

// recordCommand starts a command, records it as a server, and stops it.
func (s *session) recordCommand(ctx context.Context) (*Summary, error) {
	command := s.opt.Command // as the user gave it
	var capture *copies.Program
	if s.opt.Capture != nil {
		var err error
		if capture, err = s.beginCapture(ctx); err != nil {
			return nil, err
		}
		defer func() { _ = capture.Close() }() // it is temporary
	}
	child, err := process.Start(process.Command{
		Args: s.opt.Command, Env: s.opt.Env, Dir: s.opt.Dir, Output: s.opt.TargetLog,
	})
	if err != nil {
		return nil, err
	}
	// Deferred, so that a panic does not leave the command running either.
	defer child.Stop(s.abort, procgroup.Interrupt, procgroup.Terminate)
	var c *handlers.Client
	s.report.run("waiting for the command's pprof handlers", func() {
		run, cancel := s.untilEither(ctx)
		defer cancel()
		c, err = s.findHandlers(run, child)
	})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	s.report.note("recording %s", c.Address())
	if err := s.create(recording.Target{
		Kind: recording.Command, Address: c.Address(),
		Command: command,
	}); err != nil {
		return nil, err
	}
	s.here()
	if capture != nil {
		s.afterwards = func() {
			child.Stop(s.abort, procgroup.Interrupt, procgroup.Terminate)
			s.captureCommand(ctx, capture)
		}
	}
	return s.recordServer(ctx, c, child.Exited)
}

// findHandlers waits until the command, or a process that it started, answers with pprof handlers.
func (s *session) findHandlers(ctx context.Context, child *process.Child) (*handlers.Client, error) {
	limit := s.opt.Start
	if limit == 0 {
		limit = defaultStart
	}
	deadline := time.Now().Add(limit)
	tried := make(map[string]string) // address to result
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		for _, addr := range s.addresses(child) {
			if settled(tried[addr]) {
				continue
			}
			c, err := handlers.OpenAt(ctx, s.opt.Handlers(), addr)
			if err == nil {
				return c, nil
			}
			tried[addr] = reason(err)
			if code := handlers.Status(err); code == http.StatusUnauthorized || code == http.StatusForbidden {
				return nil, err // these are the handlers, and they require credentials
			}
		}
		if exit := child.Exited(); exit != nil {
			return nil, &diag.Error{
				Op: "record", Subject: s.opt.Command[0], Err: fmt.Errorf("%w before its pprof handlers were found%s", exit,
					child.LastOutput()),
				Hint: "whet records servers; to record a program that exits by itself, call agent.Record in it",
			}
		}
		if time.Now().After(deadline) {
			return nil, s.notFound(child, tried, limit)
		}
		select {
		case <-ctx.Done():
			return nil, &diag.Error{
				Op: "record", Subject: s.opt.Command[0],
				Err: errors.New("interrupted before its pprof handlers were found"),
			}
		case <-child.Done():
		case <-tick.C:
		}
	}
}

// settled reports whether an address that gave this answer need not be tried again: it listens, and
// is not a pprof handler.
func settled(answer string) bool {
	return answer != "" && !strings.Contains(answer, "refused") && !strings.Contains(answer, "reset") &&
		!strings.Contains(answer, "EOF")
}

func (s *session) notFound(child *process.Child, tried map[string]string, limit time.Duration) error {
	var list []string
	for addr, why := range tried {
		list = append(list, addr+" ("+why+")")
	}
	slices.Sort(list)
	err := fmt.Errorf("no pprof handlers within %v; whet found no listening address", limit)
	if len(list) > 0 {
		err = fmt.Errorf("no pprof handlers within %v; tried %s", limit, strings.Join(list, ", "))
	}
	return &diag.Error{
		Op: "record", Subject: s.opt.Command[0], Err: fmt.Errorf("%w%s", err, child.LastOutput()),
		Hint: `import _ "net/http/pprof" in it and serve http.DefaultServeMux, or give their address with ` +
			"--pprof-addr HOST:PORT and --pprof-path /PREFIX",
	}
}

// addresses lists where the handlers may be: at Options.PprofAddr, or where the command listens.
func (s *session) addresses(child *process.Child) []string {
	if s.opt.PprofAddr != "" {
		return []string{s.opt.PprofAddr}
	}
	return child.Addresses()
}
