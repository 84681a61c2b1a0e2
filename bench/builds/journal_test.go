package builds_test

import (
	"path/filepath"
	"testing"

	"github.com/whet-go/whet/bench/builds"
)

// TestJournalFile checks that the same comparison has the same file, also from another directory,
// and that a different one does not.
func TestJournalFile(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	dir := t.TempDir()
	t.Chdir(dir)
	sides := [2]builds.Side{{Ref: "main"}, {Dir: "."}}
	file := builds.JournalFile(sides, "./...", "Sum")
	if rel, err := filepath.Rel(cache, file); err != nil || !filepath.IsLocal(rel) {
		t.Fatalf("%q is not in the cache", file)
	}
	if got := builds.JournalFile([2]builds.Side{{Ref: "main", Dir: dir}, {Dir: dir}}, "./...", "Sum"); got != file {
		t.Errorf("with absolute names: %q, want %q", got, file)
	}
	if got := builds.JournalFile(sides, "./...", "Other"); got == file {
		t.Error("another benchmark has the same file")
	}
}
