package splice

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// A Pair is two versions of a package.
type Pair struct{ a, b *version }

// New reads the files of two versions of a package, by base name.
func New(a, b map[string][]byte) (*Pair, error) {
	old, err := read(a)
	if err != nil {
		return nil, fmt.Errorf("read version A: %w", err)
	}
	now, err := read(b)
	if err != nil {
		return nil, fmt.Errorf("read version B: %w", err)
	}
	return &Pair{a: old, b: now}, nil
}

// Changed returns the functions that have another body in B, and the same signature.
func (p *Pair) Changed() (list []string) {
	for _, u := range p.b.units {
		was := p.a.by[u.keys[0]]
		if s := p.b.signature(u); was != nil && s != "" && p.a.signature(was) == s && p.a.tokens(was) != p.b.tokens(u) {
			list = append(list, u.keys[0])
		}
	}
	slices.Sort(list)
	return list
}

// Has reports whether B declares a name.
func (p *Pair) Has(name string) bool { return p.b.by[name] != nil }

// A Change is version A with some declarations of B.
type Change struct {
	Files map[string][]byte // those that differ from A, by base name
	Added []string          // what only B has
}

// Change replaces the named declarations of A by those of B, and adds what they need.
func (p *Pair) Change(names []string) (*Change, error) {
	replaced, added, err := p.closure(names)
	if err != nil {
		return nil, err
	}
	w := writer{p: p, edits: map[string][]edit{}, from: map[string]map[string]bool{}}
	for _, u := range replaced {
		if err := w.replace(u); err != nil {
			return nil, err
		}
	}
	c := &Change{}
	for _, u := range added {
		w.append(u)
		c.Added = append(c.Added, u.keys...)
	}
	slices.Sort(c.Added)
	c.Files, err = w.files()
	return c, err
}

// closure returns the units of B that have the names, and those that only B has and that these need.
func (p *Pair) closure(names []string) (replaced, added []*unit, err error) {
	var todo []*unit
	for _, name := range names {
		u := p.b.by[name]
		if u == nil {
			return nil, nil, fmt.Errorf("version B has no %s", name)
		}
		if !slices.Contains(todo, u) {
			todo = append(todo, u)
		}
	}
	seen := map[*unit]bool{}
	for len(todo) > 0 {
		u := todo[0]
		todo = todo[1:]
		if seen[u] {
			continue
		}
		seen[u] = true
		if p.inA(u) {
			replaced = append(replaced, u)
		} else {
			added = append(added, u)
			if name, ok := strings.CutPrefix(u.keys[0], "type "); ok {
				todo = append(todo, p.b.methods(name)...)
			}
		}
		for _, o := range p.b.uses(u) {
			if !p.inA(o) {
				todo = append(todo, o)
			}
		}
	}
	byPlace := func(a, b *unit) int { return int(a.from - b.from) }
	slices.SortFunc(replaced, byPlace)
	slices.SortFunc(added, byPlace)
	return replaced, added, nil
}

// inA reports whether A declares something of a unit of B.
func (p *Pair) inA(u *unit) bool {
	return slices.ContainsFunc(u.keys, func(key string) bool { return p.a.by[key] != nil })
}

// Related returns the declarations that the named ones of B, and what is added with them, refer to,
// and that differ from A: types, variables and constants, and functions with another signature.
func (p *Pair) Related(names []string) (list []string) {
	replaced, added, err := p.closure(names)
	if err != nil {
		return nil
	}
	for _, u := range slices.Concat(replaced, added) {
		for _, o := range p.b.uses(u) {
			was := p.a.by[o.keys[0]]
			if was == nil || slices.Contains(names, o.keys[0]) || slices.Contains(list, o.keys[0]) {
				continue
			}
			if p.a.signature(was) != p.b.signature(o) || o.tok != 0 && p.a.tokens(was) != p.b.tokens(o) {
				list = append(list, o.keys[0])
			}
		}
	}
	slices.Sort(list)
	return list
}

// An edit replaces bytes of a file.
type edit struct {
	from, to int
	text     string
}

