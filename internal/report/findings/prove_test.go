package findings

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/prove"
)

const survivor = "diff a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -3 +3 @@\n-	if a < b {\n+	if a <= b {\n"

// TestProve has the outcome first, what is missing, what stands for it, and what does not count.
func TestProve(t *testing.T) {
	r := &prove.Result{
		Schema: prove.Schema, Module: "example.com/m", A: "HEAD", B: "working <tree>", Outcome: prove.OutcomeUnproven,
		Reason:  "Join allocs/op -50.0%, but not everything that changed was compared",
		Missing: []prove.Missing{{What: "const limit has changed"}, {What: "no benchmark", Do: "write one"}},
		Changed: prove.Changed{
			Files: []string{"a.go"}, Functions: []string{"Join"}, Tests: []string{"a_test.go"}, Unused: []string{"README.md"},
			Outside: []string{"tools/x.go"},
		},
		SideCosts: []prove.SideCost{{
			What: "live heap after 100 iterations", Where: "BenchmarkJoin", A: 1 << 20, B: 3 << 20, Unit: "B",
		}},
		TestsOf: "a", Cost: &prove.Cost{Share: 0.25},
		Predicted: &prove.Prediction{
			Benchmark: "m.BenchmarkWhet_Join", Inputs: "8 captured inputs", Change: -0.123, Low: -0.15, High: -0.1, Share: 0.3,
			Below: 0.9, Similar: 0.97,
		},
		Base: prove.Base{Failing: []string{"m.TestOld"}, Flaky: []string{"m.TestFlaky"}},
		Verdict: &prove.Verdict{
			Stage: prove.StageMeasure, Tested: 2, Ignored: 2, Err: errors.New("not shown"),
			Answers:  &prove.Answers{Functions: []string{"Join"}, Inputs: 1234},
			Measured: &prove.Measured{Written: "func BenchmarkWhet() {}\n"},
			Configs: []prove.ConfigBuild{
				{Config: "linux/arm64", Built: true}, {Config: "js/wasm", NotBuilt: "version A does not build"},
			},
			Strength: &prove.Strength{
				Mutants: 92, Noticed: 87, ByInputs: 60, ByTests: 27, TimedOut: 3, Unreached: 2, Untried: 7,
				Survivors: []prove.Survivor{{File: "a.go", Line: 3, Mutator: "comparison", Diff: survivor}},
				Skipped:   []string{"clean is not mutated: it uses os.RemoveAll"},
			},
		},
	}
	for _, test := range []struct {
		name  string
		write func(w *strings.Builder, r *prove.Result) error
		want  []string
	}{
		{
			"text", func(w *strings.Builder, r *prove.Result) error { return Prove(r).Write(w, layout.Style{Width: 80}) },
			[]string{
				"unproven: example.com/m, from HEAD to working <tree>\nwhy: Join allocs/op -50.0%",
				"What is missing\n   const limit has changed\n   no benchmark (write one)\n",
				"Costs elsewhere\n   live heap after 100 iterations: from 1MB to 3MB (BenchmarkJoin)\n",
				"tests and inputs noticed 87 of 92 mutants", "60 by inputs, 27 by tests", "3 because a run did not end",
				"runs 2 of the others",
				"7 mutants were not tried", "clean is not mutated", "if a <= b {", "and 4 more",
				"builds, and vet reports nothing new, for linux/arm64\n", "not built for js/wasm: version A does not build",
				"the recording charges 25.00% of the CPU time to the changed lines",
				"recorded program: -12.3% CPU time (-15.0 to -10.0%), from", "m.BenchmarkWhet_Join with 8 captured inputs",
				"agree on 97% of the time",
				"the tests of 2 packages pass, except for 2\n", "for 1234 inputs",
				"m.TestOld", "m.TestFlaky", "only with --tests b: a_test.go", "other tools: README.md", "module: tools/x.go",
			},
		},
		{
			"markdown", func(w *strings.Builder, r *prove.Result) error { return Prove(r).WriteMarkdown(w) },
			[]string{
				"**unproven**", "from 1MB to 3MB", "noticed 87 of 92", "-12.3% CPU time",
				"```diff\n" + survivor + "```", "`working <tree>`",
				"<details><summary>What changed", "files: a.go", "BenchmarkWhet",
			},
		},
		{
			"page", func(w *strings.Builder, r *prove.Result) error { return Prove(r).WritePage(w) },
			[]string{
				"unproven", "Costs elsewhere", "noticed 87 of 92", "-12.3% CPU time",
				"Errors that nothing noticed", "working &lt;tree&gt;",
				"<details",
				"functions: Join",
			},
		},
	} {
		var out strings.Builder
		if err := test.write(&out, r); err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s lacks %q\n%s", test.name, want, out.String())
			}
		}
	}
	r.Predicted = &prove.Prediction{
		Change: 0.01, Low: bench.Float(math.Inf(-1)), High: bench.Float(math.Inf(1)), Unknown: "no samples",
	}
	facts := strings.Join(predictedText(r.Predicted), "")
	if !strings.Contains(facts, "+1.0% CPU time, from") ||
		!strings.Contains(facts, "similarity of their profiles is not known: no samples") {
		t.Error(facts)
	}
	reporttest.RoundTrip(t, r, views(layout.Style{Width: 80}, Prove)...)
}

