package flight

import (
	"context"
	"fmt"
	"sync"
)

// Progress is how far work is.
type Progress struct {
	Text string  // what is done now
	Done float64 // part of the work, 0 to 1; 0 if unknown
}

type reportKey struct{}

// WithReport returns a context whose work calls report.
func WithReport(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, reportKey{}, report)
}

// Report reports how far the work of a context is.
func Report(ctx context.Context, p Progress) {
	if report, ok := ctx.Value(reportKey{}).(func(Progress)); ok {
		report(p)
	}
}

// A Group runs work with results of type T. Its zero value is ready.
type Group[T any] struct {
	wait sync.WaitGroup

	mu    sync.Mutex
	calls map[string]*call[T]
}

// call is work that runs.
type call[T any] struct {
	stop  context.CancelFunc
	done  chan struct{} // closed when value and err are set
	value T
	err   error
	// The lock of the group guards what follows.
	all  map[*Call[T]]struct{} // who waits
	last Progress
}

// A Call is one who waits for work. Leave must be called.
type Call[T any] struct {
	of     *call[T]
	leave  func()
	report func(Progress) // nil unless Wait is called; the lock of the group guards it
	group  *Group[T]
}

// Join joins the work of a key or, if none runs, calls work in another goroutine. The context of work has the values
// of ctx, but ends when all have left.
func (g *Group[T]) Join(ctx context.Context, key string, work func(ctx context.Context) (T, error)) *Call[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls == nil {
		g.calls = map[string]*call[T]{}
	}
	c := g.calls[key]
	if c == nil {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		c = &call[T]{stop: stop, done: make(chan struct{}), all: map[*Call[T]]struct{}{}}
		g.calls[key] = c
		ctx = WithReport(ctx, func(p Progress) { g.tell(c, p) })
		g.wait.Go(func() {
			defer stop()
			c.value, c.err = guarded(ctx, work)
			close(c.done)
			g.forget(key, c)
		})
	}
	one := &Call[T]{of: c, group: g}
	c.all[one] = struct{}{}
	one.leave = sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(c.all, one)
		if len(c.all) == 0 {
			c.stop()
			if g.calls[key] == c { // who comes now must not get that it was stopped
				delete(g.calls, key)
			}
		}
	})
	return one
}

// guarded calls work; a panic is an error, as in handlers.
func guarded[T any](ctx context.Context, work func(ctx context.Context) (T, error)) (value T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error: %v", v)
		}
	}()
	return work(ctx)
}

func (g *Group[T]) forget(key string, c *call[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls[key] == c {
		delete(g.calls, key)
	}
}

// tell reports progress to all who wait.
func (g *Group[T]) tell(c *call[T], p Progress) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.last = p
	for one := range c.all {
		if one.report != nil {
			one.report(p)
		}
	}
}

// Wait waits for the result of the work, or until ctx ends: then it returns its error. The report of ctx is called
// with the last progress and each later one; it must not call methods of the group.
func (c *Call[T]) Wait(ctx context.Context) (T, error) {
	g := c.group
	g.mu.Lock()
	if report, ok := ctx.Value(reportKey{}).(func(Progress)); ok {
		c.report = report
		if c.of.last != (Progress{}) {
			report(c.of.last)
		}
	}
	g.mu.Unlock()
	select {
	case <-c.of.done:
		return c.of.value, c.of.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// Leave ends the wait. It may be called again.
func (c *Call[T]) Leave() { c.leave() }

// Do joins the work of a key, waits for its result, and leaves.
func (g *Group[T]) Do(ctx context.Context, key string, work func(ctx context.Context) (T, error)) (T, error) {
	c := g.Join(ctx, key, work)
	defer c.Leave()
	return c.Wait(ctx)
}

// Wait waits until all work has ended.
func (g *Group[T]) Wait() { g.wait.Wait() }
