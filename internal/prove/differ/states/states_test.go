package states_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/states"
)

const source = `package p

import (
	"os"
	"time"
)

type T struct{ a, b int; c chan int }

func (t *T) Value() int { return t.a }
func (t *T) Get() int { return t.b }       // changes nothing
func (t *T) SetB(n int) { t.b = n }        // another field: later
func (t *T) Set(n int) { t.a = n }
func (t *T) Add(n int) { add(&t.a, n) }
func (t *T) Show() string { return t.show() + string(rune(t.a)) } // only reads what Value reads
func (t *T) show() string { return string(rune(t.a)) }
func (t *T) set(n int) { t.a = n }         // other packages cannot call it
func (t *T) Start() { t.a++; go t.Value() }
func (t *T) Save() { t.a++; t.save() }
func (t *T) save() { _ = os.WriteFile("a", nil, 0o600) }
func (t *T) Touch() { t.a = now() }
func (t *T) Clock() { t.a = int(clock()) }
func (t T) Copy() { t.a++ }

var clock = func() int64 { return 0 }

func now() int { return later() }
func later() int { return now() + time.Now().Second() }
func add(to *int, n int) { *to += n }
`

// TestMethods returns methods that change what a method sees, and do no harm.
func TestMethods(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	cfg := &types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	of, err := cfg.Check("example.com/p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	f := states.New(&packages.Package{Types: of, TypesInfo: info, Syntax: []*ast.File{file}, Fset: fset})
	pointer := types.NewPointer(of.Scope().Lookup("T").Type())
	obj, _, _ := types.LookupFieldOrMethod(pointer, false, of, "Value")
	value, ok := obj.(*types.Func)
	if !ok {
		t.Fatal(obj)
	}
	names := func(recv types.Type, most int) (list []string) {
		for _, m := range f.Methods(value, recv, most) {
			list = append(list, m.Name())
		}
		return list
	}
	if got, want := names(pointer, 8), []string{"Add", "Set", "Show", "SetB"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := names(pointer, 1); !slices.Equal(got, []string{"Add"}) {
		t.Errorf("%q, want the first", got)
	}
	if got := names(pointer.Elem(), 8); got != nil {
		t.Errorf("%q of a copy", got)
	}
}
