package benchmarks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates"
	"github.com/whet-go/whet/internal/find/driver"
)

const (
	minShare  = 0.05 // of a profile, from which on a line of a benchmark is looked at
	mostLines = 10
)

// assumes is what the change of a benchmark assumes.
const assumes = "the benchmark still measures what it is for"

// Propose adds candidates for hot lines of benchmarks to a result that package find made with o.
func Propose(ctx context.Context, r *find.Result, o find.Options) error {
	hot := hotLines(r)
	if len(hot) == 0 {
		return nil
	}
	root, err := filepath.Abs(r.Dir)
	if err != nil {
		return fmt.Errorf("find benchmarks: %w", err)
	}
	var dirs []string
	for _, l := range hot {
		dirs = append(dirs, "./"+path.Dir(l.File))
	}
	slices.Sort(dirs)
	how := driver.Options{Dir: r.Dir, Flags: o.Flags, Env: o.Env, Tests: true}
	pkgs, err := driver.Load(ctx, how, slices.Compact(dirs)...)
	if err != nil {
		return fmt.Errorf("load benchmarks: %w", err)
	}
	how.Tests = false
	s := &search{root: root, r: r, o: o, standard: candidates.Standard(ctx, how)}
	for len(hot) > 0 {
		pkg := withFile(pkgs, filepath.Join(root, filepath.FromSlash(hot[0].File)))
		var here, rest []*diagnosis.Line
		for _, l := range hot {
			if withFile(pkgs, filepath.Join(root, filepath.FromSlash(l.File))) == pkg {
				here = append(here, l)
			} else {
				rest = append(rest, l)
			}
		}
		if hot = rest; pkg == nil || len(pkg.Errors) > 0 || pkg.IllTyped {
			continue
		}
		if err := s.in(ctx, pkg, here); err != nil {
			return err
		}
	}
	return nil
}

// hotLines returns the most expensive lines of benchmarks.
func hotLines(r *find.Result) (list []*diagnosis.Line) {
	for i := range r.Diagnoses {
		l := &r.Diagnoses[i]
		if !l.Test || !strings.HasPrefix(l.Function, "Benchmark") || len(list) == mostLines {
			continue
		}
		if slices.ContainsFunc(l.Costs, func(d diagnosis.Diagnosis) bool { return d.Line >= minShare }) {
			list = append(list, l)
		}
	}
	return list
}

// withFile returns the package that compiles a test file; nil if there is none.
func withFile(pkgs []*packages.Package, file string) *packages.Package {
	for _, pkg := range pkgs {
		if slices.Contains(pkg.CompiledGoFiles, file) {
			return pkg
		}
	}
	return nil
}

// A search looks for changes in packages.
type search struct {
	root     string
	r        *find.Result
	o        find.Options
	standard candidates.Imports
}

// in adds candidates for lines of a package.
func (s *search) in(ctx context.Context, pkg *packages.Package, hot []*diagnosis.Line) error {
	var lines []candidates.Line
	for _, l := range hot {
		one := candidates.Line{File: filepath.Join(s.root, filepath.FromSlash(l.File)), Line: l.Line}
		for _, d := range l.Costs {
			kinds := map[diagnosis.Kind]float64{d.Kind: d.Share}
			for _, also := range d.Also {
				kinds[also.Kind] = also.Share
			}
			one.Costs = append(one.Costs, kinds)
		}
		lines = append(lines, one)
	}
	if err := s.byRules(ctx, pkg, hot); err != nil {
		return err
	}
	found, err := candidates.Propose(ctx, pkg, lines, candidates.Options{
		Run: s.o.Generators, Imports: s.standard, Observed: s.o.Observed,
	})
	if err != nil {
		return err
	}
	for _, c := range found.Candidates {
		s.add(pkg, hot[c.Line], find.Candidate{
			Generator: c.Generator.Name, Title: c.Generator.Title, Share: c.Share, Keeps: c.Generator.Keeps,
			Why: c.Generator.Why, Assumes: c.Generator.Assumes + ", and " + assumes,
		}, analysis.SuggestedFix{Message: c.Message, TextEdits: c.Edits})
	}
	return ctx.Err()
}

