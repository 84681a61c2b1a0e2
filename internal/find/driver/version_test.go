package driver

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
)

func TestTooNew(t *testing.T) {
	for _, test := range []struct {
		toolchain, built string
		want             bool
	}{
		{"go1.27.4", "go1.26.8", true},
		{"go1.27rc1", "go1.26.8", true},
		{"go1.26.9", "go1.26.0", false},
		{"go1.26.8", "go1.27.4", false},
		{"go1.27.4", "go1.27rc2", false},
		{"devel go1.28-abcdef", "go1.27.4", false},
		{"go1.27.4", "devel go1.28-abcdef", false},
		{"", "go1.27.4", false},
	} {
		err := tooNew("dir", test.toolchain, test.built)
		if (err != nil) != test.want {
			t.Errorf("%s, built with %s: %v", test.toolchain, test.built, err)
		}
		if err != nil && !strings.Contains(diag.Hint(err), "GOTOOLCHAIN="+test.toolchain+" go install") {
			t.Errorf("hint %q", diag.Hint(err))
		}
	}
}

// A module that requires a newer Go must not look like one without findings.
func TestLoadNewerGo(t *testing.T) {
	const newer = "go1.27.4"
	if tooNew("", newer, runtime.Version()) == nil {
		t.Skipf("%s is not newer than %s", newer, runtime.Version())
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.26\n",
		"app.go": "package app\n\nimport \"math/rand/v2\"\n\n// N is a number.\nfunc N() int { return rand.IntN(3) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"GOTOOLCHAIN=" + newer}
	cmd := exec.CommandContext(t.Context(), "go", "version")
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no %s here: %s", newer, out)
	}
	pkgs, err := Load(t.Context(), Options{Dir: dir, Env: env}, ".")
	var e *diag.Error
	if !errors.As(err, &e) || !strings.Contains(e.Error(), "built with "+newer) {
		t.Errorf("%d packages, error %v", len(pkgs), err)
	}
	if pkgs, err := Load(t.Context(), Options{Dir: dir}, "."); err != nil || len(pkgs[0].Errors) > 0 {
		t.Errorf("with this Go: %v, %v", err, pkgs)
	}
}
