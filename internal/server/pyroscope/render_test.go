package pyroscope

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"

	"github.com/whet-go/whet/internal/server/access"
)

// get asks a server, and returns the status and the body.
func get(t *testing.T, address string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, text
}

// graphOf returns the levels of a rendered flame graph as the calls have them.
func graphOf(r *rendered) []*querierv1.Level {
	var all []*querierv1.Level
	for _, l := range r.Flamebearer.Levels {
		all = append(all, &querierv1.Level{Values: l})
	}
	return all
}

func TestRender(t *testing.T) {
	t.Parallel()
	m, _ := filled(t)
	s := httptest.NewServer(New(Options{Reader: m}))
	defer s.Close()
	at := func(minute int) string { return strconv.FormatInt(millis(minute), 10) }
	code, text := get(t, s.URL+"/pyroscope/render?"+url.Values{
		"query": {cpuType + `{service_name="shop"}`}, "from": {at(0)}, "until": {at(3)}, "format": {"json"},
		"max-nodes": {"100"},
	}.Encode())
	var r rendered
	if err := json.Unmarshal(text, &r); err != nil || code != http.StatusOK {
		t.Fatalf("%d %s: %v", code, text, err)
	}
	want := map[string][]int64{
		"total": {580, 0}, "total;main": {580, 0}, "total;main;handle": {500, 100}, "total;main;idle": {80, 80},
		"total;main;handle;encode": {400, 400},
	}
	if diff := cmp.Diff(want, paths(r.Flamebearer.Names, graphOf(&r), 1)); diff != "" {
		t.Error(diff)
	}
	if r.Metadata != (metadata{"single", "", 1e9, "samples", "cpu"}) || r.Flamebearer.NumTicks != 580 ||
		r.Flamebearer.MaxSelf != 400 {
		t.Errorf("%+v, %d ticks", r.Metadata, r.Flamebearer.NumTicks)
	}
	sum := int64(0)
	for _, v := range r.Timeline.Samples {
		sum += v
	}
	if sum != 580 || r.Timeline.DurationDelta != 3 || len(r.Timeline.Samples) != 61 || r.Timeline.Samples[0] != 130 {
		t.Errorf("timeline %+v", r.Timeline)
	}

	code, text = get(t, s.URL+"/pyroscope/render-diff?"+url.Values{
		"leftQuery": {cpuType + `{service_name="shop"}`}, "leftFrom": {at(0)}, "leftUntil": {at(1)},
		"rightQuery": {cpuType + `{service_name="cart"}`}, "rightFrom": {at(0)}, "rightUntil": {at(1)},
	}.Encode())
	r = rendered{}
	if err := json.Unmarshal(text, &r); err != nil || code != http.StatusOK {
		t.Fatalf("%d %s: %v", code, text, err)
	}
	if r.LeftTicks != 270 || r.RightTicks != 70 || r.Metadata.Format != "double" {
		t.Errorf("%+v", r)
	}
	if got := paths(r.Flamebearer.Names, graphOf(&r), 2)["total;main;handle"]; !cmp.Equal(got, []int64{230, 30, 0, 0}) {
		t.Errorf("handle: %v", got)
	}

	for query, want := range map[string]struct {
		status int
		text   string
	}{
		"query=cpu":                              {400, "want NAME:TYPE"},
		"query=" + cpuType + "&from=noon":        {400, "not a time"},
		"query=" + cpuType + "&max-nodes=x":      {400, "want a number"},
		"query=" + cpuType + "%7Ba":              {400, "byte"},
		"query=" + cpuType + "&format=svg":       {501, "want json or dot"},
		"query=" + cpuType + "&from=now-1h&%zz=": {400, "parameters"},
	} {
		if code, text := get(t, s.URL+"/pyroscope/render?"+query); code != want.status ||
			!strings.Contains(string(text), want.text) {
			t.Errorf("%s: %d %s, want %d %s", query, code, text, want.status, want.text)
		}
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]metadata{
		cpuType:                                  {"", "", 1e9, "samples", "cpu"},
		allocType:                                {"", "", 100, "bytes", "alloc_space"},
		"memory:inuse_objects:count:space:bytes": {"", "", 100, "objects", "inuse_objects"},
		"mutex:contentions:count:contentions:count":    {"", "", 100, "lock_samples", "contentions"},
		"block:delay:nanoseconds:contentions:count":    {"", "", 100, "lock_nanoseconds", "delay"},
		"goroutine:goroutine:count:goroutine:count":    {"", "", 100, "goroutines", "goroutine"},
		"process_cpu:samples:count:cpu:nanoseconds":    {"", "", 100, "samples", "samples"},
		"wall:wall:nanoseconds:wall:nanoseconds":       {"", "", 1e9, "samples", "wall"},
		"threadcreate:threadcreate:count:thread:count": {"", "", 100, "samples", "threadcreate"},
	} {
		if got, err := about(id); err != nil || got != want {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}

// TestSettings asks what the page of profiles in Grafana asks first.
func TestSettings(t *testing.T) {
	t.Parallel()
	allow := func(r *http.Request) (string, error) { return access.OneTenant("a token").Tenant(r, access.Read) }
	s := httptest.NewServer(New(Options{Reader: &memory{}, Allow: allow}))
	defer s.Close()
	for token, want := range map[string]int{"a token": http.StatusOK, "no": http.StatusUnauthorized} {
		for _, path := range []string{"/settings.v1.SettingsService/Get", "/pyroscope/render?query=" + cpuType} {
			method := http.MethodPost
			if strings.HasPrefix(path, "/pyroscope") {
				method = http.MethodGet
			}
			r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			r.SetBasicAuth("any", token)
			r.Header.Set("Content-Type", "application/json")
			answer, err := s.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s: %s, want %d", path, answer.Status, want)
			}
		}
	}
}
