package memory

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// numberBytes is the length of most numbers that are appended as text.
const numberBytes = 20

// growGenerator lets a slice grow once before several statements that append to it.
func growGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "grow", Title: "slice grown by several appends",
		Why:     "memory for all that is appended is allocated once, and the appends only copy",
		Assumes: "the slice has too little capacity at first",
		Kinds: []diagnosis.Kind{
			diagnosis.SliceGrowth, diagnosis.Allocation, diagnosis.Copying, diagnosis.Escape,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.AssignStmt)(nil)) {
				if p, ok := s.grownOnce(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// grownOnce inserts a call of slices.Grow before the first of the appends to a variable that follow each other in the
// block of the statement.
func (s *site) grownOnce(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	stmt, ok := c.Node().(*ast.AssignStmt)
	if !ok || len(stmt.Lhs) != 1 || !flow.InBlock(c) || !flow.Since(s.Pass, stmt.Pos(), "go1.21") {
		return p, false
	}
	v := flow.Variable(info, stmt.Lhs[0])
	if v == nil || !s.appendOf(c, v) {
		return p, false
	}
	var stmts []ast.Stmt
	switch b := c.Parent().Node().(type) {
	case *ast.BlockStmt:
		stmts = b.List
	case *ast.CaseClause:
		stmts = b.Body
	}
	var first ast.Stmt
	var terms []string
	known, appends, found := 0, 0, false
	for _, one := range stmts {
		sizes, n, isAppend := s.appended(one, v)
		if !isAppend {
			if found {
				break
			}
			first, terms, known, appends = nil, nil, 0, 0
			continue
		}
		if first == nil {
			first = one
		}
		found = found || one == ast.Stmt(stmt)
		terms, known, appends = append(terms, sizes...), known+n, appends+1
	}
	if !found || appends < 2 {
		return p, false
	}
	for _, t := range terms {
		if x := strings.TrimSuffix(strings.TrimPrefix(t, "len("), ")"); !s.namedBefore(x, first) {
			return p, false
		}
	}
	if known > 0 {
		terms = append(terms, fmt.Sprint(known))
	}
	pkg, edits, ok := rewrite.Import(s.Pass, stmt.Pos(), "slices")
	if !ok || !rewrite.Predeclared(s.Pass, stmt.Pos(), "len") {
		return p, false
	}
	size := strings.Join(terms, "+")
	p.Message = "Let " + v.Name() + " grow once by " + size
	p.Edits = append(edits, rewrite.Before(s.Pass, first,
		fmt.Sprintf("%[1]s = %[2]s.Grow(%[1]s, %[3]s)", v.Name(), pkg, size)))
	return p, true
}

// namedBefore reports whether the variable that an expression begins with is declared before a statement.
func (s *site) namedBefore(x string, stmt ast.Stmt) bool {
	name, _, _ := strings.Cut(x, ".")
	v, ok := rewrite.Lookup(s.Pass, stmt.Pos(), name).(*types.Var)
	return ok && (v.Pos() < stmt.Pos() || v.Parent() == s.Pass.Pkg.Scope())
}

// appended returns how much a statement appends to a variable: lengths as source, and a number.
func (s *site) appended(stmt ast.Stmt, v *types.Var) (lengths []string, n int, ok bool) {
	info := s.Pass.TypesInfo
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || flow.Variable(info, assign.Lhs[0]) != v {
		return nil, 0, false
	}
	call, ok := assign.Rhs[0].(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || flow.Variable(info, call.Args[0]) != v {
		return nil, 0, false
	}
	if strings.HasPrefix(flow.Callee(info, call), "strconv.Append") {
		return nil, numberBytes, true
	}
	if flow.Builtin(info, call) != "append" {
		return nil, 0, false
	}
	if !call.Ellipsis.IsValid() {
		return nil, len(call.Args) - 1, true
	}
	if text, isConst := flow.StringConst(info, call.Args[1]); isConst {
		return nil, len(text), true
	}
	if s.SideEffects(call.Args[1]) || flow.Variable(info, call.Args[1]) == v {
		return nil, 0, false
	}
	switch ast.Unparen(call.Args[1]).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return []string{"len(" + s.Text(call.Args[1]) + ")"}, 0, true
	}
	return nil, 0, false
}
