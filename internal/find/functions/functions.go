package functions

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A File is the text of a file and its functions.
type File struct {
	Text   []byte
	Syntax *ast.File // nil if the text is not Go at all
	Err    error     // the first syntax error

	fset  *token.FileSet
	decls []*ast.FuncDecl
	spans []span // of the declarations

	lines    []string    // of the text; nil until first used
	begins   map[int]int // last line of the functions and loops that begin on a line: see Starts; nil until first used
	literals []span      // of function literals
}

// A span is a range of lines, from and to included.
type span struct{ from, to int }

func (s span) has(line int) bool { return s.from <= line && line <= s.to }

// Parse reads the source of a file.
func Parse(text []byte) *File {
	p := &File{Text: text, fset: token.NewFileSet()}
	p.Syntax, p.Err = parser.ParseFile(p.fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if p.Syntax != nil {
		for _, d := range p.Syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				p.decls = append(p.decls, f)
				p.spans = append(p.spans, span{p.Line(f.Pos()), p.Line(f.End())})
			}
		}
	}
	return p
}

// Line returns the line of a position.
func (p *File) Line(at token.Pos) int { return p.fset.PositionFor(at, false).Line }

// Decl returns the function around a line, or nil.
func (p *File) Decl(line int) *ast.FuncDecl {
	if i := slices.IndexFunc(p.spans, func(s span) bool { return s.has(line) }); i >= 0 {
		return p.decls[i]
	}
	return nil
}

// Code returns a range of lines of the text, at most most of them.
func (p *File) Code(from, to, most int) string {
	if p.lines == nil {
		p.lines = strings.Split(string(p.Text), "\n")
	}
	if from < 1 || from > len(p.lines) {
		return ""
	}
	return strings.Join(p.lines[from-1:min(to, from-1+most, len(p.lines))], "\n")
}

// Body returns the text of a function.
func (p *File) Body(d *ast.FuncDecl) []byte {
	f := p.fset.File(d.Pos())
	return p.Text[f.Offset(d.Pos()):f.Offset(d.End())]
}

// Starts reports whether something that the compiler turns into a function begins on a line and
// continues to another: a function, a closure, the body of a range over a function.
func (p *File) Starts(start, line int) bool {
	p.survey()
	return line <= p.begins[start]
}

// survey records where functions and loops begin and end.
func (p *File) survey() {
	if p.begins != nil {
		return
	}
	p.begins = map[int]int{}
	ast.Inspect(p.Syntax, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit, *ast.RangeStmt:
			s := span{p.Line(n.Pos()), p.Line(n.End())}
			p.begins[s.from] = max(p.begins[s.from], s.to)
			if _, ok := n.(*ast.FuncLit); ok {
				p.literals = append(p.literals, s)
			}
		}
		return true
	})
}

// Name returns the name of a function as written in Go source: Name, T.Name, (*T).Name.
func Name(d *ast.FuncDecl) string {
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

// InLiteral reports whether a line is in a closure outside any function.
func (p *File) InLiteral(line int) bool {
	p.survey()
	return slices.ContainsFunc(p.literals, func(s span) bool { return s.has(line) })
}

// Named returns the function with a name as Name returns it; nil if there is none.
func (p *File) Named(name string) *ast.FuncDecl {
	i := slices.IndexFunc(p.decls, func(d *ast.FuncDecl) bool { return Name(d) == name })
	if i < 0 {
		return nil
	}
	return p.decls[i]
}
