package scratch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/tempfile"
)

// Options configure New.
type Options struct {
	Flags   []string      // of the go command's build, vet and test
	Env     []string      // KEY=value, for the go command and the processes it starts
	Timeout time.Duration // of a test binary; 0 means go test's default
	// Processes is the number of processes that a command may run at once; 0 means 500.
	Processes int
	// Wrap returns the beginning of the command lines of processes that run code of the module and need to
	// write only below a directory; nil means none.
	Wrap func(dir string) ([]string, error)
	Temp string // parent directory; "" means the system's directory for temporary files

	// Tree is what is copied; nil means the repository that contains the module, or only the module
	// if there is no repository: what git tracks and does not ignore, including uncommitted work.
	Tree *Tree
}

// A Tree is a directory of files that contains a module.
type Tree struct {
	Dir    string // relative directories in go.mod refer to it
	Module string // directory of the module, relative to it
	// Fill writes the files to a directory.
	Fill func(ctx context.Context, dir string) error
}

// A Module is a copy of a module, and of the repository that contains it.
type Module struct {
	Dir  string // the module's directory in the copy
	Temp string // for further temporary files, which Close removes

	options   Options
	root      string // the copy of the repository, or of the module
	lock      io.Closer
	originals map[string][]byte // by the module's file
	overlays  *regexp.Regexp    // directories with files of Overlay
	wrap      []string          // the beginning of command lines that run code of the module
	goEnv     []string          // settings of the go command that depend on the home directory
	trial     string            // follows the names of the directories for what code under trial writes
}

// maxScratch is the maximum size of the copy in bytes, as a guard against repositories that contain
// much more than source.
const maxScratch = 4 << 30

// New copies o.Tree, or the repository that contains the module in dir. Relative directories in
// go.mod that are outside it become absolute. Copies of a module have the same name each time, so that the build
// cache serves what did not change, also in another checkout.
func New(ctx context.Context, dir string, o Options) (_ *Module, err error) {
	sweep(cmp.Or(o.Temp, os.TempDir()))
	key, err := ModulePath(dir)
	if err != nil {
		key = dir // another version may have a go.mod
	}
	temp, err := tempfile.Directory(o.Temp, scratchPrefix, key)
	if err != nil {
		return nil, fmt.Errorf("make a scratch directory: %w", err)
	}
	m := &Module{Temp: temp, options: o, root: filepath.Join(temp, "copy"), originals: map[string][]byte{}}
	m.overlays = overlaysIn(temp)
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	if o.Wrap != nil {
		if m.wrap, err = o.Wrap(temp); err != nil {
			return nil, err
		}
	}
	if m.lock, err = holdLock(temp); err != nil {
		return nil, fmt.Errorf("make a scratch directory: %w", err)
	}
	tree := o.Tree
	if tree == nil {
		if tree, err = TreeOf(ctx, dir); err != nil {
			return nil, err
		}
	}
	m.Dir = filepath.Join(m.root, tree.Module)
	if err := tree.Fill(ctx, m.root); err != nil {
		return nil, err
	}
	if err := m.anchor(tree.Dir); err != nil {
		return nil, err
	}
	if err := m.prepareTrial(ctx); err != nil {
		return nil, fmt.Errorf("read the settings of the go command: %w", err)
	}
	return m, nil
}

// overlaysIn returns what matches the directories of Overlay in a directory for temporary files.
func overlaysIn(temp string) *regexp.Regexp {
	return regexp.MustCompile(regexp.QuoteMeta(filepath.Join(temp, overlayPrefix)) + `[0-9]+[/\\]`)
}

// TreeOf returns the repository that contains the module in dir, or only the module if there is no
// repository.
func TreeOf(ctx context.Context, dir string) (*Tree, error) {
	from, files, err := Files(ctx, dir)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(from, dir)
	if err != nil {
		return nil, err
	}
	fill := func(ctx context.Context, to string) error { return copyFiles(ctx, to, from, files) }
	return &Tree{Dir: from, Module: rel, Fill: fill}, nil
}

// Files lists the files of the repository that contains dir, or of dir if there is none or it ignores dir,
// relative to root: what git tracks, or is new and not ignored.
func Files(ctx context.Context, dir string) (root string, files []string, err error) {
	if root, files = tracked(ctx, dir); files != nil {
		return root, files, nil
	}
	if files, err = allFiles(dir); err != nil {
		return "", nil, fmt.Errorf("list %s: %w", dir, err)
	}
	return dir, files, nil
}

// copyFiles copies files from one directory to another one.
func copyFiles(ctx context.Context, to, from string, files []string) (err error) {
	left := int64(maxScratch)
	for _, name := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if left, err = copyFile(filepath.Join(to, name), filepath.Join(from, name), left); err != nil {
			return &diag.Error{
				Op: "copy", Subject: name, Err: err,
				Hint: "the module is copied to a temporary directory; set TMPDIR to use another one",
			}
		}
	}
	return nil
}

// tracked lists the files of the git repository that contains a directory: tracked, or new and not
// ignored. It returns nil if there is no repository, or it ignores the directory.
func tracked(ctx context.Context, dir string) (root string, files []string) {
	git := func(args ...string) (string, bool) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		procgroup.OwnAndKill(cmd)
		out, err := cmd.Output()
		return string(out), err == nil
	}
	top, ok := git("rev-parse", "--show-toplevel")
	if !ok {
		return "", nil
	}
	if _, ignored := git("check-ignore", "-q", "."); ignored {
		return "", nil
	}
	root = strings.TrimSpace(top)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		if rel, err := filepath.Rel(root, real); err != nil || strings.HasPrefix(rel, "..") {
			return "", nil
		}
	}
	dir = root
	out, ok := git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if !ok {
		return "", nil
	}
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" {
			files = append(files, filepath.FromSlash(name))
		}
	}
	slices.Sort(files)
	return root, slices.Compact(files)
}

