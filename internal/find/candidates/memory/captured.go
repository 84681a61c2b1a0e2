package memory

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// mostCaptured is the size in bytes up to which the compiler captures a variable by value.
const mostCaptured = 128

// capturedGenerator lets a function literal capture a copy of a variable that is set before it, but not after.
func capturedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "captured", Title: "variable moved to the heap for a function literal",
		Why: "the compiler captures a variable by reference, and allocates it, if it is set again anywhere; one that is " +
			"never set again is captured by value",
		Assumes: "nothing sets the variable after the function literal is made",
		Kinds:   []diagnosis.Kind{diagnosis.Escape, diagnosis.Allocation, diagnosis.Collection},
		Propose: visit(func(s *site) (list []proposal) {
			for c := range s.Decl.Preorder((*ast.FuncLit)(nil)) {
				for _, v := range s.capturedBy(c) {
					from, to := s.LineOf(c.Node().Pos()), s.LineOf(v.Pos())
					if s.Line != from && s.Line != to {
						continue
					}
					if p, ok := s.capturedCopy(c, v); ok {
						list = append(list, p)
					}
				}
			}
			return list
		}),
	}
}

// capturedBy returns the variables of the function around a function literal that it uses.
func (s *site) capturedBy(literal inspector.Cursor) (list []*types.Var) {
	done := map[*types.Var]bool{}
	for c := range literal.Preorder((*ast.Ident)(nil)) {
		v := flow.Variable(s.Pass.TypesInfo, sites.IdentOf(c))
		if v == nil || done[v] || literal.Node().Pos() <= v.Pos() && v.Pos() < literal.Node().End() {
			continue
		}
		done[v] = true
		list = append(list, v)
	}
	return list
}

// capturedCopy declares a copy of a variable before the statement with a function literal, and uses it there. The
// variable is set more than once, but neither in a function literal nor after this one.
func (s *site) capturedCopy(literal inspector.Cursor, v *types.Var) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	stmt, ok := rewrite.Statement(literal)
	if !ok || flow.SizeVaries(v.Type()) || s.Pass.TypesSizes.Sizeof(v.Type()) > mostCaptured || len(s.Places[v]) == 0 {
		return p, false
	}
	home, within, sets := sites.FunctionOf(s.Places[v][0]), literal.Node(), 0
	loop, loops := flow.Loop(literal.Parent())
	name := s.Locals.Fresh(within.Pos(), v.Name())
	for _, use := range s.Places[v] {
		at := use.Node().Pos()
		inside := within.Pos() <= at && at < within.End()
		if flow.IsSet(use) || flow.Addresses(info, use) {
			sets++
			declared := info.Defs[sites.IdentOf(use)] == types.Object(v)
			if inside || at >= within.Pos() || sites.FunctionOf(use) != home && !declared ||
				use.ParentEdgeKind() == edge.UnaryExpr_X {
				return p, false
			}
			if loops && !declared && loop.Node().Pos() <= at && v.Pos() < loop.Node().Pos() {
				return p, false // the next iteration sets it
			}
		}
		if inside {
			p.Edits = append(p.Edits, rewrite.Replace(use.Node(), name))
		}
	}
	if sets < 2 || stmt.Node().Pos() <= v.Pos() {
		return p, false
	}
	p.Message = "Capture a copy of " + v.Name()
	p.Edits = append(p.Edits, rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("%s := %s", name, v.Name())))
	return p, len(p.Edits) > 1
}
