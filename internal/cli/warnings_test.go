package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

// TestWarningsInDocuments checks that a warning that is printed is in the JSON document, too, with its
// hint.
func TestWarningsInDocuments(t *testing.T) {
	whole, err := os.ReadFile("../trace/testdata/go1.22-generations.trace")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	cut := filepath.Join(dir, "cut.trace")
	if err := os.WriteFile(cut, whole[:len(whole)*7/10], 0o600); err != nil {
		t.Fatal(err)
	}
	few := filepath.Join(dir, "few.pb.gz")
	b := profile.NewBuilder(
		profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
	)
	f := b.Function(profile.Function{Name: "example.com/pad.Left", File: "/src/pad/pad.go"})
	at := b.Location(0, profile.None, false, profile.Line{Function: f, Line: 12})
	if err := b.Sample([]uint32{at}, nil, 3, 3e7); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(few)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Profile(&profile.Profile{}).Write(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ command, text, hint string }{
		{"trace summary --json " + cut, "are complete: ", ""},
		{"trace index --json " + cut, "are complete: ", ""},
		{"trace requests --json " + cut, "are complete: ", ""},
		{"trace goroutines --json " + cut, "are complete: ", ""},
		{"trace contention --json " + cut, "are complete: ", ""},
		{"trace timeline --json " + cut, "are complete: ", ""},
		{"trace cut --json --to 10s -o " + filepath.Join(dir, "b.trace") + " " + cut, "the rest is missing", ""},
		{"top --json " + few, "only 3 samples: shares are rough", "profile for longer, or under more load"},
	} {
		code, stdout, stderr := runWhet(t, strings.Fields(test.command)...)
		var doc struct {
			Warnings diag.Warnings
		}
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 {
			t.Errorf("%s: exit code %d, %v\n%s", test.command, code, err, stderr)
			continue
		}
		want := ""
		for line := range strings.Lines(stderr) {
			if text, ok := strings.CutPrefix(line, "whet: warning: "); ok && strings.Contains(text, test.text) {
				want = strings.TrimSuffix(text, "\n")
			}
		}
		found := slices.ContainsFunc(doc.Warnings, func(w diag.Warning) bool {
			return w.String() == want && w.Hint == test.hint
		})
		if !found || !strings.Contains(want, test.text) {
			t.Errorf("%s: %q is not among the warnings %q\n%s", test.command, want, doc.Warnings, stderr)
		}
	}
}
