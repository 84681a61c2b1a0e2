package rewrite

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// passOf returns a pass over a package with one file, and the position of the mark, which is
// removed.
func passOf(t *testing.T, source string) (*analysis.Pass, token.Pos) {
	t.Helper()
	before, after, _ := strings.Cut(source, "/*here*/")
	source = before + strings.TrimPrefix(after, " ")
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		Scopes:       map[ast.Node]*types.Scope{},
		FileVersions: map[*ast.File]string{},
	}
	cfg := types.Config{Importer: importer.Default(), Error: func(error) {}} // unused imports and variables do not matter
	pkg, _ := cfg.Check("example.com/p", fset, []*ast.File{file}, info)
	return &analysis.Pass{
		Fset: fset, Files: []*ast.File{file}, Pkg: pkg, TypesInfo: info,
		ReadFile: func(string) ([]byte, error) { return []byte(source), nil },
	}, fset.File(file.Pos()).Pos(len(before))
}

// cursorAt returns the cursor of the innermost node of a kind among the first to begin after the
// mark.
func cursorAt(t *testing.T, pass *analysis.Pass, at token.Pos, kind ast.Node) inspector.Cursor {
	t.Helper()
	for c := range inspector.New(pass.Files).Root().Preorder(kind) {
		if c.Node().Pos() >= at {
			return c
		}
	}
	t.Fatalf("no %T after the mark", kind)
	return inspector.Cursor{}
}

// applied returns the source after edits.
func applied(t *testing.T, pass *analysis.Pass, edits ...analysis.TextEdit) string {
	t.Helper()
	source, err := pass.ReadFile("p.go")
	if err != nil {
		t.Fatal(err)
	}
	file := pass.Fset.File(pass.Files[0].Pos())
	var all []Edit
	for _, e := range edits {
		all = append(all, Edit{From: file.Offset(e.Pos), To: file.Offset(e.End), Text: string(e.NewText)})
	}
	out, err := Apply(source, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
