package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/recording"
)

// recordFlight records the contents of the target's flight recorder, and snapshots.
func (s *session) recordFlight(ctx context.Context, c *client, offered []string) (*Summary, error) {
	t := &serverRecording{session: s, c: c, offered: offered, mutexPeriod: -1}
	defer t.drop()
	if err := t.mustOffer("flight"); err != nil {
		return nil, noFlight(c, err)
	}
	if err := s.create(recording.Target{Kind: recording.URL, Address: public(c.base)}); err != nil {
		return nil, err
	}
	ctx, cancel := s.graceful(ctx)
	defer cancel()
	var err error
	s.report.run("flight recorder", func() { t.phase(2, 0, func(asking context.Context) { err = t.flight(ctx, asking) }) })
	if err != nil {
		return nil, errors.Join(err, s.w.Abort())
	}
	s.quiet = true
	s.report.run("snapshots", func() { t.phase(phases, 0, t.instant) })
	t.describe()
	return s.finish(ctx.Err() != nil)
}

// graceful returns a context that ends stopGrace after ctx, or when everything has to end at once:
// the contents of the flight recorder arrive in a moment, and would be gone the next time.
func (s *session) graceful(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(s.abort)
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(stopGrace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-late.Done():
		}
	})
	return late, func() { stop(); cancel() }
}

// noFlight is the error of a target that has no flight recorder.
func noFlight(c *client, err error) error {
	if !errors.Is(err, errNotOffered) {
		if se := (*statusError)(nil); !errors.As(err, &se) || se.code != http.StatusNotFound {
			return err
		}
	}
	return &diag.Error{
		Op: "record", Subject: public(c.base), Err: errors.New("the target has no flight recorder"), Hint: mount("flight"),
	}
}

// flight stores the trace of the last seconds. It comes first, since time passes. ctx ends it;
// asking bounds the wait for the answer.
func (t *serverRecording) flight(ctx, asking context.Context) error {
	a, err := t.newAnswer() // its length, which its part states, is known once it is read
	if err != nil {
		return err
	}
	defer a.close()
	asking, cancel := context.WithCancelCause(asking)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(ctx.Err()) })()
	body, err := t.c.get(asking, "flight", nil)
	if err != nil {
		return noFlight(t.c, t.cutAt(asking, "flight", err))
	}
	err = errors.Join(a.fill(body, maxTraceBody), body.Close())
	end := time.Now()
	length := time.Duration(0)
	if err == nil {
		if err = notTrace("flight", a.head(beginning)); err != nil {
			err = fmt.Errorf("read trace: %w", err)
		}
	}
	if err == nil {
		length, err = traceLength(ctx, a.reader())
	}
	if err != nil {
		return t.cutAt(asking, "flight", t.c.explain("flight", t.c.url("flight", nil), err))
	}
	t.meta.Created, t.meta.Duration = end.Add(-length), length
	part := recording.Part{
		Name: recording.TracePart, Kind: recording.KindTrace, Start: t.meta.Created, End: end, Note: "of the flight recorder",
	}
	if err := t.w.AddReader(part, a.reader(), maxTraceBody); err != nil {
		return &diag.Error{Op: "record", Err: err}
	}
	t.report.note("flight recorder: the last %v", length.Round(time.Millisecond))
	return nil
}

// traceLength reads a trace and returns the time from its first event to its last.
func traceLength(ctx context.Context, from io.Reader) (time.Duration, error) {
	r, err := reader.Open(ctx, from)
	if err != nil {
		return 0, fmt.Errorf("read trace: %w", err)
	}
	var first, last trace.Time
	for n := 0; ; n++ {
		ev, err := r.ReadEvent()
		switch {
		case errors.Is(err, io.EOF) && n > 0:
			return last.Sub(first), nil
		case err != nil:
			return 0, fmt.Errorf("read trace: %w", err)
		}
		if last = ev.Time(); n == 0 {
			first = last
		}
	}
}

