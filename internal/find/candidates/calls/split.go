package calls

import (
	"fmt"
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// guardCost is what the statements before the rest of a function may cost, so that a function of them and one call
// is inlined.
const guardCost = inlineCost - callCost

// splitGenerator moves what follows the first conditions of a function into another one.
func splitGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "split", Title: "function that often returns at once, and is too large to inline",
		Why:     "a function of the first conditions and one call is inlined, so calls that end there need no call",
		Assumes: "calls often end at the first conditions; the others need one call more",
		Kinds: []diagnosis.Kind{
			diagnosis.Own, diagnosis.StackGrowth, diagnosis.Runtime, diagnosis.Comparison, diagnosis.MapAccess,
		},
		Propose: visit((*site).split),
	}
}

// split ends the function after the conditions at its beginning that return, if the line is one of them or the head.
func (s *site) split() (p proposal, ok bool) {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Body == nil || s.generic(decl) || decl.Name.Name == "init" || decl.Name.Name == "main" {
		return p, false
	}
	n, cost := 0, len(decl.Type.Params.List)
	near := s.inHead(decl)
	for _, stmt := range decl.Body.List {
		if cost += s.cost(stmt); !returns(stmt) || cost > guardCost {
			break
		}
		near = near || s.LineOf(stmt.Pos()) <= s.Line && s.Line <= s.LineOf(stmt.End())
		n++
	}
	if n == 0 || n == len(decl.Body.List) || !near || !s.calledHere(decl) {
		return p, false
	}
	rest := 0
	for _, stmt := range decl.Body.List[n:] {
		rest += s.cost(stmt)
	}
	if rest <= inlineCost {
		return p, false // all of it is inlined
	}
	args, ok := s.arguments(decl)
	if !ok {
		return p, false
	}
	inner := s.Names.Fresh(sites.Lowered(decl.Name.Name[:1]) + decl.Name.Name[1:] + "Slow")
	head, call := "func "+inner, inner
	if decl.Recv != nil {
		recv := decl.Recv.List[0]
		if len(recv.Names) != 1 || recv.Names[0].Name == "_" {
			return p, false
		}
		head = "func " + s.Text(decl.Recv) + " " + inner
		call = recv.Names[0].Name + "." + inner
	}
	results := ""
	if decl.Type.Results != nil && len(decl.Type.Results.List) > 0 {
		results = " " + s.Text(decl.Type.Results)
		call = "return " + call
	}
	end := decl.Body.List[n-1].End()
	if rewrite.HasComment(s.Pass, decl.Type.Pos(), decl.Body.Lbrace) {
		return p, false
	}
	text := fmt.Sprintf("\n%s(%s)\n}\n\n// %s is the rest of %s, which is small enough to be inlined.\n%s%s%s {",
		call, strings.Join(args, ", "), inner, decl.Name.Name, head, s.Text(decl.Type.Params), results)
	return proposal{
		Message: "Let " + decl.Name.Name + " be inlined: do the rest in " + inner,
		Edits:   []analysis.TextEdit{rewrite.Insert(end, text)},
	}, true
}

// returns reports whether a statement is a condition under which the function returns.
func returns(stmt ast.Stmt) bool {
	cond, ok := stmt.(*ast.IfStmt)
	if !ok || cond.Else != nil || cond.Init != nil || len(cond.Body.List) != 1 {
		return false
	}
	_, ok = cond.Body.List[0].(*ast.ReturnStmt)
	return ok
}
