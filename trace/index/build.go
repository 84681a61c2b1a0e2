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

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/trace/reader"
	"github.com/whet-go/whet/unit"
)

// Options are about building an index.
type Options struct {
	// Source is kept in Info.Source: what the trace was like.
	Source string
	// Progress is called now and then with how much was read; nil: not.
	Progress func(events int64, of time.Duration)
	// MaxMemory is how much memory building may take, for what is alive at once; 0 means DefaultMaxMemory. A trace that
	// needs more is indexed up to there, which Info.Damage says, and Info.Limited.
	MaxMemory int64
}

// DefaultMaxMemory is what zero means in Options.MaxMemory.
const DefaultMaxMemory = 512 << 20

// perGoroutine is what one that is alive takes in the builder and the reader, in bytes, and its share of garbage.
const perGoroutine = 1400

// maxMemory is what building may take.
func (o *Options) maxMemory() int64 {
	if o.MaxMemory == 0 {
		return DefaultMaxMemory
	}
	return o.MaxMemory
}

// Enough reports whether an index that was built is as long as one that is built with these options: what ended it
// was not the memory, or there is no more of that now.
func (o *Options) Enough(built Info) bool {
	return built.Limited == 0 || o.maxMemory() <= built.Limited
}

// batch is how many events are handed from the reader to the builder at a time.
const batch = 1024

// Build reads a trace to its end and writes an index to the file of this name: a new one, or in the
// place of an old one, and only when it is whole. A trace that is cut off, or damaged further on, is
// indexed up to there, which Info.Damage says. It is an error, which carries a hint, when nothing can be
// read; and when the index cannot be written, or ctx ends.
func Build(ctx context.Context, r io.Reader, name string, o Options) (info Info, err error) {
	in, err := reader.Open(ctx, r)
	if err != nil {
		return Info{}, fmt.Errorf("read trace: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), Partial(name))
	if err != nil {
		return Info{}, fmt.Errorf("write trace index: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreClosed(f.Close()), os.Remove(f.Name()))
		}
	}()
	info, err = write(ctx, in, f, name, o)
	if err != nil {
		return Info{}, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return Info{}, fmt.Errorf("write trace index %s: %w", name, err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return Info{}, fmt.Errorf("write trace index %s: %w", name, err)
	}
	return info, nil
}

// write writes the index of name into a file.
func write(ctx context.Context, in *reader.Reader, f *os.File, name string, o Options) (info Info, err error) {
	b, err := newBuilder(f)
	if err != nil {
		return Info{}, fmt.Errorf("write trace index: %w", err)
	}
	b.spill = spill{dir: filepath.Dir(name), name: Partial(name)}
	defer func() { err = errors.Join(err, b.spill.close()) }()
	b.info.Source = o.Source
	b.memory = o.maxMemory()
	if err := b.readAll(ctx, in, o); err != nil {
		return Info{}, err
	}
	if err := b.finish(); err != nil {
		return Info{}, fmt.Errorf("write trace index %s: %w", name, err)
	}
	return b.info, nil
}

// Partial is the pattern, for [path.Match], of the names of files that are there while the index of a name
// is built: in its directory, and left there when the process is killed.
func Partial(name string) string { return "." + filepath.Base(name) + ".*.partial" }

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// A delivery is some events, and what ended them.
type delivery struct {
	events []trace.Event
	// tasks are those that the events end, in their order: the events refer to a table that the reader
	// goes on to write.
	tasks []trace.Task
	err   error
}

// fill reads as many events as there is room for.
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

// readAll hands the events to the builder, which follows them while the next ones are read.
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
			return fmt.Errorf("read trace: %w", &diag.Error{Err: errors.New("no whole generation in it: " + b.info.Damage), Hint: "a generation is a second or so: the program must call trace.Stop, and close the file"})
		}
		return fmt.Errorf("read trace: %w", &diag.Error{Err: errors.New("no event in it"), Hint: "trace.Start, and trace.Stop later, record what happens between"})
	}
	return nil
}

// follow follows events. What makes it panic is an event that refers to what the trace's tables lack.
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

// Limits of what is alive, open or active at once, on which the memory of the builder and of the reader
// depends.
const (
	maxOpen  = reader.MaxOpen // tasks, regions, ranges
	maxProcs = 1 << 12        // processors; some numbers are larger: old formats have them for what is on none
	maxOther = 1 << 8         // processors with larger numbers
	maxTime  = 1 << 53        // nanoseconds: a hundred days
)

// limit ends a trace that has too much at once.
func (b *builder) limit() {
	if most := b.memory / perGoroutine; int64(len(b.gs.all)) > most {
		b.info.Damage = fmt.Sprintf("more than %d goroutines are alive, which need more than %v of memory", most, unit.Bytes(b.memory))
		b.info.Limited = b.memory
	}
	for _, l := range []struct {
		n, limit int
		of       string
	}{
		{len(b.tasks), maxOpen, "tasks have not ended"},
		{b.regions, maxOpen, "regions have not ended"},
		{len(b.ranges), maxOpen, "ranges are active"},
		{len(b.strange), maxOther, "processors have numbers that are too large"},
	} {
		if l.n > l.limit {
			b.info.Damage = fmt.Sprintf("more than %d %s", l.limit, l.of)
		}
	}
}
