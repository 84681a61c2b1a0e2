package calls

import (
	"go/ast"
	"go/types"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// Generators returns the generators of the package.
func Generators() []*sites.Generator {
	return []*sites.Generator{
		splitGenerator(),
		unlockGenerator(),
		receiverGenerator(),
		mutexGenerator(),
		readLockGenerator(),
		noOptionsGenerator(),
	}
}

// A site is a hot line, with what several generators of the package need.
type site struct{ *sites.Site }

type proposal = sites.Proposal

// visit makes a generator's function of one that takes a site.
func visit(propose func(*site) (proposal, bool)) func(*sites.Site) []proposal {
	return func(at *sites.Site) []proposal {
		if p, ok := propose(&site{at}); ok {
			return []proposal{p}
		}
		return nil
	}
}

// The compiler inlines a function up to this cost, of which a call is most.
const (
	inlineCost = 80
	callCost   = 57
)

// cost estimates what the compiler counts for a node before it inlines a function.
func (s *site) cost(n ast.Node) (cost int) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if _, converts := flow.Conversion(s.Pass.TypesInfo, n); !converts && flow.Builtin(s.Pass.TypesInfo, n) == "" {
				cost += callCost
			}
		case *ast.DeferStmt, *ast.SelectStmt, *ast.GoStmt, *ast.FuncLit:
			cost += inlineCost
		}
		if n != nil {
			cost++
		}
		return true
	})
	return cost
}

// calledHere reports whether the package calls a function by its name, so that the call may be inlined. For an
// exported function that the package does not name, others are assumed to call it.
func (s *site) calledHere(decl *ast.FuncDecl) bool {
	named := false
	for c := range s.Root.Preorder((*ast.Ident)(nil)) {
		id := sites.IdentOf(c)
		if id != decl.Name && s.Pass.TypesInfo.Uses[id] == s.Pass.TypesInfo.Defs[decl.Name] {
			named = true
			if sites.Called(c) {
				return true
			}
		}
	}
	return !named && decl.Name.IsExported()
}

// inHead reports whether the line is in a function's declaration, before its body.
func (s *site) inHead(decl *ast.FuncDecl) bool {
	return s.LineOf(decl.Name.Pos()) <= s.Line && s.Line <= s.LineOf(decl.Body.Lbrace)
}

// generic reports whether a function or the type of its receiver has type parameters.
func (s *site) generic(decl *ast.FuncDecl) bool {
	fn, ok := s.Pass.TypesInfo.Defs[decl.Name].(*types.Func)
	return !ok || fn.Signature().TypeParams().Len() > 0 || fn.Signature().RecvTypeParams().Len() > 0
}

// arguments returns the source of the arguments that pass a function's parameters on.
func (s *site) arguments(decl *ast.FuncDecl) (args []string, ok bool) {
	for _, f := range decl.Type.Params.List {
		if len(f.Names) == 0 || rewrite.HasComment(s.Pass, f.Pos(), f.End()) {
			return nil, false
		}
		for _, n := range f.Names {
			if n.Name == "_" {
				return nil, false
			}
			arg := n.Name
			if _, variadic := f.Type.(*ast.Ellipsis); variadic {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	return args, true
}
