package find

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/find/module"
)

// A match is a diagnostic of a rule.
type match struct {
	cause     *cause
	message   string
	file      string // relative to the module
	line, end int
	column    int
	offset    int    // in the file
	fix       *Fix   // without its diff
	reason    string // why there is no fix; "" if its rule gives no reason for this place
}

// diagnose runs the rules on the packages that build. If a rule fails, the matches of the others remain.
func (s *ruleset) diagnose(ctx context.Context, code *hotCode, m *module.Module, o Options) ([]*match, []error) {
	if len(code.packages) == 0 {
		return nil, nil
	}
	o.Progress(fmt.Sprintf("run %d rules", len(s.rules)))
	found := make([][]*match, len(code.packages))
	errs := make([]error, len(code.packages))
	var wg sync.WaitGroup
	for i, pkg := range code.packages {
		if pkg.IllTyped || len(pkg.Errors) > 0 {
			continue
		}
		wg.Go(func() { found[i], errs[i] = s.run(ctx, pkg, m) })
	}
	wg.Wait()
	return slices.Concat(found...), slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// run runs the rules on a package. If a rule fails, the matches of the others remain.
func (s *ruleset) run(ctx context.Context, pkg *packages.Package, m *module.Module) ([]*match, error) {
	var analyzers []*analysis.Analyzer
	for _, r := range s.rules {
		analyzers = append(analyzers, r.Analyzer)
	}
	found, err := driver.Run(ctx, pkg, analyzers)
	var matches []*match
	for _, r := range s.rules {
		for _, d := range found[r.Analyzer] {
			c := s.causes[causeKey(r.Analyzer.Name, d.Category)]
			if c == nil {
				return nil, unlisted(r, d.Category)
			}
			if one := newMatch(m, pkg, c, d); one != nil {
				matches = append(matches, one)
			}
		}
	}
	return matches, err
}

// unlisted returns the error for a category that is not one of a rule's causes.
func unlisted(r *rules.Rule, category string) error {
	return fmt.Errorf("rule %s reports the category %q, which it does not list", r.Analyzer.Name, category)
}

// newMatch converts a diagnostic to paths and lines of the module; nil if it is not in one of its files.
func newMatch(m *module.Module, pkg *packages.Package, c *cause, d analysis.Diagnostic) *match {
	from := pkg.Fset.PositionFor(d.Pos, false)
	to := from
	if d.End.IsValid() {
		to = pkg.Fset.PositionFor(d.End, false)
	}
	file, ok := m.Relative(from.Filename)
	if !ok {
		return nil
	}
	x := &match{
		cause: c, message: d.Message, file: file, line: from.Line, column: from.Column, end: to.Line, offset: from.Offset,
		reason: rules.Reason(d),
	}
	if len(d.SuggestedFixes) > 0 {
		x.fix = newFix(m, pkg, d.SuggestedFixes[0])
	}
	return x
}

// newFix converts a suggested fix to edits by file and byte offset; nil if it changes files outside the module.
func newFix(m *module.Module, pkg *packages.Package, s analysis.SuggestedFix) *Fix {
	fix := &Fix{Message: s.Message}
	for _, e := range s.TextEdits {
		tf := pkg.Fset.File(e.Pos)
		file, ok := m.Relative(tf.Name())
		if !ok {
			return nil
		}
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		i := slices.IndexFunc(fix.Files, func(x FileEdit) bool { return x.File == file })
		if i < 0 {
			i = len(fix.Files)
			fix.Files = append(fix.Files, FileEdit{File: file, Names: driver.ImportNames(pkg)})
		}
		fix.Files[i].Edits = append(fix.Files[i].Edits, rewrite.Edit{
			From: tf.Offset(e.Pos), To: tf.Offset(end), Text: string(e.NewText),
		})
	}
	return fix
}

// key returns what the matches of one finding have in common: their fix, or else their place; or,
// if that is the scope of the cause, their function or the module.
func (m *match) key(source *matcher) string {
	rule := m.cause.rule.Analyzer.Name
	switch {
	case m.cause.Scope == rules.OfModule:
		return fmt.Sprint(rule, m.cause.Category)
	case m.cause.Scope == rules.OfFunction:
		return fmt.Sprint(rule, m.cause.Category, m.file, source.function(m.file, m.line))
	case m.fix != nil:
		return fmt.Sprint(rule, m.fix.Files)
	}
	return fmt.Sprint(rule, m.cause.Category, m.file, m.offset)
}

// A group is the matches that make one finding.
type group struct {
	matches []*match
	causes  map[sourceLine]map[*cause]bool // on each line of the matches
}

// groupMatches groups matches by finding, in the order of the first match of each.
func groupMatches(matches []*match, source *matcher) []*group {
	byKey := map[string]*group{}
	var groups []*group
	for _, m := range matches {
		key := m.key(source)
		g := byKey[key]
		if g == nil {
			g = &group{causes: map[sourceLine]map[*cause]bool{}}
			byKey[key] = g
			groups = append(groups, g)
		}
		g.matches = append(g.matches, m)
		for line := m.line; line <= m.end; line++ {
			at := sourceLine{m.file, line}
			if g.causes[at] == nil {
				g.causes[at] = map[*cause]bool{}
			}
			g.causes[at][m.cause] = true
		}
	}
	return groups
}

// lineFindings makes a finding of each group.
func lineFindings(groups []*group, split *attribution, c *lineCosts) []Finding {
	found := make([]Finding, len(groups))
	ids := map[string]int{}
	index := map[*group]int{}
	for i, g := range groups {
		found[i] = g.finding(split.portions[g], c)
		ids[found[i].ID]++
		found[i].ID = fmt.Sprintf("%s/%d", found[i].ID, ids[found[i].ID])
		index[g] = i
	}
	for i, g := range groups {
		for with, values := range split.portions[g].shared {
			if evidence := c.evidence(values); len(evidence) > 0 {
				found[i].Shared = append(found[i].Shared, Shared{With: found[index[with]].ID, Evidence: evidence})
			}
		}
		slices.SortFunc(found[i].Shared, func(a, b Shared) int {
			return cmp.Or(cmp.Compare(largest(b.Evidence), largest(a.Evidence)), cmp.Compare(a.With, b.With))
		})
	}
	return found
}

// finding makes a finding of a group and what is charged to it. Its ID has no number yet, and Shared is not set.
func (g *group) finding(charged *portion, c *lineCosts) Finding {
	evidence := c.evidence(charged.own)
	for i, e := range evidence {
		evidence[i].Callees = heaviest(charged.callees[e.Cost], e.Value, c.total(e.Cost))
	}
	shares := make([]float64, len(g.matches)) // to show the hottest place first
	for i, m := range g.matches {
		shares[i] = c.hottestShare(m)
	}
	first := g.matches[hottest(shares)]
	of := first.cause
	x := Finding{
		Rule: of.rule.Analyzer.Name, Title: of.Title, Why: first.message, Safe: of.rule.Doc.Safety, Needs: of.Needs,
		Evidence: evidence, Saving: c.saving(evidence) * cmp.Or(of.Part, 1),
		Alone:    c.saving(c.evidence(charged.all())) * cmp.Or(of.Part, 1),
		Function: c.source.function(first.file, first.line), Identity: first.identity(c.source),
	}
	for i, m := range g.matches {
		p := c.source.placeOf(m.file, m.line, m.column, m.end)
		if m == first {
			x.Places = slices.Insert(x.Places, 0, p)
		} else if shares[i] > 0 && !slices.Contains(x.Places, p) {
			x.Places = append(x.Places, p)
		}
	}
	if x.Fix, x.NoFix = first.finishedFix(c); x.Rewrites() && x.Needs == rules.Free {
		x.Tier = Free
	}
	x.ID = strings.Join([]string{x.Rule, first.file, x.Function}, "/")
	if of.Scope == rules.OfModule {
		x.ID = causeKey(x.Rule, of.Category)
	}
	return x
}

// finishedFix returns the fix of a finding whose first match is m, or the reason why there is none.
func (m *match) finishedFix(c *lineCosts) (fix *Fix, reason string) {
	switch {
	case m.cause.Setting != nil:
		return settingFix(*m.cause.Setting), ""
	case m.fix == nil:
		return nil, cmp.Or(m.reason, m.cause.ByHand)
	}
	src := c.source.source(m.file)
	if src != nil && src.Syntax != nil && (ast.IsGenerated(src.Syntax) || isCgo(src.Syntax)) {
		return nil, "the file is generated or uses cgo"
	}
	fix, err := withDiff(c.module, m.fix)
	if err != nil {
		return nil, err.Error()
	}
	return fix, ""
}

// hottestShare returns the largest share of any profile on the lines of a match.
func (c *lineCosts) hottestShare(m *match) float64 {
	largest := 0.0
	for _, l := range c.ledgers {
		var sum int64
		for line := m.line; line <= m.end; line++ {
			for _, a := range c.places[sourceLine{m.file, line}][l.cost] {
				sum += a.charged(m.cause.pattern[l.cost])
			}
		}
		largest = max(largest, share(sum, l.total))
	}
	return largest
}

// identity returns the identity of a finding whose first match is m.
func (m *match) identity(source *matcher) Identity {
	id := Identity{Rule: m.cause.rule.Analyzer.Name, Category: m.cause.Category}
	if m.cause.Scope == rules.OfModule {
		return id
	}
	id.Package, id.Function = path.Dir(m.file), source.function(m.file, m.line)
	if src := source.source(m.file); src != nil && (m.cause.Scope != rules.OfFunction || id.Function == "") {
		id.Code = normalized(src.Code(m.line, m.line, 1))
	}
	return id
}

func isCgo(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
}

// hottest returns the index of the largest share, the first one if there are several.
func hottest(shares []float64) int {
	at := 0
	for i, s := range shares {
		if s > shares[at] {
			at = i
		}
	}
	return at
}

// withDiff returns a fix with its unified diff.
func withDiff(m *module.Module, fix *Fix) (*Fix, error) {
	done := *fix
	done.Files = slices.Clone(fix.Files)
	slices.SortFunc(done.Files, func(a, b FileEdit) int { return cmp.Compare(a.File, b.File) })
	var out bytes.Buffer
	for _, e := range done.Files {
		before, err := m.Read(e.File)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.File, err)
		}
		after, err := rewrite.Apply(before, e.Edits, e.Names)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.File, err)
		}
		out.Write(rewrite.Diff(e.File, before, after))
	}
	done.Diff = out.String()
	return &done, nil
}
