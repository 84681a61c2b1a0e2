package prove

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/find"
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
	files      map[string][]byte // to overlay on the directory, by name
	benchmarks []Benchmark
}

// A target is a changed function.
type target struct {
	function string // in the form of differ.FuncName
	returned bool   // the change is in a function literal
}

// install puts the files into the scratch copy while they are measured, hidden from tests and vet.
func (w *writtenFile) install(s *scratch.Module) error {
	for name, text := range w.files {
		if err := s.Write(path.Join(w.dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

func (w *writtenFile) remove(s *scratch.Module) error {
	var errs []error
	for name := range w.files {
		if err := os.Remove(s.Path(path.Join(w.dir, name))); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// text returns the file worth reading.
func (w *writtenFile) text() string { return string(w.files[differ.BenchmarkFile]) }

// write writes benchmarks that run the changes in the scratch copy. The error says why there are
// none.
func (f *Prover) write(ctx context.Context, changes scratch.Changes) (chosen []Benchmark, err error) {
	var why []string
	for _, dir := range f.judgedDirs(changes) {
		pkg, err := f.load(ctx, dir)
		if err != nil {
			return nil, err
		}
		decls, err := f.changedFuncs(pkg, changes)
		if err != nil {
			return nil, err
		}
		w := &writtenFile{dir: dir}
		if before := f.written[dir]; before != nil {
			w.targets = slices.Clone(before.targets)
		}
		var places []find.Place
		for _, d := range decls {
			p, err := f.changedLines(pkg, d, changes)
			if err != nil {
				return nil, err
			}
			places = append(places, p)
			name := differ.FuncName(d)
			w.targets = slices.DeleteFunc(w.targets, func(t target) bool { return t.function == name })
			w.targets = append(w.targets, target{name, differ.InLiteral(pkg.Fset, d, p.Line, p.EndLine)})
		}
		notes, err := f.writeFile(ctx, w, pkg)
		if err != nil {
			return nil, err
		}
		why = append(why, notes...)
		hits := coveringAny(w.benchmarks, places)
		for _, r := range w.benchmarks {
			if !slices.ContainsFunc(hits, func(h Benchmark) bool { return h.name == r.name }) {
				why = append(why, r.missed)
			}
		}
		alike, others, err := f.onPath(ctx, w, hits, pkg, decls)
		if err != nil {
			return nil, err
		}
		why = append(why, others...)
		chosen = append(chosen, Focused(alike, maxBenchmarks)...)
	}
	switch {
	case len(chosen) > 0:
		return chosen[:min(len(chosen), maxBenchmarks)], nil
	case len(why) > 0:
		return nil, fmt.Errorf("%w; %s", errNoBenchmark, strings.Join(why, "; "))
	}
	return nil, errNoBenchmark
}

// changedLines returns the lines of a function in the scratch copy that a rewrite changes.
func (f *Prover) changedLines(pkg *packages.Package, d *ast.FuncDecl, changes scratch.Changes) (find.Place, error) {
	from, to := pkg.Fset.Position(d.Pos()), pkg.Fset.Position(d.End())
	p := find.Place{Line: from.Line, EndLine: to.Line}
	for file, c := range changes {
		if f.scratch.Path(file) != from.Filename || c.After == nil {
			continue
		}
		p.File = file
		now, err := syntax.Functions(file, c.After)
		if err != nil {
			return p, err
		}
		before := strings.Split(string(c.Before[from.Offset:to.Offset]), "\n")
		after := strings.Split(now[differ.FuncName(d)], "\n")
		for p.Line < p.EndLine && len(before) > 1 && len(after) > 0 && before[0] == after[0] {
			before, after = before[1:], after[1:]
			p.Line++
		}
		for p.Line < p.EndLine && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
			before, after = before[:len(before)-1], after[:len(after)-1]
			p.EndLine--
		}
	}
	return p, nil
}

// writeFile writes the benchmarks of a file's targets and determines what each runs. The notes say
// why some cannot be used.
func (f *Prover) writeFile(ctx context.Context, w *writtenFile, pkg *packages.Package) (notes []string, err error) {
	files, benchmarks, errs := differ.Benchmarks(pkg, w.in(pkg))
	for _, err := range errs {
		notes = append(notes, err.Error())
	}
	if len(benchmarks) == 0 {
		return notes, nil
	}
	w.files = files
	more, err := f.coverWritten(ctx, w, pkg, benchmarks)
	if err != nil {
		return nil, err
	}
	if f.written == nil {
		f.written = map[string]*writtenFile{}
	}
	f.written[w.dir] = w
	return append(notes, more...), nil
}

// in returns the targets in the current version of their package.
func (w *writtenFile) in(pkg *packages.Package) (targets []differ.Target) {
	for _, t := range w.targets {
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && differ.FuncName(d) == t.function {
					targets = append(targets, differ.Target{Decl: d, Returned: t.returned})
				}
			}
		}
	}
	return targets
}

// coverWritten has each benchmark choose its inputs, and records which code these run.
func (f *Prover) coverWritten(ctx context.Context, w *writtenFile, pkg *packages.Package,
	benchmarks []differ.Benchmark,
) (notes []string, err error) {
	temp, err := os.MkdirTemp(f.scratch.Temp, "written")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	bin, err := f.compileWritten(ctx, w, pkg, temp, f.coverFlags("-covermode=count"))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return []string{"the generated benchmark does not build: " + scratch.LastLines(err.Error())}, nil
	}
	for i, b := range benchmarks {
		chosen := filepath.Join(temp, strconv.Itoa(i))
		_, err := f.coverOne(ctx, bin, b.Name, differ.ChosenEnv+"="+chosen)
		var blocks []coverage.Block
		inputs, _ := os.ReadFile(chosen) // it writes none if it finds none
		if err == nil && len(inputs) > 0 {
			blocks, err = f.coverOne(ctx, bin, b.Name, differ.ChosenEnv+"="+chosen)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			notes = append(notes, fmt.Sprintf("the generated benchmark for %s fails: %v", b.Function, err))
		case blocks == nil:
			notes = append(notes, fmt.Sprintf("%s panics or does not return on every input tried for a benchmark",
				b.Function))
		default:
			w.benchmarks = append(w.benchmarks, Benchmark{
				pkg: pkg.PkgPath, name: b.Name, blocks: blocks, written: w.dir, inputs: inputsText(string(inputs)),
				missed: fmt.Sprintf("the generated benchmark for %s does not run the changed lines", b.Function),
			})
		}
	}
	return notes, nil
}

// compileWritten builds the tests of a package with its written benchmarks, in a temporary directory.
func (f *Prover) compileWritten(
	ctx context.Context, w *writtenFile, pkg *packages.Package, temp string, flags []string,
) (*gotest.Binary, error) {
	src := gotest.Source{Dir: f.scratch.Dir, Env: f.o.Env, Overlay: map[string]string{}, Flags: flags}
	folder := f.scratch.Path(w.dir)
	for name, text := range w.files {
		file := filepath.Join(temp, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, err
		}
		src.Overlay[filepath.Join(folder, name)] = file
	}
	return gotest.Compile(ctx, src, gotest.Package{ImportPath: pkg.PkgPath, Dir: folder},
		filepath.Join(temp, "written.test"))
}

// inputsText describes the inputs that a generated benchmark has chosen: lines with a size, a seed and
// what the arguments are, quoted.
func inputsText(chosen string) string {
	n, example := 0, ""
	for line := range strings.Lines(chosen) {
		n++
		if _, quoted, ok := strings.Cut(line, `"`); ok && len(quoted) > len(example) {
			example = quoted
		}
	}
	text := fmt.Sprintf("%d generated inputs", n)
	if shown, err := strconv.Unquote(`"` + strings.TrimSpace(example)); err == nil && shown != "" {
		text += ", such as " + shown
	}
	return text
}
