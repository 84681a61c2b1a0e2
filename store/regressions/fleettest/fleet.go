package fleettest

import (
	"context"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// A Fleet is a store.Reader of services.
type Fleet []*Service

// each calls visit with the hours and hosts that q selects.
func (f Fleet) each(q store.Query, visit func(s *Service, hour, host, version int)) {
	for _, s := range f {
		for host := range s.hosts {
			for v := range len(s.moved) {
				if !q.Matches(s.Name, "cpu", s.labels(host, v)) {
					continue
				}
				from, to := 0, s.hours
				if v > 0 {
					from = s.since[host][v-1]
				}
				if v < 2 {
					to = s.since[host][v]
				}
				if !q.From.IsZero() {
					from = max(from, int((q.From.Sub(Epoch())+Hour-1)/Hour))
				}
				if !q.To.IsZero() {
					to = min(to, int((q.To.Sub(Epoch())+Hour-1)/Hour))
				}
				for hour := from; hour < to; hour++ {
					visit(s, hour, host, v)
				}
			}
		}
	}
}

// Merge implements store.Reader.
func (f Fleet) Merge(ctx context.Context, q store.Query) (*profile.Profile, store.Stats, error) {
	type key struct {
		s *Service
		v int
	}
	sums := map[key][]float64{}
	var order []key
	var stats store.Stats
	f.each(q, func(s *Service, hour, host, v int) {
		k := key{s, v}
		costs := s.counts[hour][host]
		if sums[k] == nil {
			sums[k] = make([]float64, len(costs))
			order = append(order, k)
		}
		for i, c := range costs {
			sums[k][i] += c
		}
		at := Epoch().Add(time.Duration(hour) * Hour)
		stats.Profiles++
		stats.Samples += int64(len(costs))
		stats.Series = len(sums)
		if stats.First.IsZero() || at.Before(stats.First) {
			stats.First = at
		}
		if at.After(stats.Last) {
			stats.Last = at
		}
	})
	if len(order) == 0 {
		return nil, stats, store.ErrNotFound
	}
	var parts []*profile.Profile
	for _, k := range order {
		parts = append(parts, k.s.profile(sums[k], k.v, stats.First))
	}
	if len(parts) == 1 {
		return parts[0], stats, ctx.Err()
	}
	p, err := profile.Merge(parts...)
	return p, stats, err
}

// Series implements store.Reader.
func (f Fleet) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	type key struct {
		s       *Service
		host, v int
	}
	index := map[key]int{}
	out := []store.Series{}
	f.each(q, func(s *Service, hour, host, v int) {
		at := Epoch().Add(time.Duration(hour) * Hour)
		k := key{s, host, v}
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, store.Series{Service: s.Name, Kind: "cpu", Labels: s.labels(host, v), First: at})
		}
		out[i].Profiles++
		out[i].Last = at
	})
	return out, ctx.Err()
}

// LabelNames implements store.Reader.
func (Fleet) LabelNames(context.Context, store.Query) ([]string, error) {
	return []string{"host", "kind", "service", "version"}, nil
}

// LabelValues implements store.Reader.
func (f Fleet) LabelValues(ctx context.Context, q store.Query, name string) ([]string, error) {
	all, err := f.Series(ctx, q)
	var out []string
	seen := map[string]bool{"": true}
	for _, s := range all {
		if v := s.Labels.Get(name); !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out, err
}

// Types implements store.Reader.
func (Fleet) Types(context.Context, store.Query) ([]store.Type, error) {
	return []store.Type{{Kind: "cpu", SampleTypes: []profile.ValueType{
		{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"},
	}}}, nil
}

// Profiles implements store.Reader; a fleet has no single profiles.
func (Fleet) Profiles(context.Context, store.Query, int) ([]store.Meta, error) { return nil, nil }

// Get implements store.Reader; a fleet has no single profiles.
func (Fleet) Get(context.Context, string, store.ID) (store.Profile, error) {
	return store.Profile{}, store.ErrNotFound
}
