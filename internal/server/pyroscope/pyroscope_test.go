package pyroscope

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/proto"

	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

const (
	cpuType   = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
	allocType = "memory:alloc_space:bytes:space:bytes"
)

// build makes a profile of folded stacks: "main;handle" and the values of all types.
func build(t testing.TB, period profile.ValueType, types []profile.ValueType, stacks map[string][]int64,
	labels ...profile.Label,
) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(types...)
	for text, values := range stacks {
		var stack []uint32
		for name := range strings.SplitSeq(text, ";") {
			f := b.Function(profile.Function{Name: name, File: name + ".go"})
			stack = append(stack, b.Location(0, profile.None, false, profile.Line{Function: f, Line: 7}))
		}
		slices.Reverse(stack)
		if err := b.Sample(stack, labels, values...); err != nil {
			t.Fatal(err)
		}
	}
	return b.Profile(&profile.Profile{PeriodType: period})
}

func cpuProfile(t testing.TB, stacks map[string]int64, labels ...profile.Label) *profile.Profile {
	values := map[string][]int64{}
	for stack, n := range stacks {
		values[stack] = []int64{n / 10, n}
	}
	return build(t, profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		[]profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}, values, labels...)
}

// begin is when the first profile of the test's store was taken.
var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// filled returns a store with profiles of two services, and the ID of one with spans.
func filled(t testing.TB) (*memory, store.ID) {
	t.Helper()
	m := &memory{}
	labels := func(pod string) store.Labels { return store.NewLabels(map[string]string{"pod": pod}) }
	at := func(minute int) time.Time { return begin.Add(time.Duration(minute) * time.Minute) }
	for i := range 4 {
		m.add(store.Profile{
			Service: "shop", Kind: "cpu", Labels: labels(fmt.Sprintf("shop-%d", i%2)), Start: at(i),
			Data: cpuProfile(t, map[string]int64{
				"main;handle;encode": 100, "main;handle": int64(10 * (i + 1)),
				"main;idle": 20,
			}),
		})
	}
	span := profile.Label{Key: "span_id", Str: "9A517183F26A089D"}
	id := m.add(store.Profile{
		Service: "cart", Kind: "cpu", Labels: labels("cart-0"), Start: at(1),
		Data: cpuProfile(t, map[string]int64{"main;add": 70}, span),
	})
	heap := []profile.ValueType{{Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_space", Unit: "bytes"}}
	space := profile.ValueType{Type: "space", Unit: "bytes"}
	m.add(store.Profile{
		Service: "cart", Kind: "heap", Labels: labels("cart-0"), Start: at(2),
		Data: build(t, space, heap, map[string][]int64{"main;add": {1000, 10}}),
	})
	m.add(store.Profile{
		Service: "cart", Kind: "allocs", Labels: labels("cart-1"), Start: at(2),
		Data: build(t, space, heap[:1], map[string][]int64{"main;add": {500}, "main;del": {50}}),
	})
	return m, id
}

// each runs a test with a client of Pyroscope's API in each protocol and encoding.
func each(t *testing.T, o Options, test func(*testing.T, querierv1connect.QuerierServiceClient)) {
	t.Helper()
	s := httptest.NewUnstartedServer(New(o))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	two := &http.Transport{Protocols: new(http.Protocols)}
	two.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(two.CloseIdleConnections)
	for name, c := range map[string]querierv1connect.QuerierServiceClient{
		"connect":  querierv1connect.NewQuerierServiceClient(s.Client(), s.URL),
		"json":     querierv1connect.NewQuerierServiceClient(s.Client(), s.URL, connect.WithProtoJSON()),
		"grpc-web": querierv1connect.NewQuerierServiceClient(s.Client(), s.URL, connect.WithGRPCWeb()),
		"grpc": querierv1connect.NewQuerierServiceClient(&http.Client{Transport: two}, s.URL, connect.WithGRPC(),
			connect.WithSendGzip()),
	} {
		t.Run(name, func(t *testing.T) { test(t, c) })
	}
}

// millis returns a time of the test's store in milliseconds.
func millis(minute int) int64 { return begin.Add(time.Duration(minute) * time.Minute).UnixMilli() }

// text returns labels as text.
func text(labels []*typesv1.LabelPair) string {
	var b strings.Builder
	for _, l := range labels {
		fmt.Fprintf(&b, "%s=%s ", l.Name, l.Value)
	}
	return strings.TrimSpace(b.String())
}

func TestLists(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		types, err := c.ProfileTypes(t.Context(),
			connect.NewRequest(&querierv1.ProfileTypesRequest{Start: millis(0), End: millis(9)}))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, p := range types.Msg.ProfileTypes {
			ids = append(ids, p.ID)
			if want := strings.Join([]string{p.Name, p.SampleType, p.SampleUnit, p.PeriodType, p.PeriodUnit},
				":"); p.ID != want {
				t.Errorf("type %v", p)
			}
		}
		want := []string{
			allocType, "memory:inuse_space:bytes:space:bytes", cpuType, "process_cpu:samples:count:cpu:nanoseconds",
		}
		if !slices.Equal(ids, want) {
			t.Errorf("types %q, want %q", ids, want)
		}

		names := func(matchers ...string) string {
			res, err := c.LabelNames(t.Context(), connect.NewRequest(&typesv1.LabelNamesRequest{Matchers: matchers}))
			if err != nil {
				t.Fatal(err)
			}
			return strings.Join(res.Msg.Names, " ")
		}
		all := "__name__ __period_type__ __period_unit__ __profile_type__ __service_name__ __type__ __unit__ pod service_name"
		if got := names(); got != all {
			t.Errorf("names %s, want %s", got, all)
		}
		if got := names(`{service_name="none"}`); got != "" {
			t.Errorf("names of nothing: %s", got)
		}

		values := func(name string, matchers ...string) string {
			res, err := c.LabelValues(t.Context(),
				connect.NewRequest(&typesv1.LabelValuesRequest{Name: name, Matchers: matchers}))
			if err != nil {
				t.Fatal(err)
			}
			return strings.Join(res.Msg.Names, " ")
		}
		for _, test := range []struct{ name, matcher, want string }{
			{"service_name", `{}`, "cart shop"},
			{"service_name", `{__profile_type__="` + allocType + `"}`, "cart"},
			{"pod", `{service_name="shop"}`, "shop-0 shop-1"},
			{"pod", `{__profile_type__="` + cpuType + `",service_name=~"c.*"}`, "cart-0"},
			{"__profile_type__", `{service_name="shop"}`, cpuType + " process_cpu:samples:count:cpu:nanoseconds"},
			{"__name__", `{service_name="cart"}`, "memory process_cpu"},
			{"none", `{}`, ""},
		} {
			if got := values(test.name, test.matcher); got != test.want {
				t.Errorf("values of %s of %s: %s, want %s", test.name, test.matcher, got, test.want)
			}
		}

		series := func(r *querierv1.SeriesRequest) (all []string) {
			res, err := c.Series(t.Context(), connect.NewRequest(r))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range res.Msg.LabelsSet {
				all = append(all, text(s.Labels))
			}
			return all
		}
		// What Grafana's page of profiles asks for first.
		got := series(&querierv1.SeriesRequest{
			LabelNames: []string{"service_name", "__profile_type__"}, Start: millis(0),
			End: millis(9),
		})
		wantSeries := []string{
			"__profile_type__=memory:alloc_space:bytes:space:bytes service_name=cart",
			"__profile_type__=memory:inuse_space:bytes:space:bytes service_name=cart",
			"__profile_type__=process_cpu:cpu:nanoseconds:cpu:nanoseconds service_name=cart",
			"__profile_type__=process_cpu:cpu:nanoseconds:cpu:nanoseconds service_name=shop",
			"__profile_type__=process_cpu:samples:count:cpu:nanoseconds service_name=cart",
			"__profile_type__=process_cpu:samples:count:cpu:nanoseconds service_name=shop",
		}
		if diff := cmp.Diff(wantSeries, got); diff != "" {
			t.Error(diff)
		}
		if got := series(&querierv1.SeriesRequest{
			Matchers:   []string{`{pod="shop-0"}`, `{pod="cart-1"}`},
			LabelNames: []string{"pod"},
		}); !slices.Equal(got, []string{"pod=cart-1", "pod=shop-0"}) {
			t.Errorf("series by two matchers: %q", got)
		}

		stats, err := c.GetProfileStats(t.Context(), connect.NewRequest(&typesv1.GetProfileStatsRequest{}))
		if err != nil || !stats.Msg.DataIngested || stats.Msg.OldestProfileTime != millis(0) ||
			stats.Msg.NewestProfileTime != millis(3) {
			t.Errorf("stats %v, %v", stats, err)
		}
		analyzed, err := c.AnalyzeQuery(t.Context(), connect.NewRequest(&querierv1.AnalyzeQueryRequest{
			Query: cpuType + `{service_name="shop"}`, Start: millis(0), End: millis(9),
		}))
		if err != nil || analyzed.Msg.QueryScopes[0].ProfileCount != 4 || analyzed.Msg.QueryImpact.TotalQueriedSeries != 2 {
			t.Errorf("analyzed %v, %v", analyzed, err)
		}
	})
}

