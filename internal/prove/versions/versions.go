package versions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A Pair is two versions of a directory tree that contains a module.
type Pair struct {
	A, B string        // names, such as "HEAD" and "working tree"
	Tree *scratch.Tree // of A

	// read returns the files of B that may differ from A, by their names relative to the tree. root
	// contains A.
	read func(ctx context.Context, root string) (files map[string]content, err error)
}

// content is a file of B.
type content struct {
	data []byte // nil: it does not exist
	link bool   // it is a symbolic link or a submodule, in A or in B
}

// A Difference is what differs between A and B.
type Difference struct {
	Files scratch.Changes // by names relative to the module
	// Links are symbolic links and submodules, and Outside are files outside the module, by names
	// relative to the tree.
	Links, Outside []string
}

// maxFile is the maximum size of a changed file in bytes.
const maxFile = 64 << 20

// Changed returns the files that differ. root contains A, as Tree.Fill wrote it.
func (p *Pair) Changed(ctx context.Context, root string) (*Difference, error) {
	files, err := p.read(ctx, root)
	if err != nil {
		return nil, err
	}
	d := &Difference{Files: scratch.Changes{}}
	for name, b := range files {
		if b.link {
			d.Links = append(d.Links, filepath.ToSlash(name))
			continue
		}
		before, err := readFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		if b.data == nil && before == nil || b.data != nil && before != nil && bytes.Equal(b.data, before) {
			continue
		}
		rel, err := filepath.Rel(p.Tree.Module, name)
		if err != nil || !filepath.IsLocal(rel) {
			d.Outside = append(d.Outside, filepath.ToSlash(name))
			continue
		}
		d.Files[filepath.ToSlash(rel)] = scratch.Change{Before: before, After: b.data}
	}
	slices.Sort(d.Links)
	slices.Sort(d.Outside)
	return d, nil
}

// readFile reads a regular file; the contents are nil if there is none, and not nil otherwise.
func readFile(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil
	}
	if info.Size() > maxFile {
		return nil, &diag.Error{
			Op: "read", Subject: name, Err: fmt.Errorf("it has %d bytes; at most %d are allowed", info.Size(), maxFile),
			Hint: "leave it out of the change",
		}
	}
	data, err := os.ReadFile(name)
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// isLink reports whether name is a symbolic link.
func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Dirs compares the modules in two directories, each with the repository that contains it.
func Dirs(ctx context.Context, a, b string) (*Pair, error) {
	var trees [2]*scratch.Tree
	var files [2][]string
	for i, dir := range []string{a, b} {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if trees[i], err = scratch.TreeOf(ctx, dir); err != nil {
			return nil, err
		}
		if _, files[i], err = scratch.Files(ctx, dir); err != nil {
			return nil, err
		}
	}
	if trees[0].Module != trees[1].Module {
		return nil, diag.Usagef("prove", fmt.Sprintf("%s is %s in its repository, and %s is %s", a, trees[0].Module, b,
			trees[1].Module), "name the same directory of both repositories")
	}
	other := trees[1].Dir
	return &Pair{A: a, B: b, Tree: trees[0], read: func(ctx context.Context, root string) (map[string]content, error) {
		return readDir(ctx, root, other, slices.Concat(files[0], files[1]))
	}}, nil
}

// readDir reads files of a directory.
func readDir(ctx context.Context, root, dir string, names []string) (map[string]content, error) {
	files := map[string]content{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from := filepath.Join(dir, name)
		switch a, b := isLink(filepath.Join(root, name)), isLink(from); {
		case a && b:
			was, _ := os.Readlink(filepath.Join(root, name))
			is, _ := os.Readlink(from)
			if was != is {
				files[name] = content{link: true}
			}
			continue
		case a || b:
			files[name] = content{link: true}
			continue
		}
		data, err := readFile(from)
		if err != nil {
			return nil, err
		}
		files[name] = content{data: data}
	}
	return files, nil
}
