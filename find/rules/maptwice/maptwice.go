package maptwice

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "maptwice",
			Doc:      "report maps that are accessed twice for one key",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "map accessed twice for one key",
			ByHand: "the second operand may change the map: assign it to a variable first, and update the value " +
				"in place",
			CPU: `^runtime\.mapaccess`, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

// A lookupFinder analyzes one package.
type lookupFinder struct {
	pass    *analysis.Pass
	names   *rewrite.Locals
	claimed map[ast.Expr]bool // reported accesses
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	f := &lookupFinder{pass: pass, names: rewrite.NewLocals(pass), claimed: map[ast.Expr]bool{}}
	for c := range root.Preorder((*ast.IfStmt)(nil), (*ast.AssignStmt)(nil)) {
		switch s := c.Node().(type) {
		case *ast.IfStmt:
			f.presence(c, s)
		case *ast.AssignStmt:
			f.combined(s)
		}
	}
	return nil, nil
}

// presence reports if _, ok := m[k]; ok { … m[k] … }.
func (f *lookupFinder) presence(c inspector.Cursor, s *ast.IfStmt) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || len(init.Lhs) != 2 || len(init.Rhs) != 1 || init.Tok != token.DEFINE || !isBlank(init.Lhs[0]) {
		return
	}
	first, ok := f.access(init.Rhs[0])
	if !ok || !f.implies(s.Cond, init.Lhs[1]) {
		return
	}
	body, ok := c.FindNode(s.Body)
	if !ok {
		return
	}
	var again []inspector.Cursor
	for x := range body.Preorder((*ast.IndexExpr)(nil)) {
		e, ok := x.Node().(*ast.IndexExpr)
		if ok && f.same(first, e) && isRead(x) && f.isUnchanged(body, x, first) {
			again = append(again, x)
		}
	}
	if len(again) == 0 {
		return
	}
	name := f.names.Fresh(s.Pos(), "value")
	fix := analysis.SuggestedFix{
		Message:   "Take the value from the first access",
		TextEdits: []analysis.TextEdit{rewrite.Replace(init.Lhs[0], name)},
	}
	for _, x := range again {
		if e, ok := x.Node().(ast.Expr); ok {
			f.claimed[e] = true
		}
		fix.TextEdits = append(fix.TextEdits, rewrite.Replace(x.Node(), name))
	}
	for _, x := range again {
		text := rewrite.Text(f.pass, x.Node())
		rules.Report(f.pass, x.Node(), "maptwice",
			fmt.Sprintf("%s is looked up again, although the first access returned the value", text),
			fix)
	}
}

// implies reports whether a condition is true only if a variable is: ok, or ok && more.
func (f *lookupFinder) implies(cond, variable ast.Expr) bool {
	cond = ast.Unparen(cond)
	if b, ok := cond.(*ast.BinaryExpr); ok && b.Op == token.LAND {
		// The second operand runs before the body, and may have side effects.
		return f.implies(b.X, variable) && flow.Same(f.pass.TypesInfo, b.Y, b.Y)
	}
	v := flow.Variable(f.pass.TypesInfo, cond)
	return v != nil && v == flow.Variable(f.pass.TypesInfo, variable)
}

// access returns m[k], if evaluating it has no side effects.
func (f *lookupFinder) access(e ast.Expr) (*ast.IndexExpr, bool) {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok || rewrite.HasComment(f.pass, x.Pos(), x.End()) {
		return nil, false
	}
	t := f.pass.TypesInfo.TypeOf(x.X)
	if t == nil {
		return nil, false
	}
	if _, ok := t.Underlying().(*types.Map); !ok {
		return nil, false
	}
	return x, f.same(x, x)
}

// same reports whether two accesses are to the same key of the same map.
func (f *lookupFinder) same(a, b *ast.IndexExpr) bool {
	info := f.pass.TypesInfo
	if !flow.Same(info, a.X, b.X) {
		return false
	}
	if flow.Same(info, a.Index, b.Index) {
		return true
	}
	x, y := info.Types[a.Index], info.Types[b.Index]
	return x.Value != nil && y.Value != nil &&
		x.Value.ExactString() == y.Value.ExactString() && types.Identical(x.Type, y.Type)
}

// isRead reports whether m[k] is only read: not set, and not in the comma-ok form.
func isRead(c inspector.Cursor) bool {
	for ; ; c = c.Parent() {
		if flow.IsSet(c) {
			return false
		}
		switch c.ParentEdgeKind() {
		case edge.AssignStmt_Rhs:
			s, ok := c.Parent().Node().(*ast.AssignStmt)
			return ok && len(s.Lhs) == len(s.Rhs)
		case edge.ValueSpec_Values:
			s, ok := c.Parent().Node().(*ast.ValueSpec)
			return ok && len(s.Names) == len(s.Values)
		case edge.SelectorExpr_X, edge.IndexExpr_X, edge.ParenExpr_X, edge.SliceExpr_X, edge.StarExpr_X:
			// A part of the value.
		default:
			return true
		}
	}
}

