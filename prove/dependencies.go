package prove

import (
	"context"
	"fmt"
	"path"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/dependencies"
	"github.com/whet-go/whet/internal/prove/differ"
)

// findDependents finds the functions that a change of go.mod may affect, and returns their lines.
func (f *Prover) findDependents(ctx context.Context, code Changes) (places []find.Place, err error) {
	f.dependents = dependencies.Dependents{}
	file, changed := code["go.mod"]
	if !changed || file.Before == nil || file.After == nil {
		return nil, nil
	}
	dirOf := func(importPath string) string { return path.Clean(f.relative(importPath)) }
	judged := slices.DeleteFunc(slices.Clone(f.packages.All), func(p string) bool { return !f.judges(dirOf(p)) })
	f.dependents, err = dependencies.Find(ctx, f.scratch, file, judged, func(p string) (*packages.Package, error) {
		return f.load(ctx, dirOf(p))
	})
	return f.dependents.Places, err
}

// compareDependents compares the functions that a change of go.mod may affect, in two processes.
func (f *Prover) compareDependents(ctx context.Context, answers *Answers, changes Changes) error {
	what, before, compared := f.dependents.What, answers.Inputs, 0
	if what == "" {
		return nil
	}
	f.o.Progress("compare what uses " + what)
	for _, d := range f.dependents.Packages {
		files, tests, errs := differ.Dump(d.Package, d.Functions, buildInputs, buildSeed, f.Captured)
		for _, err := range errs {
			answers.NotCompared = append(answers.NotCompared, err.Error())
		}
		side := f.Side("")
		if err := f.comparePackageBuilds(ctx, answers, d.Package, files, tests, side, side, changes.After()); err != nil {
			return err
		}
		compared += len(tests)
	}
	if n := f.dependents.Left; n > 0 {
		answers.NotCompared = append(answers.NotCompared, fmt.Sprintf("%d more functions that use %s", n, what))
	}
	answers.addOutside(".", map[string]string{
		"file go.sum": "", "file go.mod": f.dependents.Compared(compared, answers.Inputs-before),
	})
	return nil
}
