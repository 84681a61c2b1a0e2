package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/prove"
)

// A span is lines of a file of the old version.
type span struct {
	file     string
	from, to int
}

func (s span) has(file string, line int) bool {
	return s.file == file && s.from <= line && line <= s.to
}

// places are where a change is in the old version.
type places struct {
	lines     []span // that are removed or replaced; all of the function where lines are only added
	functions []span // around them
}

// placesOf returns the places of a change of the module in a directory.
func placesOf(dir string, c *prove.Changed) (*places, error) {
	removed, added := changedLines(c.Diff)
	p := &places{}
	for _, file := range c.Files {
		name := filepath.Join(dir, filepath.FromSlash(file))
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is new
		}
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			s := span{file, fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line}
			within := func(l span) bool { return s.has(l.file, l.from) }
			had := false
			for _, l := range removed {
				if within(l) {
					p.lines, had = append(p.lines, l), true
				}
			}
			if !had && slices.ContainsFunc(added, within) {
				p.lines, had = append(p.lines, s), true
			}
			if had {
				p.functions = append(p.functions, s)
			}
		}
	}
	if len(p.functions) == 0 {
		return nil, fmt.Errorf("no function of %s has changed", strings.Join(c.Files, ", "))
	}
	return p, nil
}

// changedLines returns the lines of the old files that a unified diff removes, and those after which it adds some.
func changedLines(diff string) (removed, added []span) {
	file, line := "", 0
	for text := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(text, "--- a/"):
			file = strings.TrimSpace(strings.TrimPrefix(text, "--- a/"))
		case strings.HasPrefix(text, "--- "), strings.HasPrefix(text, "+++ "), strings.HasPrefix(text, "diff "):
		case strings.HasPrefix(text, "@@ -"):
			_, _ = fmt.Sscanf(text, "@@ -%d", &line) // 0 if it is none
		case strings.HasPrefix(text, "-"):
			removed = append(removed, span{file, line, line})
			line++
		case strings.HasPrefix(text, "+"):
			added = append(added, span{file, max(line-1, 1), max(line-1, 1)})
		case strings.HasPrefix(text, " "):
			line++
		}
	}
	return removed, added
}

// looked takes what whet find says about the places of a change.
func (m *measurement) looked(c *testCase, f *find.Result, where *places) {
	for i := range f.Diagnoses {
		l := &f.Diagnoses[i]
		if !slices.ContainsFunc(where.lines, func(s span) bool { return s.has(l.File, l.Line) }) {
			continue
		}
		for _, d := range l.Costs {
			m.Diagnosed = true
			if !slices.Contains(m.Kinds, d.Kind) {
				m.Kinds = append(m.Kinds, d.Kind)
			}
			m.Right = m.Right || slices.Contains(c.Kinds, d.Kind) ||
				slices.ContainsFunc(d.Also, func(p diagnosis.Part) bool { return slices.Contains(c.Kinds, p.Kind) })
		}
	}
	in := func(p find.Place) bool {
		return slices.ContainsFunc(where.functions, func(s span) bool { return s.has(p.File, p.Line) })
	}
	for i := range f.Findings {
		x := &f.Findings[i]
		if x.Fix != nil && slices.ContainsFunc(x.Places, in) {
			m.Proposed, m.By = true, append(m.By, x.Rule)
		}
	}
	for i := range f.Candidates {
		if x := &f.Candidates[i]; in(x.Place) {
			m.Proposed, m.By = true, append(m.By, x.Generator)
		}
	}
	slices.Sort(m.By)
	m.By = slices.Compact(m.By)
}

// fixed takes what whet fix has kept at the places of a change.
func (m *measurement) fixed(f *fix.Result, where *places) {
	for i := range f.Attempts {
		a := &f.Attempts[i]
		in := slices.ContainsFunc(a.Finding.Places, func(p find.Place) bool {
			return slices.ContainsFunc(where.functions, func(s span) bool { return s.has(p.File, p.Line) })
		})
		switch {
		case in && a.Kept():
			m.Kept = append(m.Kept, a.Finding.Rule)
		case in:
			reason, _, _ := strings.Cut(a.Reason, "\n")
			m.Dropped = append(m.Dropped, fmt.Sprintf("%s at %s: %s", a.Finding.Rule, a.Stage, reason))
		}
	}
	for i := range f.Untried {
		x := &f.Untried[i]
		if slices.ContainsFunc(where.functions, func(s span) bool { return s.has(x.File, x.Line) }) {
			m.Dropped = append(m.Dropped, "not tried: "+x.Reason)
		}
	}
	if len(m.Kept) == 0 || f.Total == nil || f.Total.AB == nil {
		return
	}
	for _, s := range f.Total.AB.Subjects {
		i := slices.IndexFunc(s.Units, func(u ab.Unit) bool { return u.Unit == m.Unit })
		if s.Name == m.Subject && i >= 0 {
			m.Ours = new(float64)
			*m.Ours = float64(s.Units[i].Ratio)
		}
	}
}

// enough reports whether what was proven has at least 80% of the maintainers' gain.
func (m *measurement) enough() bool {
	const part = 0.8
	return m.Ours != nil && 1-*m.Ours >= part*(1-m.Theirs)
}

// readFile returns the contents of a file; nil if there is none.
func readFile(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
