package candidates

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/ruletest"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// ruleOf returns a rule that reports all proposals of a generator, as if all lines were hot.
func ruleOf(g *sites.Generator) *rules.Rule {
	run := func(pass *analysis.Pass) (any, error) {
		d := sites.New(pass)
		d.Observed = func(string) []int { return []int{21, 0} }
		seen := map[string]bool{}
		for _, f := range pass.Files {
			tf := pass.Fset.File(f.FileStart)
			for line := 1; line < tf.LineCount(); line++ {
				s := d.At(tf.Name(), line)
				if s == nil || strings.HasPrefix(s.Text(s.Decl.Node()), "func Try(") {
					continue
				}
				for _, p := range g.Propose(s) {
					key := keyOf(g, p.Edits)
					if seen[key] || len(p.Edits) == 0 {
						continue
					}
					seen[key] = true
					pass.Report(analysis.Diagnostic{
						Pos: tf.LineStart(line), End: tf.LineStart(line) + 1, Category: g.Name, Message: p.Message,
						SuggestedFixes: []analysis.SuggestedFix{{Message: p.Message, TextEdits: p.Edits}},
					})
				}
			}
		}
		return nil, nil
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name: strings.ReplaceAll(g.Name, "-", "_"), Doc: g.Title, Requires: requires(), Run: run,
		},
		Causes: []rules.Cause{{Category: g.Name, Title: g.Title}},
	}
}

// TestGenerators applies what each generator proposes for the packages in its directory of testdata. The
// results must compile and, for these inputs, behave the same.
func TestGenerators(t *testing.T) {
	var names []string
	for _, g := range Generators() {
		names = append(names, g.Name)
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			ruletest.RunIn(t, ruleOf(g), "testdata/"+g.Name)
			if g.Title == "" || g.Why == "" || g.Assumes == "" || len(g.Kinds) == 0 {
				t.Errorf("the generator is not described: %+v", g)
			}
			for _, text := range []string{g.Title, g.Why, g.Assumes} {
				if strings.HasSuffix(text, ".") {
					t.Errorf("%q is a sentence, and must be a clause", text)
				}
			}
		})
	}
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if !slices.Contains(names, d.Name()) {
			t.Errorf("testdata/%s is of no generator", d.Name())
		}
	}
}
