package layout

import "testing"

// TestFacts checks that phrases that do not apply are left out.
func TestFacts(t *testing.T) {
	t.Parallel()
	facts := Facts{"one"}
	facts.If(false, ", %d more", 2)
	facts.If(true, ", %d%% of %s", 3, "all")
	facts.Add(", last")
	if got, want := facts.String(), "one, 3% of all, last"; got != want || len(facts) != 3 {
		t.Errorf("%q, %d phrases, want %q", got, len(facts), want)
	}
}
