package splice

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// imports returns the edits that add the imports of B that the new text of a file needs, and remove
// those that nothing uses any more.
func (w *writer) imports(name string, text []byte, had bool) (adds, drops []edit, err error) {
	var have []*ast.ImportSpec
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	have = file.Imports
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	needed := selectorBases(w.text[name].String())
	for _, from := range w.sources(name) {
		for _, s := range w.p.b.files[from].Imports {
			if !slices.ContainsFunc(needed, func(base string) bool { return isNamed(s, base) }) {
				continue
			}
			switch same := slices.IndexFunc(have, func(o *ast.ImportSpec) bool { return o.Path.Value == s.Path.Value }); {
			case same >= 0 && importName(have[same]) == importName(s):
				continue
			case slices.ContainsFunc(have, func(o *ast.ImportSpec) bool {
				return guess(o) == guess(s) && o.Path.Value != s.Path.Value
			}):
				return nil, nil, fmt.Errorf("%s imports another package as %s", name, guess(s))
			}
			at := offset(file.Name.End())
			adds = append(adds, edit{at, at, "\n\nimport " + spec(s)})
			have = append(have, s)
		}
	}
	if had {
		drops = w.unused(name, text, file, offset)
	}
	return adds, drops, nil
}

// sources returns the files of B whose text is put into a file.
func (w *writer) sources(name string) (list []string) {
	for from := range w.from[name] {
		list = append(list, from)
	}
	slices.Sort(list)
	return list
}

// unused returns the edits that remove the imports of A that the file used, and no longer uses.
func (w *writer) unused(name string, text []byte, file *ast.File, offset func(token.Pos) int) (drops []edit) {
	was := selectorBases(string(text))
	kept := slices.Clone(w.edits[name])
	for i := range kept {
		kept[i].text = "" // the new text is in w.text
	}
	now := append(selectorBases(string(apply(text, kept))), selectorBases(w.text[name].String())...)
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			s, ok := s.(*ast.ImportSpec)
			uses := func(bases []string) bool {
				return slices.ContainsFunc(bases, func(base string) bool { return isNamed(s, base) })
			}
			if !ok || !uses(was) || uses(now) {
				continue
			}
			from, to := s.Pos(), s.End()
			if !g.Lparen.IsValid() {
				from, to = g.Pos(), g.End()
			}
			drops = append(drops, edit{offset(from), offset(to), ""})
		}
	}
	return drops
}

// selector matches the name before a period, which may be that of a package.
var selector = regexp.MustCompile(`(?:^|[^.\w])([\pL_][\pL_\d]*)\.`)

// selectorBases returns the names before periods in source, in comments and strings, too.
func selectorBases(text string) (list []string) {
	for _, m := range selector.FindAllStringSubmatch(stripped(text), -1) {
		if !slices.Contains(list, m[1]) {
			list = append(list, m[1])
		}
	}
	return list
}

var comment = regexp.MustCompile(`(?m)^\s*//.*$`)

// stripped returns source without the lines that are comments.
func stripped(text string) string { return comment.ReplaceAllString(text, "") }

func importName(s *ast.ImportSpec) string {
	if s.Name == nil {
		return ""
	}
	return s.Name.Name
}

func spec(s *ast.ImportSpec) string {
	return strings.TrimSpace(importName(s) + " " + s.Path.Value)
}

// isNamed reports whether an import may have a name in its file. Without an explicit one, that is a
// guess.
func isNamed(s *ast.ImportSpec, name string) bool {
	if s.Name != nil {
		return s.Name.Name == name
	}
	return guess(s) == name
}

var (
	majorVersion = regexp.MustCompile(`^v\d+$`)
	dotVersion   = regexp.MustCompile(`\.v\d+$`)
)

// guess returns the name that an import has in its file, by its path if it has no explicit one.
func guess(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	full, _ := strconv.Unquote(s.Path.Value)
	base := path.Base(full)
	if majorVersion.MatchString(base) {
		base = path.Base(path.Dir(full))
	}
	base = dotVersion.ReplaceAllString(base, "")
	base = strings.TrimSuffix(strings.TrimPrefix(base, "go-"), "-go")
	return strings.TrimSuffix(base, ".go")
}
