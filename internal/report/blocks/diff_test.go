package blocks

import (
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/report/layout"
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
	style := layout.Style{Color: true}
	d := Document{Blocks: []Block{Diff(dashes)}}
	if err := d.Write(&b, style); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	w := layout.NewWriter(&want)
	for _, line := range []struct {
		color layout.Color
		text  string
	}{
		{layout.Bold, "--- a/q.sql"},
		{layout.Bold, "+++ b/q.sql"},
		{layout.Dim, "@@ -1,3 +1,2 @@"},
		{"", " select 1"},
		{layout.Red, "--- a comment of SQL"},
		{layout.Red, "-++i"},
		{layout.Cyan, "+++j"},
		{"", `\ No newline at end of file`},
	} {
		w.Line("  ", style.Paint(line.color, line.text))
	}
	if got := b.String(); got != want.String() {
		t.Errorf("got\n%q\nwant\n%q", got, want.String())
	}
	if got, want := pageLines(dashes), []diffLine{
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
	for text, want := range map[string]string{
		"x": "`x`", "a`b": "`` a`b ``", "a\x1bb": "`a\ufffdb`", "": "", " ": "`   `",
	} {
		if got := codeSpan(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var b strings.Builder
	d := Document{Blocks: []Block{Diff("-a\t```\n+b\x1b\n")}}
	if err := d.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "````diff\n-a\t```\n+b\ufffd\n````\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestParagraph has paragraphs that no first character makes a heading, a list or a quotation.
func TestParagraph(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", "# x": `\# x`, "- x": `\- x`, "+1%": "+1%", "-": `\-`, "---": `\---`,
		"- - -": `\- - -`, "> x": `\> x`, "12. x": `12\. x`,
		"3) x": `3\) x`, "4.5%": "4.5%", "12": "12", "    code": "code",
	} {
		if got := paragraph(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
