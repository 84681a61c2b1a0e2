package candidates

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/internal/find/candidates/sites"
	"github.com/whet-go/whet/internal/find/driver"
)

// source is a package with a hot line.
const source = `package p

import "fmt"

func text(n int) string {
	return fmt.Sprintf("%03d", n)
}

func other() string { return text(1) }
`

// TestCheck drops what does not compile, in the edited file; the rest of the package was built before.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 {
		t.Fatal(pkgs, err)
	}
	pkg := pkgs[0]
	file := pkg.Fset.File(pkg.Syntax[0].FileStart)
	replace := func(old, text string) []analysis.TextEdit {
		at := strings.Index(source, old)
		return []analysis.TextEdit{{Pos: file.Pos(at), End: file.Pos(at + len(old)), NewText: []byte(text)}}
	}
	check := &checker{pkg: pkg}
	for text, want := range map[string]string{
		`fmt.Sprint(n)`:    "",
		`fmt.Sprint(m)`:    "undefined: m",
		`fmt.Sprint(n) +`:  "valid Go",
		`strconv.Itoa(n)`:  "undefined: strconv",
		`fmt.Errorf("%d")`: "cannot use",
	} {
		err := check.compiles(replace(`fmt.Sprintf("%03d", n)`, text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if check.compiles(replace("n int", "n int")) == nil {
		t.Error("an edit that changes nothing compiles")
	}

	lines := []Line{{File: file.Name(), Line: 6, Costs: []map[diagnosis.Kind]float64{{diagnosis.Formatting: 0.3}}}}
	r, err := Propose(t.Context(), pkg, lines, Options{})
	if err != nil || len(r.Candidates) != 0 || r.Invalid["format"] != 1 {
		t.Errorf("without the types of strconv: %+v, %v", r, err)
	}
	std, err := driver.Load(t.Context(), driver.Options{Dir: dir}, "strconv")
	if err != nil {
		t.Fatal(err)
	}
	imports := Options{Imports: func(path string) *types.Package {
		if path == "strconv" {
			return std[0].Types
		}
		return nil
	}}
	if r, err = Propose(t.Context(), pkg, lines, imports); err != nil || len(r.Candidates) != 1 || len(r.Invalid) != 0 ||
		r.Candidates[0].Generator.Name != "format" || r.Candidates[0].Share != 0.3 {
		t.Errorf("%d candidates, %v, %v", len(r.Candidates), r.Invalid, err)
	}
	lines[0].Costs = []map[diagnosis.Kind]float64{{diagnosis.Formatting: 0.01, diagnosis.Network: 0.3}}
	if r, err = Propose(t.Context(), pkg, lines, imports); err != nil || len(r.Candidates) != 0 {
		t.Errorf("the cost is of another kind: %+v, %v", r, err)
	}
}

// TestPanic reports a generator that panics, and continues.
func TestPanic(t *testing.T) {
	t.Parallel()
	g := &sites.Generator{Name: "broken", Propose: func(*sites.Site) []sites.Proposal { panic("no") }}
	list, err := safely(g, &sites.Site{File: "/src/p.go", Line: 7})
	if list != nil || err == nil || err.Error() != "generator broken on p.go:7: panic: no" {
		t.Errorf("%d proposals, %v", len(list), err)
	}
}

// TestAlso lists what is proposed for two lines once, with both.
func TestAlso(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const source = `package p

func index(names []string) map[string]int {
	m := map[string]int{}
	for i, name := range names {
		m[name] = i
	}
	return m
}
`
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 {
		t.Fatal(pkgs, err)
	}
	file := pkgs[0].Fset.File(pkgs[0].Syntax[0].FileStart).Name()
	costs := []map[diagnosis.Kind]float64{{diagnosis.MapGrowth: 0.3}}
	lines := []Line{{File: file, Line: 6, Costs: costs}, {File: file, Line: 4, Costs: costs}}
	r, err := Propose(t.Context(), pkgs[0], lines, Options{
		Run: func(name string) bool { return name == "capacity" },
	})
	if err != nil || len(r.Candidates) != 1 || r.Candidates[0].Line != 0 || !slices.Equal(r.Candidates[0].Also, []int{1}) {
		t.Errorf("%+v, %v", r, err)
	}
}
