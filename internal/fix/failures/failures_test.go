package failures

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/prove"
)

// attempts returns a result with a candidate that was dropped, one that was kept, and a rewrite of a rule that was
// dropped.
func attempts(dir, diff string) *fix.Result {
	place := []find.Place{{File: "a.go", Line: 7, EndLine: 7, Code: "\treturn f(x)"}}
	proposed := find.Finding{Tier: find.Proposed, Function: "(*T).F", Places: place}
	free := find.Finding{Tier: find.Free, Function: "(*T).F", Places: place}
	return &fix.Result{Dir: dir, Attempts: []fix.Attempt{
		{
			Finding: proposed, Stage: fix.StageCompare, Outcome: prove.OutcomeDifferent, Diff: diff,
			Reason: `F("é") was 2, and is 1`,
		},
		{Finding: proposed, Stage: fix.StageKept, Diff: "kept"},
		{Finding: free, Stage: fix.StageMeasure, Diff: "free"},
	}}
}

// TestRemember returns what was dropped while the code of the line is the same, also to another run.
func TestRemember(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	for _, diff := range []string{"-a\n+b", "-a\n+c", "-a\n+b"} {
		if err := Remember(cache, attempts("/src/m", diff)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := On(cache, "/src/m", "a.go", "(*T).F", "return f(x)")
	if err != nil || len(list) != 2 || list[0].Diff != "-a\n+b" || list[0].Outcome != prove.OutcomeDifferent ||
		!strings.Contains(list[0].Reason, `F("é")`) {
		t.Errorf("%+v, %v", list, err)
	}
	for _, other := range [][4]string{
		{"/src/other", "a.go", "(*T).F", "return f(x)"},
		{"/src/m", "b.go", "(*T).F", "return f(x)"},
		{"/src/m", "a.go", "F", "return f(x)"},
		{"/src/m", "a.go", "(*T).F", "return f(x, y)"},
	} {
		if list, err := On(cache, other[0], other[1], other[2], other[3]); err != nil || len(list) != 0 {
			t.Errorf("%q: %v, %v", other, list, err)
		}
	}
	if err := Remember("", attempts("/src/m", "x")); err != nil {
		t.Error(err)
	}
}

// TestBounded keeps the newest entries, and replaces a file that is damaged.
func TestBounded(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	if err := os.WriteFile(fileOf(cache, "/src/m"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := On(cache, "/src/m", "a.go", "(*T).F", ""); err == nil {
		t.Error("a damaged file is no error")
	}
	big := attempts("/src/m", "first")
	for i := range maxEntries {
		one := big.Attempts[0]
		one.Diff = fmt.Sprint(i, strings.Repeat("x", 2*maxText))
		big.Attempts = append(big.Attempts, one)
	}
	if err := Remember(cache, big); err != nil {
		t.Fatal(err)
	}
	list, err := On(cache, "/src/m", "a.go", "(*T).F", "return f(x)")
	if err != nil || len(list) != maxEntries || len(list[0].Diff) > maxText+len("…") ||
		!strings.HasPrefix(list[0].Diff, fmt.Sprint(maxEntries-1)) {
		t.Errorf("%d entries, %v", len(list), err)
	}
}
