package notes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
)

// Options configure Compile.
type Options struct {
	Dir   string   // where the go command runs; "" means the current directory
	Flags []string // of go build
	Env   []string // KEY=value, for the go command
	Cache string   // directory that keeps notes between runs; "" keeps none

	Want func(kind string) bool // reports whether to return notes of a kind; nil means all
}

// A Package is a package with the compiler's notes on it.
type Package struct {
	Path  string            // import path
	Dir   string            // absolute
	Files map[string][]Note // by absolute path, in the compiler's order; nil if Err is set
	Err   error             // why there are no notes: the package does not compile
}

// listed is a package as printed by go list.
type listed struct {
	ImportPath, Dir, BuildID string
	GoFiles, CgoFiles        []string
	Error                    *struct{ Err string }
	DepsErrors               []struct{ Err string }
}

// Compile returns the compiler's notes on the packages that match patterns, in the order of the go
// command. Tests are not compiled. A package that does not compile has Err set; Compile returns an
// error only if the go command or the cache fails.
func Compile(ctx context.Context, o Options, patterns ...string) ([]Package, error) {
	if i := slices.IndexFunc(o.Flags,
		func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "gcflags") }); i >= 0 {
		return nil, &diag.Error{
			Op: "get compiler notes", Err: fmt.Errorf("%s cannot be used", o.Flags[i]),
			Hint: "omit -gcflags: the notes need their own",
		}
	}
	list, err := o.list(ctx, nil, patterns)
	if err != nil {
		return nil, err
	}
	scratch := o.Cache
	if scratch != "" {
		if scratch, err = filepath.Abs(scratch); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(scratch, 0o700); err != nil {
			return nil, err
		}
		o.Cache = scratch
	}
	if scratch, err = os.MkdirTemp(scratch, "new-"); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	where, failed, err := o.collect(ctx, list, scratch)
	if err != nil {
		return nil, err
	}
	packages := make([]Package, 0, len(list))
	for _, l := range list {
		p := Package{Path: l.ImportPath, Dir: l.Dir, Err: failed[l.ImportPath]}
		dir, ok := where[l.ImportPath]
		switch {
		case p.Err == nil && ok:
			if p.Files, err = readPackage(dir, l, o.Want); err != nil {
				return nil, err
			}
		case p.Err == nil && l.failure() == "":
			continue // tests only
		case p.Err == nil:
			p.Err = errors.New(l.failure())
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// collect returns the directories with the notes of packages: those in the cache, and those written
// below scratch, which are moved to the cache. failed has the reasons why some packages have none.
func (o *Options) collect(
	ctx context.Context, list []listed, scratch string,
) (where map[string]string, failed map[string]error, err error) {
	where, failed = map[string]string{}, map[string]error{}
	var missing []string
	var flags []string
	for _, l := range list {
		if l.BuildID == "" {
			continue
		}
		if dir := o.kept(l); dir != "" {
			where[l.ImportPath] = dir
			continue
		}
		// One directory per package: the compiler uses the same name for all main packages.
		dir := filepath.Join(scratch, strconv.Itoa(len(missing)))
		where[l.ImportPath] = dir
		missing = append(missing, l.ImportPath)
		flags = append(flags, "-gcflags="+l.ImportPath+"=-json=0,"+dir)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, nil, err
		}
	}
	if len(missing) == 0 {
		return where, failed, nil
	}
	compiled, err := o.list(ctx, flags, missing)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range compiled {
		if l.BuildID == "" {
			failed[l.ImportPath] = errors.New(l.failure())
		}
	}
	if o.Cache == "" {
		return where, failed, nil
	}
	// If a package changed while it was compiled, its notes must not be cached under the old ID.
	after, err := o.list(ctx, nil, missing)
	if err != nil {
		return nil, nil, err
	}
	o.trim(time.Now())
	for _, l := range after {
		same := slices.ContainsFunc(list, func(b listed) bool {
			return b.ImportPath == l.ImportPath && b.BuildID == l.BuildID
		})
		if same && failed[l.ImportPath] == nil && l.BuildID != "" {
			if err := os.Rename(where[l.ImportPath], o.place(l)); err == nil {
				where[l.ImportPath] = o.place(l)
			} // otherwise another process has cached the same
		}
	}
	return where, failed, nil
}

// place returns the cache directory for the notes of a package.
func (o *Options) place(l listed) string {
	// The directory is not hashed, as -trimpath keeps it out of build IDs: notes are resolved by
	// base name.
	sum := sha256.Sum256([]byte(l.ImportPath + "\n" + l.BuildID))
	return filepath.Join(o.Cache, hex.EncodeToString(sum[:16]))
}

// kept returns the cache directory with the notes of a package, or "" if there are none.
func (o *Options) kept(l listed) string {
	if o.Cache == "" {
		return ""
	}
	dir := o.place(l)
	now := time.Now()
	if os.Chtimes(dir, now, now) != nil { // trim looks at this time
		return ""
	}
	return dir
}

// keepFor is how long unused notes are kept in the cache: as long as the go command keeps its
// entries.
const keepFor = 5 * 24 * time.Hour

// trim removes notes that have not been used for keepFor. Errors are ignored, because it is a
// cache.
func (o *Options) trim(now time.Time) {
	entries, err := os.ReadDir(o.Cache)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > keepFor {
			_ = os.RemoveAll(filepath.Join(o.Cache, entry.Name()))
		}
	}
}

// list runs go list -export, which compiles the packages, and returns its description of them.
func (o *Options) list(ctx context.Context, flags, patterns []string) ([]listed, error) {
	args := slices.Concat([]string{
		"list", "-export", "-e",
		"-json=ImportPath,Dir,BuildID,GoFiles,CgoFiles,Error,DepsErrors",
	}, o.Flags, flags, []string{"--"}, patterns)
	cmd := exec.CommandContext(ctx, "go", args...)
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	// PWD makes the go command print directories below dir, even if dir is a symbolic link.
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "PWD="+dir), o.Env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := procgroup.RunGo(cmd); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("go list -export: %w: %s", err, firstLine(stderr.String()))
	}
	var list []listed
	for d := json.NewDecoder(&stdout); ; {
		var l listed
		if err := d.Decode(&l); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list -export: %w", err)
		}
		list = append(list, l)
	}
}

// failure returns why a package was not compiled, or "" if it has nothing to compile.
func (l *listed) failure() string {
	switch {
	case l.Error != nil:
		text := strings.TrimSpace(l.Error.Err)
		if head, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(head, "# ") {
			text = rest
		}
		return firstLine(text)
	case len(l.DepsErrors) > 0:
		return firstLine(l.DepsErrors[0].Err)
	case len(l.GoFiles)+len(l.CgoFiles) > 0:
		return "it was not compiled"
	}
	return ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// readPackage reads the notes on files of a package that lie below dir.
func readPackage(dir string, l listed, want func(kind string) bool) (map[string][]Note, error) {
	// The compiler prints file names as they are, with -trimpath relative to the import path, and
	// different ones after a //line comment.
	resolve := func(name string) (string, bool) {
		name = filepath.ToSlash(name)
		base := path.Base(name)
		file := filepath.Join(l.Dir, base)
		if !slices.Contains(l.GoFiles, base) && !slices.Contains(l.CgoFiles, base) {
			return "", false
		}
		return file, filepath.FromSlash(name) == file || name == l.ImportPath+"/"+base || sameFile(name, file)
	}
	notes := map[string][]Note{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		if err := read(file, resolve, want, notes); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	return notes, err
}

// sameFile reports whether two names refer to the same file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
