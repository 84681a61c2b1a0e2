package findings

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/prove"
)

// proposedCandidate is a candidate of a line that no rule explains.
func proposedCandidate() find.Candidate {
	return find.Candidate{
		ID: "lookup/c.go/G/1", Tier: find.Proposed, Generator: "lookup", Title: "map entry looked up several times",
		Place: find.Place{File: "c.go", Line: 9, EndLine: 9, Code: "return m[k]"}, Function: "G", Share: 0.125, Saving: 0.125,
		Why: "each access hashes the key", Assumes: "nothing changes the map",
		Change: find.Fix{
			Message: "Look the entry up once", Diff: "--- a/c.go\n+++ b/c.go\n@@ -9 +9 @@\n-return m[k]\n+return entry\n",
		},
	}
}

// TestWriteCandidates shows candidates as unproven in each form, and never as a fix.
func TestWriteCandidates(t *testing.T) {
	t.Parallel()
	r := findResult()
	c := proposedCandidate()
	r.Candidates = []find.Candidate{c}
	r.Unexplained = []find.HotLine{{Place: c.Place, Function: "G", Saving: 0.125}}
	var text, markdown, page, sarif strings.Builder
	if err := Find(r).Write(&text, layout.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if err := Find(r).WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if err := Find(r).WritePage(&page); err != nil {
		t.Fatal(err)
	}
	if err := WriteFindSARIF(&sarif, r, nil, "v1"); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"text": text.String(), "markdown": markdown.String(), "page": page.String()} {
		words := strings.Join(strings.Fields(got), " ")
		for _, want := range []string{
			"Candidates, unproven", "andidate, unproven: look the entry up once", "12.50%", "nothing changes the map",
			"each access hashes the key", "--rule", "lookup", "return entry",
		} {
			if !strings.Contains(words, want) {
				t.Errorf("%s has no %q:\n%s", name, want, got)
			}
		}
		if strings.Contains(words, "fix: Look the entry up once") {
			t.Errorf("%s calls the candidate a fix", name)
		}
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(sarif.String()), &log); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, one := range log.Runs[0].Results {
		if one.RuleID != sarifCandidate {
			continue
		}
		found++
		if len(one.Fixes) > 0 || one.Level != "note" || !strings.HasPrefix(one.Message.Text, "Candidate, unproven: ") ||
			log.Runs[0].Tool.Driver.Rules[one.RuleIndex].ID != sarifCandidate {
			t.Errorf("%+v", one)
		}
	}
	if found != 1 {
		t.Errorf("SARIF has %d candidates, want 1", found)
	}
}

// TestWriteFixCandidates shows the outcome of candidates that were dropped, and what a kept one assumes.
func TestWriteFixCandidates(t *testing.T) {
	t.Parallel()
	c := proposedCandidate()
	x := c.Finding()
	r := &fix.Result{Module: "example.com/slow", Attempts: []fix.Attempt{
		{Finding: x, Stage: fix.StageKept, Outcome: prove.OutcomeFaster, Diff: c.Change.Diff},
		{
			Finding: x, Stage: fix.StageCompare, Outcome: prove.OutcomeDifferent, Reason: "G behaves differently",
			Diff: c.Change.Diff,
		},
		{Finding: x, Stage: fix.StageMeasure, Outcome: prove.OutcomeSameSpeed, Reason: "no gain"},
	}}
	var text strings.Builder
	if err := Fix(r).Write(&text, layout.Style{Width: 100}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"0 of 0 rewrites kept, 1 of 3 candidates", "Kept candidate: map entry looked up",
		"assumes that nothing changes the map",
		"Dropped candidate, different: map entry", "G behaves differently", "Dropped candidate, same speed: map entry",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q:\n%s", want, text.String())
		}
	}
}
