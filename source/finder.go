package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// DefaultMaxBytes is the size of the largest source file that a Finder reads.
const DefaultMaxBytes = 16 << 20

// maxCache bounds the text that a Finder keeps in memory.
const maxCache = 64 << 20

// Options configure a Finder. With the zero value it searches GOROOT and the module cache of this
// machine.
type Options struct {
	// Archive returns a file that was recorded with the profile, by its path in the profile. It is
	// tried first; nil means that nothing was recorded.
	Archive func(path string) ([]byte, bool)

	// Dirs are working trees: directories at or below a go.mod, or any others.
	Dirs []string

	// Named are additional working trees, which the user named as those of the program.
	Named []string

	// Strict disables guessing: a file in Dirs that matches only the end of the path in the profile
	// is used only if its tree contains the main module of Modules. If Modules does not have a main
	// module, Strict has no effect.
	Strict bool

	// GOROOT and ModCache are directories; "" means those of this machine ($GOROOT or the location
	// of the go command; $GOMODCACHE or $GOPATH/pkg/mod).
	GOROOT, ModCache string

	// Modules are the modules of the program, from its build info.
	Modules []Module

	// GoVersion is the toolchain that built the program ("go1.26.1"); its copy in the module cache
	// is preferred over GOROOT. "" means unknown.
	GoVersion string

	// TrimPath are prefixes to remove from paths in the profile before they are looked up in Dirs
	// (-trim_path in pprof).
	TrimPath []string

	// Confined restricts reads to GOROOT, the module cache, Dirs and Named, and the modules that
	// contain them: other paths, which may come from a profile or build of a program elsewhere, are
	// ignored.
	Confined bool

	// MaxBytes is the size of the largest file to read; 0 means DefaultMaxBytes.
	MaxBytes int64
}

// A Module is one module of a program.
type Module struct {
	Path    string
	Version string // "" for the main module
	Dir     string // location of its source on this machine, if known (a replace directive)
	Main    bool
}

// An Origin is where source text came from.
type Origin uint8

// Origins, from the most to the least likely to be what was compiled.
const (
	FromRecording Origin = iota // recorded with the profile
	FromDisk                    // the exact path in the profile
	FromTree                    // a working tree
	FromGOROOT                  // the standard library of this machine
	FromModCache                // the module cache of this machine
	FromVendor                  // a vendor directory of a working tree
)

// String returns the origin in a word or two, such as "module cache".
func (o Origin) String() string {
	names := [...]string{"recording", "disk", "working tree", "GOROOT", "module cache", "vendor"}
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("Origin(%d)", uint8(o))
}

// A File is the text of a source file.
type File struct {
	Path   string // path in the profile
	Found  string // path that was read; equals Path for FromRecording
	Origin Origin
	Lines  []string // without line endings
}

// Line returns line n, counted from 1, and whether the file has it.
func (f *File) Line(n int) (string, bool) {
	if n < 1 || n > len(f.Lines) {
		return "", false
	}
	return f.Lines[n-1], true
}

// A NotFoundError reports a file that was not found, and where it was looked for.
type NotFoundError struct {
	Path  string
	Tried []string // paths and reasons, in order
	hint  string
}

// Hint returns what to do next.
func (e *NotFoundError) Hint() string { return e.hint }

// Error lists the places that were tried.
func (e *NotFoundError) Error() string {
	if len(e.Tried) == 0 {
		return fmt.Sprintf("find source of %s: nowhere to look", e.Path)
	}
	return fmt.Sprintf("find source of %s: not in %s", e.Path, strings.Join(e.Tried, ", "))
}

// Is reports whether target is fs.ErrNotExist.
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// A Finder finds source files by the paths that compilers write into profiles. It caches results
// and is safe for concurrent use.
type Finder struct {
	opt    Options
	goroot func() string
	trees  []*tree

	mu     sync.Mutex
	cache  map[string]*File
	cached int
}

// NewFinder returns a Finder. It reads nothing yet.
func NewFinder(opt Options) *Finder {
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = DefaultMaxBytes
	}
	if opt.ModCache == "" {
		opt.ModCache = defaultModCache()
	}
	if opt.Confined {
		opt.Modules = slices.Clone(opt.Modules)
		for i := range opt.Modules {
			opt.Modules[i].Dir = "" // comes from the program's build, not from the user
		}
	}
	f := &Finder{opt: opt, cache: map[string]*File{}}
	f.goroot = sync.OnceValue(func() string {
		if opt.GOROOT != "" {
			return opt.GOROOT
		}
		return defaultGOROOT()
	})
	for _, d := range opt.Dirs {
		f.trees = append(f.trees, newTree(d))
	}
	for _, d := range opt.Named {
		t := newTree(d)
		t.named = true
		f.trees = append(f.trees, t)
	}
	return f
}

