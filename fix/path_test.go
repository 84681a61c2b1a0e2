package fix_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/findings"
	"github.com/whet-go/whet/profile"
)

// checked has a function that returns an error for any input that is likely to be generated.
const checked = `
-- go.mod --
module example.com/service

go 1.26
-- text/text.go --
package text

import (
	"errors"
	"strings"
)

// Check fails unless there are so many words.
func Check(words []string) (string, error) {
	if len(words) != 977 {
		bad := ""
		for _, w := range words {
			bad += w + ","
		}
		return "", errors.New(bad)
	}
	all := ""
	for _, w := range words {
		all += w + ";"
	}
	return strings.ToUpper(all), nil
}
`

// TestWrittenPath checks that a generated benchmark is not evidence if it runs another path than
// the recording, and that the path is reported.
func TestWrittenPath(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, test := range []struct {
		name  string
		costs map[int32]int64 // by line
		kept  bool
		says  string
	}{
		{
			"another path",
			map[int32]int64{14: 100, 20: 900},
			false,
			"its inputs take another path through Check than the recording: they run lines with 10% of its cost, and not " +
				"text/text.go:20 with 90%",
		},
		{
			"the recording's path",
			map[int32]int64{14: 900, 20: 100},
			true,
			"its inputs take the recording's path through Check: they run lines with 90% of its cost",
		},
		{"not recorded", nil, true, "the recording does not show which path through Check is hot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, checked)
			x := &find.Result{Module: "example.com/service", Dir: dir}
			if test.costs != nil {
				b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
				fn := b.Function(profile.Function{Name: "example.com/service/text.Check", File: "example.com/service/text/text.go"})
				for line, cost := range test.costs {
					if err := b.Sample([]uint32{b.Location(uint64(line), profile.None, false, profile.Line{Function: fn, Line: line})},
						nil, cost); err != nil {
						t.Fatal(err)
					}
				}
				var err error
				if x, err = find.Find(t.Context(), find.Profiles{CPU: b.Profile(nil)},
					find.Options{Dir: dir, Own: profile.OwnMatcher([]string{"example.com/service"}, nil)}); err != nil {
					t.Fatal(err)
				}
			}
			x.Findings = []find.Finding{finding(t, dir, "check",
				"bad := \"\"\n\t\tfor _, w := range words {\n\t\t\tbad += w + \",\"\n\t\t}\n\t\treturn \"\", errors.New(bad)",
				"var bad strings.Builder\n\t\tfor _, w := range words "+
					"{\n\t\t\tbad.WriteString(w)\n\t\t\tbad.WriteByte(',')\n\t\t}\n\t\treturn \"\", errors.New(bad.String())")}
			r, err := fix.Run(t.Context(), x, quick())
			if err != nil {
				t.Fatal(err)
			}
			a := r.Attempts[0]
			if a.Kept() != test.kept {
				t.Fatalf("%s: %s", a.Stage, a.Reason)
			}
			if !test.kept {
				if a.Stage != fix.StageMeasure || !strings.Contains(a.Reason, test.says) ||
					strings.Contains(a.Reason, "does not run the changed lines") {
					t.Errorf("%s: %s", a.Stage, a.Reason)
				}
				return
			}
			patch := findings.Patches(r, "a <a@b>")[0].Text
			if !slices.ContainsFunc(a.Measured.Paths, func(path string) bool { return strings.Contains(path, test.says) }) ||
				!strings.Contains(patch, test.says) {
				t.Errorf("%q\n%s", a.Measured.Paths, patch)
			}
		})
	}
}
