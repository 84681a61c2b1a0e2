package find

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/find/module"
)

// A sourceLine is a line of one of the module's files.
type sourceLine struct {
	file string
	line int
}

// charges are the accounts of a place by cost: several when profiles name the place differently.
type charges map[Cost][]*account

// A matcher maps names in profiles to the module's source.
type matcher struct {
	m        *module.Module
	recorded func(file string) ([]byte, bool)
	sources  map[string]*parsed // by the module's file
	old      map[string]*parsed // by the profile's file; nil when it was not recorded
}

func newMatcher(m *module.Module, recorded func(file string) ([]byte, bool)) *matcher {
	return &matcher{m: m, recorded: recorded, sources: map[string]*parsed{}, old: map[string]*parsed{}}
}

// A parsed file is the text of a file and its functions.
type parsed struct {
	text  []byte
	fset  *token.FileSet
	file  *ast.File
	decls []*ast.FuncDecl
	spans []span // of the declarations
	err   error

	lines    []string    // of the text; nil until first used
	begins   map[int]int // last line of the functions and loops that begin on a line: see starts; nil until first used
	literals []span      // of function literals
}

// A span is a range of lines, from and to included.
type span struct{ from, to int }

func (s span) has(line int) bool { return s.from <= line && line <= s.to }

func parse(text []byte) *parsed {
	p := &parsed{text: text, fset: token.NewFileSet()}
	p.file, p.err = parser.ParseFile(p.fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if p.file != nil {
		for _, d := range p.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				p.decls = append(p.decls, f)
				p.spans = append(p.spans, span{p.line(f.Pos()), p.line(f.End())})
			}
		}
	}
	return p
}

func (p *parsed) line(at token.Pos) int { return p.fset.PositionFor(at, false).Line }

// decl returns the function around a line, or nil.
func (p *parsed) decl(line int) *ast.FuncDecl {
	if i := slices.IndexFunc(p.spans, func(s span) bool { return s.has(line) }); i >= 0 {
		return p.decls[i]
	}
	return nil
}

// code returns a range of lines of the text, at most most of them.
func (p *parsed) code(from, to, most int) string {
	if p.lines == nil {
		p.lines = strings.Split(string(p.text), "\n")
	}
	if from < 1 || from > len(p.lines) {
		return ""
	}
	return strings.Join(p.lines[from-1:min(to, from-1+most, len(p.lines))], "\n")
}

// body returns the text of a function.
func (p *parsed) body(d *ast.FuncDecl) []byte {
	f := p.fset.File(d.Pos())
	return p.text[f.Offset(d.Pos()):f.Offset(d.End())]
}

// starts reports whether something that the compiler turns into a function begins on a line and
// continues to another: a function, a closure, the body of a range over a function.
func (p *parsed) starts(start, line int) bool {
	p.survey()
	return line <= p.begins[start]
}

// survey records where functions and loops begin and end.
func (p *parsed) survey() {
	if p.begins != nil {
		return
	}
	p.begins = map[int]int{}
	ast.Inspect(p.file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit, *ast.RangeStmt:
			s := span{p.line(n.Pos()), p.line(n.End())}
			p.begins[s.from] = max(p.begins[s.from], s.to)
			if _, ok := n.(*ast.FuncLit); ok {
				p.literals = append(p.literals, s)
			}
		}
		return true
	})
}

// declName returns the name of a function as written in Go source: Name, T.Name, (*T).Name.
func declName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	pointer := false
	if s, ok := t.(*ast.StarExpr); ok {
		t, pointer = s.X, true
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	name := "?"
	if id, ok := t.(*ast.Ident); ok {
		name = id.Name
	}
	if pointer {
		name = "(*" + name + ")"
	}
	return name + "." + d.Name.Name
}

// Reasons why a place in a profile is not a place in the source.
const (
	reasonNoFile    = "the module has no such file"
	reasonVendored  = "it is vendored: change it upstream"
	reasonAmbiguous = "several files of the module match"
	reasonNotGo     = "the file cannot be parsed"
	reasonNoLine    = "no function contains that line any more"
	reasonChanged   = "the function has changed since the recording"
	reasonMoved     = "the function starts on another line"
	reasonGone      = "the function is gone"
)

