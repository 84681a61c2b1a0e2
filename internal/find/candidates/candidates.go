package candidates

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/internal/find/candidates/allocation"
	"github.com/whet-go/whet/internal/find/candidates/calls"
	"github.com/whet-go/whet/internal/find/candidates/codecs"
	"github.com/whet-go/whet/internal/find/candidates/fastpath"
	"github.com/whet-go/whet/internal/find/candidates/memory"
	"github.com/whet-go/whet/internal/find/candidates/modernized"
	"github.com/whet-go/whet/internal/find/candidates/operations"
	"github.com/whet-go/whet/internal/find/candidates/repeated"
	"github.com/whet-go/whet/internal/find/candidates/sites"
	"github.com/whet-go/whet/internal/find/candidates/text"
	"github.com/whet-go/whet/internal/find/driver"
)

// maxPerLine is the maximum number of candidates for a line.
const maxPerLine = 3

// A Line is a hot line.
type Line struct {
	File string // name in the package's file set
	Line int
	// Costs are what each profile charges to the line by kind, as shares of the profile's total. Memory that
	// the line allocates itself is an Allocation.
	Costs []map[diagnosis.Kind]float64
}

// A Candidate is a change of a line that compiles.
type Candidate struct {
	Generator *sites.Generator
	Line      int     // index of the line in the argument of Propose
	Also      []int   // indexes of other lines for which it was proposed, too
	Share     float64 // of a profile's total: what the generator is about, at most
	Message   string  // what it does, in the imperative
	Edits     []analysis.TextEdit
}

// Generators returns all generators. They have no state.
func Generators() []*sites.Generator {
	return slices.Concat(
		text.Generators(), repeated.Generators(), memory.Generators(), allocation.Generators(), operations.Generators(),
		calls.Generators(), codecs.Generators(), fastpath.Generators(), modernized.Generators(),
	)
}

// requires returns the analyzers whose results generators need.
func requires() []*analysis.Analyzer {
	return append(modernized.Requires(), inspect.Analyzer)
}

// A Result is what Propose found.
type Result struct {
	Candidates []Candidate // by line, those that keep something last, then by share, the largest first
	// Invalid counts proposals that do not compile, by generator.
	Invalid map[string]int
	// Failed are generators that panicked; the candidates of the others are complete.
	Failed []error
}

// Options configure Propose.
type Options struct {
	Run     func(name string) bool // whether a generator runs; nil means that all do
	Imports Imports                // the types of packages that the package does not import; nil means none
	// Observed returns the length that most recorded results of a function have, one number for each result, 0
	// where none is known; nil means that nothing was recorded.
	Observed func(pkg, function string) []int
}

// Propose returns candidates for lines of a package that builds: those that it found until ctx ended.
func Propose(ctx context.Context, pkg *packages.Package, lines []Line, o Options) (*Result, error) {
	r := &Result{Invalid: map[string]int{}}
	a := &analysis.Analyzer{
		Name: "candidates", Doc: "propose changes of hot lines", Requires: requires(),
		Run: func(pass *analysis.Pass) (any, error) {
			r.propose(ctx, pass, pkg, lines, o)
			return nil, nil
		},
	}
	if _, err := driver.Run(ctx, pkg, []*analysis.Analyzer{a}); err != nil {
		return nil, err
	}
	return r, nil
}

// A Request is the hot lines of a package that builds.
type Request struct {
	Package *packages.Package
	Lines   []Line
}

// ProposeAll is Propose for several packages at once. It returns a result for each, in order; why a package has
// none is in Failed.
func ProposeAll(ctx context.Context, requests []Request, o Options) []*Result {
	results := make([]*Result, len(requests))
	var wg sync.WaitGroup
	for i, one := range requests {
		wg.Go(func() {
			r, err := Propose(ctx, one.Package, one.Lines, o)
			if err != nil {
				r = &Result{Failed: []error{err}}
			}
			results[i] = r
		})
	}
	wg.Wait()
	return results
}

// propose runs the generators on all lines of a package.
func (r *Result) propose(ctx context.Context, pass *analysis.Pass, pkg *packages.Package, lines []Line, o Options) {
	at := sites.New(pass)
	if o.Observed != nil {
		at.Observed = func(function string) []int { return o.Observed(pkg.PkgPath, function) }
	}
	check := &checker{pkg: pkg, imports: o.Imports}
	proposed := map[string]int{} // index in r.Candidates, by what proposals replace; -1 if they do not compile
	for i := range lines {
		if ctx.Err() != nil {
			return
		}
		s := at.At(lines[i].File, lines[i].Line)
		if s == nil {
			continue
		}
		var list []Candidate
		var keys []string
		for _, g := range Generators() {
			share := shareOf(g, lines[i].Costs)
			if share == 0 || o.Run != nil && !o.Run(g.Name) {
				continue
			}
			proposals, err := safely(g, s)
			if err != nil {
				r.Failed = append(r.Failed, err)
			}
			for _, p := range proposals {
				key := keyOf(g, p.Edits)
				if len(p.Edits) == 0 || slices.Contains(keys, key) {
					continue
				}
				keys = append(keys, key)
				if was, ok := proposed[key]; !ok {
					list = append(list, Candidate{Generator: g, Line: i, Share: share, Message: p.Message, Edits: p.Edits})
				} else if was >= 0 {
					r.Candidates[was].Also = append(r.Candidates[was].Also, i)
				}
			}
		}
		slices.SortStableFunc(list, func(a, b Candidate) int {
			if a.Generator.Keeps != b.Generator.Keeps {
				return cmp.Compare(keeps(a), keeps(b))
			}
			return cmp.Compare(b.Share, a.Share)
		})
		kept := 0
		for _, c := range list {
			if kept == maxPerLine || ctx.Err() != nil {
				break
			}
			key := keyOf(c.Generator, c.Edits)
			if check.compiles(c.Edits) != nil {
				r.Invalid[c.Generator.Name]++
				proposed[key] = -1
				continue
			}
			proposed[key] = len(r.Candidates)
			r.Candidates = append(r.Candidates, c)
			kept++
		}
	}
}

// keeps returns 1 for a candidate that stores something between calls, which is never proven, and 0 for others.
func keeps(c Candidate) int {
	if c.Generator.Keeps {
		return 1
	}
	return 0
}

// safely returns what a generator proposes for a line. A panic is an error: it must not cost the candidates
// of other generators.
func safely(g *sites.Generator, s *sites.Site) (list []sites.Proposal, err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("generator %s on %s:%d: panic: %v", g.Name, filepath.Base(s.File), s.Line, bad)
		}
	}()
	return g.Propose(s), nil
}

// minPart is the smallest part of a line's costs that a generator must be about.
const minPart = 0.1

// shareOf returns the share of a line's costs that a generator is about, in the profile where it is largest; 0
// if it is too small a part of the line in all of them.
func shareOf(g *sites.Generator, costs []map[diagnosis.Kind]float64) float64 {
	most := 0.0
	for _, byKind := range costs {
		about, all := 0.0, 0.0
		for _, k := range slices.Sorted(maps.Keys(byKind)) {
			all += byKind[k]
			if slices.Contains(g.Kinds, k) {
				about += byKind[k]
			}
		}
		if about >= minPart*all {
			most = max(most, about)
		}
	}
	return most
}

// keyOf returns what proposals of a generator on several lines have in common if they are the same: what they
// replace. The names that they introduce differ.
func keyOf(g *sites.Generator, edits []analysis.TextEdit) string {
	key := g.Name
	for _, e := range edits {
		key += fmt.Sprintf(" %d-%d", e.Pos, e.End)
	}
	return key
}
