package allocation

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// lazyGenerator makes the map of a struct when its first entry is set.
func lazyGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "lazy", Title: "map made for each struct or call",
		Why: "a map that stays empty needs no memory: reading a nil map finds nothing",
		Assumes: "often no entry is set, nothing that gets the map sets one, and a struct is used by one goroutine at a " +
			"time",
		Kinds: []diagnosis.Kind{
			diagnosis.Allocation, diagnosis.Escape, diagnosis.MapGrowth, diagnosis.MapAccess, diagnosis.Collection,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil), (*ast.CompositeLit)(nil)) {
				if p, ok := s.whenSet(c); ok {
					list = append(list, p)
				} else if p, ok := s.whenNeeded(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// whenSet leaves out a map in the literal of a struct, and makes it before each statement that sets an entry.
func (s *site) whenSet(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	e := sites.ExprOf(c)
	if c.ParentEdgeKind() != edge.KeyValueExpr_Value || !s.emptyMap(e) {
		return p, false
	}
	kv, ok := c.Parent().Node().(*ast.KeyValueExpr)
	if !ok || c.Parent().ParentEdgeKind() != edge.CompositeLit_Elts {
		return p, false
	}
	key, ok := kv.Key.(*ast.Ident)
	if !ok {
		return p, false
	}
	field, ok := info.ObjectOf(key).(*types.Var)
	if !ok || !field.IsField() || field.Exported() || field.Embedded() ||
		!rewrite.Universe(s.Pass, "make", "nil") {
		return p, false
	}
	of := info.TypeOf(sites.ExprOf(c.Parent().Parent()))
	if name, _, ok := s.local(deref(of)); !ok || s.copied(name.Type(), false) || s.positional(name.Type()) {
		return p, false
	}
	edits := []analysis.TextEdit{rewrite.Replace(e, "nil")}
	done := map[ast.Node]bool{}
	for use := range s.Root.Preorder((*ast.Ident)(nil)) {
		id := sites.IdentOf(use)
		if info.ObjectOf(id) != types.Object(field) {
			continue
		}
		edit, ok := s.fieldUse(use, e, done)
		if !ok {
			return p, false
		}
		edits = append(edits, edit...)
	}
	return proposal{Message: "Make " + field.Name() + " when an entry is set", Edits: edits}, len(edits) > 1
}

// fieldUse returns the edit of a use of the map, if it needs one. ok is false if the use tells an empty map from
// none, or may set entries elsewhere.
func (s *site) fieldUse(use inspector.Cursor, made ast.Expr, done map[ast.Node]bool) (
	edits []analysis.TextEdit, ok bool,
) {
	info := s.Pass.TypesInfo
	switch use.ParentEdgeKind() {
	case edge.Field_Names:
		return nil, true
	case edge.KeyValueExpr_Key:
		kv, isPair := use.Parent().Node().(*ast.KeyValueExpr)
		return nil, isPair && kv.Value == made
	case edge.SelectorExpr_Sel:
	default:
		return nil, false
	}
	sel, isSelector := use.Parent().Node().(*ast.SelectorExpr)
	if !isSelector {
		return nil, false
	}
	switch use.Parent().ParentEdgeKind() {
	case edge.RangeStmt_X:
		return nil, true
	case edge.CallExpr_Args:
		call, isCall := use.Parent().Parent().Node().(*ast.CallExpr)
		if !isCall {
			return nil, false
		}
		switch flow.Builtin(info, call) {
		case "len", "delete", "clear":
			return nil, true
		}
		return nil, false
	case edge.IndexExpr_X:
	default:
		return nil, false
	}
	index := use.Parent().Parent()
	if !flow.IsSet(index) {
		return nil, !flow.Addresses(info, index)
	}
	stmt, inBlock := rewrite.Statement(index)
	if _, isPointer := info.TypeOf(sel.X).Underlying().(*types.Pointer); !isPointer || !inBlock || s.SideEffects(sel.X) {
		return nil, false
	}
	if index.Parent().Node() != stmt.Node() || rewrite.Generated(s.Pass, sel.Pos()) {
		return nil, false
	}
	typ, ok := rewrite.TypeText(s.Pass, sel.Pos(), info.TypeOf(sel))
	if !ok || done[stmt.Node()] {
		return nil, ok
	}
	done[stmt.Node()] = true
	text := s.Text(sel)
	return []analysis.TextEdit{
		rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("if %[1]s == nil {\n%[1]s = make(%[2]s)\n}", text, typ)),
	}, true
}

// emptyMap reports whether an expression makes a map without entries.
func (s *site) emptyMap(e ast.Expr) bool {
	if !sites.IsMap(s.Pass.TypesInfo.TypeOf(e)) {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr:
		return flow.Builtin(s.Pass.TypesInfo, e) == "make"
	}
	return false
}

// whenNeeded declares a local map without making it, in m := make(…), and makes it before each statement that sets an
// entry. These run under a condition, and calls are assumed to only read the map.
func (s *site) whenNeeded(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	e := sites.ExprOf(c)
	id := flow.Defines(c)
	assign, isAssign := c.Parent().Node().(*ast.AssignStmt)
	if id == nil || !isAssign || len(assign.Lhs) != 1 || !s.emptyMap(e) || !flow.InBlock(c.Parent()) ||
		rewrite.HasComment(s.Pass, assign.Pos(), assign.End()) || !rewrite.Universe(s.Pass, "make", "nil") {
		return p, false
	}
	v, ok := info.Defs[id].(*types.Var)
	typ, written := rewrite.TypeText(s.Pass, e.Pos(), info.TypeOf(e))
	if !ok || !written {
		return p, false
	}
	p.Message = "Make " + v.Name() + " when an entry is set"
	p.Edits = []analysis.TextEdit{rewrite.Replace(assign, "var "+v.Name()+" "+typ)}
	done := map[ast.Node]bool{}
	for _, use := range s.Places[v] {
		if use.Node() == id {
			continue
		}
		if sites.FunctionOf(use) != sites.FunctionOf(c) {
			return p, false
		}
		switch use.ParentEdgeKind() {
		case edge.RangeStmt_X, edge.CallExpr_Args:
			continue
		case edge.IndexExpr_X:
		default:
			return p, false
		}
		index := use.Parent()
		if !flow.IsSet(index) {
			continue
		}
		stmt, inBlock := rewrite.Statement(index)
		if !inBlock || index.Parent().Node() != stmt.Node() || stmt.Parent() == c.Parent().Parent() {
			return p, false // it is always set
		}
		if !done[stmt.Node()] {
			done[stmt.Node()] = true
			p.Edits = append(p.Edits, rewrite.Before(s.Pass, stmt.Node(),
				fmt.Sprintf("if %[1]s == nil {\n%[1]s = make(%[2]s)\n}", v.Name(), typ)))
		}
	}
	return p, len(done) > 0
}
