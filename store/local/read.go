package local

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// view runs a query in one read transaction.
func (s *Store) view(ctx context.Context, work func(*sql.Tx) error) error {
	tx, err := s.read.BeginTx(ctx, nil)
	if err != nil {
		return plain(err)
	}
	defer func() { _ = tx.Rollback() }() // it only reads
	return plain(work(tx))
}

// series is a row of the table series.
type series struct {
	id            int64
	service, kind string
	labels        store.Labels
}

// match returns the series that q selects, by service, kind and labels.
func match(ctx context.Context, tx querier, q *store.Query) ([]series, error) {
	if err := store.CheckTenant(q.Tenant); err != nil {
		return nil, err
	}
	text, args := "SELECT id, service, kind, labels FROM series WHERE tenant=?", []any{q.Tenant}
	for _, m := range q.Matchers {
		if m.Name == store.ServiceLabel && m.Op == store.Equal {
			text, args = text+" AND service=?", append(args, m.Value)
		}
	}
	rows, err := tx.QueryContext(ctx, text+" ORDER BY service, kind, labels", args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	var all []series
	for rows.Next() {
		var x series
		var labels []byte
		if err := rows.Scan(&x.id, &x.service, &x.kind, &labels); err != nil {
			return nil, err
		}
		if x.labels, err = readLabels(labels); err != nil {
			return nil, fmt.Errorf("series %d: %w", x.id, err)
		}
		if q.Matches(x.service, x.kind, x.labels) {
			all = append(all, x)
		}
	}
	return all, rows.Err()
}

// nanoseconds returns the range of starts that q selects, the end excluded.
func nanoseconds(q *store.Query) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if !q.From.IsZero() {
		from = q.From.UnixNano()
	}
	if !q.To.IsZero() {
		to = q.To.UnixNano()
	}
	return from, to
}

func timeOf(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// Series implements store.Reader.
func (s *Store) Series(ctx context.Context, q store.Query) (out []store.Series, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		out, _, err = counted(ctx, tx, &q)
		return err
	})
	return out, err
}

// counted returns the series that have profiles which q selects.
func counted(ctx context.Context, tx querier, q *store.Query) ([]store.Series, []series, error) {
	all, err := match(ctx, tx, q)
	if err != nil {
		return nil, nil, err
	}
	from, to := nanoseconds(q)
	out := []store.Series{}
	var with []series
	for _, x := range all {
		var n int
		var first, last sql.NullInt64
		err := tx.QueryRowContext(ctx,
			"SELECT count(*), min(start), max(start) FROM profile WHERE series=? AND start>=? AND start<?", x.id, from, to).
			Scan(&n, &first, &last)
		if err != nil {
			return nil, nil, err
		}
		if n == 0 {
			continue
		}
		out = append(out, store.Series{
			Service: x.service, Kind: x.kind, Labels: x.labels, Profiles: n,
			First: timeOf(first.Int64), Last: timeOf(last.Int64),
		})
		with = append(with, x)
	}
	return out, with, nil
}

// LabelNames implements store.Reader.
func (s *Store) LabelNames(ctx context.Context, q store.Query) ([]string, error) {
	all, err := s.Series(ctx, q)
	return store.LabelNamesOf(all), err
}

// LabelValues implements store.Reader.
func (s *Store) LabelValues(ctx context.Context, q store.Query, name string) ([]string, error) {
	all, err := s.Series(ctx, q)
	return store.LabelValuesOf(all, name), err
}

