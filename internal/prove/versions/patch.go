package versions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// leaveOut is the cure if a file of a patch is refused.
const leaveOut = "leave this file out of the patch"

// maxPatch is the maximum size of a patch in bytes.
const maxPatch = 64 << 20

// Patch compares the module in dir, with its uncommitted work, with and without a patch: a unified
// diff, or a mail of git format-patch. Its paths are relative to the repository. name is for
// errors.
func Patch(ctx context.Context, dir, name string, r io.Reader) (*Pair, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	files, err := parsePatch(name, r)
	if err != nil {
		return nil, err
	}
	tree, err := scratch.TreeOf(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &Pair{
		A: "working tree", B: name, Tree: tree,
		read: func(_ context.Context, root string) (map[string]content, error) { return applyPatch(name, root, files) },
	}, nil
}

// parsePatch reads a patch and refuses what cannot be applied.
func parsePatch(name string, r io.Reader) ([]*gitdiff.File, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPatch+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > maxPatch {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", name, maxPatch)
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(text))
	if err == nil && len(files) == 0 {
		err = errors.New("it changes no files")
	}
	if err != nil {
		return nil, &diag.Error{
			Op: "read patch", Subject: name, Err: err, Hint: "`git diff` and `git format-patch` write such patches",
		}
	}
	for _, f := range files {
		if err := refusePatch(f); err != nil {
			return nil, &diag.Error{Op: "apply patch", Subject: name, Err: err, Hint: leaveOut}
		}
	}
	return files, nil
}

// refusePatch returns why a file of a patch is not applied.
func refusePatch(f *gitdiff.File) error {
	for _, name := range []string{f.OldName, f.NewName} {
		if name == "" {
			continue
		}
		first, _, _ := strings.Cut(path.Clean(name), "/")
		if !filepath.IsLocal(filepath.FromSlash(name)) || first == ".git" || strings.ContainsRune(name, 0) {
			return fmt.Errorf("%q is outside the repository", name)
		}
	}
	switch name := nameOf(f); {
	case f.IsBinary:
		return fmt.Errorf("%q is a binary file", name)
	case isLinkMode(f.OldMode) || isLinkMode(f.NewMode):
		return fmt.Errorf("%q is a symbolic link or a submodule", name)
	}
	return nil
}

// nameOf returns the name of a file after a patch, or before it if it is removed.
func nameOf(f *gitdiff.File) string {
	if f.NewName != "" {
		return f.NewName
	}
	return f.OldName
}

// isLinkMode reports whether a mode as in git's trees is that of a symbolic link or a submodule.
func isLinkMode(mode fs.FileMode) bool { return mode == 0o120000 || mode == 0o160000 }

// applyPatch returns the files of root after a patch.
func applyPatch(patch, root string, files []*gitdiff.File) (map[string]content, error) {
	after := map[string]content{}
	for _, f := range files {
		f = withoutPrefixes(root, f)
		name := nameOf(f)
		fail := func(err error) error {
			return &diag.Error{
				Op: "apply patch", Subject: patch, Err: fmt.Errorf("%s: %w", name, err),
				Hint: "rebase it: the patch must apply to the current files",
			}
		}
		if err := refusePatch(f); err != nil { // without a prefix, it may be another name
			return nil, &diag.Error{Op: "apply patch", Subject: patch, Err: err, Hint: leaveOut}
		}
		for _, used := range []string{f.OldName, f.NewName} {
			if used != "" && throughLink(root, filepath.FromSlash(used)) {
				return nil, fail(fmt.Errorf("%s is in a directory that is a symbolic link", used))
			}
		}
		var before []byte
		if !f.IsNew {
			from := filepath.Join(root, filepath.FromSlash(f.OldName))
			if c, ok := after[filepath.FromSlash(f.OldName)]; ok && !f.IsCopy && !f.IsRename {
				before = c.data
			} else {
				if isLink(from) {
					return nil, fail(errors.New("it is a symbolic link"))
				}
				var err error
				if before, err = readFile(from); err != nil {
					return nil, err
				}
			}
			if before == nil {
				return nil, fail(errors.New("the file does not exist"))
			}
		}
		var out bytes.Buffer
		if err := gitdiff.Apply(&out, bytes.NewReader(before), f); err != nil {
			return nil, fail(place(f, err))
		}
		if f.IsRename || f.IsDelete {
			after[filepath.FromSlash(f.OldName)] = content{}
		}
		if !f.IsDelete {
			after[filepath.FromSlash(f.NewName)] = content{data: append([]byte{}, out.Bytes()...)}
		}
	}
	return after, nil
}

// withoutPrefixes returns a file of a patch whose names do not begin with a/ or b/, which diff -u
// writes in the headers of a patch that is not git's, if there is no such directory.
func withoutPrefixes(root string, f *gitdiff.File) *gitdiff.File {
	other := *f
	for _, name := range []*string{&other.OldName, &other.NewName} {
		prefix, rest, ok := strings.Cut(*name, "/")
		if _, err := os.Lstat(filepath.Join(root, prefix)); ok && (prefix == "a" || prefix == "b") && err != nil {
			*name = rest
		}
	}
	return &other
}

// throughLink reports whether a directory above a file of root is a symbolic link.
func throughLink(root, name string) bool {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if isLink(filepath.Join(root, dir)) {
			return true
		}
	}
	return false
}

// place adds to an error the hunk and the line at which a patch does not apply.
func place(f *gitdiff.File, err error) error {
	var at *gitdiff.ApplyError
	if !errors.As(err, &at) || at.Fragment < 1 || at.Fragment > len(f.TextFragments) {
		return err
	}
	return fmt.Errorf("hunk %d of %d (%s) does not apply at line %d", at.Fragment, len(f.TextFragments),
		strings.TrimSpace(f.TextFragments[at.Fragment-1].Header()), at.Line)
}
