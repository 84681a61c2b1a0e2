package indexer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/trace/model"
	"github.com/whet-go/whet/unit"
)

// Options configure Write.
type Options struct {
	Source    string // stored in the Info
	Progress  func(events int64, of time.Duration)
	MaxMemory int64 // for what is alive at once, in bytes
}

// perGoroutine is the memory that one live goroutine takes in the builder and the reader, in bytes,
// with its share of garbage.
const perGoroutine = 1400

// batch is how many events the reader passes to the builder at a time.
const batch = 1024

// Write reads a trace to its end, and writes its index to out. name is the file name of the index,
// for temporary files. A trace that is truncated, or damaged further on, is indexed up to that
// point, as Info.Damage reports. Write returns an error, with a hint, if nothing can be read, and
// an error if the index cannot be written or ctx ends.
func Write(ctx context.Context, in *reader.Reader, out io.Writer, name string, o Options) (info model.Info, err error) {
	b, err := newBuilder(out)
	if err != nil {
		return model.Info{}, fmt.Errorf("write trace index: %w", err)
	}
	b.spill = spill{dir: filepath.Dir(name), name: PartialPattern(name)}
	defer func() { err = errors.Join(err, b.spill.close()) }()
	b.info.Source = o.Source
	b.memory = o.MaxMemory
	if err := b.readAll(ctx, in, o); err != nil {
		return model.Info{}, err
	}
	if err := b.finish(); err != nil {
		return model.Info{}, fmt.Errorf("write trace index %s: %w", name, err)
	}
	return b.info, nil
}

// PartialPattern returns a pattern for [path.Match] that matches the temporary files of the index
// with the given file name. They are in the index's directory while it is built, and remain there
// if the process is killed.
func PartialPattern(name string) string { return "." + filepath.Base(name) + ".*.partial" }

// A delivery is a batch of events, and the error that ended them.
type delivery struct {
	events []trace.Event
	// tasks are those that the events end, in order: the events refer to a table that the reader
	// continues to write.
	tasks []trace.Task
	err   error
}

// fill reads as many events as fit.
func (d *delivery) fill(in *reader.Reader) {
	d.tasks = d.tasks[:0]
	var n int
	n, d.err = in.Fill(d.events[:cap(d.events)], func(ev *trace.Event) {
		if ev.Kind() == trace.EventTaskEnd {
			d.tasks = append(d.tasks, ev.Task())
		}
	})
	d.events = d.events[:n]
}

// readAll passes the events to the builder, which follows them while the next ones are read.
func (b *builder) readAll(ctx context.Context, in *reader.Reader, o Options) error {
	full, free := make(chan *delivery, 4), make(chan *delivery, 6)
	for range cap(free) {
		free <- &delivery{events: make([]trace.Event, batch)}
	}
	stop := make(chan struct{})
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(full)
		for {
			var d *delivery
			select {
			case d = <-free:
			case <-stop:
				return
			}
			d.fill(in)
			last := d.err != nil
			select {
			case full <- d:
			case <-stop:
				return
			}
			if last {
				return
			}
		}
	}()
	defer func() { close(stop); <-read }()
	for d := range full {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.follow(d); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(b.info.Events, time.Duration(b.now))
		}
		if b.info.Damage == "" && d.err != nil && !errors.Is(d.err, io.EOF) {
			b.info.Damage = reader.Briefly(d.err.Error())
		}
		if b.info.Damage != "" {
			break
		}
		free <- d
	}
	if b.info.Events == b.info.Generations { // and what begins them
		if b.info.Damage != "" {
			return fmt.Errorf("read trace: %w", &diag.Error{
				Err:  errors.New("no complete generation: " + b.info.Damage),
				Hint: "a generation takes about a second: the program must call trace.Stop and close the file",
			})
		}
		return fmt.Errorf("read trace: %w", &diag.Error{
			Err:  errors.New("no events"),
			Hint: "trace.Start and trace.Stop record what happens between them",
		})
	}
	return nil
}

// follow follows events. It panics if an event refers to data missing from the trace's tables.
func (b *builder) follow(d *delivery) (err error) {
	b.endedTasks = d.tasks
	defer func() {
		if p := recover(); p != nil {
			b.info.Damage = reader.Briefly(fmt.Sprintf("damaged: %v", p))
		}
	}()
	for i := range d.events {
		if err := b.event(&d.events[i]); err != nil {
			return fmt.Errorf("write trace index: %w", err)
		}
		if b.info.Damage != "" {
			return nil
		}
	}
	b.limit()
	return nil
}

// Limits of what is alive, open or active at one time, which bound the memory of the builder and
// the reader.
const (
	maxOpen  = reader.MaxOpen // tasks, regions, ranges
	maxProcs = 1 << 12        // processors; old formats use larger numbers for events on none
	maxOther = 1 << 8         // processors with larger numbers
	maxTime  = 1 << 53        // nanoseconds: a hundred days
)

// limit ends a trace that exceeds a limit.
func (b *builder) limit() {
	if most := b.memory / perGoroutine; int64(len(b.gs.all)) > most {
		b.info.Damage = fmt.Sprintf("more than %d goroutines are alive, which need more than %v of memory", most,
			unit.Bytes(b.memory))
		b.info.Limited = b.memory
	}
	for _, l := range []struct {
		n, limit int
		of       string
	}{
		{len(b.tasks), maxOpen, "tasks have not ended"},
		{b.regions, maxOpen, "regions have not ended"},
		{len(b.ranges), maxOpen, "ranges are active"},
		{len(b.largeProcs), maxOther, "processors have numbers that are too large"},
	} {
		if l.n > l.limit {
			b.info.Damage = fmt.Sprintf("more than %d %s", l.limit, l.of)
		}
	}
}
