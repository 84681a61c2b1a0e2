package gotest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/tempfile"
)

// A Tree holds the files of a commit in their own directory.
type Tree struct {
	Source Source // like the one passed to Worktree, with Dir in the tree
	Commit string // its full hash
	Dir    string // the tree's root
	Temp   string // directory next to it, removed with it
	temp   string // directory around both
	repo   string // the repository's .git directory
	keeper keeper
}

// Worktree checks a commit of the repository of src.Dir out into a temporary directory, with git
// worktree: uncommitted work, index and branches are not touched. ref is any name git accepts for a
// commit. The Source's name becomes ref unless it has one. Close removes the tree. On systems with a
// shell it is also removed when this process dies, even if it is killed. Hooks of the repository do
// not run, and its submodules are not checked out.
//
// A commit whose go.mod or go.work refers to directories outside the repository by relative paths
// cannot be built elsewhere and is refused.
func Worktree(ctx context.Context, src Source, ref string) (*Tree, error) {
	fails := func(err error, hint string) (*Tree, error) {
		return nil, &diag.Error{Op: "check out", Subject: fmt.Sprintf("%q", ref), Err: err, Hint: hint}
	}
	inside, err := git(ctx, src.Dir, "rev-parse", "--show-toplevel", "--show-prefix")
	if errors.Is(err, exec.ErrNotFound) {
		return fails(err, "install git, or give two directories instead of a commit")
	} else if err != nil {
		return fails(err, "a commit needs a git repository; two directories can be compared without one")
	}
	top, prefix, _ := strings.Cut(inside, "\n")
	commit, err := git(ctx, src.Dir, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if ctx.Err() != nil {
		return fails(ctx.Err(), "")
	} else if err != nil {
		return fails(errors.New("no such commit"), refHint(ctx, src.Dir, ref))
	}
	temp, err := tempfile.Directory("", "whet-tree-", top) // the build cache knows it
	if err != nil {
		return fails(err, "")
	}
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return fails(err, "")
	}
	// git names a worktree by its last element, which is therefore the temporary one.
	t := &Tree{Source: src, Commit: commit, temp: temp, Dir: filepath.Join(temp, filepath.Base(temp)), repo: top}
	t.Source.Dir = filepath.Join(t.Dir, filepath.FromSlash(prefix))
	if t.Source.Name == "" {
		t.Source.Name = ref
	}
	if err := t.add(ctx); err != nil {
		return fails(errors.Join(err, os.RemoveAll(temp)), "")
	}
	if err := t.check(ctx, src); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	t.Temp = filepath.Join(temp, "binaries")
	if err := os.Mkdir(t.Temp, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("check out %q: %w", ref, err), t.Close())
	}
	return t, nil
}

// Commit returns the hash of the commit that a directory's repository is at, and whether tracked
// files have changed since. The hash is "" where there is no repository.
func Commit(ctx context.Context, dir string) (hash string, changed bool) {
	hash, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return "", false
	}
	// Status would write to the index, to cache what it has found out.
	status, err := git(ctx, dir, "--no-optional-locks", "status", "--porcelain", "--untracked-files=no")
	return hash, err == nil && status != ""
}