// A writer makes the files of a change.
type writer struct {
	p     *Pair
	edits map[string][]edit          // of files of A, by name
	from  map[string]map[string]bool // files of B whose text is put into a file
	text  map[string]*bytes.Buffer   // what is put into a file
	new   map[string]*bytes.Buffer   // what is appended to a file, which A may not have
}

// put notes that text of a file of B gets into a file.
func (w *writer) put(file, from, text string) {
	if w.from[file] == nil {
		w.from[file] = map[string]bool{}
	}
	w.from[file][from] = true
	if w.text == nil {
		w.text, w.new = map[string]*bytes.Buffer{}, map[string]*bytes.Buffer{}
	}
	if w.text[file] == nil {
		w.text[file] = &bytes.Buffer{}
	}
	w.text[file].WriteString(text + "\n")
}

// replace writes a unit of B over that of A.
func (w *writer) replace(u *unit) error {
	a, b := w.p.a, w.p.b
	var olds []*unit
	for _, key := range u.keys {
		if old := a.by[key]; old != nil && !slices.Contains(olds, old) {
			olds = append(olds, old)
		}
	}
	for i, old := range olds {
		if old.grouped && u.whole || old.tok != u.tok {
			return fmt.Errorf("%s is declared in another way", u.keys[0])
		}
		for _, key := range old.keys {
			if !slices.Contains(u.keys, key) && b.by[key] != nil {
				return fmt.Errorf("%s is declared together with other names", key)
			}
		}
		text := ""
		if i == 0 {
			text = b.render(u, old.grouped)
		}
		w.put(old.file, u.file, text)
		f := a.fset.File(old.from)
		w.edits[old.file] = append(w.edits[old.file], edit{f.Offset(old.from), f.Offset(old.to), text})
	}
	return nil
}

// append adds a unit that only B has, to the file of A with the same name or to a new one.
func (w *writer) append(u *unit) {
	text := w.p.b.render(u, false)
	w.put(u.file, u.file, text)
	if w.new[u.file] == nil {
		w.new[u.file] = &bytes.Buffer{}
	}
	w.new[u.file].WriteString("\n" + text + "\n")
}

// render returns the source of a unit, for a place in parentheses or outside any.
func (v *version) render(u *unit, grouped bool) string {
	if u.whole || u.tok == 0 || u.grouped == grouped {
		return v.text(u.file, u.from, u.to)
	}
	if grouped { // its only spec is without the keyword
		spec := u.node.(*ast.GenDecl).Specs[0]
		return v.text(u.file, u.from, u.node.Pos()) + v.text(u.file, spec.Pos(), u.to)
	}
	doc := strings.TrimRight(v.text(u.file, u.from, u.node.Pos()), "\t")
	return doc + u.tok.String() + " " + v.text(u.file, u.node.Pos(), u.to)
}

// files returns the files with their edits.
func (w *writer) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(w.from)) {
		text, had := w.p.a.texts[name]
		if !had {
			text = newFile(w.p.b, name)
		}
		edits := w.edits[name]
		more, drops, err := w.imports(name, text, had)
		if err != nil {
			return nil, err
		}
		edits = append(append(edits, more...), drops...)
		if extra := w.new[name]; extra != nil {
			edits = append(edits, edit{len(text), len(text), extra.String()})
		}
		files[name] = apply(text, edits)
	}
	return files, nil
}

// newFile returns a file with the package clause of a file of B.
func newFile(b *version, name string) []byte {
	return []byte("package " + b.files[name].Name.Name + "\n")
}

// apply applies edits that do not overlap.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, text[at:]...)
}

// FunctionAt returns the name of the function on a line of a file of a change; "" if there is none.
func (p *Pair) FunctionAt(c *Change, file string, line int) string {
	files := maps.Clone(p.a.texts)
	maps.Copy(files, c.Files)
	v, err := read(files)
	if err != nil {
		return ""
	}
	for _, u := range v.units {
		if u.file != file || u.tok != token.ILLEGAL {
			continue
		}
		if v.fset.Position(u.node.Pos()).Line <= line && line <= v.fset.Position(u.node.End()).Line {
			return u.keys[0]
		}
	}
	return ""
}
