package pyroscope

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"connectrpc.com/connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	"google.golang.org/protobuf/proto"
)

// TestDOT returns the call graph by a call and by the older API: all boxes with their costs, and with a limit fewer.
func TestDOT(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	check := func(how, text string, boxes int, names ...string) {
		t.Helper()
		if !strings.HasPrefix(text, "digraph ") || !strings.HasSuffix(text, "}\n") {
			t.Errorf("%s: %.200s", how, text)
		}
		got := strings.Count(text, " [id=\"node")
		if got != boxes {
			t.Errorf("%s: %d boxes, want %d:\n%s", how, got, boxes, text)
		}
		for _, name := range names {
			if !strings.Contains(text, name) {
				t.Errorf("%s: no %s in\n%s", how, name, text)
			}
		}
	}
	all := []string{"main", "handle", "idle", "encode", "580ns", "400ns"}
	request := func(limit *int64) *querierv1.SelectMergeStacktracesRequest {
		return &querierv1.SelectMergeStacktracesRequest{
			ProfileTypeID: cpuType, LabelSelector: `{service_name="shop"}`, Start: millis(0), End: millis(3),
			Format: querierv1.ProfileFormat_PROFILE_FORMAT_DOT, MaxNodes: limit,
		}
	}
	each(t, Options{Reader: m}, func(t *testing.T, c querierv1connect.QuerierServiceClient) {
		for limit, boxes := range map[*int64]int{nil: 4, proto.Int64(2): 2} {
			res, err := c.SelectMergeStacktraces(t.Context(), connect.NewRequest(request(limit)))
			if err != nil {
				t.Fatal(err)
			}
			if res.Msg.Flamegraph != nil {
				t.Error("there is a flame graph, too")
			}
			names := all
			if limit != nil {
				names = nil
			}
			check("call", res.Msg.GetDot(), boxes, names...)
		}
		if _, err := c.SelectMergeStacktraces(t.Context(), connect.NewRequest(request(proto.Int64(1<<40)))); connect.CodeOf(
			err) != connect.CodeInvalidArgument {
			t.Errorf("too many boxes: %v", err)
		}
	})
	s := httptest.NewServer(New(Options{Reader: m}))
	defer s.Close()
	code, text := get(t, s.URL+"/pyroscope/render?"+url.Values{
		"query": {cpuType + `{service_name="shop"}`}, "from": {strconv.FormatInt(millis(0), 10)},
		"until": {strconv.FormatInt(millis(3), 10)}, "format": {"dot"}, "max-nodes": {"100"},
	}.Encode())
	if code != http.StatusOK {
		t.Errorf("%d %s", code, text)
	}
	check("render", string(text), 4, all...)
	if code, text := get(t, s.URL+"/pyroscope/render?format=dot&query=cpu"); code != http.StatusBadRequest ||
		!strings.Contains(string(text), "want NAME:TYPE") {
		t.Errorf("%d %s", code, text)
	}
}
