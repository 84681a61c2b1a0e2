package watch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/whet-go/whet/internal/trace/cache"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// slowestEach is how many of the slowest requests of each handler are examined.
const slowestEach = 100

// A seen identifies a request that has been reported. Latencies are in nanoseconds, so two are
// hardly ever equal.
type seen struct {
	goroutine int64
	latency   time.Duration
}

// slowInFlight looks in the contents of the flight recorder for a new slow request; nil if there is
// none.
func (w *watcher) slowInFlight(ctx context.Context) (event *Event, err error) {
	dir, err := os.MkdirTemp("", "whet-watch-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	name := filepath.Join(dir, "trace.index")
	if err := w.handlers.Flight(ctx, func(r io.Reader) error {
		_, err := index.Build(ctx, bufio.NewReaderSize(r, 1<<20), name, index.Options{})
		return err
	}); err != nil {
		return nil, err
	}
	x, err := index.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = x.Close() }() // only read
	all, err := requests.Find(x, requests.Options{Slowest: slowestEach})
	if err != nil {
		return nil, err
	}
	found := map[seen]bool{}
	for _, c := range all.Classes {
		for _, r := range c.Slowest {
			if r.Latency() < w.o.Slower {
				break
			}
			g, err := x.Goroutine(r.Goroutine)
			if err != nil {
				return nil, err
			}
			key := seen{g.ID, r.Latency()}
			found[key] = true
			if !w.seen[key] && (event == nil || r.Latency() > event.Request.Latency) {
				event = &Event{Trigger: Slow, Value: float64(r.Latency()), Request: requestOf(x, c.Name, g.ID, r)}
			}
		}
	}
	w.seen = found
	return event, nil
}

// requestOf converts a request found in a trace.
func requestOf(x *index.Index, handler string, goroutine int64, r *requests.Request) Request {
	cause := r.Times.Largest()
	one := Request{
		Handler: handler, Latency: r.Latency(), Cause: cause.String(), Part: r.Times[cause], Goroutine: goroutine,
	}
	if !x.Info.Began.IsZero() {
		one.Begin, one.End = x.Info.Began.Add(time.Duration(r.From)), x.Info.Began.Add(time.Duration(r.To))
	}
	return one
}

// explain locates the request of an event in the recording. The index that it needs is cached, so
// that views of it open immediately.
func (w *watcher) explain(ctx context.Context, e *Event) error {
	place, err := filepath.Abs(e.File)
	if err != nil {
		return err
	}
	state, err := os.Stat(place)
	if err != nil {
		return err
	}
	dir, err := cache.Dir()
	if err != nil {
		return err
	}
	rec, err := recording.Open(place)
	if err != nil {
		return err
	}
	defer func() { _ = rec.Close() }() // only read
	x, _, err := cache.Open(ctx, cache.Source{
		Place: place, State: cache.FileState(state), Open: func() (io.ReadCloser, error) {
			return rec.Part(recording.TracePart)
		},
	}, dir, index.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // only read
	return locate(x, &e.Request)
}
