package mutants

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// maxChecks is how often the files are written and checked. Each time drops mutants.
const maxChecks = 20

// fit drops the mutants that do not fit until the package is valid, and returns its files with the
// mutants.
func (p *Package) fit(all []*source) map[string][]byte {
	for range maxChecks {
		files := map[string][]byte{}
		last := 0
		for _, s := range all {
			files[s.name], last = s.write(last)
		}
		if last == 0 {
			break
		}
		if p.check(all, files) {
			return files
		}
	}
	for _, s := range all {
		for _, c := range s.kept() {
			c.dropped = true
		}
	}
	return nil
}

// stubText declares what the file of Set.Support does.
const stubText = "package %s\n\nfunc whetMutantIs(int) bool { return false }\n"

// check reports whether the package is valid with some files. Otherwise it drops the mutants at
// fault.
func (p *Package) check(all []*source, files map[string][]byte) bool {
	fset := token.NewFileSet()
	sources := map[string]*source{}
	for _, s := range all {
		sources[s.name] = s
	}
	ok := true
	blame := func(name string, at int) {
		ok = false
		if s := sources[name]; s != nil {
			s.drop(at)
		}
	}
	var syntax []*ast.File
	for _, f := range p.Files {
		name := p.Fset.File(f.FileStart).Name()
		text, changed := files[name]
		if !changed {
			text = p.Texts[name]
		}
		parsed, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			for _, s := range all { // a writer must not let this happen
				for _, c := range s.kept() {
					c.dropped = c.dropped || s.name == name
				}
			}
			return false
		}
		syntax = append(syntax, parsed)
	}
	stub, err := parser.ParseFile(fset, SupportName, fmt.Sprintf(stubText, p.Types.Name()), parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	config := types.Config{
		Importer: p.Importer, Sizes: p.Sizes, GoVersion: p.GoVersion, FakeImportC: true,
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) {
				at := fset.PositionFor(e.Pos, false)
				blame(at.Filename, at.Offset)
			}
		},
	}
	_, _ = config.Check(p.Types.Path(), fset, append(syntax, stub), nil) // Error has the errors
	return ok
}

// drop drops the mutant at fault for an error in the file with mutants: the one at that place, or
// else those of the site, or else those of the function that change what can be reached, or else
// all of the function.
func (s *source) drop(at int) {
	var innermost *site
	var one *choice
	for _, x := range s.sites {
		if len(x.kept()) == 0 || at < x.start || x.end <= at {
			continue
		}
		innermost = x
		for _, c := range x.kept() {
			if c.start <= at && at < c.end {
				one = c
			}
		}
	}
	switch {
	case one != nil:
		one.dropped = true
		return
	case innermost != nil:
		for _, c := range innermost.kept() {
			c.dropped = true
		}
		return
	}
	var flow, all []*choice
	for _, x := range s.sites {
		if x.fn != s.funcAt(at) {
			continue
		}
		for _, c := range x.kept() {
			all = append(all, c)
			if c.flow {
				flow = append(flow, c)
			}
		}
	}
	if len(flow) == 0 {
		flow = all
	}
	for _, c := range flow {
		c.dropped = true
	}
}

// funcAt returns the function that contains a place of the file with mutants: that of the last site
// before it.
func (s *source) funcAt(at int) (fn *ast.FuncDecl) {
	for _, x := range s.sites {
		if len(x.kept()) > 0 && x.start <= at {
			fn = x.fn
		}
	}
	return fn
}
