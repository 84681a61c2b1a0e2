package syntax

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// ChangedFunctions returns the functions of a package of the module in root that differ with changes,
// by name. files are its syntax before them. A function that only moved, or whose comments changed,
// is the same; one that is gone is left out.
func ChangedFunctions(
	root string, fset *token.FileSet, files []*ast.File, changes scratch.Changes,
) ([]*ast.FuncDecl, error) {
	var decls []*ast.FuncDecl
	now := map[string]map[string]string{} // by file: functions
	anywhere := map[string][]string{}     // by function: its versions in any file
	for file, c := range changes {
		if !IsSource(file) {
			continue
		}
		var err error
		if now[file], err = Functions(file, c.After); err != nil {
			return nil, err
		}
		for name, text := range now[file] {
			anywhere[name] = append(anywhere[name], Tokens([]byte(text)))
		}
	}
	for _, source := range files {
		rel, err := filepath.Rel(root, fset.Position(source.Pos()).Filename)
		if err != nil {
			continue
		}
		file := filepath.ToSlash(rel)
		c, ok := changes[file]
		if !ok || !IsSource(file) {
			continue
		}
		for _, d := range source.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			was := Tokens(c.Before[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset])
			text, here := now[file][differ.FuncName(fn)]
			if !here && len(anywhere[differ.FuncName(fn)]) == 0 {
				continue // it is gone
			}
			if here && Tokens([]byte(text)) != was || !here && !slices.Contains(anywhere[differ.FuncName(fn)], was) {
				decls = append(decls, fn)
			}
		}
	}
	slices.SortFunc(decls, func(a, b *ast.FuncDecl) int { return strings.Compare(differ.FuncName(a), differ.FuncName(b)) })
	return decls, nil
}

// ChangedLines returns the lines of a function of the module in root that changes replace.
func ChangedLines(root string, fset *token.FileSet, d *ast.FuncDecl, changes scratch.Changes) (find.Place, error) {
	from, to := fset.Position(d.Pos()), fset.Position(d.End())
	p := find.Place{Line: from.Line, EndLine: to.Line}
	for file, c := range changes {
		if filepath.Join(root, filepath.FromSlash(file)) != from.Filename || c.After == nil {
			continue
		}
		p.File = file
		now, err := Functions(file, c.After)
		if err != nil {
			return p, err
		}
		before := strings.Split(string(c.Before[from.Offset:to.Offset]), "\n")
		after := strings.Split(now[differ.FuncName(d)], "\n")
		for p.Line < p.EndLine && len(before) > 1 && len(after) > 0 && before[0] == after[0] {
			before, after = before[1:], after[1:]
			p.Line++
		}
		for p.Line < p.EndLine && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
			before, after = before[:len(before)-1], after[:len(after)-1]
			p.EndLine--
		}
	}
	return p, nil
}
