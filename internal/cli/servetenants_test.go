package cli_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"

	"github.com/whet-go/whet/internal/server/ingest"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording/recordingtest"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
)

// A client sends requests to whet serve with a token.
type client struct {
	t       *testing.T
	address string
	token   string
}

// do sends a request and returns the status and the answer, without compression.
func (c client) do(method, path, contentType string, body []byte) (int, string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.address+path, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", contentType)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // only read
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil { // a profile
		if data, err = io.ReadAll(z); err != nil {
			c.t.Fatal(err)
		}
	}
	return answer.StatusCode, string(data)
}

// marked returns a profile with a function of a name.
func marked(t *testing.T, name string) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"},
		profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := b.Location(1, profile.None, false, profile.Line{
		Function: b.Function(profile.Function{Name: "main." + name, File: "main.go", StartLine: 1}), Line: 2,
	})
	if err := b.Sample([]uint32{at}, nil, 5, 5e7); err != nil {
		t.Fatal(err)
	}
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	return b.Profile(&profile.Profile{PeriodType: cpu, Period: 1e7, Time: time.Now(), Duration: 10 * time.Second})
}

// fill stores a profile, a recording and a result with a mark in each.
func (c client) fill(mark string) {
	c.t.Helper()
	p := marked(c.t, mark)
	var file bytes.Buffer
	if err := p.Write(&file); err != nil {
		c.t.Fatal(err)
	}
	path := filepath.Join(c.t.TempDir(), "a.whet")
	recordingtest.Write(c.t, path, nil, recordingtest.Profile{Name: "cpu", Profile: p})
	whole, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	result := `{"schema":"whet.prove/v1","module":"example.com/` + mark + `","outcome":"proven ` + mark + `"}`
	for path, body := range map[string][]byte{
		"profiles?service=shop&kind=cpu&label.team=" + mark:                        file.Bytes(),
		"recordings?service=shop&label.team=" + mark + "&about=" + mark:            whole,
		"results?service=shop&time=now&commit=" + strings.Repeat("0f", 20):         []byte(result),
		"profiles?service=" + mark + "&kind=cpu&label.team=" + mark + "&label.a=b": file.Bytes(),
	} {
		if status, text := c.do(http.MethodPost, "/api/v1/store/"+path, "application/octet-stream", body); status >= 300 {
			c.t.Fatalf("%s: %d %s", path, status, text)
		}
	}
	lease := `{"group":"g","member":"` + mark + `","ttl_ns":3000000000}`
	if status, text := c.do(http.MethodPost, "/api/v1/store/leases", "application/json", []byte(lease)); status >= 300 ||
		!strings.Contains(text, mark) {
		c.t.Fatalf("lease: %d %s", status, text)
	}
}

// ids returns the IDs in a list.
func (c client) ids(list string) (ids []string) {
	c.t.Helper()
	_, text := c.do(http.MethodGet, "/api/v1/store/"+list, "", nil)
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		c.t.Fatal(err)
	}
	entries, _ := all[list].([]any)
	for _, e := range entries {
		fields, _ := e.(map[string]any)
		id, _ := fields["id"].(string)
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		c.t.Fatalf("%s: no IDs in %s", list, text)
	}
	return ids
}

// reads are all ways to read a store: GET requests of the API, by the path in its description, and calls of Pyroscope's
// query service, by method. A "" is one that has nothing of a tenant.
func reads(c client) (gets, calls map[string][]string) {
	now := time.Now().UnixMilli()
	times := url.Values{
		"kind": {"cpu"}, "step": {"1h"}, "from": {time.Now().UTC().Add(-time.Hour).Format(time.RFC3339)},
		"to": {time.Now().UTC().Add(time.Hour).Format(time.RFC3339)},
	}
	const cpu = `"profileTypeID":"process_cpu:cpu:nanoseconds:cpu:nanoseconds"`
	span := fmt.Sprintf(`"start":%d,"end":%d`, now-3600e3, now+3600e3)
	of := "{" + cpu + `,"labelSelector":"{}",` + span
	one := "/store/profile?id=" + c.ids("profiles")[0]
	rec := "/store/recording?id=" + c.ids("recordings")[0]
	gets = map[string][]string{
		"/store/series":      {"/store/series"},
		"/store/labels":      {"/store/labels?name=team", "/store/labels?name=service"},
		"/store/profiles":    {"/store/profiles"},
		"/store/timeline":    {"/store/timeline?" + times.Encode()},
		"/store/regressions": {"/store/regressions?kind=cpu"},
		"/store/targets":     {""},
		"/store/merge":       {"/store/merge?kind=cpu", "/store/merge?kind=cpu&query=service%3Dshop"},
		"/store/profile":     {one},
		"/store/results":     {"/store/results?documents=true"},
		"/store/recordings":  {"/store/recordings"},
		"/store/recording":   {rec},
	}
	calls = map[string][]string{
		"ProfileTypes":           {""},
		"LabelValues":            {`{"name":"team",` + span + `}`, `{"name":"service_name",` + span + `}`},
		"LabelNames":             {""},
		"Series":                 {`{"matchers":[],` + span + `}`},
		"SelectMergeStacktraces": {of + `}`},
		"SelectMergeSpanProfile": {""},
		"SelectMergeProfile":     {of + `}`},
		"SelectSeries":           {of + `,"step":15,"groupBy":["team"]}`},
		"SelectHeatmap":          {""},
		"Diff":                   {`{"left":` + of + `},"right":` + of + `}}`},
		"GetProfileStats":        {""},
		"AnalyzeQuery":           {""},
	}
	return gets, calls
}

