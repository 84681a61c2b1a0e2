package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/coverage"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// A writtenFile is the benchmarks written for the package in a directory of the module. They are in
// one file, because they share the makers of values.
type writtenFile struct {
	dir        string
	targets    []target
	captured   *captured.Calls   // calls that the program made
	after      *packages.Package // the package as it becomes; may be nil
	files      map[string][]byte // to overlay on the directory, by name
	hidden     []string          // files of the package's own tests, which do not build
	benchmarks []Benchmark
}

// A target is a changed function.
type target struct {
	function string // in the form of differ.FuncName
	returned bool   // the change is in a function literal
	callers  bool   // benchmarks of itself do not run the change
}

// install puts the files into the scratch copy while they are measured, hidden from tests and vet.
func (w *writtenFile) install(m *scratch.Module) error {
	for name, text := range w.files {
		if err := m.Write(path.Join(w.dir, name), text); err != nil {
			return err
		}
	}
	for _, name := range w.hidden {
		name = m.Path(path.Join(w.dir, name))
		if err := os.Rename(name, name+hiddenSuffix); err != nil {
			return err
		}
	}
	return nil
}

// hiddenSuffix follows the name of a hidden file.
const hiddenSuffix = ".hidden"

func (w *writtenFile) remove(m *scratch.Module) error {
	var errs []error
	for _, name := range w.hidden {
		name = m.Path(path.Join(w.dir, name))
		if err := os.Rename(name+hiddenSuffix, name); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	for name := range w.files {
		name = m.Path(path.Join(w.dir, name))
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		for dir := filepath.Dir(name); len(dir) > len(m.Dir) && os.Remove(dir) == nil; { // if it is empty
			dir = filepath.Dir(dir)
		}
	}
	return errors.Join(errs...)
}

// text returns the file worth reading.
func (w *writtenFile) text() string { return string(w.files[differ.BenchmarkFile]) }

// fileOf returns what a benchmark was written with; nil if it was not written.
func (s *Set) fileOf(b Benchmark) *writtenFile {
	if !b.written {
		return nil
	}
	return s.written[b.dir]
}

// A Change is what changes in a package.
type Change struct {
	Dir       string            // of the package, relative to the module
	Package   *packages.Package // as it is in the copy
	After     *packages.Package // as it becomes, for the words of inputs; may be nil
	Functions []Function
}

// A Function is a function of the copy that changes.
type Function struct {
	Decl  *ast.FuncDecl
	Lines find.Place // those that change
}

// Write writes benchmarks that run the changes, and returns at most most of them; why lists the reasons
// that others cannot be used. Find must have been called: its scope holds here, too.
func (s *Set) Write(
	ctx context.Context, changes []Change, r Recording, most int,
) (chosen []Benchmark, why []string, err error) {
	for _, c := range changes {
		w := &writtenFile{dir: c.Dir, captured: r.Captured, after: c.After}
		if before := s.written[c.Dir]; before != nil {
			w.targets = slices.Clone(before.targets)
		}
		var places []find.Place
		for _, fn := range c.Functions {
			places = append(places, fn.Lines)
			name := differ.FuncName(fn.Decl)
			w.targets = slices.DeleteFunc(w.targets, func(t target) bool { return t.function == name })
			returned := syntax.InLiteral(c.Package.Fset, fn.Decl, fn.Lines.Line, fn.Lines.EndLine)
			w.targets = append(w.targets, target{name, returned, false})
		}
		notes, err := s.writeFile(ctx, w, c.Package, places)
		if err != nil {
			return nil, nil, err
		}
		hits := covering(w.benchmarks, places)
		if len(hits) == 0 && w.ofCallers(&c) {
			if notes, err = s.writeFile(ctx, w, c.Package, places); err != nil {
				return nil, nil, err
			}
			hits = covering(w.benchmarks, places)
		}
		why = append(why, notes...)
		for _, b := range w.benchmarks {
			if !slices.ContainsFunc(hits, func(h Benchmark) bool { return h.name == b.name }) {
				why = append(why, b.missed)
			}
		}
		alike, others, err := s.onPath(ctx, w, hits, &c, r)
		if err != nil {
			return nil, nil, err
		}
		why = append(why, others...)
		chosen = append(chosen, Focused(alike, most)...)
	}
	return chosen[:min(len(chosen), most)], why, nil
}

// ofCallers selects callers of the functions of a change that are unexported, and reports whether there are some.
func (w *writtenFile) ofCallers(c *Change) (some bool) {
	for _, fn := range c.Functions {
		at := slices.IndexFunc(w.targets, func(t target) bool { return t.function == differ.FuncName(fn.Decl) })
		if at >= 0 && !fn.Decl.Name.IsExported() {
			w.targets[at].callers, some = true, true
		}
	}
	return some
}

// writeFile writes the benchmarks of a file's targets and determines what each runs, which should be one of the
// places. The notes say why some cannot be used.
func (s *Set) writeFile(
	ctx context.Context, w *writtenFile, pkg *packages.Package, places []find.Place,
) (notes []string, err error) {
	files, benchmarks, errs := differ.Benchmarks(pkg, w.after, w.in(pkg), w.captured)
	for _, err := range errs {
		notes = append(notes, err.Error())
	}
	if len(benchmarks) == 0 {
		return notes, nil
	}
	w.files, w.benchmarks = files, nil
	more, err := s.coverWritten(ctx, w, pkg, benchmarks, places)
	if err != nil {
		return nil, err
	}
	s.written[w.dir] = w
	return append(notes, more...), nil
}

// in returns the targets in the current version of their package.
func (w *writtenFile) in(pkg *packages.Package) (targets []differ.Target) {
	for _, t := range w.targets {
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && differ.FuncName(d) == t.function {
					targets = append(targets, differ.Target{Decl: d, Returned: t.returned, Callers: t.callers})
				}
			}
		}
	}
	return targets
}

