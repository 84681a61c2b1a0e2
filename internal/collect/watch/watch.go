package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/unit"
)

// Defaults of [Options].
const (
	DefaultEvery = time.Minute
	DefaultMax   = 10
)

const (
	lookEvery = time.Second      // poll the heap and so on
	slowWait  = 20 * time.Second // for an answer about slow requests
	pollEvery = 5 * time.Second  // fetch the flight recorder, at most
	retry     = 2 * time.Second  // of a target that is gone
	// explainGrace is how long explaining a recording may continue after the end of the watch.
	explainGrace = 30 * time.Second
	// maxFailures is how many recordings in a row may fail.
	maxFailures = 3
	// maxLost is how often a target may come back and be lost again immediately, before it counts
	// as gone.
	maxLost = 5
	// growthFactor is the factor by which a value must exceed that of its last recording.
	growthFactor = 1.2
)

// Options configure Run. At least one trigger is required.
type Options struct {
	// Target has the URL, the credentials, Own, Version and Abort. Other fields are ignored.
	Target collect.Options
	Dir    string // for the recordings; created if missing

	Slower     time.Duration // latency of a request that fires; 0 means never
	Goroutines int64         // number that fires; 0 means never
	Heap       int64         // bytes of objects that fire; 0 means never
	CPU        float64       // busy CPUs over a second that fire; 0 means never

	Every time.Duration // minimum time between recordings; 0 means DefaultEvery
	Max   int           // number of recordings; 0 means DefaultMax

	// Event, if set, is called for each recording, and Progress with the current activity.
	Event    func(Event)
	Progress func(collect.Progress)
}

// A Trigger is a reason for a recording.
type Trigger string

// Triggers.
const (
	Slow       Trigger = "slow"
	Goroutines Trigger = "goroutines"
	Heap       Trigger = "heap"
	CPU        Trigger = "cpu"
)

// An Event is a recording with its trigger.
type Event struct {
	At      time.Time
	Trigger Trigger
	// Value is the value that fired: nanoseconds, goroutines, bytes or CPUs.
	Value float64
	// Request is the slow request; fields that the trace does not have are empty.
	Request Request
	File    string
	Length  time.Duration // of the trace
}

// A Request is a slow request.
type Request struct {
	Name    string        `json:"name,omitempty"`    // from the agent: method and pattern; "" if it was found in a trace
	Handler string        `json:"handler,omitempty"` // function, from the trace; "" if unknown
	Latency time.Duration `json:"latency_ns"`        // from the agent, or else from the trace
	// Begin and End are by the target's clock; zero if neither the agent nor the trace has them.
	Begin time.Time     `json:"begin,omitzero"`
	End   time.Time     `json:"end,omitzero"`
	Cause string        `json:"cause,omitempty"`   // what took most of it; "" if the trace does not show it
	Part  time.Duration `json:"part_ns,omitempty"` // of Latency

	// Found is how the request was found in the recording's trace. If it is "", the request was not
	// found, and Missing is the reason.
	Found   Found  `json:"found,omitempty"`
	Missing string `json:"missing,omitempty"`
	// Goroutine is the id of its goroutine, 0 if unknown. From and To are since the start of the
	// trace; they are less than Latency apart if the request began before the trace.
	Goroutine int64         `json:"goroutine,omitempty"`
	From      time.Duration `json:"from_ns,omitempty"`
	To        time.Duration `json:"to_ns,omitempty"`

	mark string // the agent's, in traces
}

// Run watches until ctx ends, which is not an error, or the maximum number of recordings is made.
// It completes a recording in progress, unless Target.Abort is closed. It returns the number of
// recordings. Errors carry hints.
func Run(ctx context.Context, o Options) (recordings int, err error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	o.Every, o.Max = cmp.Or(o.Every, DefaultEvery), cmp.Or(o.Max, DefaultMax)
	w := &watcher{o: o, begin: time.Now()}
	if err := w.connect(ctx); err != nil {
		return 0, unlessEnded(ctx, err)
	}
	defer func() { w.handlers.Close() }()
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return 0, &diag.Error{Op: "watch", Err: err, Hint: "choose a writable directory with -o DIR"}
	}
	stop := w.tick()
	defer stop()
	err = w.loop(ctx)
	return w.made, unlessEnded(ctx, err)
}

// unlessEnded returns err, or nil if ctx has ended.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (o *Options) check() error {
	switch {
	case o.Slower < 0 || o.Goroutines < 0 || o.Heap < 0 || o.CPU < 0 || o.Every < 0 || o.Max < 0:
		return diag.Usagef("watch", "a number is negative", "give limits, --every and --max values above zero")
	case o.Slower == 0 && o.Goroutines == 0 && o.Heap == 0 && o.CPU == 0:
		return diag.Usagef("watch", "nothing to watch for",
			"give a trigger: --slower 500ms, --goroutines 10000, --heap 2GB or --cpu 3.5")
	case o.Target.URL == "":
		return diag.Usagef("watch", "no target given", "give its address: http://localhost:6060")
	case o.Dir == "":
		return diag.Usagef("watch", "no directory for recordings", "-o DIR")
	}
	return nil
}