// paths reads a flame graph of four or seven numbers a node: "total;main" with the totals and own
// values of both sides. A node belongs to the node of the level above in whose range it begins.
func paths(names []string, levels []*querierv1.Level, sides int) map[string][]int64 {
	type placed struct {
		path string
		x, w []int64
	}
	width := 3*sides + 1
	all := map[string][]int64{}
	var above []placed
	for _, level := range levels {
		var row []placed
		end := make([]int64, sides)
		for v := range slices.Chunk(level.Values, width) {
			p := placed{path: names[v[width-1]]}
			var values []int64
			for s := range sides {
				x := end[s] + v[3*s]
				p.x, p.w = append(p.x, x), append(p.w, v[3*s+1])
				end[s] = x + v[3*s+1]
				values = append(values, v[3*s+1], v[3*s+2])
			}
			for _, parent := range above {
				for s := range sides {
					if p.w[s] > 0 && p.x[s] >= parent.x[s] && p.x[s] < parent.x[s]+parent.w[s] {
						p.path = parent.path + ";" + names[v[width-1]]
					}
				}
			}
			all[p.path] = values
			row = append(row, p)
		}
		above = row
	}
	return all
}

func TestMerged(t *testing.T) {
	t.Parallel()
	m, id := filled(t)
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		ask := func(r *querierv1.SelectMergeStacktracesRequest) (*querierv1.FlameGraph, error) {
			res, err := c.SelectMergeStacktraces(t.Context(), connect.NewRequest(r))
			if err != nil {
				return nil, err
			}
			return res.Msg.Flamegraph, nil
		}
		for name, test := range map[string]struct {
			r    *querierv1.SelectMergeStacktracesRequest
			want map[string][]int64
		}{
			"one service": {
				&querierv1.SelectMergeStacktracesRequest{
					ProfileTypeID: cpuType, LabelSelector: `{service_name="shop"}`,
					Start: millis(0), End: millis(9),
				},
				map[string][]int64{
					"total": {580, 0}, "total;main": {580, 0}, "total;main;handle": {500, 100}, "total;main;idle": {80, 80},
					"total;main;handle;encode": {400, 400},
				},
			},
			"a range, its end included": {
				&querierv1.SelectMergeStacktracesRequest{
					ProfileTypeID: cpuType, LabelSelector: `{service_name="shop"}`,
					Start: millis(1), End: millis(2),
				},
				map[string][]int64{
					"total": {290, 0}, "total;main": {290, 0}, "total;main;handle": {250, 50}, "total;main;idle": {40, 40},
					"total;main;handle;encode": {200, 200},
				},
			},
			"two kinds": {
				&querierv1.SelectMergeStacktracesRequest{
					ProfileTypeID: allocType, LabelSelector: `{}`, Start: millis(0),
					End: millis(9),
				},
				map[string][]int64{
					"total": {1550, 0}, "total;main": {1550, 0}, "total;main;add": {1500, 1500}, "total;main;del": {50, 50},
				},
			},
			"a call site": {
				&querierv1.SelectMergeStacktracesRequest{
					ProfileTypeID: cpuType, LabelSelector: `{pod="shop-0"}`, Start: millis(0), End: millis(9),
					StackTraceSelector: &typesv1.StackTraceSelector{CallSite: []*typesv1.Location{{Name: "main"}, {Name: "idle"}}},
				},
				map[string][]int64{"total": {40, 0}, "total;main": {40, 0}, "total;main;idle": {40, 40}},
			},
			"a profile": {
				&querierv1.SelectMergeStacktracesRequest{ProfileTypeID: cpuType, ProfileIdSelector: []string{id.String()}},
				map[string][]int64{"total": {70, 0}, "total;main": {70, 0}, "total;main;add": {70, 70}},
			},
			"a span": {
				&querierv1.SelectMergeStacktracesRequest{
					ProfileTypeID: cpuType, LabelSelector: "{}",
					SpanSelector: []string{"9a517183f26a089d"},
				},
				map[string][]int64{"total": {70, 0}, "total;main": {70, 0}, "total;main;add": {70, 70}},
			},
			"nothing": {
				&querierv1.SelectMergeStacktracesRequest{
					ProfileTypeID: cpuType, LabelSelector: `{service_name="none"}`,
					Start: millis(0), End: millis(9),
				},
				map[string][]int64{"total": {0, 0}},
			},
			"few nodes": {
				&querierv1.SelectMergeStacktracesRequest{
					ProfileTypeID: cpuType, LabelSelector: `{service_name="shop"}`, Start: millis(0), End: millis(9),
					MaxNodes: proto.Int64(3),
				},
				map[string][]int64{
					"total": {580, 0}, "total;main": {580, 0}, "total;main;handle": {500, 100}, "total;main;other": {80, 80},
					"total;main;handle;encode": {400, 400},
				},
			},
		} {
			g, err := ask(test.r)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got := paths(g.Names, g.Levels, 1)
			if diff := cmp.Diff(test.want, got); diff != "" || g.Total != test.want["total"][0] {
				t.Errorf("%s: total %d: %s", name, g.Total, diff)
			}
		}
		deprecated := c.SelectMergeSpanProfile //nolint:staticcheck // clients call it
		span, err := deprecated(t.Context(), connect.NewRequest(&querierv1.SelectMergeSpanProfileRequest{
			ProfileTypeID: cpuType, LabelSelector: "{}", SpanSelector: []string{"9a517183f26a089d"}, Start: millis(0),
			End: millis(9),
		}))
		if err != nil || span.Msg.Flamegraph.Total != 70 {
			t.Errorf("span: %v, %v", span, err)
		}
	})
}

