package prove_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// graded is a module whose only function the differ cannot call; TEST is replaced by the test.
const graded = `
-- go.mod --
module example.com/g

go 1.26
-- grade.go --
// Package grade grades.
package grade

import "os"

// Grade returns the grade for a score.
func Grade(_ *os.File, score int) string {
	if score >= 50 {
		return "pass"
	}
	return "fail"
}
-- grade_test.go --
package grade

import "testing"

func TestGrade(t *testing.T) {
	for score, want := range map[int]string{TEST} {
		if got := Grade(nil, score); got != want {
			t.Errorf("%d: %s", score, got)
		}
	}
}

func BenchmarkGrade(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Grade(nil, 1)
	}
}
`

const gradeBody = `	if score >= 50 {
		return "pass"
	}
	return "fail"
`

const otherGradeBody = `	grade := "fail"
	if score >= 50 {
		grade = "pass"
	}
	return grade
`

func withMutants(q *prove.Request) { q.MutantTime = 10 * time.Minute }

// TestStrength counts the mutants that tests notice, and lists the others.
func TestStrength(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, test := range []struct {
		name, checks string
		noticed      int
		unreached    int
		first        string // the first survivor's diff
	}{
		{name: "strong", checks: `49: "fail", 50: "pass", 51: "pass"`, noticed: 8},
		{name: "weak", checks: `0: "fail", 100: "pass"`, noticed: 5, first: `diff a/grade.go b/grade.go
--- a/grade.go
+++ b/grade.go
@@ -6,7 +6,7 @@
 // Grade returns the grade for a score.
 func Grade(_ *os.File, score int) string {
 	grade := "fail"
-	if score >= 50 {
+	if score > 50 {
 		grade = "pass"
 	}
 	return grade
`},
		{name: "nothing", unreached: 8, first: `diff a/grade.go b/grade.go
--- a/grade.go
+++ b/grade.go
@@ -5,7 +5,7 @@
 
 // Grade returns the grade for a score.
 func Grade(_ *os.File, score int) string {
-	grade := "fail"
+	grade := ""
 	if score >= 50 {
 		grade = "pass"
 	}
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			provetest.Part(t)
			before := strings.Replace(graded, "TEST", test.checks, 1)
			r := proveDirs(t, writeModule(t, before), writeModule(t, strings.Replace(before, gradeBody, otherGradeBody, 1)),
				withMutants)
			if r.Verdict == nil || r.Verdict.Strength == nil {
				t.Fatalf("%s: %s", r.Outcome, r.Reason)
			}
			s := r.Verdict.Strength
			if s.Mutants != 8 || s.Noticed != test.noticed || s.ByTests != test.noticed || s.Unreached != test.unreached ||
				len(s.Survivors) != min(8-test.noticed, 5) || len(s.Skipped) > 0 {
				t.Errorf("%+v", s)
			}
			if test.first != "" && len(s.Survivors) > 0 {
				if diff := cmp.Diff(test.first, s.Survivors[0].Diff); diff != "" {
					t.Errorf("want -, got +\n%s", diff)
				}
			}
			missing := ""
			for _, m := range r.Missing {
				missing += m.What + "\n"
			}
			if strings.Contains(missing, fmt.Sprintf("%d of 8 mutants", test.noticed)) != (test.noticed < 6) {
				t.Errorf("missing: %s", missing)
			}
		})
	}
}

// TestStrengthInterrupted checks that a change is not accepted if the proof ends after it was measured: neither its
// strength nor costs elsewhere are known.
func TestStrengthInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	ctx, cancel := context.WithCancel(t.Context())
	after := strings.Replace(before, slowJoin, fastJoin, 1)
	r := proveDirsUntil(ctx, t, writeModule(t, before), writeModule(t, after), func(q *prove.Request) {
		withMutants(q)
		q.Progress = func(what string) {
			if strings.Contains(what, "mutants") {
				cancel()
			}
		}
	})
	if r.Outcome != prove.OutcomeUnproven || !r.Interrupted || r.Verdict.Strength != nil || len(r.Warnings) != 1 ||
		len(r.Missing) != 1 || !strings.HasSuffix(r.Reason, ", but the proof ended before costs elsewhere were looked for") {
		t.Errorf("%s: %s %v\n%v %+v", r.Outcome, r.Reason, r.Verdict.Strength, r.Warnings, r.Missing)
	}
}

// TestStrengthOfInputs counts the mutants that the inputs of the comparison notice.
func TestStrengthOfInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	before := strings.Replace(before, `!= "a,b,"`, `== "x"`, 1) // the test notices nothing
	after := strings.Replace(before, slowJoin, fastJoin, 1)
	r := proveDirs(t, writeModule(t, before), writeModule(t, after), withMutants)
	if r.Outcome != prove.OutcomeFaster || r.Verdict.Strength == nil {
		t.Fatalf("%s: %s", r.Outcome, r.Reason)
	}
	if s := r.Verdict.Strength; s.Mutants != 3 || s.ByInputs != 3 || s.Untried > 0 || len(s.Skipped) > 0 {
		t.Errorf("%+v", s)
	}
}

// TestStrengthPackages counts the mutants of several packages, one of which uses a vendored module.
func TestStrengthPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	before := strings.Replace(before, "go 1.26\n", "go 1.26\n\nrequire example.com/dep v1.0.0\n", 1) + `
-- vendor/modules.txt --
# example.com/dep v1.0.0
## explicit; go 1.26
example.com/dep
-- vendor/example.com/dep/dep.go --
// Package dep has a separator.
package dep

// Sep separates.
func Sep() string { return ";" }
-- lines/lines.go --
package lines

import (
	"example.com/dep"
	"example.com/p/text"
)

// Lines joins words and lines.
func Lines(words []string) string {
	s := ""
	for range words {
		s += dep.Sep()
	}
	return s + text.Join(words)
}
`
	after := strings.NewReplacer(slowJoin, fastJoin, `	s := ""
	for range words {
		s += dep.Sep()
	}
	return s + text.Join(words)`, `	var s []byte
	for range words {
		s = append(s, dep.Sep()...)
	}
	return string(s) + text.Join(words)`).Replace(before)
	r := proveDirs(t, writeModule(t, before), writeModule(t, after), withMutants)
	if r.Outcome != prove.OutcomeFaster || r.Verdict.Strength == nil {
		t.Fatalf("%s: %s\n%v", r.Outcome, r.Reason, r.Missing)
	}
	if s := r.Verdict.Strength; s.Mutants != 6 || s.Noticed != 6 || s.ByInputs < 3 || s.Untried > 0 || len(s.Skipped) > 0 {
		t.Errorf("%+v", s)
	}
}