// A watcher is one call of Run.
type watcher struct {
	o          Options
	begin      time.Time
	handlers   *handlers.Client
	flight     time.Duration // minimum time that the target's flight recorder keeps
	pid        int
	reported   bool  // the agent reports slow requests
	next       int64 // number of the last one; -1 to start
	made       int
	failures   int // failed recordings in a row
	lost       int // how often the target was lost without an answer since it came back
	thresholds thresholds
	seen       map[seen]bool // slow requests of the last trace examined

	mu     sync.Mutex // guards Progress
	status string
}

// connect queries the target's agent for what it offers.
func (w *watcher) connect(ctx context.Context) error {
	h, err := handlers.Open(ctx, w.o.Target.Handlers())
	if err != nil {
		return err
	}
	state, err := h.State(ctx)
	if err == nil && state.Flight == 0 {
		err = errors.New("its agent has no flight recorder")
	} else if err != nil && !errors.Is(err, handlers.ErrNoAgent) {
		h.Close()
		return err
	}
	if err != nil {
		h.Close()
		return &diag.Error{
			Op: "watch", Subject: h.Address(), Err: err,
			Hint: "whet watch requires the whet agent in the target: agent.Start(agent.Options{Flight: 10 * time.Second}) " +
				"(package github.com/whet-go/whet/agent)",
		}
	}
	reported := false
	if w.o.Slower > 0 {
		_, w.next, err = h.Slow(ctx, w.o.Slower, -1, time.Millisecond)
		if reported = err == nil; !reported && !errors.Is(err, handlers.ErrNotWatched) {
			h.Close()
			return err
		}
	}
	if w.handlers != nil {
		w.handlers.Close()
	}
	w.handlers, w.flight, w.reported, w.pid = h, state.Flight, reported, state.PID
	w.thresholds, w.seen = thresholds{state: state}, nil
	if w.o.Slower > 0 && !reported {
		w.note("no handler is watched in the target (handler = a.Watch(handler)): its flight recorder is "+
			"examined every %v", w.pause())
	}
	return nil
}

// pause returns the time between two fetches of the flight recorder: short enough that no request
// is missed.
func (w *watcher) pause() time.Duration { return max(min(pollEvery, w.flight/2), lookEvery) }

// loop polls and records.
func (w *watcher) loop(ctx context.Context) error {
	for w.made < w.o.Max {
		w.say("watching, %d of %d recordings", w.made, w.o.Max)
		event, err := w.look(ctx)
		if err != nil {
			if err := w.awaitTarget(ctx, err); err != nil {
				return err
			}
			continue
		}
		w.lost = 0
		if event == nil {
			continue
		}
		if err := w.record(ctx, event); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if w.failures++; w.failures >= maxFailures {
				return err
			}
			w.note("%v", err)
			if !sleep(ctx, retry) {
				return ctx.Err()
			}
			continue
		}
		w.failures = 0
		if w.made++; w.made == w.o.Max {
			return nil
		}
		w.say("%d of %d recordings, nothing until %s", w.made, w.o.Max, time.Now().Add(w.o.Every).Format(time.TimeOnly))
		if !sleep(ctx, w.o.Every) {
			return ctx.Err()
		}
		w.next = -1 // skip what was slow in the meantime
	}
	return nil
}

// awaitTarget waits for a target that is gone.
func (w *watcher) awaitTarget(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.lost++; w.lost > maxLost || errors.Is(err, handlers.ErrNotAgent) {
		return err
	}
	w.note("%v; waiting for it to come back", err)
	w.say("waiting for the target")
	for sleep(ctx, retry) {
		if w.connect(ctx) == nil {
			w.note("the target is back")
			return nil
		}
	}
	return ctx.Err()
}

// look waits for a limited time for a trigger; it returns nil if none fires.
func (w *watcher) look(ctx context.Context) (*Event, error) {
	levels := w.o.Goroutines > 0 || w.o.Heap > 0 || w.o.CPU > 0
	switch {
	case w.reported:
		wait := slowWait
		if levels {
			wait = lookEvery
		}
		asked := time.Now()
		slow, next, err := w.handlers.Slow(ctx, w.o.Slower, w.next, wait)
		if err != nil {
			return nil, err
		}
		w.next = next
		if early := min(wait, lookEvery) - time.Since(asked); len(slow) == 0 && early > 0 && !sleep(ctx, early) {
			return nil, ctx.Err() // do not query an agent that does not wait in a tight loop
		}
		if len(slow) > 0 {
			worst := slow[0]
			for _, r := range slow {
				if r.Latency > worst.Latency {
					worst = r
				}
			}
			return &Event{Trigger: Slow, Value: float64(worst.Latency), Request: Request{
				Name: worst.Name, Latency: worst.Latency, Begin: worst.Begin, End: worst.End, mark: worst.Mark,
			}}, nil
		}
	case w.o.Slower > 0:
		if !sleep(ctx, w.pause()) {
			return nil, ctx.Err()
		}
		if r, err := w.slowInFlight(ctx); err != nil || r != nil {
			return r, err
		}
	default:
		if !sleep(ctx, lookEvery) {
			return nil, ctx.Err()
		}
	}
	if !levels {
		return nil, nil
	}
	state, err := w.handlers.State(ctx)
	if err != nil {
		return nil, err
	}
	if state.PID != w.pid {
		return nil, errors.New("the target was started again")
	}
	return w.thresholds.look(&w.o, state), nil
}

