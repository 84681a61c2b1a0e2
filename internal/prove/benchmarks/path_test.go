package benchmarks

import (
	"strings"
	"testing"
)

// TestAlike checks which calls are like those of a recording: most run the hottest line, or they are those that were
// recorded, of which few may, and the profiles agree.
func TestAlike(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		p    callPath
		want string // part of the description if they are not alike
	}{
		{callPath{}, ""}, // nothing is known
		{callPath{known: true, cost: 0.9, calls: 1}, ""},
		{callPath{known: true, cost: 0.9, calls: 0.3}, "mostly take another path"},
		{callPath{known: true, cost: 0.9, calls: 0.3, captured: true}, ""},
		{callPath{known: true, cost: 0.9, calls: 0, captured: true}, "mostly take another path"},
		{callPath{known: true, cost: 0.2, calls: 1, captured: true, missed: "a.go:1"}, "take another path"},
		{
			callPath{known: true, cost: 0.9, calls: 0.3, captured: true, sampled: true, similar: 0.2, chance: 0.9},
			"in other proportions",
		},
		{callPath{known: true, cost: 0.9, calls: 0.3, captured: true, sampled: true, similar: 0.8, chance: 0.9}, ""},
	} {
		if got := test.p.alike(); got != (test.want == "") || !strings.Contains(test.p.String(), test.want) {
			t.Errorf("%+v: alike %t, %s", test.p, got, test.p.String())
		}
	}
}
