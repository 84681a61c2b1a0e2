package scratch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// TestIgnored checks that a module that the repository around it ignores, such as a copy in a directory for
// builds, is copied without the repository.
func TestIgnored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".gitignore": "/build/\n", "go.mod": "module example.com/outer\n",
		"build/copy/go.mod": "module example.com/inner\n", "build/copy/a.go": "package a\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "git", "init", "-q")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, test := range []struct{ dir, file string }{{"build/copy", "a.go"}, {".", ".gitignore"}} {
		m, err := scratch.New(t.Context(), filepath.Join(dir, test.dir), scratch.Options{Temp: t.TempDir()})
		if err != nil {
			t.Fatalf("%s: %v", test.dir, err)
		}
		for _, name := range []string{"go.mod", test.file} {
			if _, err := os.Stat(m.Path(name)); err != nil {
				t.Errorf("%s: %v", test.dir, err)
			}
		}
		if _, err := os.Stat(m.Path("build")); err == nil {
			t.Errorf("%s: what is ignored is copied", test.dir)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
