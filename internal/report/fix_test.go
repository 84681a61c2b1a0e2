package report

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/fix"
)

// fixResult has a rewrite that was kept and one that was dropped.
func fixResult() *fix.Result {
	measured := &fix.Measured{Benchmarks: []string{"slow.BenchmarkClean"}, AB: &ab.Result{Subjects: []ab.Compared{{Name: "Clean", Units: []ab.Unit{
		{Unit: "sec/op", A: ab.Summary{Median: 2e-6}, B: ab.Summary{Median: 1e-6}, Ratio: 0.5, Low: 0.48, High: 0.52, Verdict: ab.Better, Rounds: [2][]float64{{1}, {1}}},
		{Unit: "B/op", A: ab.Summary{Median: 8}, B: ab.Summary{Median: 8}, Ratio: 1, Low: 1, High: bench.Float(1), Verdict: ab.Same, Rounds: [2][]float64{{1}, {1}}},
	}}}}}
	finding := func(title string) find.Finding {
		return find.Finding{Rule: "percall", Title: title, Why: "it is made each time", Function: "Clean", Places: []find.Place{{File: "clean.go", Line: 7, EndLine: 7}}}
	}
	return &fix.Result{Module: "example.com/slow", Total: measured, Attempts: []fix.Attempt{
		{Finding: finding("replacer | built"), Stage: fix.StageKept, Diff: "--- a/clean.go\n+++ b/clean.go\n@@ -1 +1 @@\n-old\n+new `code`\n", Measured: measured, Answers: &fix.Answers{Functions: []string{"Clean"}, Inputs: 1234}},
		{Finding: finding("string made by fmt"), Stage: fix.StageTest, Reason: "--- FAIL: TestClean\nwant a", Answers: &fix.Answers{Not: []string{"Clean cannot be compared: it is generic"}}},
	}}
}

// TestWriteFix has what was kept with its proof, and what was dropped with the reason.
func TestWriteFix(t *testing.T) {
	var text, markdown strings.Builder
	if err := WriteFix(&text, Style{Width: 80}, fixResult()); err != nil {
		t.Fatal(err)
	}
	if err := WriteFixMarkdown(&markdown, fixResult()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 of 2 rewrites kept in example.com/slow", "kept: replacer | built", "answered alike on 1234 inputs", "Clean  sec/op  2.000µ  1.000µ  -50.00%  ±4.1%  better",
		"     +new `code`", "dropped: string made by fmt", "at test:", "     want a", "not compared: Clean cannot be compared: it is generic", "The original against all that was kept",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "B/op") {
		t.Error("a unit that did not change is shown")
	}
	for line := range strings.Lines(text.String()) {
		if columns(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
	for _, want := range []string{"## 1 of 2 rewrites kept in `example.com/slow`", "| Clean | sec/op | 2.000µ | 1.000µ | -50.00% | ±4.1% | better |", "```diff\n--- a/clean.go", "### Dropped: string made by fmt", "Dropped at “test”"} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("no %q in\n%s", want, markdown.String())
		}
	}
}

// TestWriteFixSettings has what is proven with the way to set it, and what is not with the reason.
func TestWriteFixSettings(t *testing.T) {
	r := fixResult()
	set := func(title string, build, run []string, places ...find.Place) find.Finding {
		return find.Finding{Rule: "gogc", Title: title, Why: "it is slow", Places: places, Saving: 0.2, Fix: &find.Fix{Message: "Set it", Setting: &rules.Setting{Build: build, Run: run}}}
	}
	r.Settings = []fix.Attempt{
		{Finding: set("old JSON", []string{"GOEXPERIMENT=jsonv2"}, nil, find.Place{File: "a.go", Line: 3}), Stage: fix.StageKept, Measured: r.Total, Answers: &fix.Answers{Functions: []string{"Answer"}, Inputs: 20}},
		{Finding: set("collected often", nil, []string{"GOGC=400"}), Stage: fix.StageMeasure, Reason: "no gain"},
	}
	r.WithSettings = r.Total
	var text, markdown strings.Builder
	if err := WriteFix(&text, Style{Width: 80}, r); err != nil {
		t.Fatal(err)
	}
	if err := WriteFixMarkdown(&markdown, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nproven: build with GOEXPERIMENT=jsonv2\n", "for: old JSON (a.go:3), saves at most 20.00% of the CPU time", "Answer answered alike on 20 inputs",
		"\nnot proven: GOGC=400\n", "(the whole program)", "at measure:\n     no gain\n", "The original against all that was kept, with these settings\n   Clean  sec/op",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	for _, want := range []string{"### Proven setting: `GOEXPERIMENT=jsonv2`\n\nold JSON: it is slow.\n\n| benchmark", "### Setting not proven: `GOGC=400`", "Dropped at “measure”", "with these settings:\n\n| benchmark"} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("no %q in\n%s", want, markdown.String())
		}
	}
	for line := range strings.Lines(text.String()) {
		if columns(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
}
