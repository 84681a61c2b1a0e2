package counts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/differ/counts"
)

// TestRead checks the floors below which a comparison proves nothing.
func TestRead(t *testing.T) {
	t.Parallel()
	answers := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "=%016x", i+1)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, text string
		fixed      bool
		want       counts.Outcome
		why        string
	}{
		{"nothing", "", false, counts.Outcome{}, "F was not compared: no inputs can be generated"},
		{"only panics", "!!!", false, counts.Outcome{Inputs: 3}, "F panics on each of the 3 inputs tried"},
		{
			"two inputs", ".=0000000000000001.=0000000000000002!!", false,
			counts.Outcome{Inputs: 4, Returned: 2, Distinct: 2},
			"F was compared on 2 inputs only",
		},
		{
			"one answer", strings.Repeat(".", 500) + answers(1), false,
			counts.Outcome{Inputs: 500, Returned: 500, Distinct: 1},
			"F gives the same answer to all 500 inputs",
		},
		{"no parameters", "." + answers(1), true, counts.Outcome{Inputs: 1, Returned: 1, Distinct: 1}, ""},
		{
			"two processes with the same answers", strings.Repeat(".", 200) + answers(2) + answers(2), false,
			counts.Outcome{Inputs: 200, Returned: 200, Distinct: 2},
			"",
		},
		{
			"asks otherwise", strings.Repeat(".", 200) + "~6c657373;" + answers(2), false,
			counts.Outcome{Inputs: 200, Returned: 200, Distinct: 2},
			"F asks less in another order or number than before: a function with side effects would notice",
		},
		{
			"more methods", strings.Repeat(".", 200) + "&726573756c742031;" + answers(2), false,
			counts.Outcome{Inputs: 200, Returned: 200, Distinct: 2},
			"F: result 1: callers that look for that notice it",
		},
		{
			"a careless writer", strings.Repeat(".", 200) + "|" + answers(2), false,
			counts.Outcome{Inputs: 200, Returned: 200, Distinct: 2},
			"F: a writer that takes less than it is given",
		},
		{
			"results stay", strings.Repeat(".", 200) + "^" + answers(2), false,
			counts.Outcome{Inputs: 200, Returned: 200, Distinct: 2},
			"F: what it returned no longer changes when it is called again",
		},
		{"cut off", strings.Repeat(".", 200) + answers(2) + "=00", false, counts.Outcome{
			Inputs: 200, Returned: 200, Distinct: 3,
		}, ""},
	} {
		got := counts.Read("F", c.fixed, []byte(c.text))
		if got.Inputs != c.want.Inputs || got.Returned != c.want.Returned || got.Distinct != c.want.Distinct ||
			!strings.HasPrefix(got.Unproven, c.why) || (got.Unproven == "") != (c.why == "") {
			t.Errorf("%s: %+v, want %+v, %q", c.name, got, c.want, c.why)
		}
	}
}
