package workbench

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/server/results"
	"github.com/whet-go/whet/profile"
)

// TestDownload has profiles with what the filters of a view keep: their costs are those of the view.
func TestDownload(t *testing.T) {
	s, _ := serve(t)
	whole := get[documents.Top](t, s, "/api/v1/top?file=a.whet&all=true&type=cpu:cpu")
	for _, filters := range []string{
		"", "&focus=strings%5C.", "&ignore=mallocgc", "&hide=%5Eruntime%5C.", "&diff_base=b.whet",
	} {
		w := ask(s, http.MethodGet, "/api/v1/download?file=a.whet&part=cpu"+filters, "")
		p, err := profile.Parse(w.Body.Bytes(), profile.ReadOptions{})
		if err != nil || w.Code != http.StatusOK {
			t.Fatal(filters, w.Code, err)
		}
		name := w.Header().Get("Content-Disposition")
		if strings.Contains(name, "filtered") != (filters != "") {
			t.Errorf("%q: %s", filters, name)
		}
		sample, err := p.TypeIndex("cpu")
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.View(profile.Query{Type: sample})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for _, n := range v.Nodes(false) {
			got[n.Name] += n.Flat
		}
		want := map[string]int64{}
		shown := get[documents.Top](t, s, "/api/v1/top?file=a.whet&all=true&n=0&type=cpu:cpu"+filters)
		for _, e := range shown.All.Nodes {
			want[e.Name] += e.Flat
		}
		for n, c := range want {
			if got[n] != c {
				t.Errorf("%q: %s costs %d, want %d", filters, n, got[n], c)
			}
		}
		if filters == "" && (v.Total() != whole.Header.Total || len(want) == 0) {
			t.Errorf("%d, want %d", v.Total(), whole.Header.Total)
		}
	}
}

// TestTraceProfile has profiles of a window of a trace, and of one goroutine.
func TestTraceProfile(t *testing.T) {
	s, _ := serve(t)
	total := func(query string) int64 {
		w := ask(s, http.MethodGet, "/api/v1/trace-profile?file=a.whet&kind=sync"+query, "")
		p, err := profile.Parse(w.Body.Bytes(), profile.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %d %.200s %v", query, w.Code, w.Body, err)
		}
		v, err := p.View(profile.Query{Type: 1})
		if err != nil {
			t.Fatal(err)
		}
		return v.Total()
	}
	all := total("")
	trace := get[struct{ Duration int64 }](t, s, "/api/v1/timeline/trace?file=a.whet")
	if half := total(fmt.Sprintf("&from=0&to=%d", trace.Duration/2)); half <= 0 || half >= all {
		t.Errorf("%d of %d in a half", half, all)
	}
	rows := get[struct {
		Rows []struct{ ID string }
	}](t, s, "/api/v1/timeline/rows?file=a.whet&type=goroutine&limit=50&order=long")
	sum, some := int64(0), ""
	for _, r := range rows.Rows {
		w := ask(s, http.MethodGet, "/api/v1/trace-profile?file=a.whet&kind=sync&goroutine="+r.ID, "")
		if w.Code == http.StatusOK {
			some = r.ID
			sum += total("&goroutine=" + r.ID)
		}
	}
	if some == "" || sum > all {
		t.Errorf("goroutines wait %d of %d", sum, all)
	}
	for query, want := range map[string]string{
		"kind=noise": "unknown profile", "kind=sync&from=7&to=3": "ends before", "kind=sync&goroutine=x": "not the ID",
		"kind=sync&from=1&to=2": "no data",
	} {
		w := ask(s, http.MethodGet, "/api/v1/trace-profile?file=a.whet&"+query, "")
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

// TestBenchOfTwo compares two results of benchmarks, and has lists say what is in files.
func TestBenchOfTwo(t *testing.T) {
	s, dir := serve(t)
	all := resultFiles(t)
	for name, data := range all {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, base := range []string{"bench.txt", "run.json", "compared.json"} {
		d := get[results.BenchDocument](t, s, "/api/v1/bench?file=new.txt&base="+base).Measured
		if d == nil || len(d.Tables) == 0 || len(d.Tables[0].Columns) != 2 || d.Tables[0].Columns[0] != base {
			t.Fatalf("%s: %+v", base, d)
		}
		if cells := d.Tables[0].Rows[0].Cells; len(cells) != 2 || len(cells[1].Changes) != 1 ||
			math.Abs(cells[1].Changes[0].Delta+0.5) > 0.01 || cells[1].Changes[0].Verdict != "better" {
			t.Errorf("%s: %+v", base, cells)
		}
	}
	if w := ask(s, http.MethodGet, "/api/v1/bench?file=along.json&base=bench.txt", ""); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), "one run") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for target, want := range map[string]string{
		"bench?file=bench.txt":              "whet-bench",
		"bench?file=new.txt&base=bench.txt": "whet-bench",
		"bench?file=along.json":             "whet-bench-history",
		"findings?file=found.json":          "string built in a loop",
	} {
		w := ask(s, http.MethodGet, "/api/v1/"+target+"&format=html", "")
		if w.Code != http.StatusOK || !strings.HasPrefix(strings.ToLower(w.Body.String()), "<!doctype html>") ||
			!strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
	for name, want := range map[string]results.About{
		"bench.txt":  {Of: "example.com/x", Benchmarks: 1, Comparable: true},
		"along.json": {Of: "example.com/x", Benchmarks: 1, Commits: 10},
		"found.json": {Of: "example.com/x", Findings: &results.FindingCounts{Review: 1}},
		"fixes.json": {Of: "example.com/x", Kept: 1, Tried: 3},
	} {
		got := get[File](t, s, "/api/v1/file?file="+name).Result
		if got == nil {
			t.Fatal(name)
		}
		if got.Commit = ""; !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
