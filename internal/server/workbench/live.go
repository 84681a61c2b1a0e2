package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/live"
	"github.com/whet-go/whet/internal/server/problem"
)

// liveLines is the number of lines in an answer.
const liveLines = 200

// lives are the targets that are profiled now: each once, however many visitors look at it, and as long as one
// does.
type lives struct {
	ctx  context.Context // a run outlives the request that begins it
	own  []string
	wait sync.WaitGroup

	mu   sync.Mutex
	runs map[string]*liveRun // by the name of the target
}

type liveRun struct {
	cancel  context.CancelFunc
	users   int
	state   *live.State
	err     error // why it has ended
	ended   bool
	changed chan struct{} // closed at the next change
}

// follow calls each with the states of a target, until ctx ends or each fails. It returns the error of a target
// that cannot be profiled.
func (l *lives) follow(ctx context.Context, t Target, each func(*live.State) error) error {
	r := l.join(t)
	defer l.leave(t.Name, r)
	var seen *live.State
	for {
		l.mu.Lock()
		state, err, ended, changed := r.state, r.err, r.ended, r.changed
		l.mu.Unlock()
		if state != nil && state != seen {
			seen = state
			if err := each(state); err != nil {
				return err
			}
		}
		if ended {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// join returns the run of a target, which it starts if there is none.
func (l *lives) join(t Target) *liveRun {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.runs[t.Name]; r != nil && !r.ended {
		r.users++
		return r
	}
	ctx, cancel := context.WithCancel(l.ctx)
	r := &liveRun{cancel: cancel, users: 1, changed: make(chan struct{})}
	l.runs[t.Name] = r
	change := func(f func()) {
		l.mu.Lock()
		defer l.mu.Unlock()
		f()
		close(r.changed)
		r.changed = make(chan struct{})
	}
	l.wait.Go(func() {
		defer cancel()
		_, err := live.Run(ctx, live.Options{URL: t.Address, Name: t.Name, Own: l.own, Lines: liveLines},
			func(s *live.State) { change(func() { r.state = s }) })
		change(func() { r.err, r.ended = err, true })
	})
	return r
}

// leave removes a follower; a run without followers ends.
func (l *lives) leave(name string, r *liveRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.users--; r.users > 0 {
		return
	}
	r.cancel()
	if l.runs[name] == r {
		delete(l.runs, name)
	}
}

// errSeen ends following after one state.
var errSeen = errors.New("seen")

// live answers with what own lines of a target cost, again and again as events; with one state to programs that do
// not accept events.
func (s *Server) live(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("target")
	i := slices.IndexFunc(s.o.Targets, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return diag.Usagef("target", fmt.Sprintf("%.200q was not given when the server started", name),
			"restart it with --target "+"ADDRESS: only such targets are contacted")
	}
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		var state *live.State
		err := s.lives.follow(r.Context(), s.o.Targets[i], func(s *live.State) error {
			state = s
			return errSeen
		})
		if state == nil {
			return err
		}
		return answer(w, state)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	send := func(event string, doc any) error {
		data, err := json.Marshal(doc)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data); err != nil {
			return err
		}
		return flush.Flush()
	}
	_ = flush.Flush() // so that the client knows that it is connected
	err := s.lives.follow(r.Context(), s.o.Targets[i], func(state *live.State) error { return send("state", state) })
	if err != nil && r.Context().Err() == nil {
		_ = send("failure", problem.Problem{ // the client may be gone
			Type: "about:blank", Title: http.StatusText(http.StatusBadGateway), Status: http.StatusBadGateway,
			Detail: s.o.Files.Plain(err.Error()), Hint: s.o.Files.Plain(diag.Hint(err)),
		})
	}
	return nil
}
