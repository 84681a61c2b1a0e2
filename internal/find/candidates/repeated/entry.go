package repeated

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// entryGenerator keeps an entry of a map that is made if there is none in a variable.
func entryGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "entry", Title: "map entry made, and then looked up again",
		Why:     "each access hashes the key and searches the map",
		Assumes: "nothing that is called in between sets the entry",
		Kinds:   []diagnosis.Kind{diagnosis.MapAccess, diagnosis.Hashing, diagnosis.MapGrowth, diagnosis.Own},
		Propose: visit(func(s *site) (list []proposal) {
			for c := range s.Decl.Preorder((*ast.IfStmt)(nil)) {
				if p, ok := s.madeEntry(c); ok {
					list = append(list, p)
				}
			}
			for c := range s.Decl.Preorder((*ast.RangeStmt)(nil)) {
				if p, ok := s.rangedValue(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// madeEntry rewrites if _, ok := m[k]; !ok { m[k] = x }, and the same with m[k] == nil, whose entry is a map or a
// pointer that the next statements of the block read.
func (s *site) madeEntry(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	cond, ok := c.Node().(*ast.IfStmt)
	if !ok || cond.Else != nil || len(cond.Body.List) != 1 || !flow.InBlock(c) {
		return p, false
	}
	set, ok := cond.Body.List[0].(*ast.AssignStmt)
	if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || len(set.Rhs) != 1 {
		return p, false
	}
	x, ok := ast.Unparen(set.Lhs[0]).(*ast.IndexExpr)
	if !ok || !sites.IsMap(info.TypeOf(x.X)) || s.SideEffects(x.X) || s.SideEffects(x.Index) {
		return p, false
	}
	switch info.TypeOf(x).Underlying().(type) {
	case *types.Map, *types.Pointer:
	default:
		return p, false // what is read may be set later
	}
	entry := s.Locals.Fresh(cond.Pos(), "entry")
	head := ""
	switch {
	case s.missing(cond, x):
		found := s.Locals.Fresh(cond.Pos(), "found")
		head = fmt.Sprintf("%s, %s := %s\nif !%s {", entry, found, s.Text(x), found)
	case s.isNil(cond, x):
		head = fmt.Sprintf("%s := %s\nif %s == nil {", entry, s.Text(x), entry)
	default:
		return p, false
	}
	if rewrite.HasComment(s.Pass, cond.Pos(), cond.Body.Lbrace) || rewrite.HasComment(s.Pass, set.Pos(), set.End()) {
		return p, false
	}
	onLine := s.LineOf(cond.Pos()) <= s.Line && s.Line <= s.LineOf(cond.End())
	var stmts []ast.Stmt
	switch b := c.Parent().Node().(type) {
	case *ast.BlockStmt:
		stmts = b.List
	case *ast.CaseClause:
		stmts = b.Body
	}
	p.Edits = []analysis.TextEdit{
		{Pos: cond.Pos(), End: cond.Body.Lbrace + 1, NewText: []byte(head)},
		rewrite.Replace(set, fmt.Sprintf("%s = %s\n%s = %s", entry, s.Text(set.Rhs[0]), s.Text(x), entry)),
	}
	uses := 0
	for _, stmt := range stmts {
		if stmt.Pos() <= cond.Pos() {
			continue
		}
		next, found := c.Parent().FindNode(stmt)
		if !found || !s.steadyBetween(next, x, stmt.Pos(), stmt.End()) {
			break
		}
		changed := false
		var edits []analysis.TextEdit
		for use := range next.Preorder((*ast.IndexExpr)(nil)) {
			e, isIndex := use.Node().(*ast.IndexExpr)
			if !isIndex || s.Text(e.X) != s.Text(x.X) {
				continue
			}
			if flow.IsSet(use) || sites.FunctionOf(use) != sites.FunctionOf(c) {
				changed = true
				break
			}
			if s.Text(e) == s.Text(x) && !sites.CommaOk(use) {
				edits = append(edits, rewrite.Replace(e, entry))
				onLine = onLine || s.On(e)
			}
		}
		if changed {
			break
		}
		uses += len(edits)
		p.Edits = append(p.Edits, edits...)
	}
	p.Message = "Look " + sites.Shortened(s.Text(x)) + " up once"
	return p, uses > 0 && onLine
}

// missing reports whether a condition is _, ok := m[k]; !ok, for the same entry.
func (s *site) missing(cond *ast.IfStmt, x *ast.IndexExpr) bool {
	init, ok := cond.Init.(*ast.AssignStmt)
	if !ok || len(init.Lhs) != 2 || len(init.Rhs) != 1 || !sites.IsBlank(init.Lhs[0]) {
		return false
	}
	not, ok := cond.Cond.(*ast.UnaryExpr)
	e, isIndex := ast.Unparen(init.Rhs[0]).(*ast.IndexExpr)
	found := flow.Variable(s.Pass.TypesInfo, init.Lhs[1])
	return ok && isIndex && not.Op == token.NOT && found != nil && flow.Variable(s.Pass.TypesInfo, not.X) == found &&
		s.Text(e) == s.Text(x)
}

// isNil reports whether a condition is m[k] == nil, for the same entry.
func (s *site) isNil(cond *ast.IfStmt, x *ast.IndexExpr) bool {
	b, ok := cond.Cond.(*ast.BinaryExpr)
	return ok && cond.Init == nil && b.Op == token.EQL && s.Pass.TypesInfo.Types[b.Y].IsNil() && s.Text(b.X) == s.Text(x)
}

// rangedValue uses the value of a loop over a map instead of a search for its key, in for k := range m { … m[k] … }.
func (s *site) rangedValue(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	r, ok := c.Node().(*ast.RangeStmt)
	if !ok || r.Tok != token.DEFINE || r.Key == nil || sites.IsBlank(r.Key) || r.Value != nil ||
		!sites.IsMap(info.TypeOf(r.X)) || s.SideEffects(r.X) {
		return p, false
	}
	key, onLine := flow.Variable(info, r.Key), s.LineOf(r.Pos()) == s.Line
	value := s.Locals.Fresh(r.Pos(), "value")
	for use := range c.Preorder((*ast.IndexExpr)(nil)) {
		e, isIndex := use.Node().(*ast.IndexExpr)
		if !isIndex || s.Text(e.X) != s.Text(r.X) {
			continue
		}
		if flow.IsSet(use) || sites.FunctionOf(use) != sites.FunctionOf(c) || sites.CommaOk(use) {
			return p, false
		}
		if flow.Variable(info, e.Index) == key {
			p.Edits = append(p.Edits, rewrite.Replace(e, value))
			onLine = onLine || s.On(e)
		}
	}
	if len(p.Edits) == 0 || key == nil || s.setAgain(key) || !onLine {
		return p, false
	}
	name := key.Name()
	if len(s.Places[key]) == len(p.Edits)+1 {
		name = "_" // nothing else uses it
	}
	p.Message = "Take the value of the loop over " + sites.Shortened(s.Text(r.X))
	p.Edits = append(p.Edits, rewrite.Replace(r.Key, name+", "+value))
	return p, true
}

// setElsewhere reports whether a package variable is set, or its address is taken, but for one value: that of its
// declaration, or one that an init function sets.
func (s *site) setElsewhere(v *types.Var) bool {
	values := 0
	for _, use := range s.Places[v] {
		if s.Pass.TypesInfo.Defs[sites.IdentOf(use)] != nil {
			if s.ValueOf(use, v) != nil {
				values++
			}
			continue
		}
		if flow.Addresses(s.Pass.TypesInfo, use) {
			return true
		}
		if flow.IsSet(use) {
			decl, ok := flow.Decl(use)
			if !ok || !isInit(decl.Node()) || use.ParentEdgeKind() != edge.AssignStmt_Lhs {
				return true
			}
			values++
		}
	}
	return values != 1
}

// isInit reports whether a node is an init function.
func isInit(n ast.Node) bool {
	decl, ok := n.(*ast.FuncDecl)
	return ok && decl.Recv == nil && decl.Name.Name == "init"
}

// setAgain reports whether a variable is set anywhere but where it is declared.
func (s *site) setAgain(v *types.Var) bool {
	for _, use := range s.Places[v] {
		if s.Pass.TypesInfo.Defs[sites.IdentOf(use)] == nil && (flow.IsSet(use) || flow.Addresses(s.Pass.TypesInfo, use)) {
			return true
		}
	}
	return false
}