func sorted(set map[string]bool) []string {
	all := make([]string, 0, len(set))
	for s := range set {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// Types implements store.Reader.
func (s *Store) Types(ctx context.Context, q store.Query) (out []store.Type, err error) {
	out = []store.Type{}
	err = s.view(ctx, func(tx *sql.Tx) error {
		all, err := match(ctx, tx, &q)
		if err != nil {
			return err
		}
		from, to := nanoseconds(&q)
		type headOf struct {
			kind string
			head int64
		}
		seen := map[headOf]bool{}
		for _, x := range all {
			heads, err := column[int64](ctx, tx,
				"SELECT DISTINCT head FROM profile WHERE series=? AND start>=? AND start<?", x.id, from, to)
			if err != nil {
				return err
			}
			for _, h := range heads {
				if seen[headOf{x.kind, h}] {
					continue
				}
				seen[headOf{x.kind, h}] = true
				meta, err := head(ctx, tx, h)
				if err != nil {
					return err
				}
				out = append(out, store.Type{
					Kind: x.kind, SampleTypes: meta.SampleTypes, Default: meta.DefaultSampleType,
					PeriodType: meta.PeriodType, Period: meta.Period,
				})
			}
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b store.Type) int { return cmp.Compare(a.Kind, b.Kind) })
	return out, err
}

// column returns the only column of a query's rows.
func column[T any](ctx context.Context, tx querier, query string, args ...any) ([]T, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	var all []T
	for rows.Next() {
		var x T
		if err := rows.Scan(&x); err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, rows.Err()
}

// head returns a profile with the fields of a head alone.
func head(ctx context.Context, tx querier, id int64) (*profile.Profile, error) {
	var data []byte
	if err := tx.QueryRowContext(ctx, "SELECT data FROM head WHERE id=?", id).Scan(&data); err != nil {
		return nil, fmt.Errorf("head %d: %w", id, err)
	}
	p, err := packed.Head(data)
	if err != nil {
		return nil, fmt.Errorf("head %d: %w", id, err)
	}
	return p, nil
}

// defaultProfiles is how many profiles Profiles returns if no limit is given, and manySeries the
// number of series above which it reads all series at once.
const (
	defaultProfiles = 1000
	manySeries      = 50
)

// Profiles implements store.Reader.
func (s *Store) Profiles(ctx context.Context, q store.Query, limit int) (out []store.Meta, err error) {
	if limit <= 0 {
		limit = defaultProfiles
	}
	out = []store.Meta{}
	err = s.view(ctx, func(tx *sql.Tx) error {
		all, err := match(ctx, tx, &q)
		if err != nil {
			return err
		}
		byID := make(map[int64]*series, len(all))
		for i := range all {
			byID[all[i].id] = &all[i]
		}
		from, to := nanoseconds(&q)
		const columns = "SELECT series, start, duration, samples, hash FROM profile WHERE "
		if len(all) > manySeries {
			return metas(ctx, tx, byID, limit, &out, columns+"start>=? AND start<? ORDER BY start DESC, hash", from, to)
		}
		for i := range all {
			var of []store.Meta
			const newest = "series=? AND start>=? AND start<? ORDER BY start DESC, hash LIMIT ?"
			err := metas(ctx, tx, byID, limit, &of, columns+newest, all[i].id, from, to, limit)
			if err != nil {
				return err
			}
			out = append(out, of...)
		}
		slices.SortStableFunc(out, func(a, b store.Meta) int { return b.Start.Compare(a.Start) })
		out = out[:min(limit, len(out))]
		return nil
	})
	return out, err
}

// metas appends what describes the rows of known series, at most limit of them.
func metas(
	ctx context.Context, tx querier, known map[int64]*series, limit int, out *[]store.Meta, query string, args ...any,
) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	for len(*out) < limit && rows.Next() {
		var m store.Meta
		var id, start, duration int64
		var hash []byte
		if err := rows.Scan(&id, &start, &duration, &m.Samples, &hash); err != nil {
			return err
		}
		x := known[id]
		if x == nil {
			continue
		}
		copy(m.ID[:], hash)
		m.Service, m.Kind, m.Labels = x.service, x.kind, x.labels
		m.Start, m.Duration = timeOf(start), time.Duration(duration)
		*out = append(*out, m)
	}
	return rows.Err()
}

// Get implements store.Reader.
func (s *Store) Get(ctx context.Context, tenant string, id store.ID) (p store.Profile, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		r := row{}
		var labels []byte
		err := tx.QueryRowContext(ctx, `SELECT s.service, s.kind, s.labels, p.start, p.duration, p.head, p.dictionary, p.data
			FROM profile p JOIN series s ON s.id=p.series WHERE p.hash=? AND s.tenant=? LIMIT 1`, id[:], tenant).
			Scan(&p.Service, &p.Kind, &labels, &r.start, &r.duration, &r.head, &r.dictionary, &r.data)
		if errors.Is(err, sql.ErrNoRows) {
			return &diag.Error{
				Op: "profile", Subject: id.String(), Err: store.ErrNotFound, Hint: "`whet query profiles` lists the IDs",
			}
		}
		if err != nil {
			return err
		}
		if p.Labels, err = readLabels(labels); err != nil {
			return err
		}
		p.Start, p.Duration = timeOf(r.start), time.Duration(r.duration)
		whole, err := s.profile(ctx, tx, &r)
		if err != nil {
			return err
		}
		// A separate dictionary leaves out what the profile does not use.
		d := profile.NewDictionary()
		samples := profile.Samples{Stacks: d.Add(whole), Values: make([][]int64, len(whole.SampleTypes))}
		for i := range whole.NumSamples() {
			if whole.HasLabels() {
				samples.Labels = append(samples.Labels, whole.Labels(i))
			}
			for t := range samples.Values {
				samples.Values[t] = append(samples.Values[t], whole.Value(i, t))
			}
		}
		p.Data, err = d.Table().Profile(whole, d.MainMapping(whole), samples)
		return err
	})
	return p, err
}

// row is a row of the table profile.
type row struct {
	head, dictionary, start, duration int64
	data                              []byte
}

// profile returns a stored profile, with the tables of its dictionary.
func (s *Store) profile(ctx context.Context, tx querier, r *row) (*profile.Profile, error) {
	meta, err := head(ctx, tx, r.head)
	if err != nil {
		return nil, err
	}
	t, err := s.table(ctx, tx, r.dictionary)
	if err != nil {
		return nil, err
	}
	data, err := s.decoder.DecodeAll(r.data, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", packed.ErrDamaged, err)
	}
	var c columns
	if err := c.read(data, len(meta.SampleTypes)); err != nil {
		return nil, err
	}
	samples := profile.Samples{Stacks: c.stacks, Values: c.values}
	if len(c.sets) > 0 {
		for _, set := range c.labels {
			if set == 0 {
				samples.Labels = append(samples.Labels, nil)
				continue
			}
			samples.Labels = append(samples.Labels, c.sets[set-1])
		}
	}
	meta.Time, meta.Duration, meta.Comments = timeOf(r.start), time.Duration(r.duration), c.comments
	return t.Profile(meta, c.main-1, samples)
}

// Merge implements store.Reader.
func (s *Store) Merge(ctx context.Context, q store.Query) (p *profile.Profile, stats store.Stats, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		all, err := match(ctx, tx, &q)
		if err != nil {
			return err
		}
		from, to := nanoseconds(&q)
		m := merger{s: s, tx: tx, parts: map[partKey]*part{}, heads: map[int64]*profile.Profile{}}
		defer m.adding.Wait()
		kind := ""
		for i, x := range all {
			if i > 0 && all[i-1].service != x.service {
				if err := m.flush(); err != nil {
					return err
				}
			}
			n, err := m.add(ctx, x.id, from, to)
			if err != nil {
				return fmt.Errorf("series %s of %s: %w", x.labels, x.service, err)
			}
			if n == 0 {
				continue
			}
			m.stats.Series++
			if kind != "" && kind != x.kind {
				return &diag.Error{
					Op: "query", Err: fmt.Errorf("profiles of different kinds match: %s", kinds(all)), Kind: diag.Usage,
					Hint: "select one with --type",
				}
			}
			kind = x.kind
		}
		stats = m.stats
		if p, err = m.result(); errors.Is(err, store.ErrNotFound) {
			err = &diag.Error{
				Op: "query", Subject: store.Selector(q.Matchers), Err: err,
				Hint: "`whet query series` lists what is stored",
			}
		}
		return err
	})
	return p, stats, err
}

