package tables

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const page = `# Costs

## Time

Of two services.

| service | time |
|---|---|
| a | 1 |
| all | 1 |

The end.

## Nothing

text
`

// TestUpdate replaces and adds rows of a table, and leaves all else as it is.
func TestUpdate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := Update(name, "## Time", "Measured on a day.", "all", [][]string{
			{"b", "none: x|y"}, {"a", "3"}, {"all", ""},
		}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		want := strings.Replace(page, "| service | time |\n|---|---|\n| a | 1 |\n| all | 1 |\n",
			"Measured on a day.\n\n| service | time |\n|---|---|\n| a | 3 |\n| b | none: x\\|y |\n| all | |\n", 1)
		if err != nil || string(got) != want {
			t.Fatalf("%v\n%s\nwant\n%s", err, got, want)
		}
	}
	for heading, want := range map[string]string{
		"## Nothing": "the table has no header", "## None": `no heading "## None"`, "# Costs": "no table below the heading",
	} {
		if err := Update(name, heading, "", "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", heading, err, want)
		}
	}
	text := Measured(time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC))
	if !strings.HasPrefix(text, "Measured on 2026-03-04 with ") {
		t.Error(text)
	}
}
