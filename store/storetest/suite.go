package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// Run runs all tests of a store.
func Run(t *testing.T, u Store) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, Store)
	}{
		{"MergeEqualsProfiles", testMerge},
		{"Reader", testReader},
		{"Contents", testContents},
		{"TimeRanges", testTimeRanges},
		{"Duplicates", testDuplicates},
		{"Tenants", testTenants},
		{"Limits", testLimits},
		{"Retention", testRetention},
		{"ClockSetBack", testClockSetBack},
		{"Results", testResults},
		{"Recordings", testRecordings},
		{"RecordingRetention", testRecordingRetention},
		{"Leases", testLeases},
		{"LeasesAtOnce", testLeasesAtOnce},
		{"Concurrent", testConcurrent},
		{"Canceled", testCanceled},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, u) })
	}
}

// testMerge compares what the store merges with profile.Merge of the same profiles, selected by hand,
// for random queries; before and after the store is compacted and opened again.
func testMerge(t *testing.T, u Store) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := u.Open(t, "merge", Options{})
	var all []store.Profile
	for n := range 90 {
		all = append(all, Generated([]string{"shop", "mail", "auth"}[n%3], n, map[string]string{
			"env": []string{"prod", "test"}[rnd.IntN(2)], "host": fmt.Sprint(rnd.IntN(3)),
		}))
	}
	for at := 0; at < len(all); {
		end := min(len(all), at+1+rnd.IntN(9))
		from := max(0, at-rnd.IntN(3)) // some are sent again
		Write(t, s, "", all[from:end]...)
		at = end
	}
	compare := func(s Maintained) {
		t.Helper()
		for range 40 {
			compareMerge(t, s, all, randomQuery(t, rnd))
		}
	}
	compare(s)
	Clean(t, s, len(all))
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = u.Open(t, "merge", Options{})
	Write(t, s, "", all[:10]...)
	compare(s)
	Clean(t, s, len(all))
	for i := range all[:12] {
		id := store.NewID(&all[i])
		p, err := s.Get(t.Context(), "", id)
		if err != nil {
			t.Fatal(err)
		}
		if store.NewID(&p) != id || len(p.Data.Functions) != len(all[i].Data.Functions) {
			t.Fatalf("profile %d came back changed", i)
		}
	}
}

func randomQuery(t *testing.T, rnd *rand.Rand) store.Query {
	selectors := []string{
		`{}`, `{service="shop"}`, `{service=~"shop|mail",env="prod"}`, `{host!="1",service!="auth"}`, `{env!~"p.*"}`,
		`{zone=""}`,
	}
	q := store.Query{Kind: []string{"cpu", "heap"}[rnd.IntN(2)]}
	q.Matchers = Matchers(t, selectors[rnd.IntN(len(selectors))])
	q.From = Epoch().Add(time.Duration(rnd.IntN(60)) * time.Minute)
	if q.To = q.From.Add(time.Duration(rnd.IntN(80)) * time.Minute); rnd.IntN(4) == 0 {
		q.From, q.To = time.Time{}, time.Time{}
	}
	return q
}

// selects reports whether q selects a profile.
func selects(q *store.Query, p *store.Profile) bool {
	in := (q.From.IsZero() || !p.Start.Before(q.From)) && (q.To.IsZero() || p.Start.Before(q.To))
	return in && q.Matches(p.Service, p.Kind, p.Labels)
}

