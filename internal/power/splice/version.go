package splice

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// Read returns the Go files of the package in a directory that this platform builds, without tests,
// by base name.
func Read(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || !syntax.IsSource(name) {
			continue
		}
		if match, err := build.Default.MatchFile(dir, name); err != nil || !match {
			continue
		}
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// A unit is what is replaced or added as a whole: a function, a type, or the constants or variables
// of a declaration.
type unit struct {
	keys []string
	file string
	node ast.Node
	tok  token.Token // of the declaration; 0 for a function
	// The text is from the start of the doc comment, or the node's, to the end of the line's comment.
	from, to token.Pos
	grouped  bool // it is in parentheses
	whole    bool // it is a whole declaration in parentheses, because its constants count
}

// A version is one version of a package.
type version struct {
	fset  *token.FileSet
	texts map[string][]byte
	files map[string]*ast.File
	units []*unit
	by    map[string]*unit // by key
	types *types.Package
	info  *types.Info
}

func read(texts map[string][]byte) (*version, error) {
	v := &version{
		fset: token.NewFileSet(), texts: texts, files: map[string]*ast.File{}, by: map[string]*unit{},
		info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}},
	}
	var all []*ast.File
	for name, text := range texts {
		f, err := parser.ParseFile(v.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` }) {
			return nil, errors.New("it uses cgo")
		}
		v.files[name] = f
		all = append(all, f)
		for _, d := range f.Decls {
			v.add(name, d)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("it has no Go files")
	}
	slices.SortFunc(v.units, func(a, b *unit) int { return int(a.from - b.from) })
	conf := types.Config{Importer: noImports{}, Error: func(error) {}, DisableUnusedImportCheck: true}
	v.types, _ = conf.Check(all[0].Name.Name, v.fset, all, v.info) // imports are missing
	return v, nil
}

type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, fmt.Errorf("package %s is not read", path)
}

// add adds the units of a declaration.
func (v *version) add(file string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.Name != "_" && (d.Name.Name != "init" || d.Recv != nil) {
			v.put(&unit{keys: []string{differ.FuncName(d)}, file: file, node: d}, d.Doc, nil)
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return
		}
		if counts(d) {
			u := &unit{file: file, node: d, tok: d.Tok, whole: true}
			for _, s := range d.Specs {
				u.keys = append(u.keys, keys(d.Tok, s)...)
			}
			v.put(u, d.Doc, nil)
			return
		}
		for _, s := range d.Specs {
			u := &unit{keys: keys(d.Tok, s), file: file, node: s, tok: d.Tok, grouped: d.Lparen.IsValid()}
			doc, comment := comments(s)
			if !u.grouped {
				u.node, doc = d, d.Doc
			}
			v.put(u, doc, comment)
		}
	}
}

func (v *version) put(u *unit, doc, comment *ast.CommentGroup) {
	if len(u.keys) == 0 {
		return
	}
	u.from, u.to = u.node.Pos(), u.node.End()
	if doc != nil {
		u.from = doc.Pos()
	}
	if comment != nil {
		u.to = comment.End()
	}
	v.units = append(v.units, u)
	for _, key := range u.keys {
		v.by[key] = u
	}
}

// counts reports whether constants of a declaration depend on their places in it.
func counts(d *ast.GenDecl) bool {
	if d.Tok != token.CONST || !d.Lparen.IsValid() {
		return false
	}
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			found = found || len(n.Values) == 0
		case *ast.Ident:
			found = found || n.Name == "iota"
		}
		return !found
	})
	return found
}

// keys returns the names that a spec declares, each with its keyword.
func keys(tok token.Token, s ast.Spec) (list []string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		list = append(list, "type "+s.Name.Name)
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.Name != "_" {
				list = append(list, tok.String()+" "+n.Name)
			}
		}
	}
	return list
}

func comments(s ast.Spec) (doc, comment *ast.CommentGroup) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Doc, s.Comment
	case *ast.ValueSpec:
		return s.Doc, s.Comment
	}
	return nil, nil
}

// text returns the source between two positions of a file.
func (v *version) text(file string, from, to token.Pos) string {
	f := v.fset.File(from)
	return string(v.texts[file][f.Offset(from):f.Offset(to)])
}

// tokens returns a unit's source without comments and layout.
func (v *version) tokens(u *unit) string {
	return syntax.Tokens([]byte(v.text(u.file, u.node.Pos(), u.node.End())))
}

// signature returns the tokens of a function's receiver, name and type; "" for another unit.
func (v *version) signature(u *unit) string {
	d, ok := u.node.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	end := d.Type.End()
	return syntax.Tokens([]byte(v.text(u.file, d.Pos(), end)))
}

// unitAt returns the unit that contains a position, or nil.
func (v *version) unitAt(pos token.Pos) *unit {
	i, found := slices.BinarySearchFunc(v.units, pos, func(u *unit, pos token.Pos) int { return int(u.from - pos) })
	if !found {
		i--
	}
	if i < 0 || pos >= v.units[i].to {
		return nil
	}
	return v.units[i]
}

// uses returns the units that a unit refers to. A method of an unknown type counts if the package
// has one of this name.
func (v *version) uses(u *unit) (list []*unit) {
	add := func(o *unit) {
		if o != nil && o != u && !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	ast.Inspect(u.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if v.info.Uses[n.Sel] == nil {
				add(v.onlyMethod(n.Sel.Name))
			}
		case *ast.Ident:
			if obj := v.info.Uses[n]; obj != nil && obj.Pkg() == v.types {
				add(v.unitAt(origin(obj).Pos()))
			}
		}
		return true
	})
	return list
}

// origin returns the generic function, method or field that an object is an instance of.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	}
	return obj
}

// onlyMethod returns the method with a name, if there is exactly one.
func (v *version) onlyMethod(name string) (found *unit) {
	for _, u := range v.units {
		if d, ok := u.node.(*ast.FuncDecl); ok && d.Recv != nil && d.Name.Name == name {
			if found != nil {
				return nil
			}
			found = u
		}
	}
	return found
}

// methods returns the methods of a type.
func (v *version) methods(typeName string) (list []*unit) {
	for _, u := range v.units {
		if d, ok := u.node.(*ast.FuncDecl); ok && d.Recv != nil && receiver(d) == typeName {
			list = append(list, u)
		}
	}
	return list
}

// receiver returns the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	if len(d.Recv.List) == 0 {
		return ""
	}
	name := strings.TrimLeft(types.ExprString(d.Recv.List[0].Type), "*(")
	name, _, _ = strings.Cut(name, "[")
	return strings.TrimRight(name, ")")
}