func kinds(all []series) string {
	set := map[string]bool{}
	for _, x := range all {
		set[x.kind] = true
	}
	return strings.Join(sorted(set), ", ")
}

// merger adds rows.
type merger struct {
	s     *Store
	tx    querier
	stats store.Stats
	heads map[int64]*profile.Profile
	parts map[partKey]*part // of one service

	sum    profile.Sum // of the services before
	size   int         // samples that were added to it
	adding sync.WaitGroup
	err    error // of adding

	c    columns
	data []byte
}

type partKey struct{ dictionary, head int64 }

// part is the sum of the rows of one dictionary and head.
type part struct {
	meta     *profile.Profile
	table    *profile.StackTable
	main     uint32
	sums     [][]int64 // per sample type, by stack
	labeled  map[labeled]int
	samples  profile.Samples // those with labels
	sets     map[string]uint32
	comments map[string]bool
}

// labeled is a stack with a set of labels.
type labeled struct{ stack, set uint32 }

// maxResult is how many different stacks, with their labels, a result may have.
const maxResult = 4 << 20

// add adds the profiles of a series and returns their number.
func (m *merger) add(ctx context.Context, series, from, to int64) (n int, err error) {
	rows, err := m.tx.QueryContext(ctx, `SELECT dictionary, head, start, duration, data FROM profile
		WHERE series=? AND start>=? AND start<?`, series, from, to)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	var r row
	var blob sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&r.dictionary, &r.head, &r.start, &r.duration, &blob); err != nil {
			return n, err
		}
		p := m.parts[partKey{r.dictionary, r.head}]
		if p == nil {
			if p, err = m.part(ctx, r.dictionary, r.head); err != nil {
				return n, err
			}
		}
		if m.data, err = m.s.decoder.DecodeAll(blob, m.data[:0]); err != nil {
			return n, fmt.Errorf("profile at %s: %w: %w", timeOf(r.start).Format(time.RFC3339), packed.ErrDamaged, err)
		}
		if err := m.c.read(m.data, len(p.sums)); err != nil {
			return n, fmt.Errorf("profile at %s: %w", timeOf(r.start).Format(time.RFC3339), err)
		}
		if err := p.add(&m.c, &r); err != nil {
			return n, fmt.Errorf("profile at %s: %w", timeOf(r.start).Format(time.RFC3339), err)
		}
		n++
		start := timeOf(r.start)
		m.stats.Profiles++
		m.stats.Samples += int64(len(m.c.stacks))
		if m.stats.First.IsZero() || start.Before(m.stats.First) {
			m.stats.First = start
		}
		if start.After(m.stats.Last) {
			m.stats.Last = start
		}
	}
	return n, rows.Err()
}

