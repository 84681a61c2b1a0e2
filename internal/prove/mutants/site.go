package mutants

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A source is a file to mutate.
type source struct {
	p     *Package
	file  *ast.File
	name  string
	text  []byte
	lines []Range

	sites []*site // outer ones before inner ones
	fn    *ast.FuncDecl
	room  map[types.Object]bool // variables of fn that only say for how much there is to be room
}

// A siteKind is how a site is written with its mutants.
type siteKind int

const (
	expression siteKind = iota
	statement           // in a list of statements
	elseBranch
)

// A site is a part of the syntax that mutants replace.
type site struct {
	kind     siteKind
	from, to int    // bytes of the file
	result   string // type of an expression
	fn       *ast.FuncDecl
	choices  []*choice

	start, end int // bytes of the file with mutants
}

// A choice is what may replace a site.
type choice struct {
	Mutant
	with    string // Go source
	flow    bool   // it may change what can be reached
	dropped bool

	start, end int // bytes of the file with mutants
}

// kept returns the choices of all sites that are not dropped.
func (s *source) kept() (list []*choice) {
	for _, at := range s.sites {
		list = append(list, at.kept()...)
	}
	return list
}

func (at *site) kept() []*choice {
	return slices.DeleteFunc(slices.Clone(at.choices), func(c *choice) bool { return c.dropped })
}

// find finds the sites. It returns functions on the lines that are not mutated.
func (s *source) find() (left []string) {
	for _, d := range s.file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || !s.within(fn) {
			continue
		}
		if why := s.harmful(fn); why != "" {
			left = append(left, fn.Name.Name+" is not mutated: "+why)
			continue
		}
		s.fn, s.room = fn, s.roomVariables(fn)
		ast.PreorderStack(fn.Body, []ast.Node{fn}, s.visit)
	}
	slices.SortStableFunc(s.sites, func(a, b *site) int {
		if a.from != b.from {
			return a.from - b.from
		}
		if a.to != b.to {
			return b.to - a.to
		}
		return int(b.kind - a.kind) // a statement is around its expression
	})
	return left
}

// within reports whether any line of a node is to be mutated.
func (s *source) within(n ast.Node) bool {
	from, to := s.line(n.Pos()), s.line(n.End())
	return slices.ContainsFunc(s.lines, func(r Range) bool { return r.From <= to && from <= r.To })
}

// on reports whether the line of a position is to be mutated.
func (s *source) on(pos token.Pos) bool {
	line := s.line(pos)
	return slices.ContainsFunc(s.lines, func(r Range) bool { return r.From <= line && line <= r.To })
}

func (s *source) line(pos token.Pos) int { return s.p.Fset.PositionFor(pos, false).Line }

func (s *source) offset(pos token.Pos) int { return s.p.Fset.PositionFor(pos, false).Offset }

// of returns the source of a node.
func (s *source) of(n ast.Node) string { return string(s.text[s.offset(n.Pos()):s.offset(n.End())]) }

// harmful returns why a function is not mutated; "" if it is.
func (s *source) harmful(fn *ast.FuncDecl) (why string) {
	if fn.Doc != nil {
		for _, c := range fn.Doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				return "it has a compiler directive"
			}
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || why != "" {
			return why == ""
		}
		if used, ok := s.p.Info.Uses[id].(*types.Func); ok && used.Pkg() != nil && isHarmful(used.Pkg().Path(), used.Name()) {
			why = "it uses " + used.Pkg().Name() + "." + used.Name()
		}
		return true
	})
	return why
}

// isHarmful reports whether a function of a package, or a method, may do harm if it is called with
// other arguments.
func isHarmful(pkg, name string) bool {
	switch pkg {
	case "os":
		switch name {
		case "Chmod", "Chown", "Create", "Kill", "Link", "OpenFile", "Remove", "RemoveAll", "Rename", "Signal",
			"StartProcess", "Symlink", "Truncate", "WriteFile":
			return true
		}
	case "os/exec", "syscall", "golang.org/x/sys/unix", "golang.org/x/sys/windows":
		return true
	}
	return false
}

