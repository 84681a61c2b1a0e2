package emptiness

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// A Finder follows results through a package.
type Finder struct {
	pkg     *packages.Package
	parents map[ast.Node]ast.Node
	uses    map[types.Object][]*ast.Ident
	decls   map[types.Object]*ast.FuncDecl
	dynamic map[string]bool // names of the unexported methods of interfaces
	outside string          // directives that make functions known to other code
	opaque  bool            // the package has files that are not Go
	// followed are those that were followed, or are being followed: their other uses decide.
	followed map[any]bool
}

// A result is a result of a function, or of a function literal.
type result struct {
	fn any // *types.Func or *ast.FuncLit
	at int
}

// A function is a variable or parameter that holds a function whose result is followed.
type function struct {
	obj types.Object
	at  int
}

// New returns a finder for a package.
func New(pkg *packages.Package) *Finder {
	f := &Finder{
		pkg: pkg, parents: map[ast.Node]ast.Node{}, uses: map[types.Object][]*ast.Ident{},
		decls: map[types.Object]*ast.FuncDecl{}, dynamic: map[string]bool{},
	}
	var directives strings.Builder
	for _, file := range pkg.Syntax {
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				f.parents[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			switch n := n.(type) {
			case *ast.Ident:
				if obj := pkg.TypesInfo.Uses[n]; obj != nil {
					obj = origin(obj)
					f.uses[obj] = append(f.uses[obj], n)
				}
			case *ast.FuncDecl:
				f.decls[pkg.TypesInfo.Defs[n.Name]] = n
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, name := range m.Names {
						f.dynamic[name.Name] = true
					}
				}
			}
			return true
		})
		for _, group := range file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:linkname ") || strings.HasPrefix(c.Text, "//export ") {
					directives.WriteString(c.Text + " ")
				}
			}
		}
	}
	f.outside = directives.String()
	f.opaque = slices.ContainsFunc(pkg.OtherFiles, func(name string) bool { return strings.HasSuffix(name, ".s") })
	return f
}

// origin returns the object of which a generic function, method or field is an instance, or else the object.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	}
	return obj
}

// Hidden reports whether no code of the package can tell a nil slice from an empty one in a result of a function,
// which is counted from 0. It is false for exported functions, and for results that are not slices.
func (f *Finder) Hidden(fn *types.Func, at int) bool {
	results := fn.Signature().Results()
	if at >= results.Len() {
		return false
	}
	if _, isSlice := results.At(at).Type().Underlying().(*types.Slice); !isSlice {
		return false
	}
	f.followed = map[any]bool{}
	return f.result(fn.Origin(), at)
}

// In returns which results of a function are hidden in each of several versions of a package, of which the function
// is in one; nil if none is. A version that lacks the function hides nothing.
func In(versions []*Finder, fn *types.Func) (hidden []bool) {
	some := false
	for at := range fn.Signature().Results().Len() {
		all := len(versions) > 0
		for _, f := range versions {
			same := f.lookup(fn.Origin())
			all = all && same != nil && f.Hidden(same, at)
		}
		hidden = append(hidden, all)
		some = some || all
	}
	if !some {
		return nil
	}
	return hidden
}

// lookup returns the function, or the method of the type, of the same name; nil if there is none.
func (f *Finder) lookup(fn *types.Func) *types.Func {
	for obj := range f.decls {
		if same, ok := obj.(*types.Func); ok && same.Name() == fn.Name() && receiver(same) == receiver(fn) {
			return same
		}
	}
	return nil
}

// receiver returns the name of the type that a method is of; "" for a function.
func receiver(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	typ := types.Unalias(recv.Type())
	if p, ok := typ.(*types.Pointer); ok {
		typ = types.Unalias(p.Elem())
	}
	if named, ok := typ.(*types.Named); ok {
		return named.Obj().Name()
	}
	return typ.String()
}

