package prove

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// Changed is what a change consists of. Names of declarations have their package's directory before
// them, unless that is the module's.
type Changed struct {
	Files []string `json:"files"` // of code, relative to the module
	// Functions have another body or signature. Removed ones are only in A. Added are declarations of
	// any kind that are only in B.
	Functions []string `json:"functions,omitempty"`
	Added     []string `json:"added,omitempty"`
	Removed   []string `json:"removed,omitempty"`
	// Declarations are constants, variables, types and compiler directives that changed, or that
	// were removed.
	Declarations []string `json:"declarations,omitempty"`
	inside       []string // those of Declarations of which other packages see the same
	// Tests are changes to tests, benchmarks and their data. They are not used unless the user
	// accepts them.
	Tests []string `json:"tests,omitempty"`
	// NotJudged are functions and other declarations of packages that were not to be judged.
	NotJudged []string `json:"not_judged,omitempty"`
	// Other are files that are not compiled, and links: a program may read them, or they decide how it is built. They are
	// not compared, so the change is never proven.
	Other []string `json:"other,omitempty"`
	// Unused are documentation and files for other tools, and Outside are files outside the module. Neither are judged.
	Unused  []string `json:"unused,omitempty"`
	Outside []string `json:"outside,omitempty"`
	// Diff is the change of Files as a unified diff, without what exceeds 256 KB.
	Diff string `json:"diff,omitempty"`
}

// A Suspect is something that a change adds or removes and that tests and benchmarks cannot judge: it
// may make code faster only while it is measured, or at the expense of something that is not measured.
type Suspect = syntax.Suspect

// split divides changes into code and tests, and lists the others.
func split(all Changes, embedded []string, c *Changed) (code, tests Changes) {
	code, tests = Changes{}, Changes{}
	for _, file := range slices.Sorted(maps.Keys(all)) {
		switch syntax.KindOf(file, embedded) {
		case syntax.Code:
			code[file] = all[file]
			c.Files = append(c.Files, file)
		case syntax.Test:
			tests[file] = all[file]
			c.Tests = append(c.Tests, file)
		case syntax.Unused:
			c.Unused = append(c.Unused, file)
		case syntax.Other:
			c.Other = append(c.Other, file)
		}
	}
	return code, tests
}

// suspects returns what a change adds or removes that needs review.
func (f *Prover) suspects(code Changes) ([]Suspect, error) {
	var all []syntax.Sources
	for _, dir := range code.Dirs() {
		p, err := syntax.SourcesIn(f.scratch, dir, code)
		if err != nil {
			return nil, err
		}
		p.Tests = map[string][]byte{}
		names, err := filepath.Glob(filepath.Join(f.scratch.Path(dir), "*_test.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if p.Tests[name], err = os.ReadFile(name); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	return syntax.Suspects(code, all)
}

// analyze adds to c what changes in each package.
func (f *Prover) analyze(code Changes, c *Changed) error {
	others := &Changed{}
	for _, dir := range code.Dirs() {
		c := c
		if !f.judges(dir) {
			c = others
		}
		sources, err := syntax.SourcesIn(f.scratch, dir, code)
		if err != nil {
			return err
		}
		a, err := syntax.Read(sources.Before)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		b, err := syntax.Read(sources.After)
		if err != nil {
			return &NotGoError{err}
		}
		c.add(dir, a.Compare(b))
		if len(sources.Before) == 0 {
			c.Added = append(c.Added, "package in "+dir)
		}
	}
	judged := f.judgedFiles(code)
	for file := range code {
		if syntax.IsSource(file) {
			continue
		}
		if _, ok := judged[file]; ok {
			c.Declarations = append(c.Declarations, "file "+file)
		} else {
			others.Declarations = append(others.Declarations, "file "+file)
		}
	}
	slices.Sort(c.Declarations)
	c.NotJudged = slices.Concat(others.Functions, others.Added, others.Removed, others.Declarations)
	slices.Sort(c.NotJudged)
	return nil
}

// narrow limits what is judged to packages that match patterns, of either version.
func (f *Prover) narrow(ctx context.Context, code Changes, patterns []string) error {
	over, err := f.scratch.Overlay(code.After())
	if err != nil {
		return err
	}
	f.only = []string{}
	for _, pattern := range patterns {
		dirs, err := f.scratch.Match(ctx, pattern, over...)
		if err != nil {
			return err
		}
		found := false
		for _, dir := range dirs {
			sources, err := syntax.SourcesIn(f.scratch, dir, code)
			if err != nil {
				return err
			}
			if len(sources.Before)+len(sources.After) > 0 {
				f.only, found = append(f.only, dir), true
			}
		}
		if !found {
			return diag.Usagef("prove", fmt.Sprintf("no package of the module matches %q", pattern),
				"patterns are relative to the module's directory, such as ./... or ./text")
		}
	}
	return nil
}

// judges reports whether the package in a directory is judged.
func (f *Prover) judges(dir string) bool { return f.only == nil || slices.Contains(f.only, dir) }

// judgedDirs returns the directories of changed files whose packages are judged.
func (f *Prover) judgedDirs(code Changes) []string {
	return slices.DeleteFunc(code.Dirs(), func(dir string) bool { return !f.judges(dir) })
}

// judgedFiles returns the changed files of packages that are judged, and those that concern the whole module.
func (f *Prover) judgedFiles(code Changes) Changes {
	files := maps.Clone(code)
	maps.DeleteFunc(files, func(file string, _ Change) bool { return !f.judges(f.packageDir(file)) && !ofModule(file) })
	return files
}

// packageDir returns the directory of the package that a file belongs to: one in or above its own that has source.
func (f *Prover) packageDir(file string) string {
	dir := path.Dir(file)
	for !syntax.IsSource(file) && dir != "." && !f.hasSource(dir) {
		dir = path.Dir(dir)
	}
	return dir
}

func (f *Prover) hasSource(dir string) bool {
	names, err := filepath.Glob(filepath.Join(f.scratch.Path(dir), "*.go"))
	return err == nil && slices.ContainsFunc(names, syntax.IsSource)
}

// ofModule reports whether a file concerns all packages of the module.
func ofModule(file string) bool {
	base := path.Base(file)
	return base == "go.mod" || base == "go.sum" || strings.HasPrefix(file, "vendor/")
}

// add adds what differs in the package in a directory.
func (c *Changed) add(dir string, d syntax.Difference) {
	for _, list := range []struct {
		from []string
		to   *[]string
	}{
		{d.Functions, &c.Functions},
		{d.Removed, &c.Removed},
		{d.Added, &c.Added},
		{d.Others, &c.Declarations},
		{d.Inside, &c.inside},
	} {
		for _, name := range list.from {
			if dir != "." {
				name = dir + "." + name
			}
			*list.to = append(*list.to, name)
		}
	}
}

// A NotGoError is the reason for rejecting a change whose files are not valid Go.
type NotGoError struct{ err error }

func (e *NotGoError) Error() string { return e.err.Error() }

// Unwrap returns the parser's error.
func (e *NotGoError) Unwrap() error { return e.err }

// nothing reports whether nothing has changed except comments and layout.
func (c *Changed) nothing() bool {
	return len(c.Functions)+len(c.Added)+len(c.Removed)+len(c.Declarations) == 0
}
