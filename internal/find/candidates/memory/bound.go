package memory

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// Capacities for slices that outgrow the one they are made with.
const (
	moreTimes = 8    // as many elements as a constant capacity
	mostMore  = 1024 // elements of a constant capacity that is enlarged
	mostBound = 4096 // elements of a bound that the source names
)

// regrown enlarges the capacity that a slice is made with, where elements are appended: to what the function compares
// its length with, or else several times if it is constant.
func (s *site) regrown() (list []proposal) {
	info := s.Pass.TypesInfo
	for _, v := range s.appendedTo() {
		made := s.madeEmpty(v)
		if made == nil || rewrite.HasComment(s.Pass, made.Pos(), made.End()) {
			continue
		}
		size := made.Args[2]
		n, isConst := flow.IntConst(info, size)
		bound := s.boundOf(v, made)
		switch {
		case bound != "" && bound != s.Text(size) && types.Identical(info.TypeOf(size), types.Typ[types.Int]) &&
			flow.Since(s.Pass, made.Pos(), "go1.21") && rewrite.Predeclared(s.Pass, made.Pos(), "min", "max"):
			list = append(list, proposal{
				Message: "Allocate " + v.Name() + " with a capacity of up to " + bound,
				Edits: []analysis.TextEdit{rewrite.Replace(size,
					fmt.Sprintf("max(%s, min(%s, %d))", s.Text(size), bound, mostBound))},
			})
		case isConst && 0 < n && moreTimes*n <= mostMore:
			list = append(list, proposal{
				Message: fmt.Sprintf("Allocate %s with a capacity of %d", v.Name(), moreTimes*n),
				Edits:   []analysis.TextEdit{rewrite.Replace(size, fmt.Sprint(moreTimes*n))},
			})
		}
	}
	return list
}

// regrownField enlarges the constant capacity that a field with a slice is made with on the line.
func (s *site) regrownField() (list []proposal) {
	info := s.Pass.TypesInfo
	for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Builtin(info, call) != "make" || len(call.Args) != 3 {
			continue
		}
		length, ok1 := flow.IntConst(info, call.Args[1])
		n, ok2 := flow.IntConst(info, call.Args[2])
		if _, isSlice := info.TypeOf(call).Underlying().(*types.Slice); !isSlice || !ok1 || !ok2 || length != 0 || n < 1 ||
			moreTimes*n > mostMore {
			continue
		}
		switch c.ParentEdgeKind() {
		case edge.KeyValueExpr_Value:
		case edge.AssignStmt_Rhs:
			assign, isAssign := c.Parent().Node().(*ast.AssignStmt)
			if !isAssign || len(assign.Lhs) != len(assign.Rhs) {
				continue
			}
			if _, isField := assign.Lhs[c.ParentEdgeIndex()].(*ast.SelectorExpr); !isField {
				continue
			}
		default:
			continue
		}
		list = append(list, proposal{
			Message: fmt.Sprintf("Allocate the slice with a capacity of %d", moreTimes*n),
			Edits:   []analysis.TextEdit{rewrite.Replace(call.Args[2], fmt.Sprint(moreTimes*n))},
		})
	}
	return list
}

// regrownReused makes a slice larger than needed, where it is kept for reuse: in if cap(x) < n { x = make(T, n) }.
func (s *site) regrownReused() (list []proposal) {
	info := s.Pass.TypesInfo
	for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Builtin(info, call) != "make" || len(call.Args) < 2 || c.ParentEdgeKind() != edge.AssignStmt_Rhs {
			continue
		}
		for cond := range c.Enclosing((*ast.IfStmt)(nil)) {
			test, isBinary := cond.Node().(*ast.IfStmt).Cond.(*ast.BinaryExpr)
			size := call.Args[len(call.Args)-1]
			if !isBinary || test.Op != token.LSS || s.Text(test.Y) != s.Text(size) || s.SideEffects(size) ||
				info.Types[size].Value != nil {
				continue
			}
			room, isCall := ast.Unparen(test.X).(*ast.CallExpr)
			if !isCall || flow.Builtin(info, room) != "cap" {
				continue
			}
			more := fmt.Sprintf("+(%s)/2", s.Text(size))
			if len(call.Args) == 2 {
				more = ", " + s.Text(size) + more // the length stays
			}
			list = append(list, proposal{
				Message: "Allocate half as much again", Edits: []analysis.TextEdit{rewrite.Insert(size.End(), more)},
			})
			break
		}
	}
	return list
}

