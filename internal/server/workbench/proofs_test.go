package workbench

import (
	"encoding/json"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/prove"
)

// proofs returns files of whet prove and whet fix.
func proofs(t *testing.T) map[string][]byte {
	t.Helper()
	const diff = "diff a/join.go b/join.go\n--- a/join.go\n+++ b/join.go\n@@ -12 +12 @@\n" +
		"-\ttext += part\n+\tb.WriteString(part) // <b>\n"
	measured := func(ratio bench.Float, verdict ab.Verdict) *prove.Measured {
		rounds := [2][]float64{{2e-6}, {1e-6}}
		return &prove.Measured{Benchmarks: []string{"x.BenchmarkJoin"}, AB: &ab.Result{
			Schema: ab.Schema, Subjects: []ab.SubjectResult{{Name: "Join", Pairs: 7, Units: []ab.Unit{
				{
					Unit: "sec/op", Better: bench.Lower, A: ab.Summary{Median: 2e-6}, B: ab.Summary{Median: 2e-6 * ratio},
					Ratio: ratio, Low: ratio * 0.98, High: ratio * 1.02, Verdict: verdict, Rounds: rounds,
				},
				{
					Unit: "allocs/op", Better: bench.Lower, A: ab.Summary{Median: 5}, Ratio: bench.Float(math.NaN()),
					Low: bench.Float(math.Inf(-1)), High: bench.Float(math.Inf(1)), Verdict: ab.Better, Rounds: rounds,
				},
			}}},
		}}
	}
	proof := func(o prove.Outcome, reason string, v *prove.Verdict) *prove.Result {
		return &prove.Result{
			Schema: prove.Schema, Module: "example.com/x", A: "HEAD", B: "working <tree>", Outcome: o, Reason: reason,
			TestsOf: "a", Verdict: v, Changed: prove.Changed{
				Files: []string{"join.go"}, Functions: []string{"Join"}, Tests: []string{"join_test.go"}, Diff: diff,
			},
		}
	}
	faster := proof(prove.OutcomeFaster, "Join sec/op -50.0%", &prove.Verdict{
		Stage: prove.StageMeasure, Tested: 2, Raced: true, Measured: measured(0.5, ab.Better),
		Answers: &prove.Answers{Functions: []string{"Join"}, Inputs: 1234, Distinct: 99, Blocks: 5, Reached: 4},
		Configs: []prove.ConfigBuild{{Config: "linux/arm64", Built: true}},
		Strength: &prove.Strength{
			Mutants: 12, Noticed: 10, ByInputs: 6, ByTests: 4,
			Survivors: []prove.Survivor{{
				File: "join.go", Line: 12, Mutator: "comparison", Reached: true,
				Diff: "diff a/join.go b/join.go\n--- a/join.go\n+++ b/join.go\n@@ -9 +9 @@\n-\tif i > 0 {\n+\tif i >= 0 {\n",
			}},
		},
	})
	faster.Cost = &prove.Cost{Share: 0.25}
	faster.Predicted = &prove.Prediction{
		Benchmark: "x.BenchmarkJoin", Change: -0.15, Low: -0.16, High: -0.14, Share: 0.3, Below: 1, Similar: 0.97,
	}
	different := proof(prove.OutcomeDifferent, "Join behaves differently:\nthe results differ\nbefore:\n"+
		"r0 := Join([]string{\" A\", \"<b>\"})\nr0 = \" a, <b>\"\nafter:\nr0 := Join([]string{\" A\", \"<b>\"})\n"+
		"r0 = \"a, <b>\"\n", &prove.Verdict{Stage: prove.StageCompare, Tested: 2})
	different.Place = &find.Place{File: "join.go", Line: 12}
	different.Reproducer = &prove.Reproducer{
		Test: "TestReproduce_Join", Command: "go test -run '^TestReproduce_Join$' .", File: "whet_reproduce_test.go",
		Source: "package x\n\nfunc TestReproduce_Join(t *testing.T) {}\n",
	}
	unproven := proof(prove.OutcomeUnproven, "no benchmark runs the change", &prove.Verdict{Stage: prove.StageMeasure})
	unproven.Missing = []prove.Missing{{What: "no benchmark runs the change", Do: "write one"}}
	unproven.SideCosts = []prove.SideCost{{
		What: "live heap after 100 iterations", Where: "BenchmarkJoin", A: 1 << 20, B: 3 << 20, Unit: "B",
	}}
	finding := func(id, title string) find.Finding {
		return find.Finding{
			ID: id, Rule: "concat", Title: title, Why: "each += copies <b>all</b> of it", Function: "Join", Saving: 0.25,
			Places: []find.Place{{File: "join.go", Line: 12, Code: "text += part"}},
		}
	}
	all := map[string][]byte{}
	for name, doc := range map[string]any{
		"faster.json": faster, "different.json": different, "unproven.json": unproven,
		"fixes.json": &fix.Result{
			Schema: fix.Schema, Module: "example.com/x", Rounds: 2, Total: measured(0.4, ab.Better),
			Attempts: []fix.Attempt{
				{
					Finding: finding("f1", "string built in a loop"), Stage: fix.StageKept, Diff: diff, Tested: 2, Round: 1,
					Answers: &fix.Answers{Functions: []string{"Join"}, Inputs: 1234}, Measured: measured(0.5, ab.Better),
					Predicted: &prove.Prediction{
						Benchmark: "x.BenchmarkJoin", Change: -0.15, Low: bench.Float(math.Inf(-1)), High: bench.Float(math.Inf(1)),
						Share: 0.3, Below: 1, Unknown: "the recording has 7 samples",
					},
				},
				{
					Finding: finding("f2", "string formatted by fmt"), Stage: fix.StageTest, Diff: diff, Round: 1,
					Reason: "--- FAIL: TestJoin\nwant <a>", Hint: "write a benchmark",
				},
				{Finding: finding("f3", "JSON by reflection"), Stage: fix.StageNeeds, Reason: "it needs a dependency"},
			},
			Untried: []fix.Untried{{Title: "text", File: "gen.go", Line: 3, Function: "Gen", Reason: "generated", Share: 0.05}},
		},
	} {
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = data
	}
	return all
}

