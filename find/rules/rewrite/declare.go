package rewrite

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Declare returns the edit that inserts declarations before the top-level declaration that contains
// a position, and before its comment.
func Declare(pass *analysis.Pass, at token.Pos, text string) (analysis.TextEdit, bool) {
	decl := Declaration(pass, at)
	if decl == nil {
		return analysis.TextEdit{}, false
	}
	before := decl.Pos()
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			before = d.Doc.Pos()
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			before = d.Doc.Pos()
		}
	}
	return Insert(before, strings.TrimRight(text, "\n")+"\n\n"), true
}

// Elsewhere reports whether a name occurs in Go files of the package's directory that are not part
// of the pass: tests and files for other systems. A package variable that they may use must not
// change. It is true if the directory cannot be read.
func Elsewhere(pass *analysis.Pass, name string) bool {
	if len(pass.Files) == 0 {
		return true
	}
	known := map[string]bool{}
	dir := ""
	for _, f := range pass.Files {
		file := pass.Fset.File(f.FileStart).Name()
		known[filepath.Base(file)] = true
		dir = filepath.Dir(file)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return true
	}
	for _, e := range entries {
		if e.IsDir() || known[e.Name()] || !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := pass.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || mentions(text, name) {
			return true
		}
	}
	return false
}

// mentions reports whether Go source contains the identifier name.
func mentions(source []byte, name string) bool {
	if !strings.Contains(string(source), name) {
		return false
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), source, nil, 0)
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return false
		case tok == token.IDENT && text == name:
			return true
		}
	}
}

// Universe reports whether predeclared names, such as len or string, have their usual meaning in
// every file of a package, so that generated code may use them.
func Universe(pass *analysis.Pass, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return pass.Pkg.Scope().Lookup(name) != nil || types.Universe.Lookup(name) == nil
	})
}