// result reports whether nil is hidden in a result of a declared function.
func (f *Finder) result(fn *types.Func, at int) bool {
	key := result{fn, at}
	if f.followed[key] {
		return true
	}
	f.followed[key] = true
	if fn.Exported() || f.opaque || f.decls[fn] == nil || strings.Contains(f.outside, fn.Name()) ||
		fn.Signature().Recv() != nil && f.dynamic[fn.Name()] {
		return false
	}
	for _, id := range f.uses[fn] {
		if call := f.calledBy(f.selected(id)); call == nil || !f.call(call, at) {
			return false
		}
	}
	return true
}

// selected returns the selector expression whose name an identifier is, without parentheses and type arguments
// around it; the identifier itself if it is none.
func (f *Finder) selected(id *ast.Ident) ast.Expr {
	var x ast.Expr = id
	for {
		switch p := f.parents[x].(type) {
		case *ast.SelectorExpr:
			if p.Sel != x {
				return x
			}
			x = p
		case *ast.ParenExpr:
			x = p
		case *ast.IndexExpr:
			if p.X != x || f.pkg.TypesInfo.Instances[id].Type == nil {
				return x
			}
			x = p
		case *ast.IndexListExpr:
			x = p
		default:
			return x
		}
	}
}

// calledBy returns the call of an expression; nil if it is not called.
func (f *Finder) calledBy(x ast.Expr) *ast.CallExpr {
	call, ok := f.parents[x].(*ast.CallExpr)
	if !ok || call.Fun != x {
		return nil
	}
	return call
}

// call reports whether nil is hidden in a result of a call.
func (f *Finder) call(call *ast.CallExpr, at int) bool {
	tuple, several := f.pkg.TypesInfo.TypeOf(call).(*types.Tuple)
	if !several || tuple.Len() < 2 {
		return f.value(call)
	}
	switch p := f.parents[call].(type) {
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return true
	case *ast.AssignStmt:
		return f.assigned(p.Lhs[at])
	case *ast.ValueSpec:
		return f.variable(f.pkg.TypesInfo.Defs[p.Names[at]])
	case *ast.ReturnStmt:
		return f.returned(p, at)
	}
	return false
}

// value reports whether nil is hidden in the value of an expression.
func (f *Finder) value(x ast.Expr) bool {
	switch p := f.parents[x].(type) {
	case *ast.ParenExpr:
		return f.value(p)
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return true
	case *ast.RangeStmt:
		return p.X == x
	case *ast.IndexExpr:
		return p.X == x
	case *ast.SliceExpr:
		return p.X == x && p.High == nil && f.value(p) // an empty one may have capacity
	case *ast.CallExpr:
		return f.argument(p, x)
	case *ast.AssignStmt:
		i := slices.Index(p.Rhs, x)
		return i >= 0 && f.isResult(x) && len(p.Lhs) == len(p.Rhs) && isAssignment(p) && f.assigned(p.Lhs[i])
	case *ast.ValueSpec:
		i := slices.Index(p.Values, x)
		return i >= 0 && f.isResult(x) && len(p.Names) == len(p.Values) && f.variable(f.pkg.TypesInfo.Defs[p.Names[i]])
	case *ast.ReturnStmt:
		i := slices.Index(p.Results, x)
		return i >= 0 && f.returned(p, i)
	}
	return false
}

// isResult reports whether an expression is what a function returns, which nothing else refers to: what is appended to
// two variables may be in the same array otherwise.
func (f *Finder) isResult(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	return ok && !f.pkg.TypesInfo.Types[call.Fun].IsType()
}

// assigned reports whether nil is hidden in what it is assigned to.
func (f *Finder) assigned(to ast.Expr) bool {
	id, ok := ast.Unparen(to).(*ast.Ident)
	switch {
	case !ok:
		return false
	case id.Name == "_":
		return true
	}
	return f.variable(f.pkg.TypesInfo.ObjectOf(id))
}

