package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/cluster"
	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/internal/store/symbols"
	"github.com/whet-go/whet/store"
)

// fetched is how many stacks or frames one query names.
const fetched = 20_000

// read are rows of a service that were read.
type read struct {
	stacks map[uint64]string
	frames map[uint64]symbols.Frame
}

// fetch reads stacks, and the frames of them that d does not have, unless early has them. The caller has locked d.
func fetch(
	ctx context.Context, f cluster.Source, k symbols.Scope, d *symbols.Dictionary, missing []uint64, early *read,
) error {
	if early != nil {
		stacks := make(map[uint64]string, len(missing))
		var others []uint64
		for _, h := range missing {
			if frames, ok := early.stacks[h]; ok {
				stacks[h] = frames
			} else {
				others = append(others, h)
			}
		}
		if err := learn(ctx, f, k, d, stacks, early.frames); err != nil {
			return err
		}
		missing = others
	}
	for part := range slices.Chunk(missing, fetched) {
		stacks, err := fetchStacks(ctx, f, k, part)
		if err != nil {
			return err
		}
		if err := learn(ctx, f, k, d, stacks, nil); err != nil {
			return err
		}
	}
	return nil
}

// learn adds stacks to d, and the frames of them that are not among those which were read.
func learn(
	ctx context.Context, f cluster.Source, k symbols.Scope, d *symbols.Dictionary, stacks map[uint64]string,
	frames map[uint64]symbols.Frame,
) error {
	read, err := d.Read(stacks)
	if err != nil {
		return err
	}
	unknown := read.Unknown()
	if frames != nil {
		unknown = slices.DeleteFunc(unknown, func(h uint64) bool {
			_, ok := frames[h]
			return ok
		})
	}
	if len(unknown) > 0 {
		more, err := fetchFrames(ctx, f, k, unknown)
		if err != nil {
			return err
		}
		maps.Copy(more, frames)
		frames = more
	}
	return read.Learn(frames)
}

const (
	readStacks = "SELECT id, frames FROM "
	readFrames = "SELECT id, mapping, address, lines FROM "
)

func (x *read) stack(r driver.Rows) error {
	var id uint64
	var frames string
	if err := r.Scan(&id, &frames); err != nil {
		return err
	}
	x.stacks[id] = frames
	return nil
}

func (x *read) frame(r driver.Rows) error {
	var id uint64
	var f symbols.Frame
	if err := r.Scan(&id, &f.Mapping, &f.Address, &f.Lines); err != nil {
		return err
	}
	x.frames[id] = f
	return nil
}

// fetchStacks reads stacks by their hashes. Those that a shard does not have are on another one if the cluster was
// changed while they were written.
func fetchStacks(
	ctx context.Context, f cluster.Source, k symbols.Scope, hashes []uint64,
) (map[uint64]string, error) {
	x := &read{stacks: make(map[uint64]string, len(hashes))}
	err := named(ctx, f, hashes, func(f cluster.Source, ctx context.Context) error {
		return f.Query(ctx, readStacks+f.Table("stacks")+" PREWHERE "+k.Where()+" WHERE id IN named", oneThread(), x.stack)
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
func fetchFrames(
	ctx context.Context, f cluster.Source, k symbols.Scope, hashes []uint64,
) (map[uint64]symbols.Frame, error) {
	x := &read{frames: make(map[uint64]symbols.Frame, len(hashes))}
	for part := range slices.Chunk(hashes, fetched) {
		err := named(ctx, f, part, func(f cluster.Source, ctx context.Context) error {
			return f.Query(ctx, readFrames+f.Table("frames")+" PREWHERE "+k.Where()+" WHERE id IN named", oneThread(), x.frame)
		}, func(h uint64) bool { _, ok := x.frames[h]; return ok })
		if err != nil {
			return nil, err
		}
	}
	return x.frames, nil
}

// named runs a query for hashes, and again on all shards for those that were not found.
func named(
	ctx context.Context, f cluster.Source, hashes []uint64, query func(cluster.Source, context.Context) error,
	found func(uint64) bool,
) error {
	with, err := sql.Naming(ctx, hashes)
	if err != nil {
		return err
	}
	if err := query(f, with); err != nil || f.Shards() == nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(hashes), found)
	if len(missing) == 0 {
		return nil
	}
	if with, err = sql.Naming(ctx, missing); err != nil {
		return err
	}
	return query(f.Whole(), with)
}

// early reads symbols of a service before it is known which are needed.
type early struct {
	done chan struct{} // nil: nothing is read
	stop context.CancelFunc
	read read
	err  error
}

// readEarly begins to read the symbols of the service of a query, up to a number, if none of them is known yet.
func (s *Store) readEarly(ctx context.Context, f cluster.Source, q *store.Query) *early {
	e := &early{stop: func() {}}
	k, ok := serviceOf(q)
	if !ok || s.known.Has(k) {
		return e
	}
	ctx, e.stop = context.WithCancel(ctx)
	e.done = make(chan struct{})
	e.read = read{stacks: map[uint64]string{}, frames: map[uint64]symbols.Frame{}}
	rest := fmt.Sprintf(" PREWHERE %s LIMIT %d", k.Where(), fetched)
	go func() {
		defer close(e.done)
		var other sync.WaitGroup
		var failed error
		other.Go(func() { failed = f.Query(ctx, readFrames+f.Table("frames")+rest, oneThread(), e.read.frame) })
		e.err = f.Query(ctx, readStacks+f.Table("stacks")+rest, oneThread(), e.read.stack)
		other.Wait()
		if e.err == nil {
			e.err = failed
		}
	}()
	return e
}

// wait returns what was read; nil if nothing was.
func (e *early) wait() (*read, error) {
	if e.done == nil {
		return nil, nil
	}
	<-e.done
	return &e.read, e.err
}

// serviceOf returns the service whose profiles alone a query can select.
func serviceOf(q *store.Query) (k symbols.Scope, ok bool) {
	for _, m := range q.Matchers {
		if m.Name == store.ServiceLabel && m.Op == store.Equal {
			return symbols.Scope{Tenant: q.Tenant, Service: m.Value}, true
		}
	}
	return k, false
}

// settings returns those of queries of a service, which had few samples the last time, or of others.
func settings(few bool) native.Settings {
	if few {
		return oneThread()
	}
	return nil
}

// oneThread returns the settings of queries of few rows: more threads would take more time to start than to read them.
func oneThread() native.Settings { return native.Settings{"max_threads": 1} }
