package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sync/errgroup"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/cluster"
	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/internal/store/symbols"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// series is a row of the table series.
type series struct {
	id            uint64
	service, kind string
	labels        store.Labels
}

// selection is what a query selects: profiles of some series, and of all times that where allows.
type selection struct {
	series map[uint64]*series
	order  []*series // by service, kind and labels
	where  string
}

// among returns the conditions that the series and the profiles of a query have in common, and whether
// all series with them match.
func among(q *store.Query) (conditions string, all bool) {
	conditions, all = "tenant="+sql.Text(q.Tenant), true
	if q.Kind != "" {
		conditions += " AND kind=" + sql.Text(q.Kind)
	}
	for _, m := range q.Matchers {
		if m.Name == store.ServiceLabel && m.Op == store.Equal {
			conditions += " AND service=" + sql.Text(m.Value)
		} else {
			all = false
		}
	}
	return conditions, all
}

// between returns the conditions for the time of a query.
func between(q *store.Query) (conditions string) {
	if !q.From.IsZero() {
		conditions += " AND start>=" + sql.Time(q.From)
	}
	if !q.To.IsZero() {
		conditions += " AND start<" + sql.Time(q.To)
	}
	return conditions
}

// match returns what q selects. A selection without series selects nothing.
func (s *Store) match(ctx context.Context, from cluster.Source, q *store.Query) (*selection, error) {
	if err := store.CheckTenant(q.Tenant); err != nil {
		return nil, err
	}
	conditions, _ := among(q)
	sel := &selection{series: map[uint64]*series{}}
	read := 0
	err := from.Query(ctx, "SELECT id, service, kind, names, values FROM "+from.Table("series")+" PREWHERE "+conditions,
		nil, func(r driver.Rows) error {
			x := &series{}
			var names, values []string
			if err := r.Scan(&x.id, &x.service, &x.kind, &names, &values); err != nil {
				return err
			}
			if sel.series[x.id] != nil {
				return nil // rows that were not replaced yet
			}
			x.labels = labelsOf(names, values)
			read++
			if q.Matches(x.service, x.kind, x.labels) {
				sel.series[x.id] = x
				sel.order = append(sel.order, x)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(sel.order, func(a, b *series) int {
		return cmp.Or(cmp.Compare(a.service, b.service), cmp.Compare(a.kind, b.kind),
			slices.CompareFunc(a.labels, b.labels, func(x, y store.Label) int {
				return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Value, y.Value))
			}))
	})
	if len(sel.order) < read {
		// Columns of the sorting key narrow down what is read.
		ids, services := []uint64{}, map[string]bool{}
		for _, x := range sel.order {
			ids = append(ids, x.id)
			services[x.service] = true
		}
		conditions += " AND service IN (" + sql.Texts(slices.Sorted(maps.Keys(services))) + ")"
		conditions += " AND series IN (" + sql.Numbers(ids) + ")"
	}
	sel.where = conditions + between(q)
	return sel, nil
}

// Series implements store.Reader.
func (s *Store) Series(ctx context.Context, q store.Query) (out []store.Series, err error) {
	err = s.viewFrom(ctx, "query", func(from cluster.Source) error {
		out, err = s.counted(ctx, from, &q)
		return err
	})
	return out, err
}

// counted returns the series that have profiles which q selects.
func (s *Store) counted(ctx context.Context, from cluster.Source, q *store.Query) ([]store.Series, error) {
	out := []store.Series{}
	sel, err := s.match(ctx, from, q)
	if err != nil || len(sel.order) == 0 {
		return out, err
	}
	found := map[uint64]*store.Series{}
	err = from.Query(ctx, "SELECT series, count(), min(start), max(start) FROM "+from.Table("profiles")+
		" FINAL PREWHERE "+sel.where+" GROUP BY series", nil, func(r driver.Rows) error {
		var id, n uint64
		var first, last time.Time
		if err := r.Scan(&id, &n, &first, &last); err != nil {
			return err
		}
		if x := sel.series[id]; x != nil { // else it is newer than sel
			found[id] = &store.Series{
				Service: x.service, Kind: x.kind, Labels: x.labels, Profiles: int(n), First: first.UTC(), Last: last.UTC(),
			}
		}
		return nil
	})
	for _, x := range sel.order {
		if y := found[x.id]; y != nil {
			out = append(out, *y)
		}
	}
	return out, err
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

// Types implements store.Reader.
func (s *Store) Types(ctx context.Context, q store.Query) (out []store.Type, err error) {
	out = []store.Type{}
	err = s.view(ctx, "query", func() error {
		sel, err := s.match(ctx, s.whole(), &q)
		if err != nil || len(sel.order) == 0 {
			return err
		}
		return s.query(ctx, "SELECT kind, head FROM profiles PREWHERE "+sel.where+
			" GROUP BY kind, head ORDER BY kind, min(start), head", nil, func(r driver.Rows) error {
			var kind, head string
			if err := r.Scan(&kind, &head); err != nil {
				return err
			}
			meta, err := packed.Head([]byte(head))
			if err != nil {
				return err
			}
			t := store.Type{
				Kind: kind, SampleTypes: meta.SampleTypes, Default: meta.DefaultSampleType, PeriodType: meta.PeriodType,
				Period: meta.Period,
			}
			if !slices.ContainsFunc(out, func(o store.Type) bool { return equalType(o, t) }) {
				out = append(out, t)
			}
			return nil
		})
	})
	slices.SortStableFunc(out, func(a, b store.Type) int { return cmp.Compare(a.Kind, b.Kind) })
	return out, err
}

func equalType(a, b store.Type) bool {
	return a.Kind == b.Kind && slices.Equal(a.SampleTypes, b.SampleTypes) && a.Default == b.Default &&
		a.PeriodType == b.PeriodType && a.Period == b.Period
}

// defaultProfiles is how many profiles Profiles returns if no limit is given.
const defaultProfiles = 1000

// Profiles implements store.Reader.
func (s *Store) Profiles(ctx context.Context, q store.Query, limit int) (out []store.Meta, err error) {
	if limit <= 0 {
		limit = defaultProfiles
	}
	out = []store.Meta{}
	err = s.view(ctx, "query", func() error {
		sel, err := s.match(ctx, s.whole(), &q)
		if err != nil || len(sel.order) == 0 {
			return err
		}
		return s.query(ctx, "SELECT series, start, duration, samples, id FROM profiles FINAL PREWHERE "+sel.where+
			fmt.Sprintf(" ORDER BY start DESC, id LIMIT %d", limit), nil, func(r driver.Rows) error {
			var m store.Meta
			var of uint64
			var duration int64
			var samples uint32
			var id string
			if err := r.Scan(&of, &m.Start, &duration, &samples, &id); err != nil {
				return err
			}
			x := sel.series[of]
			if x == nil {
				return nil // newer than sel
			}
			copy(m.ID[:], id)
			m.Service, m.Kind, m.Labels = x.service, x.kind, x.labels
			m.Start, m.Duration, m.Samples = m.Start.UTC(), time.Duration(duration), int(samples)
			out = append(out, m)
			return nil
		})
	})
	return out, err
}

// inline is how many sample types have columns; the others are in the column more.
const inline = 4

// row is a row of the table profiles.
type row struct {
	service, kind string
	series        uint64
	start         time.Time
	duration      int64
	id            string
	head, main    string
	comments      []string
	stacks        []uint64
	labels        []string
	values        [inline][]int64
	more          [][]int64
}

const rowColumns = "service, kind, series, start, duration, id, head, main, comments, stacks, labels, " +
	"v0, v1, v2, v3, more"

func (x *row) scan(r driver.Rows) error {
	return r.Scan(&x.service, &x.kind, &x.series, &x.start, &x.duration, &x.id, &x.head, &x.main, &x.comments, &x.stacks,
		&x.labels, &x.values[0], &x.values[1], &x.values[2], &x.values[3], &x.more)
}

// column returns the values of a sample type.
func (x *row) column(t int) []int64 {
	if t < inline {
		return x.values[t]
	}
	if t -= inline; t < len(x.more) {
		return x.more[t]
	}
	return nil
}

// Get implements store.Reader.
func (s *Store) Get(ctx context.Context, tenant string, id store.ID) (p store.Profile, err error) {
	if err := store.CheckTenant(tenant); err != nil {
		return p, err
	}
	err = s.view(ctx, "query", func() error {
		var x *row
		err := s.query(ctx, "SELECT "+rowColumns+" FROM profiles PREWHERE tenant="+sql.Text(tenant)+" AND id="+
			sql.Text(string(id[:]))+" LIMIT 1", nil, func(r driver.Rows) error {
			x = &row{}
			return x.scan(r)
		})
		if err != nil {
			return err
		}
		if x == nil {
			return &diag.Error{
				Op: "profile", Subject: id.String(), Err: store.ErrNotFound, Hint: "`whet query profiles` lists the IDs",
			}
		}
		labels, err := s.labels(ctx, symbols.Scope{Tenant: tenant, Service: x.service})
		if err != nil {
			return err
		}
		if p, err = s.profile(ctx, tenant, x, labels); err != nil {
			return err
		}
		// A separate dictionary leaves out what the profile does not use.
		whole := p.Data
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

// labels returns the labels of the series of a service, by series.
func (s *Store) labels(ctx context.Context, k symbols.Scope) (map[uint64]store.Labels, error) {
	out := map[uint64]store.Labels{}
	err := s.query(ctx, "SELECT id, names, values FROM series PREWHERE tenant="+sql.Text(k.Tenant)+" AND service="+
		sql.Text(k.Service), nil, func(r driver.Rows) error {
		var id uint64
		var names, values []string
		if err := r.Scan(&id, &names, &values); err != nil {
			return err
		}
		out[id] = labelsOf(names, values)
		return nil
	})
	return out, err
}

func labelsOf(names, values []string) store.Labels {
	labels := store.Labels{}
	for i := range min(len(names), len(values)) {
		labels = append(labels, store.Label{Name: names[i], Value: values[i]})
	}
	return labels
}

// profile returns a stored profile, whose data has the tables of the dictionary.
func (s *Store) profile(
	ctx context.Context, tenant string, x *row, labels map[uint64]store.Labels,
) (p store.Profile, err error) {
	p = store.Profile{Service: x.service, Kind: x.kind, Start: x.start.UTC(), Duration: time.Duration(x.duration)}
	found := false
	if p.Labels, found = labels[x.series]; !found {
		return p, fmt.Errorf("series %016x: %w: it is missing", x.series, packed.ErrDamaged)
	}
	meta, err := packed.Head([]byte(x.head))
	if err != nil {
		return p, err
	}
	meta.Time, meta.Duration, meta.Comments = p.Start, p.Duration, x.comments
	values := make([][]int64, len(meta.SampleTypes))
	for t := range values {
		if values[t] = x.column(t); len(values[t]) != len(x.stacks) {
			return p, fmt.Errorf("%w: %d values of %d samples", packed.ErrDamaged, len(values[t]), len(x.stacks))
		}
	}
	all := sums{x.stacks, x.labels, values}
	p.Data, err = s.assemble(ctx, s.whole(), symbols.Scope{Tenant: tenant, Service: x.service}, meta, x.main, all, nil)
	return p, err
}

// sums are columns of samples by the hash of the stack.
type sums struct {
	stacks []uint64
	labels []string // packed, of each sample; nil if none has labels
	values [][]int64
}

// assemble makes a profile of columns.
func (s *Store) assemble(
	ctx context.Context, from cluster.Source, k symbols.Scope, meta *profile.Profile, main string, c sums, early *read,
) (*profile.Profile, error) {
	d := s.known.Of(k)
	d.Lock()
	defer d.Unlock()
	if missing := d.Missing(c.stacks); len(missing) > 0 {
		if err := fetch(ctx, from, k, d, missing, early); err != nil {
			return nil, fmt.Errorf("symbols of %s: %w", store.OfService(k.Tenant, k.Service), err)
		}
		s.known.Grown(k, d.Memory())
	}
	samples := profile.Samples{Values: c.values}
	if c.labels != nil && len(c.labels) != len(c.stacks) && len(c.labels) > 0 {
		return nil, packed.ErrDamaged
	}
	if len(c.labels) > 0 {
		known := map[string][]profile.Label{"": nil}
		for _, text := range c.labels {
			set, ok := known[text]
			if !ok {
				r := &packed.Decoder{B: []byte(text)}
				for len(r.B) > 0 {
					set = append(set, r.Label())
				}
				if err := r.End(); err != nil {
					return nil, err
				}
				known[text] = set
			}
			samples.Labels = append(samples.Labels, set)
		}
	}
	return d.Profile(meta, main, c.stacks, samples)
}

// maxResult is how many different stacks, with their labels, a result may have.
const maxResult = 4 << 20

// A part is what a query selects of the profiles of one service that have the same head.
type part struct {
	service, kind string
	meta          *profile.Profile
	main          string
	labeled       bool
	shards        []int // on which it is; of source.shards
	sums          sums
}

// Merge implements store.Reader.
func (s *Store) Merge(ctx context.Context, q store.Query) (p *profile.Profile, stats store.Stats, err error) {
	err = s.viewFrom(ctx, "query", func(from cluster.Source) error {
		p, stats, err = s.merge(ctx, from, &q)
		if errors.Is(err, store.ErrNotFound) {
			err = &diag.Error{
				Op: "query", Subject: store.Selector(q.Matchers), Err: err,
				Hint: "`whet query series` lists what is stored",
			}
		}
		return err
	})
	return p, stats, err
}

func (s *Store) merge(ctx context.Context, from cluster.Source, q *store.Query) (*profile.Profile, store.Stats, error) {
	var stats store.Stats
	where, err := s.selected(ctx, from, q)
	if err != nil {
		return nil, stats, err
	}
	early := s.readEarly(ctx, from, q)
	defer early.stop()
	var idle, home error
	var others sync.WaitGroup
	k, one := serviceOf(q)
	if one {
		all, find := from, false
		if from, find = all.Of(k); find {
			others.Go(func() { home = all.FindHome(ctx, k) })
		}
		others.Go(func() { idle = from.Alive(ctx) })
	}
	parts, order, added, stats, err := s.both(ctx, from, q.Kind, where, one && s.known.Few(k))
	others.Wait()
	if err := cmp.Or(idle, home, err); err != nil {
		return nil, stats, err
	}
	for i := range added {
		if err := added[i].divide(parts); err != nil {
			return nil, stats, err
		}
	}
	read, err := early.wait()
	if err != nil {
		return nil, stats, err
	}
	done := make([]*profile.Profile, len(order))
	services, within := errgroup.WithContext(ctx)
	services.SetLimit(runtime.GOMAXPROCS(0))
	for i, id := range order {
		services.Go(func() (err error) {
			x, has := parts[id], from
			if len(x.shards) == 1 { // it has the symbols, too
				has = from.Only(x.shards[0])
			}
			k := symbols.Scope{Tenant: q.Tenant, Service: x.service}
			done[i], err = s.assemble(within, has, k, x.meta, x.main, x.sums, read)
			return err
		})
	}
	if err := services.Wait(); err != nil {
		return nil, stats, err
	}
	if one {
		s.known.Answered(k, stats.Samples)
	}
	p, err := profile.Merge(done...)
	return p, stats, err
}

// selected returns the conditions for the profiles of a query. It reads series only if labels matter.
func (s *Store) selected(ctx context.Context, from cluster.Source, q *store.Query) (where string, err error) {
	if conditions, all := among(q); all {
		return conditions + between(q), store.CheckTenant(q.Tenant)
	}
	sel, err := s.match(ctx, from, q)
	if err != nil {
		return "", err
	}
	if len(sel.order) == 0 {
		return "", store.ErrNotFound
	}
	return sel.where, nil
}

// parts returns what conditions select but for samples, by the column part, and in order.
func (s *Store) parts(
	ctx context.Context, from cluster.Source, where string, few bool,
) (map[uint64]*part, []uint64, store.Stats, error) {
	var stats store.Stats
	parts, kinds, used := map[uint64]*part{}, map[string]bool{}, map[uint64]bool{}
	text := `SELECT part, series, any(service), any(kind), any(head), anyLast(main), count(), sum(samples),
		min(start), max(start), sum(duration), max(notEmpty(labels)), groupUniqArrayArray(comments)
		FROM ` + from.Table("profiles") + " FINAL PREWHERE " + where + " GROUP BY part, series"
	var mu sync.Mutex
	row := func(shard int, r driver.Rows) error {
		mu.Lock()
		defer mu.Unlock()
		var id, of, n, samples uint64
		var service, kind, head, main string
		var first, last time.Time
		var duration int64
		var labeled uint8
		var comments []string
		err := r.Scan(&id, &of, &service, &kind, &head, &main, &n, &samples, &first, &last, &duration, &labeled, &comments)
		if err != nil {
			return err
		}
		x := parts[id]
		if x == nil {
			x = &part{service: service, kind: kind}
			if x.meta, err = packed.Head([]byte(head)); err != nil {
				return err
			}
			x.sums.values = make([][]int64, len(x.meta.SampleTypes))
			parts[id] = x
		}
		x.main, x.labeled = main, x.labeled || labeled == 1
		if first = first.UTC(); x.meta.Time.IsZero() || first.Before(x.meta.Time) {
			x.meta.Time = first
		}
		x.meta.Duration += time.Duration(duration)
		for _, c := range comments {
			if !slices.Contains(x.meta.Comments, c) {
				x.meta.Comments = append(x.meta.Comments, c)
			}
		}
		stats.Profiles += int(n)
		stats.Samples += int64(samples)
		if stats.First.IsZero() || first.Before(stats.First) {
			stats.First = first
		}
		if last = last.UTC(); last.After(stats.Last) {
			stats.Last = last
		}
		kinds[kind], used[of] = true, true
		if !slices.Contains(x.shards, shard) {
			x.shards = append(x.shards, shard)
		}
		return nil
	}
	err := from.Each(ctx, func(ctx context.Context, i int) error {
		return from.QueryOn(ctx, i, text, settings(few), func(r driver.Rows) error { return row(i, r) })
	})
	stats.Series = len(used)
	switch {
	case err != nil:
		return nil, nil, stats, err
	case len(parts) == 0:
		return nil, nil, stats, store.ErrNotFound
	case len(kinds) > 1:
		return nil, nil, stats, &diag.Error{
			Op: "query", Err: fmt.Errorf("profiles of different kinds match: %s",
				strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")), Kind: diag.Usage, Hint: "select one with --type",
		}
	}
	order := slices.SortedFunc(maps.Keys(parts), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(parts[a].service, parts[b].service), parts[a].meta.Time.Compare(parts[b].meta.Time),
			cmp.Compare(a, b))
	})
	return parts, order, stats, nil
}

// A shape is what the samples of profiles have.
type shape struct {
	types   int // of samples
	labeled bool
}

// both returns the parts of what conditions select, and their sums. It asks for both at once, for sums
// of samples like those of the last query of this kind, and again if that was not enough.
func (s *Store) both(
	ctx context.Context, from cluster.Source, kind, where string, few bool,
) (parts map[uint64]*part, order []uint64, sums []added, stats store.Stats, err error) {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	guess := shape{types: inline}
	if last, ok := s.shapes.Load(kind); ok {
		guess = last.(shape) //nolint:forcetypeassert // nothing else is stored
	}
	var guessed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		sums, guessed = s.add(inner, from, where, guess, few)
	}()
	parts, order, stats, err = s.parts(ctx, from, where, few)
	need := shape{types: 1}
	for _, x := range parts {
		need.types, need.labeled = max(need.types, len(x.sums.values)), need.labeled || x.labeled
	}
	enough := err == nil && need.types <= guess.types && need.labeled == guess.labeled
	if err == nil {
		s.shapes.Store(kind, need)
	}
	if !enough {
		stop()
	}
	<-done
	switch {
	case err != nil:
	case enough:
		err = guessed
	default:
		sums, err = s.add(ctx, from, where, need, few)
	}
	return parts, order, sums, stats, err
}

// added are sums as the server returns them, in rows.
type added struct {
	parts, stacks []uint64
	labels        []string // nil if they were not asked for
	values        [][]int64
}

// add lets the server add the values of samples by stack, and by labels if there are any. Each shard
// does so for its services, so nothing is left to do for the server that answers.
func (s *Store) add(
	ctx context.Context, from cluster.Source, where string, of shape, few bool,
) ([]added, error) {
	columns, joins, keys := "part, stack", "stacks AS stack", "part, stack"
	if of.labeled {
		columns, joins, keys = columns+", label", joins+", labels AS label", keys+", label"
	}
	for t := range of.types {
		column := fmt.Sprintf("v%d", t)
		if t >= inline {
			column = fmt.Sprintf("more[%d]", t-inline+1)
		}
		columns += fmt.Sprintf(", sum(x%d)", t)
		joins += fmt.Sprintf(", %s AS x%d", column, t)
	}
	text := "SELECT " + columns + " FROM " + from.Table("profiles") + " FINAL ARRAY JOIN " + joins
	text += " PREWHERE " + where + " GROUP BY " + keys
	var rows atomic.Int64
	with := native.Settings{"distributed_group_by_no_merge": 1}
	maps.Copy(with, settings(few))
	out := make([]added, max(1, len(from.Shards())))
	err := from.Each(ctx, func(ctx context.Context, i int) error {
		return from.QueryOn(ctx, i, text, with, out[i].scan(of, &rows))
	})
	return out, err
}

// scan returns a function that appends a row, and counts the rows of all shards.
func (c *added) scan(of shape, rows *atomic.Int64) func(driver.Rows) error {
	var id, stack uint64
	var label string
	values := make([]int64, of.types)
	into := []any{&id, &stack}
	if of.labeled {
		into = append(into, &label)
	}
	for t := range values {
		into = append(into, &values[t])
	}
	c.values = make([][]int64, of.types)
	return func(r driver.Rows) error {
		if err := r.Scan(into...); err != nil {
			return err
		}
		if rows.Add(1) > maxResult {
			return &diag.Error{
				Op: "query", Err: fmt.Errorf("the merged profile has more than %d samples", maxResult), Kind: diag.Usage,
				Hint: "select less: a service, a label or a shorter time",
			}
		}
		c.parts, c.stacks = append(c.parts, id), append(c.stacks, stack)
		if of.labeled {
			c.labels = append(c.labels, label)
		}
		for t, v := range values {
			c.values[t] = append(c.values[t], v)
		}
		return nil
	}
}

// divide appends the sums to those of their parts. Rows of profiles that are newer than the parts
// are left out.
func (c *added) divide(parts map[uint64]*part) error {
	for i, id := range c.parts {
		x := parts[id]
		if x == nil {
			continue
		}
		if len(x.sums.values) > len(c.values) {
			return fmt.Errorf("%w: %d sample types", packed.ErrDamaged, len(x.sums.values))
		}
		zero := c.labels == nil || c.labels[i] == ""
		for t := range x.sums.values {
			zero = zero && c.values[t][i] == 0
		}
		if zero {
			continue
		}
		x.sums.stacks = append(x.sums.stacks, c.stacks[i])
		if c.labels != nil {
			x.sums.labels = append(x.sums.labels, c.labels[i])
		}
		for t := range x.sums.values {
			x.sums.values[t] = append(x.sums.values[t], c.values[t][i])
		}
	}
	return nil
}
