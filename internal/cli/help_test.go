package cli_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/cli"
)

// TestHelpFitsTerminals holds the list of commands and every list of flags to 80
// columns. The driver behind whet pprof writes its own.
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
	root := help()
	check("", root)
	commands := 0
	for line := range strings.Lines(root) {
		if !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "  -") || strings.HasPrefix(line, "  whet") {
			continue
		}
		name := strings.Fields(line)[0]
		commands++
		if name == "pprof" || name == "help" {
			continue
		}
		_, flags, ok := strings.Cut(help(name), "\nFlags:\n")
		if !ok {
			t.Errorf("whet %s --help lists no flags", name)
		}
		check(name, flags)
	}
	if commands < 15 {
		t.Errorf("%d commands in the help of whet", commands)
	}
}