// TestServeTenants has tenants write and read in every way that there is, on a store in a directory and on two
// shards of ClickHouse: none gets anything of another, and a token for reading writes nothing.
func TestServeTenants(t *testing.T) {
	t.Run("directory", func(t *testing.T) { serveTenants(t, filepath.Join(t.TempDir(), "profiles")) })
	t.Run("ClickHouse", func(t *testing.T) {
		servers := clickhousetest.ForTest(t, clickhousetest.Options{Shards: 2})
		st := servers.Address("tenants")
		checked(t, 0, "created", "store", "migrate", "--store", st, "--unreplicated")
		serveTenants(t, st)
	})
}

func serveTenants(t *testing.T, st string) {
	dir := t.TempDir()
	tenants := []string{"mark_of_a", "mark_of_b"}
	file := "tenants:\n"
	for _, name := range tenants {
		file += "  - name: " + name[len(name)-1:] + "\n    tokens:\n"
		for _, scope := range []string{"read", "write", "read, write"} {
			sum := sha256.Sum256([]byte("the token for " + scope + " of " + name))
			file += "      - {sha256: " + hex.EncodeToString(sum[:]) + ", scopes: [" + scope + "]}\n"
		}
	}
	for name, text := range map[string]string{"tenants.yaml": file, "token": "the token of the operator"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{
		"--store", st, "--tenants", filepath.Join(dir, "tenants.yaml"), "--token-file", filepath.Join(dir, "token"),
		t.TempDir(),
	}
	if strings.HasPrefix(st, "clickhouse:") {
		args = append(args, "--buffer", "none")
	}
	address := serving(t, args...)
	with := func(scope, tenant string) client {
		return client{t, address, "the token for " + scope + " of " + tenant}
	}
	for _, name := range tenants {
		with("write", name).fill(name)
	}
	operator := client{t, address, "the token of the operator"}
	paths := operator.storePaths()
	for i, name := range tenants {
		other := tenants[1-i]
		for _, scope := range []string{"read", "read, write"} {
			c := with(scope, name)
			gets, calls := reads(c)
			if !slices.Equal(sortedKeys(gets), paths) {
				t.Errorf("read %q, but the API has %q", sortedKeys(gets), paths)
			}
			for _, all := range gets {
				for _, path := range all {
					c.sees(name, other, http.MethodGet, "/api/v1"+path, "", path != "" && !strings.Contains(path, "regressions"))
				}
			}
			methods := querierv1.File_querier_v1_querier_proto.Services().ByName("QuerierService").Methods()
			for n := range methods.Len() {
				method := string(methods.Get(n).Name())
				bodies, ok := calls[method]
				if !ok {
					t.Errorf("%s is not called", method)
				}
				for _, body := range bodies {
					path := "/querier.v1.QuerierService/" + method
					c.sees(name, other, http.MethodPost, path, body, body != "")
				}
			}
			for _, path := range []string{"render", "render-diff"} {
				query := url.Values{"query": {`process_cpu:cpu:nanoseconds:cpu:nanoseconds{}`}, "from": {"now-1h"}}
				query.Set("leftQuery", query.Get("query"))
				query.Set("rightQuery", query.Get("query"))
				query.Set("leftFrom", "now-1h")
				query.Set("rightFrom", "now-1h")
				query.Set("leftUntil", "now")
				query.Set("rightUntil", "now")
				c.sees(name, other, http.MethodGet, "/pyroscope/"+path+"?"+query.Encode(), "", true)
			}
			// What the other has, by its name.
			theirs, _ := reads(with("read", other))
			for _, path := range []string{theirs["/store/profile"][0], theirs["/store/recording"][0]} {
				if status, text := c.do(http.MethodGet, "/api/v1"+path, "", nil); status != http.StatusNotFound {
					t.Errorf("%s reads %s: %d %.200s", name, path, status, text)
				}
			}
			for _, query := range []string{"team%3D" + other, "service%3D" + other} {
				status, text := c.do(http.MethodGet, "/api/v1/store/merge?kind=cpu&query="+query, "", nil)
				if status != http.StatusNotFound || strings.Contains(text, "main."+other) {
					t.Errorf("%s merges %s: %d %.200s", name, query, status, text)
				}
			}
		}
	}
	// The operator has the tenant "", which has nothing.
	for _, path := range []string{"series", "labels?name=team", "profiles", "results", "recordings"} {
		if status, text := operator.do(http.MethodGet, "/api/v1/store/"+path, "", nil); status != http.StatusOK ||
			strings.Contains(text, "mark_of") {
			t.Errorf("the operator: %s: %d %.200s", path, status, text)
		}
	}
	operator.fill("mark_of_operator")
	for _, name := range tenants {
		refused(t, with("read", name), with("write", name))
		views(t, operator, with("read, write", name), name, tenants)
	}
}

// views opens queries of a store in all views, which read the tenant "": the operator gets nothing of tenants from
// them, and a tenant's token is refused, also for what the tenant itself has.
func views(t *testing.T, operator, tenant client, name string, marks []string) {
	t.Helper()
	opened := 0
	paths := operator.viewPaths()
	for _, path := range []string{"/top", "/tags", "/flame", "/graph", "/diff", "/list", "/overview", "/download"} {
		if !slices.Contains(paths, path) {
			t.Errorf("no view %s in %q", path, paths)
		}
	}
	for _, path := range paths {
		for _, selector := range []string{"", "team=" + strconv.Quote(marks[0]), "team=" + strconv.Quote(marks[1])} {
			query := "store:cpu{" + selector + "}"
			full := "/api/v1" + path + "?" + url.Values{
				"file": {query}, "base": {query}, "a": {query}, "b": {query}, "symbol": {"main.mark_.*"},
			}.Encode()
			if status, text := tenant.do(http.MethodGet, full, "", nil); status != http.StatusUnauthorized {
				t.Errorf("%s opens %s of %s: %d %.200s", name, path, query, status, text)
			}
			status, text := operator.do(http.MethodGet, full, "", nil)
			for _, mark := range marks {
				if strings.Contains(text, "main."+mark) {
					t.Errorf("the operator opens %s of %s: %d %.200s", path, query, status, text)
				}
			}
			if strings.Contains(text, "main.mark_of_operator") {
				opened++
			}
		}
	}
	if opened < 5 {
		t.Errorf("the operator sees the own profile in %d views", opened)
	}
}

// sees sends a request. The answer must have nothing of another tenant, and if full the mark of this one.
func (c client) sees(own, other, method, path, body string, full bool) {
	c.t.Helper()
	if method == http.MethodPost && body == "" {
		body = "{}"
	}
	status, text := c.do(method, path, "application/json", []byte(body))
	if strings.Contains(text, other) {
		c.t.Errorf("%s %s %s: %d, with data of %s: %.300s", method, path, body, status, other, text)
	}
	if full && (status != http.StatusOK || !strings.Contains(text, own)) {
		c.t.Errorf("%s %s %s: %d without data of %s: %.300s", method, path, body, status, own, text)
	}
}

// storePaths returns the paths for reading in the description of the API.
func (c client) storePaths() (paths []string) {
	c.t.Helper()
	status, text := c.do(http.MethodGet, "/api/v1/openapi.json", "", nil)
	var doc struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || status != http.StatusOK {
		c.t.Fatalf("%d, %v", status, err)
	}
	for path, methods := range doc.Paths {
		if strings.HasPrefix(path, "/store/") && methods["get"] != nil {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// viewPaths returns the paths in the description of the API that read a file.
func (c client) viewPaths() (paths []string) {
	c.t.Helper()
	status, text := c.do(http.MethodGet, "/api/v1/openapi.json", "", nil)
	var doc struct {
		Paths map[string]struct {
			Get struct{ Parameters []struct{ Name string } }
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || status != http.StatusOK {
		c.t.Fatalf("%d, %v", status, err)
	}
	for path, methods := range doc.Paths {
		for _, p := range methods.Get.Parameters {
			if p.Name == "file" && !strings.HasPrefix(path, "/store/") {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// refused writes with a token for reading, and reads with one for writing.
func refused(t *testing.T, reader, writer client) {
	t.Helper()
	before := fmt.Sprint(reader.ids("profiles"), reader.ids("recordings"))
	for _, pattern := range ingest.Paths() {
		method, path, _ := strings.Cut(pattern, " ")
		content := "application/octet-stream"
		if strings.Contains(path, ".") { // a call
			content = "application/json"
		}
		status, text := reader.do(method, path+"?service=x&name=x", content, []byte("{}"))
		if status != http.StatusForbidden {
			t.Errorf("%s writes to %s: %d %.200s", reader.token, path, status, text)
		}
	}
	if after := fmt.Sprint(reader.ids("profiles"), reader.ids("recordings")); after != before {
		t.Errorf("%s wrote %s, there was %s", reader.token, after, before)
	}
	for method, path := range map[string]string{
		http.MethodGet: "/api/v1/store/series", http.MethodPost: "/querier.v1.QuerierService/LabelNames",
	} {
		if status, text := writer.do(method, path, "application/json", []byte("{}")); status/100 != 4 {
			t.Errorf("%s reads %s: %d %.200s", writer.token, path, status, text)
		}
	}
}