func (m *merger) part(ctx context.Context, dictionary, headID int64) (*part, error) {
	meta := m.heads[headID]
	if meta == nil {
		var err error
		if meta, err = head(ctx, m.tx, headID); err != nil {
			return nil, err
		}
		m.heads[headID] = meta
	}
	t, err := m.s.table(ctx, m.tx, dictionary)
	if err != nil {
		return nil, err
	}
	own := *meta
	p := &part{meta: &own, table: t, main: profile.None, labeled: map[labeled]int{}, sets: map[string]uint32{}}
	for range meta.SampleTypes {
		p.sums = append(p.sums, make([]int64, t.Counts().Stacks))
	}
	p.samples.Values = make([][]int64, len(p.sums))
	p.comments = map[string]bool{}
	m.parts[partKey{dictionary, headID}] = p
	return p, nil
}

// add adds a row.
func (p *part) add(c *columns, r *row) error {
	meta := p.meta
	if start := timeOf(r.start); meta.Time.IsZero() || start.Before(meta.Time) {
		meta.Time = start
	}
	meta.Duration += time.Duration(r.duration)
	p.main = c.main - 1
	for _, comment := range c.comments {
		if !p.comments[comment] {
			p.comments[comment] = true
			meta.Comments = append(meta.Comments, comment)
		}
	}
	if n := len(c.stacks); n > 0 && int64(c.stacks[n-1]) >= int64(p.table.Counts().Stacks) {
		return fmt.Errorf("%w: stack %d of %d", packed.ErrDamaged, c.stacks[n-1], p.table.Counts().Stacks)
	}
	if len(c.sets) == 0 {
		for t, sums := range p.sums {
			for i, v := range c.values[t] {
				sums[c.stacks[i]] += v
			}
		}
		return nil
	}
	sets := make([]uint32, len(c.sets)) // of this row, as numbers of p
	var key []byte
	for i, set := range c.sets {
		key = key[:0]
		for _, l := range set {
			key = packed.AppendText(packed.AppendText(packed.AppendText(key, l.Key), l.Str), l.Unit)
			key = fmt.Appendf(key, "%d", l.Num)
		}
		at, ok := p.sets[string(key)]
		if !ok {
			at = uint32(len(p.sets))
			p.sets[string(key)] = at
		}
		sets[i] = at
	}
	for i, stack := range c.stacks {
		if c.labels[i] == 0 {
			for t, sums := range p.sums {
				sums[stack] += c.values[t][i]
			}
			continue
		}
		k := labeled{stack, sets[c.labels[i]-1]}
		at, ok := p.labeled[k]
		if !ok {
			at = len(p.samples.Stacks)
			if at >= maxResult {
				return errResult
			}
			p.labeled[k] = at
			p.samples.Stacks = append(p.samples.Stacks, stack)
			p.samples.Labels = append(p.samples.Labels, c.sets[c.labels[i]-1])
			for t := range p.sums {
				p.samples.Values[t] = append(p.samples.Values[t], 0)
			}
		}
		for t := range p.sums {
			p.samples.Values[t][at] += c.values[t][i]
		}
	}
	return nil
}

