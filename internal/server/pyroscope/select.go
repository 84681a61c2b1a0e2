package pyroscope

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/whet-go/whet/internal/server/pyroscope/wire"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// A filter keeps some samples of a profile. The zero filter keeps all.
type filter struct {
	site   []string // functions that stacks begin with, from the root
	spans  []string
	traces []string
}

// filterOf returns the filter of a request.
func filterOf(s *wire.StackTraceSelector, spans, traces []string) (*filter, error) {
	f := &filter{spans: lower(spans), traces: lower(traces)}
	if s == nil {
		return f, nil
	}
	if s.GoPGO != nil {
		return nil, unimplemented("go_pgo", "whet pgo prepares profiles for the compiler")
	}
	for _, l := range s.CallSite {
		f.site = append(f.site, l.Name)
	}
	return f, nil
}

func lower(ids []string) []string {
	var all []string
	for _, id := range ids {
		all = append(all, strings.ToLower(id))
	}
	return all
}

func (f *filter) all() bool { return len(f.site)+len(f.spans)+len(f.traces) == 0 }

// keep reports whether sample i with this stack, leaf first, passes.
func (f *filter) keep(p *profile.Profile, i int, stack []uint32) bool {
	labeled := func(key string, values []string) bool {
		return len(values) == 0 || slices.ContainsFunc(p.Labels(i), func(l profile.Label) bool {
			return l.Key == key && slices.Contains(values, strings.ToLower(l.Value()))
		})
	}
	if !labeled("span_id", f.spans) || !labeled("trace_id", f.traces) {
		return false
	}
	left := f.site
	for _, loc := range slices.Backward(stack) {
		for _, line := range slices.Backward(p.Frames(loc)) {
			if len(left) == 0 {
				return true
			}
			if line.Function == profile.None || p.Functions[line.Function].Name != left[0] {
				return false
			}
			left = left[1:]
		}
	}
	return len(left) == 0
}

// narrow returns the samples of p that pass, with one sample type.
func narrow(p *profile.Profile, typ int, f *filter) (*profile.Profile, error) {
	b := profile.NewBuilder(p.SampleTypes[typ])
	locations := make([]uint32, len(p.Locations)) // number of the new one, plus 1
	var stack []uint32
	for i := range p.NumSamples() {
		v := p.Value(i, typ)
		if v == 0 {
			continue
		}
		stack = p.AppendStack(stack[:0], i)
		if !f.keep(p, i, stack) {
			continue
		}
		for j, loc := range stack {
			if locations[loc] == 0 {
				locations[loc] = 1 + addLocation(b, p, loc)
			}
			stack[j] = locations[loc] - 1
		}
		if err := b.Sample(stack, p.Labels(i), v); err != nil {
			return nil, err
		}
	}
	return b.Profile(&profile.Profile{
		PeriodType: p.PeriodType, Period: p.Period, Time: p.Time, Duration: p.Duration,
		DefaultSampleType: p.SampleTypes[typ].Type,
	}), nil
}

// addLocation adds a location of p to b.
func addLocation(b *profile.Builder, p *profile.Profile, loc uint32) uint32 {
	l := p.Locations[loc]
	mapping := profile.None
	if l.Mapping != profile.None {
		mapping = b.Mapping(p.Mappings[l.Mapping])
	}
	lines := slices.Clone(p.Frames(loc))
	if len(lines) == 1 && lines[0].Function == profile.None {
		lines = nil // not symbolized
	}
	for i := range lines {
		if lines[i].Function != profile.None {
			lines[i].Function = b.Function(p.Functions[lines[i].Function])
		}
	}
	return b.Location(l.Address, mapping, l.Folded, lines...)
}

// merged is a profile and the requested sample type. profiles is how many it is the sum of.
type merged struct {
	*profile.Profile
	typ      int
	profiles int
}

// sum returns the sum of the sample type.
func (m *merged) sum() int64 { return m.Sum(m.SampleTypes[m.typ]) }

