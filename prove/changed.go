package prove

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/prove/differ"
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
	// Tests are edits of tests, benchmarks and their data. They are not evidence unless the user
	// accepts them.
	Tests []string `json:"tests,omitempty"`
	// Other are files that are not compiled, and Outside files outside of the module. They are not
	// judged.
	Other   []string `json:"other,omitempty"`
	Outside []string `json:"outside,omitempty"`
}

// fileKind is the kind of a changed file.
type fileKind int

const (
	codeFile fileKind = iota
	testFile
	otherFile
)

// kindOf returns what a changed file of the module is. embedded are the files that packages embed.
func kindOf(file string, embedded []string) fileKind {
	dirs := strings.Split(path.Dir(file), "/")
	base, ext := path.Base(file), path.Ext(file)
	switch {
	case strings.HasSuffix(base, "_test.go"), slices.Contains(dirs, "testdata"):
		return testFile
	case ext == ".go" && slices.ContainsFunc(dirs, func(d string) bool {
		return d != "." && (strings.HasPrefix(d, "_") || strings.HasPrefix(d, "."))
	}):
		return otherFile // the go command ignores it
	case isCompiled(ext), base == "go.mod", base == "go.sum", slices.Contains(embedded, file):
		return codeFile
	case strings.HasPrefix(file, "vendor/"):
		return codeFile
	case ext == ".golden", strings.Contains(base, ".golden."):
		return testFile
	}
	return otherFile
}

// isCompiled reports whether the go command compiles or links files with an extension (go help
// packages).
func isCompiled(ext string) bool {
	switch ext {
	case ".go", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90", ".s", ".S",
		".sx", ".swig", ".swigcxx", ".syso":
		return true
	}
	return false
}

// split divides changes into code and tests, and lists the others.
func split(all Changes, embedded []string, c *Changed) (code, tests Changes) {
	code, tests = Changes{}, Changes{}
	for _, file := range slices.Sorted(maps.Keys(all)) {
		switch kindOf(file, embedded) {
		case codeFile:
			code[file] = all[file]
			c.Files = append(c.Files, file)
		case testFile:
			tests[file] = all[file]
			c.Tests = append(c.Tests, file)
		case otherFile:
			c.Other = append(c.Other, file)
		}
	}
	return code, tests
}

// decls are the declarations of a package by name: the text of their tokens.
type decls struct {
	functions, others map[string]string
}

// compareDecls adds to c the declarations that differ.
func (c *Changed) compareDecls(dir string, a, b *decls) {
	name := func(key string) string {
		if dir == "." {
			return key
		}
		return dir + "." + key
	}
	for _, key := range slices.Sorted(maps.Keys(a.functions)) {
		switch text, ok := b.functions[key]; {
		case !ok:
			c.Removed = append(c.Removed, name(key))
		case text != a.functions[key]:
			c.Functions = append(c.Functions, name(key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.functions)) {
		if _, ok := a.functions[key]; !ok {
			c.Added = append(c.Added, name(key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.others)) {
		if b.others[key] != a.others[key] {
			c.Declarations = append(c.Declarations, name(key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.others)) {
		if _, ok := a.others[key]; ok {
			continue
		}
		// A new name changes nothing by itself, but a directive or an import for its side effects may.
		if strings.HasPrefix(key, "directive ") || strings.HasPrefix(key, "import ") {
			c.Declarations = append(c.Declarations, name(key))
		} else {
			c.Added = append(c.Added, name(key))
		}
	}
}

// declsOf reads the declarations of a package's files. It is an error if one is not Go.
func declsOf(files map[string][]byte) (*decls, error) {
	d := &decls{functions: map[string]string{}, others: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		source := files[name]
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		text := func(n ast.Node) string {
			return tokens(source[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.functions[differ.FuncName(decl)] += text(decl) + "\n"
			case *ast.GenDecl:
				d.addSpecs(decl, text)
			}
		}
		d.addDirectives(path.Base(name), file)
	}
	return d, nil
}

// addSpecs adds constants, variables and types, and imports for their side effects.
func (d *decls) addSpecs(decl *ast.GenDecl, text func(ast.Node) string) {
	whole := decl.Tok == token.CONST && slices.ContainsFunc(decl.Specs, func(s ast.Spec) bool {
		v, ok := s.(*ast.ValueSpec)
		return ok && len(v.Values) == 0 // it repeats what is above it, and may count with iota
	})
	for _, s := range decl.Specs {
		of := text(s)
		if whole {
			of = text(decl)
		}
		switch s := s.(type) {
		case *ast.ImportSpec:
			if s.Name != nil && (s.Name.Name == "_" || s.Name.Name == ".") {
				d.others["import "+s.Path.Value] += of
			}
		case *ast.TypeSpec:
			d.others["type "+s.Name.Name] += of + "\n"
		case *ast.ValueSpec:
			for _, n := range s.Names {
				d.others[decl.Tok.String()+" "+n.Name] += of + "\n"
			}
		}
	}
}

// addDirectives adds the comments that the compiler and the go command obey.
func (d *decls) addDirectives(name string, file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "// +build ") ||
				strings.HasPrefix(c.Text, "//export ") {
				first, _, _ := strings.Cut(c.Text, " ")
				d.others["directive "+first+" in "+name] += c.Text + "\n"
			}
		}
	}
}

// tokens returns source without comments and layout.
func tokens(source []byte) string {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, func(token.Position, string) {}, 0)
	var out []byte
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return string(out)
		case tok == token.SEMICOLON:
			lit = ";" // or a new line
		}
		if tok == token.RBRACE || tok == token.RPAREN { // nothing depends on whether the last one is there
			out = bytes.TrimSuffix(bytes.TrimSuffix(out, []byte("; ")), []byte(", "))
		}
		out = append(append(out, cmp.Or(lit, tok.String())...), ' ')
	}
}

// sourceOf returns the source files in a directory of the copy, by name relative to the module,
// before and after changes.
func (f *Prover) sourceOf(dir string, changes Changes) (before, after map[string][]byte, err error) {
	before, after = map[string][]byte{}, map[string][]byte{}
	entries, err := os.ReadDir(f.scratch.Path(dir))
	if err != nil && !os.IsNotExist(err) {
		return nil, nil, err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if !isSource(name) || !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(f.scratch.Path(name))
		if err != nil {
			return nil, nil, err
		}
		before[name], after[name] = data, data
	}
	for name, c := range changes {
		if path.Dir(name) != dir || !isSource(name) {
			continue
		}
		if after[name] = c.After; c.After == nil {
			delete(after, name)
		}
	}
	return before, after, nil
}

func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// analyze adds to c what changes in each package.
func (f *Prover) analyze(code Changes, c *Changed) error {
	for _, dir := range code.Dirs() {
		before, after, err := f.sourceOf(dir, code)
		if err != nil {
			return err
		}
		a, err := declsOf(before)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		b, err := declsOf(after)
		if err != nil {
			return &NotGoError{err}
		}
		c.compareDecls(dir, a, b)
		if len(before) == 0 {
			c.Added = append(c.Added, "package in "+dir)
		}
	}
	for file := range code {
		if !isSource(file) {
			c.Declarations = append(c.Declarations, "file "+file)
		}
	}
	slices.Sort(c.Declarations)
	return nil
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