// allFiles lists a directory without a repository.
func allFiles(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != dir && (base == "node_modules" || base == ".git") {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		files = append(files, rel)
		return err
	})
	return files, err
}

// copyFile copies a file or a link, and returns the remaining number of bytes. It skips a listed
// file that no longer exists.
func copyFile(to, from string, left int64) (int64, error) {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return left, nil
	}
	if err != nil {
		return left, err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return left, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return left, err
		}
		return left, os.Symlink(target, to)
	case !info.Mode().IsRegular():
		return left, nil // a submodule, a socket
	case info.Size() > left:
		return left, fmt.Errorf("the files together are larger than %d bytes", int64(maxScratch))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return left, err
	}
	return left - int64(len(data)), os.WriteFile(to, data, info.Mode().Perm()|0o600)
}

// anchor makes relative directories in the copied go.mod absolute if they are outside the copy.
func (m *Module) anchor(from string) error {
	name := filepath.Join(m.Dir, "go.mod")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &diag.Error{
			Op: "prove", Subject: "version A", Err: errors.New("it has no go.mod"),
			Hint: "choose versions that are modules",
		}
	}
	if err != nil {
		return fmt.Errorf("copy the module: %w", err)
	}
	mod, err := modfile.Parse(name, data, nil)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(m.root, m.Dir)
	if err != nil {
		return err
	}
	changed := false
	for _, r := range mod.Replace {
		if !modfile.IsDirectoryPath(r.New.Path) || filepath.IsAbs(r.New.Path) {
			continue
		}
		target := filepath.Join(from, rel, r.New.Path)
		if inside, err := filepath.Rel(from, target); err == nil && !strings.HasPrefix(inside, "..") {
			continue
		}
		if err := mod.AddReplace(r.Old.Path, r.Old.Version, target, ""); err != nil {
			return err
		}
		changed = true
	}
	if !changed {
		return nil
	}
	if data, err = mod.Format(); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// With returns the same copy with other flags and variables for the go command. It is closed once.
func (m *Module) With(flags, env []string) *Module {
	other := *m
	other.options.Flags, other.options.Env = flags, env
	return &other
}

// Close removes the copy and everything in Temp.
func (m *Module) Close() error {
	err := removeAll(m.Temp)
	if m.lock != nil {
		err = errors.Join(err, m.lock.Close())
	}
	return err
}

// Root returns the directory of the copy: of the repository, or of the module.
func (m *Module) Root() string { return m.root }

// Path returns the name of a file of the module in the copy.
func (m *Module) Path(file string) string { return filepath.Join(m.Dir, filepath.FromSlash(file)) }

// Relative returns text in which files of the copy, and those that Overlay wrote, have names relative to the module.
func (m *Module) Relative(text string) string {
	up, err := filepath.Rel(m.Dir, m.root)
	if err != nil || !strings.Contains(text, m.Temp) {
		return text
	}
	text = m.overlays.ReplaceAllLiteralString(text, "")
	sep := string(filepath.Separator)
	return strings.NewReplacer(m.Dir+sep, "", m.root+sep, up+sep).Replace(text)
}

// Original returns a file of the module as it was when it was first read after New or Forget.
func (m *Module) Original(file string) ([]byte, error) {
	if data, ok := m.originals[file]; ok {
		return data, nil
	}
	data, err := os.ReadFile(m.Path(file))
	if err != nil {
		return nil, err
	}
	m.originals[file] = data
	return data, nil
}

// Forget makes Original read the current files again.
func (m *Module) Forget() { clear(m.originals) }

// Write writes a file of the copy, and creates its directory.
func (m *Module) Write(file string, data []byte) error {
	name := m.Path(file)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// overlayPrefix is the prefix of the names of directories with files of Overlay.
const overlayPrefix = "overlay"

// Overlay writes files, by their names in the module, that replace those of the copy for the go
// command, and returns the flag for it. A file without contents (nil) does not exist.
func (m *Module) Overlay(files map[string][]byte) (flags []string, err error) {
	dir, err := os.MkdirTemp(m.Temp, overlayPrefix)
	if err != nil {
		return nil, err
	}
	replace, err := m.OverlayIn(dir, files)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "overlay.json")
	return []string{"-overlay=" + name}, os.WriteFile(name, data, 0o600)
}

// OverlayIn writes files, by their names in the module, to a directory, and returns what replaces the
// files of the copy, by path: "" for one without contents (nil), which does not exist.
func (m *Module) OverlayIn(dir string, files map[string][]byte) (map[string]string, error) {
	replace := map[string]string{}
	for name, data := range files {
		if data == nil {
			replace[m.Path(name)] = ""
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name)) // compiler messages contain the name
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return nil, err
		}
		replace[m.Path(name)] = file
	}
	return replace, nil
}

// ModulePath returns the path of the module in a directory.
func ModulePath(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", &diag.Error{
			Op: "prove", Subject: filepath.Base(dir), Err: errors.New("it has no go.mod"),
			Hint: "name the directory of a module with --dir",
		}
	}
	return path.Clean(modfile.ModulePath(data)), nil
}
