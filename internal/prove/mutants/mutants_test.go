package mutants

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// load type-checks a package of one file. If that fails, the package is incomplete; it is nil if
// the file is not Go.
func load(text string, from types.Importer) (*Package, error) {
	p := &Package{
		Fset: token.NewFileSet(), Texts: map[string][]byte{"p.go": []byte(text)}, Importer: from,
		Info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
		},
	}
	file, err := parser.ParseFile(p.Fset, "p.go", text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	p.Files = []*ast.File{file}
	config := types.Config{Importer: from, Error: func(error) {}}
	p.Types, err = config.Check("p", p.Fset, p.Files, p.Info)
	return p, err
}

func all() Lines { return Lines{"p.go": {{1, math.MaxInt}}} }

// noImports has no packages.
type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("no package %s", path)
}

// listed returns each mutant with its replacement text.
func listed(t *testing.T, text string, set *Set) (list []string) {
	t.Helper()
	for i := range set.Mutants {
		m := &set.Mutants[i]
		after := string(m.Apply([]byte(text)))
		was, is := strings.Split(text, "\n"), strings.Split(after, "\n")
		for len(was) > 0 && len(is) > 0 && was[0] == is[0] {
			was, is = was[1:], is[1:]
		}
		for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
			was, is = was[:len(was)-1], is[:len(is)-1]
		}
		line := fmt.Sprintf("%s: %s", m.Mutator, strings.TrimSpace(strings.Join(is, "\n")))
		list = append(list, strings.TrimSuffix(strings.TrimSuffix(line, " "), ":"))
	}
	return list
}

