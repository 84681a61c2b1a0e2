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

// TestWithoutTests does not try what is about the benchmarks that judge it, and says so.
func TestWithoutTests(t *testing.T) {
	t.Parallel()
	f := &fixer{result: &Result{}, o: Options{}}
	list := f.withoutTests([]find.Candidate{
		{ID: "a", Place: find.Place{File: "a.go", Line: 1}},
		{ID: "b", Title: "formatted", Place: find.Place{File: "a_test.go", Line: 7}, Change: find.Fix{Message: "Format it"}},
	})
	if len(list) != 1 || list[0].ID != "a" {
		t.Errorf("to be tried: %+v", list)
	}
	if u := f.result.Untried; len(u) != 1 || u[0].File != "a_test.go" || u[0].Line != 7 ||
		u[0].Reason != "candidate, unproven: format it; a benchmark cannot judge a change of itself" {
		t.Errorf("not tried: %+v", u)
	}
}
