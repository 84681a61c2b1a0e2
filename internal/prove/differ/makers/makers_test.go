package makers_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/makers"
)

// check returns a type-checked package with an import path.
func check(t *testing.T, importPath, source string) *packages.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg := &packages.Package{
		PkgPath: importPath, Name: file.Name.Name, Fset: fset, Syntax: []*ast.File{file},
		TypesInfo: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		},
	}
	config := &types.Config{Importer: importer.Default()}
	if pkg.Types, err = config.Check(importPath, fset, pkg.Syntax, pkg.TypesInfo); err != nil {
		t.Fatal(err)
	}
	return pkg
}

const declared = `package p

import "unsafe"

type Names []string

type node struct {
	next *node
	name string
}

type Counter struct{ n int }

func NewCounter(n int) (*Counter, error) { return &Counter{n}, nil }

func (c *Counter) Next() *Counter { return &Counter{c.n + 1} }

type shape interface{ area() float64 }

type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

type Store interface{ Get(key string) (int, error) }

type Visit func(string) bool

type Keep func(string) bool

type Less func(a, b Names) bool

type Equal func(a, b int) bool

type Compare func(a, b string) int

type Add func(a, b int) int

type Hash func(string) uint32

type Load func(string) (*int, bool)

type Print func(chan<- string, string) bool

type Next func() int

type All func(func(k string, v int) bool)

type Clock interface{ Since(n int64) int64 }

type number interface{ ~int | ~string }

type half struct {
	raw unsafe.Pointer
	n   int
}

type holder struct{ h []half }

type raw []unsafe.Pointer

func drain(c chan Names) { <-c }
`

// TestMaker writes makers of each kind of type, or returns why there is none.
func TestMaker(t *testing.T) {
	t.Parallel()
	pkg := check(t, "example.com/p", declared)
	for _, c := range []struct {
		name    string
		code    []string
		why     string
		partial bool
	}{
		{name: "Names", code: []string{"(v Names) {", "n := s.Length()", "v = append(v, whetMake2(s))"}},
		{name: "node", code: []string{"v.next = whetMake2(s)", "to := whetMake1(s)", "if s.Deep()"}},
		{name: "Counter", code: []string{
			"switch s.Choose(2)",
			"made, err := NewCounter(c0)\n\tif err != nil {\n\t\ts.Failed()\n\t\treturn whetMake1(s)\n\t}",
			"made := r.Next()", "return *made",
		}},
		{name: "shape", code: []string{`switch s.Kind("example.com/p.shape", 1)`, "v.side = "}},
		{
			name: "Store",
			code: []string{"x := &whetStub1{s: s", "x.mGetat = 0", `s.Called("Get", p0)`, "return x.mGetr0[i], x.mGetr1[i]"},
		},
		{name: "Visit", code: []string{"return func(p0 string) (bool) {", "s.Called(p0)"}},
		{name: "Keep", code: []string{`whetF := s.Function("Keep")`, "s := whetF.Asked(p0)\nreturn whetMake2(s)"}},
		{name: "Less", code: []string{"return bool(whetF.Less(p0, p1))"}},
		{name: "Equal", code: []string{"return bool(whetF.Equal(p0, p1))"}},
		{name: "Compare", code: []string{"return int(whetF.Order(p0, p1))"}},
		{name: "Add", code: []string{"s := whetF.Asked(p0, p1)"}},
		{name: "Hash", code: []string{"s := whetF.Hashed(p0)"}},
		{name: "Load", code: []string{"s.Called(p0)"}},
		{name: "Print", code: []string{"s.Called(p0, p1)"}},
		{name: "Next", code: []string{"s.Called()"}},
		{name: "All", code: []string{"list[i].v1 = whetMake3(s)", "whetF.Question(i)", "if !yield(x.v0, x.v1) {"}},
		{name: "Clock", code: []string{`fSince: s.Function("Since")`, "s := x.fSince.Asked(p0)"}},
		{name: "number", why: "example.com/p.number is a constraint"},
		{name: "half", code: []string{"v.n = "}, partial: true},
		{name: "holder", code: []string{"v.h = "}, partial: true},
		{name: "raw", why: "no value of unsafe.Pointer can be made"},
		{name: "drain", code: []string{"if true {\n\t\tclose(c)"}},
	} {
		of := pkg.Types.Scope().Lookup(c.name).Type()
		if fn, ok := of.(*types.Signature); ok {
			of = fn.Params().At(0).Type()
		}
		g := makers.New(pkg, nil)
		name, why := g.Maker(of)
		if why != c.why || (name == "whetMake1") != (c.why == "") || g.Partial(name) != c.partial {
			t.Errorf("%s: %q, %q, partial %v", c.name, name, why, g.Partial(name))
		}
		for _, want := range c.code {
			if !strings.Contains(g.Code(), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, g.Code())
			}
		}
		if c.why != "" && g.Code() != "" {
			t.Errorf("%s: abandoned makers remain:\n%s", c.name, g.Code())
		}
		if again, _ := g.Maker(of); again != name {
			t.Errorf("%s: %s, and then %s", c.name, name, again)
		}
		if _, err := g.File("p", g.Code(), nil); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, g.Code())
		}
	}
}

