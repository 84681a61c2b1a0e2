package sortslice

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A less is a function of two indices, func(i, j int) bool, that is translated to a function of two
// elements.
type less struct {
	pass  *analysis.Pass
	slice ast.Expr // the sorted slice
	body  *ast.BlockStmt
	i, j  *types.Var
	a, b  string // names of the elements
	first int    // index of the statement after those that name the elements
	cmp   string // the package's name, if it is used
	edits []analysis.TextEdit
}

// newLess analyzes a function; nil if it does not compare elements.
func newLess(pass *analysis.Pass, slice ast.Expr, f *ast.FuncLit) *less {
	l := &less{pass: pass, slice: slice, body: f.Body}
	var params []*ast.Ident
	for _, field := range f.Type.Params.List {
		params = append(params, field.Names...)
	}
	if len(params) != 2 || len(f.Type.Results.List) != 1 || len(f.Type.Results.List[0].Names) > 0 ||
		!flow.Same(pass.TypesInfo, slice, slice) {
		return nil
	}
	l.i, _ = pass.TypesInfo.Defs[params[0]].(*types.Var)
	l.j, _ = pass.TypesInfo.Defs[params[1]].(*types.Var)
	if l.i == nil || l.j == nil || params[0].Name == "_" || params[1].Name == "_" {
		return nil
	}
	l.named()
	if l.a == "" || l.b == "" {
		l.fresh()
	}
	if l.a == "" || l.b == "" || l.a == "_" || l.b == "_" || l.a == l.b {
		return nil
	}
	return l
}

// element returns which of the two elements an expression is: 1, 2, or 0 for neither.
func (l *less) element(e ast.Expr) int {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok || !flow.Same(l.pass.TypesInfo, x.X, l.slice) {
		return 0
	}
	switch flow.Variable(l.pass.TypesInfo, x.Index) {
	case l.i:
		return 1
	case l.j:
		return 2
	}
	return 0
}

// named reads the statements at the beginning of the function if they name the elements: a, b :=
// s[i], s[j].
func (l *less) named() {
	for k, s := range l.body.List {
		assign, ok := s.(*ast.AssignStmt)
		if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != len(assign.Rhs) {
			return
		}
		a, b := l.a, l.b
		for n := range assign.Lhs {
			id, ok := assign.Lhs[n].(*ast.Ident)
			if !ok {
				return
			}
			switch l.element(assign.Rhs[n]) {
			case 1:
				a = cmp.Or(a, id.Name)
			case 2:
				b = cmp.Or(b, id.Name)
			default:
				return
			}
			if id.Name != a && id.Name != b {
				return // a second name
			}
		}
		l.a, l.b, l.first = a, b, k+1
	}
}

// fresh finds names that the function does not use.
func (l *less) fresh() {
	if l.first > 0 {
		return // only one of the two is named: rare
	}
	used := map[string]bool{}
	ast.Inspect(l.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for _, names := range [...][2]string{{"a", "b"}, {"x", "y"}, {"left", "right"}} {
		if !used[names[0]] && !used[names[1]] {
			l.a, l.b = names[0], names[1]
			return
		}
	}
}

// plain reports whether the function is s[i] < s[j], for elements that are identical if they are
// equal.
func (l *less) plain(elem types.Type) bool {
	if len(l.body.List) != l.first+1 || ordered(elem) != exact {
		return false
	}
	ret, ok := l.body.List[l.first].(*ast.ReturnStmt)
	if !ok {
		return false
	}
	x, ok := ast.Unparen(ret.Results[0]).(*ast.BinaryExpr)
	return ok && x.Op == token.LSS && l.which(x.X) == 1 && l.which(x.Y) == 2
}

// which is element, but also accepts names of elements.
func (l *less) which(e ast.Expr) int {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && l.first > 0 {
		switch id.Name {
		case l.a:
			return 1
		case l.b:
			return 2
		}
	}
	return l.element(e)
}

// An order is how the values of a type compare.
type order int

const (
	none  order = iota
	exact       // values are less, equal, or greater
	loose       // NaN is none of these
)

func ordered(t types.Type) order {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
		return none
	case b.Info()&(types.IsInteger|types.IsString) != 0:
		return exact
	case b.Info()&types.IsFloat != 0:
		return loose
	}
	return none
}

