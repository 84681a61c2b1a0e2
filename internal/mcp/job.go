package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/fix/workorder"
	"github.com/whet-go/whet/internal/mcp/guard"
	"github.com/whet-go/whet/prove"
)

// States of a job.
const (
	stateWaiting  = "waiting"
	stateRunning  = "running"
	stateDone     = "done"
	stateCanceled = "canceled"
	stateFailed   = "failed" // there is no verdict
)

// maxJobs is the number of proofs that a session remembers, and maxRunning that of proofs that have not ended.
const (
	maxJobs    = 200
	maxRunning = 10
)

// A job is a proof.
type job struct {
	id        string
	dir       string // of the module
	candidate *guard.Candidate
	began     time.Time
	cancel    context.CancelFunc
	done      chan struct{}

	mu      sync.Mutex
	changed chan struct{} // closed when step changes
	state   string
	step    string
	took    time.Duration
	result  *prove.Result
	err     error
	uri     string // of the result
}

// setStep records what a job does.
func (j *job) setStep(state, step string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state, j.step = state, step
	close(j.changed)
	j.changed = make(chan struct{})
}

// A failure is a candidate that was not kept.
type failure struct {
	dir   string
	files []string
	workorder.Failed
}

// start starts a proof. It goes on when the call has ended.
func (s *session) start(
	dir string, candidate *guard.Candidate, run func(context.Context, *job) (*prove.Result, error),
) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, s.ctx.Err()
	}
	running := 0
	for _, j := range s.jobs {
		select {
		case <-j.done:
		default:
			running++
		}
	}
	if running >= maxRunning {
		return nil, &diag.Error{
			Op: "prove", Err: fmt.Errorf("%d proofs of this session have not ended", running),
			Hint: "wait for them with prove_status, or end them with prove_cancel",
		}
	}
	if len(s.jobs) >= maxJobs {
		s.jobs = slices.Delete(s.jobs, 0, 1) // has ended, unless the last ones are all running
	}
	s.made++
	ctx, cancel := context.WithCancel(s.ctx)
	j := &job{
		id: fmt.Sprintf("proof-%d", s.made), dir: dir, candidate: candidate, began: time.Now(), cancel: cancel,
		done: make(chan struct{}), changed: make(chan struct{}), state: stateWaiting, step: "begin",
	}
	s.jobs = append(s.jobs, j)
	s.work.Go(func() {
		defer cancel()
		q := s.server.queue
		err := q.enter(ctx, func(ahead int) {
			j.setStep(stateWaiting, fmt.Sprintf("waiting for another measurement to end (%d before this one)", ahead+1))
		})
		var r *prove.Result
		if err == nil {
			j.setStep(stateRunning, "begin")
			r, err = run(ctx, j)
			q.leave()
		}
		s.finish(j, r, err, ctx.Err() != nil)
	})
	return j, nil
}

// finish records how a proof has ended.
func (s *session) finish(j *job, r *prove.Result, err error, canceled bool) {
	uri := ""
	if err == nil && !canceled {
		uri, err = s.keep("prove", r)
	}
	j.mu.Lock()
	j.took = time.Since(j.began)
	switch {
	case canceled:
		j.state, j.err = stateCanceled, errors.New("the proof was canceled")
	case err != nil:
		j.state, j.err = stateFailed, err
	default:
		j.state, j.result, j.uri = stateDone, r, uri
	}
	j.mu.Unlock()
	if !canceled && err == nil && !r.OK() {
		s.remember(j, r)
	}
	close(j.done)
}

// maxFailures is the number of failed candidates that a session remembers.
const maxFailures = 200

// remember keeps a candidate that failed, for the lines of its files.
func (s *session) remember(j *job, r *prove.Result) {
	f := failure{dir: j.dir, files: j.candidate.Files, Failed: workorder.Failed{
		Diff: j.candidate.Text, Outcome: r.Outcome, Reason: r.Reason,
	}}
	if r.Reproducer != nil {
		f.Test = r.Reproducer.Source
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failures = append(s.failures, f); len(s.failures) > maxFailures {
		s.failures = slices.Delete(s.failures, 0, 1)
	}
}

// failed returns the candidates for a file that failed, the last one first.
func (s *session) failed(dir, file string) (list []workorder.Failed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range slices.Backward(s.failures) {
		if f.dir == dir && slices.Contains(f.files, file) {
			list = append(list, f.Failed)
		}
	}
	return list
}

// job returns a proof of the session; "" is the last one.
func (s *session) job(id string) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" && len(s.jobs) > 0 {
		return s.jobs[len(s.jobs)-1], nil
	}
	for _, j := range s.jobs {
		if j.id == id {
			return j, nil
		}
	}
	return nil, &diag.Error{
		Op: "prove", Err: fmt.Errorf("this session has no proof %q", id), Hint: "prove returns the name of its proof as job",
	}
}

// wait waits for a proof to end, for some time, and notifies the client of its steps. It returns the error of ctx.
func (c *call) wait(ctx context.Context, j *job, most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for last := ""; ; {
		j.mu.Lock()
		changed, step := j.changed, j.step
		j.mu.Unlock()
		if step != last {
			c.progress(ctx, time.Since(j.began).Seconds(), step)
			last = step
		}
		select {
		case <-j.done:
			return nil
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}
