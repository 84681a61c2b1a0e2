package find

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/driver"
)

// A cause is a rule's cause, with the indexes of its patterns.
type cause struct {
	*rules.Cause
	rule    *rules.Rule
	pattern map[Cost]int
}

// A match is a diagnostic of a rule.
type match struct {
	cause     *cause
	message   string
	file      string // relative to the module
	line, end int
	column    int
	fix       *Fix // without its diff
	key       string
}

// run runs the rules on a package. If a rule fails, the findings of the others remain.
func (f *finder) run(pkg *packages.Package) ([]*match, error) {
	var analyzers []*analysis.Analyzer
	for _, r := range f.o.Rules {
		analyzers = append(analyzers, r.Analyzer)
	}
	found, err := driver.Run(pkg, analyzers)
	var matches []*match
	for _, r := range f.o.Rules {
		for _, d := range found[r.Analyzer] {
			c := f.causes[causeKey(r.Analyzer.Name, d.Category)]
			if c == nil {
				return nil, fmt.Errorf("rule %s reports the category %q, which it does not list", r.Analyzer.Name, d.Category)
			}
			if m := f.match(pkg, c, d); m != nil {
				matches = append(matches, m)
			}
		}
	}
	return matches, err
}

// match converts a diagnostic to paths and lines of the module; nil if it is not in one of its
// files.
func (f *finder) match(pkg *packages.Package, c *cause, d analysis.Diagnostic) *match {
	from := pkg.Fset.PositionFor(d.Pos, false)
	to := from
	if d.End.IsValid() {
		to = pkg.Fset.PositionFor(d.End, false)
	}
	file, ok := f.relative(from.Filename)
	if !ok {
		return nil
	}
	m := &match{cause: c, message: d.Message, file: file, line: from.Line, column: from.Column, end: to.Line}
	m.key = fmt.Sprint(c.rule.Analyzer.Name, c.Category, file, from.Offset)
	if len(d.SuggestedFixes) > 0 {
		m.fix = f.fix(pkg, d.SuggestedFixes[0])
	}
	if m.fix != nil {
		m.key = fmt.Sprint(c.rule.Analyzer.Name, m.fix.Files)
	}
	return m
}

