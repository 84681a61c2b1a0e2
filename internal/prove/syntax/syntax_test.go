package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// TestKindOf distinguishes code, tests and other files.
func TestKindOf(t *testing.T) {
	for want, files := range map[syntax.Kind][]string{
		syntax.Code: {
			"a.go", "a/b.go", "a/b.s", "go.mod", "go.sum", "vendor/x/LICENSE", "a/page.html", "a/b_test.s",
		},
		syntax.Test: {"a_test.go", "a/testdata/x.go", "testdata/x.json", "a/x.golden", "a/x.golden.json"},
		syntax.Unused: {
			"README.md", "_old/a.go", ".ci/a.go", ".github/workflows/test.yml", ".golangci.yml", "LICENSE",
			"a/NOTICE.txt", "docs/a.rst",
		},
		syntax.Other: {
			"b/page.html", "a/page.tmpl", "config.yaml", "default.pgo", "cmd/x/default.pgo", "go.work", "Makefile", "Dockerfile",
			".env", ".env.local", "a/words.txt", "migrations/1.sql",
		},
	} {
		for _, file := range files {
			if got := syntax.KindOf(file, []string{"a/page.html"}); got != want {
				t.Errorf("%s: %d, want %d", file, got, want)
			}
		}
	}
}

// TestDeclarations lists what changes in a package.
func TestDeclarations(t *testing.T) {
	const before = `package a

import _ "embed"

//go:embed x.txt
var text string

const (
	one = iota
	two
)

const plain, other = 1, 2

type T struct{ n int }

func (t *T) Get() int { return t.n }

func init() { println(1) }

func init() { println(2) }
`
	for _, test := range []struct {
		name, old, text, want string
	}{
		{"nothing", "", "", ""},
		{"layout", "Get() int { return t.n }", "Get() int {\n\t// It is set.\n\treturn t.n // it\n}", ""},
		{"a body", "return t.n", "return t.n+0", "changed (*T).Get"},
		{"a second init", "println(2)", "println(3)", "changed init"},
		{"gone", "func (t *T) Get() int { return t.n }", "", "removed (*T).Get"},
		{"new", "func init() { println(1) }", "func init() { println(1) }; func f() {}", "added f"},
		{"a constant", "plain, other = 1, 2", "plain, other = 1, 3", "declarations const other, const plain"},
		{"an iota", "one = iota", "zero = iota\n\tone", "added const zero; declarations const one, const two"},
		{"a type", "n int }", "m int64; N int }", "declarations type T"},
		{"a hidden field", "n int }", "n int; m int }", "declarations type T; inside type T"},
		{"an exported field", "n int }", "n int; M int }", "declarations type T"},
		{"a variable is new", "var text string", "var text string\n\nvar cache int", "added var cache"},
		{"a directive", "//go:embed x.txt", "//go:embed y.txt", "declarations directive //go:embed in a.go"},
		{
			"a new directive", "func init() { println(2) }", "//go:noinline\nfunc init() { println(2) }",
			"declarations directive //go:noinline in a.go",
		},
		{
			"a side effect", `import _ "embed"`, `import _ "embed"; import _ "net/http/pprof"`,
			`declarations import "net/http/pprof"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := syntax.Read(map[string][]byte{"a.go": []byte(before)})
			if err != nil {
				t.Fatal(err)
			}
			b, err := syntax.Read(map[string][]byte{"a.go": []byte(strings.Replace(before, test.old, test.text, 1))})
			if err != nil {
				t.Fatal(err)
			}
			c := a.Compare(b)
			var got []string
			for _, list := range []struct {
				name  string
				names []string
			}{
				{"changed", c.Functions},
				{"added", c.Added},
				{"removed", c.Removed},
				{"declarations", c.Others},
				{"inside", c.Inside},
			} {
				if len(list.names) > 0 {
					got = append(got, list.name+" "+strings.Join(list.names, ", "))
				}
			}
			if strings.Join(got, "; ") != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestSuspects lists what a change adds that benchmarks do not see, but not what existed before.
func TestSuspects(t *testing.T) {
	const before = "package a\n\nimport \"runtime\"\n\nfunc f() { runtime.GC() }\n"
	for _, test := range []struct{ after, want string }{
		{before, ""},
		{strings.Replace(before, "runtime.GC()", "runtime.GC(); runtime.GC()", 1), "runtime.GC"},
		{strings.Replace(before, "runtime.GC()", "runtime.GC(); go f()", 1), "go statement"},
		{strings.Replace(before, "func f", "func init() {}\n\nfunc f", 1), "func init"},
		{strings.Replace(before, "func f", "func asm()\n\nfunc f", 1), "assembly or linked code"},
		{"package a\n\nimport x \"testing\"\n\nfunc f() bool { return x.Testing() }\n", "testing.Testing"},
		{"package a\n\nimport \"runtime/debug\"\n\nfunc f() { debug.SetGCPercent(400) }\n", "runtime/debug.SetGCPercent"},
		{"package a\n\nimport \"sync\"\n\nvar p sync.Pool\n", "sync.Pool"},
		{"package a\n\nimport \"unsafe\"\n\nfunc f(b []byte) string { return unsafe.String(&b[0], 1) }\n", "unsafe code"},
	} {
		list, err := syntax.Suspects(scratch.Changes{
			"a.go": {Before: []byte(before), After: []byte(test.after)}, "b.go": {Before: []byte(before)},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range list {
			got = append(got, s.What)
			if s.Why == "" || s.File != "a.go" {
				t.Errorf("%+v", s)
			}
		}
		if fmt.Sprint(strings.Join(got, " ")) != test.want {
			t.Errorf("%q, want %q\n%s", got, test.want, test.after)
		}
	}
}

// FuzzDeclarations reads any source without a panic, and finds that it has not changed.
func FuzzDeclarations(f *testing.F) {
	f.Add("package a\n\nfunc f() {}\n")
	f.Add("package a\n\nconst (\n\ta = iota\n\tb\n)\n")
	f.Fuzz(func(t *testing.T, source string) {
		a, err := syntax.Read(map[string][]byte{"a.go": []byte(source)})
		if err != nil {
			return
		}
		if c := a.Compare(a); len(c.Functions)+len(c.Added)+len(c.Removed)+len(c.Others) > 0 {
			t.Errorf("%+v", c)
		}
	})
}