// TestMutators checks that each mutator changes the intended code, and nothing that must not
// change.
func TestMutators(t *testing.T) {
	const begin = "package p\n\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{
			"arithmetic", "func f(a, b int) int { return a*b + a%b }",
			[]string{
				"zero result: func f(a, b int) int { return 0 }",
				"arithmetic: func f(a, b int) int { return a*b - a%b }",
				"arithmetic: func f(a, b int) int { return a/b + a%b }",
				"arithmetic: func f(a, b int) int { return a*b + a*b }",
			},
		},
		{
			"bits", "func f(a, b uint) (c uint) {\nc = a<<b | a&^b\nreturn\n}",
			[]string{
				"dropped statement", "arithmetic: c = a<<b ^ a&^b", "arithmetic: c = a>>b | a&^b", "arithmetic: c = a<<b | a&b",
			},
		},
		{
			"strings", "func f(a, b string) (c string) {\nc = a + b\nc += a\nreturn\n}",
			[]string{"dropped statement", "arithmetic: c = a", "dropped statement"},
		},
		{
			"comparison", "func f(a, b float64) bool {\nreturn a <= b\n}",
			[]string{"comparison: return a < b", "comparison: return a > b"},
		},
		{
			"logic", "func f(a, b, c bool) bool {\nreturn a && b && !c\n}",
			[]string{
				"logic: return a && b || !c", "logic: return (a || b) && !c", "negation: return !a && b && !c",
				"negation: return a && !b && !c", "negation: return a && b && c",
			},
		},
		{
			"conditions", "func f(a bool, b []bool) {\nif a {\nf(a, b)\n}\nfor b[0] {\n}\n}",
			[]string{"negation: if !a {", "dropped statement", "negation: for !b[0] {", "off by one: for b[1] {"},
		},
		{
			"bounds", "func f(s []int, i, n int) []int {\nfor range n {\n_ = s[i]\n}\nreturn s[i:n]\n}",
			[]string{
				"off by one: for range n - 1 {", "off by one: _ = s[i + 1]", "zero result: return nil",
				"off by one: return s[i + 1:n]", "off by one: return s[i:n - 1]",
			},
		},
		{
			"constants", "func f(g func(...any)) {\ng(0, 0x1f, 'a', 1.5, \"x\", \"\", true)\n}",
			[]string{
				"dropped statement",
				"swapped arguments: g(0x1f, 0, 'a', 1.5, \"x\", \"\", true)",
				"swapped arguments: g(0, 0x1f, 'a', 1.5, \"\", \"x\", true)",
				"off by one: g(1, 0x1f, 'a', 1.5, \"x\", \"\", true)",
				"off by one: g(0, 0x20, 'a', 1.5, \"x\", \"\", true)",
				"off by one: g(0, 0x1e, 'a', 1.5, \"x\", \"\", true)",
				"off by one: g(0, 0x1f, 'b', 1.5, \"x\", \"\", true)",
				"constant: g(0, 0x1f, 'a', 2.5, \"x\", \"\", true)",
				"constant: g(0, 0x1f, 'a', 1.5, \"\", \"\", true)",
				"constant: g(0, 0x1f, 'a', 1.5, \"x\", \"whet\", true)",
				"constant: g(0, 0x1f, 'a', 1.5, \"x\", \"\", false)",
			},
		},
		{
			"constant expressions keep their type", "type d int64\n\nconst s d = 7\n\nfunc f() (x d) {\nx = 1 * s\nreturn\n}",
			[]string{"dropped statement", "off by one: x = 2 * s", "off by one: x = 0 * s"},
		},
		{
			"statements", "func f(n int, g func()) {\ndefer g()\nn++\nn -= 2\ng()\n}",
			[]string{
				"dropped statement", "dropped statement", "arithmetic: n--", "dropped statement", "arithmetic: n += 2",
				"off by one: n -= 3", "off by one: n -= 1", "dropped statement",
			},
		},
		{
			"results", "func f(e error, p *int) (int, *int, error) {\nreturn *p, p, e\n}",
			[]string{"zero result: return 0, p, e", "zero result: return *p, nil, e", "zero result: return *p, p, nil"},
		},
		{
			"arguments",
			"func g(a, b string, n int) (int, error)\nfunc f(a, b string) {\nx, err := g(a, b, len(a))\n_, _ = x, err\n}",
			[]string{"swapped arguments: x, err := g(b, a, len(a))"},
		},
		{
			"built-in functions", "func f(a, b []int) int {\ncopy(a, b)\nreturn min(len(a), len(b))\n}",
			[]string{
				"dropped statement", "swapped arguments: copy(b, a)", "zero result: return 0",
				"comparison: return max(len(a), len(b))",
			},
		},
		{
			"room", "func f(n int) (a []int, b map[int]int, c chan int) {\n" +
				"a = make([]int, n, n*2)\nb = make(map[int]int, n*2)\nc = make(chan int, 2)\nreturn\n}",
			[]string{
				"dropped statement", "swapped arguments: a = make([]int, n*2, n)", "dropped statement", "dropped statement",
				"off by one: c = make(chan int, 3)", "off by one: c = make(chan int, 1)",
			},
		},
		{
			"room that is computed", "func f(list []string) []byte {\nn := 0\nfor _, s := range list {\nn += len(s) + 1\n}\n" +
				"n = n * 2\nn++\nreturn make([]byte, 0, n)\n}",
			[]string{
				"zero result: return nil", "swapped arguments: return make([]byte, n, 0)", "off by one: return make([]byte, 1, n)",
			},
		},
		{
			"a length that is also room", "func f(n int) ([]int, int) {\nm := 0\nm += n\nreturn make([]int, 0, m), m\n}",
			[]string{
				"off by one: m := 1", "dropped statement", "arithmetic: m -= n", "zero result: return nil, m",
				"zero result: return make([]int, 0, m), 0", "swapped arguments: return make([]int, m, 0), m",
				"off by one: return make([]int, 1, m), m",
			},
		},
		{
			"room that is chosen", "func f(n, most int, free bool) map[int]int {\nm := n\n" +
				"if !free && n > 0 {\nm = min(m, most)\n} else if n < 0 {\nm = 0\n}\nreturn make(map[int]int, m)\n}",
			[]string{"zero result: return nil"},
		},
		{
			"a call next to room", "func f(n int, g func() bool) map[int]int {\nm := n\nif g() {\nm = 1\n}\n" +
				"return make(map[int]int, m)\n}",
			[]string{"negation: if !g() {", "zero result: return nil"},
		},
		{
			"else", "func f(a bool, g func()) {\nif a {\n} else if !a {\n} else {\n}\n}",
			[]string{"negation: if !a {", "dropped else", "negation: } else if a {", "dropped else"},
		},
		{
			"break", "func f() {\nfor {\nbreak\n}\n}",
			[]string{"break or continue: continue"},
		},
		{
			"what must stay a function's last statement", "func f() int {\nfor {\ncontinue\n}\n}\nfunc g() int {\npanic(1)\n}",
			[]string{"off by one: panic(2)", "off by one: panic(0)"},
		},
		{
			"code that must be constant",
			"func f(x any) [2]int {\nconst c = 1 + 2\nswitch x.(type) {\ncase [3]int:\n}\nreturn [2]int{0: c}\n}",
			nil,
		},
		{
			"recover", "func f() {\nif recover() != nil {\n}\n}",
			nil,
		},
		{
			"compiler directives", "//go:nosplit\nfunc f(a int) int { return a + 1 }",
			nil,
		},
		{
			"type parameters", "type n interface{ ~int | ~string }\n\nfunc f[T n](a, b T) bool {\nreturn a+b < b\n}",
			[]string{
				"comparison: return a+b <= b", "comparison: return a+b >= b",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := begin + test.text + "\n"
			p, err := load(text, noImports{})
			if err != nil {
				t.Fatal(err)
			}
			set := Make(p, all(), 100)
			if diff := cmp.Diff(test.want, listed(t, text, set)); diff != "" {
				t.Errorf("want -, got +\n%s\n%s", diff, set.Files["p.go"])
			}
		})
	}
}

