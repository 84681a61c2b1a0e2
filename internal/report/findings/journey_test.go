package findings

import (
	"bytes"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/prove"
)

const joinDiff = "--- a/join.go\n+++ b/join.go\n@@ -10,4 +10,4 @@ func Join(parts []string) string {\n" +
	" \tfor _, part := range parts {\n-\t\ttext += part\n+\t\ttext.WriteString(part)\n \t}\n \treturn text\n"

// someFindings are findings of two rules, and a hot line without one.
func someFindings() []find.Finding {
	return []find.Finding{
		{
			ID: "concat/join.go", Rule: "concat", Title: "string built in a loop", Why: "each += copies all of it",
			Places:   []find.Place{{File: "join.go", Line: 12, EndLine: 12, Code: "text += part"}},
			Function: "example.com/m.Join", Saving: 0.25, Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.3}},
			Safe: "the builder is not used elsewhere",
			Fix:  &find.Fix{Message: "use a strings.Builder", Diff: joinDiff},
		},
		{
			ID: "regexp/match.go", Rule: "regexp", Title: "regexp compiled for each call",
			Why:      "compiling is slower than matching",
			Places:   []find.Place{{File: "sub/match.go", Line: 7, EndLine: 7, Code: "re := regexp.MustCompile(p)"}},
			Function: "example.com/m/sub.Match", Saving: 0.1, Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.1}},
			NoFix: "the pattern is a parameter",
		},
	}
}

// TestDocumentsJourney walks through the documents of find, fix and prove in a real browser, as
// ui/journey/documents.mjs says.
func TestDocumentsJourney(t *testing.T) {
	reporttest.RunJourney(t, "documents.mjs", func() map[string][]byte {
		found := someFindings()
		strong := &prove.Strength{Mutants: 9, Noticed: 8, ByInputs: 5, ByTests: 3}
		editor, err := blocks.NewEditor(blocks.DefaultEditor, "/src")
		if err != nil {
			t.Fatal(err)
		}
		pages := map[string][]byte{}
		for name, d := range map[string]*blocks.Document{
			"find": Find(&find.Result{
				Module: "example.com/m", Findings: found,
				Unexplained: []find.HotLine{{
					Place:    find.Place{File: "hot.go", Line: 3, Code: "sum += x[i]"},
					Function: "example.com/m.Sum", Saving: 0.05, Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.05}},
				}},
			}),
			"fix": Fix(&fix.Result{
				Module: "example.com/m", Attempts: []fix.Attempt{
					{Finding: found[0], Stage: fix.StageKept, Diff: joinDiff, Tested: 2},
					{Finding: found[1], Stage: fix.StageTest, Reason: "--- FAIL: TestMatch", Diff: joinDiff},
				},
			}),
			"prove": Prove(&prove.Result{
				Module: "example.com/m", A: "HEAD", B: "working tree", Outcome: prove.OutcomeUnproven, Reason: "no benchmark",
				Missing: []prove.Missing{{What: "no benchmark runs the change", Do: "write one"}},
				Changed: prove.Changed{Files: []string{"join.go"}, Functions: []string{"Join"}, Diff: joinDiff}, TestsOf: "a",
				Verdict: &prove.Verdict{
					Stage: prove.StageMeasure, Tested: 2, Strength: strong,
					Answers: &prove.Answers{Functions: []string{"Join"}, Inputs: 1234},
				},
			}),
		} {
			d.Editor = editor
			var page bytes.Buffer
			if err := d.WritePage(&page); err != nil {
				t.Fatal(err)
			}
			pages[name] = page.Bytes()
		}
		return pages
	})
}
