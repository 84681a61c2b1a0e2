package allocation

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// mostJoined is the size in bytes up to which values of different statements are allocated as one.
const mostJoined = 2048

// joinedGenerator allocates the values that several statements of a block make as one.
func joinedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "joined", Title: "several values allocated next to each other",
		Why:     "one allocation for values that are made together costs less than one for each",
		Assumes: "all of them are kept, for about the same time: each keeps the others",
		Kinds:   []diagnosis.Kind{diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.AssignStmt)(nil)) {
				if p, ok := s.joined(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// A newValue is a statement that makes a value: x := &T{…}, new(T), or make([]T, n).
type newValue struct {
	stmt     *ast.AssignStmt
	part     part
	variable string
}

// joined declares a variable for what the statement and others of its block make.
func (s *site) joined(c inspector.Cursor) (p proposal, ok bool) {
	first, ok := s.newValue(c.Node())
	if !ok || !flow.InBlock(c) {
		return p, false
	}
	var stmts []ast.Stmt
	switch b := c.Parent().Node().(type) {
	case *ast.BlockStmt:
		stmts = b.List
	case *ast.CaseClause:
		stmts = b.Body
	}
	list, size := []newValue{}, int64(0)
	for _, stmt := range stmts {
		if one, ok := s.newValue(stmt); ok && size+one.part.size <= mostJoined {
			size += one.part.size
			list = append(list, one)
		} else if len(list) > 0 && s.leaves(stmt) {
			if !containsStmt(list, first.stmt) {
				list, size = nil, 0
				continue
			}
			break
		}
	}
	if len(list) < 2 || !containsStmt(list, first.stmt) {
		return p, false
	}
	all := s.Locals.Fresh(first.stmt.Pos(), "all")
	var fields []string
	for i, one := range list {
		field := fmt.Sprintf("part%d", i+1)
		fields = append(fields, field+" "+one.part.typ)
		text := fmt.Sprintf("%s := "+one.part.ref, one.variable, all+"."+field)
		if one.part.set != "" {
			text = fmt.Sprintf("%s.%s = %s\n%s", all, field, one.part.set, text)
		}
		p.Edits = append(p.Edits, rewrite.Replace(one.stmt, text))
	}
	p.Edits = append([]analysis.TextEdit{rewrite.Before(s.Pass, list[0].stmt,
		fmt.Sprintf("%s := new(struct {\n%s\n})", all, strings.Join(fields, "\n")))}, p.Edits...)
	p.Message = fmt.Sprintf("Allocate the %d values of the block as one", len(list))
	return p, true
}

func containsStmt(list []newValue, stmt ast.Stmt) bool {
	for _, one := range list {
		if one.stmt == stmt {
			return true
		}
	}
	return false
}

// newValue describes a statement that makes a value; ok is false for others.
func (s *site) newValue(n ast.Node) (v newValue, ok bool) {
	stmt, ok := n.(*ast.AssignStmt)
	if !ok || stmt.Tok != token.DEFINE || len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 ||
		rewrite.HasComment(s.Pass, stmt.Pos(), stmt.End()) {
		return v, false
	}
	id, ok := stmt.Lhs[0].(*ast.Ident)
	if !ok || id.Name == "_" {
		return v, false
	}
	v.stmt, v.variable = stmt, id.Name
	v.part, ok = s.part(stmt.Rhs[0])
	if ok && s.escapes(id) {
		return v, true
	}
	return v, false
}

// escapes reports whether a variable is stored, returned, captured or passed on, so that its value may be on the heap.
func (s *site) escapes(id *ast.Ident) bool {
	v, ok := s.Pass.TypesInfo.Defs[id].(*types.Var)
	if !ok {
		return false
	}
	for _, use := range s.Places[v] {
		switch use.ParentEdgeKind() {
		case edge.ReturnStmt_Results, edge.KeyValueExpr_Value, edge.CompositeLit_Elts, edge.CallExpr_Args,
			edge.AssignStmt_Rhs, edge.SendStmt_Value:
			return true
		}
		if sites.FunctionOf(use) != sites.FunctionOf(s.Places[v][0]) {
			return true
		}
	}
	return false
}

// leaves reports whether a statement may end the block, so that later ones may not run.
func (s *site) leaves(stmt ast.Stmt) bool {
	leaves := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt:
			leaves = true
		case *ast.FuncLit:
			return false
		}
		return !leaves
	})
	return leaves
}
