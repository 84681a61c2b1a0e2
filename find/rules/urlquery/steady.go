package urlquery

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/whet-go/whet/find/rules/flow"
)

// steady reports whether the URL stays the same between two positions of a function.
func (f *queryFinder) steady(q *query, from, to token.Pos) bool {
	info := f.pass.TypesInfo
	root := rootVariable(info, q.url)
	if root == nil || !f.places.Steady(info, root, from, to) {
		return false
	}
	for c := range q.fn.Preorder(
		(*ast.SelectorExpr)(nil), (*ast.StarExpr)(nil), (*ast.CallExpr)(nil), (*ast.BranchStmt)(nil),
	) {
		switch n := c.Node().(type) {
		case *ast.SelectorExpr:
			// A field of a request or URL is set anywhere in the function, or its address is taken.
			if isRequestOrURL(info.TypeOf(n.X)) && flow.IsSet(c) {
				return false
			}
		case *ast.StarExpr:
			if isRequestOrURL(info.TypeOf(n)) && flow.IsSet(c) {
				return false
			}
		case *ast.CallExpr:
			if from <= n.Pos() && n.Pos() < to && !f.harmless(n) {
				return false
			}
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				return false
			}
		}
	}
	return true
}

// harmless reports whether a call cannot change a URL that its arguments do not refer to.
func (f *queryFinder) harmless(call *ast.CallExpr) bool {
	info := f.pass.TypesInfo
	if _, ok := flow.Conversion(info, call); ok {
		return true
	}
	callee := typeutil.Callee(info, call)
	if _, ok := callee.(*types.Builtin); ok {
		return true
	}
	fn, ok := callee.(*types.Func)
	if !ok || fn.Pkg() == nil && fn.Name() != "Error" {
		return false
	}
	standard := fn.Pkg() == nil || isStandard(f.pass.Pkg, fn.Pkg())
	for _, arg := range call.Args {
		if t := info.TypeOf(arg); mayReferToURL(t, map[types.Type]bool{}) || !standard && !plain(t) {
			return false
		}
	}
	if fn.Signature().Recv() == nil {
		return true
	}
	if !standard {
		return false
	}
	switch recv, _ := strings.CutSuffix(fn.FullName(), "."+fn.Name()); recv {
	case "(*net/http.Request)":
		switch fn.Name() {
		case "Context", "UserAgent", "Referer", "Cookie", "Cookies",
			"FormValue", "PostFormValue", "PathValue", "BasicAuth", "ParseForm":
			return true
		}
		return false
	case "(*net/url.URL)":
		switch fn.Name() {
		case "Query", "String", "Hostname", "Port", "IsAbs", "EscapedPath", "RequestURI", "Redacted":
			return true
		}
		return false
	case "(net/http.Handler)", "(net/http.HandlerFunc)", "(*net/http.ServeMux)":
		return false
	}
	return true
}

// isStandard reports whether a package is in the standard library, judging by its path.
func isStandard(self, pkg *types.Package) bool {
	first, _, _ := strings.Cut(pkg.Path(), "/")
	own, _, _ := strings.Cut(self.Path(), "/")
	return !strings.Contains(first, ".") && first != own
}

// isRequestOrURL reports whether a type is a request or a URL, or a pointer to one.
func isRequestOrURL(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return isNamed(t, "net/http", "Request") || isNamed(t, "net/url", "URL")
}

// mayReferToURL reports whether values of a type can refer to another URL.
func mayReferToURL(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return isNamed(u.Elem(), "net/url", "URL") || mayReferToURL(u.Elem(), seen)
	case *types.Slice:
		return mayReferToURL(u.Elem(), seen)
	case *types.Array:
		return mayReferToURL(u.Elem(), seen)
	case *types.Map:
		return mayReferToURL(u.Key(), seen) || mayReferToURL(u.Elem(), seen)
	case *types.Chan:
		return mayReferToURL(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if mayReferToURL(f.Type(), seen) {
				return true
			}
		}
	case *types.Signature:
		return true // may hold anything
	}
	return false
}

func isNamed(t types.Type, pkg, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && n.Obj().Name() == name
}

// plain reports whether a type refers to no URL: numbers, strings, slices and maps of them, and
// response writers.
func plain(t types.Type) bool {
	if isNamed(t, "net/http", "ResponseWriter") {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Slice:
		return plain(u.Elem())
	case *types.Array:
		return plain(u.Elem())
	case *types.Map:
		return plain(u.Key()) && plain(u.Elem())
	}
	return false
}

// rootVariable returns the local variable that an expression begins with.
func rootVariable(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return flow.Variable(info, e)
		}
	}
}
