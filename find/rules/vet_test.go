package rules_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/rules"
)

// TestVet omits matches whose cost only a profile can show, unless every match is requested, and
// reasons for having no fix.
func TestVet(t *testing.T) {
	r := &rules.Rule{
		Analyzer: &analysis.Analyzer{Name: "slow", Doc: "is slow", Run: func(pass *analysis.Pass) (any, error) {
			for _, category := range []string{"", "common", "other"} {
				rules.Report(pass, rules.Span{}, category, "slow", rules.None("it is slow: make it fast"))
			}
			return nil, nil
		}},
		Causes: []rules.Cause{{}, {Category: "common", Profiled: true}},
	}
	for every, want := range map[bool][]string{true: {"", "common", "other"}, false: {"", "other"}} {
		var got []string
		a := r.Vet(func() bool { return every })
		if _, err := a.Run(&analysis.Pass{
			Analyzer: a,
			Report: func(d analysis.Diagnostic) {
				if got = append(got, d.Category); len(d.Related) > 0 {
					t.Errorf("%q prints %q", d.Category, d.Related[0].Message)
				}
			},
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) || a.Name != "slow" {
			t.Errorf("every %v: %q of %s, want %q", every, got, a.Name, want)
		}
	}
}
