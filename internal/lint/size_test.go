package lint_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxLines is the number of lines of code, comments included and tests not, that a package may have.
const maxLines = 3000

// large are packages that may have more: the profile engine, and the commands, one a file.
var large = map[string]bool{"profile": true, "internal/cli": true}

// TestSize checks that no package has too many lines: a larger one has more than one concept.
func TestSize(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	lines := map[string]int{}
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		base := filepath.Base(name)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (base == "testdata" || base == "node_modules" || base != "." && strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		lines[filepath.ToSlash(filepath.Dir(name))] += bytes.Count(text, []byte("\n"))
		return err
	})
	if err != nil || lines["prove"] == 0 {
		t.Fatal(len(lines), "packages", err)
	}
	for dir, n := range lines {
		if n > maxLines && !large[dir] {
			t.Errorf("package %s has %d lines, the limit is %d\n\tcure: move a concept to a package below it", dir, n, maxLines)
		}
	}
}
