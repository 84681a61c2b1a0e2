package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/store"
)

// fetched is how many stacks or frames one query names.
const fetched = 20_000

// symbols are rows of a service.
type symbols struct {
	stacks map[uint64]string
	frames map[uint64]storedFrame
}

// of returns the conditions for the symbols of a service.
func (k scope) where() string {
	return "tenant=" + sql.Text(k.tenant) + " AND service=" + sql.Text(k.service)
}

// fetch reads stacks, and the frames of them that d does not have, unless they are in read. The caller has locked d.
func (f source) fetch(ctx context.Context, k scope, d *dictionary, missing []uint64, read *symbols) error {
	if read != nil {
		stacks := make(map[uint64]string, len(missing))
		var others []uint64
		for _, h := range missing {
			if frames, ok := read.stacks[h]; ok {
				stacks[h] = frames
			} else {
				others = append(others, h)
			}
		}
		if err := f.learn(ctx, k, d, stacks, read.frames); err != nil {
			return err
		}
		missing = others
	}
	for part := range slices.Chunk(missing, fetched) {
		stacks, err := f.fetchStacks(ctx, k, part)
		if err != nil {
			return err
		}
		if err := f.learn(ctx, k, d, stacks, nil); err != nil {
			return err
		}
	}
	return nil
}

// learn adds stacks to d, and the frames of them that are not among those which were read.
func (f source) learn(
	ctx context.Context, k scope, d *dictionary, stacks map[uint64]string, frames map[uint64]storedFrame,
) error {
	unknown := d.unknownFrames(stacks)
	if frames != nil {
		unknown = slices.DeleteFunc(unknown, func(h uint64) bool {
			_, ok := frames[h]
			return ok
		})
	}
	if len(unknown) > 0 {
		more, err := f.fetchFrames(ctx, k, unknown)
		if err != nil {
			return err
		}
		maps.Copy(more, frames)
		frames = more
	}
	return d.learn(stacks, frames)
}

const (
	readStacks = "SELECT id, frames FROM "
	readFrames = "SELECT id, mapping, address, lines FROM "
)

func (x *symbols) stack(r driver.Rows) error {
	var id uint64
	var frames string
	if err := r.Scan(&id, &frames); err != nil {
		return err
	}
	x.stacks[id] = frames
	return nil
}

func (x *symbols) frame(r driver.Rows) error {
	var id uint64
	var f storedFrame
	if err := r.Scan(&id, &f.mapping, &f.address, &f.lines); err != nil {
		return err
	}
	x.frames[id] = f
	return nil
}

// fetchStacks reads stacks by their hashes. Those that a shard does not have are on another one if the cluster was
// changed while they were written.
func (f source) fetchStacks(ctx context.Context, k scope, hashes []uint64) (map[uint64]string, error) {
	x := &symbols{stacks: make(map[uint64]string, len(hashes))}
	err := f.named(ctx, hashes, func(f source, ctx context.Context) error {
		return f.query(ctx, readStacks+f.table("stacks")+" PREWHERE "+k.where()+" WHERE id IN named", oneThread(), x.stack)
	}, func(h uint64) bool { _, ok := x.stacks[h]; return ok })
	if err != nil {
		return nil, err
	}
	for _, h := range hashes {
		if _, ok := x.stacks[h]; !ok {
			return nil, fmt.Errorf("stack %016x: %w: it is missing", h, packed.ErrDamaged)
		}
	}
	return x.stacks, nil
}

// fetchFrames reads frames by their hashes; some may be missing.
func (f source) fetchFrames(ctx context.Context, k scope, hashes []uint64) (map[uint64]storedFrame, error) {
	x := &symbols{frames: make(map[uint64]storedFrame, len(hashes))}
	for part := range slices.Chunk(hashes, fetched) {
		err := f.named(ctx, part, func(f source, ctx context.Context) error {
			return f.query(ctx, readFrames+f.table("frames")+" PREWHERE "+k.where()+" WHERE id IN named", oneThread(), x.frame)
		}, func(h uint64) bool { _, ok := x.frames[h]; return ok })
		if err != nil {
			return nil, err
		}
	}
	return x.frames, nil
}

// named runs a query for hashes, and again on all shards for those that were not found.
func (f source) named(
	ctx context.Context, hashes []uint64, query func(source, context.Context) error, found func(uint64) bool,
) error {
	with, err := sql.Naming(ctx, hashes)
	if err != nil {
		return err
	}
	if err := query(f, with); err != nil || f.shards == nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(hashes), found)
	if len(missing) == 0 {
		return nil
	}
	if with, err = sql.Naming(ctx, missing); err != nil {
		return err
	}
	return query(source{s: f.s}, with)
}

// early reads symbols of a service before it is known which are needed.
type early struct {
	done chan struct{} // nil: nothing is read
	stop context.CancelFunc
	read symbols
	err  error
}

// readEarly begins to read the symbols of the service of a query, up to a number, if none of them is known yet.
func (f source) readEarly(ctx context.Context, q *store.Query) *early {
	e := &early{stop: func() {}}
	k, ok := serviceOf(q)
	if !ok || f.s.known.has(k) {
		return e
	}
	ctx, e.stop = context.WithCancel(ctx)
	e.done = make(chan struct{})
	e.read = symbols{stacks: map[uint64]string{}, frames: map[uint64]storedFrame{}}
	rest := fmt.Sprintf(" PREWHERE %s LIMIT %d", k.where(), fetched)
	go func() {
		defer close(e.done)
		var other sync.WaitGroup
		var failed error
		other.Go(func() { failed = f.query(ctx, readFrames+f.table("frames")+rest, oneThread(), e.read.frame) })
		e.err = f.query(ctx, readStacks+f.table("stacks")+rest, oneThread(), e.read.stack)
		other.Wait()
		if e.err == nil {
			e.err = failed
		}
	}()
	return e
}

// wait returns what was read; nil if nothing was.
func (e *early) wait() (*symbols, error) {
	if e.done == nil {
		return nil, nil
	}
	<-e.done
	return &e.read, e.err
}

// serviceOf returns the service whose profiles alone a query can select.
func serviceOf(q *store.Query) (k scope, ok bool) {
	for _, m := range q.Matchers {
		if m.Name == store.ServiceLabel && m.Op == store.Equal {
			return scope{q.Tenant, m.Value}, true
		}
	}
	return k, false
}

// has reports whether the dictionary of a service is not empty.
func (c *dictionaries) has(k scope) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sizes[k] > 0
}

// fewSamples is how many samples one thread reads in some milliseconds.
const fewSamples = 200_000

// few reports whether the last answer of a service had few samples.
func (c *dictionaries) few(k scope) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.known[k]
	return d != nil && d.samples > 0 && d.samples <= fewSamples
}

// answered remembers how many samples an answer of a service had.
func (c *dictionaries) answered(k scope, samples int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.known[k]; d != nil {
		d.samples = samples
	}
}

// inParallel calls work for 0 to n-1, some at once, and returns the first error.
func inParallel(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || inner.Err() != nil {
					return
				}
				if err := work(inner, i); err != nil {
					stop(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(inner)
}