// find returns the merged profile of a type in a scope: an empty one if nothing matches. ids select
// single profiles.
func (h *Handler) find(ctx context.Context, t *profileType, s *scope, f *filter, ids []string) (*merged, error) {
	var parts []*merged
	add := func(p *profile.Profile, n int) error {
		typ := slices.IndexFunc(p.SampleTypes, t.is)
		if typ < 0 {
			return nil
		}
		m := &merged{p, typ, n}
		if !f.all() {
			q, err := narrow(p, typ, f)
			if err != nil {
				return err
			}
			m.Profile, m.typ = q, 0
		}
		parts = append(parts, m)
		return nil
	}
	kinds := t.kinds
	if len(s.types) > 0 {
		selected, err := h.kinds(ctx, s)
		if err != nil {
			return nil, err
		}
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool {
			return !slices.ContainsFunc(selected,
				func(k typed) bool { return k.kind == kind && slices.ContainsFunc(k.types, t.isType) })
		})
	}
	if len(ids) > 0 {
		for _, text := range ids {
			id, err := store.ParseID(strings.ReplaceAll(text, "-", ""))
			if err != nil {
				return nil, invalid("profile_id_selector: %w", err)
			}
			p, err := h.o.Reader.Get(ctx, s.Tenant, id)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err == nil && slices.Contains(kinds, p.Kind) && s.Matches(p.Service, p.Kind, p.Labels) {
				err = add(p.Data, 1)
			}
			if err != nil {
				return nil, err
			}
		}
		return joined(t, parts)
	}
	for _, kind := range kinds {
		q := s.Query
		q.Kind = kind
		p, stats, err := h.o.Reader.Merge(ctx, q)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil {
			err = add(p, stats.Profiles)
		}
		if err != nil {
			return nil, err
		}
	}
	return joined(t, parts)
}

// is reports whether a sample type is that of t.
func (t *profileType) is(v profile.ValueType) bool {
	return v.Type == t.sample.Type && (v.Unit == t.sample.Unit || t.sample.Unit == "")
}

// isType reports whether a profile type is t.
func (t *profileType) isType(p *wire.ProfileType) bool {
	return t.is(profile.ValueType{Type: p.SampleType, Unit: p.SampleUnit})
}

// joined merges parts over the type.
func joined(t *profileType, parts []*merged) (*merged, error) {
	switch len(parts) {
	case 0:
		return &merged{profile.NewBuilder(t.sample).Profile(nil), 0, 0}, nil
	case 1:
		return parts[0], nil
	}
	var all []*profile.Profile
	n := 0
	for _, m := range parts {
		p, err := m.single()
		if err != nil {
			return nil, err
		}
		all, n = append(all, p), n+m.profiles
	}
	p, err := profile.Merge(all...)
	if err != nil {
		return nil, err
	}
	return &merged{p, 0, n}, nil
}

// single returns the profile with the sample type alone.
func (m *merged) single() (*profile.Profile, error) {
	if len(m.SampleTypes) == 1 {
		return m.Profile, nil
	}
	return narrow(m.Profile, m.typ, &filter{})
}

// encode returns the profile as google.v1.Profile, with the sample type alone.
func (m *merged) encode() (*pprofMessage, error) {
	p, err := m.single()
	if err != nil {
		return nil, err
	}
	var b, data bytes.Buffer
	if err := p.Write(&b); err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		return nil, err
	}
	_, err = data.ReadFrom(z)
	return &pprofMessage{data.Bytes()}, err
}

// selection is what the requests for merged profiles have in common.
func (h *Handler) selection(ctx context.Context, r *wire.SelectMergeStacktracesRequest) (*merged, error) {
	if r == nil {
		return nil, invalid("the request is empty")
	}
	if r.Async != nil {
		return nil, unimplemented("async", "ask without it")
	}
	t, err := parseType(r.ProfileTypeID)
	if err != nil {
		return nil, err
	}
	s, err := scopeOf(ctx, r.LabelSelector, r.Start, r.End)
	if err != nil {
		return nil, err
	}
	f, err := filterOf(r.StackTraceSelector, r.SpanSelector, r.TraceIDSelector)
	if err != nil {
		return nil, err
	}
	return h.find(ctx, t, s, f, r.ProfileIDSelector)
}

