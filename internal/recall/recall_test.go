package main

import (
	"fmt"
	"go/format"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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
	oldCode = `package a

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
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(oldCode), 0o600); err != nil {
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
	m := &measurement{Name: "c", gained: gained{"F", "sec/op", 0.5}}
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
	if len(m.Kept) > 0 || m.Ours != nil {
		t.Errorf("a rewrite elsewhere counts: %+v", m)
	}
	m.fixed(&fix.Result{
		Attempts: []fix.Attempt{attempt("near", 5, fix.StageKept), attempt("slow", 4, fix.StageMeasure)}, Total: total,
		Untried: []fix.Untried{{File: "a.go", Line: 4, Reason: "too little time"}, {File: "b.go", Line: 4, Reason: "far"}},
	}, where)
	if len(m.Kept) != 1 || len(m.Dropped) != 2 || m.Ours == nil || *m.Ours != 0.62 || m.enough() {
		t.Errorf("%+v", m)
	}
	if *m.Ours = 0.6; !m.enough() {
		t.Error("80% of the gain is not enough")
	}
}

// TestMost takes the benchmark with the largest gain that is proven: of time, or else of allocations, or of bytes.
func TestMost(t *testing.T) {
	t.Parallel()
	r := &ab.Result{}
	add := func(name, unit string, ratio float64, v ab.Verdict) {
		u := ab.Unit{Unit: unit, Verdict: v}
		u.Ratio = bench.Float(ratio)
		r.Subjects = append(r.Subjects, ab.SubjectResult{Name: name, Units: []ab.Unit{u}})
	}
	check := func(want gained) {
		t.Helper()
		if got := most(r, 0.1); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	add("noise", "sec/op", 0.1, ab.Undecided)
	add("small", "sec/op", 0.95, ab.Better)
	add("few", "allocs/op", 0.95, ab.Better)
	check(gained{})
	add("bytes", "B/op", 0.1, ab.Better)
	check(gained{"bytes", "B/op", 0.1})
	add("none", "allocs/op", 0, ab.Better)
	check(gained{"none", "allocs/op", 0})
	add("large", "sec/op", 0.4, ab.Better)
	add("medium", "sec/op", 0.8, ab.Better)
	check(gained{"large", "sec/op", 0.4})
	if got := most(r, 0.7); got.Unit != "allocs/op" {
		t.Errorf("%+v is a gain of 70%% of time", got)
	}
}

// TestCorpus checks that there are enough cases, of many modules, and that each one was verified as it is now: a small
// change with a gain on a benchmark.
func TestCorpus(t *testing.T) {
	t.Parallel()
	s, cases := corpus(t)
	all, err := readChecks(".")
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]int{}
	held := 0
	for i := range cases {
		c := &cases[i]
		from, err := s.changes.of(c)
		if err != nil {
			t.Error(err)
			continue
		}
		modules[from.Module]++
		if c.held() {
			held++
		}
		key, err := s.key(c)
		if err != nil {
			t.Fatal(err)
		}
		switch k := all.of(c.Name); {
		case k == nil || k.Key != key:
			t.Errorf("%s was not verified as it is now (make recall RECALL=-verify)", c.Name)
		case k.problem() != "":
			t.Errorf("%s is no case: %s", c.Name, k.problem())
		}
	}
	const leastCases, leastModules, mostOfOne = 60, 30, 4
	if len(cases) < leastCases || len(modules) < leastModules || held < len(cases)/4 || held > len(cases)/2 {
		t.Errorf("%d cases of %d modules, %d of them held back", len(cases), len(modules), held)
	}
	for name, n := range modules {
		if n > mostOfOne {
			t.Errorf("%d cases are of %s", n, name)
		}
	}
	for name := range s.carried {
		if !slices.ContainsFunc(cases, func(c testCase) bool { return c.Name == name }) {
			t.Errorf("a benchmark of no case: %s", name)
		}
	}
}

// corpus returns a session with what the repository has, and its cases.
func corpus(t *testing.T) (*session, []testCase) {
	t.Helper()
	cases, err := readCases(casesJSON)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{log: io.Discard}
	if s.changes, err = readSources("../power", "."); err != nil {
		t.Fatal(err)
	}
	if s.carried, err = readCarried("."); err != nil {
		t.Fatal(err)
	}
	return s, cases
}

// TestCarried checks that carried benchmarks are formatted Go, and that a file without one is refused.
func TestCarried(t *testing.T) {
	t.Parallel()
	s, _ := corpus(t)
	for name, b := range s.carried {
		text, err := format.Source(b.file)
		if err != nil || string(text) != string(b.file) {
			t.Errorf("%s: %v, want\n%s", name, err, text)
		}
	}
	const ok = "-- case:dir --\npackage a\n\nfunc BenchmarkRecall(b *testing.B) {\n}\n"
	for text, want := range map[string]string{
		ok:                                   "",
		ok + ok:                              "two of case",
		strings.ReplaceAll(ok, ":dir", ""):   "want CASE:DIR",
		strings.ReplaceAll(ok, "dir", "../"): "want CASE:DIR",
		strings.ReplaceAll(ok, "Recall", ""): "does not declare",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "benchmarks", "a.txtar"), text)
		_, err := readCarried(dir)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSources refuses cases that two corpora have, and those whose functions behave differently.
func TestSources(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	const text = `[{"name":"x","module":"example.com/m","a":"v1.0.0","b":"v1.1.0","functions":["F"],"label":"same"},
		{"name":"y","module":"example.com/m","a":"v1.0.0","b":"v1.1.0","functions":["F"],"label":"different"}]`
	write(t, filepath.Join(a, "corpus", "m.json"), text)
	if _, err := readSources(a, b); err == nil || !strings.Contains(err.Error(), "no corpus") {
		t.Errorf("no corpus: %v", err)
	}
	write(t, filepath.Join(b, "corpus", "m.json"), text)
	if _, err := readSources(a, b); err == nil || !strings.Contains(err.Error(), "too") {
		t.Errorf("two corpora with a case: %v", err)
	}
	s := &session{}
	var err error
	if s.changes, err = readSources(a); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"x": "", "y": "want same", "z": "no corpus has it"} {
		_, err := s.changes.of(&testCase{Name: name})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	// Another benchmark is another case.
	c := &testCase{Name: "x"}
	before, err := s.key(c)
	if err != nil {
		t.Fatal(err)
	}
	s.carried = map[string]*carriedBenchmark{"x": {".", []byte("package m")}}
	if after, err := s.key(c); err != nil || after == before {
		t.Errorf("the keys are %q and %q, %v", before, after, err)
	}
}

// TestDifference finds changed and new files, without tests.
func TestDifference(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		write(t, filepath.Join(dir, "same.go"), "package a\n")
		write(t, filepath.Join(dir, "a_test.go"), "package a // "+dir+"\n")
	}
	write(t, filepath.Join(a, "sub", "a.go"), "package sub\n")
	write(t, filepath.Join(b, "sub", "a.go"), "package sub // changed\n")
	write(t, filepath.Join(b, "new.go"), "package a\n")
	files, diff, err := difference(a, b)
	if err != nil || !slices.Equal(files, []string{"new.go", "sub/a.go"}) ||
		!strings.Contains(diff, "+package sub // changed") {
		t.Errorf("%v, %v\n%s", files, err, diff)
	}
}

// TestCarry measures a change by a carried benchmark, without the tests of the module, which do not build with the
// change. The old version keeps them, unless they do not build with that either.
func TestCarry(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and measures")
	}
	dir := t.TempDir()
	const code = "package m\n\nfunc F(n int) (s []int) {\n%s\tfor i := range n {\n\t\ts = append(s, i)\n\t}\n" +
		"\treturn s\n}\n"
	tests := map[string]string{"a": "[]int", "b": "string"}
	for side, more := range map[string]string{"a": "", "b": "\ts = make([]int, 0, n)\n"} {
		write(t, filepath.Join(dir, side, "go.mod"), "module example.com/m\n\ngo 1.25\n")
		write(t, filepath.Join(dir, side, "p", "f.go"), fmt.Sprintf(code, more))
		write(t, filepath.Join(dir, side, "p", "f_test.go"), "package m\n\nvar _ "+tests[side]+" = F(1)\n")
	}
	b := &carriedBenchmark{"p", []byte(`package m

import "testing"

var sink []int

func BenchmarkRecall(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = F(100)
	}
}
`)}
	got, err := carry(t.Context(), dir, b, effort{maxTime: time.Second, precision: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.measured.Subjects) != 1 || got.measured.Subjects[0].Name != "Recall" {
		t.Errorf("%+v", got.measured.Subjects)
	}
	if g, err := quick(t.Context(), dir, b); err != nil || g.Subject != "Recall" || g.Theirs >= 0.8 {
		t.Errorf("%+v, %v", g, err)
	}
	where, err := placesOf(got.dir, &got.changed)
	if err != nil || len(where.functions) != 1 || got.patterns != "./p" || got.bench != carriedBench {
		t.Errorf("%+v, %v", got, err)
	}
	for _, name := range []string{"f_test.go", carriedFile} {
		if _, err := os.Stat(filepath.Join(got.dir, "p", name)); err != nil {
			t.Error(err)
		}
	}
	write(t, filepath.Join(dir, "a", "p", "f_test.go"), "package m\n\nvar _ string = F(1)\n")
	if err := os.RemoveAll(got.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := prepare(t.Context(), dir, b); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(got.dir, "p", "f_test.go")); err == nil {
		t.Error("tests that do not build are kept")
	}
}

// TestVerify checks a case, stores the check, and does not check it again until it is edited. A script makes its
// versions.
func TestVerify(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("it builds and measures, and runs a shell script")
	}
	dir := t.TempDir()
	for side, body := range map[string]string{"a": "for len(s) < 100 {\n\t\ts += \"x\"\n\t}", "b": "s = \"x\""} {
		write(t, filepath.Join(dir, side, "go.mod"), "module example.com/m\n\ngo 1.25\n")
		write(t, filepath.Join(dir, side, "f.go"), "package m\n\nfunc F() (s string) {\n\t"+body+"\n\treturn s\n}\n")
	}
	power := filepath.Join(dir, "power")
	write(t, power, "#!/bin/sh\ncp -r \""+dir+"/a\" \""+dir+"/b\" \"$7\"\n")
	if err := os.Chmod(power, 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	var log strings.Builder
	s := &session{
		log: &log, power: power, work: t.TempDir(), modules: dir,
		changes: sources{"c": {Name: "c", Module: "example.com/m", Functions: []string{"F"}, Label: "same", dir: dir}},
		carried: map[string]*carriedBenchmark{"c": {".", []byte("package m\n\nimport \"testing\"\n\n" +
			"func BenchmarkRecall(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tF()\n\t}\n}\n")}},
	}
	cases := []testCase{{Name: "c", Kinds: []diagnosis.Kind{diagnosis.Concatenation}, What: "It."}}
	o := &settings{self: t.TempDir(), limit: time.Minute, verify: true}
	verify := func(want string) {
		t.Helper()
		log.Reset()
		if err := s.verifyAll(t.Context(), o, regexp.MustCompile(""), cases); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s, want %s", log.String(), want)
		}
	}
	verify("[1 of 1, 0s, the time left is unknown] c: 3 lines of 1 functions, Recall -")
	all, err := readChecks(o.self)
	if k := all.of("c"); err != nil || k == nil || k.problem() != "" || k.Unit != "sec/op" {
		t.Errorf("%+v, %v", k, err)
	}
	verify("0 of 0 cases")
	s.changes["c"].B = "v1.1.0"
	s.carried["c"].file = []byte("package m\n")
	verify("it is no case: the benchmark printed no result")
}

// TestLeastOf reads the least values of several runs.
func TestLeastOf(t *testing.T) {
	t.Parallel()
	least, err := leastOf([]byte("goos: linux\nBenchmarkRecall-2   100   50 ns/op   16 B/op   2 allocs/op\nPASS\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if least, err = leastOf([]byte("BenchmarkRecall 7 40.5 ns/op 16 B/op 3 allocs/op\n"), least); err != nil {
		t.Fatal(err)
	}
	if len(least) != 3 || least["sec/op"] != 40.5e-9 || least["B/op"] != 16 || least["allocs/op"] != 2 {
		t.Errorf("%v", least)
	}
	for _, text := range []string{"PASS\n", "BenchmarkRecall 7 x ns/op\n"} {
		if _, err := leastOf([]byte(text), nil); err == nil {
			t.Errorf("%q has a result", text)
		}
	}
}

// TestProblem says why a check shows no case.
func TestProblem(t *testing.T) {
	t.Parallel()
	g := gained{"F", "sec/op", 0.8}
	for want, k := range map[string]check{
		"":                     {Lines: 3, Functions: 1, gained: g},
		"it does not build":    {Error: "it does not build\nat all"},
		"0 lines":              {Functions: 1, gained: g},
		"900 lines":            {Lines: 900, Functions: 1, gained: g},
		"no benchmark gains":   {Lines: 3, Functions: 1},
		"F gains too little":   {Lines: 3, Functions: 1, gained: gained{"F", "sec/op", 0.88}},
		"too little: -8% B/op": {Lines: 3, Functions: 1, gained: gained{"F", "B/op", 0.92}},
	} {
		if got := k.problem(); (want == "") != (got == "") || !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%+v: %q, want %q", k, got, want)
		}
	}
}

// TestProgress says how long the rest takes, and ends a run in time.
func TestProgress(t *testing.T) {
	t.Parallel()
	p := newProgress(3, 0, 5*time.Minute)
	now := p.began
	p.now = func() time.Time { return now }
	step := func(want string) {
		t.Helper()
		if !p.next() || p.prefix() != want {
			t.Errorf("%s, want %s", p.prefix(), want)
		}
	}
	step("[1 of 3, 0s, the time left is unknown]")
	now = now.Add(2 * time.Minute)
	step("[2 of 3, 2m0s, about 4m0s left]")
	now = now.Add(4 * time.Minute)
	if p.next() {
		t.Error("a case begins after the time")
	}
	if got := p.end(); got != "2 of 3 cases in 6m0s; the same command continues with the others" {
		t.Error(got)
	}
	p = newProgress(2, 3*time.Minute, 0)
	now = p.began
	p.now = func() time.Time { return now }
	step("[1 of 2, 0s, about 6m0s left]")
}

// TestRun refuses flags that make no sense, and skips cases with results.
func TestRun(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"unexpected argument":  {"case"},
		"error parsing regexp": {"-cases", "("},
		"must be positive":     {"-budget", "0s"},
		"not built":            {"-whet", "none", "-power", "none"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	r := &results{Cases: []*measurement{
		{Name: "a", Key: "1", Elapsed: time.Minute}, {Name: "b", Elapsed: 3 * time.Minute},
	}}
	if !r.has("a", "1") || r.has("a", "2") || r.has("c", "1") || r.usual() != 2*time.Minute {
		t.Error("a case that was edited has results, or one without any")
	}
}
