package fix

import (
	"slices"
	"testing"

	"github.com/whet-go/whet/find"
)

// TestPromising tries one candidate of each line before the second ones, unless those can save much more, and last what
// can never be proven.
func TestPromising(t *testing.T) {
	t.Parallel()
	candidate := func(id string, line int, saving float64, keeps bool) find.Candidate {
		return find.Candidate{ID: id, Place: find.Place{File: "a.go", Line: line}, Saving: saving, Keeps: keeps}
	}
	list := []find.Candidate{
		candidate("pool", 1, 0.4, true), candidate("a1", 1, 0.4, false), candidate("a2", 1, 0.4, false),
		candidate("a3", 1, 0.4, false), candidate("b1", 2, 0.15, false), candidate("b2", 2, 0.15, false),
		candidate("c1", 3, 0.01, false),
	}
	var got []string
	for _, c := range promising(list) {
		got = append(got, c.ID)
	}
	if want := []string{"a1", "a2", "b1", "a3", "b2", "c1", "pool"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if list[0].ID != "pool" {
		t.Error("the list of the caller has another order")
	}
}