func (h *Handler) selectMergeStacktraces(
	ctx context.Context, r *wire.SelectMergeStacktracesRequest,
) (*wire.SelectMergeStacktracesResponse, error) {
	switch r.Format {
	case wire.FormatUnspecified, wire.FormatFlamegraph, wire.FormatDot, wire.FormatPprof:
	case wire.FormatTree:
		return nil, unimplemented("the format",
			"want PROFILE_FORMAT_FLAMEGRAPH, PROFILE_FORMAT_DOT or PROFILE_FORMAT_PPROF")
	default:
		return nil, invalid("unknown format %d", r.Format)
	}
	n, err := nodeLimit(r.MaxNodes)
	if err != nil {
		return nil, err
	}
	m, err := h.selection(ctx, r)
	if err != nil {
		return nil, err
	}
	switch r.Format { //nolint:exhaustive // the others are flame graphs
	case wire.FormatDot:
		text, err := m.dot(r.ProfileTypeID+r.LabelSelector, r.MaxNodes)
		return &wire.SelectMergeStacktracesResponse{Dot: text}, err
	case wire.FormatPprof:
		data, err := m.encode()
		if err != nil {
			return nil, err
		}
		p, err := data.message()
		return &wire.SelectMergeStacktracesResponse{Pprof: &wire.PprofProfile{Profile: p}}, err
	}
	g, err := flameGraph(m, n)
	return &wire.SelectMergeStacktracesResponse{Flamegraph: g}, err
}

func (h *Handler) selectMergeSpanProfile(
	ctx context.Context, r *wire.SelectMergeSpanProfileRequest,
) (*wire.SelectMergeSpanProfileResponse, error) {
	if r.Format == wire.FormatPprof || r.Format == wire.FormatDot {
		return nil, invalid("the format is not one of this call (want PROFILE_FORMAT_FLAMEGRAPH)")
	}
	res, err := h.selectMergeStacktraces(ctx, &wire.SelectMergeStacktracesRequest{
		ProfileTypeID: r.ProfileTypeID, LabelSelector: r.LabelSelector, Start: r.Start, End: r.End, MaxNodes: r.MaxNodes,
		Format: r.Format, SpanSelector: r.SpanSelector,
	})
	if err != nil {
		return nil, err
	}
	return &wire.SelectMergeSpanProfileResponse{Flamegraph: res.Flamegraph}, nil
}

func (h *Handler) selectMergeProfile(ctx context.Context, r *wire.SelectMergeProfileRequest) (*pprofMessage, error) {
	m, err := h.selection(ctx, &wire.SelectMergeStacktracesRequest{
		ProfileTypeID: r.ProfileTypeID, LabelSelector: r.LabelSelector, Start: r.Start, End: r.End,
		StackTraceSelector: r.StackTraceSelector, ProfileIDSelector: r.ProfileIDSelector, TraceIDSelector: r.TraceIDSelector,
	})
	if err != nil {
		return nil, err
	}
	return m.encode()
}

func (h *Handler) diff(ctx context.Context, r *wire.DiffRequest) (*wire.DiffResponse, error) {
	var sides [2]*merged
	n := defaultNodes
	for i, side := range []*wire.SelectMergeStacktracesRequest{r.Left, r.Right} {
		var err error
		if sides[i], err = h.selection(ctx, side); err != nil {
			return nil, err
		}
		if limit, err := nodeLimit(side.MaxNodes); err != nil {
			return nil, err
		} else if side.MaxNodes > 0 {
			n = limit
		}
	}
	g, err := flameDiff(sides[0], sides[1], n)
	return &wire.DiffResponse{Flamegraph: g}, err
}

// nodeLimit returns the number of nodes of a flame graph.
func nodeLimit(n wire.Int) (int, error) {
	if n > maxNodes {
		return 0, invalid("max_nodes is %d (limit %d)", n, maxNodes)
	}
	if n <= 0 {
		return defaultNodes, nil
	}
	return int(n), nil
}