// translate makes the edits of the function's body, and reports whether it can: not if the body
// contains something that they do not cover.
func (l *less) translate(body inspector.Cursor) bool {
	if l.first >= len(l.body.List) {
		return false
	}
	if l.first > 0 {
		from, to := l.body.List[0].Pos(), l.body.List[l.first].Pos()
		if rewrite.HasComment(l.pass, from, to) {
			return false
		}
		l.edits = append(l.edits, analysis.TextEdit{Pos: from, End: to})
	}
	for _, s := range l.body.List[l.first:] {
		if !l.statement(s) {
			return false
		}
	}
	return l.elements(body)
}

// statement translates what a statement returns, and reports whether it can: not if it does more
// than compare.
func (l *less) statement(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return l.returns(s)
	case *ast.BlockStmt:
		return l.list(s.List)
	case *ast.IfStmt:
		return s.Init == nil && l.list(s.Body.List) && (s.Else == nil || l.statement(s.Else))
	case *ast.SwitchStmt:
		return s.Init == nil && l.list(s.Body.List)
	case *ast.CaseClause:
		return l.list(s.Body)
	}
	return false
}

func (l *less) list(list []ast.Stmt) bool {
	for _, s := range list {
		if !l.statement(s) {
			return false
		}
	}
	return true
}

// returns reports whether it can translate return x < y, which is true exactly if the number that
// replaces it is negative.
func (l *less) returns(s *ast.ReturnStmt) bool {
	if rewrite.HasComment(l.pass, s.Pos(), s.End()) {
		return false
	}
	info := l.pass.TypesInfo
	switch e := ast.Unparen(s.Results[0]).(type) {
	case *ast.BinaryExpr:
		if call, ok := ast.Unparen(e.X).(*ast.CallExpr); ok && e.Op == token.LSS {
			zero, isConst := flow.IntConst(info, e.Y)
			switch flow.Callee(info, call) {
			case "strings.Compare", "bytes.Compare", "cmp.Compare", "(time.Time).Compare":
				l.edits = append(l.edits, rewrite.Replace(s, "return "+l.text(call)))
				return isConst && zero == 0
			}
		}
		return l.compares(s, e)
	case *ast.CallExpr:
		sel, ok := e.Fun.(*ast.SelectorExpr)
		if !ok || len(e.Args) != 1 || !l.mirrored(sel.X, e.Args[0]) {
			return false
		}
		x, y := l.text(sel.X), l.text(e.Args[0])
		switch flow.Callee(info, e) {
		case "(time.Time).Before":
		case "(time.Time).After":
			x, y = y, x
		default:
			return false
		}
		l.edits = append(l.edits, rewrite.Replace(s, fmt.Sprintf("return %s.Compare(%s)", x, y)))
		return true
	}
	return false
}

func (l *less) compares(s *ast.ReturnStmt, e *ast.BinaryExpr) bool {
	if e.Op != token.LSS && e.Op != token.GTR || !l.mirrored(e.X, e.Y) {
		return false
	}
	x, y := l.text(e.X), l.text(e.Y)
	if e.Op == token.GTR {
		x, y = y, x
	}
	switch ordered(l.pass.TypesInfo.TypeOf(e.X)) {
	case none:
	case exact:
		if l.cmp == "" {
			name, edits, ok := rewrite.Import(l.pass, s.Pos(), "cmp")
			if !ok || l.a == name || l.b == name {
				return false
			}
			l.cmp = name
			l.edits = append(l.edits, edits...)
		}
		l.edits = append(l.edits, rewrite.Replace(s, fmt.Sprintf("return %s.Compare(%s, %s)", l.cmp, x, y)))
		return true
	case loose:
		l.edits = append(l.edits, rewrite.Replace(s,
			fmt.Sprintf("if %s < %s {\nreturn -1\n}\nif %s < %s {\nreturn 1\n}\nreturn 0", x, y, y, x),
		))
		return true
	}
	return false
}

