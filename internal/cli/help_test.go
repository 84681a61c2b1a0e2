package cli_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/cli"
)

// TestHelpFitsTerminals checks that the help of every command fits 80 columns, except for whet
// pprof, whose help comes from the driver, and completion, whose help comes from cobra.
func TestHelpFitsTerminals(t *testing.T) {
	help := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := cli.Main(t.Context(), append(args, "--help"), strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("whet %s --help: code %d, %s", args, code, &errs)
		}
		return out.String()
	}
	check := func(name, text string) {
		t.Helper()
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("whet %s --help: %d columns: %s", name, n, line)
			}
		}
	}
	commands := 0
	var walk func(path []string)
	walk = func(path []string) {
		text := help(path...)
		check(strings.Join(path, " "), text)
		commands++
		before, flags, ok := strings.Cut(text, "\nFlags:\n")
		if !ok || strings.TrimSpace(flags) == "" {
			t.Errorf("whet %s --help lists no flags", strings.Join(path, " "))
		}
		if !strings.Contains(text, "COMMAND --help") {
			return
		}
		for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+)  +[A-Z]`).FindAllStringSubmatch(before, -1) {
			if m[1] != "pprof" && m[1] != "help" && m[1] != "completion" {
				walk(append(path[:len(path):len(path)], m[1]))
			}
		}
	}
	walk(nil)
	if commands < 30 {
		t.Errorf("%d commands in the help of whet", commands)
	}
}

// TestGlossary prints docs/glossary.md as a help topic: each term, without Markdown, for a terminal.
func TestGlossary(t *testing.T) {
	t.Parallel()
	code, text, stderr := runWhet(t, "help", "glossary")
	if code != 0 || stderr != "" {
		t.Fatalf("code %d, %s", code, stderr)
	}
	for _, term := range []string{"own line", "recording", "finding", "half width", "closed model"} {
		if !strings.Contains(text, "\n"+term+": ") {
			t.Errorf("no %q in\n%s", term, text)
		}
	}
	if strings.ContainsAny(text, "*`#") {
		t.Errorf("Markdown in\n%s", text)
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
