package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/exp/trace"
)

// A Reader reads the events of a trace.
type Reader struct {
	events interface {
		ReadEvent() (trace.Event, error)
	}
	guard *guard // nil for old formats
	alive alive
}

// Open reads a trace's head, or all of it if it is in an old format. It returns an error with a
// hint if there is nothing to read.
func Open(ctx context.Context, r io.Reader) (*Reader, error) {
	guarded, err := newGuard(r)
	if err != nil {
		return nil, err
	}
	if g, ok := guarded.(*guard); ok {
		tr, err := newReader(g)
		if err != nil {
			return nil, err
		}
		return &Reader{events: tr, guard: g, alive: newAlive()}, nil
	}
	// The reader of old formats cannot be interrupted, and has its data in memory. It ends by
	// itself, later.
	type result struct {
		tr  *trace.Reader
		err error
	}
	read := make(chan result, 1)
	go func() {
		tr, err := newReader(guarded)
		read <- result{tr, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case done := <-read:
		if done.err != nil {
			return nil, done.err
		}
		return &Reader{events: done.tr, alive: newAlive()}, nil
	}
}

// newReader is trace.NewReader with its panics as errors.
func newReader(r io.Reader) (tr *trace.Reader, err error) {
	defer recovered(&err)
	tr, err = trace.NewReader(r)
	if err != nil {
		const cut = "a truncated trace cannot be read before Go 1.22: the program must call trace.Stop and close the file"
		return nil, unreadable(Briefly(err.Error()), cut)
	}
	return tr, nil
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged: %v", p)
	}
}

// Briefly shortens the text of an error about a trace: it removes the state of all goroutines.
func Briefly(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text = strings.TrimSuffix(text, ": frontier:")
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}

// ReadEvent reads an event; at the end of the trace it returns io.EOF.
func (r *Reader) ReadEvent() (ev trace.Event, err error) {
	defer func() { err = r.cause(err) }()
	defer recovered(&err)
	if ev, err = r.events.ReadEvent(); err != nil {
		return ev, err
	}
	return ev, r.alive.count(&ev)
}

// Fill reads as many events as fit, and calls read for each before it reads the next. It does not
// limit what is alive: that is up to the caller.
func (r *Reader) Fill(events []trace.Event, read func(*trace.Event)) (n int, err error) {
	defer func() { err = r.cause(err) }()
	defer recovered(&err)
	for n < len(events) {
		ev := &events[n]
		if *ev, err = r.events.ReadEvent(); err != nil {
			return n, err
		}
		read(ev)
		n++
	}
	return n, nil
}

// cause returns the guard's error if that ended the trace: the reader replaces it by another.
func (r *Reader) cause(err error) error {
	if err != nil && r.guard != nil && r.guard.err != nil && !errors.Is(r.guard.err, io.EOF) {
		return r.guard.err
	}
	return err
}

// Limits of what is alive, open or known at one time, which bound the memory of the event reader.
const (
	MaxAlive = 2 << 20 // goroutines
	MaxOpen  = 1 << 20 // tasks; regions
	MaxProcs = 1 << 13 // processors
)

// alive counts these. Tasks and regions that began before the trace may end in it, and a goroutine
// may end with open regions.
type alive struct {
	goroutines, procs, regions int
	tasks                      map[trace.TaskID]struct{}
	regionsOf                  map[trace.GoID]int
}

func newAlive() alive {
	return alive{tasks: map[trace.TaskID]struct{}{}, regionsOf: map[trace.GoID]int{}}
}

func (a *alive) count(ev *trace.Event) error {
	switch ev.Kind() {
	case trace.EventStateTransition:
		st := ev.StateTransition()
		switch st.Resource.Kind {
		case trace.ResourceGoroutine:
			from, to := st.Goroutine()
			a.goroutines += change(from == trace.GoNotExist || from == trace.GoUndetermined, to == trace.GoNotExist)
			if to == trace.GoNotExist && a.regions > 0 {
				id := st.Resource.Goroutine()
				a.regions -= a.regionsOf[id]
				delete(a.regionsOf, id)
			}
		case trace.ResourceProc:
			from, to := st.Proc()
			a.procs += change(from == trace.ProcNotExist || from == trace.ProcUndetermined, to == trace.ProcNotExist)
		default:
		}
	case trace.EventTaskBegin:
		a.tasks[ev.Task().ID] = struct{}{}
	case trace.EventTaskEnd:
		delete(a.tasks, ev.Task().ID)
	case trace.EventRegionBegin:
		a.regions++
		a.regionsOf[ev.Goroutine()]++
	case trace.EventRegionEnd:
		switch id := ev.Goroutine(); a.regionsOf[id] {
		case 0:
		case 1:
			a.regions--
			delete(a.regionsOf, id)
		default:
			a.regions--
			a.regionsOf[id]--
		}
	default:
		return nil
	}
	for _, l := range []struct {
		n, limit int
		of       string
	}{
		{a.goroutines, MaxAlive, "goroutines are alive"},
		{a.procs, MaxProcs, "processors are known"},
		{len(a.tasks), MaxOpen, "tasks have not ended"},
		{a.regions, MaxOpen, "regions have not ended"},
	} {
		if l.n > l.limit {
			return unreadable(fmt.Sprintf("more than %d %s", l.limit, l.of), "")
		}
	}
	return nil
}

// change returns the change in the number.
func change(begins, ends bool) int {
	switch {
	case begins && !ends:
		return 1
	case ends && !begins:
		return -1
	}
	return 0
}
