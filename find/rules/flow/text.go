package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// IsString reports whether a type is string itself, not a named type.
func IsString(t types.Type) bool {
	return t != nil && types.Identical(t, types.Typ[types.String])
}

// Operands returns the operands of a chain of + on strings from left to right, without parentheses
// and with constants merged; the expression itself if it is not such a chain.
func Operands(info *types.Info, e ast.Expr) []ast.Expr {
	e = ast.Unparen(e)
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD && info.Types[e].Value == nil {
		if t := info.TypeOf(e); t != nil {
			if basic, ok := t.Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
				return append(Operands(info, b.X), Operands(info, b.Y)...)
			}
		}
	}
	return []ast.Expr{e}
}

// Outermost returns the outermost function, declared or literal, around a node.
func Outermost(c inspector.Cursor) (inspector.Cursor, bool) {
	var found inspector.Cursor
	ok := false
	for f := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		found, ok = f, true
	}
	return found, ok
}

// Mentions reports whether an expression names an object.
func Mentions(info *types.Info, e ast.Node, obj types.Object) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && info.ObjectOf(id) == obj {
			found = true
		}
		return !found
	})
	return found
}

// pure reports whether the functions of a package have no side effects and depend only on their
// arguments. Methods and functions that take functions are excluded.
func pure(path string) bool {
	switch path {
	case "strconv", "strings", "unicode", "unicode/utf8", "math", "math/bits", "html", "net/url", "path":
		return true
	}
	return false
}

// Calls reports whether evaluating an expression may run code with side effects, or block: it calls
// a function that is not known to be pure, or receives from a channel.
func Calls(info *types.Info, e ast.Expr) bool {
	calls := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			calls = calls || n.Op == token.ARROW
		case *ast.CallExpr:
			calls = calls || !pureCall(info, n)
		}
		return !calls
	})
	return calls
}

func pureCall(info *types.Info, call *ast.CallExpr) bool {
	if _, ok := Conversion(info, call); ok {
		return true
	}
	switch Builtin(info, call) {
	case "len", "cap", "min", "max", "real", "imag", "complex":
		return true
	}
	f := typeutil.StaticCallee(info, call)
	if f == nil || f.Pkg() == nil || f.Signature().Recv() != nil || !pure(f.Pkg().Path()) {
		return false
	}
	for _, a := range call.Args {
		if t := info.TypeOf(a); t == nil || !isData(t) {
			return false
		}
	}
	return true
}

// isData reports whether a type is basic or a slice of a basic type: values without code.
func isData(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Slice:
		_, ok := u.Elem().Underlying().(*types.Basic)
		return ok
	}
	return false
}

// Private reports whether only the code of the declaring function can access a local variable: no closure
// captures it, and its address is not taken. within is the outermost function around it.
func Private(info *types.Info, within inspector.Cursor, v *types.Var) bool {
	uses := Uses(info, within, v)
	if len(uses) == 0 {
		return false
	}
	var home ast.Node
	for _, use := range uses {
		if id, ok := use.Node().(*ast.Ident); ok && info.Defs[id] == types.Object(v) {
			if f, ok := Func(use); ok {
				home = f.Node()
			}
		}
	}
	for _, use := range uses {
		if f, ok := Func(use); !ok || f.Node() != home || addressed(info, use) {
			return false
		}
	}
	return home != nil
}

// addressed reports whether a use of a variable takes its address, or that of a part of it, also as
// the receiver of a pointer method, or by slicing an array.
func addressed(info *types.Info, use inspector.Cursor) bool {
	for c := use; ; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.ParenExpr_X:
		case edge.IndexExpr_X:
			if t := info.TypeOf(exprOf(c)); t == nil || !isArray(t) {
				return false
			}
		case edge.SliceExpr_X:
			t := info.TypeOf(exprOf(c))
			return t == nil || isArray(t)
		case edge.SelectorExpr_X:
			sel, ok := c.Parent().Node().(*ast.SelectorExpr)
			if !ok {
				return true
			}
			s := info.Selections[sel]
			if s == nil {
				return true
			}
			if _, isPointer := s.Recv().Underlying().(*types.Pointer); isPointer || s.Indirect() && s.Kind() == types.FieldVal {
				return false
			}
			if s.Kind() != types.FieldVal {
				f, ok := s.Obj().(*types.Func)
				if !ok {
					return true
				}
				_, wantsPointer := f.Signature().Recv().Type().(*types.Pointer)
				return wantsPointer
			}
		case edge.UnaryExpr_X:
			u, ok := c.Parent().Node().(*ast.UnaryExpr)
			return ok && u.Op == token.AND
		default:
			return false
		}
	}
}

func exprOf(c inspector.Cursor) ast.Expr {
	e, _ := c.Node().(ast.Expr)
	return e
}

func isArray(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// Settled reports whether no code that runs while an expression is evaluated can change its value:
// it consists of constants and of variables that are private to their function. within is the
// outermost function around it.
func Settled(info *types.Info, within inspector.Cursor, e ast.Expr) bool {
	if info.Types[e].Value != nil {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v := Variable(info, e)
		return v != nil && Private(info, within, v)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && Settled(info, within, e.X) && Settled(info, within, e.Y)
	case *ast.CallExpr:
		_, isConversion := Conversion(info, e)
		if !isConversion || !isData(info.TypeOf(e)) {
			return false
		}
		t, ok := info.TypeOf(e.Args[0]).Underlying().(*types.Basic)
		return ok && t.Kind() != types.UnsafePointer && Settled(info, within, e.Args[0])
	}
	return false
}

// InOrder reports whether the operands of one expression may be evaluated in separate steps, from
// left to right, because no call changes what an operand before it has read. (The order of calls is
// specified, the order of reading a variable and calling a function is not.) within is the
// outermost function around them.
func InOrder(info *types.Info, within inspector.Cursor, operands []ast.Expr) bool {
	last := -1 // the last operand with a call
	for i, e := range operands {
		if Calls(info, e) {
			last = i
		}
	}
	for i, e := range operands {
		if i >= last {
			break
		}
		if _, isCall := ast.Unparen(e).(*ast.CallExpr); isCall && Calls(info, e) {
			continue
		}
		if !Settled(info, within, e) {
			return false
		}
	}
	return true
}

// InBlock reports whether a statement is in a statement list, where another can be inserted next to
// it.
func InBlock(stmt inspector.Cursor) bool {
	switch stmt.ParentEdgeKind() {
	case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
		return true
	}
	return false
}
