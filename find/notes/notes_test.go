package notes

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// module writes a module with a package, two commands whose files have the same name, and a package
// of tests only.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/m\n\ngo 1.26\n")
	write(t, dir, "m.go", `package m

var Sink *int

func At(s []int, i int) int {
	x := s[i]
	Sink = &x
	return s[i+1] + len(s[:i+2])
}

type T struct{ pad [1 << 16]byte; b byte }

func (t *T) Get() byte { return t.b }
`)
	for _, name := range []string{"a", "b"} {
		write(t, dir, "cmd/"+name+"/main.go",
			"package main\n\nimport (\n\t\"os\"\n\n\t\"example.com/m\"\n)\n\nvar S []int\n\nfunc main() "+
				"{\n\tprintln(m.At(S, len(os.Args)), \""+name+"\")\n}\n")
	}
	write(t, dir, "tests/x_test.go", "package tests\n")
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// compile returns the notes on a module as "file:line kind", except those that report a success.
func compile(t *testing.T, o Options, patterns ...string) []string {
	t.Helper()
	o.Want = func(kind string) bool { return kind != "canInlineFunction" }
	packages, err := Compile(t.Context(), o, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range packages {
		if p.Err != nil {
			out = append(out, p.Path+": "+p.Err.Error())
		}
		for _, file := range slices.Sorted(maps.Keys(p.Files)) {
			rel, err := filepath.Rel(o.Dir, file)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range p.Files[file] {
				out = append(out, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), n.Line, n.Kind))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestCompile expects the notes on all packages, including commands whose files have the same name,
// whatever the cache contains and however often it is used.
func TestCompile(t *testing.T) {
	dir := module(t)
	want := []string{
		"cmd/a/main.go:12 escapes", "cmd/a/main.go:12 isInBounds", "cmd/a/main.go:12 isSliceInBounds",
		"cmd/b/main.go:12 escapes", "cmd/b/main.go:12 isInBounds", "cmd/b/main.go:12 isSliceInBounds",
		"m.go:13 nilcheck",
		"m.go:6 escapes", "m.go:6 isInBounds", "m.go:8 isInBounds", "m.go:8 isSliceInBounds",
	}
	cache := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	for _, o := range []Options{
		{Dir: dir},
		{Dir: dir, Cache: cache},
		{Dir: dir, Cache: cache},
		{Dir: dir, Cache: cache, Flags: []string{"-trimpath"}},
		// By now the go command has everything in its build cache, and does not run the compiler.
		{Dir: dir, Cache: t.TempDir()},
		{Dir: link},
	} {
		if got := compile(t, o, "./..."); !slices.Equal(got, want) {
			t.Errorf("%+v:\n%s\nwant\n%s", o, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 6 {
		t.Errorf("%d entries in the cache, want those of 3 packages with 2 sets of flags; %v", len(entries), err)
	}
	packages, err := Compile(t.Context(), Options{Dir: dir, Cache: cache}, "./cmd/a")
	if err != nil || len(packages) != 1 || packages[0].Path != "example.com/m/cmd/a" {
		t.Fatalf("%+v, %v", packages, err)
	}
	notes := packages[0].Files[filepath.Join(dir, "cmd/a/main.go")]
	i := slices.IndexFunc(notes, func(n Note) bool { return n.Kind == "escapes" })
	if n := notes[i]; len(n.Inlined) != 1 || n.Inlined[0] != (At{File: filepath.Join(dir, "m.go"), Line: 6}) ||
		len(n.Through) != 3 || n.Through[1].Message != "from &m.x (address-of)" {
		t.Errorf("%+v", n)
	}
}

// TestSourceAsBefore expects the notes on the current source after it was changed and changed back,
// which the go command does not compile again.
func TestSourceAsBefore(t *testing.T) {
	dir := module(t)
	o := Options{Dir: dir, Cache: t.TempDir()}
	data, err := os.ReadFile(filepath.Join(dir, "m.go"))
	if err != nil {
		t.Fatal(err)
	}
	before := compile(t, o, ".")
	write(t, dir, "m.go", "package m\n\nfunc At(s []int, i int) int {\n\treturn s[i]\n}\n")
	if got := compile(t, o, "."); !slices.Equal(got, []string{"m.go:4 isInBounds"}) {
		t.Errorf("changed: %q", got)
	}
	write(t, dir, "m.go", string(data))
	if got := compile(t, o, "."); !slices.Equal(got, before) {
		t.Errorf("changed back: %q, want %q", got, before)
	}
}

// TestBroken expects an error for the package that does not compile, and the notes on the others.
func TestBroken(t *testing.T) {
	dir := module(t)
	write(t, dir, "bad/b.go", "package bad\n\nfunc F() int { return \"x\" }\n")
	got := compile(t, Options{Dir: dir, Cache: t.TempDir()}, "./bad", ".")
	if len(got) != 6 || !strings.HasPrefix(got[0], "example.com/m/bad: ") ||
		!strings.Contains(got[0], "b.go:3:23: cannot use") {
		t.Errorf("%q", got)
	}
	_, err := Compile(t.Context(), Options{Dir: dir, Flags: []string{"-gcflags=-N"}}, ".")
	if err == nil || !strings.Contains(err.Error(), "-gcflags=-N") {
		t.Errorf("with -gcflags: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compile(ctx, Options{Dir: dir}, "."); err != context.Canceled { //nolint:errorlint // unwrapped
		t.Errorf("canceled: %v", err)
	}
}

func TestTrim(t *testing.T) {
	o := Options{Cache: t.TempDir()}
	write(t, o.Cache, "old/x", "")
	write(t, o.Cache, "new/x", "")
	long := time.Now().Add(-keepFor - time.Hour)
	if err := os.Chtimes(filepath.Join(o.Cache, "old"), long, long); err != nil {
		t.Fatal(err)
	}
	o.trim(time.Now())
	if entries, err := os.ReadDir(o.Cache); err != nil || len(entries) != 1 || entries[0].Name() != "new" {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestOracle compares with what go build prints for a package of the standard library.
func TestOracle(t *testing.T) {
	const pkg = "text/tabwriter"
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/m\n\ngo 1.26\n")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-m=2 -d=ssa/check_bce", pkg)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	kinds := []struct {
		text *regexp.Regexp
		kind []string
	}{
		{regexp.MustCompile(`Found IsInBounds$`), []string{"isInBounds"}},
		{regexp.MustCompile(`Found IsSliceInBounds$`), []string{"isSliceInBounds"}},
		{regexp.MustCompile(`cannot inline .*: `), []string{"cannotInlineFunction"}},
		{regexp.MustCompile(`can inline .* with cost `), []string{"canInlineFunction"}},
		{
			regexp.MustCompile(`(escapes to heap|leaks to .*) in .*:$|parameter .* leaks to `),
			[]string{"escape", "escapes", "leak"},
		},
	}
	at := regexp.MustCompile(`([a-z]+\.go:\d+:\d+): (.*)$`)
	packages, err := Compile(t.Context(), Options{Dir: dir}, pkg)
	if err != nil || len(packages) != 1 || packages[0].Err != nil {
		t.Fatalf("%+v, %v", packages, err)
	}
	for _, k := range kinds {
		want, got := map[string]bool{}, map[string]bool{}
		for line := range strings.Lines(string(out)) {
			if m := at.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && k.text.MatchString(m[2]) {
				want[m[1]] = true
			}
		}
		for file, notes := range packages[0].Files {
			for _, n := range notes {
				if slices.Contains(k.kind, n.Kind) {
					got[fmt.Sprintf("%s:%d:%d", filepath.Base(file), n.Line, n.Column)] = true
				}
			}
		}
		if len(want) == 0 || !maps.Equal(got, want) {
			t.Errorf("%v: %d, and go build says %d: %v, want %v", k.kind, len(got), len(want), slices.Sorted(maps.Keys(got)),
				slices.Sorted(maps.Keys(want)))
		}
	}
}
