package layout

import (
	"slices"
	"strings"
	"testing"
)

const dashes = `diff a/q.sql b/q.sql
--- a/q.sql
+++ b/q.sql
@@ -1,3 +1,2 @@
 select 1
--- a comment of SQL
-++i
+++j
\ No newline at end of file
`

// TestDiff has removed lines that begin with two dashes, and added ones with two pluses.
func TestDiff(t *testing.T) {
	var b strings.Builder
	WriteDiff(NewWriter(&b), Style{Color: true}, dashes, 2)
	paint := func(c Color, text string) string { return "  " + string(c) + text + string(reset) + "\n" }
	want := paint(Bold, "--- a/q.sql") + paint(Bold, "+++ b/q.sql") + paint(Dim, "@@ -1,3 +1,2 @@") + "   select 1\n" +
		paint(Red, "--- a comment of SQL") + paint(Red, "-++i") + paint(Cyan, "+++j") +
		"  \\ No newline at end of file\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got, want := DiffForPage(dashes), []DiffLine{
		{"file", "q.sql"},
		{"at", "@@ -1,3 +1,2 @@"},
		{"", " select 1"},
		{"del", "--- a comment of SQL"},
		{"del", "-++i"},
		{"add", "+++j"},
		{"", `\ No newline at end of file`},
	}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMarkdownCode(t *testing.T) {
	for text, want := range map[string]string{"x": "`x`", "a`b": "`` a`b ``", "a\x1bb": "`a\ufffdb`"} {
		if got := CodeSpan(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var b strings.Builder
	WriteFence(NewWriter(&b), "diff", "-a\t```\n+b\x1b\n")
	if got, want := b.String(), "````diff\n-a\t```\n+b\ufffd\n````\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
