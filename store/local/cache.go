package local

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/profile"
)

// cache has the dictionaries that queries use: those that the writer has in memory anyway, and others up
// to a size.
type cache struct {
	limit int64 // bytes of dictionaries that only queries use

	mu    sync.Mutex
	known map[int64]*cached // by dictionary
	size  int64
}

// cached is a dictionary as far as it was read. loading is held while it is extended; the other
// fields are protected by cache.mu.
type cached struct {
	loading sync.Mutex
	own     *profile.Loader // to extend; nil if the table is the writer's, or there is none

	table *profile.StackTable // nil at first
	size  int64
}

func newCache(limit int64) cache { return cache{limit: limit, known: map[int64]*cached{}} }

// publish makes a table of the writer known, after a commit. The writer drops it when it no longer has it.
func (c *cache) publish(id int64, d *profile.Dictionary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(id)
	c.size -= e.size
	e.table, e.size, e.own = d.Table(), 0, nil
}

// entry returns a dictionary's entry. The caller has locked c.
func (c *cache) entry(id int64) *cached {
	e := c.known[id]
	if e == nil {
		e = &cached{}
		c.known[id] = e
	}
	return e
}

// set sets an entry's table to that of a dictionary, unless it has more, and drops others above the limit. Chance
// decides which: a query of all services needs each in turn. The caller has locked c.
func (c *cache) set(e *cached, d *profile.Loader) {
	t, size := d.Table(), d.Memory()
	if e.table != nil && t.Counts().Stacks < e.table.Counts().Stacks {
		return
	}
	e.table, e.own = t, d
	c.size += size - e.size
	e.size = size
	for id, other := range c.known { // in an order that differs each time
		if c.size <= c.limit {
			return
		}
		if other != e && other.own != nil {
			c.size -= other.size
			delete(c.known, id)
		}
	}
}

// forget forgets all dictionaries.
func (c *cache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.known)
	c.size = 0
}

// drop forgets a dictionary.
func (c *cache) drop(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.known[id]; e != nil {
		c.size -= e.size
		delete(c.known, id)
	}
}

// table returns a dictionary with all stacks that it has in the transaction, or more.
func (s *Store) table(ctx context.Context, tx querier, id int64) (*profile.StackTable, error) {
	var stacks sql.NullInt64
	err := tx.QueryRowContext(ctx, "SELECT max(last) FROM chunk WHERE dictionary=?", id).Scan(&stacks)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	e := s.entry(id)
	table := e.table
	s.mu.Unlock()
	enough := func() bool { return table != nil && int64(table.Counts().Stacks) >= stacks.Int64 }
	if enough() {
		return table, nil
	}
	e.loading.Lock()
	defer e.loading.Unlock()
	s.mu.Lock()
	table = e.table
	d := e.own
	s.mu.Unlock()
	if enough() {
		return table, nil
	}
	if d == nil || s.extend(ctx, tx, id, d) != nil {
		// Nothing was read, or chunks that were read have been joined with later ones since.
		d = profile.NewLoader()
		if err := s.extend(ctx, tx, id, d); err != nil {
			return nil, fmt.Errorf("dictionary %d: %w", id, err)
		}
	}
	if int64(d.Counts().Stacks) < stacks.Int64 {
		return nil, fmt.Errorf("dictionary %d: %w: %d stacks of %d", id, packed.ErrDamaged, d.Counts().Stacks, stacks.Int64)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(s.entry(id), d) // e may have been dropped
	return d.Table(), nil
}

// querier is what transactions and databases have in common.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// entries are a *profile.Dictionary or a *profile.Loader.
type entries interface {
	Counts() profile.Counts
	Append(t profile.Tables) error
}

// extend reads the chunks that d does not have yet.
func (s *Store) extend(ctx context.Context, tx querier, id int64, d entries) error {
	rows, err := tx.QueryContext(ctx, "SELECT data FROM chunk WHERE dictionary=? AND last>? ORDER BY first", id,
		d.Counts().Stacks)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	var blob sql.RawBytes
	var data []byte
	for rows.Next() {
		if err := rows.Scan(&blob); err != nil {
			return err
		}
		if data, err = s.decoder.DecodeAll(blob, data[:0]); err != nil {
			return fmt.Errorf("%w: %w", packed.ErrDamaged, err)
		}
		before, t, err := decodeChunk(data)
		if err != nil {
			return err
		}
		if have := d.Counts(); before != have {
			return fmt.Errorf("%w: a chunk begins at %+v (want %+v)", packed.ErrDamaged, before, have)
		}
		if err := d.Append(t); err != nil {
			return fmt.Errorf("%w: %w", packed.ErrDamaged, err)
		}
	}
	return rows.Err()
}
