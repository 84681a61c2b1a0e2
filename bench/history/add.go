package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/bench"
)

// Keys of a file, in addition to those of go test (goos, goarch, pkg, cpu).
const (
	keyCommit     = "commit"      // full hash
	keyTime       = "commit-time" // RFC 3339, UTC
	keyDirty      = "dirty"       // "true", or absent
	keyBase       = "base-commit" // full hash of the commit measured alongside
	keyGo         = "go"          // version of the toolchain
	keySide       = "toolchain"   // of results, as golang.org/x/perf/benchseries has it
	sideBase      = "baseline"
	sideCommit    = "experiment"
	keyAB         = "side" // of results of whet bench with two builds
	sideA, sideB  = "a", "b"
	changedMark   = "+changes"         // after a commit, in files of whet bench
	fileTime      = "20060102T150405Z" // of a file's name
	shortHash     = 12
	maxRun        = 64 << 20 // bytes of a file
	maxRunsOfOne  = 10_000   // of a commit
	fileExtension = ".txt"
)

// A Filing configures [Add]: which results to store, and where.
type Filing struct {
	Dir    string   // receives the files; created if missing
	Inputs []string // files, each a run; "-" is Stdin
	Stdin  io.Reader
	// Base is a file with results of another commit, measured together with the only input; "" when
	// there are none. BaseCommit is that commit's name. Files of whet bench with two builds contain
	// both sides: side a is the base. Its commit is the one that the file names, or else
	// BaseCommit.
	Base, BaseCommit string

	Repository string // a directory in the repository; "" means the working directory
	// Commit is a name of the measured commit; "" means HEAD, and then the working tree must not
	// differ from it unless Dirty is set.
	Commit string
	Dirty  bool   // mark the results as of a changed tree
	Go     string // version, where the results lack it; "" means unknown
}

// A DirtyError is Add's error when the working tree differs from the commit.
type DirtyError struct{ Files []string }

