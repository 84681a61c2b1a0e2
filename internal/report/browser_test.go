package report

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// runJourney has a script of ui/journey walk through pages, by their names without
// ".html", in a real browser. It skips the test where there is none, and before it
// makes the pages if it can tell. WHET_SHOTS names a folder for screenshots.
func runJourney(t *testing.T, script string, pages func() map[string][]byte) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on the path")
	}
	_, file, _, _ := runtime.Caller(0)
	ui := filepath.Join(filepath.Dir(file), "../../ui")
	if _, err := os.Stat(filepath.Join(ui, "node_modules/playwright-core")); err != nil {
		t.Skip("no playwright-core: run npm ci in ui")
	}
	dir := t.TempDir()
	for name, page := range pages() {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), page, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := []string{filepath.Join("journey", script), dir}
	if shots := os.Getenv("WHET_SHOTS"); shots != "" {
		args = append(args, shots)
	}
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Dir = ui
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skip("no browser")
	}
	if err != nil {
		t.Fatal(err)
	}
}
