package pyroscope

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/server/pyroscope/wire"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// steps returns the ends of the steps of a time range: a step is what comes after the end of the one
// before it, up to and with its own. The first one is the beginning alone.
func steps(start, end wire.Int, step float64) ([]time.Time, time.Duration, error) {
	if start <= 0 || end <= 0 || end < start {
		return nil, 0, invalid("the time range %d to %d is not one of milliseconds since 1970", start, end)
	}
	if !(step >= 0.001) || step > 1e9 {
		return nil, 0, invalid("invalid step %v (want seconds)", step)
	}
	width := wire.Int(math.Round(step * 1000))
	if n := (end - start) / width; n > maxMerges {
		return nil, 0, tooMany(int64(n))
	}
	var ends []time.Time
	for t := start; ; t += width {
		ends = append(ends, time.UnixMilli(int64(t)))
		if t >= end {
			return ends, time.Duration(width) * time.Millisecond, nil
		}
	}
}

func tooMany(n int64) error {
	return &store.LimitError{What: "steps of all series", Limit: maxMerges, Got: n}
}

// within returns what of a query is in step i.
func within(q store.Query, ends []time.Time, i int) store.Query {
	if i > 0 {
		q.From = ends[i-1].Add(time.Millisecond)
	}
	if to := ends[i].Add(time.Millisecond); to.Before(q.To) {
		q.To = to
	}
	return q
}

// A group is the series with the same values of some labels.
type group struct {
	labels      []*wire.LabelPair
	query       store.Query
	first, last time.Time
}

// groups divides the series of a kind by labels.
func (h *Handler) groups(ctx context.Context, s *scope, kind string, t *wire.ProfileType, by []string) ([]*group,
	error,
) {
	q := s.Query
	q.Kind = kind
	list, err := h.o.Reader.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	byKey := map[string]*group{}
	var all []*group
	for i := range list {
		one := &list[i]
		labels := labelsOf(one, t)
		var pairs []*wire.LabelPair
		if len(by) > 0 {
			pairs = pairsOf(labels, by)
		}
		g := byKey[keyOf(pairs)]
		if g == nil {
			g = &group{labels: pairs, query: q, first: one.First, last: one.Last}
			g.query.Matchers = slices.Clone(q.Matchers)
			for _, name := range by {
				value := labels[name]
				if _, ofType := typeLabels(&wire.ProfileType{}, "")[name]; ofType && name != "__service_name__" {
					continue
				}
				if name == serviceLabel || name == "__service_name__" {
					name = store.ServiceLabel
				}
				m, err := store.NewMatcher(name, store.Equal, value)
				if err != nil {
					return nil, invalid("group_by: %w", err)
				}
				g.query.Matchers = append(g.query.Matchers, m)
			}
			byKey[keyOf(pairs)] = g
			all = append(all, g)
		}
		if one.First.Before(g.first) {
			g.first = one.First
		}
		if one.Last.After(g.last) {
			g.last = one.Last
		}
	}
	return all, nil
}

// selected returns the kinds of a request that have its type, with the description of it.
func (h *Handler) selected(ctx context.Context, t *profileType, s *scope) ([]typed, error) {
	kinds, err := h.kinds(ctx, s)
	if err != nil {
		return nil, err
	}
	var all []typed
	for _, k := range kinds {
		if i := slices.IndexFunc(k.types, t.isType); i >= 0 && slices.Contains(t.kinds, k.kind) {
			all = append(all, typed{k.kind, k.types[i : i+1]})
		}
	}
	return all, nil
}

// sums adds up the values of a step.
type sums struct {
	value    int64
	profiles int
}