// Error names the first file that differs, and the number of others.
func (e *DirtyError) Error() string {
	text := "the working tree differs from the commit in " + e.Files[0]
	if n := len(e.Files) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// ErrNoResults is Add's error when an input has no results.
var ErrNoResults = errors.New("no benchmark results")

// ErrOtherCommit is Add's error when results name another commit. ErrChanged is its error when they
// are of uncommitted changes and Dirty is not set.
var (
	ErrOtherCommit = errors.New("the results are of another commit")
	ErrChanged     = errors.New("the results are of uncommitted changes")
)

// ErrNoBase is Add's error when results of two builds do not name the commit of A.
var ErrNoBase = errors.New("the results do not name the commit of side a")

// ErrAlone is Add's error when BaseCommit is set but there are no results of a base.
var ErrAlone = errors.New("no results of a base")

// ErrFiled is Add's error when a file with the same content exists.
var ErrFiled = errors.New("the same results are already stored")

// Add stores results of a commit. It returns the paths of the new files, and warnings about lines
// that it skipped. It never replaces a file. If one of the inputs cannot be read, it stores
// nothing.
func Add(ctx context.Context, f Filing) (paths []string, warnings bench.Warnings, err error) {
	defer func() { err = hinted(err) }()
	if f.Base != "" && len(f.Inputs) != 1 {
		return nil, nil, fmt.Errorf("a base belongs to one file of results, not to %d", len(f.Inputs))
	}
	commit, err := f.commit(ctx)
	if err != nil {
		return nil, nil, err
	}
	base := ""
	if f.BaseCommit != "" {
		c, err := resolve(ctx, f.Repository, f.BaseCommit)
		if err != nil {
			return nil, nil, err
		}
		base = c.Hash
	}
	var runs [][]byte
	for _, in := range f.Inputs {
		run, w, err := f.run(in, commit, base)
		if err != nil {
			return nil, nil, err
		}
		runs, warnings = append(runs, run), append(warnings, w...)
	}
	if err := os.MkdirAll(f.Dir, 0o755); err != nil {
		return nil, nil, err
	}
	for i, run := range runs {
		if err := ctx.Err(); err != nil {
			return paths, warnings, err
		}
		path, err := file(f.Dir, commit, run)
		if err != nil {
			return paths, warnings, fmt.Errorf("file %s: %w", f.Inputs[i], err)
		}
		paths = append(paths, path)
	}
	return paths, warnings, nil
}

// Measured returns the commit of measurements: the one that a reference names, or HEAD, from which the working
// tree must then not differ except in the given files. repository is a directory in it; "" means the working
// directory. Errors are those of Add.
func Measured(ctx context.Context, repository, ref string, except []string) (c Commit, err error) {
	defer func() { err = hinted(err) }()
	f := Filing{Repository: repository, Commit: ref}
	return f.committed(ctx, except)
}

// commit identifies what was measured.
func (f *Filing) commit(ctx context.Context) (Commit, error) {
	return f.committed(ctx, append([]string{f.Dir}, f.Inputs...))
}

func (f *Filing) committed(ctx context.Context, except []string) (Commit, error) {
	ref := f.Commit
	if ref == "" {
		ref = "HEAD"
	}
	c, err := resolve(ctx, f.Repository, ref)
	if err != nil {
		return c, err
	}
	c.Dirty = f.Dirty
	if f.Commit != "" || f.Dirty {
		return c, nil
	}
	files, err := uncommitted(ctx, f.Repository, except)
	if err != nil {
		return c, err
	}
	if len(files) > 0 {
		return c, &DirtyError{files}
	}
	return c, nil
}

// run reads the results of a run and writes them in the form of the new file.
func (f *Filing) run(path string, c Commit, base string) (file []byte, warnings bench.Warnings, err error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s: %s\n%s: %s\n", keyCommit, c.Hash, keyTime, c.Time.UTC().Format(time.RFC3339))
	if c.Dirty {
		fmt.Fprintf(&out, "%s: true\n", keyDirty)
	}
	if base != "" {
		fmt.Fprintf(&out, "%s: %s\n", keyBase, base)
	}
	w := &runWriter{
		out: &out, units: map[benchfmt.UnitMetadataKey]bool{}, known: map[string]string{}, commit: c.Hash, base: base,
		dirty: c.Dirty, inHead: base != "", version: f.Go,
	}
	if f.Base != "" {
		text, err := read(f.Base, nil)
		if err != nil {
			return nil, nil, err
		}
		if err := w.copy(text, f.Base, sideBase); err != nil {
			return nil, nil, err
		}
	}
	text, err := read(path, f.Stdin)
	if err != nil {
		return nil, nil, err
	}
	side := ""
	if f.Base != "" {
		side = sideCommit
	}
	if err := w.copy(text, name(path), side); err != nil {
		return nil, nil, err
	}
	if base != "" && !w.based {
		return nil, nil, fmt.Errorf("%s: %w", name(path), ErrAlone)
	}
	return out.Bytes(), w.warnings, nil
}

func name(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// read reads a file, or standard input, of at most maxRun bytes.
func read(path string, stdin io.Reader) ([]byte, error) {
	from := stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("read benchmarks: %w", err)
		}
		defer func() { _ = file.Close() }() // only read
		from = file
	}
	if from == nil {
		return nil, errors.New("read benchmarks: no standard input")
	}
	text, err := io.ReadAll(io.LimitReader(from, maxRun+1))
	if err != nil {
		return nil, fmt.Errorf("read benchmarks %s: %w", name(path), err)
	}
	if len(text) > maxRun {
		return nil, fmt.Errorf("read benchmarks %s: more than %d MiB", name(path), maxRun>>20)
	}
	return text, nil
}

// A runWriter writes results with the keys that they need.
type runWriter struct {
	out                   *bytes.Buffer
	units                 map[benchfmt.UnitMetadataKey]bool
	known                 map[string]string // keys set so far in out
	commit, base, version string
	dirty                 bool
	inHead                bool // the head of the file names the base
	based                 bool // there are results of the base
	warnings              bench.Warnings
}

// maxWarnings bounds the warnings about lines of one input.
const maxWarnings = 20

