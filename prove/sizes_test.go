package prove_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// TestSizes checks that a change that only generated benchmarks measure is slower if it loses at each size, and a
// trade-off if it gains with large inputs.
func TestSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const module = `
-- go.mod --
module example.com/p

go 1.26
-- p.go --
// Package p selects words.
package p

import "slices"

var _ = slices.Clone[[]string]

// Words returns the words that are not empty.
func Words(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
-- p_test.go --
package p

import "testing"

func TestWords(t *testing.T) {
	if n := len(Words([]string{"a", "", "b"})); n != 2 {
		t.Error(n)
	}
}
`
	for _, test := range []struct {
		name, clones string // how often the result is copied
		outcome      prove.Outcome
		says, also   string
	}{
		{
			"slower at each size", "9", prove.OutcomeSlower,
			"regression: only generated benchmarks run this line, and they show no gain at any size: with inputs of size 1 " +
				"(Whet_Words allocs/op +", "; with inputs of size 64 (Whet_Words allocs/op +",
		},
		{
			"slower with small inputs", "3", prove.OutcomeUnproven,
			"a trade-off, as far as generated benchmarks show: faster with inputs of size 64 (Whet_Words allocs/op -",
			"; slower with inputs of size 1 (Whet_Words allocs/op +",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			provetest.Part(t)
			after := strings.Replace(module, "out := []string{}", "out := make([]string, 0, len(list))", 1)
			after = strings.Replace(after, "\treturn out\n", "\tfor range "+test.clones+" {\n\t\tout = slices.Clone(out)\n\t}\n"+
				"\treturn out\n", 1)
			r := proveDirs(t, writeModule(t, module), writeModule(t, after), nil)
			if r.Outcome != test.outcome || !strings.HasPrefix(r.Reason, test.says) || !strings.Contains(r.Reason, test.also) {
				t.Errorf("%s: %s\nwant %s: %s…%s", r.Outcome, r.Reason, test.outcome, test.says, test.also)
			}
			if ignored := len(r.Verdict.IgnoredLosses); (ignored > 0) != (test.outcome == prove.OutcomeUnproven) {
				t.Errorf("%d losses do not count", ignored)
			}
		})
	}
}
