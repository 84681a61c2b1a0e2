package prove

import (
	"context"
	"fmt"
	"go/ast"
	"path"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/dependencies"
	"github.com/whet-go/whet/internal/prove/differ"
)

// maxDependents is the number of functions that are compared for a change of go.mod.
const maxDependents = 60

// A dependent is a package whose functions use modules that a change of go.mod replaces.
type dependent struct {
	dir       string
	pkg       *packages.Package
	functions []*ast.FuncDecl
}

// findDependents finds the functions that a change of go.mod may affect, and returns their lines.
func (f *Prover) findDependents(ctx context.Context, code Changes) (places []find.Place, err error) {
	file, changed := code["go.mod"]
	if !changed || file.Before == nil || file.After == nil {
		return nil, nil
	}
	c, err := dependencies.Read(file.Before, file.After)
	if err != nil {
		return nil, &NotGoError{err}
	}
	affected, err := c.Packages(ctx, f.scratch)
	if err != nil {
		return nil, err
	}
	f.dependencies, f.dependents, f.otherDependents = c.String(), nil, 0
	left := maxDependents
	for _, importPath := range f.packages.All {
		dir := path.Clean(f.relative(importPath))
		if !f.judges(dir) || !affected[importPath] && c.Language == "" {
			continue
		}
		pkg, err := f.load(ctx, dir)
		if err != nil {
			return nil, err
		}
		users := c.Users(pkg, affected)
		n := min(len(users), left)
		f.otherDependents += len(users) - n
		if left -= n; n == 0 {
			continue
		}
		f.dependents = append(f.dependents, dependent{dir, pkg, users[:n]})
		for _, d := range users[:n] {
			from, to := pkg.Fset.Position(d.Pos()), pkg.Fset.Position(d.End())
			places = append(places, find.Place{File: f.scratch.Relative(from.Filename), Line: from.Line, EndLine: to.Line})
		}
	}
	return places, nil
}

// compareDependents compares the functions that a change of go.mod may affect, in two processes.
func (f *Prover) compareDependents(ctx context.Context, answers *Answers, changes Changes) error {
	if f.dependencies == "" {
		return nil
	}
	before := answers.Inputs
	compared := 0
	for _, d := range f.dependents {
		f.o.Progress("compare what uses " + f.dependencies)
		files, tests, errs := differ.Dump(d.pkg, d.functions, buildInputs, buildSeed, f.Captured)
		for _, err := range errs {
			answers.NotCompared = append(answers.NotCompared, err.Error())
		}
		side := f.Side("")
		if err := f.comparePackageBuilds(ctx, answers, d.pkg, files, tests, side, side, changes.After()); err != nil {
			return err
		}
		compared += len(tests)
	}
	if f.otherDependents > 0 {
		answers.NotCompared = append(answers.NotCompared, fmt.Sprintf("%d more functions that use %s", f.otherDependents,
			f.dependencies))
	}
	answers.addOutside(".", map[string]string{"file go.sum": "", "file go.mod": fmt.Sprintf(
		"%d functions that use what it changes (%s) were compared in two processes, on %d inputs: whatever else uses that, "+
			"and modules that require this one, are not known to see the same", compared, f.dependencies, answers.Inputs-before)})
	return nil
}