// appendedTo returns the local slices that elements are appended to on the line, and those that the line makes and a
// loop appends to.
func (s *site) appendedTo() (list []*types.Var) {
	for _, c := range s.Nodes((*ast.AssignStmt)(nil), (*ast.Ident)(nil)) {
		if id := sites.IdentOf(c); id != nil {
			v, ok := s.Pass.TypesInfo.Defs[id].(*types.Var)
			if ok && s.madeEmpty(v) != nil && slices.ContainsFunc(s.Places[v], func(use inspector.Cursor) bool {
				loop, loops := flow.Loop(use)
				return loops && loop.Node().Pos() > v.Pos() && s.appendOf(use.Parent(), v)
			}) {
				list = append(list, v)
			}
			continue
		}
		stmt, ok := c.Node().(*ast.AssignStmt)
		if !ok || len(stmt.Lhs) != 1 {
			continue
		}
		if v := flow.Variable(s.Pass.TypesInfo, stmt.Lhs[0]); v != nil && s.appendOf(c, v) {
			list = append(list, v)
		}
	}
	return list
}

// appendOf reports whether a statement is v = append(v, …).
func (s *site) appendOf(c inspector.Cursor, v *types.Var) bool {
	stmt, ok := c.Node().(*ast.AssignStmt)
	if !ok || len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 || flow.Variable(s.Pass.TypesInfo, stmt.Lhs[0]) != v {
		return false
	}
	call, ok := stmt.Rhs[0].(*ast.CallExpr)
	return ok && flow.Builtin(s.Pass.TypesInfo, call) == "append" && flow.Variable(s.Pass.TypesInfo, call.Args[0]) == v
}

// madeEmpty returns the make that a local slice is declared with, with length 0 and a capacity; nil if there is none.
func (s *site) madeEmpty(v *types.Var) *ast.CallExpr {
	for _, use := range s.Places[v] {
		call, ok := s.ValueOf(use, v).(*ast.CallExpr)
		if !ok || flow.Builtin(s.Pass.TypesInfo, call) != "make" || len(call.Args) != 3 {
			continue
		}
		if n, ok := flow.IntConst(s.Pass.TypesInfo, call.Args[1]); ok && n == 0 {
			return call
		}
	}
	return nil
}

// boundOf returns what the function compares the length of a slice with, or cuts it to, if that is known where the
// slice is made; "" if there is nothing.
func (s *site) boundOf(v *types.Var, made *ast.CallExpr) string {
	info := s.Pass.TypesInfo
	for _, use := range s.Places[v] {
		var bound ast.Expr
		switch use.ParentEdgeKind() {
		case edge.CallExpr_Args:
			length, ok := use.Parent().Node().(*ast.CallExpr)
			if !ok || flow.Builtin(info, length) != "len" {
				continue
			}
			cond, ok := use.Parent().Parent().Node().(*ast.BinaryExpr)
			if !ok || !ordered(cond.Op) {
				continue
			}
			if bound = cond.Y; use.Parent().ParentEdgeKind() == edge.BinaryExpr_Y {
				bound = cond.X
			}
		case edge.SliceExpr_X:
			part, ok := use.Parent().Node().(*ast.SliceExpr)
			if !ok || part.Low != nil {
				continue
			}
			bound = part.High
		default:
			continue
		}
		if bound == nil || info.Types[bound].Value != nil || s.SideEffects(bound) ||
			!types.Identical(info.TypeOf(bound), types.Typ[types.Int]) || flow.Mentions(info, bound, v) ||
			!rewrite.Means(s.Pass, bound, made.Pos()) {
			continue
		}
		return s.Text(bound)
	}
	return ""
}

func ordered(op token.Token) bool {
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		return true
	}
	return false
}

// textLength returns the length of the only parameter that is text, as source, for a variable of the function itself;
// "" if there is not exactly one.
func (s *site) textLength(v *types.Var) string {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || v == nil || len(s.Places[v]) == 0 || sites.FunctionOf(s.Places[v][0]) != s.Decl {
		return ""
	}
	size := ""
	for _, f := range decl.Type.Params.List {
		if _, variadic := f.Type.(*ast.Ellipsis); variadic {
			continue
		}
		t := s.Pass.TypesInfo.TypeOf(f.Type)
		basic, isBasic := t.Underlying().(*types.Basic)
		if !sites.IsBytes(t) && (!isBasic || basic.Info()&types.IsString == 0) {
			continue
		}
		for _, name := range f.Names {
			if name.Name == "_" {
				continue
			}
			if size != "" || s.Pass.TypesInfo.Defs[name] == types.Object(v) {
				return ""
			}
			size = "len(" + name.Name + ")"
		}
	}
	return size
}

