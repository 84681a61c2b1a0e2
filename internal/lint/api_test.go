package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestAPI checks what other programs import: its types can be named, and it has examples.
func TestAPI(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	public, err := PublicPackages(t.Context(), root())
	if err != nil {
		t.Fatal(err)
	}
	if len(public) < 30 {
		t.Fatalf("%d public packages", len(public))
	}
	for _, p := range public {
		for _, problem := range Leaks(p) {
			t.Error(problem)
		}
	}
	problems, err := Examples(os.DirFS(root()), public)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string]bool{
		"profile": true, "find/rules/percall": true, "bench/gotest": true,
		"internal/cli": false, "load/internal/x": false, "profile/profiletest": false, "find/rules/ruletest/values": false,
		"docs": false, "ui": false,
	} {
		if got := isPublic(modulePath + "/" + rel); got != want {
			t.Errorf("isPublic(%s) = %v", rel, got)
		}
	}
	if isPublic("golang.org/x/tools/go/packages") {
		t.Error("a dependency is public")
	}
}

// importers are packages that have been checked, by path.
type importers map[string]*types.Package

func (i importers) Import(importPath string) (*types.Package, error) { return i[importPath], nil }

// check type-checks a package of one file.
func (i importers) check(t *testing.T, importPath, text string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := (&types.Config{Importer: i}).Check(importPath, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	i[importPath] = p
	return p
}

// TestPlantedLeaks expects each mention of an internal type to be found, and no other.
func TestPlantedLeaks(t *testing.T) {
	t.Parallel()
	all := importers{}
	all.check(t, modulePath+"/internal/diag", `package diag
type Error struct{ Kind Kind }
type Kind int
type List[T any] struct{}
type Alias = Error
const Usage Kind = 1`)
	all.check(t, modulePath+"/unit", `package unit
type Bytes int64`)
	p := all.check(t, modulePath+"/load", `package load
import (
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/unit"
)
type Error = diag.Error // the public name
func Fine(e *Error, b unit.Bytes) []Error { return nil }
type Hidden struct{ err diag.Error }
func hidden(diag.Error) {}

func Func(diag.Error) {}
func Result() map[string]chan []diag.Error { return nil }
var Var *diag.Error
const Const = diag.Usage
type Struct struct{ Field []diag.Error }
type Embedded struct{ *diag.Error }
type Method struct{}
func (Method) Do(func(diag.Kind)) {}
func (Method) do(func(diag.Kind)) {}
type Interface interface{ Do() diag.Kind }
type Generic[T interface{ diag.Kind }] struct{}
func Arg() diag.List[int] { return diag.List[int]{} }
func AliasOfThere(diag.Alias) {}
`)
	var got []string
	for _, problem := range Leaks(p) {
		got = append(got, problem.Text)
	}
	want := []string{
		"AliasOfThere mentions internal/diag.Alias",
		"Arg mentions internal/diag.List",
		"Const mentions internal/diag.Kind",
		"Embedded mentions internal/diag.Error",
		"Func mentions internal/diag.Error",
		"Generic mentions internal/diag.Kind", // as a constraint
		"Interface mentions internal/diag.Kind",
		"Method.Do mentions internal/diag.Kind",
		"Result mentions internal/diag.Error",
		"Struct mentions internal/diag.Error",
		"Var mentions internal/diag.Error",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), strings.Join(want, "; "))
	}
}

// TestPlantedExamples expects packages without an example that runs to be found.
func TestPlantedExamples(t *testing.T) {
	t.Parallel()
	all := importers{}
	public := []*types.Package{
		all.check(t, modulePath+"/good", "package good\nfunc F() {}"),
		all.check(t, modulePath+"/silent", "package silent\nfunc F() {}"),
		all.check(t, modulePath+"/none", "package none\nfunc F() {}"),
		all.check(t, modulePath+"/find/rules/percall", "package percall\nfunc New() {}"),
		all.check(t, modulePath+"/find/rules/flow", "package flow\nfunc New() {}\nfunc F() {}"),
	}
	repo := fstest.MapFS{
		"good/example_test.go": {Data: []byte("package good_test\nfunc ExampleF() {\n\t// Output: 1\n}\n")},
		// It is compiled, not run.
		"silent/silent_test.go":        {Data: []byte("package silent_test\nfunc ExampleF() {\n\tprintln(1)\n}\n")},
		"none/none_test.go":            {Data: []byte("package none\n")},
		"find/rules/flow/flow_test.go": {Data: []byte("package flow\n// no func Example\n")},
	}
	problems, err := Examples(repo, public)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, strings.TrimPrefix(p.Where, modulePath+"/"))
	}
	if want := []string{"silent", "none", "find/rules/flow"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
