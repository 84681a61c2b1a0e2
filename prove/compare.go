package prove

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// timeWasUp reports whether, judging by go test's output, a fuzz target failed without an input: go
// test reports a failure if the time is up while a worker is busy (go.dev/issue/75804).
func timeWasUp(out string) bool {
	return lateFuzz.MatchString(out) && !strings.Contains(out, "Failing input")
}

var lateFuzz = regexp.MustCompile(`(?m)^ *context deadline exceeded$`)

// compare calls the old and the new functions of changed files with the same inputs for some time.
// It returns an error, with the input and both results, if a result differs. A rewrite that needs
// review may change the fields of a type: functions that use such a type cannot be compared.
func (f *Prover) compare(ctx context.Context, changes scratch.Changes, reviewed bool) (*Answers, error) {
	answers := &Answers{Functions: []string{}}
	for _, dir := range changes.Dirs() {
		before, _, err := f.sourceOf(dir, changes)
		if err != nil {
			return nil, err
		}
		if len(before) == 0 {
			continue // there is no old code
		}
		pkg, err := f.load(ctx, dir)
		if err != nil {
			return nil, err
		}
		f.listIgnored(answers, pkg, changes)
		if err := f.comparePackage(ctx, answers, dir, pkg, changes, reviewed); err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// listIgnored lists the changed files in a package's directory that are not part of this build.
func (f *Prover) listIgnored(answers *Answers, pkg *packages.Package, changes scratch.Changes) {
	for _, file := range pkg.IgnoredFiles {
		rel, err := filepath.Rel(f.scratch.Dir, file)
		if err != nil {
			continue
		}
		name := filepath.ToSlash(rel)
		if _, ok := changes[name]; ok && isSource(name) {
			answers.Not = append(answers.Not, name+" cannot be compared: it is not part of this build")
		}
	}
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

func (f *Prover) comparePackage(ctx context.Context, answers *Answers, dir string, old *packages.Package,
	changes scratch.Changes, reviewed bool,
) error {
	decls, err := f.changedFuncs(old, changes)
	if err != nil {
		return err
	}
	if reviewed {
		if decls, err = f.ofSameTypes(answers, old, decls, changes); err != nil {
			return err
		}
	}
	files, tests, errs := differ.Generate(old, decls)
	for _, err := range errs {
		answers.Not = append(answers.Not, err.Error())
	}
	if len(tests) == 0 {
		return nil
	}
	all := changes.After()
	for name, text := range files {
		all[path.Join(dir, name)] = text
	}
	over, err := f.scratch.Overlay(all)
	if err != nil {
		return err
	}
	if out, err := f.scratch.Go(ctx, over, "test", "-run=^$", "-vet=off", "./"+dir); err != nil && ctx.Err() == nil &&
		strings.Contains(out, "[build failed]") {
		// The old functions do not compile with the new declarations, so each gets its own build.
		side := f.Side("")
		return f.comparePackageBuilds(ctx, answers, old, decls, changeInputs, side, side, changes.After())
	}
	count := filepath.Join(f.scratch.Temp, "compared")
	for _, t := range tests {
		if err := os.WriteFile(count, nil, 0o600); err != nil {
			return err
		}
		env := slices.Concat(f.o.Env, []string{"WHET_COMPARED=" + count})
		if reviewed {
			env = append(env, "WHET_JOINED=1") // a cache or a buffer writes in different pieces
		}
		counting := f.scratch.With(f.o.Flags, env)
		args := []string{
			"-run=^$", "-fuzz=^" + t.Name + "$", "-fuzztime=" + f.o.fuzzTime(), "-fuzzminimizetime=100x",
			"-timeout=" + f.o.Timeout.String(), "-vet=off", "./" + dir,
		}
		out, err := counting.Go(ctx, over, "test", args...)
		for again := 0; err != nil && timeWasUp(out) && again < 3 && ctx.Err() == nil; again++ {
			out, err = counting.Go(ctx, over, "test", args...)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &DifferenceError{Function: t.Function, Text: scratch.LastLines(out)}
		}
		marks, err := os.ReadFile(count)
		if err != nil {
			return err
		}
		switch n := bytes.Count(marks, []byte(".")); {
		case n > 0:
			answers.Inputs += int64(n)
			answers.Functions = append(answers.Functions, t.Function)
		case len(marks) > 0:
			answers.Not = append(answers.Not, t.Function+" cannot be compared: it panics on every input tried")
		default:
			answers.Not = append(answers.Not,
				t.Function+" cannot be compared: no inputs can be generated, or it returns on none of them")
		}
	}
	return nil
}

// ofSameTypes removes the functions whose receiver, parameters or results have a type of the
// package whose declaration has changed, and lists them in answers.
func (f *Prover) ofSameTypes(answers *Answers, old *packages.Package, decls []*ast.FuncDecl,
	changes scratch.Changes,
) ([]*ast.FuncDecl, error) {
	changed := map[string]bool{}
	for file, c := range changes {
		was, err := typeTexts(file, c.Before)
		if err != nil {
			return nil, err
		}
		is, err := typeTexts(file, c.After)
		if err != nil {
			return nil, err
		}
		for name, text := range was {
			changed[name] = is[name] != text
		}
	}
	return slices.DeleteFunc(decls, func(d *ast.FuncDecl) bool {
		other := ""
		for _, list := range []*ast.FieldList{d.Recv, d.Type.Params, d.Type.Results} {
			if list == nil {
				continue
			}
			ast.Inspect(list, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && changed[id.Name] {
					if _, isType := old.TypesInfo.Uses[id].(*types.TypeName); isType {
						other = id.Name
					}
				}
				return true
			})
		}
		if other == "" {
			return false
		}
		answers.Not = append(answers.Not,
			fmt.Sprintf("%s cannot be compared: the rewrite changes the declaration of %s, which needs review",
				declKey(d), other))
		return true
	}), nil
}

// typeTexts returns the source of the types that a file declares.
func typeTexts(name string, source []byte) (map[string]string, error) {
	if source == nil {
		return nil, nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, d := range file.Decls {
		if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.TYPE {
			for _, s := range decl.Specs {
				if spec, ok := s.(*ast.TypeSpec); ok {
					texts[spec.Name.Name] = string(source[fset.Position(spec.Pos()).Offset:fset.Position(spec.End()).Offset])
				}
			}
		}
	}
	return texts, nil
}

// changedFuncs returns the functions of the original package that the changes have in another form.
// A function that only moved, or whose comments changed, is the same.
func (f *Prover) changedFuncs(old *packages.Package, changes scratch.Changes) ([]*ast.FuncDecl, error) {
	var decls []*ast.FuncDecl
	now := map[string]map[string]string{} // by file: functions
	anywhere := map[string][]string{}     // by function: its versions in any file
	for file, c := range changes {
		if !isSource(file) {
			continue
		}
		var err error
		if now[file], err = funcTexts(file, c.After); err != nil {
			return nil, err
		}
		for name, text := range now[file] {
			anywhere[name] = append(anywhere[name], tokens([]byte(text)))
		}
	}
	for _, syntax := range old.Syntax {
		rel, err := filepath.Rel(f.scratch.Dir, old.Fset.Position(syntax.Pos()).Filename)
		if err != nil {
			continue
		}
		file := filepath.ToSlash(rel)
		c, ok := changes[file]
		if !ok || !isSource(file) {
			continue
		}
		for _, d := range syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			was := tokens(c.Before[old.Fset.Position(fn.Pos()).Offset:old.Fset.Position(fn.End()).Offset])
			text, here := now[file][declKey(fn)]
			if !here && len(anywhere[declKey(fn)]) == 0 {
				continue // it is gone
			}
			if here && tokens([]byte(text)) != was || !here && !slices.Contains(anywhere[declKey(fn)], was) {
				decls = append(decls, fn)
			}
		}
	}
	slices.SortFunc(decls, func(a, b *ast.FuncDecl) int { return strings.Compare(declKey(a), declKey(b)) })
	return decls, nil
}

// funcTexts returns the source of a file's functions.
func funcTexts(name string, source []byte) (map[string]string, error) {
	if source == nil {
		return nil, nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			texts[declKey(fn)] = string(source[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset])
		}
	}
	return texts, nil
}

// declKey returns a function's name, with its receiver's type.
func declKey(d *ast.FuncDecl) string { return differ.FuncName(d) }
