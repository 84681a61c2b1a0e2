package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/bench/rounds"
	"github.com/whet-go/whet/internal/leaktest"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/internal/server/jobs"
	"github.com/whet-go/whet/internal/server/problem"
	"github.com/whet-go/whet/internal/server/results"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/memory"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// recordingFile is a real recording in the repository.
const recordingFile = "../../../recording/testdata/slug.whet"

// serve returns a server of a directory with the recording twice, at an address of this machine.
func serve(t *testing.T, change ...func(*Options)) (*Server, string) {
	t.Helper()
	dir := t.TempDir()
	data, err := os.ReadFile(recordingFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.whet", "b.whet", "notes.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return serveDir(t, dir, access.Options{}, change...)
}

func serveDir(t *testing.T, dir string, allow access.Options, change ...func(*Options)) (*Server, string) {
	t.Helper()
	set, err := files.Open([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Files: set, Guard: access.New(allow, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}), Version: "test",
		Assets: fstest.MapFS{
			"index.html":   {Data: []byte("<!doctype html>hello")},
			"assets/a.css": {Data: []byte(strings.Repeat("p { color: red }\n", 100))},
		},
	}
	for _, c := range change {
		c(&o)
	}
	ctx, stop := context.WithCancel(t.Context())
	s, err := New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, dir
}

// ask sends a request like a browser on this machine. header has names and values in turn.
func ask(h http.Handler, method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
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

// get decodes an answer.
func get[T any](t *testing.T, h http.Handler, target string) T {
	t.Helper()
	var v T
	w := ask(h, http.MethodGet, target, "")
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: %d %.300s %v", target, w.Code, w.Body, err)
	}
	return v
}

// TestDocuments has the charts of a load as data and as a page to save, and the old address of a
// timeline lead to the page.
func TestDocuments(t *testing.T) {
	s, dir := serve(t, func(o *Options) {
		o.Assets = fstest.MapFS{
			"index.html": {Data: []byte("views")}, "document.html": {Data: []byte("documents")},
		}
	})
	l := `{"schema": "` + load.Schema + `", "target": "http://x/<b>", "requests": 3, "responses": 3}`
	if err := os.WriteFile(filepath.Join(dir, "l.json"), []byte(l), 0o600); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/load?file=l.json": "documents", "/timeline": "documents", "/flame": "views", "/": "views",
	} {
		w := ask(s, http.MethodGet, target, "")
		if w.Body.String() != want || w.Header().Get("Content-Security-Policy") != policy {
			t.Errorf("%s: %s, policy %s", target, w.Body, w.Header().Get("Content-Security-Policy"))
		}
	}
	two := get[loads.Document](t, s, "/api/v1/load?file=l.json&base=l.json")
	if len(two.Runs) != 2 || two.Runs[0].Name != "l.json" || two.Title != "l.json" {
		t.Errorf("%+v", two)
	}
	page := ask(s, http.MethodGet, "/api/v1/load?file=l.json&format=html", "")
	if !strings.Contains(page.Body.String(), loads.Mark) ||
		page.Header().Get("Content-Disposition") != `attachment; filename="l.json.html"` {
		t.Errorf("%v %.200s", page.Header(), page.Body)
	}
	for target, hint := range map[string]string{
		"/api/v1/load": "/files", "/api/v1/load?file=l.json&format=png": "want json or html",
	} {
		if w := ask(s, http.MethodGet, target, ""); w.Code != 400 || !strings.Contains(w.Body.String(), hint) {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	w := ask(s, http.MethodGet, "/trace/deep%2Fa.whet/", "")
	if at := w.Header().Get("Location"); w.Code != http.StatusMovedPermanently || at != "/timeline?file=deep%2Fa.whet" {
		t.Errorf("%d %s", w.Code, at)
	}
}

// TestProcess has the parts of goroutines and memory add up.
func TestProcess(t *testing.T) {
	s, _ := serve(t)
	g := get[goroutines.Report](t, s, "/api/v1/goroutines?file=a.whet")
	sum, started := int64(0), int64(0)
	for _, x := range g.Groups {
		sum += x.Count
	}
	for _, x := range g.Creators {
		started += x.Count
	}
	if g.Name != "a.whet" || g.Total != 4 || sum != 4 || started != 4 || g.EarlierTotal != 8 {
		t.Errorf("%d in groups, %d by creators: %+v", sum, started, g)
	}
	one := get[goroutines.Report](t, s, "/api/v1/goroutines?file=a.whet&n=1")
	if len(one.Groups) != 1 || one.Left+one.Groups[0].Count != 4 {
		t.Errorf("%+v", one)
	}
	kept := get[goroutines.Report](t, s, "/api/v1/goroutines?file=a.whet&focus=Serve$&ignore=Accept")
	if kept.Filtered == 0 || len(kept.Groups) == 0 {
		t.Errorf("%+v", kept)
	}
	m := get[memory.Report](t, s, "/api/v1/memory?file=a.whet")
	sum = 0
	for _, p := range m.Parts {
		sum += p.Bytes
	}
	if m.Name != "a.whet" || m.Total == 0 || sum != m.Total {
		t.Errorf("parts of %d bytes: %+v", sum, m)
	}
	for target, want := range map[string]int{
		"/api/v1/goroutines?file=x.whet": 404, "/api/v1/memory?file=x.whet": 404,
		"/api/v1/goroutines?file=a.whet&focus=(": 400, "/api/v1/goroutines?file=a.whet&n=-1": 400,
	} {
		if w := ask(s, http.MethodGet, target, ""); w.Code != want {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

// results returns files with benchmarks and findings.
func resultFiles(t *testing.T) map[string][]byte {
	t.Helper()
	text := "goos: linux\npkg: example.com/x\n"
	for i := range 6 {
		text += fmt.Sprintf("BenchmarkJoin-2 1000 %d ns/op 64 B/op\n", 1000+i)
	}
	found, err := json.Marshal(find.Result{
		Schema: find.Schema, Module: "example.com/x", Rules: 7,
		Findings: []find.Finding{{
			ID: "f1", Rule: "concat", Title: "string built in a loop", Why: "each += copies <b>all</b> of it",
			Places: []find.Place{{File: "join.go", Line: 12, Code: "text += part"}}, Function: "Join", Saving: 0.25,
			Evidence: []find.Evidence{{Cost: "cpu", Share: 0.3}},
			Fix: &find.Fix{
				Message: "use a strings.Builder",
				Diff:    "--- a/join.go\n+++ b/join.go\n-text += part\n+b.WriteString(part)\n",
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := bench.Compare(t.Context(), []bench.Input{{Path: "-", Label: "old"}}, bench.Options{
		Stdin: strings.NewReader(text),
	})
	if err != nil {
		t.Fatal(err)
	}
	compared, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	run, err := json.Marshal(rounds.Result{Schema: rounds.Schema, Summary: *c})
	if err != nil {
		t.Fatal(err)
	}
	all := proofs(t)
	all["new.txt"] = []byte(strings.ReplaceAll(text, " 10", " 5"))
	all["run.json"] = run
	all["bench.txt"], all["found.json"], all["compared.json"], all["along.json"] = []byte(text), found, compared,
		alongCommits(t)
	return all
}

// alongCommits is what whet bench history --json writes of ten commits, of which the seventh is slower.
func alongCommits(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	for i := range 10 {
		at := time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC)
		hash := fmt.Sprintf("%040x", i+0xa0)
		text := "commit: " + hash + "\ncommit-time: " + at.Format(time.RFC3339) + "\ngoos: linux\npkg: example.com/x\n"
		for k := range 6 {
			text += fmt.Sprintf("BenchmarkJoin-2 1000 %d ns/op 64 B/op\n", 1000+i/6*300+k+i)
		}
		path := filepath.Join(dir, at.Format("20060102T150405Z-")+hash[:12]+".txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := history.Read(t.Context(), dir, history.Options{Repository: dir})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Commits {
		r.Commits[i].Subject = fmt.Sprintf("change %d of <b>Join</b>", i)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestOverTime has the lines of all recordings of a program, and none of another's.
func TestOverTime(t *testing.T) {
	s, dir := serve(t)
	cpu, err := os.ReadFile("../../../find/testdata/slug.cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"other.pb.gz", "damaged.whet"} { // neither is part of the series
		if err := os.WriteFile(filepath.Join(dir, name), cpu[:len(cpu)-len(name)%11], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "b.whet"), old, old); err != nil {
		t.Fatal(err)
	}
	d := get[OverTime](t, s, "/api/v1/over-time?file=a.whet&n=2")
	if len(d.Points) != 2 || d.Points[0].Name != "b.whet" || d.Points[1].Name != "a.whet" || d.Points[0].Total == 0 ||
		d.SampleType.Type != "cpu" || len(d.Lines) == 0 || len(d.Lines) > 2 {
		t.Fatalf("%+v", d)
	}
	for _, l := range d.Lines {
		if len(l.Share) != 2 || l.Cost[0] == 0 || l.Cost[0] != l.Cost[1] || l.Line[0] == 0 || l.Share[0] != l.Share[1] {
			t.Errorf("%+v", l)
		}
	}
	if w := ask(s, http.MethodGet, "/api/v1/over-time?file=none.whet", ""); w.Code != http.StatusNotFound {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestResults has the pages of benchmarks and findings show what the files have.
func TestResults(t *testing.T) {
	s, dir := serve(t)
	bad := map[string]string{
		"history.json": `{"schema": "` + history.Schema + `", "commits": []}`,
		"machine.json": `{"schema": "` + history.Schema + `", "commits": [{"hash": "abc"}], "series": [{"machine": 7}]}`,
		"cut.json":     `{"schema": "` + bench.Schema + `", "tables": [`,
		"old.json":     `{"schema": "whet.find/1"}`,
	}
	for name, data := range resultFiles(t) {
		bad[name] = string(data)
	}
	for name, data := range bad {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bench.txt", "run.json", "compared.json"} {
		b := get[results.BenchDocument](t, s, "/api/v1/bench?file="+name)
		if b.Measured == nil || len(b.Measured.Tables) != 2 || b.Measured.Tables[0].Rows[0].Name != "Join-2" {
			t.Errorf("%s: %+v", name, b.Measured)
		}
	}
	if h := get[results.BenchDocument](t, s, "/api/v1/bench?file=along.json").History; h == nil || len(h.Commits) != 10 ||
		len(h.Changes) != 1 || h.Commits[h.Changes[0].At].Subject != "change 6 of <b>Join</b>" {
		t.Errorf("%+v", h)
	}
	f := get[find.Result](t, s, "/api/v1/findings?file=found.json")
	if len(f.Findings) != 1 || f.Findings[0].Fix == nil || f.Findings[0].Saving != 0.25 {
		t.Errorf("%+v", f)
	}
	for target, want := range map[string]string{
		"bench?file=history.json": "contradict", "bench?file=machine.json": "contradict",
		"bench?file=cut.json": "unexpected end", "findings?file=old.json": "unknown schema",
		"bench?file=found.json": "unknown schema",
	} {
		w := ask(s, http.MethodGet, "/api/v1/"+target, "")
		if w.Code != 422 || !strings.Contains(w.Body.String(), want) || !strings.Contains(w.Body.String(), "--json") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestFiles(t *testing.T) {
	s, dir := serve(t)
	list := get[FileList](t, s, "/api/v1/files")
	if len(list.Files) != 2 || list.Files[0].Kind != files.Recording || !list.Complete {
		t.Fatalf("%+v", list)
	}
	w := ask(s, http.MethodGet, "/api/v1/files", "")
	if again := ask(s, http.MethodGet, "/api/v1/files", "", "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
		t.Errorf("the same list: %d", again.Code)
	}
	if err := os.Remove(filepath.Join(dir, "b.whet")); err != nil {
		t.Fatal(err)
	}
	again := ask(s, http.MethodGet, "/api/v1/files", "", "If-None-Match", w.Header().Get("ETag"))
	if again.Code != 200 || strings.Contains(again.Body.String(), "b.whet") {
		t.Errorf("a changed list: %d %s", again.Code, again.Body)
	}
	f := get[File](t, s, "/api/v1/file?file=a.whet")
	if f.Meta == nil || len(f.Profiles) == 0 || f.File.Name != "a.whet" {
		t.Errorf("%+v", f)
	}
}

// TestViews holds the answers to each other: all views of a sample type have the same total.
func TestViews(t *testing.T) {
	s, dir := serve(t)
	f := get[File](t, s, "/api/v1/file?file=a.whet")
	for _, p := range f.Profiles {
		for _, typ := range p.Types {
			q := "file=a.whet&type=" + p.Name + ":" + typ.Type
			type header struct {
				Profile struct {
					Total int64 `json:"total"`
				} `json:"profile"`
			}
			top := get[header](t, s, "/api/v1/top?"+q)
			over := get[Overview](t, s, "/api/v1/overview?brief=true&"+q)
			sum := int64(0)
			for _, part := range over.Costs[0].Parts {
				sum += part.Value
			}
			// What a heap gained may be negative, and a total counts that as it counts a difference.
			signed := strings.HasPrefix(typ.Type, "inuse_")
			if over.Costs[0].Total != top.Profile.Total || sum != top.Profile.Total && !signed {
				t.Errorf("%s: total %d, overview %d, its parts %d", q, top.Profile.Total, over.Costs[0].Total, sum)
			}
			for _, view := range []string{"tags", "graph", "flame"} {
				if w := ask(s, http.MethodGet, "/api/v1/"+view+"?"+q, ""); w.Code != 200 {
					t.Errorf("%s?%s: %d %s", view, q, w.Code, w.Body)
				}
			}
		}
	}
	over := get[Overview](t, s, "/api/v1/overview?file=a.whet")
	if len(over.Lines) == 0 {
		t.Fatal("no lines")
	}
	code := 0
	for _, l := range over.Lines {
		if l.Code != "" {
			code++
		}
		w := ask(s, http.MethodGet, "/api/v1/list?file=a.whet&function="+escape(l.Function), "")
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"lines"`) {
			t.Errorf("list %s: %d %.200s", l.Function, w.Code, w.Body)
		}
	}
	if code == 0 {
		t.Error("no line has its source")
	}
	for _, target := range []string{
		"/api/v1/diff?file=b.whet&diff_base=a.whet", "/api/v1/flame?file=b.whet&diff_base=a.whet&format=packed",
		"/api/v1/flame?file=a.whet&format=html&all=true", "/api/v1/graph?file=a.whet&format=svg&n=10",
		"/api/v1/graph?file=a.whet&format=dot", "/api/v1/download?file=a.whet", "/api/v1/download?file=a.whet&part=cpu",
		"/api/v1/openapi.json", "/api/v1/session", "/api/v1/jobs", "/", "/overview",
	} {
		w := ask(s, http.MethodGet, target, "")
		if w.Code != 200 || w.Body.Len() == 0 || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %d, %d bytes", target, w.Code, w.Body.Len())
		}
		if strings.Contains(w.Body.String(), dir) {
			t.Errorf("%s has the path of the directory", target)
		}
	}
}

func escape(s string) string {
	return strings.NewReplacer("(", "%28", "*", "%2A", ")", "%29", " ", "%20").Replace(s)
}

// TestProblems sends requests that are refused, each with a problem that says so.
func TestProblems(t *testing.T) {
	s, dir := serve(t)
	outside := filepath.Join(t.TempDir(), "out.whet")
	if err := os.WriteFile(outside, []byte("PK\x03\x04"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.whet")); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct {
		method, target, body string
		code                 int
		want                 string
		header               []string
	}{
		{"GET", "/api/v1/file?file=no.whet", "", 404, "no.whet", nil},
		{"GET", "/api/v1/file?file=../out.whet", "", 404, "out.whet", nil},
		{"GET", "/api/v1/file?file=/etc/passwd", "", 404, "passwd", nil},
		{"GET", "/api/v1/file?file=link.whet", "", 404, "link.whet", nil},
		{"GET", "/api/v1/download?file=link.whet", "", 404, "link.whet", nil},
		{"GET", "/api/v1/top?file=a.whet&type=frob", "", 400, "frob", nil},
		{"GET", "/api/v1/top?file=a.whet&focus=(", "", 400, "focus", nil},
		{"GET", "/api/v1/top?file=a.whet&n=-1", "", 400, "n", nil},
		{"GET", "/api/v1/top?file=a.whet&focus=" + strings.Repeat("a", 5000), "", 400, "focus", nil},
		{"GET", "/api/v1/top", "", 400, "file", nil},
		{"GET", "/api/v1/list?file=a.whet", "", 400, "function", nil},
		{"GET", "/api/v1/list?file=a.whet&function=main.none", "", 400, "no function", nil},
		{"GET", "/api/v1/flame?file=a.whet&format=pdf", "", 400, "pdf", nil},
		{"GET", "/api/v1/flame?file=a.whet&below=main.none", "", 400, "below", nil},
		{"GET", "/api/v1/flame?file=a.whet&below=main.main&format=html", "", 400, "neither in the order of time", nil},
		{"GET", "/api/v1/top?file=a.whet&tagroot=absent", "", 400, "absent", nil},
		{"GET", "/api/v1/timeline?file=a.whet&from=x", "", 400, "not a time", nil},
		{"GET", "/api/v1/timeline?file=a.whet&from=9&to=3", "", 400, "ends before", nil},
		{"GET", "/api/v1/saved?file=no.whet", "", 422, "no.whet", nil},
		{"GET", "/api/v1/frob", "", 404, "/api/v1/frob", nil},
		{"POST", "/api/v1/jobs", `{"kind": "frob"}`, 400, "frob", nil},
		{"POST", "/api/v1/jobs", `{"kind": "record", "target": "http://192.0.2.1/"}`, 400, "was not given", nil},
		{"POST", "/api/v1/jobs", `{"kind": "find", "file": "a.whet"}`, 400, "module", nil},
		{"POST", "/api/v1/jobs", `{"kind": "record", "url": "http://192.0.2.1/"}`, 400, "url", nil},
		{"GET", "/api/v1/jobs/9", "", 404, "9", nil},
		{"POST", "/api/v1/jobs/9/cancel", "", 404, "9", nil},
		{"POST", "/api/v1/files?name=x.sh", "#!", 400, "x.sh", nil},
		{"POST", "/api/v1/files?name=x.whet", "text", 400, "x.whet", nil},
		{"GET", "/api/v1/files", "", 403, "evil.example", []string{"Host", "evil.example"}},
		{"GET", "/api/v1/files", "", 403, "192.0.2.1", []string{"Host", "192.0.2.1"}},
		{"GET", "/api/v1/files", "", 403, "another site", []string{"Sec-Fetch-Site", "cross-site"}},
		{"GET", "/trace/a.whet/api/trace", "", 403, "another site", []string{"Sec-Fetch-Site", "cross-site"}},
		{"GET", "/trace/a.whet/api/", "", 403, "another site", []string{"Sec-Fetch-Site", "same-site"}},
		{"GET", "/trace/d%2Fa.whet/x", "", 403, "another site", []string{"Sec-Fetch-Site", "cross-site"}},
		{"GET", "/%74race/a.whet/api/trace", "", 403, "another site", []string{"Sec-Fetch-Site", "cross-site"}},
		{"POST", "/api/v1/jobs", `{}`, 403, "another site", []string{"Origin", "http://evil.example"}},
		{"POST", "/api/v1/jobs", `{}`, 403, "another site", []string{"Origin", "null"}},
	} {
		w := ask(s, test.method, test.target, test.body, test.header...)
		var p problem.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != test.code || p.Status != test.code ||
			!strings.Contains(p.Detail, test.want) || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %.80s: %d %.300s, want %d and %q", test.method, test.target, w.Code, w.Body, test.code, test.want)
		}
		if strings.Contains(w.Body.String(), dir) {
			t.Errorf("%s: the answer has the path of the directory: %s", test.target, w.Body)
		}
	}
}

// TestLinkToTrace follows a link of another site to where the page of a trace once was.
func TestLinkToTrace(t *testing.T) {
	s, _ := serve(t)
	w := ask(s, "GET", "/trace/d%2Fa.whet/", "", "Sec-Fetch-Site", "cross-site")
	if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "/timeline?file=d%2Fa.whet" {
		t.Errorf("%d to %q", w.Code, w.Header().Get("Location"))
	}
}

// TestToken connects to a server that requires a token.
func TestToken(t *testing.T) {
	token := strings.Repeat("secret", 4)
	s, _ := serveDir(t, t.TempDir(), access.Options{Token: token})
	if w := ask(s, http.MethodGet, "/", ""); w.Code != 200 {
		t.Errorf("the page: %d", w.Code)
	}
	for _, target := range []string{"/api/v1/files", "/api/v1/openapi.json", "/trace/x/", "/api/v1/load?file=x"} {
		if w := ask(s, http.MethodGet, target, ""); w.Code != 401 {
			t.Errorf("%s without a token: %d", target, w.Code)
		}
	}
	if w := ask(s, http.MethodGet, "/api/v1/files", "", "Authorization", "Bearer wrong"); w.Code != 401 {
		t.Errorf("a wrong token: %d", w.Code)
	}
	if w := ask(s, http.MethodGet, "/api/v1/files", "", "Authorization", "Bearer "+token); w.Code != 200 {
		t.Errorf("the token: %d %s", w.Code, w.Body)
	}
	w := ask(s, http.MethodPost, "/api/v1/session", `{"token": "wrong"}`)
	if w.Code != 401 || len(w.Result().Cookies()) != 0 {
		t.Errorf("login with a wrong token: %d %s", w.Code, w.Body)
	}
	w = ask(s, http.MethodPost, "/api/v1/session", `{"token": "`+token+`"}`)
	cookies := w.Result().Cookies()
	if w.Code != 200 || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode ||
		strings.Contains(cookies[0].Value, token) {
		t.Fatalf("login: %d %s %+v", w.Code, w.Body, cookies)
	}
	cookie := cookies[0].Name + "=" + cookies[0].Value
	if w := ask(s, http.MethodGet, "/api/v1/files", "", "Cookie", cookie); w.Code != 200 {
		t.Errorf("the cookie: %d %s", w.Code, w.Body)
	}
	if w := ask(s, http.MethodGet, "/api/v1/files", "", "Cookie", cookie+"x"); w.Code != 401 {
		t.Errorf("another cookie: %d", w.Code)
	}
}

// TestRecord records a server that serves profiles, follows the job, and cancels another one.
func TestRecord(t *testing.T) {
	target := pprofServer(t)
	s, _ := serve(t, func(o *Options) { o.Targets = []Target{{Address: target, Name: target}} })
	start := func(body string) jobs.Job {
		t.Helper()
		var j jobs.Job
		w := ask(s, http.MethodPost, "/api/v1/jobs", body)
		if err := json.Unmarshal(w.Body.Bytes(), &j); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return j
	}
	request := `"kind": "record", "target": "` + target + `", "trace": "0s", "duration": "`
	if j := start("{" + request + `1s", "try": true}`); j.ID != "" || !slices.Contains(j.Command, "record") {
		t.Errorf("a trial: %+v", j)
	}
	j := start("{" + request + `1s"}`)
	events := follow(t, s, j.ID, 0)
	end := events[len(events)-1]
	if end.Job == nil || end.Job.State != jobs.Done {
		t.Fatalf("%+v", end)
	}
	result, _ := end.Job.Result.(map[string]any)
	name, _ := result["file"].(string)
	if over := get[Overview](t, s, "/api/v1/overview?file="+name); over.Header.Profile != "cpu" {
		t.Errorf("%+v", over.Header)
	}
	// A reader that comes back gets what it has not seen.
	if rest := follow(t, s, j.ID, end.Number-1); len(rest) != 1 || rest[0].Number != end.Number {
		t.Errorf("the rest: %+v", rest)
	}
	long := start("{" + request + `60s"}`)
	if w := ask(s, http.MethodPost, "/api/v1/jobs/"+long.ID+"/resume", ""); w.Code != 400 {
		t.Errorf("resume a running job: %d %s", w.Code, w.Body)
	}
	if w := ask(s, http.MethodPost, "/api/v1/jobs/"+long.ID+"/cancel", ""); w.Code != 200 {
		t.Errorf("cancel: %d %s", w.Code, w.Body)
	}
	events = follow(t, s, long.ID, 0)
	if end := events[len(events)-1]; end.Job == nil || end.Job.State != jobs.Canceled {
		t.Errorf("canceled: %+v", end)
	}
	var again jobs.Job
	w := ask(s, http.MethodPost, "/api/v1/jobs/"+long.ID+"/resume", "")
	if err := json.Unmarshal(w.Body.Bytes(), &again); err != nil || again.Resumes != long.ID {
		t.Errorf("resume: %d %s", w.Code, w.Body)
	}
	ask(s, http.MethodPost, "/api/v1/jobs/"+again.ID+"/cancel", "")
}

// TestFindDependencies shows the command of a search that looks into dependencies, too.
func TestFindDependencies(t *testing.T) {
	s, _ := serve(t, func(o *Options) { o.Dir = t.TempDir() })
	for request, want := range map[string]string{
		`{"kind": "find", "file": "a.whet", "try": true}`:                       "whet find a.whet --dir .",
		`{"kind": "find", "file": "a.whet", "dependencies": true, "try": true}`: "whet find a.whet --dir . --dependencies",
	} {
		var j jobs.Job
		w := ask(s, http.MethodPost, "/api/v1/jobs", request)
		if err := json.Unmarshal(w.Body.Bytes(), &j); err != nil || w.Code != 200 || strings.Join(j.Command, " ") != want {
			t.Errorf("%s: %d %s, want %s", request, w.Code, w.Body, want)
		}
	}
}

// follow reads the events of a job to its end.
func follow(t *testing.T, h http.Handler, id string, after int) []jobs.Event {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/jobs/"+id+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		r.Header.Set("Last-Event-ID", jsonNumber(after))
	}
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatal(answer.Status, err)
	}
	var events []jobs.Event
	for line := range strings.SplitSeq(string(text), "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var e jobs.Event
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
	}
	if len(events) == 0 {
		t.Fatalf("no event: %s", text)
	}
	return events
}

func jsonNumber(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// TestAssets sends the files of the pages.
func TestAssets(t *testing.T) {
	s, _ := serve(t)
	w := ask(s, http.MethodGet, "/assets/a.css", "", "Accept-Encoding", "gzip")
	if w.Code != 200 || w.Header().Get("Content-Encoding") != "gzip" ||
		!strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := ask(s, http.MethodGet, "/assets/a.css", "", "If-None-Match", w.Header().Get("ETag")); w.Code != 304 {
		t.Errorf("again: %d", w.Code)
	}
	if w := ask(s, http.MethodGet, "/flame?file=a.whet", ""); w.Code != 200 ||
		!strings.Contains(w.Body.String(), "hello") {
		t.Errorf("a view: %d %s", w.Code, w.Body)
	}
	if w := ask(s, http.MethodGet, "/assets/none.js", ""); w.Code != 404 {
		t.Errorf("no such file: %d", w.Code)
	}
	if w := ask(s, http.MethodPost, "/", ""); w.Code != 405 {
		t.Errorf("POST: %d", w.Code)
	}
	for _, bad := range []string{"unsafe-inline", "unsafe-eval", "*"} {
		if strings.Contains(w.Header().Get("Content-Security-Policy"), bad) {
			t.Errorf("the policy has %s", bad)
		}
	}
}

// TestDropped adds a file, which lives as long as the server.
func TestDropped(t *testing.T) {
	s, _ := serve(t)
	data, err := os.ReadFile(recordingFile)
	if err != nil {
		t.Fatal(err)
	}
	var first, second Added
	for _, into := range []*Added{&first, &second} {
		w := ask(s, http.MethodPost, "/api/v1/files?name=..%2Fnew.whet", string(data))
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if first.Name != "dropped/new.whet" || second.Name != "dropped/new-2.whet" {
		t.Errorf("%q %q", first.Name, second.Name)
	}
	get[Overview](t, s, "/api/v1/overview?file="+first.Name)
	dirs := get[FileList](t, s, "/api/v1/files")
	if !slices.ContainsFunc(dirs.Files, func(f files.File) bool { return f.Dropped }) {
		t.Errorf("%+v", dirs.Files)
	}
}