// TestPprof compares merged profiles with what google/pprof reads in them.
func TestPprof(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		deprecated := c.SelectMergeProfile //nolint:staticcheck // clients call it
		old, err := deprecated(t.Context(), connect.NewRequest(&querierv1.SelectMergeProfileRequest{
			ProfileTypeID: cpuType, LabelSelector: `{service_name="shop"}`, Start: millis(0), End: millis(9),
		}))
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.SelectMergeStacktraces(t.Context(), connect.NewRequest(&querierv1.SelectMergeStacktracesRequest{
			ProfileTypeID: cpuType, LabelSelector: `{service_name="shop"}`, Start: millis(0), End: millis(9),
			Format: querierv1.ProfileFormat_PROFILE_FORMAT_PPROF,
		}))
		if err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(old.Msg, res.Msg.Pprof.Profile) {
			t.Error("the calls return different profiles")
		}
		data, err := proto.Marshal(old.Msg)
		if err != nil {
			t.Fatal(err)
		}
		p, err := pprof.ParseData(data)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.SampleType) != 1 || p.SampleType[0].Type != "cpu" || p.PeriodType.Type != "cpu" {
			t.Errorf("types %v, period %v", p.SampleType, p.PeriodType)
		}
		got := map[string]int64{}
		for _, s := range p.Sample {
			line := s.Location[0].Line[0]
			got[fmt.Sprintf("%s %s:%d", line.Function.Name, line.Function.Filename, line.Line)] += s.Value[0]
		}
		if diff := cmp.Diff(map[string]int64{"encode encode.go:7": 400, "handle handle.go:7": 100, "idle idle.go:7": 80},
			got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDiff(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		side := func(service string) *querierv1.SelectMergeStacktracesRequest {
			return &querierv1.SelectMergeStacktracesRequest{
				ProfileTypeID: cpuType,
				LabelSelector: `{service_name="` + service + `"}`, Start: millis(0), End: millis(1),
			}
		}
		res, err := c.Diff(t.Context(), connect.NewRequest(&querierv1.DiffRequest{Left: side("shop"), Right: side("cart")}))
		if err != nil {
			t.Fatal(err)
		}
		g := res.Msg.Flamegraph
		want := map[string][]int64{
			"total": {270, 0, 70, 0}, "total;main": {270, 0, 70, 0}, "total;main;handle": {230, 30, 0, 0},
			"total;main;idle": {40, 40, 0, 0}, "total;main;add": {0, 0, 70, 70}, "total;main;handle;encode": {200, 200, 0, 0},
		}
		if diff := cmp.Diff(want, paths(g.Names, g.Levels, 2)); diff != "" || g.LeftTicks != 270 || g.RightTicks != 70 ||
			g.Total != 340 || g.MaxSelf != 200 {
			t.Errorf("ticks %d, %d: %s", g.LeftTicks, g.RightTicks, diff)
		}
	})
}