// TestProofs has the pages of proofs and fixes show what the files have, and list what they say.
func TestProofs(t *testing.T) {
	s, dir := serve(t)
	for name, data := range proofs(t) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string]string{
		"cut.json": `{"schema": "whet.prove/1", "outcome": "fas`, "old.json": `{"schema": "whet.fix/1"}`,
		"wrong.json": `{"schema": "whet.prove/1", "changed": 7}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := get[prove.Result](t, s, "/api/v1/proof?file=faster.json")
	if p.Outcome != prove.OutcomeFaster || p.Verdict.Strength.Noticed != 10 ||
		p.Verdict.Measured.AB.Subjects[0].Pairs != 7 {
		t.Errorf("%+v", p)
	}
	f := get[fix.Result](t, s, "/api/v1/fixes?file=fixes.json")
	if len(f.Attempts) != 3 || len(f.Kept()) != 1 || f.Total == nil {
		t.Errorf("%d attempts, %d kept, total %v", len(f.Attempts), len(f.Kept()), f.Total)
	}
	if about := get[File](t, s, "/api/v1/file?file=different.json"); about.File.Kind != files.Proof ||
		about.Result == nil || about.Result.Outcome != prove.OutcomeDifferent || about.Result.Of != "example.com/x" {
		t.Errorf("%+v", about)
	}
	if about := get[File](t, s, "/api/v1/file?file=fixes.json"); about.File.Kind != files.Fixes ||
		about.Result == nil || about.Result.Kept != 1 || about.Result.Tried != 3 {
		t.Errorf("%+v", about)
	}
	for target, want := range map[string]string{
		"proof?file=faster.json&format=html": "working &lt;tree&gt;",
		"fixes?file=fixes.json&format=html":  "Kept: string built in a loop",
	} {
		w := ask(s, http.MethodGet, "/api/v1/"+target, "")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) ||
			!strings.Contains(w.Header().Get("Content-Disposition"), ".json.html") {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
	for target, want := range map[string]string{
		"proof?file=cut.json": "unexpected end", "proof?file=wrong.json": "cannot unmarshal",
		"fixes?file=old.json": "unknown schema", "proof?file=fixes.json": "unknown schema",
		"file?file=cut.json": "unexpected end",
	} {
		w := ask(s, http.MethodGet, "/api/v1/"+target, "")
		if w.Code != 422 || !strings.Contains(w.Body.String(), want) || !strings.Contains(w.Body.String(), "--json") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	w := ask(s, http.MethodGet, "/api/v1/proof?file=faster.json&format=pdf", "")
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "want json or html") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
