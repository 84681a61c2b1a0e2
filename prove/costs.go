package prove

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/prove/costs"
	"github.com/whet-go/whet/internal/prove/coverage"
)

// A SideCost is something that the change costs where its benchmarks do not look.
type SideCost = costs.Cost

// Limits of the search for costs elsewhere.
const (
	maxCostBenchmarks = 2 // between the probes
	maxOthers         = 3 // other benchmarks that are measured
	othersPart        = 4 // of the time of a benchmark that runs the change
	// leastLoss is the ratio above which a loss of another benchmark counts: smaller ones come with
	// another layout of the program.
	leastLoss = 1.05
)

// sideCosts looks for costs elsewhere of a candidate that was measured. It is an error if it does not
// get to the end; then what was found is returned, too.
func (f *Prover) sideCosts(ctx context.Context, c Candidate, v *Verdict) (list []SideCost, err error) {
	began := time.Now()
	defer func() { v.Took = AddStepTime(v.Took, "costs elsewhere", began) }()
	f.o.Progress("look for costs elsewhere")
	for _, group := range byPackage(v.Measured.covering) {
		found, err := f.probed(ctx, c, group)
		list = append(list, found...)
		if err != nil {
			return list, fmt.Errorf("look for costs elsewhere: %w", err)
		}
	}
	more, err := f.otherLosses(ctx, c, v)
	if err != nil {
		return list, fmt.Errorf("measure other benchmarks: %w", err)
	}
	return append(list, more...), nil
}

// byPackage returns the benchmarks to run between probes: the most focused one and the one that runs
// the most code, by package.
func byPackage(chosen []Benchmark) (groups [][]Benchmark) {
	for _, b := range Focused(chosen, maxCostBenchmarks) {
		at := slices.IndexFunc(groups, func(g []Benchmark) bool { return g[0].pkg == b.pkg && g[0].written == b.written })
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], b)
	}
	return groups
}

// probed runs benchmarks of a package, with and without the candidate, between probes.
func (f *Prover) probed(ctx context.Context, c Candidate, group []Benchmark) (list []SideCost, err error) {
	temp, err := os.MkdirTemp(f.scratch.Temp, "costs")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	folder := f.packages.Dir(group[0].pkg)
	rel, err := filepath.Rel(f.scratch.Dir, folder)
	if err != nil {
		return nil, err
	}
	dir := filepath.ToSlash(rel)
	added := map[string][]byte{}
	if w := f.written[group[0].written]; w != nil {
		maps.Copy(added, w.files)
	}
	for name, benchmarks := range f.declaredIn(folder, added, group) {
		added["zz_whet_costs_"+name+"_test.go"] = costs.Probe(name, benchmarks)
	}
	subject := &costs.Subject{Package: group[0].pkg, Temp: temp}
	for _, b := range group {
		subject.Benchmarks = append(subject.Benchmarks, b.name)
	}
	for side := range subject.Run {
		files := map[string][]byte{}
		if side == 1 {
			files = c.Changes.After()
		}
		for name, text := range added {
			files[filepath.ToSlash(filepath.Join(dir, name))] = text
		}
		src := gotest.Source{Dir: f.scratch.Dir, Flags: f.o.Flags, Env: f.o.Env}
		if src.Overlay, err = f.overlaid(filepath.Join(temp, strconv.Itoa(side)), files); err != nil {
			return nil, err
		}
		bin, err := gotest.Compile(ctx, src, gotest.Package{ImportPath: group[0].pkg, Dir: folder},
			filepath.Join(temp, strconv.Itoa(side)+".test"))
		if err != nil {
			return nil, err
		}
		subject.Size[side] = bin.Size
		subject.Run[side] = func(ctx context.Context, env []string, flags ...string) (string, int64, error) {
			out, state, err := f.runProgram(ctx, bin, env, flags)
			return out, costs.PeakMemory(state), err
		}
	}
	return subject.Compare(ctx)
}

// declaredIn returns benchmarks of a package by the name in the package clause of their files: that of
// the package or of its external tests.
func (f *Prover) declaredIn(folder string, more map[string][]byte, group []Benchmark) map[string][]string {
	files := maps.Clone(more)
	names, _ := filepath.Glob(filepath.Join(folder, "*_test.go")) // the pattern is valid
	for _, name := range names {
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

// otherLosses measures benchmarks that run code of the changed packages, and were not measured for the
// change, for a shorter time.
func (f *Prover) otherLosses(ctx context.Context, c Candidate, v *Verdict) (list []SideCost, err error) {
	others := Focused(f.others(c.Changes.Dirs(), v.Measured.covering), maxOthers)
	if len(others) == 0 {
		return nil, nil
	}
	over, err := f.scratch.Overlay(c.Changes.After())
	if err != nil {
		return nil, err
	}
	most := untilDeadline(ctx, f.o.AB.MaxTime, measureShare, 1) / othersPart
	m, err := f.measureFor(ctx, f.Side("without the change"), f.Side("with the change", over...), others, most)
	if err != nil {
		return nil, err
	}
	for i := range m.AB.Subjects {
		s := &m.AB.Subjects[i]
		for k := range s.Units {
			u := &s.Units[k]
			ratio := float64(u.Ratio)
			if u.Verdict == ab.Worse && (math.IsNaN(ratio) || max(ratio, 1/ratio) > leastLoss) {
				list = append(list, SideCost{
					What: "another benchmark, " + u.Unit, Where: s.Name, A: float64(u.A.Median), B: float64(u.B.Median),
					Unit: u.Unit,
				})
				break
			}
		}
	}
	return list, nil
}

// others returns the benchmarks of the base that run code in some directories and are not among those
// that were chosen.
func (f *Prover) others(dirs []string, chosen []Benchmark) (list []Benchmark) {
	for _, b := range f.benchmarks {
		ran := slices.ContainsFunc(b.blocks, func(block coverage.Block) bool {
			return slices.Contains(dirs, path.Dir(block.File))
		})
		if ran && !slices.ContainsFunc(chosen, func(c Benchmark) bool { return c.pkg == b.pkg && c.name == b.name }) {
			list = append(list, b)
		}
	}
	return list
}