func TestSeriesOverTime(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		average := typesv1.TimeSeriesAggregationType_TIME_SERIES_AGGREGATION_TYPE_AVERAGE
		for name, test := range map[string]struct {
			r    *querierv1.SelectSeriesRequest
			want map[string]map[int64]float64 // by labels and minute
		}{
			"all": {
				&querierv1.SelectSeriesRequest{
					ProfileTypeID: cpuType, LabelSelector: "{}", Start: millis(0), End: millis(3),
					Step: 60,
				},
				map[string]map[int64]float64{"": {0: 130, 1: 140 + 70, 2: 150, 3: 160}},
			},
			"long steps": {
				&querierv1.SelectSeriesRequest{
					ProfileTypeID: cpuType, LabelSelector: "{}", Start: millis(0), End: millis(3),
					Step: 120,
				},
				map[string]map[int64]float64{"": {0: 130, 2: 140 + 70 + 150, 4: 160}},
			},
			"by pod": {
				&querierv1.SelectSeriesRequest{
					ProfileTypeID: cpuType, LabelSelector: `{service_name="shop"}`, Start: millis(0), End: millis(3), Step: 60,
					GroupBy: []string{"pod", "__profile_type__"},
				},
				map[string]map[int64]float64{
					"__profile_type__=" + cpuType + " pod=shop-0": {0: 130, 2: 150},
					"__profile_type__=" + cpuType + " pod=shop-1": {1: 140, 3: 160},
				},
			},
			"the largest": {
				&querierv1.SelectSeriesRequest{
					ProfileTypeID: cpuType, LabelSelector: "{}", Start: millis(0), End: millis(3), Step: 300,
					GroupBy: []string{"service_name"},
					Limit:   proto.Int64(1),
				},
				map[string]map[int64]float64{"service_name=shop": {0: 130, 5: 450}},
			},
			"average of two kinds": {
				&querierv1.SelectSeriesRequest{
					ProfileTypeID: allocType, LabelSelector: "{}", Start: millis(0), End: millis(3), Step: 60, Aggregation: &average,
				},
				map[string]map[int64]float64{"": {2: 775}},
			},
			"a call site": {
				&querierv1.SelectSeriesRequest{
					ProfileTypeID: cpuType, LabelSelector: "{}", Start: millis(0), End: millis(3), Step: 180,
					StackTraceSelector: &typesv1.StackTraceSelector{CallSite: []*typesv1.Location{{Name: "main"}, {Name: "idle"}}},
				},
				map[string]map[int64]float64{"": {0: 20, 3: 60}},
			},
		} {
			res, err := c.SelectSeries(t.Context(), connect.NewRequest(test.r))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got := map[string]map[int64]float64{}
			for _, s := range res.Msg.Series {
				points := map[int64]float64{}
				for _, p := range s.Points {
					points[(p.Timestamp-millis(0))/60_000] = p.Value
				}
				got[text(s.Labels)] = points
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	})
}

