package capacity

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A variable is a local slice or map that is declared without capacity.
type variable struct {
	obj   *types.Var
	decl  inspector.Cursor // the statement, in a statement list
	fn    inspector.Cursor // the function
	typ   ast.Expr         // its type in the source
	value ast.Expr         // initial value; nil in var x []T
	given int              // number of elements in it
	spec  *ast.ValueSpec   // nil in x := value
	isMap bool
}

// isNil reports whether the variable is initially nil.
func (v *variable) isNil() bool { return v.value == nil }

// declared returns the variable that a statement declares without capacity, or nil.
func (f *growthFinder) declared(c inspector.Cursor) *variable {
	if !inList(c) {
		return nil
	}
	fn, ok := flow.Func(c)
	if !ok {
		return nil
	}
	v := &variable{decl: c, fn: fn}
	var name *ast.Ident
	switch s := c.Node().(type) {
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return nil
		}
		name, _ = s.Lhs[0].(*ast.Ident)
		v.value = s.Rhs[0]
	case *ast.DeclStmt:
		d, ok := s.Decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR || len(d.Specs) != 1 {
			return nil
		}
		v.spec, ok = d.Specs[0].(*ast.ValueSpec)
		if !ok || len(v.spec.Names) != 1 || len(v.spec.Values) > 1 {
			return nil
		}
		name, v.typ = v.spec.Names[0], v.spec.Type
		if len(v.spec.Values) == 1 {
			if v.typ != nil {
				return nil // var x T = value: rare
			}
			v.value = v.spec.Values[0]
		}
	}
	if name == nil {
		return nil
	}
	v.obj, _ = f.pass.TypesInfo.Defs[name].(*types.Var)
	if v.obj == nil || !f.empty(v) {
		return nil
	}
	return v
}

// empty completes a variable, and reports whether it has no capacity beyond its initial elements.
func (f *growthFinder) empty(v *variable) bool {
	switch e := v.value.(type) {
	case nil:
	case *ast.CompositeLit:
		v.typ, v.given = e.Type, len(e.Elts)
		for _, elt := range e.Elts {
			switch elt := elt.(type) {
			case *ast.KeyValueExpr:
				return false
			case *ast.CompositeLit:
				if elt.Type == nil {
					return false // not valid outside the literal
				}
			}
		}
	case *ast.CallExpr:
		if flow.Builtin(f.pass.TypesInfo, e) != "make" || len(e.Args) == 0 || len(e.Args) > 2 {
			return false
		}
		v.typ = e.Args[0]
		if len(e.Args) == 2 {
			if n, ok := flow.IntConst(f.pass.TypesInfo, e.Args[1]); !ok || n != 0 {
				return false
			}
		}
	default:
		return false
	}
	if v.typ == nil {
		return false
	}
	switch v.obj.Type().Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Map:
		v.isMap = true
		return v.value != nil && v.given == 0
	}
	return false
}

// inList reports whether a statement is in a statement list, where others can be inserted before
// it.
func inList(c inspector.Cursor) bool {
	switch c.ParentEdgeKind() {
	case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
		return true
	}
	return false
}

// unit returns the statement around a cursor that is in the list of the variable's declaration.
func (v *variable) unit(c inspector.Cursor) inspector.Cursor {
	for c.Valid() && c.Parent().Node() != v.decl.Parent().Node() {
		c = c.Parent()
	}
	return c
}

// loops returns the loops around a cursor, innermost first, up to the list of the variable's
// declaration.
func (v *variable) loops(c inspector.Cursor) []inspector.Cursor {
	var loops []inspector.Cursor
	top := v.unit(c)
	for {
		l, ok := flow.Loop(c)
		if !ok || l.Node().Pos() < top.Node().Pos() {
			return loops
		}
		loops = append(loops, l)
		c = l
	}
}

// made returns the value with a capacity, as Go code.
func (f *growthFinder) made(v *variable, room string) string {
	return "make(" + rewrite.Text(f.pass, v.typ) + ", 0, " + room + ")"
}
