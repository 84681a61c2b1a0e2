package operations

import (
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

// The capacities of channels, where values are sent in a loop and elsewhere.
const (
	loopBuffer = "64"
	oneBuffer  = "1"
)

// bufferedGenerator gives a channel a buffer.
func bufferedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "buffered", Title: "goroutines that wait for each other at each value of a channel",
		Why:     "with a buffer, the sender does not wait for the receiver, and the scheduler runs less often",
		Assumes: "nothing depends on the receiver having a value when the send returns",
		Kinds: []diagnosis.Kind{
			diagnosis.Channel, diagnosis.Scheduling, diagnosis.Wait, diagnosis.Runtime, diagnosis.Allocation, diagnosis.Escape,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, v := range s.channels() {
				if p, ok := s.buffered(v); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// channels returns the variables and fields with channels that are made, sent to or received from on the line.
func (s *site) channels() (list []*types.Var) {
	done := map[*types.Var]bool{}
	for _, c := range s.Nodes((*ast.Ident)(nil)) {
		v, ok := s.Pass.TypesInfo.ObjectOf(sites.IdentOf(c)).(*types.Var)
		if !ok || done[v] {
			continue
		}
		if _, isChan := v.Type().Underlying().(*types.Chan); isChan {
			done[v] = true
			list = append(list, v)
		}
	}
	return list
}

// buffered gives the channels that a variable or field of the package is set to a buffer, if values are sent to it.
func (s *site) buffered(v *types.Var) (p proposal, ok bool) {
	if v.Exported() && v.IsField() {
		return p, false
	}
	info := s.Pass.TypesInfo
	var made []*ast.CallExpr
	size := ""
	for c := range s.Root.Preorder((*ast.Ident)(nil)) {
		if info.ObjectOf(sites.IdentOf(c)) != types.Object(v) {
			continue
		}
		use := c
		if use.ParentEdgeKind() == edge.SelectorExpr_Sel {
			use = use.Parent()
		}
		if use.ParentEdgeKind() == edge.SendStmt_Chan {
			if size == "" {
				size = oneBuffer
			}
			if _, loops := flow.Loop(use.Parent()); loops {
				size = loopBuffer
			}
		}
		if call := s.setTo(use); call != nil {
			made = append(made, call)
		}
	}
	if size == "" || len(made) == 0 {
		return p, false
	}
	for _, call := range made {
		if flow.Builtin(info, call) != "make" || len(call.Args) != 1 || rewrite.Generated(s.Pass, call.Pos()) {
			return p, false
		}
		p.Edits = append(p.Edits, rewrite.Insert(call.Args[0].End(), ", "+size))
	}
	p.Message = "Give " + v.Name() + " a buffer of " + size
	return p, true
}

// setTo returns the call whose result a variable or field is set to at a use; nil if there is none.
func (s *site) setTo(use inspector.Cursor) *ast.CallExpr {
	var value ast.Expr
	switch d := use.Parent().Node().(type) {
	case *ast.AssignStmt:
		if use.ParentEdgeKind() == edge.AssignStmt_Lhs && len(d.Lhs) == len(d.Rhs) {
			value = d.Rhs[use.ParentEdgeIndex()]
		}
	case *ast.ValueSpec:
		if use.ParentEdgeKind() == edge.ValueSpec_Names && len(d.Names) == len(d.Values) {
			value = d.Values[use.ParentEdgeIndex()]
		}
	case *ast.KeyValueExpr:
		if use.ParentEdgeKind() == edge.KeyValueExpr_Key {
			value = d.Value
		}
	}
	if value == nil {
		return nil
	}
	call, _ := ast.Unparen(value).(*ast.CallExpr)
	return call
}

// directGenerator compares an error before it is unwrapped.
func directGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "direct", Title: "error unwrapped although it is the one looked for",
		Why:     "a comparison is a few instructions; errors.Is uses reflection to find out if the error may be compared",
		Assumes: "most errors are not wrapped",
		Kinds: []diagnosis.Kind{
			diagnosis.Library, diagnosis.Reflection, diagnosis.Own, diagnosis.Comparison, diagnosis.Interface,
		},
		Propose: eachCall((*site).comparedFirst, "errors.Is"),
	}
}

// comparedFirst compares the operands in front of a call of errors.Is, and skips it without an error. The one that is
// looked for is a pointer to a struct, as errors.New returns, as far as its declaration shows.
func (s *site) comparedFirst(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	if len(call.Args) != 2 || s.SideEffects(call.Args[0]) || s.SideEffects(call.Args[1]) ||
		!types.IsInterface(s.Pass.TypesInfo.TypeOf(call.Args[1])) || !rewrite.Predeclared(s.Pass, call.Pos(), "nil") {
		return p, false
	}
	err, target := s.Text(call.Args[0]), s.Text(call.Args[1])
	text := err + " != nil && (" + err + " == " + target + " || " + s.Text(call) + ")"
	if b, isBinary := c.Parent().Node().(*ast.BinaryExpr); !isBinary || b.Op != token.LAND {
		text = "(" + text + ")"
	}
	p.Message = "Compare " + err + " with " + target + " first"
	p.Edits = append(p.Edits, rewrite.Replace(call, text))
	return p, true
}
