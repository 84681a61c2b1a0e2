package main

import (
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/prove"
)

// TestReach counts hot lines by what whet says about them, and takes the outcomes of candidates.
func TestReach(t *testing.T) {
	t.Parallel()
	at := func(line int) find.Place { return find.Place{File: "a.go", Line: line, EndLine: line} }
	diagnosed := func(line int, share float64, test bool) diagnosis.Line {
		return diagnosis.Line{File: "a.go", Line: line, Test: test, Costs: []diagnosis.Diagnosis{
			{Kind: diagnosis.Formatting, Line: share},
		}}
	}
	found := &find.Result{
		Diagnoses: []diagnosis.Line{
			diagnosed(1, 0.3, false), diagnosed(2, 0.2, false), diagnosed(3, 0.1, false), diagnosed(4, 0.5, true),
			diagnosed(5, 0.01, false),
		},
		Unexplained: []find.HotLine{
			{Place: at(6), Evidence: []find.Evidence{{Cost: find.AllocSpace, Share: 0.04}}},
			{Place: at(7), Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.01}}},
			{Place: at(8), Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.4}}, Why: "in a test"},
		},
		Findings: []find.Finding{{Places: []find.Place{at(1)}, Fix: &find.Fix{}}, {Places: []find.Place{at(3)}}},
		Candidates: []find.Candidate{
			{ID: "format/a.go/F/1", Generator: "format", Place: at(2), Change: find.Fix{Message: "Concatenate"}},
			{ID: "sort/a.go/F/1", Generator: "sort", Place: at(5), Change: find.Fix{Message: "Sort"}},
		},
	}
	r := &reach{Name: "pongo2", Version: "v1.0.0", Budget: time.Minute}
	r.looked(found)
	if r.Hot != 4 || r.Diagnosed != 3 || r.Rewritten != 1 || r.Proposed != 1 || len(r.Silent) != 2 ||
		r.Silent[0] != (silent{"a.go:3", 0.1, diagnosis.Formatting}) || r.Silent[1].Place != "a.go:6" {
		t.Errorf("%+v", r)
	}
	if !r.Candidates[0].Hot || r.Candidates[1].Hot {
		t.Errorf("%+v", r.Candidates)
	}
	tried := func(id string, stage fix.Stage, outcome prove.Outcome) fix.Attempt {
		return fix.Attempt{
			Finding: find.Finding{ID: id, Tier: find.Proposed}, Stage: stage, Outcome: outcome, Reason: "F(1)\nwas 2",
		}
	}
	r.tried(&fix.Result{Attempts: []fix.Attempt{
		tried("format/a.go/F/1", fix.StageKept, ""), tried("other/a.go/F/1", fix.StageKept, ""),
	}})
	if r.Candidates[0].Outcome != kept || r.Candidates[0].Reason != "F(1)" || r.Candidates[1].Outcome != untried {
		t.Errorf("%+v", r.Candidates)
	}
	text, err := reachPage(&reaches{Modules: []reach{*r}})
	for _, want := range []string{
		"| pongo2 v1.0.0 | templates in the syntax of Django | 4 | 3 (75%) | 1 (25%) | 1 (25%) | 2 (50%) | 1 | 1 |",
		"| pongo2 | `a.go:2` | `format` | Concatenate |", "| pongo2 | `a.go:3` | 10% | formatting |",
	} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v; the page has no %q:\n%s", err, want, text)
		}
	}
}
