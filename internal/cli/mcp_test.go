package cli_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/sandbox"
)

// A watcher ends a command when it writes a text.
type watcher struct {
	mu   sync.Mutex
	out  bytes.Buffer
	text string
	end  context.CancelFunc
}

func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.out.Write(p)
	if strings.Contains(w.out.String(), w.text) {
		w.end()
	}
	return n, err
}

// TestMCPExamples runs the examples of whet mcp, with other names of files: those on standard input and output end with
// their input, and the one on HTTP when it listens. Its token is not printed.
func TestMCPExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("token", []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, help, _ := runWhet(t, "mcp", "--help")
	examples := exampleLines(help)
	if len(examples) < 4 {
		t.Errorf("examples: %q", examples)
	}
	for _, example := range examples {
		t.Run(example, func(t *testing.T) {
			if err := sandbox.Supported(); err != nil && strings.Contains(example, "--sandbox") {
				t.Skip(err)
			}
			line := strings.NewReplacer("~/src/shop", ".", "~/.config/whet-token", "token", ":7777", ":0").Replace(example)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			errs := &watcher{text: "serving http://127.0.0.1:", end: end}
			var out bytes.Buffer
			code := cli.Main(ctx, shellFields(line)[1:], strings.NewReader(""), &out, errs)
			if code != 0 || strings.Contains(line, "--http") != strings.Contains(errs.out.String(), "/mcp\n") ||
				strings.Contains(errs.out.String(), "0123456789abcdef") {
				t.Errorf("%s: exit code %d\n%s\n%s", line, code, &out, &errs.out)
			}
		})
	}
}

// TestMCPToken generates a token and prints it, unless the environment has one, which programs that the server starts
// do not see.
func TestMCPToken(t *testing.T) {
	for _, variable := range []string{"", "0123456789abcdef"} {
		t.Setenv("WHET_MCP_TOKEN", variable)
		ctx, end := context.WithCancel(t.Context())
		errs := &watcher{text: "/mcp\n", end: end}
		var out bytes.Buffer
		code := cli.Main(ctx, []string{"mcp", "--http", "127.0.0.1:0"}, strings.NewReader(""), &out, errs)
		end()
		printed := strings.Contains(errs.out.String(), "token: ")
		if code != 0 || printed != (variable == "") || os.Getenv("WHET_MCP_TOKEN") != "" ||
			variable != "" && strings.Contains(errs.out.String(), variable) {
			t.Errorf("%q: exit code %d\n%s", variable, code, &errs.out)
		}
	}
}
