package clickhouse

import (
	"context"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/identity"
	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/internal/store/symbols"
	"github.com/whet-go/whet/internal/store/tables"
	"github.com/whet-go/whet/store"
)

// request is a batch that waits for the writer.
type request struct {
	ctx      context.Context
	tenant   string
	profiles []store.Profile
	ids      []store.ID

	err  error
	done chan struct{}
}

// Write implements store.Writer. After an error some profiles of the batch may be stored, since
// there are no transactions across shards; all of it can be sent again.
func (s *Store) Write(ctx context.Context, tenant string, profiles []store.Profile) error {
	if err := store.CheckTenant(tenant); err != nil {
		return &store.InvalidError{Err: err}
	}
	if err := s.o.Limits.Check(profiles); err != nil {
		return err
	}
	if err := s.bucket.Take(tenant, len(profiles), s.o.Now()); err != nil {
		return err
	}
	if len(profiles) == 0 {
		return nil
	}
	r := &request{ctx: ctx, tenant: tenant, profiles: profiles, done: make(chan struct{})}
	for i := range profiles {
		r.ids = append(r.ids, store.NewID(&profiles[i]))
	}
	select {
	case <-s.closing:
		return ErrClosed
	default:
	}
	select {
	case s.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return ErrClosed
	}
	<-r.done // the writer does not stop in the middle, so that the answer is true
	return s.explain(ctx, "write to store", r.err)
}

// Limits of inserts.
const (
	maxRows   = 100_000 // samples of one insert of profiles, and rows of others
	maxInsert = 2 * time.Minute
	maxTries  = 4
	// reload is how long the series of a tenant are taken as known before one that is not is looked
	// for on the server.
	reload = time.Minute
)

// writer is the goroutine that inserts.
type writer struct {
	s      *Store
	known  *symbols.Cache // what this process has stored; apart from those of queries, which read them while they wait
	series map[string]*knownSeries
	last   time.Time // when the last insert began
}

// knownSeries are the series of a tenant.
type knownSeries struct {
	seen   map[uint64]uint32 // by series, as the table has it
	loaded time.Time
}

// run serves requests until the store is closed.
func (w *writer) run() {
	defer close(w.s.done)
	w.reset()
	for {
		select {
		case <-w.s.closing:
			return
		case r := <-w.s.requests:
			w.serve(r)
		}
	}
}

// reset forgets what is stored, so that it is stored again.
func (w *writer) reset() {
	w.known, w.series = symbols.NewCache(w.s.o.Memory/3), map[string]*knownSeries{}
}

// serve stores a batch, and those that arrive before it is time for the next insert.
func (w *writer) serve(r *request) {
	all, samples := []*request{r}, r.samples()
	wait := time.NewTimer(w.s.o.Interval - time.Since(w.last))
	defer wait.Stop()
	take := func(next *request) { all, samples = append(all, next), samples+next.samples() }
	for more := true; more && samples < maxRows; {
		select {
		case next := <-w.s.requests:
			take(next)
		case <-wait.C:
			more = false
		case <-w.s.closing:
			more = false
		}
	}
	for more := true; more && samples < maxRows; {
		select {
		case next := <-w.s.requests:
			take(next)
		default:
			more = false
		}
	}
	w.last = time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), maxInsert)
	defer cancel()
	if err := w.store(ctx, all); err != nil {
		w.reset()
		for _, r := range all {
			if r.err == nil {
				r.err = err
			}
		}
	}
	w.known.ForgetOld(w.today()) // those of this week are safe until it is over
	for _, r := range all {
		close(r.done)
	}
}

// today returns the number of this day since 1970.
func (w *writer) today() uint32 { return uint32(w.s.o.Now().Unix() / int64(day.Seconds())) }

func (r *request) samples() (n int) {
	for i := range r.profiles {
		n += r.profiles[i].Data.NumSamples()
	}
	return n
}

// store inserts batches. A batch that cannot be stored has its err set; an error returned is one of
// the server.
func (w *writer) store(ctx context.Context, all []*request) error {
	b := &batch{w: w, stored: map[tenantSeries]bool{}}
	for _, r := range all {
		if r.err = r.ctx.Err(); r.err != nil {
			continue
		}
		limit, err := w.checkSeries(ctx, r)
		if err != nil {
			return err
		}
		if limit != nil {
			r.err = limit
			continue
		}
		for i := range r.profiles {
			b.add(r.tenant, &r.profiles[i], r.ids[i])
		}
	}
	return b.insert(ctx)
}