// locate returns the module's place of a spot, or the reason why there is none.
func (x *matcher) locate(s spot, a *account) (sourceLine, string) {
	if strings.Contains("/"+s.file, "/vendor/") {
		return sourceLine{}, reasonVendored
	}
	rel, err := x.m.File(s.file)
	if err != nil {
		if err == module.ErrAmbiguous { //nolint:errorlint // the module's own sentinel, never wrapped
			return sourceLine{}, reasonAmbiguous
		}
		return sourceLine{}, reasonNoFile
	}
	now := x.source(rel)
	if now == nil || now.err != nil {
		return sourceLine{}, reasonNotGo
	}
	line := int(s.line)
	if before := x.before(s.file); before != nil && !bytes.Equal(before.text, now.text) {
		was := before.decl(line)
		if was == nil {
			return sourceLine{}, reasonNoLine
		}
		i := slices.IndexFunc(now.decls, func(d *ast.FuncDecl) bool { return declName(d) == declName(was) })
		if i < 0 {
			return sourceLine{}, reasonGone
		}
		if !bytes.Equal(before.body(was), now.body(now.decls[i])) {
			return sourceLine{}, reasonChanged
		}
		return sourceLine{rel, line + now.line(now.decls[i].Pos()) - before.line(was.Pos())}, ""
	}
	if isInit(a.function) {
		return sourceLine{rel, line}, ""
	}
	if now.decl(line) == nil && !now.inLiteral(line) {
		return sourceLine{}, reasonNoLine
	}
	if a.start > 0 && !now.starts(int(a.start), line) {
		return sourceLine{}, reasonMoved
	}
	return sourceLine{rel, line}, ""
}

// isInit reports whether a function is the one that initializes package variables.
func isInit(function string) bool { return strings.HasSuffix(function, ".init") }

// inLiteral reports whether a line is in a closure outside any function.
func (p *parsed) inLiteral(line int) bool {
	p.survey()
	return slices.ContainsFunc(p.literals, func(s span) bool { return s.has(line) })
}

// source returns the current version of a file, or nil if it cannot be read.
func (x *matcher) source(rel string) *parsed {
	if p, ok := x.sources[rel]; ok {
		return p
	}
	var p *parsed
	if text, err := x.m.Read(rel); err == nil {
		p = parse(text)
	}
	x.sources[rel] = p
	return p
}

// function returns the name of the function around a line, or "".
func (x *matcher) function(file string, line int) string {
	if src := x.source(file); src != nil {
		if d := src.decl(line); d != nil {
			return declName(d)
		}
	}
	return ""
}

// maxCode is the number of lines shown for a place.
const maxCode = 12

func (x *matcher) placeOf(file string, line, column, end int) Place {
	p := Place{File: file, Line: line, Column: column, EndLine: end}
	if src := x.source(file); src != nil {
		p.Code = src.code(line, end, maxCode)
	}
	return p
}

// before returns the recorded version of a file, or nil if it was not recorded.
func (x *matcher) before(name string) *parsed {
	if p, ok := x.old[name]; ok {
		return p
	}
	var p *parsed
	if x.recorded != nil {
		if text, ok := x.recorded(name); ok {
			if p = parse(text); p.err != nil {
				p = nil
			}
		}
	}
	x.old[name] = p
	return p
}

// join maps the ledgers to the module's places.
func (x *matcher) join(ledgers []*ledger) (map[sourceLine]charges, []Stale) {
	places := map[sourceLine]charges{}
	type gone struct{ function, file string }
	stale := map[gone]*Stale{}
	for _, l := range ledgers {
		lost := map[gone]int64{}
		for s, a := range l.spots {
			at, reason := x.locate(s, a)
			if reason == "" {
				if places[at] == nil {
					places[at] = charges{}
				}
				places[at][l.cost] = append(places[at][l.cost], a)
				continue
			}
			g := gone{a.function, s.file}
			if stale[g] == nil {
				stale[g] = &Stale{Function: g.function, File: g.file, Reason: reason}
			}
			lost[g] += a.value
		}
		for g, v := range lost {
			stale[g].Share = max(stale[g].Share, share(v, l.total))
		}
	}
	list := make([]Stale, 0, len(stale))
	for _, g := range slices.SortedFunc(maps.Keys(stale), func(a, b gone) int {
		return cmp.Or(cmp.Compare(stale[b].Share, stale[a].Share), cmp.Compare(a.function, b.function),
			cmp.Compare(a.file, b.file))
	}) {
		list = append(list, *stale[g])
	}
	return places, list
}

func share(part, total int64) float64 {
	if total == 0 {
		return 0
	}
	return float64(part) / float64(total)
}