// thresholds are the values polled every second.
type thresholds struct {
	state                 handlers.AgentState // the last one
	goroutines, heap, cpu threshold
}

// A threshold fires when its value reaches the limit, and again when the value has grown by a fifth
// or was below the limit in the meantime.
type threshold struct{ fired float64 }

func (l *threshold) fires(value, limit float64) bool {
	if limit <= 0 || value < limit {
		l.fired = 0
		return false
	}
	if l.fired > 0 && value < growthFactor*l.fired {
		return false
	}
	l.fired = value
	return true
}

func (l *thresholds) look(o *Options, state handlers.AgentState) *Event {
	busy := 0.0
	if passed := state.At.Sub(l.state.At); passed > 0 && state.CPU > l.state.CPU {
		busy = float64(state.CPU-l.state.CPU) / float64(passed)
	}
	l.state = state
	switch {
	case l.goroutines.fires(float64(state.Goroutines), float64(o.Goroutines)):
		return &Event{Trigger: Goroutines, Value: float64(state.Goroutines)}
	case l.heap.fires(float64(state.Heap), float64(o.Heap)):
		return &Event{Trigger: Heap, Value: float64(state.Heap)}
	case l.cpu.fires(busy, o.CPU):
		return &Event{Trigger: CPU, Value: busy}
	}
	return nil
}

// record makes the recording of an event and reports it.
func (w *watcher) record(ctx context.Context, e *Event) error {
	w.say("recording: %s", e.Reason())
	e.At = time.Now()
	name, err := unusedName(w.o.Dir, e.At.Format("20060102-150405")+"-"+string(e.Trigger))
	if err != nil {
		return err
	}
	t := w.o.Target
	sum, err := collect.Run(ctx, collect.Options{
		URL: t.URL, Header: t.Header, Token: t.Token, TLS: t.TLS, PprofPath: t.PprofPath, Paths: t.Paths,
		Own: t.Own, Version: t.Version,
		Flight: true, Out: name, Abort: t.Abort,
	})
	if err != nil {
		return err
	}
	e.File, e.Length = sum.Path, sum.Meta.Duration
	if e.Trigger == Slow {
		// The recording exists even if the watch has ended in the meantime, so it is still
		// explained, if that is quick.
		within, cancel := w.within(ctx, explainGrace)
		err := w.explain(within, e)
		cancel()
		if err != nil {
			w.note("%s: %v", e.File, err)
			e.Request.Missing = "it could not be read"
			if ctx.Err() != nil {
				e.Request.Missing = "the watch ended before it was examined"
			}
		}
	}
	if w.o.Event != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.o.Event(*e)
	}
	return nil
}

// within returns a context that ends some time after ctx, or when Target.Abort is closed.
func (w *watcher) within(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-w.o.Target.Abort:
		case <-late.Done():
		}
		cancel()
	})
	return late, func() { stop(); cancel() }
}

// Reason returns why the recording was made, in a few words.
func (e *Event) Reason() string {
	switch e.Trigger {
	case Slow:
		if e.Request.Name != "" {
			return e.Request.Name + " took " + unit.Duration(e.Request.Latency)
		}
		return "a request took " + unit.Duration(e.Request.Latency)
	case Goroutines:
		return fmt.Sprintf("%.0f goroutines", e.Value)
	case Heap:
		return unit.Bytes(e.Value).String() + " on the heap"
	case CPU:
	}
	return fmt.Sprintf("%.1f CPUs busy", e.Value)
}

// unusedName returns an unused file name.
func unusedName(dir, name string) (string, error) {
	for n := 1; n < 1000; n++ {
		path := filepath.Join(dir, name+".whet")
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d.whet", name, n))
		}
		_, err := os.Lstat(path)
		_, partial := os.Lstat(path + ".partial")
		if errors.Is(err, fs.ErrNotExist) && errors.Is(partial, fs.ErrNotExist) {
			return path, nil
		}
	}
	return "", &diag.Error{
		Op: "watch", Subject: dir, Err: errors.New("has a thousand recordings of this second"),
		Hint: "choose another directory with -o DIR",
	}
}

// sleep reports whether d elapsed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// tick reports progress every second; stop ends it.
func (w *watcher) tick() (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				w.report("")
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

func (w *watcher) say(format string, args ...any) {
	w.mu.Lock()
	w.status = fmt.Sprintf(format, args...)
	w.mu.Unlock()
	w.report("")
}

func (w *watcher) note(format string, args ...any) { w.report(fmt.Sprintf(format, args...)) }

func (w *watcher) report(note string) {
	if w.o.Progress == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.o.Progress(collect.Progress{Elapsed: time.Since(w.begin), Running: []string{w.status}, Note: note})
}