// isUnchanged reports whether nothing in a block before an access in it can change the map or the
// key.
func (f *lookupFinder) isUnchanged(body, access inspector.Cursor, first *ast.IndexExpr) bool {
	info := f.pass.TypesInfo
	to := access.Node().Pos()
	// A loop returns to what is after the access; a function may run at any time.
	for l := range access.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil)) {
		if l.Node().Pos() < body.Node().Pos() {
			break
		}
		if _, isFunc := l.Node().(*ast.FuncLit); isFunc {
			return false
		}
		to = l.Node().End()
	}
	named := map[types.Object]bool{}
	ast.Inspect(first, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			named[info.ObjectOf(id)] = true
		}
		return true
	})
	for c := range body.Preorder(
		(*ast.CallExpr)(nil), (*ast.Ident)(nil), (*ast.IndexExpr)(nil), (*ast.StarExpr)(nil),
		(*ast.LabeledStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.SelectStmt)(nil),
	) {
		n := c.Node()
		inLoop := to > access.Node().Pos()
		switch n := n.(type) {
		case *ast.LabeledStmt, *ast.SelectStmt:
			return false
		case *ast.CallExpr:
			// The call that receives the value runs afterwards; the order of other calls is
			// unspecified.
			around := !inLoop && n.Pos() <= access.Node().Pos() && access.Node().End() <= n.End()
			if n.Pos() < max(to, expressionEnd(access)) && !around && !f.harmless(n) {
				return false
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && n.Pos() < to {
				return false
			}
		case *ast.Ident:
			if n.Pos() < to && named[info.ObjectOf(n)] && assigned(c) && (inLoop || statement(c).End() <= access.Node().Pos()) {
				return false
			}
		case *ast.IndexExpr, *ast.StarExpr:
			if n.Pos() < to && assigned(c) && (inLoop || statement(c).End() <= access.Node().Pos()) {
				return false // of a map, which may be this one, or through a pointer
			}
		}
	}
	return true
}

// expressionEnd returns the end of the whole expression around an access, or of all expressions of
// a statement without nested statements.
func expressionEnd(c inspector.Cursor) token.Pos {
	for {
		switch n := c.Node().(type) {
		case ast.Expr:
		case *ast.AssignStmt, *ast.ReturnStmt, *ast.ExprStmt, *ast.SendStmt, *ast.ValueSpec, *ast.IncDecStmt:
			return n.End()
		}
		up := c.Parent()
		switch up.Node().(type) {
		case ast.Expr, *ast.AssignStmt, *ast.ReturnStmt, *ast.ExprStmt, *ast.SendStmt, *ast.ValueSpec, *ast.IncDecStmt:
			c = up
		default:
			return c.Node().End()
		}
	}
}

// assigned reports whether an expression, or a field of it, is set, or its address is taken.
func assigned(c inspector.Cursor) bool {
	for {
		if flow.IsSet(c) {
			return true
		}
		switch c.ParentEdgeKind() {
		case edge.SelectorExpr_X, edge.SelectorExpr_Sel, edge.ParenExpr_X:
			c = c.Parent()
		default:
			return false
		}
	}
}

// statement returns the innermost statement that contains a cursor.
func statement(c inspector.Cursor) ast.Node {
	for ; ; c = c.Parent() {
		if s, ok := c.Node().(ast.Stmt); ok {
			return s
		}
		if c.Parent().Node() == nil {
			return c.Node()
		}
	}
}

// harmless reports whether a call cannot reach a map other than through its arguments.
func (f *lookupFinder) harmless(call *ast.CallExpr) bool {
	info := f.pass.TypesInfo
	if _, ok := flow.Conversion(info, call); ok {
		return true
	}
	switch flow.Builtin(info, call) {
	case "len", "cap", "append", "min", "max", "make", "new":
		return true
	}
	switch flow.Callee(info, call) {
	case "strings.ToLower", "strings.ToUpper", "strings.TrimSpace",
		"strings.HasPrefix", "strings.HasSuffix", "strings.Contains",
		"strconv.Itoa", "strconv.Atoi", "strconv.FormatInt", "strconv.Quote", "errors.New", "time.Now", "time.Since":
		return true
	}
	return false
}

// combined reports m[k] = m[k] + x.
func (f *lookupFinder) combined(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	to, ok := f.access(s.Lhs[0])
	if !ok {
		return
	}
	sum, ok := ast.Unparen(s.Rhs[0]).(*ast.BinaryExpr)
	if !ok {
		return
	}
	switch sum.Op {
	case token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR, token.AND_NOT:
	default:
		return
	}
	from, ok := f.access(sum.X)
	if !ok || !f.same(to, from) || f.claimed[from] {
		return
	}
	fix := rules.None(rewrite.Text(f.pass, sum.Y) + " may change the map or panic before it is set: with a " +
		"variable for it, the value is updated in place")
	constant := f.pass.TypesInfo.Types[sum.Y].Value != nil
	if (constant || f.variable(sum.Y)) && !rewrite.HasComment(f.pass, s.Pos(), s.End()) {
		fix = analysis.SuggestedFix{Message: "Update the value in place", TextEdits: []analysis.TextEdit{
			{Pos: s.TokPos, End: s.Rhs[0].End(), NewText: fmt.Appendf(nil, "%s= "+
				"%s", sum.Op, rewrite.Text(f.pass, sum.Y))},
		}}
	}
	rules.Report(f.pass, from, "maptwice",
		fmt.Sprintf("%s is looked up twice, to read it and to set it", rewrite.Text(f.pass, from)),
		fix)
}

// variable reports whether an expression is a variable that can be read without side effects.
func (f *lookupFinder) variable(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.Ident)
	return ok && flow.Variable(f.pass.TypesInfo, e) != nil
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