// instant takes the other profiles, all of which count from the program's start.
func (t *serverRecording) instant(ctx context.Context) {
	kinds := append(cumulative(), "goroutine", "threadcreate")
	var stats, info []byte
	var wg sync.WaitGroup
	wg.Go(func() { t.end = t.snapshots(ctx, t.want(kinds...), false) })
	wg.Go(func() { stats = t.stats(ctx, recording.MemStatsEndPart) })
	wg.Go(func() { info = t.askAgent(ctx) })
	t.find(ctx)
	wg.Wait()
	t.statsEnd = stats
	if t.process != nil {
		t.process.End = t.process.Start
		if err := t.w.AddJSON(recording.ProcessPart, t.process); err != nil {
			t.fail(err)
		}
	}
	if info != nil {
		if err := t.w.AddJSON(recording.AgentPart, map[string]json.RawMessage{"start": info, "end": info}); err != nil {
			t.fail(err)
		}
	}
	for _, kind := range kinds {
		s, asked := t.end[kind]
		switch {
		case !asked && kind == "allocs" && t.offers("heap"):
			// heap holds them
		case !asked:
			t.miss(kind, t.mustOffer(kind))
		case s.err != nil:
			t.miss(kind, s.err)
		default:
			t.addInstant(kind, s)
		}
	}
	if !slices.ContainsFunc(t.meta.Missing, func(m recording.Missing) bool { return m.Part == "cpu" }) {
		t.miss("cpu", &diag.Error{
			Err: errors.New("a CPU profile covers the seconds to come"), Hint: "run whet record without --flight",
		})
	}
}

// addInstant stores a snapshot.
func (t *serverRecording) addInstant(kind string, s snapshot) {
	part := recording.Part{Start: s.at, End: s.at}
	switch kind {
	case "heap":
		part.Note = "what was live after the last garbage collection"
		t.addRaw("heap.live", s.answer, part)
	case "goroutine":
	default:
		part.Note = "since the program's start"
	}
	t.addRaw(kind, s.answer, part)
}

// AgentState is what the whet agent reports about its process at one time.
type AgentState struct {
	Flight     time.Duration // minimum time that its flight recorder keeps; 0 means none
	Goroutines int64
	Heap       int64         // bytes of live and dead objects on the heap
	CPU        time.Duration // used so far
	PID        int
	At         time.Time
}

// ErrNoAgent is in the error of Handlers.State if the target does not run the whet agent.
var ErrNoAgent = errors.New("the target does not run the whet agent")

// State queries the target's agent. Without one the error is ErrNoAgent.
func (h *Handlers) State(ctx context.Context) (AgentState, error) {
	var info struct {
		GoVersion string             `json:"go_version"`
		PID       int                `json:"pid"`
		CPU       time.Duration      `json:"cpu_ns"`
		Memory    map[string]float64 `json:"memory"`
		Flight    struct {
			Window time.Duration `json:"window_ns"`
		} `json:"flight"`
	}
	if err := h.json(ctx, "whet", nil, &info, maxTextBody); err != nil {
		if se := (*statusError)(nil); errors.As(err, &se) && se.code == http.StatusNotFound {
			err = ErrNoAgent
		}
		return AgentState{}, err
	}
	if info.GoVersion == "" {
		return AgentState{}, ErrNoAgent // another handler answers there
	}
	return AgentState{
		Flight: info.Flight.Window, PID: info.PID, CPU: info.CPU, At: time.Now(),
		Goroutines: int64(info.Memory["/sched/goroutines:goroutines"]),
		Heap:       int64(info.Memory["/memory/classes/heap/objects:bytes"]),
	}, nil
}

// A SlowRequest is a slow request that the target's agent reported.
type SlowRequest struct {
	Name    string        `json:"name"` // method and pattern, or path
	Begin   time.Time     `json:"begin"`
	End     time.Time     `json:"end"` // both by the target's clock
	Latency time.Duration `json:"latency_ns"`
	// Mark is the message of a log in the target's execution trace, which the request's goroutine
	// wrote when it ended; "" if there is none.
	Mark string `json:"mark"`
}

// ErrNotWatched is in the error of Handlers.Slow if the target has no handler wrapped by
// Agent.Watch.
var ErrNotWatched = errors.New("the target's agent watches no handler")

// Limits of what an agent may report of slow requests. It keeps 64; their names have at most 200
// bytes, marks 32.
const (
	maxSlowBody = 1 << 20
	maxSlowName = 200
	maxSlowMark = 64
	maxLatency  = 100 * 24 * time.Hour
)