// checkSeries returns a *store.LimitError if a batch has too many new series.
func (w *writer) checkSeries(ctx context.Context, r *request) (limit *store.LimitError, err error) {
	fresh := func(known *knownSeries) map[uint64]bool {
		out := map[uint64]bool{}
		for i := range r.profiles {
			p := &r.profiles[i]
			h := identity.Series(p.Service, p.Kind, p.Labels)
			if _, ok := known.seen[h]; !ok {
				out[h] = true
			}
		}
		return out
	}
	known := w.series[r.tenant]
	if known == nil || len(fresh(known)) > 0 && time.Since(known.loaded) > reload {
		if known, err = w.load(ctx, r.tenant); err != nil {
			return nil, err
		}
		w.series[r.tenant] = known
	}
	more := fresh(known)
	if n := len(known.seen) + len(more); len(more) > 0 && n > w.s.o.Limits.Series {
		return &store.LimitError{
			What: "series: combinations of service, kind and labels", Got: int64(n), Limit: int64(w.s.o.Limits.Series),
			RetryAfter: 15 * time.Minute, Flag: store.SeriesFlag,
		}, nil
	}
	for h := range more {
		known.seen[h] = 0 // for the next batch
	}
	return nil, nil
}

// load reads the series of a tenant.
func (w *writer) load(ctx context.Context, tenant string) (*knownSeries, error) {
	known := &knownSeries{seen: map[uint64]uint32{}, loaded: time.Now()}
	// Without a shard there are fewer, which is not an error but a limit that is less strict.
	err := w.s.query(ctx, "SELECT id, max(seen) FROM series PREWHERE tenant="+sql.Text(tenant)+" GROUP BY id",
		native.Settings{"skip_unavailable_shards": 1}, func(r driver.Rows) error {
			var id uint64
			var seen uint32
			if err := r.Scan(&id, &seen); err != nil {
				return err
			}
			known.seen[id] = seen
			return nil
		})
	return known, err
}

// day is the unit of the columns seen, which have a number of days since 1970.
const day = 24 * time.Hour

// keptUntil returns the first day after all profiles for which a row is needed: the end of the week.
func keptUntil(start time.Time) uint32 {
	return uint32(start.Unix()/int64(tables.Week.Seconds())+1) * uint32(tables.Week/day)
}

// batch is what one insert stores in each table.
type batch struct {
	w        *writer
	profiles []profileRow
	series   []seriesRow
	stacks   []stackRow
	frames   []frameRow
	stored   map[tenantSeries]bool // in series
	rows     []symbols.Row         // for the next stack
}

type tenantSeries struct {
	tenant string
	series uint64
}

type profileRow struct {
	tenant string
	p      *store.Profile
	id     store.ID
	series uint64
	head   string
	main   string
	stacks []uint64
}

type seriesRow struct {
	tenant string
	p      *store.Profile
	id     uint64
	seen   uint32
}

type stackRow struct {
	k      symbols.Scope
	id     uint64
	frames string
	seen   uint32
}

type frameRow struct {
	k symbols.Scope
	symbols.Row
	seen uint32
}

// add adds the rows for a profile.
func (b *batch) add(tenant string, p *store.Profile, id store.ID) {
	k, until := symbols.Scope{Tenant: tenant, Service: p.Service}, keptUntil(p.Start)
	row := profileRow{tenant: tenant, p: p, id: id, series: identity.Series(p.Service, p.Kind, p.Labels)}
	known := b.w.series[tenant]
	if of := (tenantSeries{tenant, row.series}); known.seen[row.series] < until || until <= b.w.today() && !b.stored[of] {
		b.series = append(b.series, seriesRow{tenant, p, row.series, until})
		known.seen[row.series] = max(until, known.seen[row.series])
		b.stored[of] = true
	}
	row.head = string(packed.AppendHead(nil, p.Data))
	if len(p.Data.Mappings) > 0 {
		row.main = string(packed.AppendMapping(nil, &p.Data.Mappings[0]))
	}
	d := b.w.known.Of(k)
	d.Begin(until, b.w.today())
	numbers := d.Add(p.Data)
	row.stacks = make([]uint64, len(numbers))
	for i, n := range numbers {
		row.stacks[i] = d.Hash(n)
		b.stack(k, d, n, until)
	}
	b.w.known.Grown(k, d.Memory())
	b.profiles = append(b.profiles, row)
}

// stack adds the rows for a stack, unless they are stored.
func (b *batch) stack(k symbols.Scope, d *symbols.Dictionary, n, until uint32) {
	frames, rows, ok := d.Unstored(n, until, b.rows[:0])
	if !ok {
		return
	}
	for _, r := range rows {
		b.frames = append(b.frames, frameRow{k, r, until})
	}
	b.rows = rows
	b.stacks = append(b.stacks, stackRow{k, d.Hash(n), frames, until})
}

// partHash identifies profiles that are added up together.
func partHash(service, kind, head string) uint64 {
	return identity.Of(packed.AppendText(packed.AppendText(packed.AppendText(nil, service), kind), head))
}

// Takes returns nil if the shard of a service answers, so that profiles of it can be stored.
func (s *Store) Takes(ctx context.Context, tenant, service string) error {
	err := s.query(ctx,
		"SELECT id FROM series WHERE tenant="+sql.Text(tenant)+" AND service="+sql.Text(service)+" LIMIT 1",
		native.Settings{"skip_unavailable_shards": 0, "optimize_skip_unused_shards": 1},
		func(driver.Rows) error { return nil })
	return s.explain(ctx, "query", err)
}
