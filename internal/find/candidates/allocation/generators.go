package allocation

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// Generators returns the generators of the package.
func Generators() []*sites.Generator {
	return []*sites.Generator{
		outlineGenerator(),
		intoGenerator(),
		togetherGenerator(),
		joinedGenerator(),
		chunkGenerator(),
		lazyGenerator(),
		boxedGenerator(),
		perLoopGenerator(),
		matrixGenerator(),
		smallSetGenerator(),
		joinedBytesGenerator(),
		spareGenerator(),
		smallerGenerator(),
		shortTextGenerator(),
		fieldOrderGenerator(),
	}
}

// A site is a hot line, with what several generators of the package need.
type site struct{ *sites.Site }

type proposal = sites.Proposal

// visit makes a generator's function of one that takes a site.
func visit(propose func(*site) []proposal) func(*sites.Site) []proposal {
	return func(at *sites.Site) []proposal { return propose(&site{at}) }
}

// made returns the struct type of a new value, of &T{…} or new(T), and the literal; nil for new.
func (s *site) made(e ast.Expr) (t types.Type, literal *ast.CompositeLit, ok bool) {
	info := s.Pass.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if literal, ok = e.X.(*ast.CompositeLit); !ok || e.Op != token.AND {
			return nil, nil, false
		}
		t = info.TypeOf(literal)
	case *ast.CallExpr:
		if flow.Builtin(info, e) != "new" || !info.Types[e.Args[0]].IsType() {
			return nil, nil, false
		}
		t = info.TypeOf(e.Args[0])
	default:
		return nil, nil, false
	}
	if _, isStruct := t.Underlying().(*types.Struct); !isStruct || flow.SizeVaries(t) ||
		s.Pass.TypesSizes.Sizeof(t) == 0 {
		return nil, nil, false
	}
	return t, literal, true
}

// text returns the source of the value that a new one is set to; "" for new.
func (s *site) text(literal *ast.CompositeLit) string {
	if literal == nil {
		return ""
	}
	return s.Text(literal)
}

// near reports whether a node is on the line.
func (s *site) near(n ast.Node) bool {
	return s.LineOf(n.Pos()) <= s.Line && s.Line <= s.LineOf(n.End())
}

// copied reports whether a value of a struct type of the package may be copied: it is dereferenced, passed,
// assigned from another value, or set by range. Values are made by literals, and used by their fields, methods
// and address. Methods may have copies as receivers if receivers is set.
func (s *site) copied(t types.Type, receivers bool) bool {
	info := s.Pass.TypesInfo
	for c := range s.Root.Preorder((*ast.Ident)(nil), (*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil),
		(*ast.StarExpr)(nil), (*ast.CallExpr)(nil)) {
		e := sites.ExprOf(c)
		tv, ok := info.Types[e]
		id, isIdent := e.(*ast.Ident)
		if isIdent {
			v, isVar := info.ObjectOf(id).(*types.Var)
			if !isVar || !types.Identical(v.Type(), t) || v.IsField() {
				continue
			}
		} else if !ok || !tv.IsValue() || !types.Identical(tv.Type, t) {
			continue
		}
		switch c.ParentEdgeKind() {
		case edge.SelectorExpr_X, edge.UnaryExpr_X, edge.AssignStmt_Lhs, edge.ValueSpec_Names, edge.SelectorExpr_Sel,
			edge.KeyValueExpr_Key:
		case edge.Field_Names:
			if !receivers || c.Parent().Parent().ParentEdgeKind() != edge.FuncDecl_Recv {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// local returns the type's name in the package of the pass and its declaration, if it is a struct there without
// type parameters.
func (s *site) local(t types.Type) (name *types.TypeName, fields *ast.StructType, ok bool) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() != s.Pass.Pkg || named.TypeParams().Len() > 0 {
		return nil, nil, false
	}
	for c := range s.Root.Preorder((*ast.TypeSpec)(nil)) {
		spec, isSpec := c.Node().(*ast.TypeSpec)
		if !isSpec || s.Pass.TypesInfo.Defs[spec.Name] != types.Object(named.Obj()) {
			continue
		}
		fields, ok = spec.Type.(*ast.StructType)
		return named.Obj(), fields, ok
	}
	return nil, nil, false
}

// receiver returns the variable and the type of a method's receiver that is a pointer; ok is false for others.
func (s *site) receiver() (v *types.Var, t types.Type, ok bool) {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Recv == nil || len(decl.Recv.List) != 1 || len(decl.Recv.List[0].Names) != 1 {
		return nil, nil, false
	}
	if v, ok = s.Pass.TypesInfo.Defs[decl.Recv.List[0].Names[0]].(*types.Var); !ok || v.Name() == "_" {
		return nil, nil, false
	}
	p, ok := v.Type().(*types.Pointer)
	if !ok {
		return nil, nil, false
	}
	return v, p.Elem(), true
}

// statementOf returns the statement around a new value, if a statement before it can make the value: nothing
// with side effects is evaluated before it.
func (s *site) statementOf(c inspector.Cursor) (stmt inspector.Cursor, ok bool) {
	stmt, ok = rewrite.Statement(c)
	if !ok || !s.EvaluatedFirst(c, stmt) {
		return stmt, false
	}
	for call := range stmt.Preorder((*ast.CallExpr)(nil), (*ast.UnaryExpr)(nil)) {
		e := sites.ExprOf(call)
		if e.End() <= c.Node().Pos() && flow.Calls(s.Pass.TypesInfo, e) {
			return stmt, false
		}
	}
	return stmt, true
}
