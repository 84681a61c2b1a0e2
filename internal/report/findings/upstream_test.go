package findings

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
)

// everyForm returns a document as text, Markdown and a page, with single spaces.
func everyForm(t *testing.T, d *blocks.Document) map[string]string {
	t.Helper()
	var text, markdown, page strings.Builder
	if err := d.Write(&text, layout.Style{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if err := d.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{"text": text.String(), "markdown": markdown.String(), "page": page.String()}
	for name, form := range forms {
		forms[name] = strings.Join(strings.Fields(strings.ReplaceAll(form, "\\", "")), " ")
	}
	return forms
}

// TestWriteDependencies shows a call of another module with its hottest line, what it does and another way.
func TestWriteDependencies(t *testing.T) {
	t.Parallel()
	r := findResult()
	r.Dependencies = []dependencies.Call{{
		File: "page.go", Line: 12, Callee: "example.com/text/match.Matches", Module: "example.com/text", Version: "v1.2.0",
		CPU: dependencies.Amount{Value: 65e7, Share: 0.65}, Requests: 100, PerRequest: 6.5e6,
		Hottest: []dependencies.Line{{
			Module: "example.com/text", Version: "v1.2.0", File: "match/match.go", Line: 18,
			Function: "example.com/text/match.Compile", Code: "re, err := regexp.Compile(pattern)", Share: 0.5,
		}},
		Work:   []dependencies.Work{{Kind: "regexp", Share: 0.5, Functions: []string{"regexp.Compile"}}},
		Counts: []dependencies.Count{{What: "files opened", Times: 300, PerRequest: 3}},
		Alternatives: []dependencies.Alternative{{
			Name: "(*match.Pattern).Matches", Signature: "func(s string) bool", Form: dependencies.Keeps,
			Doc:  "Matches reports whether s matches.",
			With: "match.Compile", WithSignature: "func(pattern string) *match.Pattern",
		}},
	}}
	for name, form := range everyForm(t, Find(r)) {
		for _, want := range []string{
			"Into dependencies", "page.go:12 calls match.Matches", "65.00%", "6.50ms", "regexp 50.00% (regexp.Compile)",
			"files opened: about 300 in the recording, 3 per request", "match.Pattern", "keeps what is prepared",
			"Matches reports whether s matches.", "match/match.go:18", "regexp.Compile(pattern)", "was not measured",
		} {
			if !strings.Contains(form, want) {
				t.Errorf("%s has no %q:\n%s", name, want, form)
			}
		}
	}
}

// TestWriteUpstream shows what is for the authors of a dependency apart from the module's own.
func TestWriteUpstream(t *testing.T) {
	t.Parallel()
	other := findResult()
	other.Module, other.Version = "example.com/text", "v1.2.0"
	other.Candidates = []find.Candidate{proposedCandidate()}
	broken := &find.Result{Module: "example.com/broken", Version: "v0.1.0"}
	broken.Warnings.Addf("example.com/broken@v0.1.0 is not analyzed: it does not build alone")
	r := findResult()
	r.Upstream = []*find.Result{other, broken}
	for name, form := range everyForm(t, Find(r)) {
		_, upstream, ok := strings.Cut(form, "Candidates, unproven")
		for _, want := range []string{
			"For upstream", "example.com/text@v1.2.0", "Neither your module nor the module cache is changed",
			"whet fix --dependencies", "--dependencies --rule", "return entry", "is not analyzed: it does not build alone",
		} {
			if !ok || !strings.Contains(form, want) {
				t.Errorf("%s has no %q:\n%s", name, want, upstream)
			}
		}
	}
}

// TestWriteUpstreamFix shows the outcomes in copies of dependencies.
func TestWriteUpstreamFix(t *testing.T) {
	t.Parallel()
	r := &fix.Result{Module: "example.com/service", Upstream: []*fix.Result{{
		Module: "example.com/text", Version: "v1.2.0",
		Attempts: []fix.Attempt{{
			Finding: find.Finding{
				Rule: "concat", Title: "string concatenated in a loop", Why: "each iteration copies",
				Places: []find.Place{{File: "join.go", Line: 8}},
			},
			Stage: fix.StageKept, Tested: 1, Diff: "--- a/join.go\n+++ b/join.go\n@@ -1 +1 @@\n-old\n+new\n",
		}},
	}}}
	for name, form := range everyForm(t, Fix(r)) {
		for _, want := range []string{
			"For upstream", "example.com/text@v1.2.0", "1 of 1 rewrite kept", "Kept: string concatenated in a loop", "join.go:8",
			"Neither your module nor the module cache is changed",
		} {
			if !strings.Contains(form, want) {
				t.Errorf("%s has no %q:\n%s", name, want, form)
			}
		}
	}
}
