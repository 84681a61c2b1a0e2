package prove_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// users is a module in which packages use what others declare.
const users = `
-- go.mod --
module example.com/users

go 1.26
-- internal/limits/limits.go --
package limits

// Max is the length of a line.
const Max = 16

// Room is what is reserved for a line.
const Room = 0

// Sep ends lines.
var Sep = ","

// Length returns the length of a line.
func Length(words []string) int {
	s := ""
	for _, w := range words {
		s += w + Sep
	}
	return len(s)
}
-- internal/limits/limits_test.go --
package limits

import "testing"

func BenchmarkLength(b *testing.B) {
	words := []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"}
	b.ReportAllocs()
	for b.Loop() {
		Length(words)
	}
}
-- text/text.go --
// Package text has lines.
package text

import "example.com/users/internal/limits"

// Line returns a line.
func Line(words []string) string {
	b := make([]byte, 0, limits.Room)
	for _, w := range words {
		b = append(append(b, w...), limits.Sep...)
	}
	return string(b[:min(len(b), limits.Max)])
}
-- text/text_test.go --
package text

import "testing"

func TestLine(t *testing.T) {
	if Line([]string{"a", "b"}) != "a,b," {
		t.Error("not a line")
	}
}
`

// TestUsers judges changes of a package with constants and variables that other packages use.
func TestUsers(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const slow = "\ts := \"\"\n\tfor _, w := range words {\n\t\ts += w + Sep\n\t}\n\treturn len(s)\n"
	const fast = "\tn := 0\n\tfor _, w := range words {\n\t\tn += len(w) + len(Sep)\n\t}\n\treturn n\n"
	a := writeModule(t, users)
	for _, test := range []struct {
		name, old, new string
		outcome        prove.Outcome
		says           string // the reason, or what is missing
	}{
		{"capacity", "Room = 0", "Room = 64", prove.OutcomeFaster, "Length allocs/op"},
		{
			"another result", "Max = 16", "Max = 17",
			prove.OutcomeDifferent, "text.Line (which uses limits.Max) behaves differently",
		},
		{"the same value", "Sep = \",\"", "Sep = \"\" + \",\"", prove.OutcomeFaster, "Length allocs/op"},
	} {
		t.Run(test.name, func(t *testing.T) {
			provetest.Part(t)
			r := proveDirs(t, a, writeModule(t, strings.NewReplacer(test.old, test.new, slow, fast).Replace(users)), nil)
			says := r.Reason
			for _, m := range r.Missing {
				says += "\n" + m.What
			}
			if r.Outcome != test.outcome || !strings.Contains(says, test.says) {
				t.Errorf("%s: %s\nwant %s, %s", r.Outcome, says, test.outcome, test.says)
			}
			if r.Outcome == prove.OutcomeDifferent &&
				(r.Reproducer == nil || r.Reproducer.File != "text/whet_reproduce_test.go") {
				t.Error("there is no reproducer in the package that uses it")
			}
		})
	}
}