// TestProveReproducer shows a test that whet wrote where it can be folded, and says elsewhere how to get it.
func TestProveReproducer(t *testing.T) {
	t.Parallel()
	r := &prove.Result{Outcome: prove.OutcomeDifferent, Reason: "Join behaves differently", Reproducer: &prove.Reproducer{
		Test: "TestReproduce_Join", File: "text/whet_reproduce_test.go", Source: "package text\n",
		Command: "go test -run=TestReproduce_Join ./text",
	}}
	var text, markdown, page strings.Builder
	d := Prove(r)
	err := errors.Join(d.Write(&text, layout.Style{Width: 120}), d.WriteMarkdown(&markdown), d.WritePage(&page))
	if err != nil {
		t.Fatal(err)
	}
	if got := text.String(); strings.Contains(got, "package text") ||
		!strings.Contains(got, "--reproducer FILE writes it") ||
		!strings.Contains(got, "run `go test -run=TestReproduce_Join ./text`") {
		t.Error(got)
	}
	if got := markdown.String(); !strings.Contains(got, "<details><summary>text/whet_reproduce_test.go</summary>") ||
		!strings.Contains(got, "```go\npackage text\n") {
		t.Error(got)
	}
	if !strings.Contains(page.String(), "package text") {
		t.Error(page.String())
	}
	r.Reproducer = &prove.Reproducer{NoTest: "an argument has a function", Input: []byte("\x01a")}
	text.Reset()
	if err := Prove(r).Write(&text, layout.Style{Width: 120}); err != nil ||
		!strings.Contains(text.String(), "whet wrote no test: an argument has a function\n") ||
		!strings.Contains(text.String(), `the fuzzer's input: "\x01a"`) {
		t.Error(err, text.String())
	}
}

// TestProveSARIF has one result, at the function that does something else, and none for a change
// that is proven.
func TestProveSARIF(t *testing.T) {
	for _, test := range []struct {
		r    prove.Result
		want []string
	}{
		{
			prove.Result{
				Outcome: prove.OutcomeDifferent, Reason: "Join behaves differently:\n(\"\\x1b\")",
				Place:   &find.Place{File: "text/a b.go", Line: 7, EndLine: 9},
				Changed: prove.Changed{Files: []string{"z.go"}},
			},
			[]string{
				`"ruleId": "different"`, `"level": "error"`, `"startLine": 7`, `"endLine": 9`, `"uri": "text/a%20b.go"`,
				"Different: Join behaves differently",
			},
		},
		{
			prove.Result{
				Outcome: prove.OutcomeUnproven, Reason: "no benchmark", Changed: prove.Changed{Files: []string{"z.go", "b.go"}},
				Missing: []prove.Missing{{What: "no benchmark", Do: "write one"}, {What: "more", Do: "--service"}},
			},
			[]string{
				`"level": "note"`, `"uri": "b.go"`, `"startLine": 1`, `"text": "Unproven: no benchmark\n- more (--service)"`,
			},
		},
		{prove.Result{Outcome: prove.OutcomeBroken}, []string{`"ruleId": "broken"`, `"ruleIndex": 1`, `"uri": "go.mod"`}},
		{prove.Result{Outcome: prove.OutcomeFaster}, []string{`"results": []`}},
	} {
		var out strings.Builder
		if err := WriteProveSARIF(&out, &test.r, "v1"); err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %s in\n%s", test.r.Outcome, want, out.String())
			}
		}
	}
}