// copy writes the results of a text. side is the side that they belong to; "" leaves what the text
// says.
func (w *runWriter) copy(text []byte, from, side string) error {
	r := benchfmt.NewReader(bytes.NewReader(text), from)
	results := 0
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			if len(w.warnings) < maxWarnings {
				file, line := rec.Pos()
				w.warnings = append(w.warnings, bench.Warning{Where: fmt.Sprintf("%s:%d", file, line), Text: rec.Msg})
			}
		case *benchfmt.UnitMetadata:
			if !w.units[rec.UnitMetadataKey] {
				w.units[rec.UnitMetadataKey] = true
				fmt.Fprintf(w.out, "Unit %s %s=%s\n", rec.OrigUnit, rec.Key, rec.Value)
			}
		case *benchfmt.Result:
			if err := w.result(rec, side); err != nil {
				return err
			}
			results++
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("read benchmarks: after %w", err)
	}
	if results == 0 {
		return fmt.Errorf("read benchmarks %s: %w", from, ErrNoResults)
	}
	return nil
}

// result writes a result, after the keys that differ from those of the previous one.
func (w *runWriter) result(r *benchfmt.Result, side string) error {
	want := map[string]string{}
	for _, c := range r.Config {
		want[c.Key] = string(c.Value)
	}
	if side == "" {
		switch want[keyAB] {
		case sideA:
			if side = sideBase; w.base == "" {
				w.base = want[keyCommit]
			}
			if w.base == "" {
				return ErrNoBase
			}
		case sideB:
			side = sideCommit
		}
		if side != "" {
			delete(want, keyAB)
		}
	}
	of := w.commit
	if side == sideBase {
		of, w.based = w.base, true
	}
	is, changed := strings.CutSuffix(want[keyCommit], changedMark)
	if file, line := r.Pos(); is != "" && is != of {
		return fmt.Errorf("%s:%d: %w, %s, not %s", file, line, ErrOtherCommit, is, of)
	} else if changed && !w.dirty {
		return fmt.Errorf("%s:%d: %w", file, line, ErrChanged)
	}
	// Keys in the head of the file are not repeated.
	for _, key := range []string{keyCommit, keyTime, keyDirty} {
		delete(want, key)
	}
	if side != "" {
		want[keySide] = side
		want[keyBase] = w.base
	}
	if w.inHead || want[keyBase] == "" {
		delete(want, keyBase)
	}
	if want[keyGo] == "" && w.version != "" {
		want[keyGo] = w.version
	}
	for _, key := range keysOf(w.known) {
		if _, ok := want[key]; !ok {
			fmt.Fprintf(w.out, "%s:\n", key) // deletes it
			delete(w.known, key)
		}
	}
	for _, key := range keysOf(want) {
		if w.known[key] != want[key] {
			fmt.Fprintf(w.out, "%s: %s\n", key, want[key])
			w.known[key] = want[key]
		}
	}
	fmt.Fprintf(w.out, "Benchmark%s %d", r.Name, r.Iters)
	for _, v := range r.Values {
		value, unit := v.Value, v.Unit
		if v.OrigUnit != "" {
			value, unit = v.OrigValue, v.OrigUnit
		}
		fmt.Fprintf(w.out, " %v %s", value, unit)
	}
	w.out.WriteByte('\n')
	return nil
}

// file writes a new file for a run of a commit and returns its path.
func file(dir string, c Commit, run []byte) (string, error) {
	stem := filepath.Join(dir, c.Time.UTC().Format(fileTime)+"-"+c.Hash[:min(len(c.Hash), shortHash)])
	if c.Dirty {
		stem += "-dirty"
	}
	for n := 1; n <= maxRunsOfOne; n++ {
		path := stem + fileExtension
		if n > 1 {
			path = fmt.Sprintf("%s-%d%s", stem, n, fileExtension)
		}
		out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, run) {
				return "", fmt.Errorf("%w as %s", ErrFiled, path)
			}
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = out.Write(run)
		if err = errors.Join(err, out.Close()); err != nil {
			return "", errors.Join(err, os.Remove(path))
		}
		return path, nil
	}
	return "", fmt.Errorf("%d runs of the commit exist", maxRunsOfOne)
}

// runName matches the files that Add writes.
var runName = regexp.MustCompile(`^\d{8}T\d{6}Z-[0-9a-f]{4,64}(-dirty)?(-\d+)?\.txt$`)

func keysOf(m map[string]string) []string {
	return sortedKeys(m, strings.Compare)
}
