package mutants

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// isRoom reports whether an argument only says for how much there is to be room: another number costs time or memory,
// and changes nothing else.
func (s *source) isRoom(call *ast.CallExpr, arg ast.Expr) bool {
	at := slices.Index(call.Args, arg)
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if b, ok := s.p.Info.Uses[fun].(*types.Builtin); !ok || b.Name() != "make" || at < 1 {
			return false
		}
		switch s.p.Info.TypeOf(call).Underlying().(type) {
		case *types.Map:
			return true
		case *types.Slice:
			return at == 2
		}
	case *ast.SelectorExpr:
		fn, ok := s.p.Info.Uses[fun.Sel].(*types.Func)
		return ok && at >= 0 && (onlyMakesRoom(fn) || takesRoom(fn)) && at == len(call.Args)-1
	}
	return false
}

// takesRoom reports whether the last argument of a function of the standard library is the room in what it makes.
func takesRoom(fn *types.Func) bool {
	switch fn.FullName() {
	case "reflect.MakeMapWithSize", "reflect.MakeSlice":
		return true
	}
	return false
}

// decidesOnlyRoom reports whether an if statement only chooses for how much there is to be room: it calls nothing, and
// its branches only assign to such variables.
func (s *source) decidesOnlyRoom(n *ast.IfStmt) bool {
	if n.Init != nil || s.callsFunction(n.Cond) {
		return false
	}
	onlyRoom := func(b *ast.BlockStmt) bool {
		return !slices.ContainsFunc(b.List, func(one ast.Stmt) bool {
			inner, isIf := one.(*ast.IfStmt)
			return !s.assigns(one, func(o types.Object) bool { return s.room[o] }) && !(isIf && s.decidesOnlyRoom(inner))
		})
	}
	switch e := n.Else.(type) {
	case nil:
	case *ast.BlockStmt:
		if !onlyRoom(e) {
			return false
		}
	case *ast.IfStmt:
		if !s.decidesOnlyRoom(e) {
			return false
		}
	}
	return len(n.Body.List) > 0 && onlyRoom(n.Body)
}

// callsFunction reports whether an expression calls something but a built-in function, converts a type, or receives.
func (s *source) callsFunction(e ast.Expr) (calls bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			id, isName := ast.Unparen(n.Fun).(*ast.Ident)
			_, builtin := s.p.Info.Uses[id].(*types.Builtin)
			calls = calls || !isName || !builtin
		case *ast.UnaryExpr:
			calls = calls || n.Op == token.ARROW
		}
		return !calls
	})
	return calls
}

// onlyMakesRoom reports whether a function of the standard library leaves everything as it was, with more room.
func onlyMakesRoom(fn *types.Func) bool {
	switch fn.FullName() {
	case "(*strings.Builder).Grow", "(*bytes.Buffer).Grow", "slices.Grow":
		return true
	}
	return false
}

// isForSpeed reports whether a call as a statement changes nothing that can be seen: it makes room, or keeps a value
// for later use.
func (s *source) isForSpeed(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := s.p.Info.Uses[sel.Sel].(*types.Func)
	return ok && (onlyMakesRoom(fn) || fn.FullName() == "(*sync.Pool).Put")
}

// roomVariables returns the integer variables of a function that are only used to compute for how much there is to be
// room.
func (s *source) roomVariables(fn *ast.FuncDecl) map[types.Object]bool {
	used := map[types.Object]bool{} // whether it is used only so
	ast.PreorderStack(fn.Body, nil, func(n ast.Node, stack []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if v, ok := s.p.Info.Uses[id].(*types.Var); ok && isInteger(v.Type()) && fn.Pos() <= v.Pos() && v.Pos() < fn.End() {
			if room, counts := s.roomUse(v, id, stack); counts {
				before, known := used[v]
				used[v] = room && (before || !known)
			}
		}
		return true
	})
	return used
}

// roomUse reports whether a variable is used for room. counts is not set if only the variable depends on the use.
func (s *source) roomUse(v *types.Var, id *ast.Ident, stack []ast.Node) (room, counts bool) {
	inner := ast.Node(id)
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if e, ok := inner.(ast.Expr); ok && s.isRoom(n, e) {
				return true, true
			}
		case *ast.IncDecStmt:
			return false, false
		case *ast.AssignStmt:
			return false, !s.assigns(n, func(o types.Object) bool { return o == v })
		case ast.Stmt:
			return false, true
		}
		inner = n
	}
	return false, true
}

// assigns reports whether a statement assigns to variables, and all of them are some.
func (s *source) assigns(n ast.Stmt, some func(types.Object) bool) bool {
	var left []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		left = n.Lhs
	case *ast.IncDecStmt:
		left = []ast.Expr{n.X}
	}
	return len(left) > 0 && !slices.ContainsFunc(left, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return !ok || !some(s.p.Info.ObjectOf(id))
	})
}
