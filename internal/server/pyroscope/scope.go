package pyroscope

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/server/pyroscope/wire"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// Labels that Pyroscope has and the store does not.
const (
	serviceLabel = "service_name"
	typeLabel    = "__profile_type__"
)

// family returns the first part of the ID of profile types of a kind.
func family(kind string) string {
	switch kind {
	case "cpu":
		return "process_cpu"
	case "heap", "allocs":
		return "memory"
	}
	return kind
}

// kindsOf returns the kinds of a family. Agents name goroutine profiles in two ways.
func kindsOf(family string) []string {
	switch family {
	case "process_cpu":
		return []string{"cpu"}
	case "memory":
		return []string{"heap", "allocs"}
	case "goroutines":
		return []string{"goroutine"}
	}
	return []string{family}
}

// typeOf describes a sample type of a kind.
func typeOf(t store.Type, v profile.ValueType) *wire.ProfileType {
	p := &wire.ProfileType{
		Name: family(t.Kind), SampleType: v.Type, SampleUnit: v.Unit,
		PeriodType: cmp.Or(t.PeriodType.Type, v.Type), PeriodUnit: cmp.Or(t.PeriodType.Unit, v.Unit),
	}
	p.ID = strings.Join([]string{p.Name, p.SampleType, p.SampleUnit, p.PeriodType, p.PeriodUnit}, ":")
	return p
}

// A profileType is the ID of a profile type, parsed.
type profileType struct {
	kinds  []string
	sample profile.ValueType
}

// parseType parses NAME:TYPE:UNIT:PERIODTYPE:PERIODUNIT. The period is not used.
func parseType(id string) (*profileType, error) {
	parts := strings.Split(id, ":")
	if len(parts) != 5 && len(parts) != 6 || parts[0] == "" || parts[1] == "" {
		return nil, invalid("invalid profile type %.80q (want NAME:TYPE:UNIT:PERIODTYPE:PERIODUNIT)", id)
	}
	return &profileType{kindsOf(parts[0]), profile.ValueType{Type: parts[1], Unit: parts[2]}}, nil
}

// A scope is the part of the store that a request is about.
type scope struct {
	store.Query
	// types are matchers of the labels that describe a profile's type.
	types []store.Matcher
}

// typeLabels returns the value of each label that describes the type of a profile.
func typeLabels(t *wire.ProfileType, service string) map[string]string {
	return map[string]string{
		"__name__": t.Name, "__type__": t.SampleType, "__unit__": t.SampleUnit, "__period_type__": t.PeriodType,
		"__period_unit__": t.PeriodUnit, typeLabel: t.ID, "__service_name__": service,
	}
}

// scopeOf returns the scope of a selector and a range of time.
func scopeOf(ctx context.Context, selector string, start, end wire.Int) (*scope, error) {
	s := &scope{}
	s.Tenant, _ = ctx.Value(tenantKey{}).(string)
	var err error
	if s.From, s.To, err = timeRange(start, end); err != nil {
		return nil, err
	}
	ms, err := store.ParseMatchers(selector)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		switch m.Name {
		case serviceLabel, "__service_name__":
			m.Name = store.ServiceLabel
			s.Matchers = append(s.Matchers, m)
		case "__name__", "__type__", "__unit__", "__period_type__", "__period_unit__", typeLabel:
			s.types = append(s.types, m)
		case store.ServiceLabel, store.KindLabel:
			m.Name = "exported_" + m.Name // as the store names labels of clients
			s.Matchers = append(s.Matchers, m)
		default:
			s.Matchers = append(s.Matchers, m)
		}
	}
	return s, nil
}

// timeRange converts a range in milliseconds. Its end is part of it. Zeros mean everything.
func timeRange(start, end wire.Int) (from, to time.Time, err error) {
	const most = 7_258_118_400_000 // the year 2200
	if start < 0 || end < 0 || start > most || end > most || end != 0 && end < start {
		return from, to, invalid("the time range %d to %d is not one of milliseconds since 1970", start, end)
	}
	if start != 0 {
		from = time.UnixMilli(int64(start))
	}
	if end != 0 {
		to = time.UnixMilli(int64(end) + 1)
	}
	return from, to, nil
}

