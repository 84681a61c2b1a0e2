package versions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A repository is the git repository that contains a module.
type repository struct {
	root   string
	module string // relative to root
}

// open finds the repository that contains the module in dir.
func open(ctx context.Context, dir string) (*repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, &diag.Error{
			Op: "prove", Subject: dir, Err: errors.New("git is not installed"),
			Hint: "install it, or compare two directories: --a DIR --b DIR",
		}
	}
	r := &repository{root: dir}
	top, err := r.git(ctx, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, &diag.Error{
			Op: "prove", Subject: dir, Err: errors.New("not in a git repository"),
			Hint: "compare two directories: --a DIR --b DIR",
		}
	}
	r.root = filepath.FromSlash(strings.TrimSpace(top))
	if r.module, err = filepath.Rel(r.root, dir); err != nil || !filepath.IsLocal(r.module) {
		return nil, fmt.Errorf("%s is not below %s, its repository", dir, r.root)
	}
	return r, nil
}

// git runs a git command that only reads, and returns its output.
func (r *repository) git(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	cmd.Env = append(cmd.Env, env...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	procgroup.OwnAndKill(cmd)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, first)
	}
	return out.String(), nil
}

// commit returns the ID of a revision.
func (r *repository) commit(ctx context.Context, rev string) (string, error) {
	id, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &diag.Error{
			Op: "prove", Subject: rev, Err: errors.New("unknown revision"),
			Hint: "`git log --oneline` lists revisions; in CI, fetch the base branch first",
		}
	}
	return strings.TrimSpace(id), nil
}

// tree returns the files of a commit.
func (r *repository) tree(commit string) *scratch.Tree {
	return &scratch.Tree{Dir: r.root, Module: r.module, Fill: func(ctx context.Context, dir string) (err error) {
		temp, err := os.MkdirTemp("", "whet-index-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		index := []string{"GIT_INDEX_FILE=" + filepath.Join(temp, "index")}
		if _, err := r.git(ctx, index, "read-tree", commit); err != nil {
			return err
		}
		_, err = r.git(ctx, index, "checkout-index", "--all", "--quiet", "--prefix="+filepath.ToSlash(dir)+"/")
		return err
	}}
}

// Work compares a revision with the working tree: tracked files, and new ones that are not ignored.
func Work(ctx context.Context, dir, rev string) (*Pair, error) {
	r, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	a, err := r.commit(ctx, rev)
	if err != nil {
		return nil, err
	}
	return &Pair{
		A: rev, B: "working tree", Tree: r.tree(a),
		read: func(ctx context.Context, root string) (map[string]content, error) {
			raw, err := r.git(ctx, nil, "diff-index", "--raw", "-z", "--no-renames", a)
			if err != nil {
				return nil, err
			}
			added, err := r.git(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
			if err != nil {
				return nil, err
			}
			var names []string
			links := map[string]content{}
			for _, e := range rawEntries(raw) {
				if e.link {
					links[e.name] = content{link: true}
					continue
				}
				names = append(names, e.name)
			}
			for name := range strings.SplitSeq(added, "\x00") {
				if name != "" {
					names = append(names, filepath.FromSlash(name))
				}
			}
			files, err := readDir(ctx, root, r.root, names)
			for name, c := range links {
				files[name] = c
			}
			return files, err
		},
	}, nil
}

// Revisions compares two revisions, written A..B, or A...B for the common ancestor of both and B. A
// side that is left out is HEAD.
func Revisions(ctx context.Context, dir, spec string) (*Pair, error) {
	r, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	nameA, nameB, ancestor := strings.Cut(spec, "...")
	if !ancestor {
		nameA, nameB, _ = strings.Cut(spec, "..")
	}
	if nameA == "" {
		nameA = "HEAD"
	}
	if nameB == "" {
		nameB = "HEAD"
	}
	a, err := r.commit(ctx, nameA)
	if err != nil {
		return nil, err
	}
	b, err := r.commit(ctx, nameB)
	if err != nil {
		return nil, err
	}
	if ancestor {
		base, err := r.git(ctx, nil, "merge-base", a, b)
		if err != nil {
			return nil, &diag.Error{
				Op: "prove", Subject: spec, Err: errors.New("the revisions have no common ancestor"),
				Hint: "in CI, fetch the whole history, or compare them as A..B",
			}
		}
		a, nameA = strings.TrimSpace(base), "the common ancestor of "+nameA+" and "+nameB
	}
	return &Pair{
		A: nameA, B: nameB, Tree: r.tree(a),
		read: func(ctx context.Context, _ string) (map[string]content, error) {
			raw, err := r.git(ctx, nil, "diff-tree", "-r", "--raw", "-z", "--no-renames", a, b)
			if err != nil {
				return nil, err
			}
			files := map[string]content{}
			for _, e := range rawEntries(raw) {
				c := content{link: e.link}
				if !e.link && !e.removed {
					text, err := r.git(ctx, nil, "cat-file", "blob", b+":"+filepath.ToSlash(e.name))
					if err != nil {
						return nil, err
					}
					c.data = append([]byte{}, text...)
				}
				files[e.name] = c
			}
			return files, nil
		},
	}, nil
}

// A rawEntry is a file that git diff-index or git diff-tree lists. Unlike git diff, they do not write
// to the index.
type rawEntry struct {
	name          string
	link, removed bool
}

// Modes of symbolic links and submodules, as in git's trees.
const (
	linkMode      = "120000"
	submoduleMode = "160000"
)

// rawEntries reads the raw output of git diff-index and git diff-tree with -z: pairs of
//
//	:MODE MODE ID ID STATUS
//
// and a name, each ended by a NUL byte (gitdiff(7), "Raw output format").
func rawEntries(raw string) (list []rawEntry) {
	fields := strings.Split(raw, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		modes := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(modes) < 5 {
			continue
		}
		e := rawEntry{name: filepath.FromSlash(fields[i+1]), removed: strings.HasPrefix(modes[4], "D")}
		for _, mode := range modes[:2] {
			e.link = e.link || mode == linkMode || mode == submoduleMode
		}
		list = append(list, e)
	}
	return list
}
