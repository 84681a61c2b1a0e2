package benchmarks

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/prove/costs"
)

// maxProbed is the number of benchmarks that run between probes.
const maxProbed = 2

// Probe runs the benchmark of list that runs the least code, and the one that runs the most,
// between probes: without a change, and with the files in after replaced. It returns what costs
// more with them, and on an error what it found before.
func (s *Set) Probe(ctx context.Context, list []Benchmark, after map[string][]byte) (more []costs.Cost, err error) {
	for _, group := range byPackage(ofModule(list)) {
		found, err := s.probe(ctx, group, after)
		more = append(more, found...)
		if err != nil {
			return more, err
		}
	}
	return more, nil
}

// byPackage returns the benchmarks to run between probes, by package.
func byPackage(chosen []Benchmark) (groups [][]Benchmark) {
	for _, b := range Focused(chosen, maxProbed) {
		at := slices.IndexFunc(groups, func(g []Benchmark) bool { return g[0].pkg == b.pkg && g[0].written == b.written })
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], b)
	}
	return groups
}

// probe runs benchmarks of a package between probes.
func (s *Set) probe(ctx context.Context, group []Benchmark, after map[string][]byte) (list []costs.Cost, err error) {
	temp, err := os.MkdirTemp(s.scratch.Temp, "costs")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	pkg := gotest.Package{ImportPath: group[0].pkg, Dir: s.scratch.Path(group[0].dir)}
	written := map[string][]byte{}
	if w := s.fileOf(group[0]); w != nil {
		written = w.overlay()
	}
	added := map[string][]byte{} // by the name in the module
	for name, text := range written {
		added[path.Join(group[0].dir, name)] = text
	}
	for name, benchmarks := range declaredIn(pkg.Dir, written, group) {
		added[path.Join(group[0].dir, "zz_whet_costs_"+name+"_test.go")] = costs.Probe(name, benchmarks)
	}
	subject := &costs.Subject{Package: pkg.ImportPath, Temp: temp}
	for _, b := range group {
		subject.Benchmarks = append(subject.Benchmarks, b.name)
	}
	var builds errgroup.Group
	for side := range subject.Run {
		files := maps.Clone(added)
		if side == 1 {
			maps.Copy(files, after)
		}
		src := gotest.Source{Dir: s.scratch.Dir, Flags: s.o.Flags, Env: s.o.Env}
		if src.Overlay, err = s.scratch.OverlayIn(filepath.Join(temp, strconv.Itoa(side)), files); err != nil {
			return nil, err
		}
		builds.Go(func() error {
			bin, err := gotest.Compile(ctx, src, pkg, filepath.Join(temp, strconv.Itoa(side)+".test"))
			if err != nil {
				return err
			}
			subject.Size[side] = bin.Size
			subject.Run[side] = func(ctx context.Context, env []string, flags ...string) (string, int64, error) {
				out, state, err := s.runProgram(ctx, bin, env, flags)
				return out, costs.PeakMemory(state), err
			}
			return nil
		})
	}
	if err := builds.Wait(); err != nil {
		return nil, err
	}
	return subject.Compare(ctx)
}

// declaredIn returns benchmarks of the package in a directory by the name in the package clause of
// their files: that of the package or of its external tests. more are further files, by name.
func declaredIn(dir string, more map[string][]byte, group []Benchmark) map[string][]string {
	files := maps.Clone(more)
	names, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is valid
	for _, name := range names {
		if text, isSet := more[filepath.Base(name)]; isSet && text == nil {
			continue // it is hidden
		}
		if text, err := os.ReadFile(name); err == nil {
			files[name] = text
		}
	}
	found := map[string][]string{}
	for name, text := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			continue // it does not build, so none of the benchmarks is in it
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && slices.ContainsFunc(group, func(b Benchmark) bool { return b.name == fn.Name.Name }) {
				found[file.Name.Name] = append(found[file.Name.Name], fn.Name.Name)
			}
		}
	}
	return found
}