// relative returns the path of a file relative to the module.
func (f *finder) relative(file string) (string, bool) {
	rel, err := filepath.Rel(f.m.dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// fix converts a suggested fix to edits by file and byte offset; nil if it changes files outside
// the module.
func (f *finder) fix(pkg *packages.Package, s analysis.SuggestedFix) *Fix {
	fix := &Fix{Message: s.Message}
	for _, e := range s.TextEdits {
		tf := pkg.Fset.File(e.Pos)
		file, ok := f.relative(tf.Name())
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
			fix.Files = append(fix.Files, FileEdit{File: file, Names: importNames(pkg)})
		}
		fix.Files[i].Edits = append(fix.Files[i].Edits, rewrite.Edit{
			From: tf.Offset(e.Pos), To: tf.Offset(end), Text: string(e.NewText),
		})
	}
	return fix
}

// A charged is a group of matches with the same fix, and what is charged to them.
type charged struct {
	matches  []*match
	causes   map[place]map[*cause]bool // on each line of the matches
	own      map[Cost]float64          // samples not charged to any other finding
	shared   map[*charged]map[Cost]float64
	callees  map[Cost]map[string]int64
	perMatch []float64 // largest share of each, to show the hottest place first
	at       int       // index of the finding in the result
}

// charge turns the matches that cost enough into findings.
func (f *finder) charge() {
	byKey := map[string]*charged{}
	var groups []*charged
	for _, m := range f.matches {
		f.widen(m)
		g := byKey[m.key]
		if g == nil {
			g = &charged{causes: map[place]map[*cause]bool{}}
			byKey[m.key] = g
			groups = append(groups, g)
		}
		g.matches = append(g.matches, m)
		for line := m.line; line <= m.end; line++ {
			at := place{m.file, line}
			if g.causes[at] == nil {
				g.causes[at] = map[*cause]bool{}
			}
			g.causes[at][m.cause] = true
		}
	}
	// Findings below the minimum share must not take samples from the others, so they are removed
	// first.
	f.attribute(groups)
	groups = slices.DeleteFunc(groups, func(g *charged) bool { return largest(f.evidence(g.all())) < f.o.MinShare })
	f.attribute(groups)
	ids := map[string]int{}
	for _, g := range groups {
		for _, m := range g.matches {
			g.perMatch = append(g.perMatch, f.hottestShare(m))
		}
		f.add(g, ids)
	}
	for _, g := range groups {
		f.share(g)
	}
}

// widen merges all matches of a cause in a function, or in the module, into one finding, if that is
// its scope.
func (f *finder) widen(m *match) {
	rule := m.cause.rule.Analyzer.Name
	switch m.cause.Scope {
	case rules.OfModule:
		m.key = fmt.Sprint(rule, m.cause.Category)
	case rules.OfFunction:
		m.key = fmt.Sprint(rule, m.cause.Category, m.file, f.function(m.file, m.line))
	case rules.OfPlace:
	}
}

// function returns the name of the function around a line of the module's source, or "".
func (f *finder) function(file string, line int) string {
	if src := f.matcher.source(file); src != nil {
		if d := src.decl(line); d != nil {
			return declName(d)
		}
	}
	return ""
}

// hottestShare returns the largest share of any profile on the lines of a match.
func (f *finder) hottestShare(m *match) float64 {
	largest := 0.0
	for _, l := range f.ledgers {
		var sum int64
		for line := m.line; line <= m.end; line++ {
			for _, a := range f.places[place{m.file, line}][l.cost] {
				sum += a.charged(m.cause.pattern[l.cost])
			}
		}
		largest = max(largest, share(sum, l.total))
	}
	return largest
}

// add makes a finding of a group of matches.
func (f *finder) add(g *charged, ids map[string]int) {
	evidence := f.evidence(g.own)
	for i, e := range evidence {
		for name, v := range g.callees[e.Cost] {
			g.callees[e.Cost][name] = min(v, e.Value)
		}
		evidence[i].Callees = heaviest(g.callees[e.Cost], f.total(e.Cost))
	}
	first := g.matches[hottest(g.perMatch)]
	c := first.cause
	x := Finding{
		Rule: c.rule.Analyzer.Name, Title: c.Title, Why: first.message, Safe: c.rule.Doc.Safety, Needs: c.Needs,
		Evidence: evidence, Saving: f.saving(evidence) * cmp.Or(c.Part, 1), Fix: first.fix,
		Alone:    f.saving(f.evidence(g.all())) * cmp.Or(c.Part, 1),
		Function: f.function(first.file, first.line),
	}
	if c.Setting != nil {
		x.Fix = settingFix(*c.Setting)
	}
	for i, m := range g.matches {
		p := f.placeOf(m.file, m.line, m.column, m.end)
		if m == first {
			x.Places = slices.Insert(x.Places, 0, p)
		} else if g.perMatch[i] > 0 && !slices.Contains(x.Places, p) {
			x.Places = append(x.Places, p)
		}
	}
	if src := f.matcher.source(first.file); src != nil && src.file != nil &&
		(ast.IsGenerated(src.file) || isCgo(src.file)) && x.Rewrites() {
		x.Fix, x.NoFix = nil, "the file is generated or uses cgo"
	}
	id := strings.Join([]string{x.Rule, first.file, x.Function}, "/")
	if c.Scope == rules.OfModule {
		id = x.Rule + "/" + cmp.Or(c.Category, x.Rule)
	}
	x.Identity = f.identity(first)
	ids[id]++
	x.ID = fmt.Sprintf("%s/%d", id, ids[id])
	if x.Rewrites() {
		if err := f.diff(x.Fix); err != nil {
			x.Fix, x.NoFix = nil, err.Error()
		}
	}
	g.at = len(f.result.Findings)
	f.result.Findings = append(f.result.Findings, x)
}

// identity returns the identity of a finding whose first match is m.
func (f *finder) identity(m *match) Identity {
	id := Identity{Rule: m.cause.rule.Analyzer.Name, Category: m.cause.Category}
	if m.cause.Scope == rules.OfModule {
		return id
	}
	id.Package, id.Function = path.Dir(m.file), f.function(m.file, m.line)
	if src := f.matcher.source(m.file); src != nil && (m.cause.Scope != rules.OfFunction || id.Function == "") {
		id.Code = normalized(src.code(m.line, m.line, 1))
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

// diff sets the unified diff of a fix.
func (f *finder) diff(fix *Fix) error {
	slices.SortFunc(fix.Files, func(a, b FileEdit) int { return cmp.Compare(a.File, b.File) })
	var out bytes.Buffer
	for _, e := range fix.Files {
		before, err := f.m.read(e.File)
		if err != nil {
			return fmt.Errorf("read %s: %w", e.File, err)
		}
		after, err := rewrite.Apply(before, e.Edits, e.Names)
		if err != nil {
			return fmt.Errorf("%s: %w", e.File, err)
		}
		out.Write(rewrite.Diff(e.File, before, after))
	}
	fix.Diff = out.String()
	return nil
}

// importNames returns the names of the packages that a package imports, where the name is not the
// last element of the path.
func importNames(pkg *packages.Package) map[string]string {
	names := map[string]string{}
	for p, imported := range pkg.Imports {
		if path.Base(p) != imported.Name {
			names[p] = imported.Name
		}
	}
	return names
}
