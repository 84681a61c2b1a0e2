package find

import (
	"slices"
	"testing"
)

// TestNameParts names the bodies of ranges over functions like the functions around them.
func TestNameParts(t *testing.T) {
	for name, want := range map[string][]string{
		"main.(*search).find":             {"main", "(*search)", "find"},
		"main.(*search).find-range1":      {"main", "(*search)", "find"},
		"example.com/a.list.func1-range2": {"a", "list", "func1"},
	} {
		if got := nameParts(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
