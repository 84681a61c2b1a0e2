package prove

import (
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// compare calls the old and the new functions of changed files with the same inputs for some time.
// It returns an error, with the input and both results, if a result differs.
func (f *Prover) compare(ctx context.Context, changes scratch.Changes, reviewed bool) (*Answers, error) {
	answers := &Answers{Functions: []string{}}
	if err := os.RemoveAll(f.corpus()); err != nil {
		return nil, err
	}
	for _, dir := range f.judgedDirs(changes) {
		before, _, err := f.sourceOf(dir, changes)
		if err != nil {
			return nil, err
		}
		if len(before) == 0 {
			continue // there is no old code
		}
		o := f.differOptions(dir, reviewed)
		if o.FuzzTime, err = f.fuzzTimeUntil(ctx, dir, changes); err != nil {
			return nil, err
		}
		r, err := differ.Compare(ctx, f.scratch, dir, changes, o)
		if err != nil {
			return answers, err
		}
		for _, outcome := range r.Outcomes {
			answers.add(outcome)
		}
		answers.Not = append(answers.Not, r.Not...)
		answers.Blocks, answers.Reached = answers.Blocks+r.Blocks, answers.Reached+r.Reached
		if len(r.Tests) == 0 {
			continue
		}
		answers.Apart = append(answers.Apart, fmt.Sprintf("%s: %s", dir, r.Apart))
		side := f.Side("")
		pkg, err := f.load(ctx, dir)
		if err != nil {
			return answers, err
		}
		if err := f.comparePackageBuilds(ctx, answers, pkg, r.Files, r.Tests, side, side, changes.After()); err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// corpus returns the directory for the inputs of the last comparison.
func (f *Prover) corpus() string { return filepath.Join(f.scratch.Temp, "corpus") }

// differOptions returns how the package in a directory is compared.
func (f *Prover) differOptions(dir string, reviewed bool) differ.Options {
	o := differ.Options{
		Flags: f.o.Flags, Env: f.o.Env, FuzzTime: f.o.fuzzTime(), Timeout: f.o.Timeout, Joined: reviewed,
		Inputs: changeInputs, Seed: buildSeed,
	}
	if f.o.MutantTime > 0 {
		o.Corpus = filepath.Join(f.corpus(), url.PathEscape(dir))
	}
	return o
}

// buildContext returns the context of a build with flags and variables of the go command, as far as
// it decides which files belong to a package.
func buildContext(flags, env []string) build.Context {
	in := build.Default
	for i, flag := range flags {
		name, value, ok := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if !ok && i+1 < len(flags) {
			value = flags[i+1]
		}
		if name == "tags" {
			in.BuildTags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	for _, v := range env {
		switch name, value, _ := strings.Cut(v, "="); name {
		case "GOOS":
			in.GOOS = value
		case "GOARCH":
			in.GOARCH = value
		case "CGO_ENABLED":
			in.CgoEnabled = value == "1"
		}
	}
	return in
}

// load loads the package in a directory of the scratch copy.
func (f *Prover) load(ctx context.Context, dir string) (*packages.Package, error) {
	pkgs, err := driver.Load(ctx, driver.Options{Dir: f.scratch.Dir, Flags: f.o.Flags, Env: f.o.Env}, "./"+dir)
	if err != nil {
		return nil, err
	}
	if len(pkgs) != 1 || pkgs[0].IllTyped {
		return nil, fmt.Errorf("the package in %s cannot be loaded", dir)
	}
	return pkgs[0], nil
}

// changedFuncs returns the functions of the original package that differ with the changes. A
// function that only moved, or whose comments changed, is the same.
func (f *Prover) changedFuncs(old *packages.Package, changes scratch.Changes) ([]*ast.FuncDecl, error) {
	var decls []*ast.FuncDecl
	now := map[string]map[string]string{} // by file: functions
	anywhere := map[string][]string{}     // by function: its versions in any file
	for file, c := range changes {
		if !syntax.IsSource(file) {
			continue
		}
		var err error
		if now[file], err = syntax.Functions(file, c.After); err != nil {
			return nil, err
		}
		for name, text := range now[file] {
			anywhere[name] = append(anywhere[name], syntax.Tokens([]byte(text)))
		}
	}
	for _, source := range old.Syntax {
		rel, err := filepath.Rel(f.scratch.Dir, old.Fset.Position(source.Pos()).Filename)
		if err != nil {
			continue
		}
		file := filepath.ToSlash(rel)
		c, ok := changes[file]
		if !ok || !syntax.IsSource(file) {
			continue
		}
		for _, d := range source.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			was := syntax.Tokens(c.Before[old.Fset.Position(fn.Pos()).Offset:old.Fset.Position(fn.End()).Offset])
			text, here := now[file][differ.FuncName(fn)]
			if !here && len(anywhere[differ.FuncName(fn)]) == 0 {
				continue // it is gone
			}
			if here && syntax.Tokens([]byte(text)) != was || !here && !slices.Contains(anywhere[differ.FuncName(fn)], was) {
				decls = append(decls, fn)
			}
		}
	}
	slices.SortFunc(decls, func(a, b *ast.FuncDecl) int { return strings.Compare(differ.FuncName(a), differ.FuncName(b)) })
	return decls, nil
}