// coverWritten has each benchmark choose its inputs, and records which code these run.
func (s *Set) coverWritten(ctx context.Context, w *writtenFile, pkg *packages.Package,
	benchmarks []differ.Benchmark, places []find.Place,
) (notes []string, err error) {
	temp, err := os.MkdirTemp(s.scratch.Temp, "written")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	flags := s.coverFlags("count", inModule(pkg)...) // without what the benchmarks are made of
	bin, err := s.compileWritten(ctx, w, pkg, temp, flags)
	if err != nil && ctx.Err() == nil && w.hide(s.scratch.Path(w.dir)) {
		bin, err = s.compileWritten(ctx, w, pkg, temp, flags)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		w.hidden = nil
		return []string{"the generated benchmark does not build: " + scratch.LastLines(err.Error())}, nil
	}
	picked := map[string]string{}
	for i, b := range benchmarks {
		chosen := filepath.Join(temp, strconv.Itoa(i))
		inputs, blocks, err := s.chooseInputs(ctx, bin, w.dir, b.Name, chosen, places)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			notes = append(notes, fmt.Sprintf("the generated benchmark for %s fails: %v", b.Function, err))
		case blocks == nil:
			notes = append(notes, fmt.Sprintf("%s panics or does not return on every input tried for a benchmark",
				b.Function))
		default:
			picked[b.Name] = string(inputs)
			w.benchmarks = append(w.benchmarks, Benchmark{
				pkg: pkg.PkgPath, name: b.Name, blocks: blocks, dir: w.dir, written: true, inputs: inputsText(string(inputs)),
				missed: fmt.Sprintf("the generated benchmark for %s does not run the changed lines", b.Function),
			})
		}
	}
	name, text := differ.Picked(pkg, picked)
	w.files[name] = text
	return notes, nil
}

// inModule returns the import paths of a package and those of its module that it depends on.
func inModule(pkg *packages.Package) []string {
	seen := map[*types.Package]bool{}
	var list []string
	var add func(p *types.Package)
	add = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		if p == pkg.Types || pkg.Module != nil && strings.HasPrefix(p.Path()+"/", pkg.Module.Path+"/") {
			list = append(list, p.Path())
		}
		for _, i := range p.Imports() {
			add(i)
		}
	}
	add(pkg.Types)
	return list
}

// chooseInputs has a benchmark choose its inputs, and returns them with what they run, which should be all of the
// places; nil if it finds none. They are typical ones, and others only for code of the places that those do not run:
// if they are what the program had, only where they run none of it.
func (s *Set) chooseInputs(
	ctx context.Context, bin *gotest.Binary, dir, name, file string, places []find.Place,
) (inputs []byte, blocks []coverage.Block, err error) {
	inputs, blocks, missed, err := s.inputsOf(ctx, bin, name, file)
	if err != nil {
		return nil, nil, err
	}
	reached := reach(blocks, places)
	if inputs != nil && reach(missed, places) == 0 || reached > 0 && isCaptured(string(inputs)) {
		return inputs, blocks, nil
	}
	env := []string{differ.UnusualEnv + "=" + file}
	if s.o.Corpus != nil {
		env = append(env, differ.CorpusEnv+"="+s.o.Corpus(dir))
	}
	more, unusual, _, err := s.inputsOf(ctx, bin, name, file+"-unusual", env...)
	if err == nil && reach(unusual, places) > reached {
		return s.fewer(ctx, bin, name, file+"-fewer", more, unusual, places)
	}
	return inputs, blocks, ctx.Err()
}

// mostUnusual is the number of unusual inputs that a benchmark goes through.
const mostUnusual = 16