// visit adds the sites of a node, and reports whether there may be more in it.
func (s *source) visit(n ast.Node, stack []ast.Node) bool {
	parent := stack[len(stack)-1]
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.IfStmt:
		if s.decidesOnlyRoom(n) {
			return false
		}
		s.elseOf(n)
	case *ast.RangeStmt:
		s.rangeLimit(n)
	case *ast.FuncLit:
		return true
	case ast.Stmt:
		if s.assigns(n, func(o types.Object) bool { return s.room[o] }) {
			return false
		}
		if inList(parent, n) {
			s.statement(n, stack)
		}
	case ast.Expr:
		if call, ok := parent.(*ast.CallExpr); ok && s.isRoom(call, n) {
			return false
		}
		return s.expression(n, parent, stack)
	}
	return true
}

// inList reports whether a statement is in a list of statements, where it may become an if
// statement.
func inList(parent ast.Node, n ast.Stmt) bool {
	switch p := parent.(type) {
	case *ast.BlockStmt:
		return true
	case *ast.CaseClause:
		return slices.Contains(p.Body, n)
	case *ast.CommClause:
		return slices.Contains(p.Body, n)
	}
	return false
}

// A change is a mutant of a site: the text that is replaced, by position, and its line.
type change struct {
	mutator  string
	at       token.Pos // whose line counts
	from, to token.Pos
	with     string
	flow     bool
}

// maxSite is the maximum size of a site, because each of its mutants repeats it.
const maxSite = 4 << 10

// add adds a mutant to a site.
func (s *source) add(kind siteKind, n ast.Node, result string, c change) {
	from, to := s.offset(n.Pos()), s.offset(n.End())
	if !s.on(c.at) || kind != elseBranch && to-from > maxSite {
		return
	}
	i := slices.IndexFunc(s.sites, func(at *site) bool { return at.kind == kind && at.from == from && at.to == to })
	if i < 0 {
		i = len(s.sites)
		s.sites = append(s.sites, &site{kind: kind, from: from, to: to, result: result, fn: s.fn})
	}
	at := s.sites[i]
	m := Mutant{
		File: s.name, Line: s.line(c.at), Mutator: c.mutator, from: s.offset(c.from), to: s.offset(c.to), text: c.with,
	}
	with := ""
	if kind != elseBranch {
		with = string(s.text[from:m.from]) + c.with + string(s.text[m.to:to])
	}
	if with == string(s.text[from:to]) ||
		slices.ContainsFunc(at.choices, func(have *choice) bool { return have.with == with }) {
		return
	}
	at.choices = append(at.choices, &choice{Mutant: m, with: with, flow: c.flow})
}

// addExpr adds a mutant of an expression, unless its type has no name in the file, or it must not be
// in another function.
func (s *source) addExpr(e ast.Expr, c change) {
	tv, ok := s.p.Info.Types[e]
	if !ok || tv.Type == nil || s.asksForCaller(e) {
		return
	}
	if result := s.typeName(tv.Type); result != "" {
		s.add(expression, e, result, c)
	}
}

// asksForCaller reports whether an expression calls a function whose result depends on the function
// that calls it.
func (s *source) asksForCaller(e ast.Expr) (asks bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			obj := s.p.Info.Uses[n]
			if obj == nil {
				return true
			}
			b, builtin := obj.(*types.Builtin)
			asks = asks || builtin && b.Name() == "recover" ||
				obj.Pkg() != nil && obj.Pkg().Path() == "runtime" && strings.HasPrefix(obj.Name(), "Caller")
		}
		return !asks
	})
	return asks
}

// typeName returns the result of a function literal, as this file writes it; "" if it cannot be
// written.
func (s *source) typeName(t types.Type) string {
	if tuple, ok := t.(*types.Tuple); ok {
		var names []string
		for v := range tuple.Variables() {
			name := s.typeName(v.Type())
			if name == "" {
				return ""
			}
			names = append(names, name)
		}
		if len(names) == 0 {
			return ""
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	t = types.Default(t)
	if b, ok := t.(*types.Basic); ok && (b.Kind() == types.Invalid || b.Kind() == types.UntypedNil) {
		return ""
	}
	named := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == s.p.Types {
			return ""
		}
		as, ok := s.importedAs(p)
		named = named && ok
		return as
	})
	if !named {
		return ""
	}
	return name
}

// importedAs returns the name of a package in the file.
func (s *source) importedAs(p *types.Package) (name string, ok bool) {
	for _, spec := range s.file.Imports {
		obj := s.p.Info.PkgNameOf(spec)
		if obj == nil || obj.Imported() != p {
			continue
		}
		switch obj.Name() {
		case "_":
		case ".":
			return "", true
		default:
			return obj.Name(), true
		}
	}
	return "", false
}