// TestNames checks that the name of a parameter decides what its calls are, and that of its type if that says more.
func TestNames(t *testing.T) {
	t.Parallel()
	pkg := check(t, "example.com/p", `package p

type Visitor func(string) bool

func f(keep, yield, onEvent, reach func(string) bool, v Visitor) {}
`)
	fn, ok := pkg.Types.Scope().Lookup("f").(*types.Func)
	if !ok {
		t.Fatal("no function")
	}
	for p := range fn.Signature().Params().Variables() {
		g := makers.New(pkg, nil)
		if _, why := g.ParameterMaker(p, p.Type()); why != "" {
			t.Fatal(why)
		}
		question := p.Name() == "keep" || p.Name() == "reach"
		if got := strings.Contains(g.Code(), "s.Function("); got != question {
			t.Errorf("%s: a question: %v, want %v\n%s", p.Name(), got, question, g.Code())
		}
	}
	g := makers.New(pkg, nil)
	if _, why := g.Sink(fn.Signature().Params().At(0).Type()); why != "" || !strings.Contains(g.Code(), "s.Called(p0)") {
		t.Errorf("%s\n%s", why, g.Code())
	}
}

// TestVersions makes only values, and calls only functions, that are the same in both versions.
func TestVersions(t *testing.T) {
	t.Parallel()
	old := check(t, "example.com/p", `package p

type Same struct{ a int }
type Longer struct{ a int }
type Changed struct{ a int }
type Gone int
type Built struct{ a int }

func NewBuilt() *Built { return nil }
func Other(a int) {}
func Removed() {}
`)
	now := check(t, "example.com/p/whettwin", `package p

type Same struct{ a int }
type Longer struct { a int; cache []string }
type Changed struct{ a string }
type Built struct { a int; seen map[string]bool }

func NewBuilt() *Built { return nil }
func Other(a int, b ...int) {}
`)
	g := makers.New(old, now)
	for name, want := range map[string]string{
		"Same": "", "Longer": "", "Built": "",
		"Changed": "the change gives the type Changed another declaration",
		"Gone":    "the change removes the type Gone",
	} {
		if _, why := g.Maker(old.Types.Scope().Lookup(name).Type()); why != want {
			t.Errorf("%s: %q, want %q", name, why, want)
		}
	}
	for name, want := range map[string]string{
		"NewBuilt": "", "Other": "the change gives it another signature", "Removed": "the change removes it",
	} {
		fn, ok := old.Types.Scope().Lookup(name).(*types.Func)
		if !ok {
			t.Fatal(name)
		}
		if why := g.Differs(fn); why != want {
			t.Errorf("%s: %q, want %q", name, why, want)
		}
	}
}

// TestFile writes the imports that are used, under names that the package does not declare.
func TestFile(t *testing.T) {
	t.Parallel()
	g := makers.New(check(t, "example.com/p", "package p\n\nfunc f(strings int) int { return strings }\n"), nil)
	name := g.Import("strings", "strings")
	if again := g.Import("strings", "strings"); name == "strings" || again != name {
		t.Errorf("%s, and then %s", name, again)
	}
	g.Import("bytes", "bytes")
	g.Imports["embed"] = "_"
	file, err := g.File("q", "var n = "+name+".Count", func(p string) string { return "example.com/" + p })
	const want = `package q

import (
	_ "example.com/embed"
	whet0strings "example.com/strings"
)

var n = whet0strings.Count
`
	if err != nil || string(file) != want {
		t.Errorf("%v\n%s", err, file)
	}
	if _, err := g.File("q", "var", nil); err == nil {
		t.Error("invalid declarations are written")
	}
}

// TestFileOfOldModule checks that a file uses any also in a module whose language version does not have it.
func TestFileOfOldModule(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		module *packages.Module
		want   string
	}{
		{nil, "package p\n"},
		{&packages.Module{GoVersion: "1.18"}, "package p\n"},
		{&packages.Module{GoVersion: "1.16"}, "//go:build go1.24\n\npackage p\n"},
		{&packages.Module{}, "//go:build go1.24\n\npackage p\n"}, // go.mod has no version: 1.16
	} {
		pkg := check(t, "example.com/p", declared)
		pkg.Module = test.module
		file, err := makers.New(pkg, nil).File("p", "var x any\n", nil)
		if err != nil || !strings.HasPrefix(string(file), test.want) {
			t.Errorf("%+v: %v\n%s", test.module, err, file)
		}
	}
}
