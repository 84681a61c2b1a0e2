package flow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ast/inspector"
)

const placesSource = `package p

type list []int

func (*list) grow() {}
func (list) sum() int { return 0 }

type pair struct{ numbers [2]int; next *pair }

func f(steady, set, taken, captured []int, reads list, ranged []int, p pair, own list) {
	start()
	set = nil
	_ = &taken
	func() { captured = nil }()
	own.grow()
	reads.sum()
	for _, x := range ranged { _ = x }
	_ = p.numbers[:]
	_ = steady
	_ = &p.next.next
	stop()
}

func start() {}
func stop() {}
`

// TestPlacesSteady determines for each parameter of f whether it changes between start and stop.
func TestPlacesSteady(t *testing.T) {
	info, root := check(t, placesSource)
	places := NewPlaces(info, root)
	var from, to token.Pos
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		if id, ok := c.Node().(*ast.CallExpr).Fun.(*ast.Ident); ok {
			switch id.Name {
			case "start":
				from = c.Node().Pos()
			case "stop":
				to = c.Node().Pos()
			}
		}
	}
	want := map[string]bool{"steady": true, "reads": true, "ranged": true}
	got := map[string]bool{}
	for v := range places {
		if places.Steady(info, v, from, to) {
			got[v.Name()] = true
		}
	}
	for name := range want {
		if !got[name] {
			t.Errorf("%s changes", name)
		}
	}
	for name := range got {
		if !want[name] {
			t.Errorf("%s does not change", name)
		}
	}
}

// TestAddresses determines for each use of x whether it takes the address of x or of a part.
func TestAddresses(t *testing.T) {
	for expr, want := range map[string]bool{
		"&x": true, "&(x)": true, "&x.numbers": true, "&x.numbers[1]": true, "x.numbers[:]": true, "x.set": true,
		"&x.next.numbers": false, "x.next.set": false, "x.numbers[0]": false,
		"x.get": false, "&x.list[0]": false, "x.list[:]": false,
	} {
		info, root := check(t, "package p\ntype pair struct{ numbers [2]int; next *pair; list []int }\n"+
			"func (p *pair) set() {}\nfunc (p pair) get() {}\n"+
			"func f(x pair) { _ = "+expr+" }")
		var x *types.Var
		for v := range NewPlaces(info, root) {
			if v.Name() == "x" {
				x = v
			}
		}
		uses := Uses(info, root, x)
		if got := Addresses(info, uses[len(uses)-1]); got != want {
			t.Errorf("Addresses in %s is %v, want %v", expr, got, want)
		}
	}
}

func check(t *testing.T, source string) (*types.Info, inspector.Cursor) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", strings.TrimSpace(source), 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	if _, err := (&types.Config{}).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	return info, inspector.New([]*ast.File{file}).Root()
}
