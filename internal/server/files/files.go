package files

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
)

// A Kind is what a file contains.
type Kind string

// The kinds of files that whet shows.
const (
	Recording Kind = "recording"
	Profile   Kind = "profile"
	Trace     Kind = "trace"
	Load      Kind = "load"     // result of whet load --json
	Findings  Kind = "findings" // result of whet find --json
	Bench     Kind = "bench"    // output of go test -bench, or result of whet bench --json
	Proof     Kind = "proof"    // result of whet prove --json
	Fixes     Kind = "fixes"    // result of whet fix --json
)

// Limits of a listing.
const (
	maxDepth = 6
	maxFiles = 5000
	headSize = 512
)

// maxDropped is the size of the largest file that Create accepts, in bytes.
const maxDropped = 4 << 30

// A File is a file that can be shown.
type File struct {
	// Name identifies the file: its path in its root, after the name of the root if there are
	// several.
	Name     string    `json:"name"`
	Kind     Kind      `json:"kind"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	// Created is when a recording began, which is earlier than Modified in a copy; zero if it is not
	// known. A recording that is still being written does not have it.
	Created time.Time `json:"created,omitzero"`
	// Dropped is set for files that were dropped on the page. They are kept until the server ends.
	Dropped bool `json:"dropped,omitempty"`
}

// A Set is the files of all roots.
type Set struct {
	roots []*root
	temps []string // directories that Close removes

	mu    sync.Mutex
	kinds map[string]described // by path
}

// A root is a named directory, or the directory of a named file.
type root struct {
	label   string // prefix of names, without a slash; "" for the only root
	dir     string // absolute
	only    string // the only file in it; "" for all
	fs      *os.Root
	dropped bool
	fetched *fetched // nil: its files are there
}

type described struct {
	size     int64
	modified time.Time
	kind     Kind
	created  time.Time
}

// Open opens the directories and files in args.
func Open(args []string) (*Set, error) {
	s := &Set{kinds: map[string]described{}}
	for _, arg := range args {
		if err := s.add(arg); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if len(s.roots) > 1 {
		taken := map[string]bool{}
		for _, r := range s.roots {
			if r.only != "" {
				continue // by their own names
			}
			r.label = unique(filepath.Base(r.dir), taken)
		}
	}
	return s, nil
}

// unique returns name, with a number after it if it is taken, and takes it.
func unique(name string, taken map[string]bool) string {
	found := name
	for n := 2; taken[found]; n++ {
		found = name + "-" + strconv.Itoa(n)
	}
	taken[found] = true
	return found
}

func (s *Set) add(arg string) error {
	abs, err := filepath.Abs(arg)
	if err != nil {
		return err
	}
	fi, err := os.Stat(abs)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return &diag.Error{
			Op: "open", Subject: arg, Err: err, Kind: diag.Usage,
			Hint: "name recordings, profiles, directories that contain them, or addresses that begin with http://",
		}
	}
	r := &root{dir: abs}
	if !fi.IsDir() {
		r.dir, r.only = filepath.Dir(abs), filepath.Base(abs)
	}
	if r.fs, err = os.OpenRoot(r.dir); err != nil {
		return &diag.Error{Op: "open", Subject: arg, Err: err}
	}
	s.roots = append(s.roots, r)
	return nil
}

// Close closes the roots, and removes the files that were dropped.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, r := range s.roots {
		errs = append(errs, r.fs.Close())
	}
	s.roots = nil
	for _, dir := range s.temps {
		errs = append(errs, os.RemoveAll(dir))
	}
	s.temps = nil
	return errors.Join(errs...)
}

// all returns the roots.
func (s *Set) all() []*root {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.roots)
}

// when returns the time by which files are listed.
func (f *File) when() time.Time {
	if f.Created.IsZero() {
		return f.Modified
	}
	return f.Created
}

// List returns the files, newest first: recordings by when they began, others by when they were last
// written. complete is false if there are more than it lists.
func (s *Set) List() (list []File, complete bool) {
	complete = true
	list = []File{}
	names := map[string]bool{}
	for _, r := range s.all() {
		if !s.list(r, func(f File) bool {
			if names[f.Name] {
				return true // a file that was named twice
			}
			names[f.Name] = true
			list = append(list, f)
			return len(list) < maxFiles
		}) {
			complete = false
		}
	}
	slices.SortStableFunc(list, func(a, b File) int {
		return cmp.Or(b.when().Compare(a.when()), strings.Compare(a.Name, b.Name))
	})
	return list, complete
}

// list calls each with the files of a root until it returns false. It reports whether each never did.
func (s *Set) list(r *root, each func(File) bool) bool {
	if r.only != "" {
		f, ok := s.describe(r, r.only)
		return !ok || each(f)
	}
	more := true
	// What cannot be read is left out: a directory of another user in a shared one.
	_ = fs.WalkDir(r.fs.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil && e != nil && e.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil
		case e.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "node_modules" ||
			strings.Count(name, "/") >= maxDepth):
			return fs.SkipDir
		case !e.Type().IsRegular() || !candidate(base):
			return nil
		}
		if f, ok := s.describe(r, name); ok && !each(f) {
			more = false
			return fs.SkipAll
		}
		return nil
	})
	return more
}

// candidate reports whether a file may be one that whet shows, by its name.
func candidate(base string) bool {
	switch strings.ToLower(path.Ext(base)) {
	case ".whet", ".partial", ".pprof", ".prof", ".pb", ".gz", ".pgo", ".out", ".trace", ".json", ".txt", ".bench":
		return !strings.HasPrefix(base, ".")
	}
	return false
}

// describe returns what a file of a root is; false if it is nothing that whet shows.
func (s *Set) describe(r *root, name string) (File, bool) {
	fi, err := r.fs.Stat(filepath.FromSlash(name))
	if err != nil || !fi.Mode().IsRegular() {
		return File{}, false
	}
	key := filepath.Join(r.dir, name)
	s.mu.Lock()
	known, ok := s.kinds[key]
	s.mu.Unlock()
	if !ok || known.size != fi.Size() || !known.modified.Equal(fi.ModTime()) {
		known = described{size: fi.Size(), modified: fi.ModTime()}
		if f, err := r.fs.Open(filepath.FromSlash(name)); err == nil {
			head := make([]byte, headSize)
			n, _ := io.ReadFull(f, head)
			known.kind = kindOf(name, head[:n])
			if known.kind == Recording && !strings.HasSuffix(name, recording.PartialSuffix) {
				known.created = createdIn(f, fi.Size())
			}
			_ = f.Close() // was only read
		}
		s.mu.Lock()
		s.kinds[key] = known
		s.mu.Unlock()
	}
	if known.kind == "" {
		return File{}, false
	}
	return File{
		Name: path.Join(r.label, name), Kind: known.kind, Bytes: known.size, Modified: known.modified.UTC(),
		Created: known.created, Dropped: r.dropped,
	}, true
}

// maxRead is how much of a recording may be read to learn when it began, in bytes. A damaged one of
// any size would be read to its end.
const maxRead = 16 << 20

// createdIn returns when a recording began; zero if it does not say.
func createdIn(f io.ReaderAt, size int64) time.Time {
	rec, err := recording.NewReader(&limited{f, maxRead}, size)
	if err != nil {
		return time.Time{}
	}
	return rec.Meta().Created.UTC()
}

// limited reads at most left bytes in all.
type limited struct {
	io.ReaderAt
	left int
}

func (l *limited) ReadAt(p []byte, off int64) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("enough was read")
	}
	return l.ReaderAt.ReadAt(p, off)
}

// benchSchema matches the schemas of results of whet bench that have a page.
var benchSchema = regexp.MustCompile(`"whet\.bench-(run|compare|ab|history)/`)

// kindOf tells what a file is by its name and its first bytes; "" is nothing that whet shows.
func kindOf(name string, head []byte) Kind {
	ext := strings.ToLower(path.Ext(name))
	trimmed := bytes.TrimSpace(head)
	switch {
	case recording.IsRecording(head):
		if ext == ".whet" || strings.HasSuffix(name, ".whet"+recording.PartialSuffix) || ext == ".gz" {
			return Recording
		}
		return ""
	case bytes.HasPrefix(head, []byte("go 1.")) && bytes.Contains(head[:min(len(head), 16)], []byte(" trace")):
		return Trace
	case bytes.HasPrefix(trimmed, []byte("{")):
		switch {
		case bytes.Contains(head, []byte(`"whet.prove/`)):
			return Proof
		case bytes.Contains(head, []byte(`"whet.fix/`)):
			return Fixes
		case bytes.Contains(head, []byte(`"whet.load/`)):
			return Load
		case bytes.Contains(head, []byte(`"whet.find/`)):
			return Findings
		case benchSchema.Match(head):
			return Bench
		}
		return ""
	case bytes.Contains(head, []byte("\nBenchmark")) || bytes.HasPrefix(head, []byte("goos: ")):
		return Bench
	case ext == ".gz" && !bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return ""
	case ext == ".gz" && !strings.HasSuffix(name, ".pb.gz") && !strings.HasSuffix(name, ".pprof.gz") &&
		!strings.Contains(path.Base(name), "pprof") && !strings.Contains(path.Base(name), "prof"):
		return ""
	}
	switch ext {
	case ".gz", ".pprof", ".prof", ".pb", ".pgo":
		return Profile
	case ".out":
		if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
			return Profile // as go test -cpuprofile cpu.out writes
		}
	}
	return ""
}

