package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/exp/trace"
)

// Options are about building an index.
type Options struct {
	// Source is kept in Info.Source: what the trace was like.
	Source string
	// Progress is called now and then with how much was read; nil: not.
	Progress func(events int64, of time.Duration)
}

// batch is how many events are handed from the reader to the builder at a time.
const batch = 1024

// Build reads a trace to its end and writes an index to the file of this name: a new one, or in the
// place of an old one, and only when it is whole. A trace that is cut off, or damaged further on, is
// indexed up to there, which Info.Damage says. It is an error when nothing can be read, when the index
// cannot be written, and when ctx ends.
func Build(ctx context.Context, r io.Reader, name string, o Options) (info Info, err error) {
	tr, err := open(r)
	if err != nil {
		return Info{}, fmt.Errorf("read trace: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*.partial")
	if err != nil {
		return Info{}, fmt.Errorf("write trace index: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	b, err := newBuilder(f)
	if err != nil {
		return Info{}, fmt.Errorf("write trace index: %w", err)
	}
	defer func() { err = errors.Join(err, b.close()) }()
	b.info.Source = o.Source
	if err := b.readAll(ctx, tr, o); err != nil {
		return Info{}, err
	}
	if err := b.finish(); err != nil {
		return Info{}, fmt.Errorf("write trace index %s: %w", name, err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return Info{}, fmt.Errorf("write trace index %s: %w", name, err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return Info{}, fmt.Errorf("write trace index %s: %w", name, err)
	}
	return b.info, nil
}

// open reads a trace's head. The reader of traces trusts some of what it reads: what makes it panic is
// an error of the trace.
func open(r io.Reader) (tr *trace.Reader, err error) {
	defer func() {
		if p := recover(); p != nil {
			tr, err = nil, fmt.Errorf("damaged: %v", p)
		}
	}()
	return trace.NewReader(r)
}

// fill reads as many events as fit.
func fill(tr *trace.Reader, events []trace.Event) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	for n < len(events) {
		if events[n], err = tr.ReadEvent(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// A delivery is some events, and what ended them.
type delivery struct {
	events []trace.Event
	tasks  []trace.Task // of those events that end one
	err    error
}

// endedTasks are the tasks of the events that end one. The reader adds to the table that these look
// into while it reads on, so it must be the reader's goroutine that asks for them.
func endedTasks(events []trace.Event) []trace.Task {
	var tasks []trace.Task
	for i := range events {
		if events[i].Kind() == trace.EventTaskEnd {
			tasks = append(tasks, events[i].Task())
		}
	}
	return tasks
}

// readAll hands the events to the builder, which follows them while the next ones are read.
func (b *builder) readAll(ctx context.Context, tr *trace.Reader, o Options) error {
	full, free := make(chan delivery, 4), make(chan []trace.Event, 6)
	for range cap(free) {
		free <- make([]trace.Event, batch)
	}
	stop := make(chan struct{})
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(full)
		for {
			var events []trace.Event
			select {
			case events = <-free:
			case <-stop:
				return
			}
			n, err := fill(tr, events)
			select {
			case full <- delivery{events[:n], endedTasks(events[:n]), err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	defer func() { close(stop); <-read }()
	for d := range full {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.endedTasks = d.tasks
		if err := b.follow(d.events); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(b.info.Events, time.Duration(b.now))
		}
		if d.err != nil && !errors.Is(d.err, io.EOF) {
			b.info.Damage = d.err.Error()
		}
		free <- d.events[:batch]
	}
	if b.info.Events == 0 {
		if b.info.Damage != "" {
			return fmt.Errorf("read trace: no event: %s", b.info.Damage)
		}
		return errors.New("read trace: no event in it")
	}
	return nil
}

// follow follows events. What makes it panic is an event that refers to what the trace's tables lack.
func (b *builder) follow(events []trace.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			b.info.Damage = fmt.Sprintf("damaged: %v", p)
		}
	}()
	for i := range events {
		if b.info.Damage != "" {
			return nil
		}
		if err := b.event(&events[i]); err != nil {
			return fmt.Errorf("write trace index: %w", err)
		}
	}
	return nil
}
