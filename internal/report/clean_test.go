package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	untrusted "github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/internal/terminal"
)

// hostileLeft is the first thing in text that a terminal would act on, "" without any.
func hostileLeft(text string) string {
	if !utf8.ValidString(text) {
		return "invalid UTF-8"
	}
	for _, s := range []string{"\x1b", "\r", "\b", "\a", "\x7f", "\u009b", "\u200b", "\u202e", "\u2066", "\ufeff"} {
		if strings.Contains(text, s) {
			return s
		}
	}
	return ""
}

func TestClean(t *testing.T) {
	for _, clean := range []func(string) string{Clean, terminal.CleanText, foldedEscape, cleaned, csvText} {
		if left := hostileLeft(strings.ReplaceAll(clean("a"+strings.ReplaceAll(untrusted.Terminal, "\x1b[31m", "\x1b[35m")+"b"), "\n", "")); left != "" {
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
	s := Style{Color: true}
	if own := s.paint(bold+red, "hot") + s.paint(dim, " é"); cleaned(own) != own {
		t.Errorf("own colours: %q", cleaned(own))
	}
	if got, want := foldedEscape("a\u200b;\xff"), "a%E2%80%8B%3B%FF"; got != want {
		t.Errorf("folded: %q, want %q", got, want)
	}
}

func TestCSVText(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "=1+2": "'=1+2", "@SUM(A1)": "'@SUM(A1)", "-cmd": "'-cmd", "+x": "'+x", "-1.5": "-1.5", "+3e4": "+3e4", "Sort/n=1": "Sort/n=1",
	} {
		if got := csvText(s); got != want {
			t.Errorf("csvText(%q) = %q, want %q", s, got, want)
		}
	}
}
