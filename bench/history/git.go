package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrNoRepository is the error when git is needed and there is no repository, or no git.
var ErrNoRepository = errors.New("not in a git repository")

// git runs git in a directory and returns its output.
func git(ctx context.Context, dir, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	switch {
	case err == nil:
		return string(out), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound), strings.Contains(errs.String(), "not a git repository"):
		return "", ErrNoRepository
	}
	if text := strings.TrimSpace(errs.String()); text != "" {
		first, _, _ := strings.Cut(text, "\n")
		return "", fmt.Errorf("git %s: %s", args[0], first)
	}
	return "", fmt.Errorf("git %s: %w", args[0], err)
}

// resolve returns the commit that a reference names.
func resolve(ctx context.Context, dir, ref string) (Commit, error) {
	out, err := git(ctx, dir, "", "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if errors.Is(err, ErrNoRepository) || ctx.Err() != nil {
		return Commit{}, err
	}
	if err != nil {
		return Commit{}, fmt.Errorf("no commit %q", ref)
	}
	commits, err := describe(ctx, dir, []string{strings.TrimSpace(out)})
	if err != nil {
		return Commit{}, err
	}
	return commits[0], nil
}

// describe returns what git records about commits, which must exist.
func describe(ctx context.Context, dir string, hashes []string) ([]Commit, error) {
	out, err := git(ctx, dir, strings.Join(hashes, "\n"), "log", "--no-walk=unsorted", "--stdin",
		"--format=%H%x00%cI%x00%s")
	if err != nil {
		return nil, err
	}
	var commits []Commit
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("git log: unexpected line %q", line)
		}
		at, err := time.Parse(time.RFC3339, parts[1])
		if err != nil {
			return nil, fmt.Errorf("git log: %w", err)
		}
		commits = append(commits, Commit{Hash: parts[0], Time: at.UTC(), Subject: parts[2]})
	}
	if len(commits) == 0 {
		return nil, errors.New("git log: no commit")
	}
	return commits, nil
}

// uncommitted lists files that make a build differ from the commit: changed ones, and new ones that
// the go command would build. Files below except do not count.
func uncommitted(ctx context.Context, dir string, except []string) ([]string, error) {
	top, err := git(ctx, dir, "", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(top)
	out, err := git(ctx, dir, "", "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
	if err != nil {
		return nil, err
	}
	var skip []string
	for _, name := range except {
		if full, err := filepath.Abs(name); err == nil {
			if real, err := filepath.EvalSymlinks(full); err == nil {
				full = real
			}
			skip = append(skip, full)
		}
	}
	var files []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) < 4 {
			continue
		}
		name := entry[3:]
		full := filepath.Join(root, filepath.FromSlash(name))
		if slices.ContainsFunc(skip,
			func(s string) bool { return full == s || strings.HasPrefix(full, s+string(filepath.Separator)) }) {
			continue
		}
		if strings.HasPrefix(entry, "??") && !builds(name) {
			continue
		}
		files = append(files, name)
	}
	return files, nil
}

// builds reports whether the go command considers a file of this name.
func builds(name string) bool {
	switch path.Base(name) {
	case "go.mod", "go.sum", "go.work", "go.work.sum", "default.pgo":
		return true
	}
	return slices.Contains([]string{
		".go", ".s", ".S", ".sx", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp",
		".hxx", ".f", ".F", ".for", ".f90", ".swig", ".swigcxx", ".syso",
	}, path.Ext(name))
}

// order returns the position of each commit among all, ancestors before descendants, and their
// subjects; nil when the repository does not know all of them, or there is none.
func order(
	ctx context.Context, dir string, hashes []string,
) (place map[string]int, subjects map[string]string, err error) {
	known, err := git(ctx, dir, strings.Join(hashes, "\n"), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if errors.Is(err, ErrNoRepository) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	want := map[string]bool{}
	for line := range strings.Lines(known) {
		if hash, kind, _ := strings.Cut(strings.TrimSpace(line), " "); kind == "commit" {
			want[hash] = true
		}
	}
	for _, h := range hashes {
		if !want[h] {
			return nil, nil, nil
		}
	}
	commits, err := describe(ctx, dir, hashes)
	if err != nil {
		return nil, nil, err
	}
	subjects = map[string]string{}
	for _, c := range commits {
		subjects[c.Hash] = c.Subject
	}
	place, err = places(ctx, dir, hashes, want)
	return place, subjects, err
}

// places streams the commits' ancestry, which may be long, and returns the positions of the wanted
// ones.
func places(ctx context.Context, dir string, hashes []string, want map[string]bool) (map[string]int, error) {
	cmd := exec.CommandContext(ctx, "git", "rev-list", "--topo-order", "--reverse", "--stdin")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(strings.Join(hashes, "\n"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("git rev-list: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git rev-list: %w", err)
	}
	place := map[string]int{}
	lines := bufio.NewScanner(out)
	for at := 0; lines.Scan(); at++ {
		if want[lines.Text()] {
			place[lines.Text()] = at
		}
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("git rev-list: %w", err)
	}
	return place, nil
}
