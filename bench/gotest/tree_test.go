package gotest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/diag"
)

// repository creates a repository with a module in the directory sub. Its commit v1 has a benchmark
// One; the working tree has an uncommitted change.
func repository(t *testing.T) (top, module string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	top = write(t, `
-- sub/go.mod --
module example.com/r

go 1.26
-- sub/r_test.go --
package r

import "testing"

func BenchmarkOne(b *testing.B) {
	for b.Loop() {
	}
}
`)
	run(t, top, "git", "init", "-q", "-b", "trunk")
	run(t, top, "git", "add", ".")
	run(t, top, "git", "commit", "-q", "-m", "one")
	run(t, top, "git", "tag", "v1")
	if err := os.WriteFile(
		filepath.Join(top, ".git", "hooks", "post-checkout"),
		[]byte("#!/bin/sh\ntouch \"$GIT_DIR\"/hooked ../hooked hooked\n"), 0o755,
	); err != nil {
		t.Fatal(err)
	}
	put(t, top, `
-- sub/r_test.go --
package r

uncommitted
-- sub/staged.go --
package r
`)
	run(t, top, "git", "add", "sub/staged.go")
	return top, filepath.Join(top, "sub")
}

// state returns everything in a repository that Worktree must not change.
func state(t *testing.T, top string) string {
	t.Helper()
	out := run(t, top, "git", "status", "--porcelain=v2", "--branch") + run(t, top, "git", "for-each-ref") +
		run(t, top, "git", "worktree", "list", "--porcelain")
	names, err := filepath.Glob(filepath.Join(top, ".git", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return out + strings.Join(names, "\n")
}

func TestWorktree(t *testing.T) {
	top, module := repository(t)
	t.Setenv("TMPDIR", t.TempDir())
	before := state(t, top)
	tree, err := gotest.Worktree(t.Context(), gotest.Source{Dir: module, Flags: []string{"-race"}}, "v1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tree.Close() }()
	if tree.Source.Name != "v1" || len(tree.Source.Flags) != 1 ||
		tree.Commit != strings.TrimSpace(run(t, top, "git", "rev-parse", "HEAD")) {
		t.Errorf("%+v", tree)
	}
	pkgs, failures, err := gotest.List(t.Context(), tree.Source, nil)
	if err != nil || len(failures) > 0 || len(pkgs) != 1 || pkgs[0].Benchmarks[0] != "BenchmarkOne" {
		t.Errorf("%+v, %v, %v", pkgs, failures, err)
	}
	if _, err := os.Stat(filepath.Join(tree.Source.Dir, "hooked")); err == nil {
		t.Error("a hook of the repository has run")
	}
	if err := errors.Join(tree.Close(), tree.Close()); err != nil {
		t.Fatal(err)
	}
	if after := state(t, top); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	nothingLeft(t)
}

// nothingLeft fails the test if TMPDIR is not empty.
func nothingLeft(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "whet-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
}

// holdTree runs in a separate process of this test binary: it makes a tree, prints its directory,
// and waits to be killed.
func holdTree(dir string) {
	tree, err := gotest.Worktree(context.Background(), gotest.Source{Dir: dir}, "v1")
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	fmt.Println(tree.Dir)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestWorktreeKilled kills a process that has a tree, so that it cannot clean up.
func TestWorktreeKilled(t *testing.T) {
	top, module := repository(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	before := state(t, top)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "WHET_TEST_TREE="+module)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	// The janitor holds a pipe of the process, which is closed when the janitor ends.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{w}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	line = strings.TrimSpace(line)
	if _, serr := os.Stat(filepath.Join(line, "sub", "go.mod")); err != nil || serr != nil {
		t.Fatalf("%q, %v, %v", line, err, serr)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Fatal(err)
	}
	if after := state(t, top); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	nothingLeft(t)
}

func TestWorktreeErrors(t *testing.T) {
	top, module := repository(t)
	t.Setenv("TMPDIR", t.TempDir())
	before := state(t, top)
	for _, tt := range []struct{ dir, ref, err, hint string }{
		{module, "v2", "no such commit", "did you mean v1?"},
		{module, "trnk", "no such commit", "did you mean trunk?"},
		{module, "somewhere-else", "no such commit", "there is trunk"},
		{module, "somewhere-else", "no such commit", "git fetch"},
		{module, "--help", "no such commit", ""},
		{t.TempDir(), "v1", "not a git repository", "two directories"},
	} {
		_, err := gotest.Worktree(t.Context(), gotest.Source{Dir: tt.dir}, tt.ref)
		e := (*diag.Error)(nil)
		if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.err) || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s: %v, hint %q", tt.ref, err, e.Hint)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gotest.Worktree(ctx, gotest.Source{Dir: module}, "v1"); err == nil {
		t.Error("canceled, and there is a tree")
	}
	if after := state(t, top); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}

	// These cannot be built elsewhere.
	commit := func(archive, message string) {
		t.Helper()
		put(t, top, archive)
		run(t, top, "git", "add", "-A")
		run(t, top, "git", "commit", "-q", "-m", message)
	}
	commit(`
-- sub/go.mod --
module example.com/r

go 1.26

require example.com/inside v0.0.0

require example.com/outside v0.0.0

replace example.com/inside => ../inside

replace example.com/outside => ../../outside
-- inside/go.mod --
module example.com/inside
`, "outside")
	if _, err := gotest.Worktree(t.Context(), gotest.Source{Dir: module}, "HEAD"); err == nil ||
		!strings.Contains(err.Error(), "it needs ../../outside, a relative path") {
		t.Errorf("replaced by what is outside: %v", err)
	}
	put(t, top, "-- go.work --\ngo 1.26\n\nuse ./sub\n")
	if _, err := gotest.Worktree(t.Context(), gotest.Source{Dir: module}, "v1"); err == nil ||
		!strings.Contains(err.Error(), "go.work, which the commit lacks") {
		t.Errorf("a workspace that is not committed: %v", err)
	}
	if tree, err := gotest.Worktree(
		t.Context(), gotest.Source{Dir: module, Env: []string{"GOWORK=off"}}, "v1",
	); err != nil {
		t.Errorf("without the workspace: %v", err)
	} else if err := tree.Close(); err != nil {
		t.Error(err)
	}
	if err := os.MkdirAll(filepath.Join(top, "late"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := gotest.Worktree(t.Context(), gotest.Source{Dir: filepath.Join(top, "late")}, "v1"); err == nil ||
		!strings.Contains(err.Error(), "the commit has no directory late") {
		t.Errorf("a directory that the commit lacks: %v", err)
	}
	nothingLeft(t)
}