func compareMerge(t *testing.T, s store.Reader, all []store.Profile, q store.Query) {
	t.Helper()
	var want []*profile.Profile
	samples := int64(0)
	for i := range all {
		if selects(&q, &all[i]) {
			want = append(want, all[i].Data)
			samples += int64(all[i].Data.NumSamples())
		}
	}
	got, stats, err := s.Merge(t.Context(), q)
	if len(want) == 0 {
		if !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("%+v: %v, want ErrNotFound", q, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	merged, err := profile.Merge(want...)
	if err != nil {
		t.Fatal(err)
	}
	if ContentOf(got) != ContentOf(merged) || stats.Profiles != len(want) || stats.Samples != samples {
		t.Fatalf("%+v: %d samples of %d profiles, want %d of %d", q, got.NumSamples(), stats.Profiles,
			merged.NumSamples(), len(want))
	}
	slices.Sort(got.Comments)
	slices.Sort(merged.Comments)
	if !slices.Equal(got.Comments, merged.Comments) || len(got.Functions) != len(merged.Functions) {
		t.Fatalf("comments %q, %d functions, want %q, %d", got.Comments, len(got.Functions), merged.Comments,
			len(merged.Functions))
	}
}

func testReader(t *testing.T, u Store) {
	s := u.Open(t, "reader", Options{})
	ctx := t.Context()
	var all []store.Profile
	for n := range 8 {
		all = append(all, Generated("shop", n, map[string]string{"version": fmt.Sprint(n / 4)}))
	}
	all = append(all, Generated("mail", 9, nil))
	Write(t, s, "", all...)
	q := store.Query{Matchers: Matchers(t, `{service="shop"}`)}

	names, err := s.LabelNames(ctx, q)
	if err != nil || !slices.Equal(names, []string{"kind", "service", "version"}) {
		t.Errorf("label names %q, %v", names, err)
	}
	for name, want := range map[string]string{
		"version": "[0 1]", "service": "[shop]", "kind": "[cpu heap]", "none": "[]",
	} {
		if values, err := s.LabelValues(ctx, q, name); err != nil || fmt.Sprint(values) != want {
			t.Errorf("values of %s: %v, %v, want %s", name, values, err, want)
		}
	}
	series, err := s.Series(ctx, q)
	if err != nil || len(series) != 4 {
		t.Fatalf("series %+v, %v", series, err)
	}
	if x := series[0]; x.Kind != "cpu" || x.Profiles != 3 || !x.First.Equal(Epoch()) ||
		!x.Last.Equal(Epoch().Add(2*time.Minute)) || x.Labels.Get("version") != "0" {
		t.Errorf("first series %+v", x)
	}
	types, err := s.Types(ctx, q)
	if err != nil || len(types) != 2 || types[0].Kind != "cpu" || types[0].SampleTypes[1].Type != "cpu" ||
		types[0].Period != 1e7 || len(types[1].SampleTypes) != 4 {
		t.Errorf("types %+v, %v", types, err)
	}
	metas, err := s.Profiles(ctx, store.Query{}, 3)
	if err != nil || len(metas) != 3 || metas[0].Service != "mail" || metas[1].ID != store.NewID(&all[7]) ||
		metas[1].Samples != all[7].Data.NumSamples() || metas[1].Duration != all[7].Duration {
		t.Errorf("profiles %+v, %v", metas, err)
	}
	if _, _, err := s.Merge(ctx, q); err == nil || !strings.Contains(err.Error(), "cpu, heap") || diag.Hint(err) == "" {
		t.Errorf("two kinds: %v", err)
	}
	if _, err := s.Get(ctx, "", store.ID{1}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown ID: %v", err)
	}
	for what, find := range map[string]func(q store.Query) (int, error){
		"series":   func(q store.Query) (int, error) { l, err := s.Series(ctx, q); return len(l), err },
		"labels":   func(q store.Query) (int, error) { l, err := s.LabelNames(ctx, q); return len(l), err },
		"types":    func(q store.Query) (int, error) { l, err := s.Types(ctx, q); return len(l), err },
		"profiles": func(q store.Query) (int, error) { l, err := s.Profiles(ctx, q, 0); return len(l), err },
	} {
		if n, err := find(store.Query{Matchers: Matchers(t, "service=none")}); n != 0 || err != nil {
			t.Errorf("%s of nothing: %d, %v", what, n, err)
		}
		if _, err := find(store.Query{Tenant: "no/tenant"}); err == nil {
			t.Errorf("%s of a tenant that cannot be: no error", what)
		}
	}
	checkTimeline(t, s, q)
}

func checkTimeline(t *testing.T, s store.Reader, q store.Query) {
	ctx := t.Context()
	q.Kind = "cpu"
	q.From, q.To = Epoch(), Epoch().Add(8*time.Minute)
	timeline, err := store.Timeline(ctx, s, store.TimelineQuery{Query: q, Step: 3 * time.Minute, Lines: 5})
	if err != nil {
		t.Fatal(err)
	}
	whole, stats, err := s.Merge(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	v, err := whole.View(profile.Query{Type: -1})
	if err != nil {
		t.Fatal(err)
	}
	lines := v.Own(func(profile.Function) bool { return true }).Lines
	sum := int64(0)
	for _, x := range timeline.Totals {
		sum += x
	}
	if len(timeline.Totals) != 3 || sum != v.Total() || len(timeline.Lines) != 5 ||
		timeline.Lines[0].Total != lines[0].Cost || timeline.Stats.Profiles != stats.Profiles {
		t.Errorf("timeline %+v, want a total of %d and %+v", timeline, v.Total(), lines[0])
	}
}

// unusual returns profiles with what is rare: odd names, many sample types, no samples, no symbols, a
// library loaded at two addresses, labels of samples.
func unusual() []store.Profile {
	var all []store.Profile
	add := func(service string, b *profile.Builder, meta *profile.Profile) {
		start := Epoch().Add(time.Duration(len(all)) * time.Millisecond)
		all = append(all, store.Profile{
			Service: service, Kind: "cpu", Start: start, Data: b.Profile(meta),
			Labels: store.NewLabels(map[string]string{"odd": "it's \\ \"odd\"\n\t\x01 ü {}"}),
		})
	}
	var types []profile.ValueType
	values := []int64{}
	for t := range 7 {
		types, values = append(types, profile.ValueType{Type: fmt.Sprint("t", t), Unit: "count"}), append(values, int64(t-2))
	}
	b := profile.NewBuilder(types...)
	f := b.Function(profile.Function{
		Name: "a\xff\x00'b", SystemName: "_a", File: "it's.go", StartLine: 7,
	})
	loc := b.Location(0x10, profile.None, true, profile.Line{Function: f, Line: 9, Column: 2})
	_ = b.Sample([]uint32{loc, loc}, nil, values...) // the stack is short
	_ = b.Sample(nil, nil, values...)
	add("it's a 'service' \\ ü", b, &profile.Profile{SampleTypes: types, DefaultSampleType: "t3", DocURL: "x", Period: -1})

	one := profile.ValueType{Type: "n", Unit: "count"}
	add("empty", profile.NewBuilder(one), &profile.Profile{SampleTypes: []profile.ValueType{one}})
	for _, start := range []uint64{0x400000, 0x7f0000000000} {
		b := profile.NewBuilder(one)
		main := b.Mapping(profile.Mapping{
			Start: start, Limit: start + 0x2000, File: "/bin/x", BuildID: "abc", HasFunctions: true,
		})
		lib := b.Mapping(profile.Mapping{Start: start + 0x10000, Limit: start + 0x12345, Offset: 0x1000, File: "/lib/y.so"})
		bare, in := b.Location(start+0x20, main, false), b.Location(start+0x10040, lib, false)
		_ = b.Sample([]uint32{in, bare}, nil, 2)
		_ = b.Sample([]uint32{bare}, []profile.Label{
			{Key: "trace", Str: "a\x00'\\b"}, {Key: "size", Num: -5, Unit: "bytes", Numeric: true},
		}, 3)
		add("mapped", b, &profile.Profile{SampleTypes: []profile.ValueType{one}, DropFrames: "x.*", KeepFrames: "y"})
	}
	return all
}

func testContents(t *testing.T, u Store) {
	s := u.Open(t, "contents", Options{})
	all := unusual()
	Write(t, s, "", all...)
	Clean(t, s, len(all))
	for i := range all {
		p, err := s.Get(t.Context(), "", store.NewID(&all[i]))
		if err != nil {
			t.Fatal(err)
		}
		if store.NewID(&p) != store.NewID(&all[i]) {
			t.Errorf("profile %d of %q came back changed", i, all[i].Service)
		}
		q := store.Query{Matchers: []store.Matcher{
			{Name: store.ServiceLabel, Value: all[i].Service}, {Name: "odd", Value: all[i].Labels.Get("odd")},
		}}
		compareMerge(t, s, timed(all), q)
	}
	services, err := s.LabelValues(t.Context(), store.Query{}, store.ServiceLabel)
	if err != nil || len(services) != 3 || services[1] != "it's a 'service' \\ ü" {
		t.Errorf("services %q, %v", services, err)
	}
}

// timed returns profiles whose data has the time that is stored.
func timed(all []store.Profile) []store.Profile {
	out := slices.Clone(all)
	for i := range out {
		data := *out[i].Data
		data.Time, data.Duration = out[i].Start, out[i].Duration
		out[i].Data = &data
	}
	return out
}

// testTimeRanges selects by nanoseconds, and over weeks.
func testTimeRanges(t *testing.T, u Store) {
	s := u.Open(t, "ranges", Options{})
	var all []store.Profile
	for _, start := range []time.Time{
		time.Date(1970, 1, 1, 0, 0, 0, 1, time.UTC), Epoch(), Epoch().Add(1), Epoch().Add(2),
		Epoch().Add(40 * 24 * time.Hour), time.Date(2150, 1, 2, 3, 4, 5, 6, time.UTC),
	} {
		p := Generated("shop", 0, nil)
		p.Start = start
		all = append(all, p)
	}
	Write(t, s, "", all...)
	for from := range all {
		for to := range all {
			q := store.Query{From: all[from].Start, To: all[to].Start}
			list, err := s.Profiles(t.Context(), q, 0)
			if err != nil || len(list) != max(0, to-from) {
				t.Errorf("from %v to %v: %d profiles, %v, want %d", q.From, q.To, len(list), err, max(0, to-from))
			}
			for i, m := range list {
				if !m.Start.Equal(all[to-1-i].Start) {
					t.Errorf("start %v, want %v", m.Start, all[to-1-i].Start)
				}
			}
		}
	}
	_, stats, err := s.Merge(t.Context(), store.Query{})
	if err != nil || stats.Profiles != len(all) || !stats.First.Equal(all[0].Start) ||
		!stats.Last.Equal(all[len(all)-1].Start) {
		t.Errorf("%+v, %v", stats, err)
	}
}

// testDuplicates sends profiles again: in the same batch, in others, after the store was opened again,
// and by clients at the same time.
func testDuplicates(t *testing.T, u Store) {
	s := u.Open(t, "duplicates", Options{})
	a, b, c := Generated("shop", 0, nil), Generated("shop", 1, nil), Generated("mail", 2, nil)
	Write(t, s, "", a, b, a)
	Write(t, s, "", a, b, a)
	Write(t, s, "", b, c)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = u.Open(t, "duplicates", Options{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			if err := s.Write(t.Context(), "", []store.Profile{c, a}); err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	compareMerge(t, s, []store.Profile{a, b, c}, store.Query{})
	if series, err := s.Series(t.Context(), store.Query{}); err != nil || len(series) != 2 || series[1].Profiles != 2 {
		t.Errorf("series %+v, %v", series, err)
	}
	Clean(t, s, 3)
}

func testTenants(t *testing.T, u Store) {
	s := u.Open(t, "tenants", Options{})
	ctx := t.Context()
	p := Generated("shop", 1, map[string]string{"secret": "blue"})
	Write(t, s, "blue", p)
	Write(t, s, "red", Generated("shop", 2, nil))
	id := store.NewID(&p)
	if _, err := s.Get(ctx, "red", id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("red gets a profile of blue: %v", err)
	}
	if _, err := s.Get(ctx, "blue", id); err != nil {
		t.Error(err)
	}
	for _, tenant := range []string{"red", "", "green"} {
		if names, err := s.LabelNames(ctx, store.Query{Tenant: tenant}); err != nil || slices.Contains(names, "secret") {
			t.Errorf("%q sees labels %q, %v", tenant, names, err)
		}
		if metas, err := s.Profiles(ctx, store.Query{Tenant: tenant}, 0); err != nil || len(metas) > 1 ||
			len(metas) == 1 && metas[0].ID == id {
			t.Errorf("%q sees profiles %+v, %v", tenant, metas, err)
		}
		if types, err := s.Types(ctx, store.Query{Tenant: tenant}); err != nil || len(types) > 0 != (tenant == "red") {
			t.Errorf("%q sees types %+v, %v", tenant, types, err)
		}
	}
	Write(t, s, "red", p) // the same content is another profile there
	red, stats, err := s.Merge(ctx, store.Query{Tenant: "red", Kind: "cpu"})
	if err != nil || red.NumSamples() == 0 || stats.Profiles != 2 {
		t.Errorf("red: %+v, %v", stats, err)
	}
	if _, stats, err := s.Merge(ctx, store.Query{Tenant: "blue"}); err != nil || stats.Profiles != 1 {
		t.Errorf("blue: %+v, %v", stats, err)
	}
	Clean(t, s, 3)
	var invalid *store.InvalidError
	if err := s.Write(ctx, "../etc", []store.Profile{p}); !errors.As(err, &invalid) {
		t.Errorf("a bad tenant: %v", err)
	}
}

func testLimits(t *testing.T, u Store) {
	s := u.Open(t, "limits", Options{Limits: store.Limits{Series: 3, Samples: 63, ProfileRate: 0.001, Burst: 20}})
	ctx := t.Context()
	for i := range 3 {
		Write(t, s, "", Generated("shop", 0, map[string]string{"host": fmt.Sprint(i)}))
	}
	for what, ps := range map[string][]store.Profile{
		"series": {
			Generated("shop", 0, map[string]string{"host": "a"}), Generated("shop", 1, map[string]string{"host": "1"}),
		},
		"samples":    {Generated("shop", 6, nil)},
		"per second": slices.Repeat([]store.Profile{Generated("shop", 0, map[string]string{"host": "1"})}, 19),
	} {
		var limit *store.LimitError
		err := s.Write(ctx, "", ps)
		if !errors.As(err, &limit) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if want := cmp.Or(map[string]int{"samples": 413}[what], 429); limit.Status() != want {
			t.Errorf("%s: status %d", what, limit.Status())
		}
	}
	Write(t, s, "", Generated("shop", 1, map[string]string{"host": "1"})) // series that are known go on
	Write(t, s, "other", Generated("shop", 1, nil))
	Clean(t, s, 5)
	var invalid *store.InvalidError
	if err := s.Write(ctx, "third", []store.Profile{{Service: "shop"}}); !errors.As(err, &invalid) {
		t.Errorf("no data: %v", err)
	}
}

// testRetention deletes by age; a clock that is ahead deletes nothing that is recent in the store.
func testRetention(t *testing.T, u Store) {
	s := u.Open(t, "retention", Options{})
	var batch []store.Profile
	for n := range 100 {
		p := Generated("shop", n, map[string]string{"host": fmt.Sprint(n / 50)})
		if n < 10 {
			p.Start = p.Start.Add(-60 * 24 * time.Hour)
		}
		batch = append(batch, p)
	}
	Write(t, s, "", batch...)
	Write(t, s, "old", Generated("shop", 3, map[string]string{"gone": "yes"}))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	now := Epoch().Add(1000 * time.Hour)
	s = u.Open(t, "retention", Options{
		Now: func() time.Time { return now }, Retention: store.Retention{Age: 29 * time.Minute},
	})
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	metas, err := s.Profiles(t.Context(), store.Query{}, 0)
	if err != nil || len(metas) != 30 || !metas[29].Start.Equal(Epoch().Add(70*time.Minute)) {
		t.Fatalf("%d profiles: %v", len(metas), err)
	}
	if series, err := s.Series(t.Context(), store.Query{}); err != nil || len(series) != 2 {
		t.Errorf("series %+v, %v", series, err)
	}
	if names, err := s.LabelNames(t.Context(), store.Query{Tenant: "old"}); err != nil || len(names) > 0 {
		t.Errorf("labels %q of a tenant without profiles, %v", names, err)
	}
	Clean(t, s, 30)
	stats, err := s.Stats(t.Context())
	if err != nil || len(stats.Services) != 1 || stats.Services[0].Profiles != 30 || stats.Services[0].Symbols == 0 ||
		stats.Services[0].Bytes == 0 || stats.Bytes == 0 || stats.Services[0].Series != 2 {
		t.Errorf("stats %+v, %v", stats, err)
	}
	Write(t, s, "", batch[99], Generated("shop", 101, nil)) // what was stored can be used
	Clean(t, s, 31)
}

// testClockSetBack sets the clock back by an hour between batches: nothing that was stored is lost, is
// stored twice, or is deleted before its time, and later everything goes on.
func testClockSetBack(t *testing.T, u Store) {
	now := Epoch().Add(2 * time.Hour)
	var mu sync.Mutex
	set := func(to time.Time) {
		mu.Lock()
		defer mu.Unlock()
		now = to
	}
	o := Options{Retention: store.Retention{Age: 90 * time.Minute}, Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}}
	const name = "clock"
	s := u.Open(t, name, Options{Now: o.Now})
	var all []store.Profile
	for n := range 120 {
		all = append(all, Generated("shop", n, map[string]string{"host": fmt.Sprint(n % 3)}))
	}
	Write(t, s, "", all[:100]...)
	set(Epoch().Add(time.Hour))
	Write(t, s, "", all[90:110]...) // some are sent again
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = u.Open(t, name, o)
	Write(t, s, "", all[100:]...)
	result := store.Result{Kind: "load", Service: "shop", Time: o.Now(), Document: []byte("{}")}
	if err := s.WriteResults(t.Context(), "", []store.Result{result}); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"cpu", "heap"} {
		compareMerge(t, s, all, store.Query{Kind: kind})
		compareMerge(t, s, all, store.Query{Kind: kind, From: Epoch().Add(50 * time.Minute)})
	}
	if series, err := s.Series(t.Context(), store.Query{Kind: "cpu"}); err != nil || len(series) != 3 {
		t.Errorf("%d series, %v", len(series), err)
	}
	if results, err := s.Results(t.Context(), store.ResultQuery{}); err != nil || len(results) != 1 {
		t.Errorf("%d results, %v", len(results), err)
	}
	Clean(t, s, len(all))
	set(Epoch().Add(3 * time.Hour)) // the newest profile counts as now
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	Clean(t, s, len(all)-29)
}

func testResults(t *testing.T, u Store) {
	s := u.Open(t, "results", Options{})
	ctx := t.Context()
	var all []store.Result
	for n := range 4 {
		all = append(all, store.Result{
			Kind: []string{"bench", "load"}[n%2], Service: "shop", Revision: fmt.Sprint("c", n/2),
			Time: Epoch().Add(time.Duration(n) * time.Hour), Document: fmt.Appendf(nil, `{"n": %d}`, n),
		})
	}
	for range 2 { // again is once
		if err := s.WriteResults(ctx, "", all); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.WriteResults(ctx, "", all[1:3]); err != nil {
		t.Fatal(err)
	}
	for want, q := range map[string]store.ResultQuery{
		`3 2 1 0 `: {},
		`2 0 `:     {Kind: "bench"},
		`3 `:       {Kind: "load", Revision: "c1", Service: "shop"},
		`2 1 `:     {From: Epoch().Add(time.Hour), To: Epoch().Add(3 * time.Hour)},
		`3 2 `:     {Limit: 2},
		``:         {Tenant: "red"},
	} {
		got, err := s.Results(ctx, q)
		text := ""
		for _, r := range got {
			text += strings.Trim(string(r.Document), `{"n: }`) + " "
		}
		if err != nil || text != want {
			t.Errorf("%+v: %s, %v, want %s", q, text, err, want)
		}
	}
	var invalid *store.InvalidError
	if err := s.WriteResults(ctx, "", []store.Result{{Kind: "bench", Time: Epoch()}}); !errors.As(err, &invalid) {
		t.Errorf("no service: %v", err)
	}
}

// testConcurrent reads while several write.
func testConcurrent(t *testing.T, u Store) {
	s := u.Open(t, "concurrent", Options{})
	Write(t, s, "", Generated("shop", 0, nil))
	const writers, each = 4, 20
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				p := Generated([]string{"shop", "mail"}[w%2], 1+w*each+i, map[string]string{"writer": fmt.Sprint(w)})
				if err := s.Write(t.Context(), "", []store.Profile{p}); err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Get(t.Context(), "", store.NewID(&p)); err != nil {
					t.Errorf("an acknowledged profile: %v", err)
				}
			}
		})
	}
	stop := make(chan struct{})
	reading.Go(func() {
		for last := 0; ; {
			_, stats, err := s.Merge(t.Context(), store.Query{Kind: "cpu"})
			if err != nil {
				t.Error(err)
				return
			}
			if stats.Profiles < last {
				t.Errorf("%d profiles after %d", stats.Profiles, last)
			}
			last = stats.Profiles
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	writing.Wait()
	close(stop)
	reading.Wait()
	Clean(t, s, 1+writers*each)
}

func testCanceled(t *testing.T, u Store) {
	s := u.Open(t, "canceled", Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Write(ctx, "", []store.Profile{Generated("shop", 1, nil)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want canceled", err)
	}
	if all, err := s.Profiles(t.Context(), store.Query{}, 0); err != nil || len(all) > 0 {
		t.Errorf("%d profiles, %v", len(all), err)
	}
}
