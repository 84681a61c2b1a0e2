package rewrite_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/find/rules/rewrite"
)

// TestDiff checks that git applies patches of files with arbitrary names.
func TestDiff(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	for _, name := range []string{
		"plain.go", "a b.go", `"q".go`, `back\slash.go`, "new\nline.go",
		"tab\t.go", "esc\x1b[31m.go", "bidi\u202e.go",
		"é.go", "100%.go", "<b>.go",
		"dir with space/x.go", "trailing ", "\xff.go", "a\n--- a/b\n+++ b/b\n@@ -1 +1 @@.go", "c:d.go",
	} {
		t.Run(strings.ToValidUTF8(name, "?"), func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			before, after := "package a\n\nvar x = 1\n", "package a\n\nvar x = 2\n"
			if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
				t.Skipf("no such file here: %v", err)
			}
			patch := rewrite.Diff(name, []byte(before), []byte(after))
			if n := strings.Count(string(patch), "\n"); n != 3+1+4 {
				t.Errorf("%d lines:\n%s", n, patch)
			}
			cmd := exec.CommandContext(t.Context(), "git", "apply", "-p1", "-")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(string(patch))
			cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s\n%s", err, out, patch)
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != after {
				t.Errorf("%v: %q", err, got)
			}
		})
	}
	if d := rewrite.Diff("a.go", []byte("x\n"), []byte("x\n")); d != nil {
		t.Errorf("nothing changed: %q", d)
	}
}
