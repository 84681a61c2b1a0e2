package fix

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/driver"
	"github.com/whet-go/whet/fix/differ"
	"github.com/whet-go/whet/fix/written"
)

// A writtenFile is the benchmarks that were written for the package in a folder of the module. They
// are in one file, as they share the makers of values.
type writtenFile struct {
	dir     string
	targets []target
	files   map[string][]byte // to lay over the folder, by name
}

// A target is a function and the place in it that matters.
type target struct {
	function string // as differ.FuncName has it
	place    find.Place
}

// lay adds the file to what is laid over the module.
func (w *writtenFile) lay(files map[string][]byte) map[string][]byte {
	if files == nil {
		files = map[string][]byte{}
	}
	for name, text := range w.files {
		files[path.Join(w.dir, name)] = text
	}
	return files
}

// text is what is worth reading of it.
func (w *writtenFile) text() string { return string(w.files[written.FileName]) }

// write writes benchmarks that reach some places, and adds them to what is reached. The error says
// why there are none.
func (f *fixer) write(ctx context.Context, places []find.Place) error {
	var why []string
	for _, dir := range placesDirs(places) {
		notes, err := f.writeFor(ctx, dir, places)
		if err != nil {
			return err
		}
		why = append(why, notes...)
	}
	if len(choose(f.reached, places)) > 0 || len(why) == 0 {
		return nil
	}
	return fmt.Errorf("%w; %s", errNoBenchmark, strings.Join(why, "; "))
}

// writeFor writes the benchmarks of a folder anew, with more functions. The notes say what came of
// those that do not reach a place.
func (f *fixer) writeFor(ctx context.Context, dir string, places []find.Place) (notes []string, err error) {
	pkgs, err := driver.Load(ctx, driver.Options{Dir: f.scratch.dir, Flags: f.o.Flags, Env: f.o.Env}, "./"+dir)
	if err != nil {
		return nil, err
	}
	if len(pkgs) != 1 || pkgs[0].IllTyped {
		return nil, fmt.Errorf("the package in %s cannot be loaded", dir)
	}
	pkg := pkgs[0]
	w := &writtenFile{dir: dir}
	if before := f.written[dir]; before != nil {
		w.targets = slices.Clone(before.targets)
	}
	for _, p := range places {
		for _, d := range f.funcsAt(pkg, []find.Place{p}) {
			t := target{differ.FuncName(d), p}
			if !slices.ContainsFunc(w.targets, func(x target) bool { return x.function == t.function }) {
				w.targets = append(w.targets, t)
			}
		}
	}
	files, benchmarks, errs := written.Generate(pkg, w.generated(pkg))
	for _, err := range errs {
		notes = append(notes, err.Error())
	}
	if len(benchmarks) == 0 {
		return notes, nil
	}
	w.files = files
	reached, more, err := f.coverWritten(ctx, w, pkg, benchmarks)
	if err != nil {
		return nil, err
	}
	f.reached = slices.DeleteFunc(f.reached, func(r reach) bool { return r.written == dir })
	f.reached = append(f.reached, reached...)
	if f.written == nil {
		f.written = map[string]*writtenFile{}
	}
	f.written[dir] = w
	return append(notes, more...), nil
}

// generated are the targets as their package is now.
func (w *writtenFile) generated(pkg *packages.Package) (targets []written.Target) {
	for _, t := range w.targets {
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && differ.FuncName(d) == t.function {
					targets = append(targets, written.Target{Decl: d, Line: t.place.Line, EndLine: t.place.EndLine})
				}
			}
		}
	}
	return targets
}

// coverWritten runs each benchmark that was written once, and notes which code it runs when it is
// measured.
func (f *fixer) coverWritten(ctx context.Context, w *writtenFile, pkg *packages.Package, benchmarks []written.Benchmark) (reached []reach, notes []string, err error) {
	temp, err := os.MkdirTemp(f.scratch.temp, "written")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	src := gotest.Source{
		Dir: f.scratch.dir, Env: f.o.Env, Overlay: map[string]string{},
		Flags: slices.Concat(f.o.Flags, []string{"-cover", "-coverpkg=./...", "-covermode=atomic"}), // atomic counters can be cleared
	}
	folder := f.scratch.path(w.dir)
	for name, text := range w.files {
		file := filepath.Join(temp, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, nil, err
		}
		src.Overlay[filepath.Join(folder, name)] = file
	}
	bin, err := gotest.Compile(ctx, src, gotest.Package{ImportPath: pkg.PkgPath, Dir: folder}, filepath.Join(temp, strconv.Itoa(len(w.targets))+".test"))
	if err != nil {
		return nil, []string{"what was written does not build: " + lastLines(err.Error())}, ctx.Err()
	}
	for _, b := range benchmarks {
		blocks, out, err := f.coverOne(ctx, bin, b.Name)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			notes = append(notes, fmt.Sprintf("a benchmark that whet wrote for %s fails: %v", b.Function, err))
		case !strings.Contains(out, b.Name+"/size="):
			notes = append(notes, fmt.Sprintf("a benchmark that whet wrote for %s panics or does not end on each input that was tried", b.Function))
		default:
			notes = append(notes, fmt.Sprintf("a benchmark that whet wrote for %s does not reach it", b.Function))
			reached = append(reached, reach{pkg: pkg.PkgPath, name: b.Name, blocks: blocks, written: w.dir})
		}
	}
	return reached, notes, nil
}
