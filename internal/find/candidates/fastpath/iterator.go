package fastpath

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

// iteratorGenerator writes loops over iterators of the standard library as plain loops.
func iteratorGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "iterator", Title: "loop over an iterator function",
		Why: "the body of a loop over a function is a function literal; where the compiler does not inline both, each " +
			"iteration is a call, and variables of the body are on the heap",
		Assumes: "the body does not change what the loop is over",
		Kinds: []diagnosis.Kind{
			diagnosis.Text, diagnosis.Library, diagnosis.Own, diagnosis.Copying, diagnosis.Escape, diagnosis.Allocation,
			diagnosis.MapAccess, diagnosis.Runtime,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.RangeStmt)(nil)) {
				if p, ok := s.plainLoop(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// plainLoop replaces the head of a loop.
func (s *site) plainLoop(c inspector.Cursor) (p proposal, ok bool) {
	loop, ok := c.Node().(*ast.RangeStmt)
	if !ok || loop.Tok != token.DEFINE || loop.Key == nil || c.ParentEdgeKind() == edge.LabeledStmt_Stmt ||
		rewrite.HasComment(s.Pass, loop.Pos(), loop.Body.Lbrace) {
		return p, false
	}
	call, ok := ast.Unparen(loop.X).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return p, false
	}
	head, before, first := "", "", ""
	name := func(e ast.Expr) string {
		if e == nil {
			return "_"
		}
		return s.Text(e)
	}
	key, value, of := name(loop.Key), name(loop.Value), s.Text(call.Args[0])
	_, isSlice := s.Pass.TypesInfo.TypeOf(call.Args[0]).Underlying().(*types.Slice)
	switch flow.Callee(s.Pass.TypesInfo, call) {
	case "maps.Keys":
		head = "for " + key + " := range " + of + " "
	case "maps.Values":
		head = "for _, " + key + " := range " + of + " "
	case "slices.Values":
		head = "for _, " + key + " := range " + of + " "
	case "slices.All", "maps.All":
		head = "for " + key + ", " + value + " := range " + of + " "
		if value == "_" {
			head = "for " + key + " := range " + of + " "
		}
	case "slices.Backward":
		if !isSlice || !rewrite.Predeclared(s.Pass, loop.Pos(), "len") || s.isSet(loop.Key) {
			return p, false
		}
		list := s.Locals.Fresh(loop.Pos(), "list")
		before = list + " := " + of
		if key == "_" {
			key = s.Locals.Fresh(loop.Pos(), "i")
		}
		head = fmt.Sprintf("for %[1]s := len(%[2]s) - 1; %[1]s >= 0; %[1]s-- ", key, list)
		if value != "_" {
			first = fmt.Sprintf("%s := %s[%s]", value, list, key)
		}
	case "strings.SplitSeq":
		if sep, isConst := flow.StringConst(s.Pass.TypesInfo, call.Args[1]); !isConst || sep == "" || key == "_" {
			return p, false
		}
		pkg, edits, ok := rewrite.Import(s.Pass, loop.Pos(), "strings")
		if !ok || len(edits) > 0 {
			return p, false
		}
		rest, more := s.Locals.Fresh(loop.Pos(), "rest"), s.Locals.Fresh(loop.Pos(), "more")
		head = fmt.Sprintf("for %s, %s := %s, true; %s; ", rest, more, of, more)
		first = fmt.Sprintf("var %[1]s string\n%[1]s, %[2]s, %[3]s = %[4]s.Cut(%[2]s, %[5]s)",
			key, rest, more, pkg, s.Text(call.Args[1]))
	}
	if head == "" || before != "" && !flow.InBlock(c) {
		return p, false
	}
	if before != "" {
		p.Edits = append(p.Edits, rewrite.Before(s.Pass, loop, before))
	}
	p.Edits = append(p.Edits, analysis.TextEdit{Pos: loop.Pos(), End: loop.Body.Lbrace, NewText: []byte(head)})
	if first != "" {
		p.Edits = append(p.Edits, rewrite.Insert(loop.Body.Lbrace+1, "\n"+first))
	}
	p.Message = "Loop without " + s.Text(call.Fun)
	return p, true
}

// isSet reports whether a variable of a loop is set, or its address is taken.
func (s *site) isSet(e ast.Expr) bool {
	v := flow.Variable(s.Pass.TypesInfo, e)
	if v == nil {
		return false
	}
	for _, use := range s.Places[v] {
		if use.Node() != ast.Node(e) && (flow.IsSet(use) || flow.Addresses(s.Pass.TypesInfo, use)) {
			return true
		}
	}
	return false
}
