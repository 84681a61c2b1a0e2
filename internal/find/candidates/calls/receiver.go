package calls

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// minReceiver is the size in bytes from which on copying a receiver is worth avoiding.
const minReceiver = 40

// receiverGenerator passes a pointer to a large receiver instead of a copy.
func receiverGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "receiver", Title: "large receiver copied for each call of a method",
		Why:     "a pointer to the receiver is as good where the method only reads it",
		Assumes: "nothing that the method calls changes the receiver meanwhile",
		Kinds:   []diagnosis.Kind{diagnosis.Own, diagnosis.Copying},
		Propose: func(at *sites.Site) (list []proposal) {
			s := &site{at}
			if decl, ok := s.Decl.Node().(*ast.FuncDecl); ok && decl.Body != nil {
				if p, ok := s.byPointer(s.Decl); ok {
					list = append(list, p)
				}
			}
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				d, ok := s.declared(c)
				if !ok {
					continue
				}
				if p, ok := s.byPointer(d); ok {
					list = append(list, p)
				}
			}
			return list
		},
	}
}

// declared returns the declaration of the method of the package that a call names.
func (s *site) declared(c inspector.Cursor) (d inspector.Cursor, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return d, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return d, false
	}
	fn, ok := s.Pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() != s.Pass.Pkg || fn.Signature().Recv() == nil || types.IsInterface(fn.Signature().Recv().Type()) {
		return d, false
	}
	for d := range s.Root.Preorder((*ast.FuncDecl)(nil)) {
		if decl, ok := d.Node().(*ast.FuncDecl); ok && s.Pass.TypesInfo.Defs[decl.Name] == types.Object(fn) {
			return d, true
		}
	}
	return d, false
}

// byPointer makes the receiver of a method a pointer. The method or its type is not exported, and each call in the
// package is of a value that has an address.
func (s *site) byPointer(d inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	decl, ok := d.Node().(*ast.FuncDecl)
	if !ok || decl.Recv == nil || len(decl.Recv.List[0].Names) != 1 || decl.Body == nil || s.generic(decl) ||
		rewrite.Generated(s.Pass, decl.Pos()) {
		return p, false
	}
	recv, ok := info.Defs[decl.Recv.List[0].Names[0]].(*types.Var)
	if !ok || recv.Name() == "_" {
		return p, false
	}
	named, ok := types.Unalias(recv.Type()).(*types.Named)
	if !ok || decl.Name.IsExported() && named.Obj().Exported() {
		return p, false
	}
	if _, isStruct := named.Underlying().(*types.Struct); !isStruct || flow.SizeVaries(named) ||
		s.Pass.TypesSizes.Sizeof(named) < minReceiver {
		return p, false
	}
	p.Edits = []analysis.TextEdit{rewrite.Insert(decl.Recv.List[0].Type.Pos(), "*")}
	for _, use := range s.Places[recv] {
		if use.ParentEdgeKind() == edge.Field_Names {
			continue
		}
		if flow.IsSet(use) || flow.Addresses(info, use) || setPart(use) {
			return p, false
		}
		if f, ok := flow.Func(use); !ok || f != d {
			return p, false // a closure may run later
		}
		switch use.ParentEdgeKind() {
		case edge.SelectorExpr_X:
		case edge.AssignStmt_Rhs, edge.CallExpr_Args, edge.ReturnStmt_Results, edge.CompositeLit_Elts,
			edge.KeyValueExpr_Value, edge.ValueSpec_Values:
			p.Edits = append(p.Edits, rewrite.Replace(use.Node(), "*"+recv.Name()))
		default:
			p.Edits = append(p.Edits, rewrite.Replace(use.Node(), "(*"+recv.Name()+")"))
		}
	}
	for c := range s.Root.Preorder((*ast.SelectorExpr)(nil)) {
		sel, isSelector := c.Node().(*ast.SelectorExpr)
		if isSelector && info.Uses[sel.Sel] == info.Defs[decl.Name] &&
			(c.ParentEdgeKind() != edge.CallExpr_Fun || !s.addressable(sel.X)) {
			return p, false
		}
	}
	p.Message = "Pass a pointer to the " + named.Obj().Name() + " to " + decl.Name.Name
	return p, !s.demanded(decl.Name.Name, named)
}

// addressable reports whether an expression is a pointer, or a value that has an address.
func (s *site) addressable(e ast.Expr) bool {
	if tv := s.Pass.TypesInfo.Types[e]; tv.Addressable() {
		return true
	}
	_, isPointer := s.Pass.TypesInfo.TypeOf(e).Underlying().(*types.Pointer)
	return isPointer
}

// demanded reports whether an interface of the package or of one that it imports has a method of a name, and a type
// implements it.
func (s *site) demanded(method string, t types.Type) bool {
	for _, pkg := range append([]*types.Package{s.Pass.Pkg}, s.Pass.Pkg.Imports()...) {
		for _, name := range pkg.Scope().Names() {
			i, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Interface)
			if !ok {
				continue
			}
			for m := range i.Methods() {
				if m.Name() == method && types.Implements(t, i) {
					return true
				}
			}
		}
	}
	return token.IsExported(method) && (method == "Error" || method == "String")
}

// setPart reports whether a part of a value is set.
func setPart(use inspector.Cursor) bool {
	for c := use; ; c = c.Parent() {
		if flow.IsSet(c) {
			return true
		}
		switch c.ParentEdgeKind() {
		case edge.SelectorExpr_X, edge.ParenExpr_X:
		case edge.IndexExpr_X:
		default:
			return false
		}
	}
}