// fewer returns the typical ones of some inputs and a few of the unusual ones, those that run most of the places: that
// half of them, again and again, which runs more.
func (s *Set) fewer(
	ctx context.Context, bin *gotest.Binary, name, file string, inputs []byte, blocks []coverage.Block,
	places []find.Place,
) ([]byte, []coverage.Block, error) {
	var typical, unusual []string
	for line := range strings.Lines(string(inputs)) {
		if strings.HasPrefix(line, "0 ") {
			unusual = append(unusual, line)
		} else {
			typical = append(typical, line)
		}
	}
	for len(unusual) > mostUnusual {
		best := -1
		half := len(unusual) / 2
		from := unusual
		for _, part := range [][]string{from[:half], from[half:]} {
			chosen := strings.Join(slices.Concat(typical, part), "")
			if err := os.WriteFile(file, []byte(chosen), 0o600); err != nil {
				return nil, nil, err
			}
			ran, _, err := s.coverOne(ctx, bin, name, []string{differ.ChosenEnv + "=" + file}, 1)
			if err != nil {
				return nil, nil, err
			}
			if n := reach(ran, places); n > best {
				best, unusual, inputs, blocks = n, part, []byte(chosen), ran
			}
		}
	}
	return inputs, blocks, nil
}

// inputsOf has a benchmark choose its inputs, which it writes to a file, and returns them with what they run, and what
// they do not; nil if it finds none.
func (s *Set) inputsOf(ctx context.Context, bin *gotest.Binary, name, file string, env ...string) (
	inputs []byte, ran, missed []coverage.Block, err error,
) {
	env = append(env, differ.ChosenEnv+"="+file)
	if _, _, err = s.coverOne(ctx, bin, name, env, 1); err != nil {
		return nil, nil, nil, err
	}
	if inputs, _ = os.ReadFile(file); len(inputs) == 0 { // it writes none if it finds none
		return nil, nil, nil, nil
	}
	ran, missed, err = s.coverOne(ctx, bin, name, env, 1)
	return inputs, ran, missed, err
}

// reach counts the blocks that have a line of the places.
func reach(blocks []coverage.Block, places []find.Place) (n int) {
	for _, b := range blocks {
		if isIn(b, places) {
			n++
		}
	}
	return n
}

// isCaptured reports whether chosen inputs are those of calls that the program made.
func isCaptured(chosen string) bool { return strings.HasPrefix(chosen, "-") }

// hide reports whether the package's directory has tests, and leaves them out: they may be why the benchmarks do not
// build.
func (w *writtenFile) hide(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is valid
	w.hidden = nil
	for _, name := range names {
		if name = filepath.Base(name); w.files[name] == nil {
			w.hidden = append(w.hidden, name)
		}
	}
	return len(w.hidden) > 0
}

// overlay returns the files by their names in the directory; nil for hidden ones.
func (w *writtenFile) overlay() map[string][]byte {
	files := maps.Clone(w.files)
	for _, name := range w.hidden {
		files[name] = nil
	}
	return files
}

// compileWritten builds the tests of a package with its written benchmarks, in a temporary directory.
func (s *Set) compileWritten(
	ctx context.Context, w *writtenFile, pkg *packages.Package, temp string, flags []string,
) (*gotest.Binary, error) {
	src := gotest.Source{Dir: s.scratch.Dir, Env: s.o.Env, Overlay: map[string]string{}, Flags: flags}
	dir := s.scratch.Path(w.dir)
	for _, name := range w.hidden {
		src.Overlay[filepath.Join(dir, name)] = ""
	}
	for name, text := range w.files {
		file := filepath.Join(temp, strconv.Itoa(len(src.Overlay))+".go")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, err
		}
		src.Overlay[filepath.Join(dir, name)] = file
	}
	return gotest.Compile(ctx, src, gotest.Package{ImportPath: pkg.PkgPath, Dir: dir},
		filepath.Join(temp, "written.test"))
}

// capturedInputs describes inputs that the program had.
const capturedInputs = "captured inputs"

// inputsText describes the inputs that a generated benchmark has chosen: lines with a size (or, negative, the number of
// a captured call), a seed and what the arguments are, quoted.
func inputsText(chosen string) string {
	n, example, kind := 0, "", "generated inputs"
	for line := range strings.Lines(chosen) {
		n++
		switch {
		case isCaptured(line):
			kind = capturedInputs
		case strings.HasPrefix(line, "0 "):
			kind = "generated inputs, some of them unusual"
		}
		if _, quoted, ok := strings.Cut(line, `"`); ok && len(quoted) > len(example) {
			example = quoted
		}
	}
	text := fmt.Sprintf("%d %s", n, kind)
	if shown, err := strconv.Unquote(`"` + strings.TrimSpace(example)); err == nil && shown != "" {
		text += ", such as " + shown
	}
	return text
}
