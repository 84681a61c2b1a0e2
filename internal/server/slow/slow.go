package slow

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/server/answers"
	"github.com/whet-go/whet/internal/server/flight"
	"github.com/whet-go/whet/internal/server/jobs"
)

// How long a client waits for an answer unless it says so, and at most.
const (
	usualWait = time.Second
	maxWait   = time.Minute
)

// Answers of jobs are kept until the client has sent its request again: for a while, and not many.
const (
	keptFor = 10 * time.Second
	maxKept = 4
)

// A Handler answers a request, or returns an error before it has written anything.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Answers turns answers into jobs of Jobs. Base is the path of the API, which has the jobs below /jobs. Plain returns
// an error's text as clients may read it.
type Answers struct {
	Jobs  *jobs.Manager
	Base  string
	Plain func(string) string

	calls flight.Group[*answers.Recorder]

	mu   sync.Mutex
	kept []ready // oldest first
}

// ready is the answer of a job.
type ready struct {
	key   string
	until time.Time
	made  *answers.Recorder
}

// take returns the answer that a job has made for a key; nil if there is none.
func (a *Answers) take(key string) *answers.Recorder {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expire()
	for _, r := range a.kept {
		if r.key == key {
			return r.made
		}
	}
	return nil
}

// keep keeps the answer of a job.
func (a *Answers) keep(key string, made *answers.Recorder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept = slices.DeleteFunc(a.kept, func(r ready) bool { return r.key == key })
	a.kept = append(a.kept, ready{key, time.Now().Add(keptFor), made})
	a.expire()
	time.AfterFunc(keptFor, func() { // frees its memory
		a.mu.Lock()
		defer a.mu.Unlock()
		a.expire()
	})
}

// expire drops what is too old or too much. The lock is held.
func (a *Answers) expire() {
	now := time.Now()
	a.kept = slices.DeleteFunc(a.kept, func(r ready) bool { return !now.Before(r.until) })
	if n := len(a.kept); n > maxKept {
		a.kept = slices.Delete(a.kept, 0, n-maxKept)
	}
}

// Ready is the result of a job: the same request, to Location, is answered at once.
type Ready struct {
	Location string `json:"location"`
}

// Serve answers a request with what h writes or, if the client prefers that and h takes long, with a job, which about
// describes. Requests with the same key get the same answer.
func (a *Answers) Serve(w http.ResponseWriter, r *http.Request, key string, about jobs.Job, h Handler) error {
	wait, ok := preferred(r.Header)
	if !ok {
		return h(w, r)
	}
	if made := a.take(key); made != nil {
		made.Send(w)
		return nil
	}
	work := func(ctx context.Context) (*answers.Recorder, error) {
		made := answers.NewRecorder()
		return made, h(made, r.Clone(ctx))
	}
	call := a.calls.Join(r.Context(), key, work)
	defer call.Leave()
	ctx, stop := context.WithTimeout(r.Context(), wait)
	defer stop()
	made, err := call.Wait(ctx)
	switch {
	case err == nil:
		made.Send(w)
		return nil
	case ctx.Err() == nil || r.Context().Err() != nil || !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	// The job joins before the request leaves. Resumed, it joins again.
	var first atomic.Pointer[flight.Call[*answers.Recorder]]
	first.Store(a.calls.Join(r.Context(), key, work))
	about.Attached = true
	location := r.URL.RequestURI()
	values := context.WithoutCancel(r.Context())
	job, err := a.Jobs.Start(about, func(ctx context.Context, report func(jobs.Event)) (any, error) {
		call := first.Swap(nil)
		if call == nil {
			call = a.calls.Join(values, key, work)
		}
		defer call.Leave()
		ctx = flight.WithReport(ctx, func(p flight.Progress) { report(jobs.Event{Text: p.Text, Done: p.Done}) })
		made, err := call.Wait(ctx)
		if err != nil {
			return nil, a.plain(err)
		}
		a.keep(key, made)
		return Ready{location}, nil
	})
	if err != nil {
		first.Load().Leave()
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Preference-Applied", "respond-async")
	w.Header().Set("Location", a.Base+"/jobs/"+job.ID)
	w.WriteHeader(http.StatusAccepted)
	_ = report.JSON(w, job) // the client may be gone
	return nil
}

// plain returns an error as clients may read it. Cancellation stays one.
func (a *Answers) plain(err error) error {
	if errors.Is(err, context.Canceled) || a.Plain == nil {
		return err
	}
	return &diag.Error{Err: errors.New(a.Plain(err.Error())), Hint: a.Plain(diag.Hint(err))}
}

// Wait waits until all work has ended. The jobs must have ended.
func (a *Answers) Wait() { a.calls.Wait() }

// preferred reports whether a client can follow a job, and how long it waits for an answer before.
func preferred(h http.Header) (wait time.Duration, ok bool) {
	wait = usualWait
	for _, p := range strings.Split(strings.Join(h.Values("Prefer"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "respond-async":
			ok = true
		case "wait":
			n, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 16)
			if err == nil { // others are ignored, as RFC 7240 says
				wait = min(time.Duration(n)*time.Second, maxWait)
			}
		}
	}
	return wait, ok
}
