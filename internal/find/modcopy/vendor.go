package modcopy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// vendor completes the copy of a vendored module: the other vendored packages become those of the copy.
func (d *Dependency) vendor(ctx context.Context, dir string) error {
	root, err := d.o.root(ctx)
	if err != nil {
		return err
	}
	from := filepath.Join(root, "vendor")
	list, err := os.ReadFile(filepath.Join(from, "modules.txt"))
	if err != nil {
		return fmt.Errorf("read the list of vendored packages: %w", err)
	}
	mod, err := modfile.Parse("go.mod", []byte(d.goMod()), nil)
	if err != nil {
		return err
	}
	var others strings.Builder // modules.txt of the copy
	var nested []string        // modules whose path is below that of this one
	skip := false
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "# "); ok {
			// "# path version", or with " => path version"; without a version it is an unused replacement.
			fields := strings.Fields(head)
			if skip = len(fields) < 2 || fields[1] == "=>" || fields[0] == d.Path; skip {
				continue
			}
			if err := mod.AddRequire(fields[0], fields[1]); err != nil {
				return err
			}
			if strings.HasPrefix(fields[0], d.Path+"/") {
				nested = append(nested, fields[0])
			}
			fmt.Fprintf(&others, "# %s %s\n", fields[0], fields[1])
			continue
		}
		if skip {
			continue
		}
		if attributes, ok := strings.CutPrefix(line, "## "); ok {
			line = "## explicit" // the copy requires all of them
			if _, version, ok := strings.Cut(attributes, "go "); ok {
				line += "; go " + version
			}
		}
		others.WriteString(line + "\n")
	}
	if err := withExplicit(&others, dir, mod); err != nil {
		return err
	}
	vendor := filepath.Join(dir, "vendor")
	if err := copyTree(ctx, vendor, from); err != nil {
		return err
	}
	// The module's own packages are in the copy itself, except for those of modules with a longer path.
	own := filepath.Join(vendor, filepath.FromSlash(d.Path))
	kept := map[string]string{}
	for _, path := range nested {
		at := filepath.Join(vendor, filepath.FromSlash(path))
		aside := filepath.Join(dir, "vendor-"+fmt.Sprint(len(kept)))
		switch err := os.Rename(at, aside); {
		case errors.Is(err, fs.ErrNotExist): // it has no packages, or is a part of one that was moved
		case err != nil:
			return err
		default:
			kept[aside] = at
		}
		if err := os.RemoveAll(filepath.Join(dir, strings.TrimPrefix(path, d.Path))); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(own); err != nil {
		return err
	}
	for aside, at := range kept {
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.Rename(aside, at); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(vendor, "modules.txt"), []byte(others.String()), 0o600)
}

// withExplicit writes the go.mod of a copy, and marks all modules of the list as required there.
func withExplicit(others *strings.Builder, dir string, mod *modfile.File) error {
	lines := strings.SplitAfter(others.String(), "\n")
	others.Reset()
	for i, line := range lines {
		others.WriteString(line)
		if strings.HasPrefix(line, "# ") && (i+1 >= len(lines) || !strings.HasPrefix(lines[i+1], "## ")) {
			others.WriteString("## explicit\n")
		}
	}
	mod.Cleanup()
	data, err := mod.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o600)
}
