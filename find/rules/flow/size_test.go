package flow_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/whet-go/whet/find/rules/flow"
)

func TestSizeVaries(t *testing.T) {
	t.Parallel()
	const source = `package p

type Of[T any] struct{ list [4]T }

type Plain struct{ of Of[int]; p *Plain }

func f[T any](a T, b [2]T, c Of[T], d Of[int], e Plain, f *T, g []T) {}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	params := pkg.Scope().Lookup("f").Type().(*types.Signature).Params()
	for i, want := range []bool{true, true, true, false, false, false, false} {
		if v := params.At(i); flow.SizeVaries(v.Type()) != want {
			t.Errorf("%s %s: %v", v.Name(), v.Type(), !want)
		}
	}
}
