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

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/driver"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A cause is a rule's cause, and the numbers of its patterns.
type cause struct {
	*rules.Cause
	rule    *rules.Rule
	pattern map[Cost]int
}

// A match is a diagnostic of a rule.
type match struct {
	cause     *cause
	message   string
	file      string // of the module
	line, end int
	column    int
	fix       *Fix // without its diff
	key       string
}

// run runs the rules on a package. A rule that fails leaves the others' findings.
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

// match is a diagnostic in the module's terms, nil when it is not in one of its files.
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
	m.key = fmt.Sprint(c.rule.Analyzer.Name, file, from.Offset)
	if len(d.SuggestedFixes) > 0 {
		m.fix = f.fix(pkg, d.SuggestedFixes[0])
	}
	if m.fix != nil {
		m.key = fmt.Sprint(c.rule.Analyzer.Name, m.fix.Files)
	}
	return m
}

// relative is a file's name in the module.
func (f *finder) relative(file string) (string, bool) {
	rel, err := filepath.Rel(f.m.dir, file)
	if err != nil || strings.HasPrefix(rel, "..") {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// fix is a suggested fix by files and bytes; nil when it reaches beyond the module.
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
		fix.Files[i].Edits = append(fix.Files[i].Edits, rewrite.Edit{From: tf.Offset(e.Pos), To: tf.Offset(end), Text: string(e.NewText)})
	}
	return fix
}

// A charged is matches with the same fix, and what they are charged.
type charged struct {
	matches  []*match
	values   map[Cost]float64
	callees  map[Cost]map[string]int64
	perMatch []float64 // largest share, to show the hottest place first
}

// charge makes findings of the matches that cost enough.
func (f *finder) charge() {
	// How many matches of a cause share a line: they share what it costs.
	type sharing struct {
		at    place
		cause *cause
	}
	sharers := map[sharing]int{}
	for _, m := range f.matches {
		for line := m.line; line <= m.end; line++ {
			sharers[sharing{place{m.file, line}, m.cause}]++
		}
	}
	groups := map[string]*charged{}
	var order []string
	for _, m := range f.matches {
		g := groups[m.key]
		if g == nil {
			g = &charged{values: map[Cost]float64{}, callees: map[Cost]map[string]int64{}}
			groups[m.key] = g
			order = append(order, m.key)
		}
		largest := 0.0
		for _, l := range f.ledgers {
			pattern := m.cause.pattern[l.cost]
			sum := 0.0
			for line := m.line; line <= m.end; line++ {
				at := place{m.file, line}
				for _, a := range f.places[at][l.cost] {
					sum += float64(a.charged(pattern)) / float64(sharers[sharing{at, m.cause}])
					if g.callees[l.cost] == nil {
						g.callees[l.cost] = map[string]int64{}
					}
					for name, v := range a.callees {
						if f.pats.match(name).has(pattern) {
							g.callees[l.cost][name] += v
						}
					}
				}
			}
			g.values[l.cost] += sum
			if l.total > 0 {
				largest = max(largest, sum/float64(l.total))
			}
		}
		g.matches = append(g.matches, m)
		g.perMatch = append(g.perMatch, largest)
	}
	ids := map[string]int{}
	for _, key := range order {
		f.add(groups[key], ids)
	}
}

// add makes a finding of matches, if they cost enough.
func (f *finder) add(g *charged, ids map[string]int) {
	var evidence []Evidence
	for _, l := range f.ledgers {
		v := int64(g.values[l.cost] + 0.5)
		if v == 0 {
			continue
		}
		evidence = append(evidence, Evidence{Cost: l.cost, Value: v, Share: share(v, l.total), Callees: heaviest(g.callees[l.cost], l.total)})
	}
	if largest(evidence) < f.o.MinShare {
		return
	}
	first := g.matches[hottest(g.perMatch)]
	c := first.cause
	x := Finding{
		Rule: c.rule.Analyzer.Name, Title: c.Title, Why: first.message, Safe: c.rule.Doc.Safety, Needs: c.Needs,
		Evidence: evidence, Saving: f.saving(evidence), Fix: first.fix,
	}
	for i, m := range g.matches {
		p := f.placeOf(m.file, m.line, m.column, m.end)
		if m == first {
			x.Places = slices.Insert(x.Places, 0, p)
		} else if g.perMatch[i] > 0 && !slices.Contains(x.Places, p) {
			x.Places = append(x.Places, p)
		}
		f.claim(m)
	}
	if src := f.matcher.source(first.file); src != nil {
		if d := src.decl(first.line); d != nil {
			x.Function = declName(d)
		}
		if src.file != nil && (ast.IsGenerated(src.file) || isCgo(src.file)) && x.Fix != nil {
			x.Fix, x.NoFix = nil, "a program wrote the file, or cgo reads it"
		}
	}
	id := strings.Join([]string{x.Rule, first.file, x.Function}, "/")
	ids[id]++
	x.ID = fmt.Sprintf("%s/%d", id, ids[id])
	if x.Fix != nil {
		if err := f.diff(x.Fix); err != nil {
			x.Fix, x.NoFix = nil, err.Error()
		}
	}
	f.result.Findings = append(f.result.Findings, x)
}

func isCgo(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
}

// hottest is the index of the largest, the first of several.
func hottest(shares []float64) int {
	at := 0
	for i, s := range shares {
		if s > shares[at] {
			at = i
		}
	}
	return at
}

// claim notes what a finding explains of the lines.
func (f *finder) claim(m *match) {
	for line := m.line; line <= m.end; line++ {
		at := place{m.file, line}
		for cost, accounts := range f.places[at] {
			var sum int64
			for _, a := range accounts {
				sum += a.charged(m.cause.pattern[cost])
			}
			if f.claimed[at] == nil {
				f.claimed[at] = map[Cost]int64{}
			}
			f.claimed[at][cost] = max(f.claimed[at][cost], sum)
		}
	}
}

// diff writes what a fix changes as a unified diff.
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
		out.Write(diff.Diff("a/"+e.File, before, "b/"+e.File, after))
	}
	fix.Diff = out.String()
	return nil
}

// importNames are the names of the packages that a package imports, where a path does not end in
// the name.
func importNames(pkg *packages.Package) map[string]string {
	names := map[string]string{}
	for p, imported := range pkg.Imports {
		if path.Base(p) != imported.Name {
			names[p] = imported.Name
		}
	}
	return names
}
