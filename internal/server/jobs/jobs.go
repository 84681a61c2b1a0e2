package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// A State is how far a job is.
type State string

// The states of jobs.
const (
	Running  State = "running"
	Done     State = "done"
	Canceled State = "canceled" // by a user; Result may be set
	Failed   State = "failed"
)

// Limits.
const (
	maxJobs    = 100  // that are kept
	maxRunning = 4    // that are not attached
	maxWaiting = 64   // that are attached
	maxEvents  = 1000 // that are kept of a job
)

// A Job describes work.
type Job struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Title string `json:"title"`
	// Command is the command line of whet that does the same.
	Command []string  `json:"command"`
	State   State     `json:"state"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	// Resumes is the ID of the job that this one continues; "" for none.
	Resumes string `json:"resumes,omitempty"`
	// Attached is set if the job is canceled when no client follows its events for some seconds: only those want its
	// result.
	Attached bool `json:"attached,omitempty"`
	// Result is what the job made: the name of a recording, or a document.
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// An Event is something that happened in a job.
type Event struct {
	Number int      `json:"number"` // 1 is the first
	Text   string   `json:"text,omitempty"`
	Done   float64  `json:"done,omitempty"` // part of the work, 0 to 1; 0 if unknown
	Notes  []string `json:"notes,omitempty"`
	// Job is set in the last event.
	Job *Job `json:"job,omitempty"`
}

// Work is the function of a job. report may be called at any time until it returns. When ctx ends,
// it returns early, with a result if there is one.
type Work func(ctx context.Context, report func(Event)) (result any, err error)

// A Manager runs jobs. Its zero value is not usable: see New.
type Manager struct {
	ctx  context.Context //nolint:containedctx // jobs outlive requests
	wait sync.WaitGroup

	mu   sync.Mutex
	last int
	jobs []*job // oldest first
}

type job struct {
	Job
	work    Work
	cancel  context.CancelFunc
	stopped bool // by a user
	events  []Event
	changed chan struct{} // closed at the next event

	followers int
	alone     *time.Timer // of an attached job that no client follows
}

// grace is how long no client may follow an attached job: one that lost its connection comes back until then.
const grace = 10 * time.Second

// New returns a Manager whose jobs end when ctx does.
func New(ctx context.Context) *Manager { return &Manager{ctx: ctx} }

// Wait waits until all jobs have ended.
func (m *Manager) Wait() { m.wait.Wait() }

// Start starts a job, described by its Kind, Title and Command.
func (m *Manager) Start(about Job, work Work) (Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	running, most := 0, maxRunning
	if about.Attached {
		most = maxWaiting
	}
	for _, j := range m.jobs {
		if j.State == Running && j.Attached == about.Attached {
			running++
		}
	}
	if running >= most {
		return Job{}, &diag.Error{
			Op: "start", Subject: about.Title, Err: fmt.Errorf("%d jobs are running", running),
			Hint: "cancel one, or wait until it ends", Kind: diag.Usage,
		}
	}
	m.last++
	ctx, cancel := context.WithCancel(m.ctx)
	about.ID, about.State, about.Started = strconv.Itoa(m.last), Running, time.Now().UTC()
	j := &job{Job: about, work: work, cancel: cancel, changed: make(chan struct{})}
	m.jobs = append(m.jobs, j)
	if len(m.jobs) > maxJobs {
		if i := slices.IndexFunc(m.jobs, func(j *job) bool { return j.State != Running }); i >= 0 {
			m.jobs = slices.Delete(m.jobs, i, i+1)
		}
	}
	m.watch(j)
	m.wait.Go(func() { m.run(ctx, j) })
	return j.Job, nil
}

// watch cancels an attached job when no client follows it for a while. The lock is held.
func (m *Manager) watch(j *job) {
	if !j.Attached || j.State != Running || j.followers > 0 {
		return
	}
	j.alone = time.AfterFunc(grace, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if j.followers == 0 && j.State == Running {
			j.stopped = true
			j.cancel()
		}
	})
}

func (m *Manager) run(ctx context.Context, j *job) {
	defer j.cancel()
	result, err := m.guarded(ctx, j)
	m.mu.Lock()
	defer m.mu.Unlock()
	if j.alone != nil {
		j.alone.Stop()
	}
	j.Ended, j.Result = time.Now().UTC(), result
	switch {
	case j.stopped:
		j.State = Canceled
	case err != nil:
		j.State = Failed
	default:
		j.State = Done
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		j.Error, j.Hint = err.Error(), diag.Hint(err)
	}
	end := j.Job
	j.add(Event{Job: &end})
}

// guarded runs the work of a job; a panic is an error, as in handlers.
func (m *Manager) guarded(ctx context.Context, j *job) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error: %v", v)
		}
	}()
	return j.work(ctx, func(e Event) {
		m.mu.Lock()
		defer m.mu.Unlock()
		e.Job = nil
		j.add(e)
	})
}

// add adds an event. The lock is held.
func (j *job) add(e Event) {
	e.Number = 1
	if n := len(j.events); n > 0 {
		e.Number = j.events[n-1].Number + 1
	}
	j.events = append(j.events, e)
	if len(j.events) > maxEvents {
		j.events = slices.Delete(j.events, 0, len(j.events)-maxEvents)
	}
	close(j.changed)
	j.changed = make(chan struct{})
}

// find returns a job. The lock is held.
func (m *Manager) find(id string) (*job, error) {
	for _, j := range m.jobs {
		if j.ID == id {
			return j, nil
		}
	}
	return nil, &diag.Error{
		Op: "job", Subject: strconv.Quote(id), Err: fs.ErrNotExist, Kind: diag.Usage,
		Hint: "the list of jobs has the last ones",
	}
}

// List returns the jobs that are kept, newest first.
func (m *Manager) List() []Job {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]Job, 0, len(m.jobs))
	for _, j := range slices.Backward(m.jobs) {
		list = append(list, j.Job)
	}
	return list
}

// Job returns a job by its ID.
func (m *Manager) Job(id string) (Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, err := m.find(id)
	if err != nil {
		return Job{}, err
	}
	return j.Job, nil
}

// Cancel ends a job early; one that has ended stays as it is.
func (m *Manager) Cancel(id string) (Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, err := m.find(id)
	if err != nil {
		return Job{}, err
	}
	if j.State == Running {
		j.stopped = true
		j.cancel()
	}
	return j.Job, nil
}

// Resume starts the work of a job again that was canceled or failed.
func (m *Manager) Resume(id string) (Job, error) {
	m.mu.Lock()
	j, err := m.find(id)
	var state State
	if err == nil {
		state = j.State
	}
	m.mu.Unlock()
	switch {
	case err != nil:
		return Job{}, err
	case state == Running, state == Done:
		return Job{}, &diag.Error{
			Op: "resume", Subject: j.Title, Err: fmt.Errorf("the job is %s", state), Kind: diag.Usage,
			Hint: "start a new one",
		}
	}
	return m.Start(Job{
		Kind: j.Kind, Title: j.Title, Command: j.Command, Resumes: j.ID, Attached: j.Attached,
	}, j.work)
}

// Follow calls each with the events of a job after a number, as they happen, until the job ends, ctx
// does, or each returns an error.
func (m *Manager) Follow(ctx context.Context, id string, after int, each func(Event) error) error {
	m.mu.Lock()
	j, err := m.find(id)
	if err == nil {
		if j.followers++; j.alone != nil {
			j.alone.Stop()
		}
	}
	m.mu.Unlock()
	if err != nil {
		return err
	}
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		j.followers--
		m.watch(j)
	}()
	for {
		m.mu.Lock()
		i, _ := slices.BinarySearchFunc(j.events, after+1, func(e Event, n int) int { return e.Number - n })
		news, changed := slices.Clone(j.events[i:]), j.changed
		m.mu.Unlock()
		for _, e := range news {
			if err := each(e); err != nil {
				return err
			}
			after = e.Number
			if e.Job != nil {
				return nil
			}
		}
		if len(news) == 0 {
			m.mu.Lock()
			ended := j.State != Running && changed == j.changed
			m.mu.Unlock()
			if ended {
				return nil
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}
