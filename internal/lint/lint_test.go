package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func root() string { return filepath.Join("..", "..") }

func TestImports(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	packages, err := Packages(t.Context(), root())
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for _, p := range packages {
		if inModule(p.ImportPath) {
			own++
		}
	}
	if own < 10 {
		t.Fatalf("go list found %d packages of the module", own)
	}
	for _, p := range Imports(packages) {
		t.Error(p)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	problems, err := Files(os.DirFS(root()))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	for name, reason := range overlong() {
		if reason == "" {
			t.Errorf("%s is listed in overlong without a reason", name)
		}
		if _, err := os.Stat(filepath.Join(root(), filepath.FromSlash(name))); err != nil {
			t.Errorf("overlong: %v", err)
		}
	}
}

// TestPlantedImports expects each wrong import to be found, and no correct one.
func TestPlantedImports(t *testing.T) {
	t.Parallel()
	in := func(rel string) string { return modulePath + "/" + rel }
	for _, c := range []struct{ from, to, want string }{
		{"profile", in("unit"), ""},
		{"profile", "encoding/json", ""},
		{"profile", "github.com/google/pprof/profile", ""},
		{"profile/profiletest", in("profile"), ""},
		{"internal/cli", in("profile"), ""},
		{"cmd/whet", in("internal/cli"), ""},
		{"find/rules/sprintf", in("find"), ""},
		{"agent/internal", in("agent"), ""},
		{"agent", in("agent/guard"), ""},
		{"agent", "net/http/pprof", ""},
		{"agent", "github.com/klauspost/compress/zip", "standard library only"},
		{"agent", in("unit"), "standard library only"},
		{"unit", in("profile"), "move what it needs down into unit"},
		{"profile", in("trace"), "let a package above join the two"},
		{"profile", in("recording"), "move what it needs down into profile"},
		{"recording", in("memory"), "let a package above join the two"},
		{"collect", in("internal/report"), "pass it in"},
		{"internal/report", in("internal/cli"), "pass it in"},
		{"find", in("fix"), "pass it in"},
		{"internal/util", in("unit"), "give it a place in layers"},
	} {
		packages := []Package{{ImportPath: in(c.from), Imports: []string{c.to}}}
		var got []string
		for _, p := range Imports(packages) {
			got = append(got, p.String())
		}
		all := strings.Join(got, "\n")
		if c.want == "" && all != "" || c.want != "" && !strings.Contains(all, c.want) {
			t.Errorf("%s imports %s: got %q, want a problem with %q", c.from, c.to, all, c.want)
		}
	}
}

// TestPlantedFiles expects each wrong file to be found, and no correct one.
func TestPlantedFiles(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	long := strings.Repeat("// line\n", 801)
	repo := fstest.MapFS{
		"cmd/whet/main.go":            file(strings.Repeat("\n", 31)),
		"good/doc.go":                 file("// Package good is. TODO(#12): more.\npackage good\n"),
		"good/good.go":                file("package good\nconst s = \"" + "TODO" + "\"\n"),
		"good/testdata/x/bare.go":     file(long),
		"ui/src/lib/a.ts":             file("const a = 1;\n"),
		"ui/node_modules/pkg/long.js": file(long),
		"examples/slow/main.go":       file("package main\n"),
		"bare/bare.go":                file("package bare\n"),
		"onlytests/a_test.go":         file("package onlytests\n"),
		"onlytests/flag_test.go":      file("package onlytests\n\nvar update = flag.Bool(\"" + "update\", false, \"\")\n"),
		"good/long.go":                file("package good\n" + long),
		"util/doc.go":                 file("package util\n"),
		"good/later.go":               file("package good\n\n// A\n// TODO: later\nvar x int\n"),
		"ui/src/later.ts":             file("// a\n// FIXME this\n"),
		".git/hooks/pkg/x.sh":         file("# TODO\n"),
		".ci/run.sh":                  file("# XXX\n"),
	}
	want := []string{
		"cmd/whet/main.go has 31 lines", "bare has no doc.go", "good/long.go has 802 lines",
		"util is a folder", "onlytests/flag_test.go defines a flag -update", "good/later.go:4 puts", "ui/src/later.ts:2 puts",
		".ci/run.sh:1 puts",
	}
	problems, err := Files(repo)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		found := false
		for _, p := range problems {
			found = found || strings.HasPrefix(p.String(), w) && p.Cure != ""
		}
		if !found {
			t.Errorf("no problem that begins with %q", w)
		}
	}
	if len(problems) != len(want) {
		t.Errorf("got %d problems, want %d: %v", len(problems), len(want), problems)
	}
}
