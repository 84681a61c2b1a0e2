package lint

import (
	"context"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// PublicPackages returns the packages of the module in dir that other programs may import, with the
// types of their exported API. Those that export nothing are left out.
func PublicPackages(ctx context.Context, dir string) ([]*types.Package, error) {
	// Without NeedDeps and NeedSyntax, types come from the build cache's export data.
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Mode: packages.NeedName | packages.NeedFiles | packages.NeedTypes,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	var public []*types.Package
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("load %s: %w", p.PkgPath, p.Errors[0])
		}
		if isPublic(p.PkgPath) && p.Name != "main" && len(exported(p.Types)) > 0 {
			public = append(public, p.Types)
		}
	}
	return public, nil
}

// isPublic reports whether a package of the module is for other programs: it is not internal, not a
// helper of tests, and has more than files to embed.
func isPublic(importPath string) bool {
	rel, ok := strings.CutPrefix(importPath, modulePath+"/")
	if !ok || rel == "docs" || rel == "ui" {
		return false
	}
	for _, name := range strings.Split(rel, "/") {
		// Package gotest runs go test.
		if name == "internal" || strings.HasSuffix(name, "test") && name != "gotest" {
			return false
		}
	}
	return true
}

// Leaks returns the types of internal packages that the exported API of a public package mentions:
// other programs cannot name them. An alias in a public package gives such a type a name.
func Leaks(p *types.Package) []Problem {
	l := &leaks{seen: map[types.Type]bool{}, found: map[string]bool{}}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		l.from = name
		tn, ok := o.(*types.TypeName)
		switch {
		case !ok:
			l.walk(o.Type())
		case tn.IsAlias():
			// This is the public name.
		default:
			l.declaration(tn)
		}
	}
	return l.problems(p.Path())
}

// leaks collects types of internal packages.
type leaks struct {
	from  string // the exported name whose type is walked
	seen  map[types.Type]bool
	found map[string]bool // "from mentions type"
}

// declaration walks a type with its methods.
func (l *leaks) declaration(tn *types.TypeName) {
	l.walk(tn.Type().Underlying())
	named, ok := tn.Type().(*types.Named)
	if !ok {
		return
	}
	for i := range named.TypeParams().Len() {
		l.walk(named.TypeParams().At(i).Constraint())
	}
	for m := range named.Methods() {
		if m.Exported() {
			l.from = tn.Name() + "." + m.Name()
			l.walk(m.Type())
		}
	}
}

// walk visits the types that t mentions, up to names.
func (l *leaks) walk(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		l.name(t.Obj())
		l.arguments(t.TypeArgs())
	case *types.Named:
		l.name(t.Obj())
		l.arguments(t.TypeArgs())
	case *types.Map:
		l.walk(t.Key())
		l.walk(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		l.walk(t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			l.walk(v.Type())
		}
		for v := range t.Results().Variables() {
			l.walk(v.Type())
		}
		for i := range t.TypeParams().Len() {
			l.walk(t.TypeParams().At(i).Constraint())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				l.walk(f.Type())
			}
		}
	case *types.Interface:
		if l.seen[t] {
			return
		}
		l.seen[t] = true
		for m := range t.ExplicitMethods() {
			l.walk(m.Type())
		}
		for e := range t.EmbeddedTypes() {
			l.walk(e)
		}
	}
}

func (l *leaks) arguments(list *types.TypeList) {
	for t := range list.Types() {
		l.walk(t)
	}
}

// name notes a name of an internal package of this module.
func (l *leaks) name(o *types.TypeName) {
	if p := o.Pkg(); p != nil && strings.HasPrefix(p.Path(), modulePath+"/internal/") {
		l.found[fmt.Sprintf("%s mentions %s.%s", l.from, strings.TrimPrefix(p.Path(), modulePath+"/"), o.Name())] = true
	}
}

func (l *leaks) problems(importPath string) []Problem {
	var problems []Problem
	for text := range l.found {
		problems = append(problems, Problem{
			Where: importPath, Text: text,
			Cure: "declare the type in the public package, as an alias if need be, or make what mentions it internal",
		})
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Text, b.Text) })
	return problems
}

// Examples returns the public packages in a repository without an example whose output is checked.
// Folders of rules, which export New only, need none: their doc.go shows code before and after.
func Examples(repo fs.FS, public []*types.Package) ([]Problem, error) {
	var problems []Problem
	for _, p := range public {
		rel := strings.TrimPrefix(p.Path(), modulePath+"/")
		if strings.HasPrefix(rel, "find/rules/") && slices.Equal(exported(p), []string{"New"}) {
			continue
		}
		names, err := fs.Glob(repo, path.Join(rel, "*_test.go"))
		if err != nil {
			return nil, err
		}
		ok := false
		for _, name := range names {
			text, err := fs.ReadFile(repo, name)
			if err != nil {
				return nil, err
			}
			if !strings.Contains(string(text), "func Example") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			ok = ok || hasOutput(file)
		}
		if !ok {
			problems = append(problems, Problem{
				Where: p.Path(), Text: "has no Example with output",
				Cure: "write what a program that imports the package would write first (example_test.go)",
			})
		}
	}
	return problems, nil
}

// hasOutput reports whether a file has an example whose output is checked.
func hasOutput(file *ast.File) bool {
	return slices.ContainsFunc(doc.Examples(file), func(e *doc.Example) bool { return e.Output != "" })
}

// exported returns the exported names of a package, sorted.
func exported(p *types.Package) []string {
	return slices.DeleteFunc(p.Scope().Names(), func(name string) bool { return !token.IsExported(name) })
}
