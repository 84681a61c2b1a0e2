package findings

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/prove"
)

// fixResult has a rewrite that was kept and one that was dropped.
func fixResult() *fix.Result {
	measured := &fix.Measured{
		Benchmarks: []string{"slow.BenchmarkClean"},
		AB: &ab.Result{Subjects: []ab.SubjectResult{{Name: "Clean", Units: []ab.Unit{
			{
				Unit: "sec/op", A: ab.Summary{Median: 2e-6}, B: ab.Summary{Median: 1e-6}, Ratio: 0.5, Low: 0.48, High: 0.52,
				Verdict: ab.Better, Rounds: [2][]float64{{1}, {1}},
			},
			{
				Unit: "B/op", A: ab.Summary{Median: 8}, B: ab.Summary{Median: 8}, Ratio: 1, Low: 1, High: 1, Verdict: ab.Same,
				Rounds: [2][]float64{{1}, {1}},
			},
		}}}},
	}
	finding := func(title string) find.Finding {
		return find.Finding{
			Rule: "percall", Title: title, Why: "it is made each time", Function: "Clean",
			Places: []find.Place{{File: "clean.go", Line: 7, EndLine: 7}},
		}
	}
	together, dropped := finding("replacer | built"), finding("string formatted by fmt")
	together.Evidence, together.Saving = []find.Evidence{{Cost: find.CPU, Share: 0.3}}, 0.31
	needing := finding("JSON encoded or decoded by reflection")
	return &fix.Result{Module: "example.com/slow", Total: measured, Rounds: 2, Attempts: []fix.Attempt{
		{
			Finding: dropped, Stage: fix.StageTest, Reason: "--- FAIL: TestClean\nwant <a>",
			Hint: "write a benchmark", IgnoredLosses: []string{"Clean allocs/op: +2.0%"},
			Answers: &fix.Answers{NotCompared: []string{"Clean cannot be compared: it is generic"}},
		},
		{
			Finding: together, Stage: fix.StageKept, Round: 2, Together: 1, Tested: 3, Open: []string{"Order sec/op: +1.0%"},
			Diff: "--- a/clean.go\n+++ b/clean.go\n@@ -1 +1 @@\n-old\n+new `code` <b>\n", Measured: measured,
			Answers: &fix.Answers{Functions: []string{"Clean"}, Inputs: 1234},
			Predicted: &prove.Prediction{
				Benchmark: "slow.BenchmarkClean", Change: -0.12, Low: -0.15, High: -0.09, Share: 0.3, Below: 0.9, Similar: 0.97,
			},
		},
		{Finding: needing, Stage: fix.StageNeeds, Reason: "it needs a dependency"},
	}, Untried: []fix.Untried{
		{
			Title: "text made slowly", File: "gen.go", Line: 3, Function: "Gen", Reason: "a program wrote the file",
			Share: 0.05,
		},
		{File: "/old/gone.go", Function: "slow.Gone", Reason: "the function is gone", Share: 0.01},
	}, Base: prove.Base{Broken: []fix.Broken{{Package: "example.com/slow/broken", Reason: "x.go:1: no\nmore"}}}}
}

// TestWriteFix has what was kept with its proof, and what was dropped with the reason.
func TestWriteFix(t *testing.T) {
	var text, markdown strings.Builder
	if err := Fix(fixResult()).Write(&text, layout.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if err := Fix(fixResult()).WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 of 3 rewrites kept in 2 passes in example.com/slow", "skipped: example.com/slow/broken (x.go:1: no).",
		"The original against everything kept\n" +
			"   benchmark  unit    before   after   change    95%  verdict\n" +
			"   Clean      sec/op  2.000µ  1.000µ  -50.00%  ±4.1%  better, 2.0x\n" +
			"   Clean      B/op     8.000   8.000   +0.00%    ±0%  the same\n",
		"Kept: replacer | built\n   clean.go:7  Clean\n   why: it is made each time\n   saves at most 31.00%",
		"found in pass 2", "prediction for the recorded program: -12.0% CPU time",
		"CPU profiles agree on 97%",
		"kept together with 1 other", "tests of 3 packages pass",
		"returned the same results for 1234 inputs", "undecided because of noise: Order sec/op: +1.0%", "     +new `code`",
		"Dropped: string formatted by fmt", "dropped at test:", "     want <a>",
		"   hint: write a benchmark\n   slower: Clean allocs/op: +2.0%\n",
		"not compared: Clean cannot be compared: it is generic",
		"Not tried: needs a manual step\n   clean.go:7  Clean\n     JSON encoded or decoded by reflection: " +
			"it needs a dependency\n",
		"Without a rewrite\n   5.00%  gen.go:3  Gen\n          text made slowly: a program wrote the file\n" +
			"   1.00%  /old/gone.go  slow.Gone\n          the function is gone\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if n := strings.Count(markdown.String(), "| Clean | sec/op |"); n != 2 {
		t.Errorf("%d tables in Markdown, want the total's and that of the kept rewrite:\n%s", n, markdown.String())
	}
	if strings.Count(text.String(), "B/op") != 1 {
		t.Error("a unit that did not change is shown in addition to the total")
	}
	if strings.Index(text.String(), "Kept: ") > strings.Index(text.String(), "Dropped: ") {
		t.Error("what was dropped comes first")
	}
	for line := range strings.Lines(text.String()) {
		if layout.Columns(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
	for _, want := range []string{
		"## 1 of 3 rewrites kept in 2 passes in `example.com/slow`",
		"| Clean | sec/op | 2.000µ | 1.000µ | -50.00% | ±4.1% | better, 2.0x |",
		"### Kept: replacer \\| built\n", "- kept together with 1 other",
		"CPU profiles agree on 97%", "```diff\n--- a/clean.go",
		"### Dropped: string formatted by fmt", "dropped at **test**:\n\n```\n--- FAIL: TestClean\nwant <a>\n```\n",
		"\nhint: write a benchmark\n\n- slower: Clean allocs/op: +2.0%\n",
		"- `clean.go:7` in `Clean`: JSON encoded or decoded by reflection: it needs a dependency",
		"- 5.00% `gen.go:3` in `Gen`: text made slowly",
	} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("no %q in\n%s", want, markdown.String())
		}
	}
}

