package index_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/whet-go/whet/find/rules/index"
)

func TestChoose(t *testing.T) {
	names := index.Names()
	if !slices.IsSorted(names) || len(names) != len(index.Rules()) || len(index.Matching(nil)) != len(names) {
		t.Errorf("%d rules, names %q", len(index.Rules()), names)
	}
	for _, name := range names {
		if r := index.Named(name); r == nil || r.Analyzer.Name != name {
			t.Errorf("%s: %+v", name, r)
		}
		if chosen := index.Matching(regexp.MustCompile("^" + name + "$")); len(chosen) != 1 {
			t.Errorf("%s: %d rules match", name, len(chosen))
		}
	}
	if index.Named("frob") != nil || len(index.Matching(regexp.MustCompile("frob"))) != 0 {
		t.Error("a rule that does not exist")
	}
}

// A finding without a rewrite must say what to do.
func TestByHand(t *testing.T) {
	for _, r := range index.Rules() {
		for _, c := range r.Causes {
			if (c.ByHand == "") != (r.Judge != nil) && c.Setting == nil {
				t.Errorf("rule %s, %s: ByHand is %q", r.Analyzer.Name, c.Title, c.ByHand)
			}
		}
	}
}
