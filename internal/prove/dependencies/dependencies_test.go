package dependencies

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// TestRead reads which modules change.
func TestRead(t *testing.T) {
	t.Parallel()
	const head = "module example.com/m\n\ngo 1.26\n"
	const a, b = "require example.com/a v1.0.0\n", "require example.com/b v1.2.0 // indirect\n"
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", head + a, head + "\n// why\n" + a, ""},
		{"a version", head + a + b, head + strings.Replace(a, "1.0.0", "1.1.0", 1) + b, "example.com/a"},
		{"a new one", head + a, head + a + b, "example.com/b"},
		{"a replacement", head + a, head + a + "replace example.com/a => ../a\n", "example.com/a"},
		{"of Go", head, strings.Replace(head, "1.26", "1.25", 1), "go 1.25 instead of go 1.26"},
		{"a setting", head, head + "godebug http2client=0\n", "go 1.26, godebug http2client=0 instead of go 1.26"},
	} {
		got, err := Read([]byte(c.before), []byte(c.after))
		if err != nil || got.String() != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got.String(), err, c.want)
		}
	}
	_, err := Read([]byte(head), []byte("modul example.com/m\n"))
	if err == nil || !strings.Contains(err.Error(), "go.mod:1") {
		t.Errorf("a go.mod that is none: %v", err)
	}
}

// TestUsers finds the functions that use a package of a changed module, also through another module.
func TestUsers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n)\n\n" +
			"replace example.com/a => ./a\n\nreplace example.com/b => ./b\n",
		"a/go.mod": "module example.com/a\n\ngo 1.26\n",
		"a/a.go":   "package a\n\nfunc A() int { return 1 }\n",
		"b/go.mod": "module example.com/b\n\ngo 1.26\n\nrequire example.com/a v1.0.0\n",
		"b/b.go":   "package b\n\nimport \"example.com/a\"\n\nfunc B() int { return a.A() }\n",
		"b/c/c.go": "package c\n\nfunc C() int { return 1 }\n",
		"p/p.go": "package p\n\nimport (\n\t\"example.com/a\"\n\t\"example.com/b\"\n\t\"example.com/b/c\"\n)\n\n" +
			"func A() int { return a.A() }\n\nfunc B() int { return b.B() }\n\nfunc C() int { return c.C() }\n\n" +
			"func D() int { return A() }\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := scratch.New(t.Context(), dir, scratch.Options{Temp: t.TempDir(), Env: []string{"GOWORK=off"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: m.Dir, Env: []string{"GOWORK=off"}}, "./p")
	if err != nil || len(pkgs) != 1 {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change Change
		want   string
	}{
		{Change{Modules: []string{"example.com/a"}}, "A B"},
		{Change{Modules: []string{"example.com/b"}}, "B C"},
		{Change{Modules: []string{"example.com/x"}}, ""},
		{Change{Language: "go 1.25 instead of go 1.26"}, "A B C D"},
	} {
		affected, err := c.change.Packages(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range c.change.Users(pkgs[0], affected) {
			names = append(names, d.Name.Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.change.String(), got, c.want)
		}
	}
}
