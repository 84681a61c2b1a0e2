package cli_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
)

// TestBenchHistoryExamples runs the examples of whet bench history in a directory with results, and
// those of add in a repository.
func TestBenchHistoryExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("results", 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		at := time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC)
		text := fmt.Sprintf("commit: %012x\ncommit-time: %s\n%s", i+1, at.Format(time.RFC3339), benchResults(1000+i%3))
		path := filepath.Join("results", fmt.Sprintf("%s-%012x.txt", at.Format("20060102T150405Z"), i+1))
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "64 B/op", "64 B/op 1 allocs/op")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	storeResults(t, "profiles", "results")
	_, help, _ := runWhet(t, "bench", "history", "--help")
	examples := exampleLines(help)
	if len(examples) < 5 {
		t.Fatalf("%d examples in\n%s", len(examples), help)
	}
	for _, example := range examples {
		code, stdout, stderr := runWhet(t, shellFields(example)[1:]...)
		if code != 0 || !strings.Contains(stdout, "10") {
			t.Errorf("%s: exit code %d\n%s%s", example, code, stdout, stderr)
		}
	}
	if _, err := os.Stat("history.html"); err != nil {
		t.Error(err)
	}
	_, help, _ = runWhet(t, "bench", "history", "add", "--help")
	for _, name := range []string{"old.txt", "new.txt"} {
		if err := os.WriteFile(name, benchResults(1000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, example := range exampleLines(help) {
		if code, _, stderr := runWhet(t, shellFields(example)[1:]...); code != 1 ||
			!strings.Contains(stderr, "not in a git repository") {
			t.Errorf("%s: exit code %d\n%s", example, code, stderr)
		}
	}
}

// storeResults stores the files of a history.
func storeResults(t *testing.T, dir, from string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	s, err := local.Open(dir, local.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	var results []store.Result
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at, commit, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), "-")
		r := store.Result{Kind: "bench", Service: "pad", Revision: commit, Document: text}
		if r.Time, err = time.Parse("20060102T150405Z", at); err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	if err := errors.Join(s.WriteResults(t.Context(), "", results), s.Close()); err != nil {
		t.Fatal(err)
	}
}
