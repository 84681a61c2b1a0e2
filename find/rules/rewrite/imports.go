package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Import returns the name by which the code at a position refers to a package, and the edits that
// import it if the file does not, or if a variable shadows its name there. If the name is taken,
// the import gets another one. ok is false if the position is in no file, or if cgo processes the
// file.
func Import(pass *analysis.Pass, at token.Pos, importPath string) (name string, edits []analysis.TextEdit, ok bool) {
	file := File(pass, at)
	if file == nil {
		return "", nil, false
	}
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if p == "C" {
			return "", nil, false
		}
		if err != nil || p != importPath {
			continue
		}
		var pkg *types.PkgName
		if spec.Name != nil {
			pkg, _ = pass.TypesInfo.Defs[spec.Name].(*types.PkgName)
		} else {
			pkg, _ = pass.TypesInfo.Implicits[spec].(*types.PkgName)
		}
		if pkg == nil || pkg.Name() == "_" || pkg.Name() == "." {
			continue
		}
		// The meaning of the name where it is to be used.
		if Lookup(pass, at, pkg.Name()) == types.Object(pkg) {
			return pkg.Name(), nil, true
		}
	}
	name = packageName(importPath)
	if !clashes(pass, file, at, name) {
		return name, importEdits(pass, file, strconv.Quote(importPath)), true
	}
	base := name + "pkg"
	if isStandard(pass, strconv.Quote(importPath)) {
		base = "std" + name
	}
	name = base
	for i := 2; clashes(pass, file, at, name) || declares(file, name); i++ {
		name = base + strconv.Itoa(i)
	}
	return name, importEdits(pass, file, name+" "+strconv.Quote(importPath)), true
}

// packageName returns the name of a package by its path: the last element that is not a version.
func packageName(importPath string) string {
	name := path.Base(importPath)
	if digits, ok := strings.CutPrefix(name, "v"); ok {
		if _, err := strconv.Atoi(digits); err == nil {
			name = path.Base(path.Dir(importPath))
		}
	}
	return name
}

// clashes reports whether a file cannot import a package under a name that is to be used at a
// position: the package declares it, the file has another import with it, a variable shadows it
// there, or it would shadow a predeclared name.
func clashes(pass *analysis.Pass, file *ast.File, at token.Pos, name string) bool {
	if scope := pass.TypesInfo.Scopes[file]; scope != nil && scope.Lookup(name) != nil {
		return true
	}
	return pass.Pkg.Scope().Lookup(name) != nil || Lookup(pass, at, name) != nil || token.IsKeyword(name)
}

// Texts that add parentheses to an import. Apply inserts them once.
const (
	openImport  = "(\n\t"
	closeImport = "\n)"
)

// importEdits adds an import to the group of imports that it belongs to. Formatting sorts a group.
func importEdits(pass *analysis.Pass, file *ast.File, spec string) []analysis.TextEdit {
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT || len(d.Specs) == 0 {
			continue
		}
		if d.Lparen.IsValid() {
			return []analysis.TextEdit{groupEdit(pass, d, spec)}
		}
		old := d.Specs[0]
		return []analysis.TextEdit{
			Insert(old.Pos(), openImport), Insert(old.Pos(), spec+"\n\t"),
			Insert(old.End(), closeImport),
		}
	}
	return []analysis.TextEdit{Insert(file.Name.End(), "\n\nimport "+spec+"\n")}
}

// groupEdit adds an import to a declaration with parentheses: to the first group of standard
// library packages, or to the last one of others; if there is no such group, to a new one.
func groupEdit(pass *analysis.Pass, d *ast.GenDecl, spec string) analysis.TextEdit {
	standard := isStandard(pass, spec)
	var begin, found token.Pos // of a group, and of the one to add to
	alike, last := false, 0    // whether the whole group is of the same kind; the line where it ends
	take := func() {
		if alike && (!standard || !found.IsValid()) {
			found = begin
		}
	}
	for _, s := range d.Specs {
		old, ok := s.(*ast.ImportSpec)
		if !ok {
			continue
		}
		at := old.Pos()
		if old.Doc != nil {
			at = old.Doc.Pos()
		}
		if line := pass.Fset.Position(at).Line; line > last+1 {
			take()
			begin, alike = at, true
		}
		alike = alike && isStandard(pass, old.Path.Value) == standard
		last = pass.Fset.Position(old.End()).Line
	}
	take()
	switch {
	case found.IsValid():
		return Insert(found, spec+"\n\t")
	case standard:
		first := d.Specs[0].Pos()
		if s, ok := d.Specs[0].(*ast.ImportSpec); ok && s.Doc != nil {
			first = s.Doc.Pos()
		}
		return Insert(first, spec+"\n\n\t")
	}
	return Insert(d.Rparen, "\n\t"+spec+"\n")
}

// isStandard reports whether an import is in the standard library, judging by its path.
func isStandard(pass *analysis.Pass, spec string) bool {
	_, quoted, named := strings.Cut(spec, " ")
	if !named {
		quoted = spec
	}
	first, _, _ := strings.Cut(strings.Trim(quoted, "\"`"), "/")
	own, _, _ := strings.Cut(pass.Pkg.Path(), "/")
	return !strings.Contains(first, ".") && first != own
}