// scopesOf returns a scope for each selector; without any, that of everything.
func scopesOf(ctx context.Context, selectors []string, start, end wire.Int) ([]*scope, error) {
	if len(selectors) == 0 {
		selectors = []string{"{}"}
	}
	if len(selectors) > 32 {
		return nil, invalid("%d matchers (limit 32)", len(selectors))
	}
	var all []*scope
	for _, text := range selectors {
		s, err := scopeOf(ctx, text, start, end)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// typed is a kind with those of its profile types that a scope selects.
type typed struct {
	kind  string
	types []*wire.ProfileType
}

// kinds lists the kinds and profile types of a scope.
func (h *Handler) kinds(ctx context.Context, s *scope) ([]typed, error) {
	types, err := h.o.Reader.Types(ctx, s.Query)
	if err != nil {
		return nil, err
	}
	var all []typed
	for _, t := range types {
		one := typed{kind: t.Kind}
		for _, v := range t.SampleTypes {
			p := typeOf(t, v)
			labels := typeLabels(p, "")
			if !slices.ContainsFunc(s.types, func(m store.Matcher) bool { return !m.Matches(labels[m.Name]) }) {
				one.types = append(one.types, p)
			}
		}
		if len(one.types) > 0 {
			all = append(all, one)
		}
	}
	return all, nil
}

// restrict adds a matcher for the kinds to a scope whose selector is about types.
func (h *Handler) restrict(ctx context.Context, s *scope) (store.Query, bool, error) {
	if len(s.types) == 0 {
		return s.Query, true, nil
	}
	kinds, err := h.kinds(ctx, s)
	if err != nil || len(kinds) == 0 {
		return s.Query, false, err
	}
	q := s.Query
	q.Matchers = append(slices.Clip(q.Matchers), kindMatcher(kinds))
	return q, true, nil
}

// kindMatcher matches some kinds, which are words.
func kindMatcher(kinds []typed) store.Matcher {
	var names []string
	for _, k := range kinds {
		names = append(names, k.kind)
	}
	m, _ := store.NewMatcher(store.KindLabel, store.Regexp, strings.Join(names, "|"))
	return m
}

func (h *Handler) profileTypes(ctx context.Context, r *wire.ProfileTypesRequest) (*wire.ProfileTypesResponse, error) {
	s, err := scopeOf(ctx, "{}", r.Start, r.End)
	if err != nil {
		return nil, err
	}
	kinds, err := h.kinds(ctx, s)
	if err != nil {
		return nil, err
	}
	byID := map[string]*wire.ProfileType{}
	for _, k := range kinds {
		for _, t := range k.types {
			byID[t.ID] = t
		}
	}
	res := &wire.ProfileTypesResponse{}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		res.ProfileTypes = append(res.ProfileTypes, byID[id])
	}
	return res, nil
}

func (h *Handler) labelNames(ctx context.Context, r *wire.LabelNamesRequest) (*wire.NamesResponse, error) {
	scopes, err := scopesOf(ctx, r.Matchers, r.Start, r.End)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, s := range scopes {
		q, some, err := h.restrict(ctx, s)
		if err != nil {
			return nil, err
		}
		if !some {
			continue
		}
		list, err := h.o.Reader.LabelNames(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			switch name {
			case store.ServiceLabel:
				names[serviceLabel] = true
			case store.KindLabel:
				for name := range typeLabels(&wire.ProfileType{}, "") {
					names[name] = true
				}
			default:
				names[name] = true
			}
		}
	}
	return &wire.NamesResponse{Names: slices.Sorted(maps.Keys(names))}, nil
}

func (h *Handler) labelValues(ctx context.Context, r *wire.LabelValuesRequest) (*wire.NamesResponse, error) {
	if r.Name == "" {
		return nil, invalid("the name of the label is missing")
	}
	scopes, err := scopesOf(ctx, r.Matchers, r.Start, r.End)
	if err != nil {
		return nil, err
	}
	values := map[string]bool{}
	_, ofType := typeLabels(&wire.ProfileType{}, "")[r.Name]
	name := r.Name
	if name == serviceLabel || name == "__service_name__" {
		name, ofType = store.ServiceLabel, false
	}
	for _, s := range scopes {
		if ofType {
			kinds, err := h.kinds(ctx, s)
			if err != nil {
				return nil, err
			}
			for _, k := range kinds {
				for _, t := range k.types {
					values[typeLabels(t, "")[name]] = true
				}
			}
			continue
		}
		q, some, err := h.restrict(ctx, s)
		if err != nil {
			return nil, err
		}
		if !some {
			continue
		}
		list, err := h.o.Reader.LabelValues(ctx, q, name)
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			values[v] = true
		}
	}
	delete(values, "")
	return &wire.NamesResponse{Names: slices.Sorted(maps.Keys(values))}, nil
}

