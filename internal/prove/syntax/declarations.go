package syntax

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/prove/differ"
)

// Declarations are the declarations of a package by name: the text of their tokens.
type Declarations struct {
	functions, others map[string]string
	outsides          map[string]string // of structs: what other packages see of them
}

// A Difference lists, by name, what differs between the declarations of two versions of a package.
type Difference struct {
	Functions []string // with another body or signature
	Removed   []string // functions that are only in the first version
	Added     []string // declarations of any kind that are only in the second version
	Others    []string // constants, variables, types and directives that changed or were removed
	// Inside are those of Others that look the same to other packages: structs that have unexported fields
	// in both versions and differ only in these.
	Inside []string
}

// Compare returns how b differs from d.
func (d *Declarations) Compare(b *Declarations) (c Difference) {
	for _, key := range slices.Sorted(maps.Keys(d.functions)) {
		switch text, ok := b.functions[key]; {
		case !ok:
			c.Removed = append(c.Removed, key)
		case text != d.functions[key]:
			c.Functions = append(c.Functions, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.functions)) {
		if _, ok := d.functions[key]; !ok {
			c.Added = append(c.Added, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d.others)) {
		if b.others[key] != d.others[key] {
			c.Others = append(c.Others, key)
			if outside := d.outsides[key]; outside != "" && outside == b.outsides[key] {
				c.Inside = append(c.Inside, key)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.others)) {
		if _, ok := d.others[key]; ok {
			continue
		}
		// A new name changes nothing by itself, but a directive or an import for its side effects may.
		if strings.HasPrefix(key, "directive ") || strings.HasPrefix(key, "import ") {
			c.Others = append(c.Others, key)
		} else {
			c.Added = append(c.Added, key)
		}
	}
	return c
}

// Read reads the declarations of a package's files. It is an error if one is not Go.
func Read(files map[string][]byte) (*Declarations, error) {
	d := &Declarations{functions: map[string]string{}, others: map[string]string{}, outsides: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		source := files[name]
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		text := func(n ast.Node) string {
			return Tokens(source[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
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
func (d *Declarations) addSpecs(decl *ast.GenDecl, text func(ast.Node) string) {
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
			if outside := outsideOf(s, text); outside != "" {
				d.outsides["type "+s.Name.Name] += outside + "\n"
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				d.others[decl.Tok.String()+" "+n.Name] += of + "\n"
			}
		}
	}
}

// outsideOf returns what other packages see of a struct with unexported fields; "" if it is not one.
// Without unexported fields, other packages can write its values without names, compare them, and convert
// them.
func outsideOf(s *ast.TypeSpec, text func(ast.Node) string) string {
	t, ok := s.Type.(*ast.StructType)
	if !ok {
		return ""
	}
	outside, hidden := "struct", false
	if s.TypeParams != nil {
		outside += text(s.TypeParams)
	}
	for _, f := range t.Fields.List {
		exported := len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported)
		if exported {
			outside += "; " + text(f)
		}
		hidden = hidden || !exported
	}
	if !hidden {
		return ""
	}
	return outside
}

// addDirectives adds the comments that the compiler and the go command obey.
func (d *Declarations) addDirectives(name string, file *ast.File) {
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

// Tokens returns source without comments and layout.
func Tokens(source []byte) string {
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
