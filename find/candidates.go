package find

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/internal/find/candidates"
	"github.com/whet-go/whet/internal/find/driver"
)

// A Tier is how much is known about a rewrite.
type Tier string

// Tiers.
const (
	// Free rewrites of rules keep the behavior by construction.
	Free Tier = "free"
	// Proposed rewrites may be wrong. They are not fixes unless package prove keeps them.
	Proposed Tier = "proposed"
)

// A Candidate is a proposed rewrite of a hot line that no rule can rewrite. It compiles, but it may behave
// differently, and it may be slower.
type Candidate struct {
	ID        string  `json:"id"` // stable while the function is the same
	Tier      Tier    `json:"tier"`
	Generator string  `json:"generator"`
	Title     string  `json:"title"`           // what costs
	Place     Place   `json:"place"`           // the hot line
	Also      []Place `json:"also,omitempty"`  // other hot lines that it is about
	Function  string  `json:"function"`        // around it, as written in Go source
	Share     float64 `json:"share"`           // of a profile's total: what the change is about, at most
	Saving    float64 `json:"saving"`          // of the CPU time, at most, on all these lines
	Keeps     bool    `json:"keeps,omitempty"` // it stores something between calls, and is never proven
	Why       string  `json:"why"`             // why it may be faster, as a clause
	Assumes   string  `json:"assumes"`         // what the proof has to check, as a clause
	// Change is the rewrite. It is not called a fix, because nothing is proven.
	Change Fix `json:"change"`
}

// Finding returns the candidate in the form of a finding whose fix is not proven, for package fix.
func (c *Candidate) Finding() Finding {
	change := c.Change
	return Finding{
		ID: c.ID, Tier: c.Tier, Rule: c.Generator, Title: c.Title, Places: []Place{c.Place}, Function: c.Function,
		Why: c.Why, Safe: "It assumes that " + c.Assumes + ".", Saving: c.Saving, Alone: c.Saving, Fix: &change,
		Evidence: []Evidence{}, Identity: Identity{Rule: c.Generator, Function: c.Function},
	}
}

// Generators returns the names of the generators of candidates.
func Generators() []string {
	var names []string
	for _, g := range candidates.Generators() {
		names = append(names, g.Name)
	}
	return names
}

// maxCandidateLines is the number of lines for which candidates are looked for.
const maxCandidateLines = 40

// A candidateLine is a hot line without a rewrite.
type candidateLine struct {
	at     sourceLine
	saving float64
	costs  []map[diagnosis.Kind]float64 // by profile
}

// candidates returns candidates for the most expensive lines without a rewrite of a rule, the line that can
// save most first.
func (c *lineCosts) candidates(
	ctx context.Context, found []Finding, code *hotCode, o Options,
) ([]Candidate, []error) {
	lines := c.candidateLines(found, code)
	if len(lines) == 0 {
		return nil, nil
	}
	o.Progress(fmt.Sprintf("propose changes of %d lines", len(lines)))
	byPackage := map[*packages.Package][]candidateLine{}
	var requests []candidates.Request
	for _, l := range lines {
		pkg := code.byFile[l.at.file]
		if byPackage[pkg] == nil {
			requests = append(requests, candidates.Request{Package: pkg})
		}
		byPackage[pkg] = append(byPackage[pkg], l)
	}
	for i, r := range requests {
		for _, l := range byPackage[r.Package] {
			requests[i].Lines = append(requests[i].Lines, candidates.Line{
				File: c.compiled(r.Package, l.at.file), Line: l.at.line, Costs: l.costs,
			})
		}
	}
	var all []Candidate
	var failed []error
	for i, r := range candidates.ProposeAll(ctx, requests, candidates.Options{
		Run:      o.Generators,
		Observed: o.Observed,
		Imports:  candidates.Standard(ctx, driver.Options{Dir: c.module.Dir, Flags: o.Flags, Env: o.Env}),
	}) {
		all = append(all, c.described(requests[i].Package, byPackage[requests[i].Package], r)...)
		failed = append(failed, r.Failed...)
	}
	list := slices.DeleteFunc(all, func(x Candidate) bool {
		// A rule has the same rewrite, which needs review.
		return slices.ContainsFunc(found, func(f Finding) bool { return f.Fix != nil && f.Fix.Diff == x.Change.Diff })
	})
	slices.SortStableFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Saving, a.Saving), cmp.Compare(b.Share, a.Share),
			cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line))
	})
	numbers := map[string]int{}
	for i := range list {
		x := &list[i]
		x.ID = strings.Join([]string{x.Generator, x.Place.File, x.Function}, "/")
		numbers[x.ID]++
		x.ID = fmt.Sprintf("%s/%d", x.ID, numbers[x.ID])
	}
	return list, failed
}