// grownAtFirst makes a local builder or buffer grow where it is declared, to the length of the text that the function
// gets, or else to a few bytes.
func (s *site) grownAtFirst(v *types.Var) (p proposal, ok bool) {
	var declared inspector.Cursor
	writes := 0
	for _, use := range s.Places[v] {
		if s.Pass.TypesInfo.Defs[sites.IdentOf(use)] == types.Object(v) {
			if declared, ok = rewrite.Statement(use); !ok || !flow.InBlock(declared) {
				return p, false
			}
			if assign, isAssign := declared.Node().(*ast.AssignStmt); isAssign &&
				(len(assign.Lhs) != 1 || !s.madeHere(assign.Rhs[0])) {
				return p, false
			}
		}
		if _, _, ok := flow.Receives(use); ok {
			writes++
		}
	}
	if !declared.Valid() || writes < 2 || rewrite.HasComment(s.Pass, declared.Node().Pos(), declared.Node().End()) {
		return p, false
	}
	size := s.textLength(v)
	if size == "" {
		size = fmt.Sprint(fewBytes)
	}
	return proposal{
		Message: "Let " + v.Name() + " grow once to " + size + " bytes",
		Edits:   []analysis.TextEdit{rewrite.Insert(declared.Node().End(), fmt.Sprintf("\n%s.Grow(%s)", v.Name(), size))},
	}, true
}

// madeHere reports whether an expression makes a new, empty value.
func (s *site) madeHere(e ast.Expr) bool {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = u.X
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr:
		return flow.Builtin(s.Pass.TypesInfo, e) == "new"
	}
	return false
}

// sizedField gives the map of a field a capacity where the package makes it, if it grows on the line.
func (s *site) sizedField() (list []proposal) {
	info := s.Pass.TypesInfo
	for _, c := range s.Nodes((*ast.IndexExpr)(nil)) {
		x, ok := c.Node().(*ast.IndexExpr)
		if !ok || !flow.IsSet(c) || !sites.IsMap(info.TypeOf(x.X)) {
			continue
		}
		sel, ok := ast.Unparen(x.X).(*ast.SelectorExpr)
		if !ok || info.Selections[sel] == nil {
			continue
		}
		field, isVar := info.Selections[sel].Obj().(*types.Var)
		if !isVar {
			continue
		}
		var p proposal
		for use := range s.Root.Preorder((*ast.Ident)(nil)) {
			if other, _ := info.ObjectOf(sites.IdentOf(use)).(*types.Var); other == nil || other.Origin() != field.Origin() ||
				rewrite.Generated(s.Pass, use.Node().Pos()) {
				continue
			}
			made := s.madeForField(use)
			if made == nil || !s.emptyMap(made) {
				continue
			}
			typ, ok := rewrite.TypeText(s.Pass, made.Pos(), info.TypeOf(made))
			if ok && rewrite.Predeclared(s.Pass, made.Pos(), "make") {
				p.Edits = append(p.Edits, rewrite.Replace(made, fmt.Sprintf("make(%s, %d)", typ, fewElements)))
			}
		}
		if len(p.Edits) > 0 {
			p.Message = fmt.Sprintf("Allocate %s for %d entries", field.Name(), fewElements)
			list = append(list, p)
		}
	}
	return list
}

// madeForField returns the value that a field is set to at a use, in a literal or by an assignment; nil elsewhere.
func (s *site) madeForField(use inspector.Cursor) ast.Expr {
	if use.ParentEdgeKind() == edge.KeyValueExpr_Key {
		if kv, ok := use.Parent().Node().(*ast.KeyValueExpr); ok {
			return kv.Value
		}
		return nil
	}
	if use.ParentEdgeKind() != edge.SelectorExpr_Sel || use.Parent().ParentEdgeKind() != edge.AssignStmt_Lhs {
		return nil
	}
	assign, ok := use.Parent().Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != len(assign.Rhs) {
		return nil
	}
	return assign.Rhs[use.Parent().ParentEdgeIndex()]
}
