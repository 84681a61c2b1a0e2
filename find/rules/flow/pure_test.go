package flow

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/ast/inspector"
)

const variables = `package p

type plain string

type loud string

func (loud) String() string { return "" }

func f[T ~string](kept string, set int, pointed string, named plain, method loud, list []string, generic T, any any, closure bool) (result float64) {
	once := kept
	again := once
	again, other := "a", kept
	set++
	p := &pointed
	go func() { closure = *p == other }()
	for i, turn := range list {
		_, _ = i, turn
	}
	for count := 0; count < 3; count++ {
		_ = again
	}
	var declared uint8 = 3
	_ = declared
	return 1
}
`

func TestSteady(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", variables, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{},
	}
	conf := types.Config{Importer: importer.Default()}
	if _, err := conf.Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"kept": true, "set": false, "pointed": false, "named": true, "method": false, "list": false,
		"generic": false, "any": false, "closure": false,
		"result": false, "once": true, "again": false, "other": true, "p": false,
		"i": true, "turn": true, "count": false, "declared": true,
	}
	seen := map[string]bool{}
	for decl := range inspector.New([]*ast.File{file}).Root().Preorder((*ast.FuncDecl)(nil)) {
		for c := range decl.Preorder((*ast.Ident)(nil)) {
			id, ok := c.Node().(*ast.Ident)
			if !ok {
				continue
			}
			v, ok := info.Defs[id].(*types.Var)
			if !ok {
				continue
			}
			seen[id.Name] = true
			if got := Steady(info, decl, v); got != want[id.Name] {
				t.Errorf("Steady(%s) = %v, want %v", id.Name, got, want[id.Name])
			}
		}
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("no variable %s", name)
		}
	}
}
