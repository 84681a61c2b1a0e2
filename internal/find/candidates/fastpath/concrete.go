package fastpath

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// typeAssertGenerator takes a value out of a reflect.Value without an interface in between.
func typeAssertGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "typeassert", Title: "value copied into an interface to be taken out of it again",
		Why:     "reflect.TypeAssert takes the value as it is; Interface allocates a copy of it",
		Assumes: "the value may be taken as an interface: it is not of a field that is not exported",
		Kinds: []diagnosis.Kind{
			diagnosis.Reflection, diagnosis.Interface, diagnosis.Allocation, diagnosis.Escape, diagnosis.Copying,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.TypeAssertExpr)(nil)) {
				if p, ok := s.assertedDirectly(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// assertedDirectly replaces v.Interface().(T) where the result says whether it is a T.
func (s *site) assertedDirectly(c inspector.Cursor) (p proposal, ok bool) {
	assert, ok := c.Node().(*ast.TypeAssertExpr)
	if !ok || assert.Type == nil || !sites.CommaOk(c) || !flow.Since(s.Pass, assert.Pos(), "go1.25") {
		return p, false
	}
	call, ok := ast.Unparen(assert.X).(*ast.CallExpr)
	if !ok || flow.Method(s.Pass.TypesInfo, call) != "(reflect.Value).Interface" &&
		flow.Callee(s.Pass.TypesInfo, call) != "(reflect.Value).Interface" {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return p, false
	}
	pkg, edits, ok := rewrite.Import(s.Pass, assert.Pos(), "reflect")
	if !ok {
		return p, false
	}
	p.Message = "Take a " + s.Text(assert.Type) + " out of " + sites.Shortened(s.Text(sel.X)) + " directly"
	p.Edits = append(edits, rewrite.Replace(assert,
		fmt.Sprintf("%s.TypeAssert[%s](%s)", pkg, s.Text(assert.Type), s.Text(sel.X))))
	return p, true
}

// concreteGenerator calls the method of the one type that the package has for an interface.
func concreteGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "concrete", Title: "method called through an interface that has one type",
		Why: "the compiler inlines a method of a known type, and knows what it does with its arguments; a call through an " +
			"interface is neither",
		Assumes: "most of the values have this type, as all that the package has for the interface",
		Kinds:   []diagnosis.Kind{diagnosis.Own},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if p, ok := s.ofOneType(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// ofOneType puts a type assertion in front of a statement that calls a method of an interface.
func (s *site) ofOneType(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || info.Selections[sel] == nil || s.SideEffects(sel.X) {
		return p, false
	}
	of := info.TypeOf(sel.X)
	named, ok := types.Unalias(of).(*types.Named)
	if !ok || !types.IsInterface(of) || named.Obj().Pkg() != s.Pass.Pkg || named.TypeParams().Len() > 0 {
		return p, false
	}
	t := s.only(named)
	if t == nil || s.within(t) {
		return p, false
	}
	typ, ok := rewrite.TypeText(s.Pass, call.Pos(), t)
	if !ok || !rewrite.Predeclared(s.Pass, call.Pos(), "bool") {
		return p, false
	}
	value, is := s.Locals.Fresh(call.Pos(), "concrete"), s.Locals.Fresh(call.Pos(), "ok")
	direct := value + strings.TrimPrefix(s.Text(call), s.Text(sel.X))
	p.Message = "Call the method of " + typ + " directly"
	stmt := c.Parent().Node()
	begin := fmt.Sprintf("if %s, %s := %s.(%s); %s {\n", value, is, s.Text(sel.X), typ, is)
	switch n := stmt.(type) {
	case *ast.ExprStmt:
		if !flow.InBlock(c.Parent()) {
			return p, false
		}
		p.Edits = []analysis.TextEdit{rewrite.Replace(n, begin+direct+"\n} else {\n"+s.Text(n)+"\n}")}
	case *ast.ReturnStmt:
		if len(n.Results) != 1 {
			return p, false
		}
		p.Edits = []analysis.TextEdit{rewrite.Before(s.Pass, n, begin+"return "+direct+"\n}")}
	case *ast.AssignStmt:
		if len(n.Rhs) != 1 || !flow.InBlock(c.Parent()) || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			return p, false
		}
		left := rewrite.Between(s.Pass, n.Pos(), n.TokPos)
		declared := ""
		if n.Tok == token.DEFINE {
			if declared, ok = s.declarations(n); !ok {
				return p, false
			}
		}
		p.Edits = []analysis.TextEdit{rewrite.Replace(n,
			declared+begin+left+"= "+direct+"\n} else {\n"+left+"= "+s.Text(call)+"\n}")}
	default:
		return p, false
	}
	return p, true
}

// declarations returns the source that declares the new variables of a statement.
func (s *site) declarations(n *ast.AssignStmt) (text string, ok bool) {
	for _, left := range n.Lhs {
		id, isIdent := left.(*ast.Ident)
		if !isIdent {
			return "", false
		}
		v, isNew := s.Pass.TypesInfo.Defs[id].(*types.Var)
		if !isNew {
			continue
		}
		typ, ok := rewrite.TypeText(s.Pass, n.Pos(), v.Type())
		if !ok {
			return "", false
		}
		text += "var " + id.Name + " " + typ + "\n"
	}
	return text, true
}

// only returns the one type of the package that implements an interface of it; nil if there are none or several.
func (s *site) only(named *types.Named) types.Type {
	i, ok := named.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 || !i.IsMethodSet() {
		return nil
	}
	var found types.Type
	for _, name := range s.Pass.Pkg.Scope().Names() {
		obj, isType := s.Pass.Pkg.Scope().Lookup(name).(*types.TypeName)
		if !isType || obj.IsAlias() || types.IsInterface(obj.Type()) {
			continue
		}
		if t, isNamed := obj.Type().(*types.Named); !isNamed || t.TypeParams().Len() > 0 {
			continue
		}
		t := obj.Type()
		if !types.Implements(t, i) {
			if t = types.NewPointer(t); !types.Implements(t, i) {
				continue
			}
		}
		if found != nil {
			return nil
		}
		found = t
	}
	return found
}

// within reports whether the function around the line is a method of a type: then it is about others of the interface.
func (s *site) within(t types.Type) bool {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Recv == nil {
		return false
	}
	fn, ok := s.Pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return false
	}
	of := fn.Signature().Recv().Type()
	if p, isPointer := t.(*types.Pointer); isPointer {
		t = p.Elem()
	}
	if p, isPointer := of.(*types.Pointer); isPointer {
		of = p.Elem()
	}
	return types.Identical(of, t)
}
