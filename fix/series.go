package fix

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/whet-go/whet/internal/diag"
)

// CheckClean returns an error if the git repository that contains dir has uncommitted changes.
// Without git, or a repository, it returns nil.
func CheckClean(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "git", "--no-optional-locks", "status", "--porcelain", "--untracked-files=no")
	cmd.Dir = dir
	if out, err := cmd.Output(); err == nil && len(bytes.TrimSpace(out)) > 0 {
		return &diag.Error{
			Op: "apply to", Subject: dir, Err: errors.New("the working tree has uncommitted changes"),
			Hint: "commit or stash them, or use --force",
		}
	}
	return nil
}

// Apply writes what was kept to the user's module. Unless force is set, it refuses if a file has
// changed since it was copied, or if git reports uncommitted changes. All files are checked before
// the first one is written.
func (r *Result) Apply(ctx context.Context, force bool) error {
	files := make([]string, 0, len(r.changed))
	for name := range r.changed {
		files = append(files, name)
	}
	slices.Sort(files)
	if !force {
		if err := CheckClean(ctx, r.Dir); err != nil {
			return err
		}
	}
	for _, name := range files {
		now, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if !bytes.Equal(now, r.changed[name].Before) {
			return &diag.Error{
				Op: "apply to", Subject: name, Err: errors.New("the file has changed since whet read it"),
				Hint: "run whet fix again",
			}
		}
	}
	for _, name := range files {
		file := filepath.Join(r.Dir, filepath.FromSlash(name))
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		if err := replaceFile(file, r.changed[name].After, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// replaceFile replaces a file atomically.
func replaceFile(name string, data []byte, mode os.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(name), ".whet-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