// labelsOf returns the labels of a series of a type, as Pyroscope has them.
func labelsOf(s *store.Series, t *wire.ProfileType) map[string]string {
	labels := typeLabels(t, s.Service)
	labels[serviceLabel] = s.Service
	for _, l := range s.Labels {
		labels[l.Name] = l.Value
	}
	return labels
}

// pairsOf returns labels in order; names selects some of them, all if it is empty.
func pairsOf(labels map[string]string, names []string) []*wire.LabelPair {
	if len(names) == 0 {
		names = slices.Collect(maps.Keys(labels))
	}
	var pairs []*wire.LabelPair
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if v := labels[name]; v != "" {
			pairs = append(pairs, &wire.LabelPair{Name: name, Value: v})
		}
	}
	return pairs
}

// keyOf returns a text that only equal labels have.
func keyOf(pairs []*wire.LabelPair) string {
	var b strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&b, "%q=%q,", p.Name, p.Value)
	}
	return b.String()
}

func (h *Handler) series(ctx context.Context, r *wire.SeriesRequest) (*wire.SeriesResponse, error) {
	scopes, err := scopesOf(ctx, r.Matchers, r.Start, r.End)
	if err != nil {
		return nil, err
	}
	byKey := map[string]*wire.Labels{}
	for _, s := range scopes {
		kinds, err := h.kinds(ctx, s)
		if err != nil {
			return nil, err
		}
		list, err := h.o.Reader.Series(ctx, s.Query)
		if err != nil {
			return nil, err
		}
		for i := range list {
			at := slices.IndexFunc(kinds, func(k typed) bool { return k.kind == list[i].Kind })
			if at < 0 {
				continue
			}
			for _, t := range kinds[at].types {
				pairs := pairsOf(labelsOf(&list[i], t), r.LabelNames)
				if len(pairs) > 0 {
					byKey[keyOf(pairs)] = &wire.Labels{Labels: pairs}
				}
			}
		}
	}
	res := &wire.SeriesResponse{}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		res.LabelsSet = append(res.LabelsSet, byKey[key])
	}
	return res, nil
}

func (h *Handler) profileStats(ctx context.Context, _ *wire.StatsRequest) (*wire.StatsResponse, error) {
	s, err := scopeOf(ctx, "{}", 0, 0)
	if err != nil {
		return nil, err
	}
	list, err := h.o.Reader.Series(ctx, s.Query)
	if err != nil {
		return nil, err
	}
	res := &wire.StatsResponse{DataIngested: len(list) > 0}
	for i, one := range list {
		first, last := wire.Int(one.First.UnixMilli()), wire.Int(one.Last.UnixMilli())
		if i == 0 || first < res.OldestProfileTime {
			res.OldestProfileTime = first
		}
		res.NewestProfileTime = max(res.NewestProfileTime, last)
	}
	return res, nil
}

func (h *Handler) analyzeQuery(ctx context.Context, r *wire.AnalyzeQueryRequest) (*wire.AnalyzeQueryResponse, error) {
	id, selector, found := strings.Cut(r.Query, "{") // TYPE{labels}
	if found {
		selector = "{" + selector
	}
	s, err := scopeOf(ctx, selector, r.Start, r.End)
	if err != nil {
		return nil, err
	}
	if id != "" {
		t, err := parseType(id)
		if err != nil {
			return nil, err
		}
		m, err := store.NewMatcher(store.KindLabel, store.Regexp, strings.Join(t.kinds, "|"))
		if err != nil {
			return nil, invalid("profile type %.80q: %w", id, err)
		}
		s.Matchers = append(s.Matchers, m)
	}
	q, some, err := h.restrict(ctx, s)
	if err != nil || !some {
		return &wire.AnalyzeQueryResponse{QueryImpact: &wire.QueryImpact{}}, err
	}
	list, err := h.o.Reader.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	part := &wire.QueryScope{ComponentType: "store", ComponentCount: 1, SeriesCount: wire.Uint(len(list))}
	for _, one := range list {
		part.ProfileCount += wire.Uint(one.Profiles)
	}
	return &wire.AnalyzeQueryResponse{
		QueryScopes: []*wire.QueryScope{part}, QueryImpact: &wire.QueryImpact{TotalQueriedSeries: part.SeriesCount},
	}, nil
}
