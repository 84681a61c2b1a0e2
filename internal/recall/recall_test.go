package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/prove"
)

const docs = "../../docs/measured"

// TestPage renders the page from the stored results, as a run would, and checks that they are of the cases.
func TestPage(t *testing.T) {
	t.Parallel()
	cases, err := readCases(casesJSON)
	if err != nil {
		t.Fatal(err)
	}
	r, err := read(docs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := page(r, cases)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join(docs, "recall.md"), got)
	open := 0
	for i := range cases {
		if !cases[i].held() {
			open++
		}
	}
	if open <= len(cases)/2 || open == len(cases) {
		t.Errorf("%d of %d cases are not held back", open, len(cases))
	}
}

// TestReadCases refuses cases without a kind of cost that exists, and without an order.
func TestReadCases(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[{"name":"b","kinds":["lock"],"what":"It."},{"name":"a","kinds":["lock"],"what":"It."}]`: "not after",
		`[{"name":"a","kinds":["cost"],"what":"It."}]`:                                            `kind "cost"`,
		`[{"name":"a","kinds":[],"what":"It."}]`:                                                  "no kinds",
		`[{"name":"a","why":"It."}]`:                                                              "unknown field",
	} {
		if _, err := readCases([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

const (
	source = `package a

func F(n int) int {
	m := n * 2
	return m
}

func G() int {
	return 1
}

var x = 3
`
	diff = `diff a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -3,6 +3,6 @@
 func F(n int) int {
-	m := n * 2
+	m := n << 1
 	return m
 }
@@ -8,3 +8,4 @@
 func G() int {
+	// It is 1.
 	return 1
 }
@@ -12,1 +13,1 @@
-var x = 3
+var x = 4
`
)

// TestPlaces finds changed lines, and the functions around them.
func TestPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := placesOf(dir, &prove.Changed{Files: []string{"a.go", "new.go"}, Diff: diff})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.lines) != 2 || p.lines[0] != (span{"a.go", 4, 4}) || p.lines[1] != (span{"a.go", 8, 10}) ||
		len(p.functions) != 2 || p.functions[0] != (span{"a.go", 3, 6}) {
		t.Errorf("%+v", p)
	}
	if _, err := placesOf(dir, &prove.Changed{Files: []string{"a.go"}}); err == nil {
		t.Error("a change of nothing has places")
	}
}

// TestJudge counts findings and rewrites at the places of a change, and no others.
func TestJudge(t *testing.T) {
	t.Parallel()
	where := &places{lines: []span{{"a.go", 4, 4}}, functions: []span{{"a.go", 3, 6}}}
	c := &testCase{Name: "c", Kinds: []diagnosis.Kind{diagnosis.Lock}, What: "It."}
	line := func(n int, k diagnosis.Kind, also ...diagnosis.Part) diagnosis.Line {
		return diagnosis.Line{File: "a.go", Line: n, Costs: []diagnosis.Diagnosis{{Kind: k, Also: also}}}
	}
	at := func(n int) find.Place { return find.Place{File: "a.go", Line: n} }
	m := &measurement{Name: "c", Subject: "F", Theirs: 0.5}
	m.looked(c, &find.Result{Diagnoses: []diagnosis.Line{line(5, diagnosis.Lock)}}, where)
	if m.Diagnosed || m.Right || m.Proposed {
		t.Errorf("another line counts: %+v", m)
	}
	m.looked(c, &find.Result{Diagnoses: []diagnosis.Line{line(4, diagnosis.Copying)}}, where)
	if !m.Diagnosed || m.Right {
		t.Errorf("another kind is right: %+v", m)
	}
	m.looked(c, &find.Result{
		Diagnoses:  []diagnosis.Line{line(4, diagnosis.Copying, diagnosis.Part{Kind: diagnosis.Lock})},
		Findings:   []find.Finding{{Rule: "none", Places: []find.Place{at(5)}}},
		Candidates: []find.Candidate{{Generator: "far", Place: at(9)}, {Generator: "near", Place: at(5)}},
	}, where)
	if !m.Right || !m.Proposed || len(m.By) != 1 || m.By[0] != "near" {
		t.Errorf("%+v", m)
	}
	total := &fix.Measured{AB: &ab.Result{Subjects: []ab.SubjectResult{
		{Name: "F", Units: []ab.Unit{{Unit: "sec/op", Ratio: 0.62}}},
	}}}
	attempt := func(rule string, line int, stage fix.Stage) fix.Attempt {
		x := find.Finding{Rule: rule, Places: []find.Place{at(line)}}
		return fix.Attempt{Finding: x, Stage: stage, Reason: "no\ngain"}
	}
	m.fixed(&fix.Result{Attempts: []fix.Attempt{attempt("far", 9, fix.StageKept)}, Total: total}, where)
	if len(m.Kept) > 0 || m.Ours != 0 {
		t.Errorf("a rewrite elsewhere counts: %+v", m)
	}
	m.fixed(&fix.Result{
		Attempts: []fix.Attempt{attempt("near", 5, fix.StageKept), attempt("slow", 4, fix.StageMeasure)}, Total: total,
		Untried: []fix.Untried{{File: "a.go", Line: 4, Reason: "too little time"}, {File: "b.go", Line: 4, Reason: "far"}},
	}, where)
	if len(m.Kept) != 1 || len(m.Dropped) != 2 || m.Ours != 0.62 || m.enough() {
		t.Errorf("%+v", m)
	}
	if m.Ours = 0.6; !m.enough() {
		t.Error("80% of the gain is not enough")
	}
}

// TestMost takes the benchmark with the largest gain of time that is proven.
func TestMost(t *testing.T) {
	t.Parallel()
	r := &ab.Result{}
	add := func(name, unit string, ratio float64, v ab.Verdict) {
		u := ab.Unit{Unit: unit, Verdict: v}
		u.Ratio = bench.Float(ratio)
		r.Subjects = append(r.Subjects, ab.SubjectResult{Name: name, Units: []ab.Unit{u}})
	}
	add("noise", "sec/op", 0.1, ab.Undecided)
	add("bytes", "B/op", 0.1, ab.Better)
	add("small", "sec/op", 0.95, ab.Better)
	if name, _ := most(r); name != "" {
		t.Errorf("%s gains 10%%", name)
	}
	add("large", "sec/op", 0.4, ab.Better)
	add("medium", "sec/op", 0.8, ab.Better)
	if name, ratio := most(r); name != "large" || ratio != 0.4 {
		t.Errorf("%s, %v", name, ratio)
	}
}
