package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
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
	line := func(s string) string {
		var b strings.Builder
		t := &text{w: &b}
		t.line(s)
		return strings.TrimSuffix(b.String(), "\n")
	}
	asPart := func(s string) string { return string(rich(s)) }
	for _, clean := range []func(string) string{Clean, terminal.CleanText, foldedEscape, line, asPart, csvText} {
		if left := hostileLeft(strings.ReplaceAll(clean("a"+untrusted.Terminal+bold+dim+red+cyan+gold+reset+"b"), "\n", "")); left != "" {
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
	if got, want := foldedEscape("a\u200b;\xff"), "a%E2%80%8B%3B%FF"; got != want {
		t.Errorf("folded: %q, want %q", got, want)
	}
}

// TestPainted has colours where they are the style's, and no others: not even those that are equal to them.
func TestPainted(t *testing.T) {
	s := Style{Color: true}
	foreign := "x" + red + "y" + reset
	const safe = "x\ufffd[31my\ufffd[0m"
	var b strings.Builder
	out := &text{w: &b}
	out.line(s.paint(bold, foreign), " ", foreign, rich(s.paint(dim, "é"), foreign, 7), "  ")
	loadWrap(out, s, s.paint(gold, foreign), foreign, 2)
	out.line(s.paint("", foreign), Style{}.paint(red, foreign))
	want := bold + safe + reset + " " + safe + dim + "é" + reset + safe + "7\n" +
		gold + safe + reset + safe + "\n" + safe + safe + "\n"
	if got := b.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := stripPaint(s.paint(bold+red, "hot") + s.paint(dim, " é")); got != "hot é" {
		t.Errorf("%q", got)
	}
}

// TestPaintedOnlyHere has no file but text.go make painted of a string.
func TestPaintedOnlyHere(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 50 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && name != "text.go" && !strings.HasSuffix(name, "_test.go") {
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "painted" {
					t.Errorf("%s converts a string to painted: rich cleans it", name)
				}
			}
			return true
		})
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
