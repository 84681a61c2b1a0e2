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

// joinedBytesGenerator appends texts to bytes instead of joining them to be converted.
func joinedBytesGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "joinedbytes", Title: "texts joined, and then converted to bytes",
		Why:     "texts that are appended to bytes of their length are copied once, instead of twice",
		Assumes: "nothing depends on the capacity of the bytes",
		Kinds: []diagnosis.Kind{
			diagnosis.Concatenation, diagnosis.Conversion, diagnosis.Allocation, diagnosis.Copying, diagnosis.Escape,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if p, ok := s.joinedBytes(c); ok {
					list = append(list, p)
				}
			}
			for _, c := range s.Nodes((*ast.AssignStmt)(nil)) {
				if next, ok := c.NextSibling(); ok {
					for call := range next.Preorder((*ast.CallExpr)(nil)) {
						if p, ok := s.joinedBytes(call); ok && s.LineOf(p.Edits[0].Pos) == s.Line {
							list = append(list, p)
						}
					}
				}
			}
			return list
		}),
	}
}

// joinedBytes replaces []byte(a + b), and []byte(x) after x += b, if x is not used again.
func (s *site) joinedBytes(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return p, false
	}
	to, ok := flow.Conversion(info, call)
	if !ok || !sites.IsBytes(to) || !flow.IsString(info.TypeOf(call.Args[0])) || info.Types[call.Args[0]].Value != nil ||
		rewrite.HasComment(s.Pass, call.Pos(), call.End()) ||
		!rewrite.Predeclared(s.Pass, call.Pos(), "append", "make", "len") {
		return p, false
	}
	typ, ok := rewrite.TypeText(s.Pass, call.Pos(), to)
	if !ok {
		return p, false
	}
	operands := flow.Operands(info, call.Args[0])
	if v := flow.Variable(info, call.Args[0]); v != nil {
		added := s.addedBefore(c, v)
		if added == nil {
			return p, false
		}
		p.Edits = []analysis.TextEdit{{Pos: added.Pos(), End: added.End()}}
		operands = append(operands, flow.Operands(info, added.Rhs[0])...)
	}
	if len(operands) < 2 {
		return p, false
	}
	known, lengths, text := 0, []string{}, ""
	for _, o := range operands {
		if constant, isConst := flow.StringConst(info, o); isConst {
			known += len(constant)
		} else if s.SideEffects(o) {
			return p, false
		} else {
			lengths = append(lengths, "len("+s.Text(o)+")")
		}
		if !types.Identical(info.TypeOf(o).Underlying(), types.Typ[types.String]) && info.Types[o].Value == nil {
			return p, false
		}
	}
	if known > 0 {
		lengths = append(lengths, fmt.Sprint(known))
	}
	text = fmt.Sprintf("make(%s, 0, %s)", typ, strings.Join(lengths, "+"))
	for _, o := range operands {
		text = fmt.Sprintf("append(%s, %s...)", text, s.Text(o))
	}
	p.Message = "Append the texts to bytes of their length"
	p.Edits = append(p.Edits, rewrite.Replace(call, text))
	return p, true
}

// addedBefore returns the statement x += …, directly before the statement with a use of x that is the last one; nil if
// there is none.
func (s *site) addedBefore(c inspector.Cursor, v *types.Var) *ast.AssignStmt {
	stmt, ok := rewrite.Statement(c)
	if !ok || !s.EvaluatedFirst(c, stmt) {
		return nil
	}
	before, ok := stmt.PrevSibling()
	if !ok {
		return nil
	}
	added, ok := before.Node().(*ast.AssignStmt)
	if !ok || added.Tok != token.ADD_ASSIGN || len(added.Lhs) != 1 || flow.Variable(s.Pass.TypesInfo, added.Lhs[0]) != v ||
		flow.Calls(s.Pass.TypesInfo, added.Rhs[0]) || flow.Mentions(s.Pass.TypesInfo, added.Rhs[0], v) ||
		rewrite.HasComment(s.Pass, added.Pos(), added.End()) {
		return nil
	}
	loop, loops := flow.Loop(c)
	if loops && (v.Pos() < loop.Node().Pos() || loop.Node().End() <= v.Pos()) {
		return nil // the next iteration may use it
	}
	for _, use := range s.Places[v] {
		at := use.Node().Pos()
		if sites.FunctionOf(use) != sites.FunctionOf(c) && use.ParentEdgeKind() != edge.Field_Names {
			return nil
		}
		if at > added.End() && at != c.Node().(*ast.CallExpr).Args[0].Pos() {
			if _, returns := stmt.Node().(*ast.ReturnStmt); !returns || at < stmt.Node().End() {
				return nil
			}
		}
	}
	return added
}

