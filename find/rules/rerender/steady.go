package rerender

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/whet-go/whet/find/rules/flow"
)

// A knowledge is what a package shows about its variables, fields and functions.
type knowledge struct {
	info  *types.Info
	pkg   *types.Package
	set   map[*types.Var]bool // fields and package variables that are set somewhere, or whose address is taken
	decls map[*types.Func]*ast.FuncDecl
}

// know analyzes a package.
func know(pass *analysis.Pass, insp *inspector.Inspector) *knowledge {
	k := &knowledge{
		info: pass.TypesInfo, pkg: pass.Pkg,
		set: map[*types.Var]bool{}, decls: map[*types.Func]*ast.FuncDecl{},
	}
	for c := range insp.Root().Preorder(
		(*ast.Ident)(nil), (*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil), (*ast.FuncDecl)(nil),
	) {
		switch n := c.Node().(type) {
		case *ast.FuncDecl:
			if f, ok := k.info.Defs[n.Name].(*types.Func); ok {
				k.decls[f] = n
			}
		case *ast.Ident:
			if v, ok := k.info.Uses[n].(*types.Var); ok && flow.IsSet(c) {
				k.set[v] = true
			}
		case *ast.SelectorExpr:
			if flow.IsSet(c) {
				k.setWithin(n)
			}
		case *ast.IndexExpr:
			if flow.IsSet(c) {
				k.setWithin(n.X)
			}
		}
	}
	return k
}

// setWithin records the fields and variables through which something is set: for s.a.b[i] = x,
// these are b, a and s.
func (k *knowledge) setWithin(e ast.Expr) {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if v, ok := k.info.Uses[x.Sel].(*types.Var); ok {
				k.set[v] = true
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.Ident:
			if v, ok := k.info.Uses[x].(*types.Var); ok {
				k.set[v] = true
			}
			return
		default:
			return
		}
	}
}

// varies reports whether the results of a package or function change over time.
func varies(f *types.Func) bool {
	if f.Pkg() == nil {
		return false
	}
	switch f.FullName() {
	case "time.Now", "time.Since", "time.Until", "runtime.NumGoroutine", "runtime.ReadMemStats":
		return true
	}
	path := f.Pkg().Path()
	return slices.ContainsFunc([]string{
		"math/rand", "crypto/rand", "os", "net", "database/sql",
		"io", "log", "context", "syscall", "bufio", "sync", "expvar",
	}, func(p string) bool {
		return path == p || strings.HasPrefix(path, p+"/")
	}) && path != "net/url" && path != "net/netip"
}

// steady reports whether a function's results depend only on its arguments and on variables that
// are never set, as far as the package shows.
func (k *knowledge) steady(receiver *types.Var, decl *ast.FuncDecl, seen map[*ast.FuncDecl]bool) bool {
	if seen[decl] {
		return true
	}
	seen[decl] = true
	if decl.Body == nil {
		return false
	}
	ok := true
	// Where the receiver's fields are named, and functions are called: their other uses are
	// unknown.
	fields, called := map[*ast.Ident]bool{}, map[*ast.Ident]bool{}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt:
			ok = false
		case *ast.SelectorExpr:
			if x, isIdent := n.X.(*ast.Ident); isIdent && receiver != nil && k.info.Uses[x] == types.Object(receiver) {
				s := k.info.Selections[n]
				fields[x] = s != nil && s.Kind() == types.FieldVal
			}
		case *ast.CallExpr:
			ok = ok && k.callSteady(n, seen)
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				called[f] = true
			case *ast.SelectorExpr:
				called[f.Sel] = true
			}
		case *ast.Ident:
			switch obj := k.info.Uses[n].(type) {
			case *types.Var:
				isShared := obj.IsField() || obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope()
				ok = ok && !(isShared && k.set[obj]) && (obj != receiver || receiver == nil || fields[n])
				// Another package's variable may be set there.
				ok = ok && (!isShared || obj.IsField() || obj.Pkg() == k.pkg)
			case *types.Func:
				ok = ok && called[n]
			}
		}
		return ok
	})
	return ok
}

// callSteady reports whether what a call runs is known, and steady.
func (k *knowledge) callSteady(call *ast.CallExpr, seen map[*ast.FuncDecl]bool) bool {
	if _, converts := flow.Conversion(k.info, call); converts || flow.Builtin(k.info, call) != "" {
		return true
	}
	f := typeutil.StaticCallee(k.info, call)
	if f == nil || varies(f) {
		return false
	}
	if decl := k.decls[f.Origin()]; decl != nil {
		return k.steady(f.Origin().Signature().Recv(), decl, seen)
	}
	return true
}

// kept reports whether the callers of a function look something up first: their pages are already
// cached.
func (k *knowledge) kept(page *ast.FuncDecl) bool {
	for _, decl := range k.decls {
		calls, looks := false, false
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				f := typeutil.StaticCallee(k.info, n)
				calls = calls || f != nil && k.decls[f.Origin()] == page
			case *ast.AssignStmt:
				if len(n.Lhs) == 2 && len(n.Rhs) == 1 && !calls {
					t := k.info.TypeOf(n.Lhs[1])
					looks = looks || t != nil && types.Identical(t, types.Typ[types.Bool])
				}
			}
			return true
		})
		if calls && looks {
			return true
		}
	}
	return false
}