func (h *Handler) selectSeries(ctx context.Context, r *wire.SelectSeriesRequest) (*wire.SelectSeriesResponse, error) {
	switch r.ExemplarType {
	case wire.ExemplarUnspecified, wire.ExemplarNone:
	case wire.ExemplarIndividual, wire.ExemplarSpan:
		return nil, unimplemented("exemplar_type of a series", "want EXEMPLAR_TYPE_NONE; SelectHeatmap returns exemplars")
	default:
		return nil, invalid("unknown exemplar_type %d", r.ExemplarType)
	}
	t, err := parseType(r.ProfileTypeID)
	if err != nil {
		return nil, err
	}
	s, err := scopeOf(ctx, r.LabelSelector, r.Start, r.End)
	if err != nil {
		return nil, err
	}
	f, err := filterOf(r.StackTraceSelector, nil, nil)
	if err != nil {
		return nil, err
	}
	ends, _, err := steps(r.Start, r.End, r.Step)
	if err != nil {
		return nil, err
	}
	kinds, err := h.selected(ctx, t, s)
	if err != nil {
		return nil, err
	}
	series := map[string]*wire.Series{}
	values := map[string][]sums{}
	merges := 0
	for _, k := range kinds {
		groups, err := h.groups(ctx, s, k.kind, k.types[0], r.GroupBy)
		if err != nil {
			return nil, err
		}
		if merges += len(groups) * len(ends); merges > maxMerges {
			return nil, tooMany(int64(merges))
		}
		for _, g := range groups {
			key := keyOf(g.labels)
			if series[key] == nil {
				series[key], values[key] = &wire.Series{Labels: g.labels}, make([]sums, len(ends))
			}
			for i := range ends {
				q := within(g.query, ends, i)
				if !g.first.Before(q.To) || g.last.Before(q.From) {
					continue
				}
				m, err := h.find(ctx, &profileType{[]string{k.kind}, t.sample}, &scope{Query: q}, f, nil)
				if err != nil {
					return nil, err
				}
				values[key][i].value += m.sum()
				values[key][i].profiles += m.profiles
			}
		}
	}
	return seriesOf(series, values, ends, r), nil
}

// seriesOf makes the answer: the largest series first if there is a limit, else in order of labels.
func seriesOf(
	series map[string]*wire.Series, values map[string][]sums, ends []time.Time, r *wire.SelectSeriesRequest,
) *wire.SelectSeriesResponse {
	type sized struct {
		key   string
		total float64
	}
	var order []sized
	for key, one := range series {
		total := 0.0
		for i, v := range values[key] {
			if v.profiles == 0 {
				continue
			}
			value := float64(v.value)
			if r.Aggregation == wire.Average {
				value /= float64(v.profiles)
			}
			total += value
			one.Points = append(one.Points, &wire.Point{Value: value, Timestamp: wire.Int(ends[i].UnixMilli())})
		}
		if len(one.Points) > 0 {
			order = append(order, sized{key, total})
		}
	}
	slices.SortFunc(order, func(a, b sized) int {
		return cmp.Or(cmp.Compare(b.total, a.total),
			cmp.Compare(a.key, b.key))
	})
	if r.Limit > 0 && int64(len(order)) > int64(r.Limit) {
		order = order[:r.Limit]
	} else {
		slices.SortFunc(order, func(a, b sized) int { return cmp.Compare(a.key, b.key) })
	}
	res := &wire.SelectSeriesResponse{}
	for _, o := range order {
		res.Series = append(res.Series, series[o.key])
	}
	return res
}

// heatmapRows is the number of ranges of values in a heatmap.
const heatmapRows = 20

// A mark is one value in a heatmap.
type mark struct {
	exemplar *wire.Exemplar
	step     int
}