// spareGenerator makes a copy of a slice with the capacity for what is appended to it.
func spareGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "spare", Title: "slice made for a copy, to which more is appended",
		Why:     "with the capacity for what is appended, the copy is not copied again",
		Assumes: "the elements are usually appended",
		Kinds: []diagnosis.Kind{
			diagnosis.SliceGrowth, diagnosis.Allocation, diagnosis.Escape, diagnosis.Copying,
		},
		Propose: visit(func(s *site) (list []proposal) {
			done := map[*types.Var]bool{}
			for _, c := range s.Nodes((*ast.Ident)(nil)) {
				v := flow.Variable(s.Pass.TypesInfo, sites.ExprOf(c))
				if v == nil || done[v] {
					continue
				}
				done[v] = true
				if p, ok := s.spared(v); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// spared adds the number of elements of the one append to the size of x := make([]T, n).
func (s *site) spared(v *types.Var) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	var made, appended *ast.CallExpr
	for _, use := range s.Places[v] {
		if value := s.ValueOf(use, v); value != nil {
			call, isCall := ast.Unparen(value).(*ast.CallExpr)
			if !isCall || flow.Builtin(info, call) != "make" || len(call.Args) != 2 {
				return p, false
			}
			made = call
			continue
		}
		if call, isCall := use.Parent().Node().(*ast.CallExpr); isCall && use.ParentEdgeKind() == edge.CallExpr_Args &&
			flow.Builtin(info, call) == "append" && use.ParentEdgeIndex() == 0 {
			if appended != nil {
				return p, false
			}
			appended = call
		}
	}
	if made == nil || appended == nil || rewrite.HasComment(s.Pass, made.Pos(), made.End()) {
		return p, false
	}
	if _, isSlice := v.Type().Underlying().(*types.Slice); !isSlice || s.SideEffects(made.Args[1]) ||
		!rewrite.Predeclared(s.Pass, made.Pos(), "len") {
		return p, false
	}
	home, more := s.loopOf(made), s.loopOf(appended)
	if home != more {
		return p, false // it may be appended to several times
	}
	size := fmt.Sprint(len(appended.Args) - 1)
	if appended.Ellipsis.IsValid() {
		x := appended.Args[1]
		if s.SideEffects(x) || !rewrite.Means(s.Pass, x, made.Pos()) || info.Types[x].Value != nil {
			return p, false
		}
		size = "len(" + s.Text(x) + ")"
	}
	if s.LineOf(made.Pos()) != s.Line && s.LineOf(appended.Pos()) != s.Line {
		return p, false
	}
	p.Message = "Make " + v.Name() + " with a capacity for " + size + " more"
	p.Edits = []analysis.TextEdit{rewrite.Insert(made.Args[1].End(), ", "+s.Text(made.Args[1])+"+"+size)}
	return p, true
}

// loopOf returns the innermost loop around a node of the function; nil if there is none.
func (s *site) loopOf(n ast.Node) ast.Node {
	c, ok := s.Root.FindNode(n)
	if !ok {
		return nil
	}
	loop, ok := flow.Loop(c)
	if !ok {
		return nil
	}
	return loop.Node()
}