// candidateLines returns the hot lines of the program that no rule can rewrite, the most expensive first.
func (c *lineCosts) candidateLines(found []Finding, code *hotCode) (lines []candidateLine) {
	rewritten := map[sourceLine]bool{}
	for i := range found {
		for _, at := range found[i].lines() {
			rewritten[at] = rewritten[at] || found[i].Tier == Free
		}
	}
	for _, at := range sortedPlaces(c.places) {
		pkg := code.byFile[at.file]
		if !c.hot(at) || rewritten[at] || pkg == nil || code.unchecked[at.file] != "" ||
			strings.HasSuffix(at.file, "_test.go") {
			continue
		}
		l := candidateLine{at: at}
		var evidence []Evidence
		for _, ledger := range c.ledgers {
			value := c.value(at, ledger.cost)
			evidence = append(evidence, Evidence{Cost: ledger.cost, Value: value, Share: share(value, ledger.total)})
			kinds := c.kinds(at, ledger)
			switch ledger.cost {
			case CPU, Mutex, Block:
				l.costs = append(l.costs, kinds)
			case AllocSpace:
				// Profiles of allocations omit the runtime, so the line allocates itself.
				kinds[diagnosis.Allocation] += kinds[diagnosis.Own]
				delete(kinds, diagnosis.Own)
				l.costs = append(l.costs, kinds)
			case AllocObjects:
			}
		}
		l.saving = c.saving(evidence)
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b candidateLine) int { return cmp.Compare(b.saving, a.saving) })
	return lines[:min(len(lines), maxCandidateLines)]
}

// compiled returns the name of a file of the module in the file set of its package; "" if it is not compiled.
func (c *lineCosts) compiled(pkg *packages.Package, file string) string {
	for _, name := range pkg.CompiledGoFiles {
		if rel, ok := c.module.Relative(name); ok && rel == file {
			return name
		}
	}
	return ""
}

// described returns candidates with their lines and diffs.
func (c *lineCosts) described(pkg *packages.Package, lines []candidateLine, r *candidates.Result) (list []Candidate) {
	for _, one := range r.Candidates {
		l := lines[one.Line]
		fix := newFix(c.module, pkg, analysis.SuggestedFix{Message: one.Message, TextEdits: one.Edits})
		if fix == nil {
			continue
		}
		fix, err := withDiff(c.module, fix)
		if err != nil {
			continue // the user has changed the file meanwhile
		}
		saving, also := l.saving, []Place(nil)
		for _, i := range one.Also {
			saving += lines[i].saving
			also = append(also, c.source.placeOf(lines[i].at.file, lines[i].at.line, 1, lines[i].at.line))
		}
		list = append(list, Candidate{
			Tier: Proposed, Generator: one.Generator.Name, Title: one.Generator.Title,
			Place:    c.source.placeOf(l.at.file, l.at.line, 1, l.at.line),
			Function: c.source.function(l.at.file, l.at.line), Share: one.Share, Saving: saving, Also: also,
			Keeps: one.Generator.Keeps, Why: one.Generator.Why, Assumes: one.Generator.Assumes, Change: *fix,
		})
	}
	return list
}