// byRules adds the rewrites of rules on lines of a package.
func (s *search) byRules(ctx context.Context, pkg *packages.Package, hot []*diagnosis.Line) error {
	list := s.o.Rules
	if list == nil {
		list = index.Rules()
	}
	var analyzers []*analysis.Analyzer
	for _, r := range list {
		analyzers = append(analyzers, r.Analyzer)
	}
	found, err := driver.Run(ctx, pkg, analyzers)
	if err != nil {
		return err
	}
	for _, r := range list {
		for _, d := range found[r.Analyzer] {
			at := pkg.Fset.PositionFor(d.Pos, false)
			i := slices.IndexFunc(hot, func(l *diagnosis.Line) bool {
				return l.Line == at.Line && filepath.Join(s.root, filepath.FromSlash(l.File)) == at.Filename
			})
			if i < 0 || len(d.SuggestedFixes) == 0 || len(d.SuggestedFixes[0].TextEdits) == 0 {
				continue
			}
			s.add(pkg, hot[i], find.Candidate{
				Generator: r.Analyzer.Name, Title: titleOf(r, d.Category), Share: hot[i].Costs[0].Line, Why: d.Message,
				Assumes: assumes,
			}, d.SuggestedFixes[0])
		}
	}
	return nil
}

// titleOf returns the title of a cause of a rule.
func titleOf(r *rules.Rule, category string) string {
	for _, c := range r.Causes {
		if c.Category == category || len(r.Causes) == 1 {
			return c.Title
		}
	}
	return r.Analyzer.Name
}

// add adds a candidate for a line, if its change is only about test files.
func (s *search) add(pkg *packages.Package, l *diagnosis.Line, c find.Candidate, change analysis.SuggestedFix) {
	fix := find.Fix{Message: change.Message}
	for _, e := range change.TextEdits {
		tf := pkg.Fset.File(e.Pos)
		rel, err := filepath.Rel(s.root, tf.Name())
		if err != nil || !strings.HasSuffix(rel, "_test.go") {
			return
		}
		rel = filepath.ToSlash(rel)
		i := slices.IndexFunc(fix.Files, func(f find.FileEdit) bool { return f.File == rel })
		if i < 0 {
			i = len(fix.Files)
			fix.Files = append(fix.Files, find.FileEdit{File: rel, Names: driver.ImportNames(pkg)})
		}
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		fix.Files[i].Edits = append(fix.Files[i].Edits, rewrite.Edit{
			From: tf.Offset(e.Pos), To: tf.Offset(end), Text: string(e.NewText),
		})
	}
	code := ""
	var diff bytes.Buffer
	for _, f := range fix.Files {
		before, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(f.File)))
		if err != nil {
			return // the user has changed the file meanwhile
		}
		after, err := rewrite.Apply(before, f.Edits, f.Names)
		if err != nil {
			return
		}
		diff.Write(rewrite.Diff(f.File, before, after))
		if source := strings.Split(string(before), "\n"); f.File == l.File && l.Line <= len(source) {
			code = strings.TrimSpace(source[l.Line-1])
		}
	}
	fix.Diff = diff.String()
	c.Tier, c.Change, c.Function = find.Proposed, fix, l.Function
	c.Place = find.Place{File: l.File, Line: l.Line, Column: 1, EndLine: l.Line, Code: code}
	prefix := strings.Join([]string{c.Generator, l.File, l.Function}, "/")
	n := 1
	for c.ID = prefix + "/1"; s.has(c.ID); n++ {
		c.ID = fmt.Sprintf("%s/%d", prefix, n+1)
	}
	s.r.Candidates = append(s.r.Candidates, c)
}

// has reports whether the result has a candidate with an ID.
func (s *search) has(id string) bool {
	return slices.ContainsFunc(s.r.Candidates, func(x find.Candidate) bool { return x.ID == id })
}
