package cli_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// TestBenchHistoryServed adds results to the store of a server, and reads them back through it.
func TestBenchHistoryServed(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Chdir(t.TempDir())
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := serving(t, "--store", filepath.Join(t.TempDir(), "profiles"), "--token-file", token, t.TempDir())
	for i := range 10 {
		for _, args := range [][]string{
			{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", fmt.Sprint("change ", i)},
		} {
			cmd := exec.CommandContext(t.Context(), "git", args...)
			at := fmt.Sprintf("2026-01-02T03:%02d:00Z", i)
			cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+at, "GIT_AUTHOR_DATE="+at, "GIT_AUTHOR_NAME=a",
				"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		file := filepath.Join(t.TempDir(), "new.txt")
		if err := os.WriteFile(file, benchResults(1000+i/5*500+i%3), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := runWhet(t, "bench", "history", "add", "--store", address, "--token-file", token, file)
		if code != 0 {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
	}
	code, stdout, stderr := runWhet(t, "bench", "history", "--store", address, "--token-file", token)
	if code != 0 || !strings.Contains(stdout, "10 commits") || !strings.Contains(stdout, "+50") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := runWhet(t, "bench", "history", "--store", address); code == 0 {
		t.Errorf("exit code %d without a token\n%s", code, stderr)
	}
}

// TestAddressIsNoDirectory names addresses where a store in a directory is wanted: nothing is created.
func TestAddressIsNoDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const address = "http://shop:" + "hidden-word@127.0.0.1:1"
	for _, args := range [][]string{
		{"serve", "--http", "127.0.0.1:0", "--store", address},
		{"store", "stats", "--store", address},
		{"store", "compact", "--store", address},
		{"store", "backup", "copy", "--store", address},
		{"store", "restore", "copy", "--store", address},
		{"serve", "--http", "127.0.0.1:0", "--store", "ftp://shop:hidden-word@127.0.0.1:1"},
	} {
		code, _, stderr := runWhet(t, args...)
		if code != 2 || !strings.Contains(stderr, "hint: ") || strings.Contains(stderr, "hidden-word") {
			t.Errorf("whet %s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
		}
		t.Log(stderr)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("created %v, %v", left, err)
	}
}