// refHint suggests refs that look like ref, or how to get missing ones.
func refHint(ctx context.Context, dir, ref string) string {
	refs, err := git(ctx, dir, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
	if err != nil {
		return ""
	}
	var near []string
	for name := range strings.SplitSeq(refs, "\n") {
		if name != "" && distance(strings.ToLower(name), strings.ToLower(ref)) <= max(1, len(ref)/3) ||
			strings.HasSuffix(name, "/"+ref) {
			near = append(near, name)
		}
	}
	if len(near) > 0 {
		return "did you mean " + strings.Join(near[:min(len(near), 5)], ", ") + "?"
	}
	if shallow, err := git(ctx, dir, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
		return "the clone is shallow: `git fetch --unshallow` gets all commits"
	}
	const others = "`git fetch --all --tags` fetches other branches and tags; `git log --oneline --all` lists the commits"
	if branches := branchesOf(ctx, dir); len(branches) > 0 {
		return "there is " + strings.Join(branches, ", ") + "; " + others
	}
	return others
}

// branchesOf returns the repository's branches: first those that are usually the main one, then the
// most recently used, at most five.
func branchesOf(ctx context.Context, dir string) []string {
	out, err := git(ctx, dir, "for-each-ref", "--sort=-committerdate", "--format=%(refname:short)", "refs/heads")
	if err != nil || out == "" {
		return nil
	}
	branches := strings.Split(out, "\n")
	usual := []string{"main", "master", "trunk", "develop"}
	slices.SortStableFunc(branches, func(a, b string) int {
		at := func(name string) int { return (slices.Index(usual, name) + len(usual) + 1) % (len(usual) + 1) }
		return at(a) - at(b)
	})
	return branches[:min(len(branches), 5)]
}

// distance returns the number of letters to insert, delete or replace between two words
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// git runs git and returns its output, without the last end of line.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = gitEnv(cmd.Environ())
	procgroup.OwnAndKill(cmd)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" && errors.As(err, new(*exec.ExitError)) {
			err = errors.New(strings.TrimPrefix(firstLines(text, err), "fatal: "))
		}
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// gitEnv removes what ties git to one repository or index, as a hook's environment does (git
// rev-parse --local-env-vars).
func gitEnv(env []string) []string {
	var out []string
	for _, kv := range env {
		switch key, _, _ := strings.Cut(kv, "="); key {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_IMPLICIT_WORK_TREE", "GIT_NAMESPACE":
		default:
			out = append(out, kv)
		}
	}
	return append(out, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

// check refuses a tree that would be built differently from the repository.
func (t *Tree) check(ctx context.Context, src Source) error {
	fails := func(err error, hint string) error {
		return &diag.Error{Op: "build", Subject: fmt.Sprintf("%q", t.Source.Name), Err: err, Hint: hint}
	}
	if _, err := os.Stat(t.Source.Dir); err != nil {
		return fails(fmt.Errorf("the commit has no directory %s", mustRel(t.Dir, t.Source.Dir)),
			"give a commit that has the module")
	}
	var env struct{ GOMOD, GOWORK string }
	var before struct{ GOMOD, GOWORK string }
	for _, ask := range []struct {
		src Source
		to  any
	}{{t.Source, &env}, {src, &before}} {
		out, stderr, err := ask.src.goCommand(ctx, "env", []string{"-json", "GOMOD", "GOWORK"})
		if err != nil {
			return goError("run go env in", ask.src.Dir, stderr, err)
		}
		if err := json.Unmarshal(out, ask.to); err != nil {
			return fails(err, "")
		}
	}
	if env.GOMOD == "" || env.GOMOD == os.DevNull {
		return fails(errors.New("no go.mod in the commit"), "give a commit that has the module")
	}
	if (before.GOWORK == "" || before.GOWORK == "off") != (env.GOWORK == "" || env.GOWORK == "off") {
		return fails(fmt.Errorf("the working tree is built with %s, which the commit lacks", before.GOWORK+env.GOWORK),
			"build both sides without it: GOWORK=off")
	}
	outside, err := t.outside(ctx, "mod", env.GOMOD)
	if err == nil && outside == "" && env.GOWORK != "" && env.GOWORK != "off" {
		outside, err = t.outside(ctx, "work", env.GOWORK)
	}
	if err != nil {
		return err
	}
	if outside != "" {
		return fails(fmt.Errorf("it needs %s, a relative path to a directory outside the repository", outside),
			"use an absolute path there, or compare two directories for which the path is valid")
	}
	return nil
}

// outside returns the first relative path in a go.mod or go.work that leaves the tree.
func (t *Tree) outside(ctx context.Context, verb, file string) (string, error) {
	out, stderr, err := t.Source.goCommand(ctx, verb, []string{"edit", "-json", file})
	if err != nil {
		return "", goError("read", mustRel(t.Dir, file), stderr, err)
	}
	var doc struct {
		Use     []struct{ DiskPath string }
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return "", fmt.Errorf("read %s: %w", mustRel(t.Dir, file), err)
	}
	var paths []string
	for _, u := range doc.Use {
		paths = append(paths, u.DiskPath)
	}
	for _, r := range doc.Replace {
		if r.New.Version == "" {
			paths = append(paths, r.New.Path)
		}
	}
	for _, p := range paths {
		at := filepath.FromSlash(p)
		if filepath.IsAbs(at) {
			continue
		}
		if rel, err := filepath.Rel(t.Dir, filepath.Join(filepath.Dir(file), at)); err != nil || !filepath.IsLocal(rel) {
			return p, nil
		}
	}
	return "", nil
}

// mustRel returns path relative to dir, or unchanged.
func mustRel(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return path
}
