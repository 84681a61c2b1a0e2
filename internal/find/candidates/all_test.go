package candidates

import (
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/internal/find/driver"
)

// maxInvalid is the share of proposals that may be dropped because they do not compile.
const maxInvalid = 0.05

// TestAllLines treats each line of real code as hot. Hardly any proposal may fail to compile, and no generator
// may panic.
func TestAllLines(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it type-checks packages with each of hundreds of proposals")
	}
	dir := "../../.."
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir},
		"./find/rules/...", "./bench/...", "./internal/report/layout", "./load/plan", "./trace/summary")
	if err != nil {
		t.Fatal(err)
	}
	standard := Standard(t.Context(), driver.Options{Dir: dir})
	valid, invalid := map[string]int{}, map[string]int{}
	for _, pkg := range pkgs {
		r, err := Propose(t.Context(), pkg, linesOf(pkg), Options{Imports: standard})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range r.Failed {
			t.Error(err)
		}
		for _, c := range r.Candidates {
			valid[c.Generator.Name]++
		}
		for name, n := range r.Invalid {
			invalid[name] += n
		}
	}
	sum := func(counts map[string]int) (n int) {
		for _, c := range counts {
			n += c
		}
		return n
	}
	for _, g := range Generators() {
		if valid[g.Name]+invalid[g.Name] > 0 {
			t.Logf("%s: %d compile, %d do not", g.Name, valid[g.Name], invalid[g.Name])
		}
	}
	if good, bad := sum(valid), sum(invalid); good < 50 || float64(bad) > maxInvalid*float64(good+bad) {
		t.Errorf("%d proposals compile, %d do not", good, bad)
	}
}

// linesOf returns all lines of a package as hot, with a profile for each kind of cost.
func linesOf(pkg *packages.Package) (lines []Line) {
	var costs []map[diagnosis.Kind]float64
	for _, g := range Generators() {
		costs = append(costs, map[diagnosis.Kind]float64{g.Kinds[0]: 1})
	}
	for _, f := range pkg.Syntax {
		file := pkg.Fset.File(f.FileStart)
		for line := 1; line <= file.LineCount(); line++ {
			lines = append(lines, Line{File: file.Name(), Line: line, Costs: costs})
		}
	}
	return lines
}