// Path returns the path of a file by its name, for OpenFile. It returns an error if there is no such
// file.
func (s *Set) Path(name string) (string, error) {
	for _, r := range s.all() {
		rel := name
		if r.label != "" {
			var ok bool
			if rel, ok = strings.CutPrefix(name, r.label+"/"); !ok {
				continue
			}
		}
		if r.only != "" && rel != r.only || !fs.ValidPath(rel) || rel == "." {
			continue
		}
		if r.fetched != nil {
			return s.fetch(r, rel)
		}
		if fi, err := r.fs.Stat(filepath.FromSlash(rel)); err == nil && fi.Mode().IsRegular() {
			return filepath.Join(r.dir, filepath.FromSlash(rel)), nil
		}
	}
	return "", &diag.Error{
		Op: "open", Subject: strconv.Quote(name), Err: fs.ErrNotExist, Kind: diag.Usage,
		Hint: "the page of files lists what there is; name other directories when the server starts",
	}
}

// OpenFile opens a file by its path, if it is in one of the roots.
func (s *Set) OpenFile(name string) (*os.File, error) {
	for _, r := range s.all() {
		rel, err := filepath.Rel(r.dir, name)
		if err != nil || !filepath.IsLocal(rel) || r.only != "" && rel != r.only {
			continue
		}
		f, err := r.fs.Open(rel)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Plain returns text without the paths of the roots, which visitors need not know.
func (s *Set) Plain(text string) string {
	for _, r := range s.all() {
		text = strings.ReplaceAll(text, r.dir+string(filepath.Separator), "")
	}
	return text
}

// maxSource is the size of the largest source file that Source reads, in bytes.
const maxSource = 16 << 20

// Source returns a Go or assembly file in a directory that was named at the start, by its path in a
// profile, and its path in the directory. module is the path of the program's main module; "" if it
// is not known.
func (s *Set) Source(file, module string) (text []byte, found string, ok bool) {
	file = filepath.ToSlash(file)
	if ext := path.Ext(file); ext != ".go" && ext != ".s" {
		return nil, "", false
	}
	for _, r := range s.all() {
		if r.only != "" || r.dropped {
			continue
		}
		for _, rel := range sourceNames(r.dir, file, module) {
			f, err := r.fs.Open(filepath.FromSlash(rel))
			if err != nil {
				continue
			}
			text, err := io.ReadAll(io.LimitReader(f, maxSource))
			_ = f.Close() // was only read
			if err == nil && len(text) < maxSource {
				return text, rel, true
			}
		}
	}
	return nil, "", false
}

// sourceNames returns where in a directory a file may be that a profile names, the most certain
// first.
func sourceNames(dir, file, module string) []string {
	var names []string
	add := func(name string) {
		if fs.ValidPath(name) && name != "." {
			names = append(names, name)
		}
	}
	if rel, ok := strings.CutPrefix(file, filepath.ToSlash(dir)+"/"); ok {
		add(rel)
	}
	if module != "" {
		if rel, ok := strings.CutPrefix(file, module+"/"); ok { // built with -trimpath
			add(rel)
		}
	}
	// The ends of the path, with at least the directory: a name alone would match anything.
	elements := strings.Split(strings.TrimPrefix(path.Clean(file), "/"), "/")
	for i := 1; i+1 < len(elements); i++ {
		add(path.Join(elements[i:]...))
	}
	return names
}

// Create writes a file that the user dropped on the page, and returns its name.
func (s *Set) Create(name string, content io.Reader) (string, error) {
	base := filepath.Base(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
	if !candidate(base) || !filepath.IsLocal(base) {
		return "", &diag.Error{
			Op: "add", Subject: strconv.Quote(base), Err: errors.New("whet does not show files of this name"),
			Hint: "recordings end in .whet, profiles in .pb.gz, .pprof or .prof, traces in .out or .trace", Kind: diag.Usage,
		}
	}
	r, err := s.dropRoot()
	if err != nil {
		return "", err
	}
	f, err := create(r.fs, base)
	if err != nil {
		return "", fmt.Errorf("add %q: %w", base, err)
	}
	at := filepath.Base(f.Name())
	n, err := io.Copy(f, io.LimitReader(content, maxDropped+1))
	if err == nil && n > maxDropped {
		err = errors.New("the file is too large")
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("add %q: %w", base, err), r.fs.Remove(at))
	}
	if d, ok := s.describe(r, at); ok {
		return d.Name, nil
	}
	return "", errors.Join(&diag.Error{
		Op: "add", Subject: strconv.Quote(base), Kind: diag.Usage, Err: errors.New("neither a recording nor a profile"),
		Hint: "`whet record` makes recordings; /debug/pprof/profile answers with a profile; results of whet find, fix, " +
			"prove, load and bench with --json are shown, too",
	}, r.fs.Remove(at))
}

// create creates a file that does not exist yet, with a number before its extension if it must.
func create(dir *os.Root, base string) (*os.File, error) {
	stem, ext, _ := strings.Cut(base, ".")
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d.%s", stem, n, ext)
		}
		f, err := dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !errors.Is(err, fs.ErrExist) || n > maxFiles {
			return f, err
		}
	}
}

