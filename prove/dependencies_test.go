package prove_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// withDependency is a module with three versions of another one, of which it uses the first.
const withDependency = `
-- go.mod --
module example.com/p

go 1.26

require example.com/words v1.0.0

replace example.com/words => ./words1
-- words1/go.mod --
module example.com/words

go 1.26
-- words1/words.go --
// Package words counts words.
package words

import "strings"

// Count counts words.
func Count(s string) int { return len(strings.Fields(s)) }
-- words2/go.mod --
module example.com/words

go 1.26
-- words2/words.go --
// Package words counts words.
package words

import "strings"

// Count counts words.
func Count(s string) (n int) {
	for range strings.FieldsSeq(s) {
		n++
	}
	return n
}
-- words3/go.mod --
module example.com/words

go 1.26
-- words3/words.go --
// Package words counts words.
package words

import "strings"

// Count counts words.
func Count(s string) int { return len(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' })) }
-- text/text.go --
// Package text describes texts.
package text

import (
	"strconv"

	"example.com/words"
)

// Describe describes a text.
func Describe(s string) string { return strconv.Itoa(words.Count(s)) + " words" }

// Twice repeats a text.
func Twice(s string) string { return s + s }
-- text/text_test.go --
package text

import "testing"

func TestDescribe(t *testing.T) {
	if got := Describe("a b"); got != "2 words" {
		t.Error(got)
	}
}

func BenchmarkDescribe(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Describe("the quick brown fox jumps over the lazy dog")
	}
}
`

// TestDependency compares the functions that use another version of a dependency, in two processes. They show a
// difference, but no proof: other code may use the dependency, too.
func TestDependency(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	a := writeModule(t, withDependency)
	for _, c := range []struct {
		version string
		outcome prove.Outcome
		says    string
	}{
		{"words2", prove.OutcomeUnproven, "file go.mod has changed: 1 functions that use what it changes " +
			"(example.com/words) were compared in two processes, on 2000 inputs"},
		{"words3", prove.OutcomeDifferent, "Describe behaves differently"},
	} {
		b := writeModule(t, strings.Replace(withDependency, "=> ./words1", "=> ./"+c.version, 1))
		r := proveDirs(t, a, b, nil)
		says := r.Reason
		for _, m := range r.Missing {
			says += "\n" + m.What
		}
		if r.Outcome != c.outcome || !strings.Contains(says, c.says) {
			t.Errorf("%s: %s: %s", c.version, r.Outcome, says)
		}
		if c.outcome == prove.OutcomeUnproven && r.Verdict.Measured == nil {
			t.Errorf("%s: not measured", c.version)
		}
	}
}
