package modcopy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
)

// Options are how the go command builds the using module.
type Options struct {
	Dir   string   // of the using module
	Flags []string // of go build
	Env   []string // KEY=value, in addition to the process's environment
}

// A Dependency is a module that another one is built with.
type Dependency struct {
	Path     string
	Version  string // "" for one that is replaced by a directory
	Dir      string // its source
	Vendored bool   // Dir has only the packages that are needed, without tests
	// Replaced is set if the using module already replaces it by a directory: it is source that the user
	// can change.
	Replaced bool

	goVersion string
	o         Options
}

// A listed module is what go list prints about it.
type listed struct {
	Path, Version, Dir, GoVersion string
	Main                          bool
	Replace                       *listed
}

// Of returns the module with a path, as the module in o.Dir selects it.
func Of(ctx context.Context, o Options, modulePath string) (*Dependency, error) {
	if err := module.CheckPath(modulePath); err != nil { // it may come from a recording of anyone
		return nil, err
	}
	out, err := o.run(ctx, o.Dir, slices.Concat([]string{"list", "-m", "-json"}, o.Flags, []string{modulePath})...)
	if err != nil {
		return nil, &diag.Error{
			Op: "find the module", Subject: modulePath, Err: err, Hint: "the module must build: try `go build ./...` there",
		}
	}
	var m listed
	if err := json.Unmarshal(out, &m); err != nil {
		return nil, fmt.Errorf("read what go list prints about %s: %w", modulePath, err)
	}
	d := &Dependency{Path: m.Path, Version: m.Version, Dir: m.Dir, goVersion: m.GoVersion, o: o}
	if r := m.Replace; r != nil {
		d.Version, d.Replaced = r.Version, r.Version == ""
		d.Dir = r.Dir
	}
	if d.Dir == "" {
		root, err := o.root(ctx)
		if err != nil {
			return nil, err
		}
		d.Dir, d.Vendored = filepath.Join(root, "vendor", filepath.FromSlash(d.Path)), true
	}
	if info, err := os.Stat(d.Dir); err != nil || !info.IsDir() {
		return nil, &diag.Error{
			Op: "find the source of", Subject: modulePath, Err: errors.New("it is not on this machine"),
			Hint: "`go mod download` gets it",
		}
	}
	return d, nil
}

// root returns the directory of the using module's go.mod.
func (o Options) root(ctx context.Context) (string, error) {
	out, err := o.run(ctx, o.Dir, "env", "GOMOD")
	return filepath.Dir(strings.TrimSpace(string(out))), err
}

// run runs the go command and returns its standard output.
func (o Options) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var out, messages bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &messages
	cmd.Env = append(slices.Concat(os.Environ(), o.Env), "GOWORK=off")
	procgroup.OwnAndKill(cmd)
	if err := cmd.Run(); err != nil {
		if text := firstLines(messages.String()); text != "" {
			err = errors.New(text)
		}
		return out.Bytes(), err
	}
	return out.Bytes(), nil
}

// firstLines returns the beginning of what the go command prints, without the names of packages.
func firstLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && len(lines) < 3 {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

// Copy copies the source into dir, which must not exist, as a module that builds alone. packages are the import
// paths that must build; if they do not, the error says why.
func (d *Dependency) Copy(ctx context.Context, dir string, packages []string) error {
	if err := copyTree(ctx, dir, d.Dir); err != nil {
		return err
	}
	if d.Vendored {
		if err := d.vendor(ctx, dir); err != nil {
			return err
		}
		return d.build(ctx, dir, packages)
	}
	if err := os.RemoveAll(filepath.Join(dir, "vendor")); err != nil { // a module cache has its list, but no packages
		return err
	}
	name := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(name, []byte(d.goMod()), 0o600); err != nil {
			return err
		}
	}
	first := d.build(ctx, dir, packages)
	if first == nil || ctx.Err() != nil {
		return errors.Join(first, ctx.Err())
	}
	if err := d.selectVersions(ctx, dir); err != nil {
		return errors.Join(first, err)
	}
	return d.build(ctx, dir, packages)
}

// goMod returns a go.mod for source without one.
func (d *Dependency) goMod() string {
	version := d.goVersion
	if version == "" {
		version = "1.21"
	}
	return "module " + modfile.AutoQuote(d.Path) + "\n\ngo " + version + "\n"
}

// build reports why packages of the copy do not build.
func (d *Dependency) build(ctx context.Context, dir string, packages []string) error {
	args := slices.Concat([]string{"build"}, withoutMod(d.o.Flags), packages)
	if _, err := d.o.run(ctx, dir, args...); err != nil {
		return &diag.Error{
			Op: "build", Subject: d.String() + " alone", Err: err,
			Hint: "a copy of the module must build before it can be made faster",
		}
	}
	return nil
}

// withoutMod returns the flags that also apply to the copy: -mod and -modfile are about the using module's go.mod.
func withoutMod(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		return name == "mod" || name == "modfile"
	})
}

// Flags returns the flags of go build that apply to the copy.
func (d *Dependency) Flags() []string { return withoutMod(d.o.Flags) }

// String returns the module with its version.
func (d *Dependency) String() string {
	if d.Version == "" {
		return d.Path
	}
	return d.Path + "@" + d.Version
}

// selectVersions has the copy use the versions and replacements that the using module selects: a module may be released
// with a go.mod that does not build without those.
func (d *Dependency) selectVersions(ctx context.Context, dir string) error {
	args := slices.Concat([]string{"list", "-m", "-json"}, d.o.Flags, []string{"all"})
	out, err := d.o.run(ctx, d.o.Dir, args...)
	if err != nil {
		return fmt.Errorf("list the modules that are built: %w", err)
	}
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	mod, err := modfile.ParseLax(name, data, nil)
	if err != nil {
		return err
	}
	root := ""
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var m listed
		if err := dec.Decode(&m); err != nil {
			return err
		}
		switch {
		case m.Main:
			root = m.Dir
			if m.GoVersion != "" {
				if err := mod.AddGoStmt(m.GoVersion); err != nil {
					return err
				}
			}
		case m.Path == d.Path:
		default:
			if err := mod.AddRequire(m.Path, m.Version); err != nil {
				return err
			}
			if r := m.Replace; r != nil {
				to := r.Path
				if r.Version == "" {
					to = r.Dir
				}
				if err := mod.AddReplace(m.Path, "", to, r.Version); err != nil {
					return err
				}
			}
		}
	}
	mod.Cleanup()
	if data, err = mod.Format(); err != nil {
		return err
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return err
	}
	return joinSums(dir, root)
}

// joinSums adds the checksums of the using module to those of the copy.
func joinSums(dir, root string) error {
	name := filepath.Join(dir, "go.sum")
	own, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	more, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := strings.Split(string(own)+"\n"+string(more), "\n")
	slices.Sort(lines)
	lines = slices.DeleteFunc(slices.Compact(lines), func(s string) bool { return s == "" })
	return os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// maxCopy is the maximum size of a copy in bytes, as a guard against modules that are much more than source.
const maxCopy = 1 << 30

// copyTree copies regular files, which may then be changed.
func copyTree(ctx context.Context, to, from string) error {
	left := int64(maxCopy)
	err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == ".git" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if left -= int64(len(data)); left < 0 {
			return fmt.Errorf("its files are larger than %d bytes", int64(maxCopy))
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o600)
	})
	if err != nil {
		return &diag.Error{
			Op: "copy", Subject: from, Err: err, Hint: "it is copied to a temporary directory; set TMPDIR to use another one",
		}
	}
	return nil
}