// dropRoot returns the root of dropped files, and creates it the first time.
func (s *Set) dropRoot() (*root, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.roots {
		if r.dropped && r.fetched == nil {
			return r, nil
		}
	}
	return s.addTemp(&root{label: "dropped", dropped: true})
}

// addTemp adds a root in a temporary directory. The lock is held.
func (s *Set) addTemp(r *root) (_ *root, err error) {
	if r.dir, err = os.MkdirTemp("", "whet-ui-*"); err != nil {
		return nil, err
	}
	if r.fs, err = os.OpenRoot(r.dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	s.temps, s.roots = append(s.temps, r.dir), append(s.roots, r)
	return r, nil
}

// RecordPath returns the path and the name of a new recording: in the first directory that was named
// at the start, or with the dropped files. at is part of the name.
func (s *Set) RecordPath(program string, at time.Time) (file, name string, err error) {
	var r *root
	for _, candidate := range s.all() {
		if candidate.only == "" && !candidate.dropped {
			r = candidate
			break
		}
	}
	if r == nil {
		if r, err = s.dropRoot(); err != nil {
			return "", "", err
		}
	}
	stem := program + "-" + at.Format("20060102-150405")
	for n := 1; n < maxFiles; n++ {
		base := stem + ".whet"
		if n > 1 {
			base = fmt.Sprintf("%s-%d.whet", stem, n)
		}
		if _, err := r.fs.Lstat(base); errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(r.dir, base), path.Join(r.label, base), nil
		}
	}
	return "", "", fmt.Errorf("record to %s: %w", stem, fs.ErrExist)
}

// Dirs returns the directories that were named at the start.
func (s *Set) Dirs() []string {
	var dirs []string
	for _, r := range s.all() {
		if r.only == "" && !r.dropped {
			dirs = append(dirs, r.dir)
		}
	}
	return dirs
}