func TestHeatmap(t *testing.T) {
	t.Parallel()
	m, id := filled(t)
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		ask := func(kind querierv1.HeatmapQueryType) []*typesv1.HeatmapSeries {
			res, err := c.SelectHeatmap(t.Context(), connect.NewRequest(&querierv1.SelectHeatmapRequest{
				ProfileTypeID: cpuType, LabelSelector: "{}", Start: millis(0), End: millis(3), Step: 120,
				GroupBy:   []string{"service_name"},
				QueryType: kind, ExemplarType: typesv1.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL,
			}))
			if err != nil {
				t.Fatal(err)
			}
			return res.Msg.Series
		}
		all := ask(querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL)
		if len(all) != 2 || text(all[1].Labels) != "service_name=shop" || len(all[1].Slots) != 3 {
			t.Fatalf("got %v", all)
		}
		slot := all[1].Slots[1] // minutes 1 and 2: 140 and 150, of 130 to 160 in all
		sum := int32(0)
		for _, n := range slot.Counts {
			sum += n
		}
		if sum != 2 || len(slot.YMin) != heatmapRows || slot.YMin[0] != 130 || slot.Timestamp != millis(2) ||
			slot.Exemplars[0].Value != 150 {
			t.Errorf("slot %v", slot)
		}
		spans := ask(querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN)
		if len(spans) != 1 || spans[0].Slots[0].Exemplars[0].SpanId != "9A517183F26A089D" ||
			spans[0].Slots[0].Exemplars[0].ProfileId != id.String() {
			t.Errorf("spans %v", spans)
		}
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		merge := func(r *querierv1.SelectMergeStacktracesRequest) error {
			_, err := c.SelectMergeStacktraces(t.Context(), connect.NewRequest(r))
			return err
		}
		series := func(step float64, start, end int64) error {
			_, err := c.SelectSeries(t.Context(), connect.NewRequest(&querierv1.SelectSeriesRequest{
				ProfileTypeID: cpuType, LabelSelector: "{}", Start: start, End: end, Step: step,
			}))
			return err
		}
		exemplars := func(kind typesv1.ExemplarType) error {
			_, err := c.SelectSeries(t.Context(), connect.NewRequest(&querierv1.SelectSeriesRequest{
				ProfileTypeID: cpuType, LabelSelector: "{}", Start: millis(0), End: millis(1), Step: 60, ExemplarType: kind,
			}))
			return err
		}
		if err := exemplars(typesv1.ExemplarType_EXEMPLAR_TYPE_NONE); err != nil {
			t.Errorf("a series without exemplars: %v", err)
		}
		//nolint:staticcheck // deprecated, and still served
		_, spanErr := c.SelectMergeSpanProfile(t.Context(), connect.NewRequest(&querierv1.SelectMergeSpanProfileRequest{
			ProfileTypeID: cpuType, Format: querierv1.ProfileFormat_PROFILE_FORMAT_DOT,
		}))
		_, labelErr := c.LabelValues(t.Context(), connect.NewRequest(&typesv1.LabelValuesRequest{}))
		_, diffErr := c.Diff(t.Context(), connect.NewRequest(&querierv1.DiffRequest{}))
		for name, test := range map[string]struct {
			err  error
			code connect.Code
			text string
		}{
			"type": {
				merge(&querierv1.SelectMergeStacktracesRequest{ProfileTypeID: "cpu"}), connect.CodeInvalidArgument,
				"want NAME:TYPE",
			},
			"selector": {
				merge(&querierv1.SelectMergeStacktracesRequest{ProfileTypeID: cpuType, LabelSelector: `{a="`}),
				connect.CodeInvalidArgument, "byte 4",
			},
			"range": {
				merge(&querierv1.SelectMergeStacktracesRequest{ProfileTypeID: cpuType, Start: 5, End: 1}),
				connect.CodeInvalidArgument, "time range",
			},
			"id": {merge(&querierv1.SelectMergeStacktracesRequest{
				ProfileTypeID:     cpuType,
				ProfileIdSelector: []string{"x"},
			}), connect.CodeInvalidArgument, "not the ID"},
			"nodes": {merge(&querierv1.SelectMergeStacktracesRequest{
				ProfileTypeID: cpuType,
				MaxNodes:      proto.Int64(1 << 40),
			}), connect.CodeInvalidArgument, "max_nodes"},
			"tree": {
				merge(&querierv1.SelectMergeStacktracesRequest{
					ProfileTypeID: cpuType,
					Format:        querierv1.ProfileFormat_PROFILE_FORMAT_TREE,
				}),
				connect.CodeUnimplemented, "PROFILE_FORMAT_FLAMEGRAPH",
			},
			"async": {
				merge(&querierv1.SelectMergeStacktracesRequest{ProfileTypeID: cpuType, Async: &querierv1.AsyncQueryRequest{}}),
				connect.CodeUnimplemented, "async",
			},
			"pgo": {
				merge(&querierv1.SelectMergeStacktracesRequest{
					ProfileTypeID: cpuType, StackTraceSelector: &typesv1.StackTraceSelector{GoPgo: &typesv1.GoPGO{KeepLocations: 5}},
				}), connect.CodeUnimplemented, "whet pgo",
			},
			"label":   {labelErr, connect.CodeInvalidArgument, "name of the label"},
			"diff":    {diffErr, connect.CodeInvalidArgument, "request is empty"},
			"step":    {series(0, millis(0), millis(1)), connect.CodeInvalidArgument, "step"},
			"no time": {series(60, 0, 0), connect.CodeInvalidArgument, "time range"},
			"exemplars": {
				exemplars(typesv1.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL), connect.CodeUnimplemented, "exemplar_type",
			},
			"spans as exemplars": {
				exemplars(typesv1.ExemplarType_EXEMPLAR_TYPE_SPAN), connect.CodeUnimplemented, "EXEMPLAR_TYPE_NONE",
			},
			"unknown exemplars": {exemplars(9), connect.CodeInvalidArgument, "unknown exemplar_type 9"},
			"spans as a graph":  {spanErr, connect.CodeInvalidArgument, "PROFILE_FORMAT_FLAMEGRAPH"},
			"steps":             {series(0.001, millis(0), millis(9)), connect.CodeResourceExhausted, "limit 10000"},
		} {
			if connect.CodeOf(test.err) != test.code || !strings.Contains(test.err.Error(), test.text) {
				t.Errorf("%s: %v, want %v and %q", name, test.err, test.code, test.text)
			}
		}
	})
	var warned []error
	each(t, Options{
		Reader: &memory{err: errors.New("disk /secret")},
		Warn:   func(err error) { warned = append(warned, err) },
	},
		func(t *testing.T, c querierv1connect.QuerierServiceClient) {
			_, err := c.ProfileTypes(t.Context(), connect.NewRequest(&querierv1.ProfileTypesRequest{}))
			if connect.CodeOf(err) != connect.CodeInternal || strings.Contains(err.Error(), "secret") || len(warned) == 0 {
				t.Errorf("%v, warned %v", err, warned)
			}
		})
	down := &store.PartialError{Cluster: "main", Missing: []string{"shard 2 (db2:9000)"}}
	each(t, Options{Reader: &memory{err: fmt.Errorf("query /secret: %w: %w", down, store.ErrUnavailable)}},
		func(t *testing.T, c querierv1connect.QuerierServiceClient) {
			_, err := c.ProfileTypes(t.Context(), connect.NewRequest(&querierv1.ProfileTypesRequest{}))
			if connect.CodeOf(err) != connect.CodeUnavailable || strings.Contains(err.Error(), "secret") ||
				!strings.Contains(err.Error(), "shard 2 (db2:9000) of cluster main does not answer") {
				t.Errorf("a shard is down: %v", err)
			}
		})
}

