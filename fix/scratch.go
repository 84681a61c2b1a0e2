package fix

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
)

// A scratch is a copy of the repository that contains a module.
type scratch struct {
	temp string // parent of everything
	root string // the copy of the repository, or of the module
	dir  string // the module's directory in it
	o    Options
	n    int // number of overlays
	lock io.Closer

	originals map[string][]byte // by the module's file
}

// maxScratch is the maximum size of the copy in bytes, as a guard against repositories that contain
// much more than source.
const maxScratch = 4 << 30

// newScratch copies the repository that contains the module in dir, or only the module if there is
// no repository: what git tracks and does not ignore, including uncommitted work. Relative
// directories in go.mod that are outside of it become absolute.
func newScratch(ctx context.Context, dir string, o Options) (_ *scratch, err error) {
	sweep(cmp.Or(o.Temp, os.TempDir()))
	temp, err := os.MkdirTemp(o.Temp, scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	s := &scratch{temp: temp, root: filepath.Join(temp, "copy"), o: o, originals: map[string][]byte{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.lock, err = holdLock(temp); err != nil {
		return nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	from, files := tracked(ctx, dir)
	if files == nil {
		from = dir
		if files, err = allFiles(dir); err != nil {
			return nil, fmt.Errorf("list %s: %w", dir, err)
		}
	}
	rel, err := filepath.Rel(from, dir)
	if err != nil {
		return nil, err
	}
	s.dir = filepath.Join(s.root, rel)
	left := int64(maxScratch)
	for _, name := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if left, err = copyFile(filepath.Join(s.root, name), filepath.Join(from, name), left); err != nil {
			return nil, &diag.Error{
				Op: "copy", Subject: name, Err: err,
				Hint: "the module is copied to a temporary folder; TMPDIR names another",
			}
		}
	}
	return s, s.anchor(from)
}

// tracked lists the files of the git repository that contains a directory: tracked, or new and not
// ignored. It returns nil if there is no repository.
func tracked(ctx context.Context, dir string) (root string, files []string) {
	git := func(args ...string) (string, bool) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		return string(out), err == nil
	}
	top, ok := git("rev-parse", "--show-toplevel")
	if !ok {
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

// anchor makes relative directories absolute that the copied go.mod names outside of the copy.
func (s *scratch) anchor(from string) error {
	name := filepath.Join(s.dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("copy the module: %w", err)
	}
	mod, err := modfile.Parse(name, data, nil)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(s.root, s.dir)
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

func (s *scratch) close() error {
	err := os.RemoveAll(s.temp)
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

func (s *scratch) path(file string) string { return filepath.Join(s.dir, filepath.FromSlash(file)) }

// original returns a file of the module as it was at the start of the round.
func (s *scratch) original(file string) ([]byte, error) {
	if data, ok := s.originals[file]; ok {
		return data, nil
	}
	data, err := os.ReadFile(s.path(file))
	if err != nil {
		return nil, err
	}
	s.originals[file] = data
	return data, nil
}

// forget makes original read the current files again.
func (s *scratch) forget() { clear(s.originals) }

func (s *scratch) write(file string, data []byte) error {
	return os.WriteFile(s.path(file), data, 0o600)
}

// overlay writes files, by their names in the module, that replace those of the scratch copy for
// the go command, and returns the flag for it.
func (s *scratch) overlay(files map[string][]byte) ([]string, error) {
	s.n++
	dir := filepath.Join(s.temp, "overlay"+strconv.Itoa(s.n))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name)) // compiler messages contain the name
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return nil, err
		}
		replace[s.path(name)] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "overlay.json")
	return []string{"-overlay=" + name}, os.WriteFile(name, data, 0o600)
}

// maxOutput is the maximum output of the go command that is kept.
const maxOutput = 1 << 20

// run runs the go command in the module's directory, with more flags after those of the options,
// and returns the end of its output. All processes that it starts end with it.
func (s *scratch) run(ctx context.Context, more []string, command string, args ...string) (string, error) {
	cmd := s.command(ctx, more, command, args)
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	return out.String(), err
}

// output is like run, but returns all output.
func (s *scratch) output(
	ctx context.Context, command string, args ...string,
) (stdout []byte, stderr string, err error) {
	cmd := s.command(ctx, nil, command, args)
	var out bytes.Buffer
	says := &tail{}
	cmd.Stdout, cmd.Stderr = &out, says
	err = cmd.Run()
	return out.Bytes(), says.String(), err
}

func (s *scratch) command(ctx context.Context, more []string, command string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{command}, s.o.Flags, more, args)...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), s.o.Env...)
	cmd.WaitDelay = 5 * time.Second
	procgroup.OwnAndKill(cmd)
	return cmd
}

// tail keeps the end of what is written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	n, err := t.Buffer.Write(p)
	if over := t.Len() - maxOutput; over > maxOutput {
		t.Next(over)
	}
	return n, err
}

// lastLines returns the most informative lines of the go command's output: the last ones before its
// summary.
func lastLines(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if line != "" && !strings.HasPrefix(line, "ok ") && !strings.HasPrefix(line, "?  ") && line != "FAIL" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}

// failing returns the packages whose tests failed.
func failing(out string) []string {
	var pkgs []string
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "FAIL" {
			pkgs = append(pkgs, fields[1])
		}
	}
	slices.Sort(pkgs)
	return slices.Compact(pkgs)
}

// vetLines returns vet's diagnostics without their positions, which change.
func vetLines(out string) map[string]bool {
	lines := map[string]bool{}
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		file, rest, ok := strings.Cut(line, ".go:")
		if !ok {
			continue
		}
		_, message, _ := strings.Cut(rest, ": ")
		lines[filepath.Base(file)+".go: "+message] = true
	}
	return lines
}

// diffOf returns changes as a unified diff.
func diffOf(changes map[string]change) string {
	var names []string
	for name := range changes {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	for _, name := range names {
		out.Write(rewrite.Diff(name, changes[name].before, changes[name].after))
	}
	return out.String()
}
