package pyroscope

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	settingsv1 "github.com/grafana/pyroscope/api/gen/proto/go/settings/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/settings/v1/settingsv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/local"
)

// TestCalls compares the calls that are served with those of Pyroscope's service, which a later version
// may have more of.
func TestCalls(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(New(Options{Reader: &memory{}}))
	defer s.Close()
	service := querierv1.File_querier_v1_querier_proto.Services().ByName("QuerierService")
	if want := "/" + string(service.FullName()) + "/"; prefix != want {
		t.Errorf("served below %s, want %s", prefix, want)
	}
	status := func(name string) int {
		t.Helper()
		answer, err := s.Client().Post(s.URL+prefix+name, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body) // the status is what counts
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	methods := service.Methods()
	for i := range methods.Len() {
		name := string(methods.Get(i).Name())
		if got := status(name); got != http.StatusOK && got != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, got)
		}
	}
	if got := status("Unknown"); got != http.StatusNotFound {
		t.Errorf("a call that there is not: status %d", got)
	}
}

// TestFormats asks for every format that there is: one that is not served says which are.
func TestFormats(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		for number, name := range querierv1.ProfileFormat_name {
			_, err := c.SelectMergeStacktraces(t.Context(), connect.NewRequest(&querierv1.SelectMergeStacktracesRequest{
				ProfileTypeID: cpuType, Start: millis(0), End: millis(9), Format: querierv1.ProfileFormat(number),
			}))
			if err != nil && (connect.CodeOf(err) != connect.CodeUnimplemented ||
				!strings.Contains(err.Error(), "not implemented: want PROFILE_FORMAT_")) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestReplay sends what Grafana's data source and its pages of profiles send, in their order, to each
// store: the answers are those of the store in memory, in each protocol.
func TestReplay(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	var want []string
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		got := replay(t, c)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	for _, text := range []string{
		`service_name" value:"cart`, `names:"encode"`, "total:580", `rightTicks:160`, `profile_count:4`, "of 580",
	} {
		if !strings.Contains(strings.ReplaceAll(strings.Join(want, "\n"), ": ", ":"), text) {
			t.Errorf("no %s in what was answered:\n%s", text, strings.Join(want, "\n"))
		}
	}
	for name, open := range map[string]func(*testing.T) store.Store{
		"local": func(t *testing.T) store.Store {
			s, err := local.Open(filepath.Join(t.TempDir(), "profiles"), local.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		"clickhouse": func(t *testing.T) store.Store {
			servers := clickhousetest.ForTest(t, clickhousetest.Options{})
			a, err := clickhouse.ParseAddress(servers.Address("replay"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := clickhouse.Migrate(t.Context(), a, clickhouse.MigrateOptions{}); err != nil {
				t.Fatal(err)
			}
			s, err := clickhouse.Open(t.Context(), a, clickhouse.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(func() { _ = s.Close() }) // what was acknowledged is stored
			if err := s.Write(t.Context(), "", m.all); err != nil {
				t.Fatal(err)
			}
			each(t, Options{Reader: s}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
				if diff := cmp.Diff(want, replay(t, c)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// replay sends the requests, and returns the answers as text.
func replay(t *testing.T, c querierv1connect.QuerierServiceClient) (answers []string) {
	t.Helper()
	ctx := t.Context()
	start, end := millis(0), millis(9)
	const shop, cart = `{service_name="shop"}`, `{service_name="cart"}`
	add := func(what string, answer proto.Message, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		text, err := prototext.MarshalOptions{Multiline: false}.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, what+" "+strings.ReplaceAll(string(text), "  ", " "))
	}

	// The data source: its editor of queries, then a panel with a flame graph, one of a span, and one over time.
	types, err := c.ProfileTypes(ctx, connect.NewRequest(&querierv1.ProfileTypesRequest{Start: start, End: end}))
	add("types", msg(types), err)
	names, err := c.LabelNames(ctx, connect.NewRequest(&typesv1.LabelNamesRequest{
		Matchers: []string{`{__profile_type__="` + cpuType + `",service_name="shop"}`}, Start: start, End: end,
	}))
	add("names", msg(names), err)
	for _, name := range []string{"service_name", "pod"} {
		values, err := c.LabelValues(ctx, connect.NewRequest(&typesv1.LabelValuesRequest{
			Name: name, Matchers: []string{`{__profile_type__="` + cpuType + `"}`}, Start: start, End: end,
		}))
		add("values of "+name, msg(values), err)
	}
	merge := func(what, typ, selector string, nodes int64) {
		res, err := c.SelectMergeStacktraces(ctx, connect.NewRequest(&querierv1.SelectMergeStacktracesRequest{
			ProfileTypeID: typ, LabelSelector: selector, Start: start, End: end, MaxNodes: proto.Int64(nodes),
		}))
		add(what, msg(res), err)
	}
	series := func(what, typ, selector string, step float64, by ...string) {
		res, err := c.SelectSeries(ctx, connect.NewRequest(&querierv1.SelectSeriesRequest{
			ProfileTypeID: typ, LabelSelector: selector, Start: start, End: end, Step: step, GroupBy: by,
			Aggregation: typesv1.TimeSeriesAggregationType_TIME_SERIES_AGGREGATION_TYPE_SUM.Enum(),
		}))
		add(what, msg(res), err)
	}
	merge("panel", cpuType, shop, 16384)
	//nolint:staticcheck // deprecated, and sent by the clients of today
	span, err := c.SelectMergeSpanProfile(ctx, connect.NewRequest(&querierv1.SelectMergeSpanProfileRequest{
		ProfileTypeID: cpuType, LabelSelector: cart, Start: start, End: end, SpanSelector: []string{"9a517183f26a089d"},
	}))
	add("span", msg(span), err)
	series("over time", cpuType, shop, 60)
	series("over time by pod", cpuType, "{}", 60, "pod")

	// The pages of profiles: all services, one service by its labels, flame graph, comparison, export.
	stats, err := c.GetProfileStats(ctx, connect.NewRequest(&typesv1.GetProfileStatsRequest{}))
	add("stats", msg(stats), err)
	all, err := c.Series(ctx, connect.NewRequest(&querierv1.SeriesRequest{
		LabelNames: []string{"service_name", "__profile_type__"}, Start: start, End: end,
	}))
	add("series", msg(all), err)
	for _, selector := range []string{shop, cart} {
		series("tile "+selector, cpuType, selector, 15)
	}
	series("labels", cpuType, shop, 15, "pod")
	merge("flame graph", allocType, cart, 100)
	side := func(selector string, from, to int) *querierv1.SelectMergeStacktracesRequest {
		return &querierv1.SelectMergeStacktracesRequest{
			ProfileTypeID: cpuType, LabelSelector: selector, Start: millis(from), End: millis(to), MaxNodes: proto.Int64(500),
		}
	}
	diff, err := c.Diff(ctx, connect.NewRequest(&querierv1.DiffRequest{Left: side(shop, 0, 3), Right: side(shop, 3, 9)}))
	add("comparison", msg(diff), err)
	heatmap, err := c.SelectHeatmap(ctx, connect.NewRequest(&querierv1.SelectHeatmapRequest{
		ProfileTypeID: cpuType, LabelSelector: shop, Start: start, End: end, Step: 60,
		QueryType: querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL,
	}))
	add("heat map", msg(heatmap), err)
	analyzed, err := c.AnalyzeQuery(ctx, connect.NewRequest(&querierv1.AnalyzeQueryRequest{
		Query: cpuType + shop, Start: start, End: end,
	}))
	if err != nil {
		t.Fatal(err)
	}
	scope := analyzed.Msg.QueryScopes[0]
	answers = append(answers, fmt.Sprintf("analyzed profile_count:%d series:%d", scope.ProfileCount, scope.SeriesCount))
	//nolint:staticcheck // deprecated, and sent by the clients of today
	exported, err := c.SelectMergeProfile(ctx, connect.NewRequest(&querierv1.SelectMergeProfileRequest{
		ProfileTypeID: cpuType, LabelSelector: shop, Start: start, End: end,
	}))
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, s := range exported.Msg.Sample {
		sum += s.Value[0]
	}
	return append(answers, fmt.Sprintf("exported %d samples of %d", len(exported.Msg.Sample), sum))
}

// msg returns the message of an answer; nil without one.
func msg[T any](r *connect.Response[T]) *T {
	if r == nil {
		return nil
	}
	return r.Msg
}

// TestReplaySettings asks for the settings as the pages of profiles do first.
func TestReplaySettings(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(New(Options{Reader: &memory{}}))
	defer s.Close()
	c := settingsv1connect.NewSettingsServiceClient(s.Client(), s.URL, connect.WithProtoJSON())
	if _, err := c.Get(t.Context(), connect.NewRequest(&settingsv1.GetSettingsRequest{})); err != nil {
		t.Error(err)
	}
}
