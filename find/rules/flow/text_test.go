package flow_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
)

const textSource = `package p

import "strconv"

type T struct{ s string }

func (t *T) set() string { t.s = ""; return "" }

func f(a, b string, t *T, u T, n int) []string {
	c := a
	add := func() { c += "x" }
	add()
	p := &b
	_ = p
	return []string{
		a + strconv.Itoa(n) + t.set(),
		t.s + t.set(),
		c + t.set(),
		b + t.set(),
		t.set() + c + t.s,
		t.s + c + b + "x",
		"x" + t.set() + "y" + t.set(),
		string(rune(n)) + t.set(),
		u.set() + u.s,
	}
}
`

// TestInOrder uses the elements of the slice that f returns as operands.
func TestInOrder(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", textSource, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	cfg := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := cfg.Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	want := []bool{false, false, false, false, true, true, true, true, true}
	private := map[string]bool{"a": true, "b": false, "c": false, "t": true, "u": false, "n": true}
	root := inspector.New([]*ast.File{file}).Root()
	seen := 0
	for c := range root.Preorder((*ast.CompositeLit)(nil)) {
		within, ok := flow.Outermost(c)
		lit, isLit := c.Node().(*ast.CompositeLit)
		if !ok || !isLit {
			t.Fatal("the slice is in no function")
		}
		for i, e := range lit.Elts {
			operands := flow.Operands(info, e)
			if got := flow.InOrder(info, within, operands); got != want[i] {
				t.Errorf("element %d: in order %v, want %v", i, got, want[i])
			}
			seen++
		}
		for id, obj := range info.Defs {
			v, isVar := obj.(*types.Var)
			wanted, isAsked := private[id.Name]
			if !isVar || !isAsked || v.IsField() || v.Parent() == nil || len(flow.Uses(info, within, v)) < 2 {
				continue
			}
			if got := flow.Private(info, within, v); got != wanted {
				t.Errorf("%s private: %v, want %v", id.Name, got, wanted)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d elements, want %d", seen, len(want))
	}
}