var errResult = &diag.Error{
	Op: "query", Err: fmt.Errorf("the merged profile has more than %d samples", maxResult), Kind: diag.Usage,
	Hint: "select less: a service, a label or a shorter time",
}

// profile returns the sum.
func (p *part) profile() (*profile.Profile, error) {
	s := p.samples
	plain := profile.Samples{Values: make([][]int64, len(p.sums))}
	for stack := range p.table.Counts().Stacks {
		zero := true
		for _, sums := range p.sums {
			zero = zero && sums[stack] == 0
		}
		if zero {
			continue
		}
		plain.Stacks = append(plain.Stacks, uint32(stack))
		for t, sums := range p.sums {
			plain.Values[t] = append(plain.Values[t], sums[stack])
		}
	}
	if len(s.Stacks) > 0 {
		plain.Labels = append(make([][]profile.Label, len(plain.Stacks)), s.Labels...)
		plain.Stacks = append(plain.Stacks, s.Stacks...)
		for t := range plain.Values {
			plain.Values[t] = append(plain.Values[t], s.Values[t]...)
		}
	}
	return p.table.Profile(p.meta, p.main, plain)
}

// flush finishes the parts of a service.
func (m *merger) flush() error {
	keys := make([]partKey, 0, len(m.parts))
	for k := range m.parts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b partKey) int {
		return cmp.Or(cmp.Compare(a.dictionary, b.dictionary), cmp.Compare(a.head, b.head))
	})
	for _, k := range keys {
		p, err := m.parts[k].profile()
		if err != nil {
			return err
		}
		if m.size += p.NumSamples(); m.size > maxResult {
			return errResult
		}
		delete(m.parts, k)
		if m.adding.Wait(); m.err != nil {
			return m.err
		}
		// The next one is read meanwhile. Only these two, and the sum, are in memory.
		m.adding.Go(func() { m.err = m.sum.Add(p) })
	}
	return nil
}

// result returns the sum of all services.
func (m *merger) result() (*profile.Profile, error) {
	if err := m.flush(); err != nil {
		return nil, err
	}
	if m.adding.Wait(); m.err != nil {
		return nil, m.err
	}
	p := m.sum.Profile()
	if p == nil {
		return nil, store.ErrNotFound
	}
	return p, nil
}
