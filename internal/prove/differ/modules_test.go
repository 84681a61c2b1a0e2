package differ_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/prove/differ"
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
			says := r.Apart + "\n" + strings.Join(r.Not, "\n") + "\n"
			for _, name := range slices.Sorted(maps.Keys(r.Outside)) {
				says += name + ": " + r.Outside[name] + "\n"
			}
			for _, o := range r.Outcomes {
				says += o.Function + " " + o.Unproven + "\n"
			}
			if got == "differs" {
				says = r.Apart // the difference
			}
			if got == "same" && (len(r.Not) > 0 || r.Apart != "") {
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
// below new replaces files of old, or removes them if it is empty. If it differs, Apart has the difference.
func compareModule(t *testing.T, archive *txtar.Archive, dir string) (got string, r *differ.Comparison, err error) {
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
		FuzzTime: "2000x", Timeout: time.Minute, Inputs: 100, Seed: 1,
	})
	var differs *differ.BehaviorError
	if errors.As(err, &differs) {
		return "differs", &differ.Comparison{Apart: differs.Error()}, nil
	}
	return "same", r, err
}