func (h *Handler) selectHeatmap(ctx context.Context, r *wire.SelectHeatmapRequest) (*wire.SelectHeatmapResponse,
	error,
) {
	t, err := parseType(r.ProfileTypeID)
	if err != nil {
		return nil, err
	}
	s, err := scopeOf(ctx, r.LabelSelector, r.Start, r.End)
	if err != nil {
		return nil, err
	}
	ends, width, err := steps(r.Start, r.End, r.Step)
	if err != nil {
		return nil, err
	}
	kinds, err := h.selected(ctx, t, s)
	if err != nil {
		return nil, err
	}
	labels, marks := map[string][]*wire.LabelPair{}, map[string][]mark{}
	n := 0
	for _, k := range kinds {
		q := s.Query
		q.Kind = k.kind
		metas, err := h.o.Reader.Profiles(ctx, q, maxHeatmap+1)
		if err != nil {
			return nil, err
		}
		if n += len(metas); n > maxHeatmap {
			return nil, &store.LimitError{What: "profiles in a heatmap", Limit: maxHeatmap}
		}
		for _, meta := range metas {
			p, err := h.o.Reader.Get(ctx, s.Tenant, meta.ID)
			if errors.Is(err, store.ErrNotFound) {
				continue // retention has removed it
			}
			if err != nil {
				return nil, err
			}
			var pairs []*wire.LabelPair
			one := store.Series{Service: p.Service, Kind: p.Kind, Labels: p.Labels}
			if len(r.GroupBy) > 0 {
				pairs = pairsOf(labelsOf(&one, k.types[0]), r.GroupBy)
			}
			key := keyOf(pairs)
			labels[key] = pairs
			step := int((meta.Start.Sub(ends[0]) + width - time.Millisecond) / width)
			for _, e := range exemplars(p.Data, t, r.QueryType == wire.HeatmapSpan) {
				e.Timestamp, e.ProfileID = wire.Int(meta.Start.UnixMilli()), meta.ID.String()
				marks[key] = append(marks[key], mark{e, min(max(step, 0), len(ends)-1)})
			}
		}
	}
	res := &wire.SelectHeatmapResponse{}
	for _, key := range sortedBySize(marks, int(r.Limit)) {
		res.Series = append(res.Series, &wire.HeatmapSeries{
			Labels: labels[key], Slots: slots(marks[key], ends, r.ExemplarType >= wire.ExemplarIndividual),
		})
	}
	return res, nil
}

// exemplars returns the value of a profile, or those of its spans.
func exemplars(p *profile.Profile, t *profileType, spans bool) []*wire.Exemplar {
	typ := slices.IndexFunc(p.SampleTypes, t.is)
	if typ < 0 {
		return nil
	}
	if !spans {
		return []*wire.Exemplar{{Value: wire.Int(p.Sum(p.SampleTypes[typ]))}}
	}
	bySpan := map[string]*wire.Exemplar{}
	var all []*wire.Exemplar
	for i := range p.NumSamples() {
		for _, l := range p.Labels(i) {
			if l.Key != "span_id" {
				continue
			}
			e := bySpan[l.Value()]
			if e == nil {
				e = &wire.Exemplar{SpanID: l.Value()}
				bySpan[l.Value()] = e
				all = append(all, e)
			}
			e.Value += wire.Int(p.Value(i, typ))
		}
	}
	return all
}

// sortedBySize returns the keys with the largest sums, at most limit unless it is 0, in order.
func sortedBySize(marks map[string][]mark, limit int) []string {
	var keys []string
	size := map[string]wire.Int{}
	for key, ms := range marks {
		keys = append(keys, key)
		for _, m := range ms {
			size[key] += m.exemplar.Value
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b)) })
	if limit > 0 && len(keys) > limit {
		keys = keys[:limit]
	}
	slices.Sort(keys)
	return keys
}

// slots counts marks by step and range of values. With examples, each slot has its largest value.
func slots(marks []mark, ends []time.Time, examples bool) []*wire.HeatmapSlot {
	low, high := marks[0].exemplar.Value, marks[0].exemplar.Value
	for _, m := range marks {
		low, high = min(low, m.exemplar.Value), max(high, m.exemplar.Value)
	}
	height := max(float64(high-low)/heatmapRows, 1)
	byStep := map[int]*wire.HeatmapSlot{}
	var order []int
	for _, m := range marks {
		slot := byStep[m.step]
		if slot == nil {
			slot = &wire.HeatmapSlot{Timestamp: wire.Int(ends[m.step].UnixMilli()), Counts: make([]int32, heatmapRows)}
			for i := range heatmapRows {
				slot.YMin = append(slot.YMin, float64(low)+float64(i)*height)
			}
			byStep[m.step] = slot
			order = append(order, m.step)
		}
		slot.Counts[min(int(float64(m.exemplar.Value-low)/height), heatmapRows-1)]++
		switch {
		case !examples:
		case len(slot.Exemplars) == 0:
			slot.Exemplars = []*wire.Exemplar{m.exemplar}
		case slot.Exemplars[0].Value < m.exemplar.Value:
			slot.Exemplars[0] = m.exemplar
		}
	}
	slices.Sort(order)
	var all []*wire.HeatmapSlot
	for _, step := range order {
		all = append(all, byStep[step])
	}
	return all
}
