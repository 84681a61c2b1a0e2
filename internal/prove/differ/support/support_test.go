package support_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/differ/support"
)

// TestFor builds the package for each kind of code, in a module with an old language version.
func TestFor(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name string, text []byte) {
		t.Helper()
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module example.com/m\n\ngo 1.16\n"))
	args := []string{"build"}
	for _, kind := range []support.Kind{support.Comparison, support.Answers, support.Benchmark} {
		for _, net := range []bool{false, true} {
			l := support.For("example.com/m/a/b", "example.com/m", kind, net)
			if slices.Contains(args, l.Path) {
				t.Errorf("%s %v has no directory to itself: %s", kind, net, l.Path)
			}
			args = append(args, l.Path)
			web := false
			for name, text := range l.Files {
				write("a/b/"+name, text)
				web = web || strings.HasSuffix(name, "/web.go")
			}
			if web != net {
				t.Errorf("%s %v: web.go %v", kind, net, web)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestForDirectory checks where the package is, and that it is below the package whose module is unknown.
func TestForDirectory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pkg, module, path, file string }{
		{"example.com/m", "example.com/m", "example.com/m/_whet/answers", "_whet/answers/answers.go"},
		{"example.com/m/a/b", "example.com/m", "example.com/m/_whet/answers", "../../_whet/answers/answers.go"},
		{"example.com/more", "example.com/m", "example.com/more/_whet/answers", "_whet/answers/answers.go"},
		{"a/b", "", "a/b/_whet/answers", "_whet/answers/answers.go"},
	} {
		l := support.For(tt.pkg, tt.module, support.Answers, false)
		if l.Path != tt.path || l.Files[tt.file] == nil {
			t.Errorf("%s in %s: %s, files %q", tt.pkg, tt.module, l.Path, slices.Sorted(maps.Keys(l.Files)))
		}
	}
}
