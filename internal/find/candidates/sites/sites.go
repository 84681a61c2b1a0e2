package sites

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/syntax"
)

// A Generator proposes changes of one kind.
type Generator struct {
	Name    string // for IDs
	Title   string // what costs
	Why     string // why a change may be faster, as a clause
	Assumes string // what must hold for the change to be right, as a clause
	// Keeps is set if a change stores something between calls, which package prove never takes for proven.
	Keeps bool
	// Kinds are the kinds of cost that a change may reduce.
	Kinds []diagnosis.Kind

	Propose func(*Site) []Proposal
}

// A Proposal is a change of a line by a generator.
type Proposal struct {
	Message string // what it does, in the imperative
	Edits   []analysis.TextEdit
}

// A Package is what the sites of a package share.
type Package struct {
	Pass   *analysis.Pass
	Root   inspector.Cursor // over all files
	Names  *rewrite.Names   // unused ones for declarations
	Locals *rewrite.Locals  // unused ones for variables of functions
	Places flow.Places      // the uses of variables
	Code   *syntax.Code     // the functions, and which of them only compute
	// Observed returns the length that most recorded results of a function have, by its name in Go source:
	// one number for each result, 0 where none is known. It is nil without a recording of them.
	Observed func(function string) []int

	found map[*analysis.Analyzer][]analysis.Diagnostic // see Diagnostics
}

// New returns the sites of a package. The pass's analyzer must require inspect.Analyzer.
func New(pass *analysis.Pass) *Package {
	p := &Package{Pass: pass, Root: flow.Root(pass), Names: rewrite.NewNames(pass), Locals: rewrite.NewLocals(pass)}
	p.Places = flow.NewPlaces(pass.TypesInfo, p.Root)
	pkg := &packages.Package{Fset: pass.Fset, Syntax: pass.Files, Types: pass.Pkg, TypesInfo: pass.TypesInfo}
	p.Code = syntax.New([]*packages.Package{pkg}, func(file string) (string, bool) { return file, true })
	return p
}

// Diagnostics returns what another analyzer reports for the package. The pass must have the results of what
// that one requires. An analyzer that fails reports nothing.
func (p *Package) Diagnostics(a *analysis.Analyzer) []analysis.Diagnostic {
	if list, ok := p.found[a]; ok {
		return list
	}
	if p.found == nil {
		p.found = map[*analysis.Analyzer][]analysis.Diagnostic{}
	}
	var list []analysis.Diagnostic
	pass := *p.Pass
	pass.Analyzer, pass.Report = a, func(d analysis.Diagnostic) { list = append(list, d) }
	p.found[a] = nil
	if _, err := a.Run(&pass); err == nil {
		p.found[a] = list
	}
	return p.found[a]
}

// A Site is a hot line with the syntax around it.
type Site struct {
	*Package
	File string // name in the package's file set
	Line int
	Decl inspector.Cursor // the function around the line
}

// At returns the site of a line; nil if it is in no function, or if its file must not be changed.
func (p *Package) At(name string, line int) *Site {
	s := &Site{Package: p, File: name, Line: line}
	for file := range p.Root.Preorder((*ast.File)(nil)) {
		if p.Pass.Fset.File(file.Node().Pos()).Name() != name {
			continue
		}
		for d := range file.Preorder((*ast.FuncDecl)(nil)) {
			if s.LineOf(d.Node().Pos()) <= line && line <= s.LineOf(d.Node().End()) {
				if s.Decl = d; rewrite.Generated(p.Pass, d.Node().Pos()) {
					return nil
				}
				return s
			}
		}
	}
	return nil
}

// LineOf returns the line of a position.
func (s *Site) LineOf(at token.Pos) int { return s.Pass.Fset.PositionFor(at, false).Line }

// On reports whether profiles charge the execution of a node to the line: it begins there, or is a call
// whose parenthesis is there.
func (s *Site) On(n ast.Node) bool {
	if call, ok := n.(*ast.CallExpr); ok && s.LineOf(call.Lparen) == s.Line {
		return true
	}
	return s.LineOf(n.Pos()) == s.Line
}

// Nodes returns the nodes on the line that have the types of examples, in source order.
func (s *Site) Nodes(examples ...ast.Node) (list []inspector.Cursor) {
	for c := range s.Decl.Preorder(examples...) {
		if s.On(c.Node()) {
			list = append(list, c)
		}
	}
	return list
}

// CallsOf returns the calls on the line whose callee is one of some functions or methods.
func (s *Site) CallsOf(functions ...string) (list []inspector.Cursor) {
	for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
		if slices.Contains(functions, s.Callee(c)) {
			list = append(list, c)
		}
	}
	return list
}

// Callee returns the full name of the function or method that a call names, "" for all else.
func (s *Site) Callee(c inspector.Cursor) string {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return ""
	}
	return cmp.Or(flow.Callee(s.Pass.TypesInfo, call), flow.Method(s.Pass.TypesInfo, call))
}

// Text returns the source of a node.
func (s *Site) Text(n ast.Node) string { return rewrite.Text(s.Pass, n) }

// ValueOf returns the value that a variable is declared with at a use; nil elsewhere.
func (s *Site) ValueOf(use inspector.Cursor, v *types.Var) ast.Expr {
	if s.Pass.TypesInfo.Defs[IdentOf(use)] != types.Object(v) {
		return nil
	}
	switch d := use.Parent().Node().(type) {
	case *ast.ValueSpec:
		if len(d.Names) == len(d.Values) && use.ParentEdgeKind() == edge.ValueSpec_Names {
			return d.Values[use.ParentEdgeIndex()]
		}
	case *ast.AssignStmt:
		if len(d.Lhs) == len(d.Rhs) {
			return d.Rhs[use.ParentEdgeIndex()]
		}
	}
	return nil
}

