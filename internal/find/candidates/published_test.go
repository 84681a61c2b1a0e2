package candidates

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/internal/find/driver"
)

// TestPublished proposes a change of each line that the authors of the published services changed, or that costs most
// there: by a rule, or by a generator. The services are for Go 1.17.
func TestPublished(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		service string
		want    []string // who proposes, and the line
	}{
		{"leftpad", []string{
			"concat pad.go:5", "logline handlers.go:23", "percall metrics.go:20", "textbuild metrics.go:19",
			"repeated handlers.go:21",
		}},
		{"hash", []string{
			"readall main.go:31", "hashsum main.go:46", "jsondecode main.go:37", "jsonencode main.go:50",
		}},
		{"tags", []string{
			"regexpsimple stats/stats.go:63", "textbuild stats/stats.go:53", "capacity stats/stats.go:44",
			"asked handlers/counted.go:37",
		}},
		{"page", []string{"rendered main.go:19", "rendered list.go:41"}},
	} {
		t.Run(one.service, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("../../../examples/published", one.service, "original")
			pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, "./...")
			if err != nil {
				t.Fatal(err)
			}
			standard := Standard(t.Context(), driver.Options{Dir: dir})
			root, err := filepath.Abs(dir)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, pkg := range pkgs {
				if len(pkg.Errors) > 0 {
					t.Skipf("a module is missing: %v", pkg.Errors[0])
				}
				add := func(who, file string, line int) {
					rel, err := filepath.Rel(root, file)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, fmt.Sprintf("%s %s:%d", who, filepath.ToSlash(rel), line))
				}
				var analyzers []*analysis.Analyzer
				for _, r := range index.Rules() {
					analyzers = append(analyzers, r.Analyzer)
				}
				found, err := driver.Run(t.Context(), pkg, analyzers)
				if err != nil {
					t.Fatal(err)
				}
				for a, list := range found {
					for _, d := range list {
						if len(d.SuggestedFixes) > 0 && len(d.SuggestedFixes[0].TextEdits) > 0 {
							at := pkg.Fset.Position(d.Pos)
							add(a.Name, at.Filename, at.Line)
						}
					}
				}
				lines := linesOf(pkg)
				r, err := Propose(t.Context(), pkg, lines, Options{Imports: standard})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range r.Candidates {
					for _, i := range append(c.Also, c.Line) {
						add(c.Generator.Name, lines[i].File, lines[i].Line)
					}
				}
			}
			for _, want := range one.want {
				if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
					slices.Sort(got)
					t.Errorf("%s is not proposed; there are\n%s", want, strings.Join(got, "\n"))
				}
			}
		})
	}
}
