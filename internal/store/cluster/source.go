package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/symbols"
)

// Whole runs a query on the tables that have all rows: those of one server, or Distributed ones.
type Whole func(ctx context.Context, text string, more native.Settings, scan func(driver.Rows) error) error

// A Source is where the queries of one answer go: to the tables of each shard, or without shards to those that have
// all rows.
type Source struct {
	t      *Topology
	whole  Whole
	shards []*Shard
	idle   []*Shard // the others of the cluster, which have nothing of what is read, but must answer
}

// OnlyWhole returns the source that goes to the tables that have all rows.
func OnlyWhole(whole Whole) Source { return Source{whole: whole} }

// Whole returns f without shards.
func (f Source) Whole() Source { return Source{t: f.t, whole: f.whole} }

// Shards returns the shards; nil if queries go to the tables that have all rows.
func (f Source) Shards() []*Shard { return f.shards }

// Only returns f with one of its shards; f itself if it has none.
func (f Source) Only(i int) Source {
	if f.shards != nil {
		f.shards = f.shards[i : i+1]
	}
	return f
}

// Table returns the name of a table in a query.
func (f Source) Table(name string) string {
	if f.shards == nil {
		return name
	}
	return name + "_shard"
}

// settings returns those of queries of shards.
func settings() native.Settings {
	return native.Settings{
		"enable_unaligned_array_join": 1, "max_query_size": 64 << 20, "do_not_merge_across_partitions_select_final": 1,
	}
}

// QueryOn runs a query on the shard number i of Each.
func (f Source) QueryOn(
	ctx context.Context, i int, text string, more native.Settings, scan func(driver.Rows) error,
) error {
	if f.shards == nil {
		return f.whole(ctx, text, more, scan)
	}
	with := settings()
	maps.Copy(with, more)
	return Query(ctx, f.shards[i].Conn, text, with, scan)
}

// Query runs a query on each shard at once and calls scan for each row, but not at once.
func (f Source) Query(ctx context.Context, text string, more native.Settings, scan func(driver.Rows) error) error {
	var mu sync.Mutex
	return f.Each(ctx, func(ctx context.Context, i int) error {
		return f.QueryOn(ctx, i, text, more, func(r driver.Rows) error {
			mu.Lock()
			defer mu.Unlock()
			return scan(r)
		})
	})
}

// Each calls work for each shard at once, or once if there are none, and returns the first error.
func (f Source) Each(ctx context.Context, work func(ctx context.Context, i int) error) error {
	n := max(1, len(f.shards))
	if n == 1 {
		return work(ctx, 0)
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			err := work(inner, i)
			if Code(err) != 0 {
				err = fmt.Errorf("%s: %w", f.shards[i].Name, err)
			}
			if err != nil {
				stop(err)
			}
		})
	}
	all.Wait()
	return context.Cause(inner)
}

// Of returns where to read a service, and whether it would be good to know more of that: see FindHome. After a change
// of the cluster, that is all shards.
func (f Source) Of(k symbols.Scope) (_ Source, find bool) {
	if len(f.shards) < 2 {
		return f, false
	}
	f.t.mu.Lock()
	defer f.t.mu.Unlock()
	h := f.t.homes[k]
	switch {
	case time.Since(f.t.changed) < settled:
		return f, false
	case h == nil:
		if len(f.t.homes) > maxKnown {
			clear(f.t.homes)
		}
		f.t.homes[k] = &home{} // it may not be read again
		return f, false
	case time.Since(h.checked) > settled:
		return f, true
	}
	out := f.Whole()
	for i, x := range f.shards {
		if slices.Contains(h.shards, i) {
			out.shards = append(out.shards, x)
		} else {
			out.idle = append(out.idle, x)
		}
	}
	return out, false
}

// FindHome finds out on which shards a service is.
func (f Source) FindHome(ctx context.Context, k symbols.Scope) error {
	begun := time.Now()
	places, err := f.t.Places(ctx, f, []symbols.Scope{k})
	if err != nil {
		return err
	}
	h := &home{checked: begun}
	var mu sync.Mutex
	has := func(i int) {
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(h.shards, i) {
			h.shards = append(h.shards, i)
		}
	}
	err = f.Each(ctx, func(ctx context.Context, i int) error {
		if i == places[k] {
			has(i)
			return nil
		}
		return f.QueryOn(ctx, i, "SELECT 1 FROM profiles_shard PREWHERE "+k.Where()+" LIMIT 1", nil,
			func(driver.Rows) error { has(i); return nil })
	})
	if err != nil {
		return err
	}
	f.t.mu.Lock()
	defer f.t.mu.Unlock()
	if slices.Equal(f.t.shards, f.shards) { // else the cluster was changed
		f.t.homes[k] = h
	}
	return nil
}

// Alive returns an error unless the shards that are not read answer.
func (f Source) Alive(ctx context.Context) error {
	for _, x := range f.idle {
		err := x.Conn.Ping(ctx)
		if err != nil && Broken(err) && ctx.Err() == nil {
			err = x.Conn.Ping(ctx) // the server has closed the connection
		}
		if err != nil {
			return err
		}
	}
	return nil
}
