package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime/trace"
	"strings"
	"sync"
	"testing"

	"github.com/whet-go/whet/internal/leaktest"
	"github.com/whet-go/whet/internal/server/problem"
	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/timeline"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// traced returns the timeline of a trace in which goroutines wait for each other, with a task and
// the garbage collector.
func traced(t testing.TB) *timeline.Timeline {
	t.Helper()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	_, task := trace.NewTask(context.Background(), "order")
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				mu.Lock()
				bytes.Repeat([]byte("x"), 1000)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	task.End()
	trace.Stop()
	return timeline.New(tracetest.Index(t, out.Bytes()), "test")
}

const policy = "default-src 'none'"

// at is what the addresses of answers begin with.
const at = Base + "/timeline/"

func handler(t testing.TB) http.Handler {
	t.Helper()
	h, err := New(traced(t), Page{HTML: []byte("<!doctype html>hello"), Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request like a browser on this machine.
func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	r.Host = "127.0.0.1:8080"
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func decode[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return v
}

// rawSpans are spans in their JSON form.
type rawSpans struct {
	From, To int64
	Width    int
	Rows     []struct {
		ID           string
		Spans, Parts [][]int64
	}
}

// TestAPI requests the answers that the page requests.
func TestAPI(t *testing.T) {
	h := handler(t)
	if w := ask(h, "GET", "/"); w.Code != 200 || !strings.Contains(w.Body.String(), "hello") ||
		w.Header().Get("Content-Security-Policy") != policy ||
		!strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		t.Errorf("page: %d %v", w.Code, w.Header())
	}
	trace := decode[timeline.Trace](t, ask(h, "GET", at+"trace"))
	if trace.Name != "test" || trace.Duration <= 0 || len(trace.States) < 4 {
		t.Fatalf("trace: %+v", trace)
	}
	procs := decode[timeline.RowList](t, ask(h, "GET", at+"rows?type=proc"))
	goroutines := decode[timeline.RowList](t, ask(h, "GET", at+"rows?type=goroutine&match=TestAPI&order=busy&limit=5"))
	all := decode[timeline.RowList](t, ask(h, "GET", at+"rows?type=goroutine"))
	if procs.Total == 0 || all.Total < 9 || len(all.Rows) == 0 {
		t.Fatalf("%d processors, %d goroutines of %d", procs.Total, goroutines.Total, all.Total)
	}
	first := all.Rows[0]
	if named := decode[timeline.RowList](t, ask(h, "GET", at+"rows?ids="+first.ID)); len(named.Rows) != 1 ||
		named.Rows[0] != first {
		t.Errorf("named: %+v, want %+v", named, first)
	}
	spans := decode[rawSpans](t, ask(h, "GET", at+"spans?width=500&ids="+first.ID+","+procs.Rows[0].ID))
	if len(spans.Rows) != 2 || spans.From != 0 || spans.To != trace.Duration ||
		len(spans.Rows[0].Spans)+len(spans.Rows[0].Parts) == 0 {
		t.Fatalf("spans: %+v", spans)
	}
	stacks := 0
	for _, g := range all.Rows {
		for _, s := range decode[rawSpans](t, ask(h, "GET", at+"spans?ids="+g.ID)).Rows[0].Spans {
			if len(s) != 5 || s[0] > s[1] || int(s[2]) >= len(trace.States) {
				t.Fatalf("span %v", s)
			}
			if s[3] == 0 {
				continue
			}
			n, err := json.Marshal(s[3])
			if err != nil {
				t.Fatal(err)
			}
			f := decode[[][]timeline.Frame](t, ask(h, "GET", at+"frames?ids="+string(n)))
			if len(f) == 1 && len(f[0]) > 0 && f[0][0].Function != "" && f[0][0].Line > 0 {
				stacks++
			}
		}
	}
	if stacks == 0 {
		t.Error("no span has a stack")
	}
	if f := decode[[][]timeline.Frame](t, ask(h, "GET", at+"frames?ids=0,0")); len(f) != 2 || f[0] == nil ||
		len(f[0]) != 0 {
		t.Errorf("no stack: %v", f)
	}
	for _, name := range trace.Metrics {
		for _, p := range decode[[]timeline.Point](t,
			ask(h, "GET", at+"metric?width=10&name="+strings.NewReplacer("/", "%2F", ":", "%3A").Replace(name))) {
			if p.Min > p.Last || p.Last > p.Max {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
	// A window is cut to the trace.
	if w := decode[rawSpans](t, ask(h, "GET", at+"spans?from=5&to=999999999999999&ids="+first.ID)); w.From != 5 ||
		w.To != trace.Duration {
		t.Errorf("window from %d to %d", w.From, w.To)
	}
}

// TestDescribed has each answer be of the type in the description, which has all addresses.
func TestDescribed(t *testing.T) {
	h := handler(t)
	described := decode[struct {
		Paths map[string]any `json:"paths"`
	}](t, ask(h, "GET", Base+"/openapi.json"))
	params := map[string]string{
		"rows": "type=goroutine", "spans": "ids=g1,p0&width=10", "metric": "name=%2Fsched%2Fgomaxprocs:threads",
		"frames": "ids=1,2", "marks": "ids=g1", "stacks": "by=wait",
	}
	routes := Routes(nil)
	if len(described.Paths) != len(routes) {
		t.Errorf("%d paths are described, and there are %d", len(described.Paths), len(routes))
	}
	for _, r := range routes {
		if described.Paths[r.Path] == nil {
			t.Errorf("%s is not described", r.Path)
		}
		w := ask(h, "GET", Base+r.Path+"?"+params[strings.TrimPrefix(r.Path, "/timeline/")])
		got := w.Body.String()
		d := json.NewDecoder(w.Body)
		d.DisallowUnknownFields()
		doc := reflect.New(reflect.TypeOf(r.Answer))
		if err := d.Decode(doc.Interface()); err != nil || w.Code != http.StatusOK {
			t.Errorf("%s: %d %v in %.300s", r.Path, w.Code, err, got)
			continue
		}
		again, err := json.Marshal(doc.Interface())
		if err != nil || string(again) != strings.TrimSpace(got) {
			t.Errorf("%s: %.300s of the type is %.300s, %v", r.Path, got, again, err)
		}
	}
}

// TestRefused sends requests that are refused.
func TestRefused(t *testing.T) {
	h := handler(t)
	long := strings.Repeat("a", 2000)
	for _, test := range []struct {
		method, target, want string
		code                 int
		header               []string
	}{
		{"POST", at + "trace", "want GET", 405, nil},
		{"DELETE", "/", "want GET", 405, nil},
		{"GET", "/api/frob", "/api/frob", 404, nil},
		{"GET", "/etc/passwd", "not found", 404, nil},
		{"GET", "/", "evil.example", 403, []string{"Host", "evil.example"}},
		{"GET", at + "trace", "evil.example", 403, []string{"Host", "evil.example:8080"}},
		{"GET", at + "trace", "127.0.0.1.evil.example", 403, []string{"Host", "127.0.0.1.evil.example"}},
		{"GET", at + "trace", "192.0.2.1", 403, []string{"Host", "192.0.2.1:8080"}},
		{"GET", at + "trace", "not a name", 403, []string{"Host", ""}},
		{"GET", at + "trace", "another site", 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"GET", at + "trace", "another site", 403, []string{"Sec-Fetch-Site", "same-site"}},
		{"GET", at + "rows?type=frob", "frob", 400, nil},
		{"GET", at + "rows", "type", 400, nil},
		{"GET", at + "rows?type=goroutine&order=worst", "worst", 400, nil},
		{"GET", at + "rows?type=goroutine&match=(", "match", 400, nil},
		{"GET", at + "rows?type=goroutine&match=" + long, "match: it has more than 1000 bytes", 400, nil},
		{"GET", at + "rows?type=goroutine&limit=1001", "limit", 400, nil},
		{"GET", at + "rows?type=goroutine&limit=0", "limit", 400, nil},
		{"GET", at + "rows?type=goroutine&skip=-1", "skip", 400, nil},
		{"GET", at + "rows?ids=" + strings.Repeat("g1,", 1000), "ids", 400, nil},
		{"GET", at + "rows?ids=g99999999", "g99999999", 400, nil},
		{"GET", at + "spans?width=10", "ids", 400, nil},
		{"GET", at + "spans?ids=g1&width=0", "width", 400, nil},
		{"GET", at + "spans?ids=g1&width=100000", "width", 400, nil},
		{"GET", at + "spans?ids=g1&from=x", "from", 400, nil},
		{"GET", at + "spans?ids=g1&from=10&to=5", "is after", 400, nil},
		{"GET", at + "spans?ids=g1&from=-5", "from", 400, nil},
		{"GET", at + "spans?ids=g1,x", "x", 400, nil},
		{"GET", at + "spans?ids=g1,,", "", 400, nil},
		{"GET", at + "metric?name=/no/such", "/no/such", 400, nil},
		{"GET", at + "frames?ids=99999999999", "is not the number", 400, nil},
		{"GET", at + "frames", "missing", 400, nil},
		{"GET", at + "frames?ids=%zz", "%zz", 400, nil},
		{"GET", at + "frames?ids=1,x", "x", 400, nil},
		{"GET", at + "marks?ids=p0", "p0", 400, nil},
		{"GET", at + "marks?ids=g1&width=0", "width", 400, nil},
		{"GET", at + "stays?state=-2", "state", 400, nil},
		{"GET", at + "stays?state=9999", "state", 400, nil},
		{"GET", at + "stays?limit=2000", "limit", 400, nil},
		{"GET", at + "stays?ids=g1,p0", "p0", 400, nil},
		{"GET", at + "stacks?by=size", "size", 400, nil},
		{"GET", at + "stacks?ids=x1", "x1", 400, nil},
	} {
		w := ask(h, test.method, test.target, test.header...)
		var e problem.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != test.code ||
			e.Status != test.code || !strings.Contains(e.Detail, test.want) || e.Detail == "" ||
			w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("Content-Security-Policy") != policy {
			t.Errorf("%s %.60s %v: %d %.200s, want %d and %q", test.method, test.target, test.header, w.Code, w.Body,
				test.code, test.want)
		}
	}
	for target, want := range map[string]string{
		at + "rows?type=goroutine&match=(": "Go regular expression",
		at + "spans?width=10":              "/timeline/rows lists",
		at + "frames?ids=1,x":              "numbers of their stacks",
		"/api/frob":                        "openapi.json describes",
	} {
		var p problem.Problem
		if err := json.Unmarshal(ask(h, "GET", target).Body.Bytes(), &p); err != nil || !strings.Contains(p.Hint, want) {
			t.Errorf("%s: the hint is %q (%v), want %q", target, p.Hint, err, want)
		}
	}
	for _, host := range []string{
		"localhost", "localhost:80", "LOCALHOST.", "127.0.0.1", "127.9.9.9:1", "[::1]:80",
		"[::1]", "[::ffff:127.0.0.1]:80",
	} {
		if w := ask(h, "GET", at+"trace", "Host", host); w.Code != 200 {
			t.Errorf("host %q: %d %s", host, w.Code, w.Body)
		}
	}
}

// FuzzRequest sends any request: every answer is JSON, or a redirect.
func FuzzRequest(f *testing.F) {
	h := handler(f)
	for _, seed := range [][2]string{
		{"rows", "type=goroutine&match=a.*&from=1&to=2000&order=busy&skip=1&limit=3"},
		{"rows", "ids=g1,g2"},
		{"spans", "ids=g1,p0,c0&from=0&to=999&width=7"},
		{"metric", "name=/x&width=3"},
		{"frames", "ids=1,2"},
		{"marks", "ids=g1,g2&from=0&to=999&width=7"},
		{"stays", "ids=g1&state=1&limit=3"},
		{"stacks", "ids=g1&by=wait"},
		{"classes", ""},
		{"utilization", ""},
		{"trace", ""},
		{"", ""},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = "localhost"
		r.URL.Path, r.URL.RawQuery = Base+"/timeline/"+path, query
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch w.Code {
		case 200, 400, 404:
			if !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s: %s", r.URL, w.Body)
			}
		case 301, 307, 308: // the path was not clean
		default:
			t.Errorf("%s: %d %s", r.URL, w.Code, w.Body)
		}
	})
}
