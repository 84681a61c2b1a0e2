package layout

import (
	"strings"
	"testing"

	untrusted "github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/internal/terminal"
)

func TestClean(t *testing.T) {
	line := func(s string) string {
		var b strings.Builder
		t := NewWriter(&b)
		t.Line(s)
		return strings.TrimSuffix(b.String(), "\n")
	}
	asPart := func(s string) string { return Join(s).text }
	for _, clean := range []func(string) string{Clean, terminal.CleanText, line, asPart} {
		if left := untrusted.Left(strings.ReplaceAll(clean("a"+untrusted.Terminal+
			string(Bold+Dim+Red+Cyan+Gold+reset)+"b"), "\n", "")); left != "" {
			t.Errorf("%q is left", left)
		}
		if got := clean("a b→·é"); got != "a b→·é" {
			t.Errorf("%q", got)
		}
	}
	if got := terminal.CleanText("a\n\tb"); got != "a\n\tb" {
		t.Errorf("%q", got)
	}
	if got := Clean("a\n\tb"); got != "a\ufffd\ufffdb" {
		t.Errorf("%q", got)
	}
}

// TestPainted has colors where they are the style's, and no others: not even those that are equal to them.
func TestPainted(t *testing.T) {
	s := Style{Color: true}
	foreign := "x" + string(Red) + "y" + string(reset)
	const safe = "x\ufffd[31my\ufffd[0m"
	var b strings.Builder
	out := NewWriter(&b)
	out.Line(s.Paint(Bold, foreign), " ", foreign, Join(s.Paint(Dim, "é"), foreign, 7), "  ")
	Wrap(out, s, s.Paint(Gold, foreign), foreign, 2)
	out.Line(s.Paint("", foreign), Style{}.Paint(Red, foreign))
	want := string(Bold+safe+reset+" "+safe+Dim+"é"+reset+safe+"7\n"+
		Gold+safe+reset+safe+"\n") + safe + safe + "\n"
	if got := b.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := StripColor(Join(s.Paint(Bold+Red, "hot"), s.Paint(Dim, " é")).text); got != "hot é" {
		t.Errorf("%q", got)
	}
}
