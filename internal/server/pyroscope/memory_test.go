package pyroscope

import (
	"context"
	"maps"
	"slices"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// memory is a store in memory.
type memory struct {
	tenant string
	all    []store.Profile
	ids    []store.ID
	err    error
}

func (m *memory) add(p store.Profile) store.ID {
	id := store.ID{byte(len(m.all) + 1)}
	m.all, m.ids = append(m.all, p), append(m.ids, id)
	return id
}

// selected lists the numbers of the profiles of a query.
func (m *memory) selected(q store.Query) (found []int, err error) {
	if m.err != nil {
		return nil, m.err
	}
	for i, p := range m.all {
		if q.Tenant == m.tenant && q.Matches(p.Service, p.Kind, p.Labels) && (q.From.IsZero() || !p.Start.Before(q.From)) &&
			(q.To.IsZero() || p.Start.Before(q.To)) {
			found = append(found, i)
		}
	}
	return found, nil
}

func (m *memory) Merge(_ context.Context, q store.Query) (*profile.Profile, store.Stats, error) {
	found, err := m.selected(q)
	if err != nil {
		return nil, store.Stats{}, err
	}
	if len(found) == 0 {
		return nil, store.Stats{}, store.ErrNotFound
	}
	var ps []*profile.Profile
	for _, i := range found {
		ps = append(ps, m.all[i].Data)
	}
	p, err := profile.Merge(ps...)
	return p, store.Stats{Profiles: len(found)}, err
}

func (m *memory) Series(_ context.Context, q store.Query) ([]store.Series, error) {
	found, err := m.selected(q)
	var all []store.Series
	for _, i := range found {
		p := m.all[i]
		at := slices.IndexFunc(all, func(s store.Series) bool {
			return s.Service == p.Service && s.Kind == p.Kind && slices.Equal(s.Labels, p.Labels)
		})
		if at < 0 {
			all = append(all, store.Series{Service: p.Service, Kind: p.Kind, Labels: p.Labels, First: p.Start, Last: p.Start})
			at = len(all) - 1
		}
		s := &all[at]
		s.Profiles++
		if p.Start.Before(s.First) {
			s.First = p.Start
		}
		if p.Start.After(s.Last) {
			s.Last = p.Start
		}
	}
	return all, err
}

func (m *memory) labels(q store.Query) (map[string]map[string]bool, error) {
	found, err := m.selected(q)
	values := map[string]map[string]bool{}
	set := func(name, value string) {
		if values[name] == nil {
			values[name] = map[string]bool{}
		}
		values[name][value] = true
	}
	for _, i := range found {
		set(store.ServiceLabel, m.all[i].Service)
		set(store.KindLabel, m.all[i].Kind)
		for _, l := range m.all[i].Labels {
			set(l.Name, l.Value)
		}
	}
	return values, err
}

func (m *memory) LabelNames(_ context.Context, q store.Query) ([]string, error) {
	values, err := m.labels(q)
	return slices.Sorted(maps.Keys(values)), err
}

func (m *memory) LabelValues(_ context.Context, q store.Query, name string) ([]string, error) {
	values, err := m.labels(q)
	return slices.Sorted(maps.Keys(values[name])), err
}

func (m *memory) Types(_ context.Context, q store.Query) ([]store.Type, error) {
	found, err := m.selected(q)
	byKind := map[string]store.Type{}
	for _, i := range found {
		p := m.all[i]
		byKind[p.Kind] = store.Type{Kind: p.Kind, SampleTypes: p.Data.SampleTypes, PeriodType: p.Data.PeriodType}
	}
	var all []store.Type
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		all = append(all, byKind[kind])
	}
	return all, err
}

func (m *memory) Profiles(_ context.Context, q store.Query, limit int) ([]store.Meta, error) {
	found, err := m.selected(q)
	var all []store.Meta
	for _, i := range found[:min(limit, len(found))] {
		p := m.all[i]
		all = append(all, store.Meta{ID: m.ids[i], Service: p.Service, Kind: p.Kind, Labels: p.Labels, Start: p.Start})
	}
	return all, err
}

func (m *memory) Get(_ context.Context, tenant string, id store.ID) (store.Profile, error) {
	i := slices.Index(m.ids, id)
	if i < 0 || tenant != m.tenant {
		return store.Profile{}, store.ErrNotFound
	}
	return m.all[i], m.err
}
