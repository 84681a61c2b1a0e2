package fix_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/prove/provetest"
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

// Check returns an error unless there are 977 words.
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
		{"not recorded", nil, true, "no recording shows which path through Check is hot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			provetest.Part(t)
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
			patch := r.Patches("a <a@b>")[0].Text
			if !slices.ContainsFunc(a.Measured.Paths, func(path string) bool { return strings.Contains(path, test.says) }) ||
				!strings.Contains(patch, test.says) {
				t.Errorf("%q\n%s", a.Measured.Paths, patch)
			}
		})
	}
}

// proportions spends its time joining, unless the words have many letters.
const proportions = `
-- go.mod --
module example.com/service

go 1.26
-- text/text.go --
package text

import "strings"

// Join joins words in capital letters.
func Join(words []string) string {
	all := ""
	for _, w := range words {
		all += w + ";"
	}
	return strings.ToUpper(all)
}
`

// TestWrittenProportions checks that a generated benchmark is not evidence if it runs the
// recording's lines but spends its time on others.
func TestWrittenProportions(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, test := range []struct {
		name          string
		joins, uppers int64 // samples
		kept          bool
		says          string
	}{
		{"another line", 10, 990, false, "its inputs take the recording's path through Join in other proportions"},
		{"the recording's line", 990, 10, true, "and the CPU profiles agree on"},
		{"too few samples", 4, 45, true, "they run lines with 100% of its cost"},
	} {
		t.Run(test.name, func(t *testing.T) {
			provetest.Part(t)
			dir := t.TempDir()
			write(t, dir, proportions)
			b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"},
				profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
			own := b.Function(profile.Function{
				Name: "example.com/service/text.Join", File: "example.com/service/text/text.go", StartLine: 6,
			})
			std := b.Function(profile.Function{Name: "strings.ToUpper", File: "strings/strings.go", StartLine: 1})
			joins := b.Location(1, profile.None, false, profile.Line{Function: own, Line: 9})
			uppers := b.Location(2, profile.None, false, profile.Line{Function: own, Line: 11})
			upper := b.Location(3, profile.None, false, profile.Line{Function: std, Line: 2})
			if err := errors.Join(
				b.Sample([]uint32{joins}, nil, test.joins, 1e7*test.joins),
				b.Sample([]uint32{upper, uppers}, nil, test.uppers, 1e7*test.uppers),
			); err != nil {
				t.Fatal(err)
			}
			o := quick()
			o.Profiles = find.Profiles{CPU: b.Profile(nil)}
			x, err := find.Find(t.Context(), o.Profiles,
				find.Options{Dir: dir, Own: profile.OwnMatcher([]string{"example.com/service"}, nil)})
			if err != nil {
				t.Fatal(err)
			}
			x.Findings = []find.Finding{finding(t, dir, "join",
				"all := \"\"\n\tfor _, w := range words {\n\t\tall += w + \";\"\n\t}\n\treturn strings.ToUpper(all)",
				"var all strings.Builder\n\tfor _, w := range words "+
					"{\n\t\tall.WriteString(w)\n\t\tall.WriteByte(';')\n\t}\n\treturn strings.ToUpper(all.String())")}
			r, err := fix.Run(t.Context(), x, o)
			if err != nil {
				t.Fatal(err)
			}
			a := r.Attempts[0]
			output := a.Reason
			if a.Measured != nil {
				output += strings.Join(a.Measured.Paths, "\n")
			}
			if a.Kept() != test.kept || !strings.Contains(output, test.says) {
				t.Errorf("%s: %s", a.Stage, output)
			}
		})
	}
}
