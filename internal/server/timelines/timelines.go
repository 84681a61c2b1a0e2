package timelines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"sync"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/input/whose"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/internal/server/flight"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/timeline"
)

const (
	maxKept     = 4 // timelines that are kept open
	maxIndexing = 2 // traces that are indexed at one time: each may take as much memory as one index may
)

// A Cache keeps timelines. Close must be called after the last request.
type Cache struct {
	files    *files.Set
	own      []string
	work     flight.Group[*Timeline]
	indexing chan struct{} // has an entry for each trace that is indexed

	mu   sync.Mutex
	kept []*Timeline // least recently used first
}

// A Timeline is an open one.
type Timeline struct {
	*timeline.Timeline

	Index *index.Index

	trace *input.Trace
	key   string
	users int
	out   bool // no longer kept: the last user closes it
}

// New returns a cache of the timelines of files. own are patterns of further own code.
func New(f *files.Set, own []string) *Cache {
	return &Cache{files: f, own: own, indexing: make(chan struct{}, maxIndexing)}
}

// Open returns the timeline of a file's trace. release must be called when it is no longer used.
func (c *Cache) Open(ctx context.Context, name string) (t *Timeline, release func(), err error) {
	place, err := c.files.Path(name)
	if err != nil {
		return nil, nil, err
	}
	fi, err := os.Stat(place)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, err)
	}
	key := fmt.Sprintf("%s %d %d", place, fi.Size(), fi.ModTime().UnixNano())
	for {
		if t := c.use(key); t != nil {
			return t, sync.OnceFunc(func() { c.release(t) }), nil
		}
		// What is made may be out again before it is used, if many are opened.
		if _, err := c.work.Do(ctx, key, func(ctx context.Context) (*Timeline, error) {
			return c.open(ctx, key, place, path.Base(name))
		}); err != nil {
			return nil, nil, err
		}
	}
}

// use returns a timeline that is kept, with one user more; nil if there is none.
func (c *Cache) use(key string) *Timeline {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, t := range c.kept {
		if t.key == key {
			c.kept = append(append(c.kept[:i:i], c.kept[i+1:]...), t)
			t.users++
			return t
		}
	}
	return nil
}

// open opens a trace, and keeps its timeline.
func (c *Cache) open(ctx context.Context, key, place, title string) (*Timeline, error) {
	select {
	case c.indexing <- struct{}{}:
	default:
		flight.Report(ctx, flight.Progress{Text: "waiting until other traces are indexed"})
		select {
		case c.indexing <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer func() { <-c.indexing }()
	part := 0.0
	o := &input.Opener{
		Op: "trace", OpenFile: c.files.OpenFile,
		Part:   func(p float64) { part = p },
		Status: func(text string) { flight.Report(ctx, flight.Progress{Text: text, Done: part}) },
	}
	d, err := o.Document(ctx, place, nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	x, err := o.Trace(ctx, d, "")
	if err != nil {
		return nil, err
	}
	line := timeline.New(x.Index, title)
	line.MarkKinds(whose.Kinds(x.Index, input.TraceOwn(place, x.Index, c.own)))
	t := &Timeline{Timeline: line, Index: x.Index, trace: x, key: key}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = append(c.kept, t)
	for len(c.kept) > maxKept {
		old := c.kept[0]
		c.kept = c.kept[1:]
		old.out = true
		closeUnused(old)
	}
	return t, nil
}

func (c *Cache) release(t *Timeline) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.users--
	closeUnused(t)
}

// closeUnused closes a timeline that is neither kept nor used. The lock is held.
func closeUnused(t *Timeline) {
	if t.out && t.users == 0 {
		_ = t.trace.Close() // was only read
	}
}

// Close closes all timelines.
func (c *Cache) Close() error {
	c.work.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, t := range c.kept {
		errs = append(errs, t.trace.Close())
	}
	c.kept = nil
	return errors.Join(errs...)
}