// SideEffects reports whether an expression is more than names, fields, lengths and arithmetic that cannot fail.
func (s *Site) SideEffects(e ast.Expr) bool {
	divides := false
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		divides = divides || ok && (b.Op == token.QUO || b.Op == token.REM)
		return !divides
	})
	return divides || !s.Repeatable(e)
}

// Repeatable reports whether an expression is of names, fields, lengths and arithmetic: it can be evaluated again
// where it has been evaluated.
func (s *Site) Repeatable(e ast.Expr) bool {
	more := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.BasicLit, *ast.ParenExpr, *ast.BinaryExpr, nil:
		case *ast.CallExpr:
			b := flow.Builtin(s.Pass.TypesInfo, n)
			more = more || b != "len" && b != "cap" && b != "min" && b != "max"
		default:
			more = true
		}
		return !more
	})
	return !more
}

// Counts reports whether a loop counts an index up by one from 0.
func (s *Site) Counts(l *ast.ForStmt, index ast.Expr) bool {
	init, ok := l.Init.(*ast.AssignStmt)
	post, ok2 := l.Post.(*ast.IncDecStmt)
	if !ok || !ok2 || len(init.Lhs) != 1 || len(init.Rhs) != 1 || post.Tok != token.INC {
		return false
	}
	n, isConst := flow.IntConst(s.Pass.TypesInfo, init.Rhs[0])
	v := flow.Variable(s.Pass.TypesInfo, init.Lhs[0])
	return isConst && n == 0 && v != nil && v == flow.Variable(s.Pass.TypesInfo, index) &&
		v == flow.Variable(s.Pass.TypesInfo, post.X)
}

// EvaluatedFirst reports whether an expression can be evaluated before its statement: the statement is not a
// loop, nor a condition that evaluates something else first.
func (s *Site) EvaluatedFirst(c, stmt inspector.Cursor) bool {
	switch n := stmt.Node().(type) {
	case *ast.AssignStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.IncDecStmt, *ast.DeclStmt, *ast.SendStmt:
	case *ast.IfStmt:
		if n.Init != nil || c.Node().End() > n.Cond.End() {
			return false
		}
	case *ast.SwitchStmt:
		if n.Init != nil || n.Tag == nil || c.Node().End() > n.Tag.End() {
			return false
		}
	default:
		return false
	}
	for ; c != stmt; c = c.Parent() {
		if b, ok := c.Parent().Node().(*ast.BinaryExpr); ok && c.ParentEdgeKind() == edge.BinaryExpr_Y {
			if b.Op.String() == "&&" || b.Op.String() == "||" {
				return false
			}
		}
		if _, ok := c.Parent().Node().(*ast.FuncLit); ok {
			return false
		}
	}
	return true
}

// Unset reports whether the statements of a loop do not set a variable, and it is declared outside.
func (s *Site) Unset(loop inspector.Cursor, v *types.Var) bool {
	n := loop.Node()
	if n.Pos() <= v.Pos() && v.Pos() < n.End() {
		return false
	}
	for _, use := range s.Places[v] {
		at := use.Node().Pos()
		if (flow.IsSet(use) || flow.Addresses(s.Pass.TypesInfo, use)) && n.Pos() <= at && at < n.End() {
			return false
		}
	}
	return true
}

// SetsField reports whether a loop sets the field of a selector, of whichever value, or takes its address.
func (s *Site) SetsField(loop inspector.Cursor, sel *ast.SelectorExpr) bool {
	field := s.Pass.TypesInfo.ObjectOf(sel.Sel)
	for c := range loop.Preorder((*ast.SelectorExpr)(nil)) {
		other, ok := c.Node().(*ast.SelectorExpr)
		if ok && s.Pass.TypesInfo.ObjectOf(other.Sel) == field &&
			(flow.IsSet(c) || flow.Addresses(s.Pass.TypesInfo, c)) {
			return true
		}
	}
	return false
}

// IsBytes reports whether a type is a slice of bytes, named or not.
func IsBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[types.Byte])
}

// IsBlank reports whether an expression is the blank identifier.
func IsBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// IsMap reports whether a type is a map; false for nil.
func IsMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// ExprOf returns the expression of a cursor; nil if it is none.
func ExprOf(c inspector.Cursor) ast.Expr {
	e, _ := c.Node().(ast.Expr)
	return e
}

// IdentOf returns the identifier of a cursor; nil if it is none.
func IdentOf(c inspector.Cursor) *ast.Ident {
	id, _ := c.Node().(*ast.Ident)
	return id
}

// FunctionOf returns the function that runs a node: the node itself, if it is one.
func FunctionOf(c inspector.Cursor) inspector.Cursor {
	switch c.Node().(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		return c
	}
	f, _ := flow.Func(c)
	return f
}

// CommaOk reports whether an access of a map also returns whether there is an entry.
func CommaOk(c inspector.Cursor) bool {
	switch s := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		return len(s.Lhs) == 2 && len(s.Rhs) == 1
	case *ast.ValueSpec:
		return len(s.Names) == 2 && len(s.Values) == 1
	}
	return false
}

// Lowered returns a name that is not exported.
func Lowered(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// Shortened returns the beginning of source, for a message.
func Shortened(source string) string {
	source = strings.Join(strings.Fields(source), " ")
	if r := []rune(source); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return source
}

// Called reports whether a name is the function of a call, qualified or not.
func Called(c inspector.Cursor) bool {
	if c.ParentEdgeKind() == edge.SelectorExpr_Sel {
		c = c.Parent()
	}
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	return c.ParentEdgeKind() == edge.CallExpr_Fun
}
