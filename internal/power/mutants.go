package main

import (
	"context"
	"fmt"
	"go/ast"
	"io"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/mutants"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A namedMutant is a mutant of a function, with the name that cases have for it.
type namedMutant struct {
	mutantRef

	change scratch.Changes
}

// mutantsOf returns the mutants of functions of the module in a directory.
func mutantsOf(ctx context.Context, module string, functions []string) (list []namedMutant, err error) {
	byDir, err := byPackage(module, functions)
	if err != nil {
		return nil, err
	}
	for dir, names := range byDir {
		pkgs, err := driver.Load(ctx, driver.Options{Dir: module}, "./"+dir)
		if err != nil {
			return nil, err
		}
		if len(pkgs) != 1 || pkgs[0].IllTyped {
			return nil, fmt.Errorf("the package in %s does not build", dir)
		}
		p, err := differ.Mutable(pkgs[0])
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			list = append(list, mutantsIn(p, dir, name)...)
		}
	}
	return list, nil
}

// mutantsIn returns the mutants of a function of the package in a directory.
func mutantsIn(p *mutants.Package, dir, function string) (list []namedMutant) {
	for _, file := range p.Files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || differ.FuncName(fn) != function {
				continue
			}
			from, to := p.Fset.PositionFor(fn.Pos(), false), p.Fset.PositionFor(fn.End(), false)
			set := mutants.Make(p, mutants.Lines{from.Filename: {{From: from.Line, To: to.Line}}}, math.MaxInt)
			before := p.Texts[from.Filename]
			seen := map[string]int{}
			for i := range set.Mutants {
				m := &set.Mutants[i]
				place := fmt.Sprintf("%s:%d", named(dir, function), m.Line-from.Line+1)
				key := m.Mutator + " " + place
				if seen[key]++; seen[key] > 1 {
					place += "#" + strconv.Itoa(seen[key])
				}
				list = append(list, namedMutant{
					mutantRef{Mutator: m.Mutator, Place: place},
					scratch.Changes{path.Join(dir, filepath.Base(from.Filename)): {Before: before, After: m.Apply(before)}},
				})
			}
		}
	}
	return list
}

// mutate returns the change that puts a case's mutant into the module in directory b.
func mutate(ctx context.Context, b string, c *testCase) (scratch.Changes, error) {
	place := c.Mutant.Place
	function := place[:strings.LastIndexByte(place, ':')]
	list, err := mutantsOf(ctx, b, []string{function})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(m namedMutant) bool { return m.mutantRef == *c.Mutant })
	if i < 0 {
		return nil, fmt.Errorf("there is no mutant %q at %s", c.Mutant.Mutator, place)
	}
	return list[i].change, nil
}

// listMutants writes the mutants of the functions of a case that it replaces, and of functions added
// with them if they are named in more.
func (w *workshop) listMutants(ctx context.Context, c *testCase, more []string, out io.Writer) error {
	original := *c
	original.Mutant = nil
	_, b, remove, err := w.versions(ctx, &original)
	if err != nil {
		return err
	}
	defer func() { _ = remove() }()
	functions := slices.DeleteFunc(slices.Concat(c.Functions, more), func(f string) bool {
		return strings.Contains(f, " ") // a type, variable or constant
	})
	list, err := mutantsOf(ctx, b, functions)
	if err != nil {
		return err
	}
	for _, m := range list {
		_, err := fmt.Fprintf(out, "%s at %s\n%s\n", m.Mutator, m.Place, m.change.Diff())
		if err != nil {
			return err
		}
	}
	return nil
}
