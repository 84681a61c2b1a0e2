package find

import (
	"context"
	"fmt"
	"slices"

	"github.com/whet-go/whet/find/notes"
)

// shown reports whether notes of a kind explain the cost of a line. Other kinds are about what
// costs nothing.
func shown(kind string) bool {
	switch kind {
	case "escape", "escapes", "isInBounds", "isSliceInBounds", "cannotInlineFunction", "cannotInlineCall":
		return true
	}
	return false
}

// annotate attaches the compiler's notes to findings and hot lines. Without a cache directory it
// does nothing; failures are warnings.
func (f *finder) annotate(ctx context.Context) {
	if f.o.Notes == "" {
		return
	}
	pkgs := f.shownPackages()
	if len(pkgs) == 0 {
		return
	}
	compiled, err := notes.Compile(ctx, notes.Options{
		Dir: f.m.dir, Flags: f.o.Flags, Env: f.o.Env, Cache: f.o.Notes,
		Want: shown,
	}, pkgs...)
	if err != nil {
		f.result.Warnings = append(f.result.Warnings, fmt.Errorf("compiler notes: %w", err))
		return
	}
	f.notes = map[string][]notes.Note{}
	for _, p := range compiled {
		if p.Err != nil {
			f.result.Warnings = append(f.result.Warnings, fmt.Errorf("compiler notes: package %s: %w", p.Path, p.Err))
		}
		for file, list := range p.Files {
			if rel, ok := f.relative(file); ok && f.pkgs[rel] != nil {
				f.notes[rel] = list
			}
		}
	}
	for i := range f.result.Findings {
		x := &f.result.Findings[i]
		for _, p := range x.Places {
			for _, n := range f.notesOf(p.File, p.Line, p.EndLine) {
				x.Notes = appendNote(x.Notes, n)
			}
		}
	}
}

// shownPackages returns the packages of findings and of lines that may be listed without one: the
// others need not be compiled.
func (f *finder) shownPackages() []string {
	var pkgs []string
	add := func(file string) {
		if pkg := f.pkgs[file]; pkg != nil && !pkg.IllTyped && !slices.Contains(pkgs, pkg.PkgPath) {
			pkgs = append(pkgs, pkg.PkgPath)
		}
	}
	for i := range f.result.Findings {
		for _, p := range f.result.Findings[i].Places {
			add(p.File)
		}
	}
	for at, c := range f.places {
		for _, l := range f.ledgers {
			var sum int64
			for _, a := range c[l.cost] {
				sum += a.value
			}
			if share(sum, l.total) >= f.o.MinShare {
				add(at.file)
				break
			}
		}
	}
	slices.Sort(pkgs)
	return pkgs
}

// notesOf returns the notes on a range of lines, and those on the function around them.
func (f *finder) notesOf(file string, from, to int) []notes.Note {
	start := 0
	if src := f.matcher.source(file); src != nil {
		if d := src.decl(from); d != nil {
			start = src.line(d.Name.Pos())
		}
	}
	var list []notes.Note
	for _, n := range f.notes[file] {
		inside := from <= n.Line && n.Line <= to && n.Kind != "cannotInlineFunction"
		if inside || n.Line == start && n.Kind == "cannotInlineFunction" {
			list = appendNote(list, n)
		}
	}
	return list
}

// appendNote appends a note unless the list already contains it.
func appendNote(list []notes.Note, n notes.Note) []notes.Note {
	if slices.ContainsFunc(list,
		func(o notes.Note) bool { return o.Line == n.Line && o.Kind == n.Kind && o.Message == n.Message }) {
		return list
	}
	return append(list, n)
}
