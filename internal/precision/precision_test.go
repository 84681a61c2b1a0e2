package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/golden"
)

const docs = "../../docs/measured"

// TestPage renders the page from the stored results, as a run would.
func TestPage(t *testing.T) {
	t.Parallel()
	r, err := read(docs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := page(r, judgedJSON)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join(docs, "precision.md"), got)
}

// TestReachPage renders the page about candidates from the stored results, as a run would.
func TestReachPage(t *testing.T) {
	t.Parallel()
	r, err := readReaches(docs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := reachPage(r)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join(docs, "reach.md"), got)
}

// TestJudged checks that the verdicts of reviewers are complete. They may include findings that no
// longer exist, because findings vary with the noise of a recording.
func TestJudged(t *testing.T) {
	t.Parallel()
	if _, err := judgments(judgedJSON); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		`[{"module":"unknown"}]`: `no module "unknown"`,
		`[{"module":"toml","id":"a/b/c/1","verdict":"perhaps","why":"So."}]`: `verdict "perhaps"`,
		`[{"module":"toml","id":"a/b/c/1","verdict":"right","why":"so"}]`:    "not a sentence",
		`[{"module":"toml","id":"a","verdict":"right","why":"So."}]`:         "the id",
		`[{"module":"toml","id":"a/b/c/1","verdict":"open","why":"So."},` +
			`{"module":"toml","id":"a/b/c/1","verdict":"right","why":"So."}]`: "judged twice",
		`[{"module":"toml","id":"a/b/c/1","verdict":"open","because":"So."}]`: "unknown field",
		`{`: "read judged.json",
	} {
		if _, err := judgments([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestModules checks the list: versions are fixed, names are unique, and groups have ten modules.
func TestModules(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	var each [groups]int
	for _, m := range modules() {
		if names[m.name] || names[m.path] {
			t.Errorf("%s is there twice", m.name)
		}
		names[m.name], names[m.path] = true, true
		if !regexp.MustCompile(`^v\d+\.\d+\.\d+`).MatchString(m.version) || len(m.packages) == 0 || m.about == "" {
			t.Errorf("%s is not whole: %+v", m.name, m)
		}
		each[m.group]++
	}
	if each != [groups]int{10, 10, 10, 10} {
		t.Errorf("groups have %v modules, want ten each", each)
	}
	if _, err := choose([]string{"toml", "unknown"}); err == nil || !strings.Contains(err.Error(), "there are toml, mux") {
		t.Errorf("choose: %v", err)
	}
}

// attempt is one of fix with a comparison of these verdicts.
func attempt(stage fix.Stage, reason string, verdicts ...ab.Verdict) *fix.Attempt {
	a := &fix.Attempt{Stage: stage, Reason: reason, Answers: &fix.Answers{Inputs: 7}}
	if len(verdicts) > 0 {
		s := ab.SubjectResult{Name: "x.BenchmarkX"}
		for _, v := range verdicts {
			s.Units = append(s.Units, ab.Unit{Unit: "sec/op", Verdict: v, Ratio: 0.9, Low: 0.8, High: bench.Float(math.Inf(1))})
		}
		a.Measured = &fix.Measured{AB: &ab.Result{Subjects: []ab.SubjectResult{s}}}
	}
	return a
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		saving   float64
		a        *fix.Attempt
		want     outcome
		measured verdict
	}{
		{"kept", 0.02, attempt(fix.StageKept, "", ab.Better, ab.Same), kept, right},
		{"no gain", 0.02, attempt(fix.StageMeasure, "no gain", ab.Same, ab.Same), noGain, wrong},
		{"little was foreseen", 0.004, attempt(fix.StageMeasure, "no gain", ab.Same), undecided, open},
		{
			"noise", 0.02, attempt(fix.StageMeasure, "no gain distinguishable from noise", ab.Same, ab.Undecided),
			undecided, open,
		},
		{
			"loss and gain", 0.02, attempt(fix.StageMeasure, "x has more sec/op: +3.0%", ab.Better, ab.Worse), slower,
			wrong,
		},
		{"another answer", 0.02, attempt(fix.StageCompare, "F behaves differently"), differs, wrong},
		{"no build", 0.02, attempt(fix.StageBuild, "undefined: x"), fails, wrong},
		{"vet", 0.02, attempt(fix.StageVet, "x"), fails, wrong},
		{"test", 0.02, attempt(fix.StageTest, "FAIL"), fails, wrong},
		{"overlap", 0.02, attempt(fix.StageRewrite, "a kept rewrite changes the same code"), overlaps, open},
		{"no benchmark", 0.02, attempt(fix.StageMeasure, "no benchmark reaches the line"), unmeasured, open},
		{"time", 0.02, attempt(fix.StageMeasure, "interrupted", ab.Undecided), untried, open},
	} {
		x := found(&find.Finding{
			ID: "r/f.go/F/1", Saving: tt.saving, Alone: tt.saving, Fix: &find.Fix{},
			Places: []find.Place{{File: "f.go", Line: 3}},
		})
		x.tried(tt.a)
		if x.Outcome != tt.want || x.measured() != tt.measured || x.Inputs != 7 {
			t.Errorf("%s: %s, %s, %d inputs; want %s, %s", tt.name, x.Outcome, x.measured(), x.Inputs, tt.want, tt.measured)
		}
	}
	for _, tt := range []struct {
		f    find.Finding
		want outcome
	}{
		{find.Finding{}, none},
		{find.Finding{NoFix: "a program wrote the file"}, none},
		{find.Finding{Needs: rules.Review, Fix: &find.Fix{}}, needs},
		{find.Finding{Needs: rules.Settings}, needs},
		{find.Finding{Fix: &find.Fix{}}, untried},
	} {
		x := found(&tt.f)
		if x.Outcome != tt.want || x.Reason != tt.f.NoFix {
			t.Errorf("%+v: %s %q, want %s", tt.f, x.Outcome, x.Reason, tt.want)
		}
	}
}

// TestRounds checks that the last of several attempts counts, but one that was kept takes
// precedence.
func TestRounds(t *testing.T) {
	t.Parallel()
	of := func(id string, a *fix.Attempt) fix.Attempt {
		a.Finding = find.Finding{ID: id, Fix: &find.Fix{}, Saving: 0.1, Alone: 0.1}
		return *a
	}
	r := &measurement{
		Findings: []finding{
			found(&find.Finding{ID: "a/f.go/F/1", Fix: &find.Fix{}, Saving: 0.1, Alone: 0.1}),
			found(&find.Finding{ID: "b/f.go/F/1", Fix: &find.Fix{}}),
		},
	}
	r.tried(&fix.Result{Attempts: []fix.Attempt{
		of("a/f.go/F/1", attempt(fix.StageRewrite, "overlap")),
		of("c/f.go/F/1", attempt(fix.StageRewrite, "overlap")),
		of("a/f.go/F/1", attempt(fix.StageKept, "", ab.Better)),
		of("a/f.go/F/1", attempt(fix.StageMeasure, "", ab.Worse)),
		of("c/f.go/F/1", attempt(fix.StageMeasure, "no gain", ab.Same)),
	}})
	if got := []outcome{r.Findings[0].Outcome, r.Findings[1].Outcome}; !slices.Equal(got, []outcome{kept, untried}) {
		t.Errorf("outcomes %v", got)
	}
	if len(r.Later) != 1 || r.Later[0].Outcome != noGain {
		t.Errorf("later: %+v", r.Later)
	}
	if n := r.rewrites(); n != 1 {
		t.Errorf("%d rewrites left", n)
	}
}

// TestTally checks the arithmetic of the table: measurements take precedence over verdicts of
// reviewers.
func TestTally(t *testing.T) {
	t.Parallel()
	r := &measurement{Name: "toml", Findings: []finding{
		{ID: "a/f.go/F/1", Outcome: kept},
		{ID: "a/f.go/F/2", Outcome: slower},
		{ID: "a/f.go/F/3", Outcome: none},
		{ID: "a/f.go/F/4", Outcome: none},
		{ID: "a/f.go/F/5", Outcome: needs},
		{ID: "a/f.go/F/6", Outcome: undecided},
	}}
	by, err := judgments([]byte(`[
		{"module":"toml","id":"a/f.go/F/1","verdict":"wrong","why":"Not read: it was measured."},
		{"module":"toml","id":"a/f.go/F/3","verdict":"right","why":"It is so."},
		{"module":"toml","id":"a/f.go/F/4","verdict":"wrong","why":"It is not so."},
		{"module":"toml","id":"a/f.go/F/5","verdict":"open","why":"It is unknown."}]`))
	if err != nil {
		t.Fatal(err)
	}
	got := r.tally(by)
	want := tally{
		Findings: 6, Right: 2, Wrong: 2, Open: 2, Rewrites: 3, Read: 3, By: map[outcome]int{
			kept: 1, slower: 1, none: 2, needs: 1, undecided: 1,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.WrongOfAll() != "33%" || got.WrongOfDecided() != "50%" || (tally{}).WrongOfAll() != "–" ||
		percent(1, 30) != "3.3%" {
		t.Errorf("shares: %s, %s, %s, %s", got.WrongOfAll(), got.WrongOfDecided(), tally{}.WrongOfAll(), percent(1, 30))
	}
	var all tally
	all.add(got)
	all.add(got)
	if all.Findings != 12 || all.Wrong != 4 || all.By[none] != 4 || got.By[none] != 2 {
		t.Errorf("sum: %+v", all)
	}
}

// TestRecall checks what counts as a hot line, with and without a finding.
func TestRecall(t *testing.T) {
	t.Parallel()
	hot := func(file string, line int, cpu, alloc float64, why string) find.HotLine {
		return find.HotLine{
			Place: find.Place{File: file, Line: line}, Why: why, Evidence: []find.Evidence{
				{Cost: find.CPU, Share: cpu},
				{Cost: find.AllocSpace, Share: alloc},
			},
		}
	}
	r := &measurement{}
	r.found(&find.Result{
		Totals: []find.Total{{Cost: find.CPU, Value: 200, Own: 100}, {Cost: find.AllocSpace, Value: 0}},
		Findings: []find.Finding{
			{
				ID: "a/f.go/F/1", Places: []find.Place{{File: "f.go", Line: 1}, {File: "f.go", Line: 2}},
				Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.25}},
			},
			{
				ID: "b/f.go/F/1", Places: []find.Place{{File: "f.go", Line: 2}},
				Evidence: []find.Evidence{{Cost: find.AllocSpace, Share: 0.5}},
			},
			{ID: "program//PGO/1"}, // of the whole program
		},
		Unexplained: []find.HotLine{
			hot("f.go", 2, 0.125, 0, ""), hot("f.go", 9, 0, 0.25, ""),
			hot("f_test.go", 1, 0.5, 0, "test code"),
		},
	})
	want := recall{Hot: 3, Without: 2, CPU: 0.375, CPUWithout: 0.125, Alloc: 0.75, AllocWithout: 0.25, Tests: 1}
	if diff := cmp.Diff(want, r.Recall); diff != "" {
		t.Error(diff)
	}
	if len(r.Findings) != 3 || r.Findings[0].Place != "f.go:1" || r.Findings[2].Place != "" {
		t.Errorf("findings: %+v", r.Findings)
	}
	if r.OwnCPU != 0.5 || r.OwnAlloc != 0 || len(r.Unexplained) != 2 || r.Unexplained[0].Place != "f.go:9" {
		t.Errorf("own %v and %v, unexplained %+v", r.OwnCPU, r.OwnAlloc, r.Unexplained)
	}
}

// TestRun runs the program with a whet that only prints its arguments, on modules that have
// results: nothing is downloaded.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whet := filepath.Join(dir, "whet")
	if err := os.WriteFile(whet, []byte("#!/bin/sh\nexit 9\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := &results{Schema: schema}
	for _, m := range modules() {
		r.put(&measurement{Name: m.name, Path: m.path, Version: m.version, Elapsed: time.Minute})
	}
	r.put(&measurement{Name: "dropped", Path: "example.com/dropped", Version: "v1.0.0"})
	if len(r.Modules) != len(modules()) {
		t.Fatalf("%d modules have results", len(r.Modules))
	}
	if err := write(dir, r); err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	args := []string{"-whet", whet, "-dir", dir, "-work", filepath.Join(dir, "work")}
	if err := run(context.Background(), args, &output); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(output.String(), "has results"); got != len(modules()) {
		t.Errorf("%d modules are left out:\n%s", got, output.String())
	}
	again, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, again, cmp.AllowUnexported(measurement{})); diff != "" {
		t.Errorf("results are not what was written:\n%s", diff)
	}
	for _, bad := range [][]string{{"-time", "0s"}, {"unknown"}, {"-whet", filepath.Join(dir, "none")}, {"-nothing"}} {
		if err := run(context.Background(), append(slices.Clone(args), bad...), io.Discard); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
	// Results of another version of this program are not used.
	if err := os.WriteFile(resultsFile(dir), []byte(`{"schema":"whet.precision/0"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(context.Background(), args, io.Discard); err == nil || !strings.Contains(err.Error(), "measure again") {
		t.Errorf("old schema: %v", err)
	}
}

// TestResultsAreJSON checks that numbers that JSON cannot express are left out.
func TestResultsAreJSON(t *testing.T) {
	t.Parallel()
	x := found(&find.Finding{ID: "a/f.go/F/1", Fix: &find.Fix{}})
	x.tried(attempt(fix.StageKept, "", ab.Better))
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	var again finding
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(x.Units, again.Units); diff != "" || x.Units[0].High != 0 {
		t.Errorf("units: %s", diff)
	}
}

func TestCountLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "a\nb\n", "a_test.go": "c\n", "testdata/b.go": "d\n",
		"sub/c.go": "e\n", "c.txt": "f\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := countLines(dir); n != 3 || err != nil {
		t.Errorf("%d lines, %v, want 3", n, err)
	}
}
