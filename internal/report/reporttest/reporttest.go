package reporttest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/procgroup"
)

// TSName returns the TypeScript name of a Go type.
func TSName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return TSName(t.Elem()) + "[]"
	case reflect.String:
		return "string"
	case reflect.Struct:
		return strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	default:
		return "number"
	}
}

// PageTypes generates TypeScript types for Go structs and compares them with the file.
func PageTypes(t *testing.T, path string, types ...reflect.Type) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("// Generated from Go by internal/report (make goldens). DO NOT EDIT.\n")
	for _, typ := range types {
		fmt.Fprintf(&b, "\nexport interface %s {\n", TSName(typ))
		for i := range typ.NumField() {
			f := typ.Field(i)
			name := TSName(f.Type)
			if f.Type.Kind() == reflect.Bool {
				name = "boolean"
			}
			fmt.Fprintf(&b, "  %s: %s;\n", f.Tag.Get("json"), name)
		}
		b.WriteString("}\n")
	}
	golden.Check(t, path, b.Bytes())
}

// RunJourney runs a script of ui/journey, which walks through pages, by their names without
// ".html", in a real browser. It skips the test if there is no browser, before it makes the pages
// if possible. WHET_SHOTS names a directory for screenshots.
func RunJourney(t *testing.T, script string, pages func() map[string][]byte) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on the path")
	}
	_, file, _, _ := runtime.Caller(0)
	ui := filepath.Join(filepath.Dir(file), "../../../ui")
	if _, err := os.Stat(filepath.Join(ui, "node_modules/playwright-core")); err != nil {
		t.Skip("no playwright-core: run npm ci in ui")
	}
	dir := t.TempDir()
	for name, page := range pages() {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), page, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	args := []string{filepath.Join("journey", script), dir}
	if shots := os.Getenv("WHET_SHOTS"); shots != "" {
		args = append(args, shots)
	}
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Dir = ui
	procgroup.OwnAndKill(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for lines := bufio.NewScanner(out); lines.Scan(); { // at once: what hangs is after the last one
		t.Logf("%.1fs %s", time.Since(began).Seconds(), lines.Text())
	}
	_, _ = io.Copy(io.Discard, out) // after a line that is too long
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skip("no browser")
	}
	if err != nil {
		t.Fatal(err)
	}
}
