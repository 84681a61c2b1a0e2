package readall

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
)

// bodiless are the functions of a package that only handle requests without a body, by GET and HEAD: those that
// are registered for these methods.
type bodiless struct {
	named    map[types.Object]bool
	literals map[*ast.FuncLit]bool
}

// findBodiless reads the registrations of handlers: HandleFunc("GET /path", f), and r.Get("/path", f) as routers have
// it. A function that is registered for another method, too, is not bodiless.
func findBodiless(pass *analysis.Pass, root inspector.Cursor) *bodiless {
	b := &bodiless{named: map[types.Object]bool{}, literals: map[*ast.FuncLit]bool{}}
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			continue
		}
		pattern, ok := flow.StringConst(pass.TypesInfo, call.Args[0])
		if !ok || !strings.Contains(pattern, "/") {
			continue
		}
		without := withoutBody(pass, call, pattern)
		for _, arg := range call.Args[1:] {
			b.add(pass, arg, without)
		}
	}
	return b
}

// withoutBody reports whether a registration is for GET or HEAD.
func withoutBody(pass *analysis.Pass, call *ast.CallExpr, pattern string) bool {
	methods := []string{"GET", "HEAD"}
	if method, _, found := strings.Cut(pattern, " "); found {
		return slices.Contains(methods, method)
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || pass.TypesInfo.Selections[sel] == nil { // a function, such as http.Get, sends requests
		return false
	}
	return slices.Contains(methods, strings.ToUpper(sel.Sel.Name))
}

func (b *bodiless) add(pass *analysis.Pass, handler ast.Expr, without bool) {
	switch h := ast.Unparen(handler).(type) {
	case *ast.FuncLit:
		b.literals[h] = without
	case *ast.Ident, *ast.SelectorExpr:
		id, ok := h.(*ast.Ident)
		if !ok {
			id = h.(*ast.SelectorExpr).Sel //nolint:forcetypeassert // the case says so
		}
		if f, ok := pass.TypesInfo.Uses[id].(*types.Func); ok {
			before, known := b.named[f]
			b.named[f] = without && (before || !known)
		}
	case *ast.CallExpr: // http.HandlerFunc(f)
		if len(h.Args) == 1 {
			b.add(pass, h.Args[0], without)
		}
	}
}

// at reports whether a place handles requests without a body: in one of the functions, or where the method is compared
// with GET or HEAD.
func (b *bodiless) at(pass *analysis.Pass, c inspector.Cursor) bool {
	child := c
	for up := range c.Enclosing() {
		switch n := up.Node().(type) {
		case *ast.FuncLit:
			if b.literals[n] {
				return true
			}
		case *ast.FuncDecl:
			return b.named[pass.TypesInfo.Defs[n.Name]]
		case *ast.IfStmt:
			if child.Node() == ast.Node(n.Body) && isBodiless(pass, n.Cond) {
				return true
			}
		}
		child = up
	}
	return false
}

// isBodiless reports whether a condition compares a request's method with GET or HEAD.
func isBodiless(pass *analysis.Pass, cond ast.Expr) bool {
	e, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	switch e.Op {
	case token.LAND:
		return isBodiless(pass, e.X) || isBodiless(pass, e.Y)
	case token.LOR:
		return isBodiless(pass, e.X) && isBodiless(pass, e.Y)
	case token.EQL:
		sel, ok := ast.Unparen(e.X).(*ast.SelectorExpr)
		method, isConst := flow.StringConst(pass.TypesInfo, e.Y)
		return ok && isConst && sel.Sel.Name == "Method" && (method == "GET" || method == "HEAD")
	}
	return false
}