func TestTenant(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	m.tenant = "a"
	const secret = "the token of tenant a"
	allow := func(r *http.Request) (string, error) {
		if _, err := access.OneTenant(secret).Tenant(r, access.Read); err != nil {
			return "", err
		}
		return r.Header.Get("X-Scope-OrgID"), nil
	}
	each(t, Options{Reader: m, Allow: allow}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		for _, test := range []struct {
			token, tenant string
			code          connect.Code // 0 means none
			services      int
		}{
			{"", "a", connect.CodeUnauthenticated, 0},
			{"no", "a", connect.CodeUnauthenticated, 0},
			{secret, "b", 0, 0},
			{secret, "a", 0, 2},
		} {
			r := connect.NewRequest(&typesv1.LabelValuesRequest{Name: "service_name"})
			r.Header().Set("Authorization", "Bearer "+test.token)
			r.Header().Set("X-Scope-OrgID", test.tenant)
			res, err := c.LabelValues(t.Context(), r)
			switch {
			case test.code != 0:
				if connect.CodeOf(err) != test.code {
					t.Errorf("%q: %v", test.token, err)
				}
			case err != nil || len(res.Msg.Names) != test.services:
				t.Errorf("tenant %s: %v, %v", test.tenant, res, err)
			}
		}
	})
}

// TestFrontend sends what the JavaScript of Grafana sends.
func TestFrontend(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	s := httptest.NewServer(New(Options{Reader: m}))
	defer s.Close()
	body := fmt.Sprintf(`{"profileTypeID":%q,"labelSelector":"{service_name=\"shop\"}","start":%d,"end":%d}`, cpuType,
		millis(0), millis(9))
	for _, content := range []string{
		"application/json", "application/json; charset=utf-8",
		"application/json;charset=UTF-8",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+prefix+"SelectMergeStacktraces",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", content)
		answer, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !bytes.Contains(got, []byte(`"total":"580"`)) ||
			!bytes.HasPrefix(got, []byte(`{"flamegraph":{"names":["total","main"`)) {
			t.Errorf("%s: %s %s", content, answer.Status, got)
		}
	}
}
