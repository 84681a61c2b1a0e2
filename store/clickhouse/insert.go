package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/cluster"
	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/internal/store/symbols"
)

// insert inserts n rows into columns of a table of all shards.
func (s *Store) insert(
	ctx context.Context, table, columns string, t *cluster.Token, n int, row func(to driver.Batch, i int) error,
) error {
	return target{s: s, conn: s.conn}.insert(ctx, table, columns, t, n, rows(n, row))
}

// target is where rows are inserted: into the tables of a shard, or into those that have all rows.
type target struct {
	s     *Store
	conn  driver.Conn
	shard bool
}

// insert inserts all rows, those of each shard at once. What a shard does not take goes through a Distributed table,
// which finds other replicas, or an error that names the shard.
func (b *batch) insert(ctx context.Context) error {
	s := b.w.s
	from := s.source(ctx)
	places, err := s.topology.Places(ctx, from, b.services())
	if err != nil {
		from = s.whole()
	}
	shards := from.Shards()
	if shards == nil {
		return b.insertInto(ctx, target{s: s, conn: s.conn})
	}
	errs := make([]error, len(shards))
	var all sync.WaitGroup
	for i, part := range b.divide(places, len(shards)) {
		all.Go(func() {
			err := part.insertInto(ctx, target{s, shards[i].Conn, true})
			if err != nil && cluster.Temporary(err) {
				s.topology.Forget()
				err = part.insertInto(ctx, target{s: s, conn: s.conn})
			}
			if c := cluster.Code(err); c != 0 && c != cluster.AllTries {
				err = fmt.Errorf("%s: %w", shards[i].Name, err)
			}
			errs[i] = err
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// services returns those of the profiles, each once.
func (b *batch) services() []symbols.Scope {
	var out []symbols.Scope
	for i := range b.profiles {
		if k := b.profiles[i].scope(); len(out) == 0 || out[len(out)-1] != k && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

func (r *profileRow) scope() symbols.Scope {
	return symbols.Scope{Tenant: r.tenant, Service: r.p.Service}
}

func (r *seriesRow) scope() symbols.Scope {
	return symbols.Scope{Tenant: r.tenant, Service: r.p.Service}
}

// divide returns the rows of each shard.
func (b *batch) divide(places map[symbols.Scope]int, shards int) []*batch {
	out := make([]*batch, shards)
	for i := range out {
		out[i] = &batch{w: b.w}
	}
	for _, r := range b.profiles {
		to := out[places[r.scope()]]
		to.profiles = append(to.profiles, r)
	}
	for _, r := range b.series {
		to := out[places[r.scope()]]
		to.series = append(to.series, r)
	}
	for _, r := range b.stacks {
		to := out[places[r.k]]
		to.stacks = append(to.stacks, r)
	}
	for _, r := range b.frames {
		to := out[places[r.k]]
		to.frames = append(to.frames, r)
	}
	return out
}

// insertInto inserts all rows: symbols first, profiles last.
func (b *batch) insertInto(ctx context.Context, to target) error {
	for part := range slices.Chunk(b.frames, maxRows) {
		t, c := cluster.NewToken("frames"), newKeys(len(part))
		n := len(part)
		mapping, address, lines := make([]any, n), make([]uint64, n), make([]string, n)
		for i := range part {
			r := &part[i]
			t.Add(r.k, r.ID, r.seen)
			c.add(r.k, r.ID, r.seen)
			mapping[i], address[i], lines[i] = c.box(r.Mapping), r.Address, r.Lines
		}
		err := to.insert(ctx, "frames", "(tenant, service, id, mapping, address, lines, seen)", t, n,
			columns(c.tenants, c.services, c.ids, mapping, address, lines, c.seen))
		if err != nil {
			return err
		}
	}
	for part := range slices.Chunk(b.stacks, maxRows) {
		t, c := cluster.NewToken("stacks"), newKeys(len(part))
		frames := make([]string, len(part))
		for i := range part {
			r := &part[i]
			t.Add(r.k, r.id, r.seen)
			c.add(r.k, r.id, r.seen)
			frames[i] = r.frames
		}
		err := to.insert(ctx, "stacks", "(tenant, service, id, frames, seen)", t, len(part),
			columns(c.tenants, c.services, c.ids, frames, c.seen))
		if err != nil {
			return err
		}
	}
	for part := range slices.Chunk(b.series, maxRows) {
		t := cluster.NewToken("series")
		for i := range part {
			t.Add(part[i].scope(), part[i].id, part[i].seen)
		}
		err := to.insert(ctx, "series", "(tenant, service, kind, id, names, values, seen)", t, len(part),
			rows(len(part), func(to driver.Batch, i int) error {
				r := &part[i]
				names, values := []string{}, []string{}
				for _, l := range r.p.Labels {
					names, values = append(names, l.Name), append(values, l.Value)
				}
				return to.Append(r.tenant, r.p.Service, r.p.Kind, r.id, names, values, r.seen)
			}))
		if err != nil {
			return err
		}
	}
	return b.insertProfiles(ctx, to)
}

func (b *batch) insertProfiles(ctx context.Context, to target) error {
	for at := 0; at < len(b.profiles); {
		end, samples := at, 0
		t := cluster.NewToken("profiles")
		for end < len(b.profiles) && (end == at || samples+len(b.profiles[end].stacks) <= maxRows) {
			r := &b.profiles[end]
			samples += len(r.stacks)
			t.Text(r.tenant)
			t.Text(string(r.id[:]))
			end++
		}
		part := b.profiles[at:end]
		err := to.insert(ctx, "profiles", `(tenant, service, kind, start, id, series, duration, part, head, main, comments,
			samples, stacks, labels, v0, v1, v2, v3, more)`, t, len(part), rows(len(part), func(to driver.Batch, i int) error {
			r := &part[i]
			p := r.p
			labels := []string{}
			if p.Data.HasLabels() {
				for n := range p.Data.NumSamples() {
					var set []byte
					for _, l := range p.Data.Labels(n) {
						set = packed.AppendLabel(set, l)
					}
					labels = append(labels, string(set))
				}
			}
			values := make([][]int64, max(inline, len(p.Data.SampleTypes)))
			for t := range p.Data.SampleTypes {
				values[t] = make([]int64, len(r.stacks))
				for n := range values[t] {
					values[t][n] = p.Data.Value(n, t)
				}
			}
			for t := len(p.Data.SampleTypes); t < inline; t++ {
				values[t] = []int64{}
			}
			return to.Append(r.tenant, p.Service, p.Kind, p.Start.UTC(), r.id[:], r.series, int64(p.Duration),
				partHash(p.Service, p.Kind, r.head), r.head, r.main, append([]string{}, p.Data.Comments...),
				uint32(len(r.stacks)), r.stacks, labels, values[0], values[1], values[2], values[3], values[inline:])
		}))
		if err != nil {
			return err
		}
		at = end
	}
	return nil
}

// keys are columns that the tables of symbols have in common. Texts of few values are boxed once each.
type keys struct {
	tenants, services []any
	ids               []uint64
	seen              []uint32
	boxes             map[string]any
}

func newKeys(n int) *keys {
	return &keys{make([]any, 0, n), make([]any, 0, n), make([]uint64, 0, n), make([]uint32, 0, n), map[string]any{}}
}

func (c *keys) add(k symbols.Scope, id uint64, seen uint32) {
	c.tenants, c.services = append(c.tenants, c.box(k.Tenant)), append(c.services, c.box(k.Service))
	c.ids, c.seen = append(c.ids, id), append(c.seen, seen)
}

func (c *keys) box(text string) any {
	x, ok := c.boxes[text]
	if !ok {
		x = text
		c.boxes[text] = x
	}
	return x
}

// columns returns a function that fills a batch with columns.
func columns(all ...any) func(driver.Batch) error {
	return func(to driver.Batch) error {
		for i, c := range all {
			if err := to.Column(i).Append(c); err != nil {
				return err
			}
		}
		return nil
	}
}

// rows returns a function that fills a batch row by row.
func rows(n int, row func(to driver.Batch, i int) error) func(driver.Batch) error {
	return func(to driver.Batch) error {
		for i := range n {
			if err := row(to, i); err != nil {
				return err
			}
		}
		return nil
	}
}

// insert inserts n rows into columns of a table, and again if the connection or the server has a temporary problem.
func (to target) insert(
	ctx context.Context, table, columns string, t *cluster.Token, n int, fill func(to driver.Batch) error,
) (err error) {
	if to.shard {
		table += "_shard"
	}
	with := native.Context(ctx, native.WithSettings(native.Settings{
		"insert_deduplicate": 1, "insert_deduplication_token": t.String(), "async_insert": 0,
		// An insert into a Distributed table ends when the shards have the rows, not before.
		"distributed_foreground_insert": 1, "max_partitions_per_insert_block": 0,
	}))
	tries := maxTries
	if to.shard { // soon, or the Distributed table is tried
		tries = 2
	}
	for try := range tries {
		err = to.once(with, "INSERT INTO "+table+" "+columns, fill)
		if err == nil || !cluster.Temporary(err) || try == tries-1 {
			break
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond << (2 * try)):
		}
	}
	if err != nil {
		return fmt.Errorf("insert %d rows: %w", n, err)
	}
	return nil
}

func (to target) once(ctx context.Context, text string, fill func(to driver.Batch) error) error {
	b, err := to.conn.PrepareBatch(ctx, text)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }() // after Send it does nothing
	if err := fill(b); err != nil {
		return err
	}
	return b.Send()
}
