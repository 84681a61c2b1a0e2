package emptiness_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/emptiness"
)

// TestHidden checks for which uses of a result nil and empty are the same.
func TestHidden(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, source string
		want         bool
	}{
		{"no use", ``, true},
		{"range", `func F() { for _, x := range list() { println(x) } }`, true},
		{"length", `func F() int { return len(list()) }`, true},
		{"capacity", `func F() int { return cap(list()) }`, false},
		{"compared with nil", `func F() bool { return list() == nil }`, false},
		{"a variable that is compared with nil", `func F() bool { l := list(); return l != nil }`, false},
		{"a variable that is ranged over", `func F() { l := list(); if len(l) > 0 { println(l[0]) } }`, true},
		{"returned by an exported function", `func F() []int { return list() }`, false},
		{
			"returned by an unexported one",
			`func f() []int { return list() }; func F() int { return len(f()) }`, true,
		},
		{
			"as a named result",
			`func f() (l []int) { l = list(); return }; func F() bool { return f() == nil }`, false,
		},
		{
			"as a named result that is hidden",
			`func f() (l []int) { l = list(); return }; func F() int { return len(f()) }`, true,
		},
		{"appended", `func F(to []int) []int { return append(to, list()...) }`, true},
		{"appended to", `func F() int { l := list(); l = append(l, 1); return len(l) }`, true},
		{"appended to, and returned", `func F() []int { l := list(); l = append(l, 1); return l }`, false},
		{"appended to twice", `func F() ([]int, []int) { l := list(); return append(l, 1), append(l, 2) }`, false},
		{
			"copied in parentheses",
			`func F() int { l := list(); m := (l); m = append(m, 1); return len(l) + len(m) }`, false,
		},
		{
			"copied as a slice",
			`func F() int { l := list(); m := l[0:]; m = append(m, 1); return len(l) + len(m) }`, false,
		},
		{
			"copied as another type",
			`type T []int; func F() int { l := list(); m := T(l); m = append(m, 1); return len(l) + len(m) }`, false,
		},
		{"copied", `func F() int { l := list(); m := l; m = append(m, 1); return len(l) + len(m) }`, false},
		{
			"appended to by a parameter's function",
			`func g(l []int) int { l = append(l, 1); return l[0] }; func F() int { return g(list()) }`, false,
		},
		{"a parameter", `func g(l []int) int { return len(l) }; func F() int { return g(list()) }`, true},
		{
			"a parameter that is compared with nil",
			`func g(l []int) bool { return l == nil }; func F() bool { return g(list()) }`, false,
		},
		{
			"one of several parameters",
			`func g(l ...[]int) bool { return l[0] == nil }; func F() bool { return g(list()) }`, false,
		},
		{"an interface", `func g(l any) {}; func F() { g(list()) }`, false},
		{"a variable of an interface type", `func F() any { var a any = list(); return a }`, false},
		{"a field", `type T struct { l []int }; func F() T { return T{list()} }`, false},
		{"a package variable", `var all []int; func F() { all = list() }`, false},
		{"a pointer", `func F() *[]int { l := list(); return &l }`, false},
		{"a channel", `func F(c chan []int) { c <- list() }`, false},
		{"a value", `var f = list; func F() []int { return f() }`, false},
		{
			"a loop through functions",
			`func f(n int) []int { if n == 0 { return list() }; return f(n-1) }
			func F() int { return len(f(3)) }`, true,
		},
		{
			"a function literal that is a parameter",
			`func each(f func(int) []int) (n int) { for i := range 3 { if v := f(i); len(v) > 0 { n += v[0] } }; return n }
			func F() int { return each(func(int) []int { return list() }) }`, true,
		},
		{
			"a function literal that is a parameter, whose result is returned",
			`func each(f func(int) []int) []int { return f(1) }
			func F() []int { return each(func(int) []int { return list() }) }`, false,
		},
		{
			"a function literal that is returned",
			`func F() func() []int { return func() []int { return list() } }`, false,
		},
		{
			"a function literal in a variable",
			`func F() int { f := func() []int { return list() }; return len(f()) }`, true,
		},
		{"a slice of it", `func F() int { return len(list()[1:]) }`, true},
		{"a slice of it, to its capacity", `func F() int { return len(list()[:1]) }`, false},
		{"sorted", `func F() int { l := list(); slices.Sort(l); return len(l) }`, true},
		{"cloned", `func F() []int { return slices.Clone(list()) }`, false},
		{
			"the second result",
			`func two() (int, []int) { return 1, list() }; func F() int { _, l := two(); return len(l) }`, true,
		},
		{"a linked name", "//go:linkname list other.list\nfunc F() {}", false},
	} {
		const before = "package p\n\nimport \"slices\"\n\nvar _ = slices.Max[[]int]\n\nfunc list() []int { return nil }\n\n"
		pkg := load(t, before+test.source)
		fn, ok := pkg.Types.Scope().Lookup("list").(*types.Func)
		if !ok {
			t.Fatal("no function")
		}
		if got := emptiness.New(pkg).Hidden(fn, 0); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestHiddenMethods checks that a method which an interface may call is not hidden, and one of a generic type is.
func TestHiddenMethods(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, source string
		want         bool
	}{
		{
			"a method",
			`type T struct{}; func (T) list() []int { return nil }; func (t T) F() int { return len(t.list()) }`, true,
		},
		{
			"a method of an interface, too",
			`type I interface { list() []int }; type T struct{}; func (T) list() []int { return nil }
			func F(i I) []int { return i.list() }`, false,
		},
		{
			"a method value",
			`type T struct{}; func (T) list() []int { return nil }
			func (t T) F() []int { f := t.list; return f() }`, false,
		},
		{
			"a method of a generic type",
			`type T[E any] struct{ e E }; func (t T[E]) list() []E { return nil }
			func F() int { return len(T[int]{}.list()) }`, true,
		},
		{
			"a method of a generic type, compared",
			`type T[E any] struct{ e E }; func (t T[E]) list() []E { return nil }
			func F() bool { return T[int]{}.list() == nil }`, false,
		},
		{"not a slice", `type T struct{}; func (T) list() map[int]int { return nil }`, false},
		{"exported", `type T struct{}; func (T) List() []int { return nil }`, false},
	} {
		pkg := load(t, "package p\n\n"+test.source)
		var method *types.Func
		for id, obj := range pkg.TypesInfo.Defs {
			if fn, ok := obj.(*types.Func); ok && (id.Name == "list" || id.Name == "List") && fn.Signature().Recv() != nil {
				if _, isInterface := fn.Signature().Recv().Type().Underlying().(*types.Interface); !isInterface {
					method = fn
				}
			}
		}
		if got := emptiness.New(pkg).Hidden(method, 0); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func load(t *testing.T, source string) *packages.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err, source)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Instances: map[*ast.Ident]types.Instance{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err, source)
	}
	return &packages.Package{Types: pkg, TypesInfo: info, Syntax: []*ast.File{file}, Fset: fset}
}
