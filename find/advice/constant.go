package advice

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/find/syntax"
)

// constantWork finds calls that requests make with arguments that do not depend on the request, of
// functions whose result depends on nothing else.
func constantWork(e *evidence) []Advice {
	type key struct {
		at     syntax.Line
		callee string
	}
	sums := map[key]cost{}
	known := map[key]bool{}
	for s, spent := range e.costs {
		if !s.served {
			continue
		}
		for i := len(s.own) - 1; i >= 1; i-- { // the outermost call counts
			fn := e.code.FunctionAt(s.own[i-1])
			if fn == nil {
				continue
			}
			k := key{s.own[i], fn.Obj.FullName()}
			constant, ok := known[k]
			if !ok {
				constant = constantCall(e.code, s.own[i], fn)
				known[k] = constant
			}
			if constant {
				sum := sums[k]
				sum.add(spent)
				sums[k] = sum
				break
			}
		}
	}
	var all []Advice
	at, callee := func(k key) syntax.Line { return k.at }, func(k key) syntax.Line { return syntax.Line{File: k.callee} }
	for _, k := range sortedKeys(sums, at, callee) {
		if !e.large(sums[k]) {
			continue
		}
		share, of, costs := e.of(sums[k])
		fn := e.code.Funcs[k.callee]
		all = append(all, Advice{
			Kind: ConstantWork, Title: "each request computes the same", Place: e.place(k.at, ""), Share: share, Of: of,
			Also: []Place{e.place(fn.File.At(fn.Decl.Pos()), "its result depends on nothing that changes")},
			Evidence: fmt.Sprintf("%s takes %s, and reads only constants and variables that are never changed",
				fn.Decl.Name.Name, costs),
			Do: "compute it once: in a package variable, at the start, or with sync.OnceValue; callers must not change " +
				"the result",
		})
	}
	return all
}

// constantCall reports whether a line calls a function with arguments that are the same for each
// request, and the function's result depends only on them.
func constantCall(c *syntax.Code, at syntax.Line, fn *syntax.Function) bool {
	f, _, body := c.Body(at)
	if body == nil || !c.PureFunction(fn) || fn.Obj.Signature().Results().Len() == 0 || makesState(c, fn) {
		return false
	}
	for _, call := range f.Calls(body, at.Line) {
		if c.Called(f, call) != fn {
			continue
		}
		for _, arg := range call.Args {
			if !constant(c, f, arg) {
				return false
			}
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && fn.Obj.Signature().Recv() != nil {
			// What the method reads of its receiver is settled (pureBody); but the receiver must be the
			// same for all requests: a field of a value that lives on, or a package variable.
			return lasting(f, sel.X)
		}
		return true
	}
	return false
}

// makesState reports whether a function makes a value for its caller to change, such as a struct with fields that its
// methods set, or an empty map: requests cannot share one.
func makesState(c *syntax.Code, fn *syntax.Function) bool {
	f, found := fn.File, false
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				found = found || isState(c, f, e)
			}
		}
		return !found
	})
	for i := range fn.Obj.Signature().Results().Len() { // what is returned may be a variable
		found = found || isMutable(c, fn.Obj.Signature().Results().At(i).Type())
	}
	return found
}

// isState reports whether an expression is a new value that can be changed: an empty container, a channel, or a struct
// of a type that is.
func isState(c *syntax.Code, f *syntax.File, e ast.Expr) bool {
	e = ast.Unparen(e)
	t := f.Info().TypeOf(e)
	if t == nil {
		return false
	}
	empty := false
	switch x := e.(type) {
	case *ast.CallExpr:
		empty = syntax.IsBuiltin(f, x, "make") || syntax.IsBuiltin(f, x, "new")
	case *ast.CompositeLit:
		empty = len(x.Elts) == 0
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok {
			empty = len(lit.Elts) == 0
		}
	}
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice, *types.Pointer:
		if empty {
			return true
		}
	case *types.Chan:
		return true
	}
	return isMutable(c, t)
}

// isMutable reports whether a type is a pointer to a struct of the module, some of whose fields are changed after it is
// made.
func isMutable(c *syntax.Code, t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	named, isNamed := types.Unalias(p.Elem()).(*types.Named)
	if !ok || !isNamed || !slices.ContainsFunc(c.List, func(f *syntax.File) bool {
		return f.Pkg.Types == named.Obj().Pkg()
	}) {
		return false
	}
	for field := range s.Fields() {
		if !c.Settled(field) {
			return true
		}
	}
	return false
}

// constant reports whether an expression has the same value for each request.
func constant(c *syntax.Code, f *syntax.File, e ast.Expr) bool {
	if tv := f.Info().Types[e]; tv.Value != nil || tv.IsNil() {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		o := f.Object(e)
		return o != nil && (syntax.Global(o) || syntax.IsField(o) && lasting(f, e)) && c.Settled(o)
	case *ast.CallExpr:
		if fn := f.Callee(e); fn != nil && syntax.Purely(fn) {
			for _, arg := range e.Args {
				if !constant(c, f, arg) {
					return false
				}
			}
			return fn.Signature().Recv() == nil
		}
	}
	return false
}

// lasting reports whether an expression belongs to what all requests share: a package variable, or
// the receiver of the method, if that is a server and not made for the request.
func lasting(f *syntax.File, e ast.Expr) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			o := f.Info().ObjectOf(x)
			if o == nil {
				return false
			}
			if _, ok := o.(*types.PkgName); ok || syntax.Global(o) {
				return true
			}
			return isHandlerReceiver(f, o)
		case *ast.SelectorExpr:
			if o := f.Object(x); syntax.Global(o) {
				return true
			}
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return false
		}
	}
}

// isHandlerReceiver reports whether a variable is the receiver of a method that handles requests:
// all requests have the same one.
func isHandlerReceiver(f *syntax.File, o types.Object) bool {
	for _, d := range f.Syntax.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok || decl.Recv == nil || len(decl.Recv.List) == 0 || len(decl.Recv.List[0].Names) == 0 ||
			f.Info().Defs[decl.Recv.List[0].Names[0]] != o {
			continue
		}
		for _, p := range decl.Type.Params.List {
			name := types.TypeString(f.Info().TypeOf(p.Type), nil)
			switch name[strings.LastIndexByte(name, '/')+1:] {
			case "http.Request", "gin.Context", "echo.Context", "fiber.Ctx", "fasthttp.RequestCtx":
				return true
			}
		}
	}
	return false
}
