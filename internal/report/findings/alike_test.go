package findings

import (
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/report/layout"
)

// TestAlike shows findings without a rewrite of one cause as one, with each sample counted once.
func TestAlike(t *testing.T) {
	boxed := func(id, file string, saving float64, shared ...find.Shared) find.Finding {
		return find.Finding{
			ID: id, Rule: "boxing", Identity: find.Identity{Category: "boxing"}, Title: "value " +
				"converted", Function: "F",
			Why: "n is copied", NoFix: "it is kept: pass a " +
				"pointer", Places: []find.Place{{File: file, Line: 3, Code: "f(n)"}},
			Saving: saving, Alone: saving, PerRequest: time.Duration(saving * 1e6), Shared: shared,
			Evidence: []find.Evidence{{Cost: find.CPU, Value: int64(saving * 100), Share: saving}},
		}
	}
	fixed := boxed("fixed", "c.go", 0.03)
	fixed.Fix = &find.Fix{Message: "Do it"}
	r := &find.Result{Module: "m", PerRequest: time.Millisecond, Findings: []find.Finding{
		{ID: "other", Rule: "x", Title: "slow", Saving: 0.04, Places: []find.Place{{File: "d.go", Line: 1}}},
		fixed,
		boxed("a", "a.go", 0.03, find.Shared{With: "other", Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.01}}}),
		boxed("b", "b.go", 0.02, find.Shared{With: "other", Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.02}}},
			find.Shared{With: "a", Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.5}}}),
	}}
	var text strings.Builder
	if err := Find(r).Write(&text, layout.Style{Width: 200}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1. value converted (2 places)\n   a.go:3  F\n   saves at most 5.00% of the CPU time: CPU 5.00%\n",
		"CPU time per request: 50us of 1ms\n",
		"the same samples as others: CPU 3.00% (counted in finding 2)\n",
		"a.go:3 F, 3.00%: n is copied\n", "b.go:3 F, 2.00%: n is copied\n", "no rewrite: it is kept: pass a pointer\n",
		"2. slow\n", "3. value converted\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if strings.Contains(text.String(), "50.00%") || strings.Count(text.String(), "no rewrite") != 1 {
		t.Errorf("counted twice, or a reason is repeated:\n%s", &text)
	}
	if len(r.Findings) != 4 || r.Findings[2].Saving != 0.03 || r.Findings[2].Shared[0].Evidence[0].Share != 0.01 {
		t.Errorf("the result changed: %+v", r.Findings)
	}
}