// variable reports whether nil is hidden in all uses of a local variable or parameter.
func (f *Finder) variable(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	if !ok || v.IsField() || v.Parent() == nil || v.Parent() == f.pkg.Types.Scope() {
		return false
	}
	if _, isSlice := v.Type().Underlying().(*types.Slice); !isSlice {
		return false // an interface, or a type parameter
	}
	v = v.Origin()
	if f.followed[v] {
		return true
	}
	f.followed[v] = true
	if fn, at := f.resultOf(v); fn != nil && !f.resultOfAny(fn, at) {
		return false
	}
	for _, id := range f.uses[v] {
		if assign, ok := f.parents[id].(*ast.AssignStmt); ok && slices.Contains(assign.Lhs, ast.Expr(id)) {
			continue
		}
		if !f.value(id) {
			return false
		}
	}
	return true
}

// resultOf returns the function, declared or literal, whose named result a variable is; nil if it is none.
func (f *Finder) resultOf(v *types.Var) (fn ast.Node, at int) {
	for id, obj := range f.pkg.TypesInfo.Defs {
		if obj != v {
			continue
		}
		field, ok := f.parents[id].(*ast.Field)
		if !ok {
			return nil, 0
		}
		list, _ := f.parents[field].(*ast.FieldList)
		typ, ok := f.parents[list].(*ast.FuncType)
		if !ok || typ.Results != list {
			return nil, 0
		}
		for _, one := range list.List {
			for _, name := range one.Names {
				if name == id {
					return f.parents[typ], at
				}
				at++
			}
		}
	}
	return nil, 0
}

// returned reports whether nil is hidden in a result that a statement returns.
func (f *Finder) returned(from ast.Node, at int) bool {
	for n := f.parents[from]; n != nil; n = f.parents[n] {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return f.resultOfAny(n, at)
		}
	}
	return false
}

// resultOfAny reports whether nil is hidden in a result of a function, declared or literal.
func (f *Finder) resultOfAny(fn ast.Node, at int) bool {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		declared, ok := f.pkg.TypesInfo.Defs[fn.Name].(*types.Func)
		return ok && f.isSlice(declared.Signature(), at) && f.result(declared, at)
	case *ast.FuncLit:
		sig, ok := f.pkg.TypesInfo.TypeOf(fn).(*types.Signature)
		key := result{fn, at}
		if !ok || !f.isSlice(sig, at) {
			return false
		}
		if f.followed[key] {
			return true
		}
		f.followed[key] = true
		return f.functionValue(fn, at)
	}
	return false
}

// isSlice reports whether a result is a slice, as opposed to an interface that holds one.
func (f *Finder) isSlice(sig *types.Signature, at int) bool {
	if at >= sig.Results().Len() {
		return false
	}
	_, ok := sig.Results().At(at).Type().Underlying().(*types.Slice)
	return ok
}

// functionValue reports whether nil is hidden in a result of the function that an expression is.
func (f *Finder) functionValue(x ast.Expr, at int) bool {
	switch p := f.parents[x].(type) {
	case *ast.ParenExpr:
		return f.functionValue(p, at)
	case *ast.CallExpr:
		if p.Fun == x {
			return f.call(p, at)
		}
		param := f.parameter(p, x)
		return param != nil && f.functionVariable(param, at)
	case *ast.AssignStmt:
		i := slices.Index(p.Rhs, x)
		if i < 0 || len(p.Lhs) != len(p.Rhs) {
			return false
		}
		id, ok := ast.Unparen(p.Lhs[i]).(*ast.Ident)
		return ok && f.functionVariable(f.pkg.TypesInfo.ObjectOf(id), at)
	}
	return false
}

// functionVariable reports whether nil is hidden in a result of all calls of a variable or parameter.
func (f *Finder) functionVariable(obj types.Object, at int) bool {
	v, ok := obj.(*types.Var)
	if !ok || v.IsField() || v.Parent() == nil || v.Parent() == f.pkg.Types.Scope() {
		return false
	}
	sig, ok := v.Type().Underlying().(*types.Signature)
	if !ok || !f.isSlice(sig, at) {
		return false
	}
	v = v.Origin()
	key := function{v, at}
	if f.followed[key] {
		return true
	}
	f.followed[key] = true
	if fn, _ := f.resultOf(v); fn != nil {
		return false
	}
	for _, id := range f.uses[v] {
		if assign, ok := f.parents[id].(*ast.AssignStmt); ok && slices.Contains(assign.Lhs, ast.Expr(id)) {
			continue
		}
		if !f.comparedWithNil(id) && !f.functionValue(id, at) {
			return false
		}
	}
	return true
}

