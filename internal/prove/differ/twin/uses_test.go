package twin

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestUnreachedUses checks that each use of a constant must run, and half of what has values of a type.
func TestUnreachedUses(t *testing.T) {
	const source = `package p

const Max = 3

type T int

func F(n int) int {
	if n > 9 {
		return Max
	}
	return n + Max
}

func G(v T) T {
	if v > 9 {
		return 1
	}
	return v
}

func H() {}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "dir/f.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{}).Check("m/p/"+Dir, fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	old := types.NewConst(token.NoPos, types.NewPackage("m/p", "p"), "Max", types.Typ[types.Int], nil)
	old.Pkg().Scope().Insert(old)
	now := &packages.Package{PkgPath: pkg.Path(), Fset: fset, Syntax: []*ast.File{file}, Types: pkg, TypesInfo: info}
	uses := []UsedBy{{"F", old}, {"G", pkg.Scope().Lookup("T")}, {"H", old}, {"gone", old}}
	for _, test := range []struct {
		profile string
		lost    bool
		want    []string
	}{
		{
			profile: "m/p/whettwin/f.go:7.20,8.11 1 1\nm/p/whettwin/f.go:8.11,10.3 1 1\nm/p/whettwin/f.go:11.2,11.16 1 1\n" +
				"m/p/whettwin/f.go:14.15,15.11 1 1\nm/p/whettwin/f.go:15.11,17.3 1 0\nm/p/whettwin/f.go:18.2,18.10 1 1\n",
		},
		{
			profile: "m/p/whettwin/f.go:7.20,8.11 1 1\nm/p/whettwin/f.go:8.11,10.3 1 0\nm/p/whettwin/f.go:11.2,11.16 1 1\n" +
				"m/p/whettwin/f.go:14.15,15.11 1 1\nm/p/whettwin/f.go:15.11,17.3 1 0\nm/p/whettwin/f.go:18.2,18.10 1 0\n" +
				"m/q/f.go:8.11,10.3 1 1\n",
			want: []string{
				"u.F was not compared: no input reached its use of Max in f.go:9",
				"u.G was not compared: inputs reached 1 of its 3 blocks, and it uses T",
			},
		},
		{
			lost: true,
			want: []string{
				"u.F was not compared: it is unknown which of its lines the inputs reached",
				"u.G was not compared: it is unknown which of its lines the inputs reached",
			},
		},
	} {
		u := UsedLines(now, func(d *ast.FuncDecl) string { return d.Name.Name }, "u.", uses)
		u.Add(test.profile)
		if test.lost {
			u.Lost()
		}
		if got := u.Unreached(); !slices.Equal(got, test.want) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