// ErrNotAgent is in the error of Handlers.Slow if the answer cannot be from the whet agent.
var ErrNotAgent = errors.New("the answer is not from the whet agent")

// Slow waits, for some time, for requests that take at least than, and returns those after the
// number that the last call returned; -1 starts. It requires a handler wrapped by Agent.Watch: see
// ErrNotWatched. Answers that cannot be true give an ErrNotAgent.
func (h *Handlers) Slow(ctx context.Context, than time.Duration, after int64,
	wait time.Duration,
) (requests []SlowRequest, next int64, err error) {
	q := seconds(wait)
	q.Set("than", than.String())
	if after >= 0 {
		q.Set("after", strconv.FormatInt(after, 10))
	}
	var answer struct {
		Schema   string        `json:"schema"`
		Next     int64         `json:"next"`
		Requests []SlowRequest `json:"requests"`
	}
	if err := h.json(ctx, "slow", q, &answer, maxSlowBody); err != nil {
		if se := (*statusError)(nil); errors.As(err, &se) && se.code == http.StatusNotFound {
			err = h.c.explain("slow", h.c.url("slow", nil), &diag.Error{Err: ErrNotWatched, Hint: mount("slow")})
		}
		return nil, after, err
	}
	wrong := ""
	switch {
	case !strings.HasPrefix(answer.Schema, "whet.agent-slow/"):
		wrong = "it has an unknown schema"
	case answer.Next < 0:
		wrong = "a request's number is negative"
	}
	for i := range answer.Requests {
		if wrong != "" {
			break
		}
		wrong = answer.Requests[i].check(than)
	}
	if wrong != "" {
		return nil, after, h.c.explain("slow", h.c.url("slow", nil), &diag.Error{
			Err:  fmt.Errorf("%w: %s", ErrNotAgent, wrong),
			Hint: "check that this is the address of the whet agent, and that the agent is not newer than this whet",
		})
	}
	return answer.Requests, answer.Next, nil
}

// check returns what cannot be true of a request reported as having taken at least than; "" if
// nothing. It cuts strings that are longer than the agent's.
func (r *SlowRequest) check(than time.Duration) string {
	r.Name = strings.ToValidUTF8(r.Name[:min(len(r.Name), maxSlowName)], "")
	if r.Begin.IsZero() && !r.End.IsZero() {
		r.Begin = r.End.Add(-r.Latency) // from an older agent
	}
	switch {
	case r.Latency < than:
		return fmt.Sprintf("a request of %v, where the limit is %v", r.Latency, than)
	case r.Latency > maxLatency:
		return fmt.Sprintf("a request of %v", r.Latency)
	case r.End.Sub(r.Begin).Round(time.Millisecond) != r.Latency.Round(time.Millisecond) && !r.End.IsZero():
		return fmt.Sprintf("a request of %v that began and ended %v apart", r.Latency, r.End.Sub(r.Begin))
	case len(r.Mark) > maxSlowMark:
		return fmt.Sprintf("a mark of %d bytes", len(r.Mark))
	}
	return ""
}

// Flight passes the contents of the target's flight recorder to read.
func (h *Handlers) Flight(ctx context.Context, read func(io.Reader) error) error {
	body, err := h.c.get(ctx, "flight", nil)
	if err != nil {
		return noFlight(h.c, err)
	}
	if err := errors.Join(read(io.LimitReader(body, maxTraceBody)), body.Close()); err != nil {
		return h.c.explain("flight", h.c.url("flight", nil), err)
	}
	return nil
}

// json requests a document of at most limit bytes.
func (h *Handlers) json(ctx context.Context, kind string, q url.Values, to any, limit int64) error {
	body, err := h.c.get(ctx, kind, q)
	if err != nil {
		return err
	}
	in := &io.LimitedReader{R: body, N: limit}
	if err = json.NewDecoder(in).Decode(to); err != nil && in.N <= 0 {
		err = fmt.Errorf("answer is larger than %d bytes", limit)
	}
	if err := errors.Join(err, body.Close()); err != nil {
		return h.c.explain(kind, h.c.url(kind, nil), err)
	}
	return nil
}
