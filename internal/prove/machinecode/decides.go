package machinecode

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// Decides reports whether changes are only of what has machine code in its own package: of functions that are not
// generic, in Go files without cgo. Constants, types and variables may have no symbol, and generic functions none
// until others use them. Directives of the compiler count as changes of something else.
func Decides(changes scratch.Changes) bool {
	for name, c := range changes {
		if !strings.HasSuffix(name, ".go") {
			return false
		}
		before, ok := read(c.Before)
		after, ok2 := read(c.After)
		if !ok || !ok2 || !slices.Equal(before.others, after.others) {
			return false
		}
		for _, generic := range [2]map[string]string{before.generic, after.generic} {
			for text := range generic {
				if before.generic[text] != after.generic[text] {
					return false
				}
			}
		}
	}
	return true
}

// A file is what a version of a file declares.
type file struct {
	others  []string          // declarations but functions and imports, and directives, sorted
	generic map[string]string // texts of generic functions
}

// read returns what a file declares; ok is false if that is unknown, or uses cgo. nil is a file without declarations.
func read(text []byte) (f file, ok bool) {
	f.generic = map[string]string{}
	if text == nil {
		return f, true
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return f, false
	}
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:linkname") {
				return f, false // others may know the name of an unexported function
			}
			if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "// +build") {
				f.others = append(f.others, c.Text)
			}
		}
	}
	parsed.Comments = nil
	for _, d := range parsed.Decls {
		var b bytes.Buffer
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				for _, spec := range d.Specs {
					spec := spec.(*ast.ImportSpec)
					blank := spec.Name != nil && spec.Name.Name == "_"
					if spec.Path.Value == `"C"` || blank {
						f.others = append(f.others, spec.Path.Value)
					}
					if spec.Path.Value == `"C"` {
						return f, false
					}
				}
				continue
			}
			for _, spec := range d.Specs {
				b.Reset()
				clearDocs(spec)
				if err := format.Node(&b, token.NewFileSet(), spec); err != nil {
					return f, false
				}
				f.others = append(f.others, d.Tok.String()+" "+b.String())
			}
			if d.Tok == token.CONST && len(d.Specs) > 1 { // their order may count
				b.Reset()
				for _, spec := range d.Specs {
					_ = format.Node(&b, token.NewFileSet(), spec)
				}
				f.others = append(f.others, b.String())
			}
		case *ast.FuncDecl:
			if !isGeneric(d) {
				continue
			}
			d.Doc = nil
			if err := format.Node(&b, token.NewFileSet(), d); err != nil {
				return f, false
			}
			f.generic[b.String()] = "is there"
		}
	}
	slices.Sort(f.others)
	return f, true
}

// clearDocs removes the comments of a declaration.
func clearDocs(spec ast.Spec) {
	ast.Inspect(spec, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
}

// isGeneric reports whether a function has type parameters, or its receiver has.
func isGeneric(d *ast.FuncDecl) bool {
	if d.Type.TypeParams != nil {
		return true
	}
	generic := false
	if d.Recv != nil {
		ast.Inspect(d.Recv, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.IndexExpr, *ast.IndexListExpr:
				generic = true
			}
			return true
		})
	}
	return generic
}
