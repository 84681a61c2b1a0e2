package memory

import (
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

// maxValue is the size in bytes up to which copying a struct is cheaper than allocating it.
const maxValue = 512

// valueGenerator returns a struct by value where a function returns a pointer to a new one.
func valueGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "value", Title: "new struct returned by pointer",
		Why: "what a function returns by pointer escapes, unless the function is inlined; the value can stay in " +
			"the caller's memory",
		Assumes: "no method of the struct keeps its receiver, which would only move the allocation to the callers, and " +
			"no caller uses the result if there is an error",
		Kinds: []diagnosis.Kind{diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection},
		Propose: visit(func(s *site) []proposal {
			if p, ok := s.byValue(); ok {
				return []proposal{p}
			}
			return nil
		}),
	}
}

// byValue changes the result of the function around the line, and all its callers.
func (s *site) byValue() (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Name.IsExported() || decl.Body == nil || decl.Type.TypeParams != nil ||
		decl.Type.Results == nil || len(decl.Type.Results.List[0].Names) > 0 {
		return p, false
	}
	results := len(decl.Type.Results.List)
	star, ok := decl.Type.Results.List[0].Type.(*ast.StarExpr)
	if !ok || rewrite.HasComment(s.Pass, star.Pos(), star.End()) {
		return p, false
	}
	t := info.TypeOf(star.X)
	if _, isStruct := t.Underlying().(*types.Struct); !isStruct || flow.SizeVaries(t) ||
		s.Pass.TypesSizes.Sizeof(t) > maxValue || holdsLock(t, 0) {
		return p, false
	}
	edits := []analysis.TextEdit{{Pos: star.Star, End: star.X.Pos()}}
	allocates := false
	done := map[*types.Var]bool{}
	for c := range s.Decl.Preorder((*ast.ReturnStmt)(nil)) {
		ret, isReturn := c.Node().(*ast.ReturnStmt)
		if !isReturn || sites.FunctionOf(c) != s.Decl {
			continue
		}
		if len(ret.Results) != results {
			return p, false
		}
		if info.Types[ret.Results[0]].IsNil() && results > 1 {
			edits = append(edits, rewrite.Replace(ret.Results[0], s.Text(star.X)+"{}"))
			continue
		}
		if made, ok := literal(ret.Results[0]); ok {
			edits = append(edits, analysis.TextEdit{Pos: made.OpPos, End: made.X.Pos()})
			allocates = allocates || s.near(made)
			continue
		}
		v := flow.Variable(info, ret.Results[0])
		if v == nil {
			return p, false
		}
		if done[v] {
			continue
		}
		done[v] = true
		made, more, ok := s.made(v)
		if !ok {
			return p, false
		}
		edits, allocates = append(edits, more...), allocates || s.near(made)
	}
	if !allocates {
		return p, false // the line does something else
	}
	calls := 0
	for c := range s.Root.Preorder((*ast.Ident)(nil)) {
		id := sites.IdentOf(c)
		if id == decl.Name || info.ObjectOf(id) != info.Defs[decl.Name] {
			continue
		}
		calls++
		if !s.takesValue(c, results) {
			return p, false
		}
	}
	return proposal{Message: "Return the " + s.Text(star.X) + " by value", Edits: edits}, calls > 0
}

// near reports whether a node is on the line.
func (s *site) near(n ast.Node) bool {
	return s.LineOf(n.Pos()) <= s.Line && s.Line <= s.LineOf(n.End())
}

// literal returns &T{…}.
func literal(e ast.Expr) (*ast.UnaryExpr, bool) {
	u, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return nil, false
	}
	_, ok = u.X.(*ast.CompositeLit)
	return u, ok
}

// made returns the literal of a variable x := &T{…} that is returned, and otherwise only selects fields and
// methods, with the edits that make it a value.
func (s *site) made(v *types.Var) (made *ast.UnaryExpr, edits []analysis.TextEdit, ok bool) {
	for _, use := range s.Places[v] {
		if value := s.ValueOf(use, v); value != nil {
			if made, ok = literal(value); !ok || use.ParentEdgeKind() != edge.AssignStmt_Lhs {
				return nil, nil, false
			}
			edits = append(edits, analysis.TextEdit{Pos: made.OpPos, End: made.X.Pos()})
			continue
		}
		if use.ParentEdgeKind() != edge.ReturnStmt_Results && !selects(use) || sites.FunctionOf(use) != s.Decl {
			return nil, nil, false
		}
	}
	return made, edits, made != nil
}

// selects reports whether a use selects a field or calls a method.
func selects(use inspector.Cursor) bool {
	if use.ParentEdgeKind() != edge.SelectorExpr_X {
		return false
	}
	_, _, calls := flow.Receives(use)
	return calls || use.Parent().ParentEdgeKind() != edge.CallExpr_Fun
}

// takesValue reports whether a use of the function is x := f(…), or x, … := f(…), and x only selects fields and
// methods.
func (s *site) takesValue(c inspector.Cursor, results int) bool {
	if c.ParentEdgeKind() == edge.SelectorExpr_Sel {
		c = c.Parent() // a method
	}
	if c.ParentEdgeKind() != edge.CallExpr_Fun || c.Parent().ParentEdgeKind() != edge.AssignStmt_Rhs {
		return false
	}
	assign, ok := c.Parent().Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Rhs) != 1 || len(assign.Lhs) != results {
		return false
	}
	id, ok := assign.Lhs[0].(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := s.Pass.TypesInfo.Defs[id].(*types.Var)
	if !ok || v.Parent() == s.Pass.Pkg.Scope() {
		return false
	}
	for _, use := range s.Places[v] {
		if use.Node() != id && !selects(use) {
			return false
		}
	}
	return len(s.Places[v]) > 1
}

// holdsLock reports whether values of a type must not be copied.
func holdsLock(t types.Type, depth int) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		switch named.Obj().Pkg().Path() {
		case "sync", "sync/atomic":
			return true
		}
	}
	const deepest = 8
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if depth > deepest || holdsLock(f.Type(), depth+1) {
				return true
			}
		}
	case *types.Array:
		return holdsLock(u.Elem(), depth+1)
	}
	return false
}
