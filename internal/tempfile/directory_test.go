package tempfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDirectory holds that a directory has the name it had before if that is free, and is never shared.
func TestDirectory(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	made := func(key string) string {
		t.Helper()
		dir, err := Directory(parent, "x-", key)
		if err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() || filepath.Dir(dir) != parent {
			t.Fatalf("%s: %v, %v", dir, fi, err)
		}
		return dir
	}
	first, second := made("a"), made("a")
	if first == second || made("b") == first {
		t.Errorf("directories in use are shared: %s, %s", first, second)
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	if again := made("a"); again != first {
		t.Errorf("%s, want %s again", again, first)
	}
	seen := map[string]bool{}
	for range 2 * directories {
		seen[made("a")] = true
	}
	if len(seen) != 2*directories {
		t.Errorf("%d directories, want %d", len(seen), 2*directories)
	}
	if _, err := Directory(filepath.Join(parent, "missing"), "x-", "a"); !os.IsNotExist(err) {
		t.Errorf("in a missing directory: %v", err)
	}
}
