package differ_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// TestModules compares packages of modules with several. Each file of testdata/modules begins with a line
// that has "differs", "same" or "open" and the directory of the package, and lines that the result must
// contain: the difference, or what was not compared. What follows "not" it must not contain.
func TestModules(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	files, err := filepath.Glob("testdata/modules/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			provetest.Part(t)
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head := strings.Split(strings.TrimSpace(string(archive.Comment)), "\n")
			word, dir, _ := strings.Cut(head[0], " ")
			got, r, err := compareModule(t, archive, dir)
			if err != nil {
				t.Fatal(err)
			}
			says := r.Separate + "\n" + strings.Join(r.NotCompared, "\n") + "\n"
			for _, name := range slices.Sorted(maps.Keys(r.Outside)) {
				says += name + ": " + r.Outside[name] + "\n"
			}
			for _, o := range r.Outcomes {
				says += o.Function + " " + o.Unproven + "\n"
			}
			if got == "differs" {
				says = r.Separate // the difference
			}
			if got == "same" && (len(r.NotCompared) > 0 || r.Separate != "") {
				got = "open"
			}
			if got != word {
				t.Errorf("%s, want %s\n%s", got, word, says)
			}
			for _, want := range head[1:] {
				if not, ok := strings.CutPrefix(want, "not "); ok == strings.Contains(says, not) {
					t.Errorf("want %q\n%s", want, says)
				}
			}
		})
	}
}

// compareModule compares the package in a directory of the module below old with its new version: what is
// below new replaces files of old, or removes them if it is empty. If it differs, Separate has the difference.
func compareModule(t *testing.T, archive *txtar.Archive, dir string) (got string, r *differ.Comparison, err error) {
	t.Helper()
	return compareCaptured(t, archive, dir, nil)
}

// compareCaptured is compareModule with calls that a program made.
func compareCaptured(
	t *testing.T, archive *txtar.Archive, dir string, calls *captured.Calls,
) (got string, r *differ.Comparison, err error) {
	t.Helper()
	root := t.TempDir()
	changes := scratch.Changes{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "old/"); ok {
			write(t, filepath.Join(root, filepath.FromSlash(name)), f.Data)
		}
	}
	m, err := scratch.New(t.Context(), root, scratch.Options{Timeout: time.Minute, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	for _, f := range archive.Files {
		name, ok := strings.CutPrefix(f.Name, "new/")
		if !ok {
			continue
		}
		one := scratch.Change{After: f.Data}
		if len(f.Data) == 0 {
			one.After = nil
		}
		if before, err := os.ReadFile(m.Path(name)); err == nil {
			one.Before = before
		}
		changes[name] = one
	}
	r, err = differ.Compare(t.Context(), m, dir, changes, differ.Options{
		FuzzTime: "2000x", Timeout: time.Minute, Inputs: 100, Seed: 1, Captured: calls,
	})
	var differs *differ.BehaviorError
	if errors.As(err, &differs) {
		return "differs", &differ.Comparison{Separate: differs.Error()}, nil
	}
	return "same", r, err
}

// TestLimits checks that many packages between, and many with users, are not built, and that the result says so.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	file := func(name, text string, args ...any) txtar.File {
		return txtar.File{Name: name, Data: fmt.Appendf(nil, text, args...)}
	}
	const imports = "package %s\n\nimport \"example.com/m/internal/%s\"\n\n"
	chain := &txtar.Archive{Files: []txtar.File{
		file("old/go.mod", "module example.com/m\n\ngo 1.26\n"),
		file("old/internal/p0/p.go", "package p0\n\nfunc F(n int) int { return n }\n"),
		file("new/internal/p0/p.go", "package p0\n\nfunc F(n int) int { return n + 0 }\n"),
		file("old/last/last.go", imports+"func F(n int) int { return p40.F(n) }\n", "last", "p40"),
		file("new/last/last.go", imports+"func F(n int) int { return 0 + p40.F(n) }\n", "last", "p40"),
	}}
	for i := range 40 {
		name, of := fmt.Sprintf("p%d", i+1), fmt.Sprintf("p%d", i)
		chain.Files = append(chain.Files,
			file("old/internal/"+name+"/p.go", imports+"func F(n int) int { return %s.F(n) }\n", name, of, of))
	}
	got, r, err := compareModule(t, chain, "last")
	if err != nil || got != "same" || !strings.Contains(r.Separate, "copies of 42 packages") || len(r.Tests) != 1 {
		t.Errorf("%s, separate: %s, %d tests, %v", got, r.Separate, len(r.Tests), err)
	}

	wide := &txtar.Archive{Files: []txtar.File{
		file("old/go.mod", "module example.com/m\n\ngo 1.26\n"),
		file("old/internal/p/p.go", "package p\n\nconst C = 1\n"),
		file("new/internal/p/p.go", "package p\n\nconst C = 2\n"),
	}}
	for i := range 8 {
		name := fmt.Sprintf("u%d", i)
		wide.Files = append(wide.Files, file("old/"+name+"/u.go", imports+"func F(s string) int { return 0*p.C + len(s) }\n",
			name, "p"))
	}
	got, r, err = compareModule(t, wide, "internal/p")
	if err != nil || got != "same" || len(r.Outcomes) != 6 ||
		!slices.Contains(r.NotCompared, "users in u7 were not compared: only those in 6 packages are") {
		t.Errorf("%s, %d outcomes, not %q, %v", got, len(r.Outcomes), r.NotCompared, err)
	}
}