// TestWriteFixPage escapes what it shows, loads nothing, and has the sections in their order.
func TestWriteFixPage(t *testing.T) {
	r := fixResult()
	r.Service = r.Total
	var page strings.Builder
	if err := Fix(r).WritePage(&page); err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, want := range []string{
		"<h1>1 of 3 rewrites kept", "as a service under load</h2>", "±4.1%", "better, 2.0x", "width:50.00%",
		"<h2>The original against everything kept</h2>",
		`<section id="k1" class="kind-0"><h2>Kept: replacer | built</h2>`,
		"returned the same results for 1234 inputs", "code` &lt;b&gt;",
		`<section id="d1" class="kind-1"><h2>Dropped: string formatted by fmt</h2>`,
		"want &lt;a&gt;", "<h2>Not tried: needs a manual step</h2>", "<h2>Without a rewrite</h2>",
	} {
		i := strings.Index(page.String(), want)
		if i <= at {
			t.Errorf("%q is at %d, after %d", want, i, at)
		}
		at = i
	}
	for _, never := range []string{"http://", "https://", "<script", "src="} {
		if strings.Contains(page.String(), never) {
			t.Errorf("%q is in the page", never)
		}
	}
}

// TestWriteFixSettings has what is proven with the way to set it, and what is not with the reason.
func TestWriteFixSettings(t *testing.T) {
	r := fixResult()
	set := func(title string, build, run []string, places ...find.Place) find.Finding {
		return find.Finding{
			Rule: "gogc", Title: title, Why: "it is slow", Places: places, Saving: 0.2,
			Fix: &find.Fix{Message: "Set it", Setting: &rules.Setting{Build: build, Run: run}},
		}
	}
	r.Settings = []fix.Attempt{
		{
			Finding: set("old JSON", []string{"GOEXPERIMENT=jsonv2"}, nil, find.Place{File: "a.go", Line: 3}),
			Stage:   fix.StageKept, Measured: r.Total, Answers: &fix.Answers{
				Functions: []string{"Answer"}, Inputs: 20,
				ErrorTexts: 3,
			},
		},
		{Finding: set("collected often", nil, []string{"GOGC=400"}), Stage: fix.StageMeasure, Reason: "no gain"},
	}
	r.WithSettings = r.Total
	var text, markdown strings.Builder
	if err := Fix(r).Write(&text, layout.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if err := Fix(r).WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nProven setting: build with GOEXPERIMENT=jsonv2\n", "for: old JSON (a.go:3), saves at most 20.00% of the CPU time",
		"Answer returned the same results for 20 inputs, except for\n     the texts of errors for 3 of them",
		"\nSetting not proven: GOGC=400\n", "(the whole program)", "dropped at measure:\n     no gain\n",
		"The original against everything kept, with the settings below\n" +
			"   benchmark  unit    before   after   change    95%  verdict\n   Clean      sec/op",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	for _, want := range []string{
		"### Proven setting: build with GOEXPERIMENT=jsonv2\n\n" +
			"- for: old JSON (a.go:3), saves at most 20.00% of the CPU time\n- why: it is slow\n- caveats: `whet rules gogc`. ",
		"- before and after, Answer returned the same results for 20 inputs, except for the texts of errors for 3 of them" +
			"\n\n| benchmark",
		"### Setting not proven: GOGC=400\n", "dropped at **measure**:", "with the settings below\n\n| benchmark",
	} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("no %q in\n%s", want, markdown.String())
		}
	}
	for line := range strings.Lines(text.String()) {
		if layout.Columns(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
}