// mirrored reports whether two operands are the same part of the two elements, without side
// effects.
func (l *less) mirrored(x, y ast.Expr) bool {
	anyone := func(int) string { return "\x00" }
	return l.shape(x)+l.shape(y) == 3 && l.substituted(x, anyone) == l.substituted(y, anyone)
}

// shape returns the element that an operand consists of, if it is the element, a field of it at any
// depth, the target of a pointer there, a len, or a conversion; else -1.
func (l *less) shape(e ast.Expr) int {
	e = ast.Unparen(e)
	if k := l.which(e); k > 0 {
		return k
	}
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if sel := l.pass.TypesInfo.Selections[e]; sel != nil && sel.Kind() == types.FieldVal {
			return l.shape(e.X)
		}
	case *ast.StarExpr:
		return l.shape(e.X)
	case *ast.CallExpr:
		_, converts := flow.Conversion(l.pass.TypesInfo, e)
		if converts || flow.Builtin(l.pass.TypesInfo, e) == "len" {
			return l.shape(e.Args[0])
		}
	}
	return -1
}

// text returns an operand's source with the elements' names.
func (l *less) text(e ast.Expr) string {
	return l.substituted(e, func(k int) string { return [...]string{"", l.a, l.b}[k] })
}

func (l *less) substituted(e ast.Expr, name func(element int) string) string {
	type place struct {
		node ast.Expr
		text string
	}
	var places []place
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if k := l.which(x); k > 0 {
			places = append(places, place{x, name(k)})
			return false
		}
		return true
	})
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.node.Pos(), b.node.Pos()) })
	var out strings.Builder
	at := e.Pos()
	for _, p := range places {
		out.WriteString(rewrite.Between(l.pass, at, p.node.Pos()))
		out.WriteString(p.text)
		at = p.node.End()
	}
	out.WriteString(rewrite.Between(l.pass, at, e.End()))
	return out.String()
}

// elements makes the edits of the elements outside return statements, and reports whether it
// can: not if an index, or the slice, is used for anything but an element's value.
func (l *less) elements(body inspector.Cursor) bool {
	info := l.pass.TypesInfo
	root := rootVariable(info, l.slice)
	for c := range body.Preorder((*ast.Ident)(nil), (*ast.FuncLit)(nil)) {
		id, ok := c.Node().(*ast.Ident)
		if !ok {
			return false // a function
		}
		if id.Pos() < l.body.List[l.first].Pos() {
			continue
		}
		obj := info.ObjectOf(id)
		if obj == nil || obj != types.Object(l.i) && obj != types.Object(l.j) && obj != types.Object(root) {
			continue
		}
		element, ok := l.around(c)
		if !ok || flow.Addresses(info, element) {
			return false
		}
		index, ok := element.Node().(*ast.IndexExpr)
		if !ok {
			return false
		}
		if obj != types.Object(root) && !inReturn(element) {
			l.edits = append(l.edits, rewrite.Replace(index, [...]string{"", l.a, l.b}[l.element(index)]))
		}
	}
	return true
}

// around returns the element that a name is a part of.
func (l *less) around(c inspector.Cursor) (inspector.Cursor, bool) {
	for index := range c.Enclosing((*ast.IndexExpr)(nil)) {
		if e, ok := index.Node().(*ast.IndexExpr); ok && l.element(e) > 0 {
			return index, true
		}
	}
	return inspector.Cursor{}, false
}

func inReturn(c inspector.Cursor) bool {
	for p := range c.Enclosing((*ast.ReturnStmt)(nil), (*ast.FuncLit)(nil)) {
		_, ok := p.Node().(*ast.ReturnStmt)
		return ok
	}
	return false
}

// rootVariable returns the variable that an expression begins with.
func rootVariable(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if _, ok := info.Selections[x]; !ok {
				v, _ := info.ObjectOf(x.Sel).(*types.Var)
				return v // of another package
			}
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			v, _ := info.ObjectOf(x).(*types.Var)
			return v
		default:
			return nil
		}
	}
}