// comparedWithNil reports whether an expression is an operand of a comparison: of functions, with nil.
func (f *Finder) comparedWithNil(x ast.Expr) bool {
	p, ok := f.parents[x].(*ast.BinaryExpr)
	return ok && (p.Op == token.EQL || p.Op == token.NEQ)
}

// argument reports whether nil is hidden in an argument of a call.
func (f *Finder) argument(call *ast.CallExpr, x ast.Expr) bool {
	if call.Fun == x {
		return false
	}
	i := slices.Index(call.Args, x)
	if tv := f.pkg.TypesInfo.Types[call.Fun]; tv.IsType() {
		switch tv.Type.Underlying().(type) {
		case *types.Slice:
			return f.value(call)
		case *types.Basic: // a string
			return true
		}
		return false
	}
	switch callee := typeutil.Callee(f.pkg.TypesInfo, call).(type) {
	case *types.Builtin:
		switch callee.Name() {
		case "len", "copy":
			return true
		case "append":
			return i == 0 && f.appended(call) || i > 0 && call.Ellipsis.IsValid()
		}
		return false
	case *types.Func:
		if alike(callee) {
			return !call.Ellipsis.IsValid()
		}
		param := f.parameter(call, x)
		return param != nil && f.variable(param)
	}
	return false
}

// appended reports whether a local variable is appended to and then assigned the result: whoever else has the slice may
// append to the same array otherwise, if it has capacity.
func (f *Finder) appended(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	assign, back := f.parents[call].(*ast.AssignStmt)
	if !ok || !back || len(assign.Lhs) != 1 || !isAssignment(assign) {
		return false
	}
	to, ok := assign.Lhs[0].(*ast.Ident)
	v, isVar := f.pkg.TypesInfo.Uses[id].(*types.Var)
	return ok && isVar && v.Kind() == types.LocalVar && f.pkg.TypesInfo.ObjectOf(to) == v
}

// isAssignment reports whether a statement assigns as it is, as opposed to +=.
func isAssignment(s *ast.AssignStmt) bool { return s.Tok == token.ASSIGN || s.Tok == token.DEFINE }

// parameter returns the parameter, of a function that the package declares, that gets an argument of a call; nil if
// there is none, or the argument is one of several for the last one.
func (f *Finder) parameter(call *ast.CallExpr, x ast.Expr) *types.Var {
	callee, ok := typeutil.Callee(f.pkg.TypesInfo, call).(*types.Func)
	if !ok || f.decls[callee.Origin()] == nil {
		return nil
	}
	sig := callee.Origin().Signature()
	i := slices.Index(call.Args, x)
	if i < 0 || i >= sig.Params().Len() || sig.Variadic() && i == sig.Params().Len()-1 && !call.Ellipsis.IsValid() {
		return nil
	}
	return sig.Params().At(i)
}

// alike reports whether a function of the standard library does the same with nil and with an empty slice, and does
// not return it.
func alike(fn *types.Func) bool {
	if fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "sort":
		return slices.Contains([]string{"Strings", "Ints", "Float64s", "SearchStrings", "SearchInts"}, fn.Name())
	case "strings":
		return fn.Name() == "Join"
	case "slices":
		return slices.Contains([]string{
			"Sort", "SortFunc", "SortStableFunc", "IsSorted", "IsSortedFunc", "Contains", "ContainsFunc", "Index", "IndexFunc",
			"Reverse", "BinarySearch", "BinarySearchFunc", "Equal", "EqualFunc", "Max", "Min",
		}, fn.Name())
	case "bytes":
		return slices.Contains([]string{
			"Equal", "Compare", "Contains", "ContainsAny", "ContainsRune", "Count", "EqualFold", "HasPrefix", "HasSuffix",
			"Index", "IndexByte", "IndexAny", "LastIndex", "LastIndexByte",
		}, fn.Name())
	}
	return false
}
