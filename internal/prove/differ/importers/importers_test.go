package importers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/prove/scratch"
)

const module = `
-- go.mod --
module example.com/m

go 1.26
-- a/a.go --
package a

const A = 1
-- b/b.go --
package b

import "example.com/m/a"

const B = a.A
-- c/c.go --
package c

import (
	"example.com/m/apart"
	"example.com/m/b"
)

const C = b.B + apart.N
-- apart/apart.go --
package apart

const N = 1
-- internal/in/in.go --
package in
-- internal/known/known.go --
package known
-- main.go --
package main

import _ "example.com/m/c"

func main() {}
-- tools/go.mod --
module example.com/m/tools

go 1.26
-- tools/tools.go --
package tools

import _ "example.com/m/internal/known"
-- x/internal/go.mod --
module example.com/x
-- b/b_plan9.go --
package b

import "example.com/m/a"

const Plan9 = a.A
-- b/gen.go --
//go:build ignore

package main

import _ "example.com/m/a" // A
`

func writeModule(t *testing.T) *scratch.Module {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(module)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := scratch.New(t.Context(), dir, scratch.Options{Timeout: time.Minute, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// TestGraph checks what must be copied, who imports what, and who can.
func TestGraph(t *testing.T) {
	m := writeModule(t)
	changes := scratch.Changes{
		"a/a.go":     {After: []byte("package a\n\nconst A = 2\n")},
		"new/new.go": {After: []byte("package new\n\nimport \"example.com/m/a\"\n\nconst N = a.A\n")},
		"apart/apart.go": {
			After: []byte("package apart\n\nimport \"example.com/m/new\"\n\nconst N = new.N\n"),
		},
	}
	g, err := Read(t.Context(), m, changes, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	dirs := func(dir string) (list []string) {
		for _, p := range g.Between(dir) {
			list = append(list, p.Dir)
		}
		return list
	}
	for dir, want := range map[string][]string{
		"a": {"a"}, "b": {"b", "a"}, "c": {"c", "a", "apart", "b", "new"}, "internal/in": {"internal/in"},
		".": {".", "a", "apart", "b", "c", "new"},
	} {
		if got := dirs(dir); !slices.Equal(got, want) {
			t.Errorf("%s: copies of %q, want %q", dir, got, want)
		}
	}
	want := []string{"example.com/m/b", "example.com/m/c", "example.com/m"}
	if got := g.Of("example.com/m/a"); !slices.Equal(got, want) {
		t.Errorf("a is imported by %q, want %q", got, want)
	}
	for p, want := range map[string]bool{"/a": true, "": false, "/internal/in": false, "/internal/known": true} {
		if got := g.Importable("example.com/m" + p); got != want {
			t.Errorf("%q: importable is %v", p, got)
		}
	}
	files, err := g.Elsewhere("example.com/m/a", "A")
	if err != nil || !slices.Equal(files, []string{"b/b_plan9.go"}) {
		t.Errorf("not in this build: %q, %v", files, err)
	}
}

// TestExposes checks whether exported declarations show a type of another package, whether values contain one,
// and whether they become interfaces.
func TestExposes(t *testing.T) {
	for _, test := range []struct {
		source           string
		exposes, in, any bool // in: values of a type U contain it
	}{
		{source: "type U struct{ F q.T }", exposes: true, in: true},
		{source: "type U struct{ t *q.T }", in: true},
		{source: "type U struct{ q.T }", exposes: true, in: true},
		{source: "type U struct{ t }; type t struct{ F []q.T }", exposes: true, in: true},
		{source: "type U int; func F() (map[string]q.T, error) { return nil, nil }", exposes: true},
		{source: "type U int; func (U) M(...q.T) {}", exposes: true},
		{source: "type U interface{ M() chan q.T }", exposes: true},
		{source: "type U int; func F() any { return q.T(0) }", any: true},
		{source: "type U struct{ v any }; func f() { _ = U{v: q.T(0)} }", any: true},
		{source: "type U struct{ v any }; func f() { _ = &U{q.T(0)} }", any: true},
		{source: "type U int; func f() { _ = func() any { return q.T(0) } }", any: true},
		{source: "type U int; func f(v any) { v = q.T(0); _ = v }", any: true},
		{source: "type U int; var v any = []q.T{}", any: true},
		{source: "type U int; var m = map[any]int{q.T(0): 1}", any: true},
		{source: "type U int; func f(c chan any) { c <- q.T(0) }", any: true},
		{source: "type U int; func f(v func(any)) { v(q.T(0)) }"},
		{source: "type U int; var _ any = q.T(0)"},
		{source: "type U int; func F() {}; func f() q.T { return 0 }"},
		{source: "type U[P q.T] int", exposes: true},
		{source: "type U = q.T", exposes: true, in: true},
	} {
		q, _, _ := check(t, "package q; type T int", nil)
		pkg, info, file := check(t, "package p; import \"q\"; "+test.source, q)
		of, ok := q.Scope().Lookup("T").(*types.TypeName)
		if !ok {
			t.Fatal("there is no T")
		}
		u := pkg.Scope().Lookup("U")
		hides := Hides(&packages.Package{Types: pkg, TypesInfo: info, Syntax: []*ast.File{file}}, of)
		if exposes, in := Exposes(pkg, of), Contains(u.Type(), of); exposes != test.exposes || in != test.in ||
			hides != test.any {
			t.Errorf("%s: exposes %v, contains %v, hides %v", test.source, exposes, in, hides)
		}
		if SeenFrom(pkg, of) != of {
			t.Errorf("%s: does not see %v", test.source, of)
		}
	}
}

type only struct{ pkg *types.Package }

func (o only) Import(string) (*types.Package, error) { return o.pkg, nil }

func check(t *testing.T, source string, imports *types.Package) (*types.Package, *types.Info, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}
	c := types.Config{Importer: only{imports}}
	pkg, err := c.Check(file.Name.Name, fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return pkg, info, file
}

// TestSame checks which declarations are the same for other packages in two versions.
func TestSame(t *testing.T) {
	for _, test := range []struct {
		old, now string // declarations of X
		value    bool
		outside  bool
		equal    bool
	}{
		{old: "var X = 2", now: "var X = 1 + 1", value: true, equal: true},
		{old: "var X = 2", now: "var X = 3"},
		{old: "var X = 2", now: "var X int8 = 2"},
		{old: "var X = []int{2}", now: "var X = []int{1 + 1}"},
		{old: "var X, y = 2, 3", now: "var X, y = 1 + 1, 4", value: true, equal: true},
		{old: "const X = 2", now: "const X = 4 / 2", equal: true},
		{old: "const X = 2", now: "const X = \"2\""},
		{old: "const X T = 2; type T int", now: "const X T = \"2\"; type T string"},
		{old: "type X struct{ a int }", now: "type X struct{ b []int }", outside: true, equal: true},
		{old: "type X struct{ A int }", now: "type X struct{ A int; b int }"},
		{old: "type X struct{ a int }", now: "type X struct{ t }; type t int"},
		{old: "type X struct{ A, a int }", now: "type X struct{ A int8; a int }"},
		{old: "type X [2]int", now: "type X [3]int"},
		{old: "type X [2]int", now: "type X [1 + 1]int", equal: true},
	} {
		a, infoA, fileA := check(t, "package p; "+test.old, nil)
		b, infoB, fileB := check(t, "package p; "+test.now, nil)
		old := &packages.Package{Types: a, TypesInfo: infoA, Syntax: []*ast.File{fileA}}
		now := &packages.Package{Types: b, TypesInfo: infoB, Syntax: []*ast.File{fileB}}
		x, y := a.Scope().Lookup("X"), b.Scope().Lookup("X")
		if value, outside, equal := SameValue(old, now, x, y), SameOutside(x, y), Equal(old, now, x); value != test.value ||
			outside != test.outside || equal != test.equal {
			t.Errorf("%s, %s: same value %v, same outside %v, equal %v", test.old, test.now, value, outside, equal)
		}
	}
}
