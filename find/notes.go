package find

import (
	"context"
	"fmt"
	"slices"

	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/internal/diag"
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

// fileNotes are the compiler's notes by the module's file.
type fileNotes map[string][]notes.Note

// compileNotes gets the compiler's notes on the packages of findings and hot lines: none without a
// cache directory. Failures are warnings.
func compileNotes(
	ctx context.Context, o Options, c *lineCosts, code *hotCode, found []Finding,
) (fileNotes, Warnings) {
	if o.Notes == "" {
		return nil, nil
	}
	pkgs := code.shownPackages(c, found)
	if len(pkgs) == 0 {
		return nil, nil
	}
	compiled, err := notes.Compile(ctx, notes.Options{
		Dir: c.module.Dir, Flags: o.Flags, Env: o.Env, Cache: o.Notes,
		Want: shown,
	}, pkgs...)
	if err != nil {
		return nil, Warnings{diag.Warn(fmt.Errorf("compiler notes: %w", err))}
	}
	byFile := fileNotes{}
	var warnings Warnings
	for _, p := range compiled {
		if p.Err != nil {
			warnings.Add(fmt.Errorf("compiler notes: package %s: %w", p.Path, p.Err))
		}
		for file, list := range p.Files {
			if rel, ok := c.module.Relative(file); ok && code.byFile[rel] != nil {
				byFile[rel] = list
			}
		}
	}
	return byFile, warnings
}

// shownPackages returns the packages of findings and of lines that may be listed without one: the
// others need not be compiled.
func (h *hotCode) shownPackages(c *lineCosts, found []Finding) []string {
	var pkgs []string
	add := func(file string) {
		if pkg := h.byFile[file]; pkg != nil && !pkg.IllTyped && !slices.Contains(pkgs, pkg.PkgPath) {
			pkgs = append(pkgs, pkg.PkgPath)
		}
	}
	for i := range found {
		for _, p := range found[i].Places {
			add(p.File)
		}
	}
	for at := range c.places {
		if c.hot(at) {
			add(at.file)
		}
	}
	slices.Sort(pkgs)
	return pkgs
}

// on returns the notes on a range of lines, and those on the function around them.
func (f fileNotes) on(source *matcher, file string, from, to int) []notes.Note {
	start := 0
	if src := source.source(file); src != nil {
		if d := src.Decl(from); d != nil {
			start = src.Line(d.Name.Pos())
		}
	}
	var list []notes.Note
	for _, n := range f[file] {
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
