package splice_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/power/splice"
)

func files(archive string) map[string][]byte {
	m := map[string][]byte{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		m[f.Name] = f.Data
	}
	return m
}

func pair(t *testing.T, a, b string) *splice.Pair {
	t.Helper()
	p, err := splice.New(files(a), files(b))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const old = `
-- a.go --
package p

import (
	"fmt"
	"strings"
)

// F is old.
func F(n int) string { return fmt.Sprint(n) + sep }

// G stays.
func G(s string) string { return strings.ToUpper(s) }

var (
	sep = "," // between
	end = "."
)

type T struct{ n int }

func (t *T) Len() int { return t.n }
`

const now = `
-- a.go --
package p

import (
	"strconv"
	"strings"
)

// F is new.
func F(n int) string { return join(strconv.Itoa(n), last) }

// G is changed, too.
func G(s string) string { return strings.ToLower(s) }

var sep, end = ";", "."

type T struct {
	n, m int
}

func (t *T) Len() int { return t.n + t.m }

// last is new.
const last = ","
-- helper.go --
package p

import "strings"

type joined []string

func join(s ...string) string { return joined(s).String() }

func (j joined) String() string { return strings.Join(j, "") }

func unused() {}
`

// TestChange replaces a function, adds what it needs, and moves imports.
func TestChange(t *testing.T) {
	t.Parallel()
	p := pair(t, old, now)
	if got := p.Changed(); !slices.Equal(got, []string{"(*T).Len", "F", "G"}) {
		t.Errorf("changed: %q", got)
	}
	c, err := p.Change([]string{"F"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"const last", "join", "joined.String", "type joined"}; !slices.Equal(c.Added, want) {
		t.Errorf("added: %q, want %q", c.Added, want)
	}
	want := map[string]string{
		"a.go": `package p

import "strconv"

import (
	
	"strings"
)

// F is new.
func F(n int) string { return join(strconv.Itoa(n), last) }

// G stays.
func G(s string) string { return strings.ToUpper(s) }

var (
	sep = "," // between
	end = "."
)

type T struct{ n int }

func (t *T) Len() int { return t.n }

// last is new.
const last = ","
`,
		"helper.go": `package p

import "strings"

type joined []string

func join(s ...string) string { return joined(s).String() }

func (j joined) String() string { return strings.Join(j, "") }
`,
	}
	got := map[string]string{}
	for name, text := range c.Files {
		got[name] = string(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRelated finds what a change needs in the new version.
func TestRelated(t *testing.T) {
	t.Parallel()
	p := pair(t, old, now)
	if got := p.Related([]string{"(*T).Len"}); !slices.Equal(got, []string{"type T"}) {
		t.Errorf("%q", got)
	}
	c, err := p.Change([]string{"(*T).Len", "type T"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(c.Files["a.go"])
	if !strings.Contains(text, "n, m int") || !strings.Contains(text, "t.n + t.m") || strings.Contains(text, "last") {
		t.Error(text)
	}
	if got := p.FunctionAt(c, "a.go", strings.Count(text[:strings.Index(text, "func G")], "\n")+1); got != "G" {
		t.Errorf("function %q", got)
	}
}

// TestGroups replaces variables that are declared in another way.
func TestGroups(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, a, b, key, want string }{
		{"apart, together", "var (\n\tx = 1\n\ty = 2\n)", "var x, y = 3, 4", "var y", "var (\n\tx, y = 3, 4\n\t\n)"},
		{
			"in parentheses",
			"var x = 1",
			"var (\n\t// x is new.\n\tx = 3 // three\n\ty = 4\n)",
			"var x",
			"// x is new.\nvar x = 3 // three",
		},
		{
			"counted",
			"const (\n\tx = iota\n\ty\n)",
			"const (\n\ty = iota\n\tx\n)",
			"const x",
			"const (\n\ty = iota\n\tx\n)",
		},
		{
			"generic",
			"type T[E any] struct{ e E }",
			"type T[E any] struct{ e, f E }",
			"type T",
			"type T[E any] struct{ e, f E }",
		},
	} {
		head := "-- a.go --\npackage p\n\n"
		c, err := pair(t, head+tt.a+"\n", head+tt.b+"\n").Change([]string{tt.key})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := string(c.Files["a.go"]); got != "package p\n\n"+tt.want+"\n" {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	head := "-- a.go --\npackage p\n\n"
	for _, tt := range []struct{ a, b, key, want string }{
		{"func F() {}", "func F() {}", "G", "no G"},
		{"var (\n\tx = 1\n)", "const (\n\tx = iota\n)", "const x", ""},
		{
			"import \"a/json\"\n\nfunc F() {}\n\nvar _ = json.X",
			"import \"b/json\"\n\nfunc F() { json.Y() }",
			"F",
			"another package",
		},
		{"var x, y = f()", "var x = 1\n\nvar y = 2", "var x", "together"},
	} {
		_, err := pair(t, head+tt.a+"\n", head+tt.b+"\n").Change([]string{tt.key})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.a, err, tt.want)
		}
	}
	for _, bad := range []string{"package", "package p\n\nimport \"C\"\n"} {
		if _, err := splice.New(map[string][]byte{"a.go": []byte(bad)}, files(old)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	if _, err := splice.New(nil, files(old)); err == nil {
		t.Error("no files: no error")
	}
}

// TestRead reads the files that are compiled on this system.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package p\n", "a_test.go": "package p\n", "b.go": "//go:build ignore\n\npackage p\n", "c.txt": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := splice.Read(dir)
	if err != nil || !slices.Equal(slices.Collect(maps.Keys(got)), []string{"a.go"}) {
		t.Errorf("%q, %v", slices.Collect(maps.Keys(got)), err)
	}
}
