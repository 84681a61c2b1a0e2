package ruletest

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/rules"
)

func TestUnreasoned(t *testing.T) {
	rule := &rules.Rule{Causes: []rules.Cause{
		{Category: "some"},
		{Category: "never", ByHand: "do it by hand"},
		{Category: "silent"},
		{Category: "set", Setting: &rules.Setting{}},
	}, Analyzer: &analysis.Analyzer{}}
	pass := &analysis.Pass{}
	var all []report
	pass.Report = func(d analysis.Diagnostic) { all = append(all, report{d, d.Category + d.Message}) }
	fix := analysis.SuggestedFix{Message: "do", TextEdits: []analysis.TextEdit{{}}}
	rules.Report(pass, rules.Span{}, "some", "1", fix)
	rules.Report(pass, rules.Span{}, "some", "2", rules.None("it is not constant: make it constant"))
	rules.Report(pass, rules.Span{}, "some", "3", analysis.SuggestedFix{Message: "do"})
	for _, category := range []string{"never", "silent", "set"} {
		rules.Report(pass, rules.Span{}, category, "", rules.None(""))
		all[len(all)-1].Related = nil
	}
	got := strings.Join(unreasoned(rule, all), "\n")
	want := "some3: neither a fix nor a reason for having none (rules.None)\nsilent: neither a fix nor the cause's " +
		"ByHand"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if reason := rules.Reason(all[1].Diagnostic); reason != "it is not constant: make it constant" {
		t.Errorf("reason %q", reason)
	}
}