// TestLines checks that mutants are only on the given lines, and that a sample is spread over them.
func TestLines(t *testing.T) {
	text := "package p\n\nfunc f(n int) int {\n" + strings.Repeat("n = n + n\n", 20) + "return n\n}\n"
	p, err := load(text, noImports{})
	if err != nil {
		t.Fatal(err)
	}
	lines := func(set *Set) (list []int) {
		for _, m := range set.Mutants {
			list = append(list, m.Line)
		}
		return list
	}
	if got := lines(Make(p, Lines{"p.go": {{5, 6}}}, 100)); !slices.Equal(got, []int{5, 5, 6, 6}) {
		t.Errorf("lines %v", got)
	}
	sample := lines(Make(p, all(), 5))
	if len(sample) != 5 || sample[0] > 8 || sample[4] < 19 {
		t.Errorf("sample of lines %v", sample)
	}
	if again := lines(Make(p, all(), 5)); !slices.Equal(sample, again) {
		t.Errorf("%v, then %v", sample, again)
	}
}

// TestHarmless checks that functions that change files have no mutants.
func TestHarmless(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks package os")
	}
	text := "package p\n\nimport \"os\"\n\nfunc f(a, b string) error { return os.RemoveAll(a + b) }\n"
	p, err := load(text, importer.ForCompiler(token.NewFileSet(), "source", nil))
	if err != nil {
		t.Fatal(err)
	}
	set := Make(p, all(), 100)
	if len(set.Mutants) > 0 || !slices.Equal(set.Left, []string{"f is not mutated: it uses os.RemoveAll"}) {
		t.Errorf("%d mutants, left %q", len(set.Mutants), set.Left)
	}
}

// TestRoom checks that what only makes room is not mutated.
func TestRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks packages of the standard library")
	}
	text := "package p\n\nimport (\n\"reflect\"\n\"slices\"\n\"strings\"\n\"sync\"\n)\n\nvar pool sync.Pool\n\n" +
		"func f(a []int, b *strings.Builder) []int {\n" +
		"defer pool.Put(b)\nb.Grow(len(a) + 1)\nreturn slices.Grow(a, len(a)*2)\n}\n" +
		"func g(t reflect.Type, n int) (m reflect.Value) {\nm = reflect.MakeMapWithSize(t, n*2)\nreturn m\n}\n"
	p, err := load(text, importer.ForCompiler(token.NewFileSet(), "source", nil))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"zero result: return nil", "dropped statement"}
	if got := listed(t, text, Make(p, all(), 100)); !slices.Equal(got, want) {
		t.Errorf("mutants %q", got)
	}
}

// TestSupport checks that the file compiles with those of the package.
func TestSupport(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks package os")
	}
	support := string((&Set{}).Support("p"))
	if _, err := load(support, importer.ForCompiler(token.NewFileSet(), "source", nil)); err != nil {
		t.Errorf("%v\n%s", err, support)
	}
}

// TestReached reads what a process wrote.
func TestReached(t *testing.T) {
	if got := ReadReached([]byte("3\n17\n3\n1")); len(got) != 3 || !got[3] || !got[17] || !got[1] {
		t.Errorf("%v", got)
	}
}

// TestSpread checks that every number occurs once.
func TestSpread(t *testing.T) {
	for n := range 200 {
		order := Spread(n)
		slices.Sort(order)
		for i, v := range order {
			if i != v {
				t.Fatalf("Spread(%d) lacks %d", n, i)
			}
		}
	}
}

// FuzzMake writes files that parse, whatever the source is.
func FuzzMake(f *testing.F) {
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		f.Fatal("no source", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), 0, 1000)
		f.Add(string(text), 30, 60)
	}
	f.Add("package p\nfunc f(b int) { if a := (struct{}{}); a == (struct{}{}) { return } else if b++; -b > 1 {} }", 1, 2)
	f.Fuzz(func(t *testing.T, text string, from, to int) {
		p, err := load(text, noImports{})
		if p == nil {
			t.Skip("not Go")
		}
		lines := []Range{{from, to}}
		s := &source{p: p, file: p.Files[0], name: "p.go", text: []byte(text), lines: lines}
		s.find()
		written, n := s.write(0)
		if _, err := parser.ParseFile(token.NewFileSet(), "", written, parser.SkipObjectResolution); err != nil {
			t.Errorf("%d mutants: %v\n%s", n, err, written)
		}
		if err != nil {
			return // Make needs a valid package
		}
		set := Make(p, Lines{"p.go": lines}, 50)
		for i := range set.Mutants {
			set.Mutants[i].Apply([]byte(text))
		}
	})
}