// defaultGOROOT returns $GOROOT, or the GOROOT of the go command in $PATH, or one of the usual
// locations. It starts no process.
func defaultGOROOT() string {
	try := []string{os.Getenv("GOROOT")}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		exe := filepath.Join(dir, "go")
		if runtime.GOOS == "windows" {
			exe += ".exe"
		}
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			try = append(try, filepath.Dir(filepath.Dir(real)))
		}
	}
	try = append(try, "/usr/local/go", "/usr/lib/go", "/opt/homebrew/opt/go/libexec", `C:\Program Files\Go`)
	for _, dir := range try {
		if dir == "" {
			continue
		}
		if fi, err := os.Stat(filepath.Join(dir, "src", "runtime")); err == nil && fi.IsDir() {
			return dir
		}
	}
	return ""
}

func defaultModCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	if gopath := filepath.SplitList(os.Getenv("GOPATH")); len(gopath) > 0 && gopath[0] != "" {
		return filepath.Join(gopath[0], "pkg", "mod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// File returns the text of the file at a path in a profile. The error is a *NotFoundError if it is
// not found anywhere.
func (f *Finder) File(path string) (*File, error) {
	f.mu.Lock()
	file := f.cache[path]
	f.mu.Unlock()
	if file != nil {
		return file, nil
	}
	file, data, err := f.load(path)
	if err != nil {
		return nil, err
	}
	file.Lines = splitLines(data)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cached += len(data); f.cached > maxCache {
		clear(f.cache)
		f.cached = len(data)
	}
	f.cache[path] = file
	return file, nil
}

// Read is like File, but returns the bytes of the file.
func (f *Finder) Read(path string) ([]byte, Origin, error) {
	file, data, err := f.load(path)
	if err != nil {
		return nil, 0, err
	}
	return data, file.Origin, nil
}

// Local returns the path on this machine of the file at a path in a profile. It ignores
// Options.Archive. The error is a *NotFoundError if there is none.
func (f *Finder) Local(path string) (string, Origin, error) {
	s := search{f: f, asked: path}
	c, _, err := s.run()
	if err != nil {
		return "", 0, err
	}
	return c.Found, c.Origin, nil
}

func (f *Finder) load(path string) (*File, []byte, error) {
	s := search{f: f, asked: path}
	if f.opt.Archive != nil {
		if data, ok := f.opt.Archive(path); ok {
			return &File{Path: path, Found: path, Origin: FromRecording}, data, nil
		}
		s.tried = append(s.tried, "the recording")
	}
	return s.run()
}

func splitLines(data []byte) []string {
	// One string for all lines, so that they share its memory.
	text := strings.TrimSuffix(string(data), "\n")
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// errNotSource is returned for a path outside all known roots that does not look like source.
// Without this check, a profile of a hostile target could make whet show any file of this machine,
// or add it to a recording.
var errNotSource = errors.New("not a source file by its name")

// isSource reports whether a file may be compiler input, judging by its name; that includes the
// input of generators that write //line directives.
func isSource(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".go", ".s", ".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tcc",
		".m", ".mm", ".asm", ".f", ".f90", ".f95", ".rs", ".swift", ".zig", ".d", ".y", ".l", ".rl",
		".tmpl", ".templ", ".gohtml", ".qtpl", ".gop", ".proto":
		return true
	}
	return false
}

// readRegular reads a regular file of at most limit bytes through open.
func readRegular(limit int64, stat func() (fs.FileInfo, error), open func() (*os.File, error)) ([]byte, error) {
	// Stat before opening: opening a pipe would wait for its writer.
	fi, err := stat()
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if fi.Size() > limit {
		return nil, fmt.Errorf("%d bytes, more than the limit of %d", fi.Size(), limit)
	}
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, fmt.Errorf("more than the limit of %d bytes", limit)
	}
	return buf.Bytes(), nil
}

// readIn reads the slash-separated path rel below dir. It does not leave dir, neither by ".." nor
// by symbolic links.
func (f *Finder) readIn(dir, rel string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return nil, fs.ErrInvalid
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	name := filepath.FromSlash(rel)
	return readRegular(f.opt.MaxBytes,
		func() (fs.FileInfo, error) { return root.Stat(name) },
		func() (*os.File, error) { return root.Open(name) })
}
