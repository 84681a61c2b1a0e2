package memory

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// lateGenerator takes the address of a copy of a parameter or variable, so that only the copy is on the heap, if it is
// made.
func lateGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "late", Title: "variable moved to the heap for a part of the function",
		Why: "a variable whose address is kept is moved to the heap on each call; a copy that is made where the address " +
			"is taken is only made if that is reached",
		Assumes: "calls often end before, or nothing that gets the address changes the value",
		Kinds:   []diagnosis.Kind{diagnosis.Escape, diagnosis.Allocation, diagnosis.Collection, diagnosis.Copying},
		Propose: visit(func(s *site) (list []proposal) {
			decl, ok := s.Decl.Node().(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				return nil
			}
			for _, f := range decl.Type.Params.List {
				for _, name := range f.Names {
					v, isVar := s.Pass.TypesInfo.Defs[name].(*types.Var)
					if !isVar || s.LineOf(name.Pos()) != s.Line && s.LineOf(decl.Pos()) != s.Line {
						continue
					}
					if p, ok := s.copiedLate(v); ok {
						list = append(list, p)
					}
				}
			}
			for _, c := range s.Nodes((*ast.Ident)(nil)) {
				v, isVar := s.Pass.TypesInfo.Defs[sites.IdentOf(c)].(*types.Var)
				if !isVar || c.ParentEdgeKind() != edge.AssignStmt_Lhs {
					continue
				}
				if p, ok := s.copiedLate(v); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// copiedLate copies a variable before the statements that take its address with &. It is not set again, and another
// statement returns before.
func (s *site) copiedLate(v *types.Var) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	byStmt := map[ast.Node][]inspector.Cursor{}
	var stmts []inspector.Cursor
	for _, use := range s.Places[v] {
		if info.Defs[sites.IdentOf(use)] == types.Object(v) {
			continue
		}
		if sites.FunctionOf(use) != s.Decl {
			return p, false
		}
		if !setPart(use) && !flow.Addresses(info, use) {
			continue
		}
		u, isAddress := use.Parent().Node().(*ast.UnaryExpr)
		stmt, inBlock := rewrite.Statement(use)
		if _, loops := flow.Loop(use); !isAddress || u.Op != token.AND || !inBlock || loops {
			return p, false
		}
		if byStmt[stmt.Node()] == nil {
			stmts = append(stmts, stmt)
		}
		byStmt[stmt.Node()] = append(byStmt[stmt.Node()], use)
	}
	if len(stmts) == 0 || !s.endsBefore(stmts[0]) {
		return p, false
	}
	for _, stmt := range stmts {
		name := s.Locals.Fresh(v.Pos(), v.Name())
		p.Edits = append(p.Edits, rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("%s := %s", name, v.Name())))
		for _, use := range byStmt[stmt.Node()] {
			p.Edits = append(p.Edits, rewrite.Replace(use.Node(), name))
		}
	}
	p.Message = "Take the address of a copy of " + v.Name()
	return p, true
}

// endsBefore reports whether the function may end before a statement: it is in a branch, or there is a return before
// it.
func (s *site) endsBefore(stmt inspector.Cursor) bool {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || stmt.Parent().Node() != decl.Body {
		return ok
	}
	for c := range s.Decl.Preorder((*ast.ReturnStmt)(nil)) {
		if c.Node().Pos() < stmt.Node().Pos() && sites.FunctionOf(c) == s.Decl {
			return true
		}
	}
	return false
}
