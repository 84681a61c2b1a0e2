package flow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// Callee returns the full name of the function or method that a call statically refers to, such as
// "strings.NewReplacer" or "(*strings.Builder).WriteString"; "" for builtins, conversions, function
// values and methods of interfaces (but see Method).
func Callee(info *types.Info, call *ast.CallExpr) string {
	if f := typeutil.StaticCallee(info, call); f != nil {
		return f.Origin().FullName()
	}
	return ""
}

// Method returns the full name of the method that a call refers to, including interface methods,
// such as "(io.Writer).Write"; "" for all else.
func Method(info *types.Info, call *ast.CallExpr) string {
	if f, ok := typeutil.Callee(info, call).(*types.Func); ok && f.Signature().Recv() != nil {
		return f.Origin().FullName()
	}
	return ""
}

// Builtin returns the name of the builtin function that a call refers to, "" for all else.
func Builtin(info *types.Info, call *ast.CallExpr) string {
	if b, ok := typeutil.Callee(info, call).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// Conversion reports whether a call is a conversion, and to which type.
func Conversion(info *types.Info, call *ast.CallExpr) (to types.Type, ok bool) {
	tv, ok := info.Types[call.Fun]
	if !ok || !tv.IsType() || len(call.Args) != 1 {
		return nil, false
	}
	return tv.Type, true
}

// StringConst returns the value of a constant string expression.
func StringConst(info *types.Info, e ast.Expr) (string, bool) {
	if v := info.Types[e].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v), true
	}
	return "", false
}

// IntConst returns the value of a constant expression that fits an int64.
func IntConst(info *types.Info, e ast.Expr) (int64, bool) {
	if v := info.Types[e].Value; v != nil && v.Kind() == constant.Int {
		return constant.Int64Val(v)
	}
	return 0, false
}

// Func returns the innermost function, declared or literal, around a node.
func Func(c inspector.Cursor) (inspector.Cursor, bool) {
	for f := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		if f != c {
			return f, true
		}
	}
	return inspector.Cursor{}, false
}

// Decl returns the declared function around a node.
func Decl(c inspector.Cursor) (inspector.Cursor, bool) {
	for f := range c.Enclosing((*ast.FuncDecl)(nil)) {
		return f, true
	}
	return inspector.Cursor{}, false
}

// Loop returns the innermost loop that runs a node repeatedly, in its body, condition or post
// statement, within the same function.
func Loop(c inspector.Cursor) (inspector.Cursor, bool) {
	for ; c.Valid() && c.Node() != nil; c = c.Parent() {
		switch c.Node().(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return inspector.Cursor{}, false
		}
		switch k, _ := c.ParentEdge(); k {
		case edge.ForStmt_Body, edge.ForStmt_Cond, edge.ForStmt_Post, edge.RangeStmt_Body:
			return c.Parent(), true
		}
	}
	return inspector.Cursor{}, false
}

// Once reports whether a node runs once per program, judging by its position: in init, in main
// outside a loop, or in the value of a package variable.
func Once(c inspector.Cursor) bool {
	f, ok := Func(c)
	if !ok {
		return true
	}
	d, ok := f.Node().(*ast.FuncDecl)
	if !ok || d.Recv != nil || d.Name.Name != "init" && d.Name.Name != "main" {
		return false
	}
	_, loops := Loop(c)
	return !loops
}

// Variable returns the local variable, parameter or result that an expression denotes, nil for all
// else.
func Variable(info *types.Info, e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
		return nil
	}
	return v
}

// Uses returns the positions below a node where an object is named, including its definition.
func Uses(info *types.Info, within inspector.Cursor, obj types.Object) []inspector.Cursor {
	var uses []inspector.Cursor
	for c := range within.Preorder((*ast.Ident)(nil)) {
		id, ok := c.Node().(*ast.Ident)
		if ok && info.ObjectOf(id) == obj {
			uses = append(uses, c)
		}
	}
	return uses
}

// IsSet reports whether a use of a variable sets it, including its definition: it is assigned,
// incremented, set by range, or its address is taken.
func IsSet(use inspector.Cursor) bool {
	c := use
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	switch k := c.ParentEdgeKind(); k {
	case edge.AssignStmt_Lhs, edge.IncDecStmt_X,
		edge.RangeStmt_Key, edge.RangeStmt_Value,
		edge.ValueSpec_Names, edge.Field_Names:
		return true
	case edge.UnaryExpr_X:
		u, ok := c.Parent().Node().(*ast.UnaryExpr)
		return ok && u.Op == token.AND
	}
	return false
}

// Receives reports whether a value is used as the receiver of a method call, and returns the
// method's name and the call.
func Receives(use inspector.Cursor) (method string, call inspector.Cursor, ok bool) {
	if use.ParentEdgeKind() != edge.SelectorExpr_X {
		return "", inspector.Cursor{}, false
	}
	sel := use.Parent()
	if sel.ParentEdgeKind() != edge.CallExpr_Fun {
		return "", inspector.Cursor{}, false
	}
	s, ok := sel.Node().(*ast.SelectorExpr)
	if !ok {
		return "", inspector.Cursor{}, false
	}
	return s.Sel.Name, sel.Parent(), true
}

// OnlyReceives reports whether the value of an expression is only used to call allowed methods:
// directly, or through a single variable that it defines and that is never set again.
func OnlyReceives(info *types.Info, value inspector.Cursor, allowed func(method string) bool) bool {
	c := value
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	if method, _, ok := Receives(c); ok {
		return allowed(method)
	}
	id := Defines(c)
	if id == nil {
		return false
	}
	obj := info.Defs[id]
	decl, ok := Decl(value)
	if obj == nil || !ok {
		return false
	}
	for _, use := range Uses(info, decl, obj) {
		if use.Node() == id {
			continue
		}
		method, _, ok := Receives(use)
		if !ok || !allowed(method) {
			return false
		}
	}
	return true
}

// Defines returns the variable that an expression initializes, in x := e or var x = e; nil for all
// else.
func Defines(value inspector.Cursor) *ast.Ident {
	switch s := value.Parent().Node().(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE && len(s.Lhs) == len(s.Rhs) && value.ParentEdgeKind() == edge.AssignStmt_Rhs {
			id, _ := s.Lhs[value.ParentEdgeIndex()].(*ast.Ident)
			return id
		}
	case *ast.ValueSpec:
		if len(s.Names) == len(s.Values) && value.ParentEdgeKind() == edge.ValueSpec_Values {
			return s.Names[value.ParentEdgeIndex()]
		}
	}
	return nil
}
