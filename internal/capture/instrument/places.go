package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/whet-go/whet/internal/capture/support"
)

// place returns the plan of where an expression's value comes from; nil if that is not an argument. The words that
// lead there are read.
func (w *walker) place(e ast.Expr) *support.Plan {
	if w.synced || w.strict && w.ways > 0 {
		return nil
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return w.vars[w.info.ObjectOf(e)]
	case *ast.StarExpr:
		return elem(w.followed(e.X))
	case *ast.SelectorExpr:
		return w.selected(e)
	case *ast.IndexExpr:
		t := w.info.TypeOf(e.X)
		if t == nil {
			return nil
		}
		p := w.place(e.X)
		if p == nil {
			return nil
		}
		switch t.Underlying().(type) {
		case *types.Slice:
			p.Self = true
			return elem(p)
		case *types.Map: // a lookup excludes all writes
			p.Self, p.Whole = true, true
			elem(p).Self = true
			return elem(p)
		case *types.Array:
			return elem(p)
		case *types.Pointer:
			p.Self = true
			return elem(elem(p))
		}
	case *ast.SliceExpr:
		if e.Low == nil && e.High == nil {
			return w.place(e.X)
		}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			if p := w.place(e.X); p != nil {
				return &support.Plan{Elem: p}
			}
		}
	case *ast.TypeAssertExpr:
		if e.Type != nil {
			return typed(w.followed(e.X), typeName(w.info.TypeOf(e.Type)))
		}
	case *ast.CallExpr:
		return w.reflected(e)
	}
	return nil
}

// followed is place for a pointer that is followed.
func (w *walker) followed(e ast.Expr) *support.Plan {
	p := w.place(e)
	if p != nil {
		p.Self = true
	}
	return p
}

// selected returns the plan of a field.
func (w *walker) selected(e *ast.SelectorExpr) *support.Plan {
	sel := w.info.Selections[e]
	if sel == nil || sel.Kind() != types.FieldVal {
		return nil
	}
	p, t := w.place(e.X), sel.Recv()
	for _, i := range sel.Index() {
		if p == nil {
			return nil
		}
		if pointer, ok := t.Underlying().(*types.Pointer); ok {
			p.Self = true
			p, t = elem(p), pointer.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		p, t = field(p, s.Field(i).Name()), s.Field(i).Type()
	}
	return p
}

// read walks an expression whose value is read.
func (w *walker) read(e ast.Expr) {
	if e == nil {
		return
	}
	if p := w.place(e); p != nil {
		p.Self = true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		w.read(e.X)
	case *ast.SelectorExpr:
		if w.info.Selections[e] != nil {
			w.inner(e.X)
		}
	case *ast.StarExpr:
		w.inner(e.X)
	case *ast.IndexExpr:
		w.header(e.X)
		w.read(e.Index)
	case *ast.SliceExpr:
		w.header(e.X)
		for _, at := range []ast.Expr{e.Low, e.High, e.Max} {
			w.read(at)
		}
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			w.read(e.X)
			w.sync()
			return
		}
		w.inner(e.X)
	case *ast.BinaryExpr:
		w.read(e.X)
		if short := e.Op == token.LAND || e.Op == token.LOR; short && !w.isGuard(e.X) {
			w.branch(func() bool { w.read(e.Y); return false })
			return
		}
		w.read(e.Y)
	case *ast.KeyValueExpr:
		w.read(e.Value)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			w.read(x)
		}
	case *ast.TypeAssertExpr:
		w.read(e.X)
	case *ast.CallExpr:
		w.call(e)
	}
}

// isGuard reports whether a condition is only about nil or a length: what comes after it is read whenever it is there.
func (w *walker) isGuard(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if b.Op == token.LAND || b.Op == token.LOR {
		return w.isGuard(b.X) && w.isGuard(b.Y)
	}
	for _, x := range []ast.Expr{b.X, b.Y} {
		call, ok := ast.Unparen(x).(*ast.CallExpr)
		if w.info.Types[x].IsNil() || ok && w.builtin(call) == "len" {
			return true
		}
	}
	return false
}

// header walks a text, slice or map whose words are read, or an array, of which only an element may be.
func (w *walker) header(e ast.Expr) {
	t := w.info.TypeOf(e)
	if t == nil {
		return
	}
	if _, isArray := t.Underlying().(*types.Array); isArray {
		w.inner(e)
		return
	}
	w.read(e)
}

// inner walks an expression of which only a part is read.
func (w *walker) inner(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
	case *ast.SelectorExpr:
		if w.info.Selections[e] != nil {
			w.inner(e.X)
		}
	case *ast.StarExpr:
		w.inner(e.X)
	case *ast.IndexExpr:
		w.header(e.X)
		w.read(e.Index)
	case *ast.CompositeLit, *ast.CallExpr, *ast.SliceExpr, *ast.UnaryExpr, *ast.BinaryExpr, *ast.TypeAssertExpr:
		w.read(e)
	}
}

// builtin returns the name of the builtin function that is called, "" if it is none.
func (w *walker) builtin(call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := w.info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// call walks a call.
func (w *walker) call(call *ast.CallExpr) {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		w.inner(sel.X)
	}
	for _, arg := range call.Args {
		w.read(arg)
	}
	if w.info.Types[call.Fun].IsType() {
		if t := w.info.TypeOf(call); t != nil && isString(t) && len(call.Args) == 1 { // of bytes or runes
			w.all(call.Args[0])
		}
		return
	}
	switch name := w.builtin(call); name {
	case "":
	case "append", "copy":
		for _, arg := range call.Args[1:] {
			if name == "copy" || call.Ellipsis.IsValid() {
				w.all(arg)
			}
		}
		return
	case "close":
		w.sync()
		return
	default:
		return
	}
	fn := called(w.info, call)
	if fn == nil {
		w.sync() // a function value
		return
	}
	if isReflection(fn) {
		w.reflected(call)
		if w.reflectionSyncs(fn, call) {
			w.sync()
		}
		return
	}
	if in := w.of(fn.Origin()); in != nil && !types.IsInterface(recvType(fn)) {
		w.passed(call, fn, in)
		return
	}
	if !isPure(fn) && !w.writes(fn, call) {
		if readsFirst(fn) && len(call.Args) > 0 {
			w.all(call.Args[0])
		}
		w.sync()
		return
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && fn.Signature().Recv() != nil {
		w.all(sel.X)
	}
	for _, arg := range call.Args {
		w.all(arg)
		if lit, ok := arg.(*ast.FuncLit); ok { // which the function calls
			w.loop(lit.Body)
		}
	}
}

// recvType is the type of a method's receiver; a basic type if there is none.
func recvType(fn *types.Func) types.Type {
	if r := fn.Signature().Recv(); r != nil {
		return r.Type()
	}
	return types.Typ[types.Invalid]
}

// passed adds what a called function reads of what it is passed.
func (w *walker) passed(call *ast.CallExpr, fn *types.Func, in *reads) {
	at, plans := 0, in.plans
	if w.strict {
		plans = in.must
	}
	params := variables(fn)
	give := func(e ast.Expr, pointed, addressed bool) {
		if at < len(plans) && plans[at] != nil && !w.synced {
			if p := w.place(e); p != nil {
				plan := plans[at]
				if t := w.info.TypeOf(e); at < len(params) && isInterface(params[at].Type()) && !isInterface(t) {
					if plan = plan.Types[typeName(t)]; plan == nil {
						plan = &support.Plan{Self: true}
					}
				}
				switch {
				case addressed: // x.M() is (&x).M()
					plan = plan.Elem
				case pointed: // p.M() is (*p).M()
					plan = &support.Plan{Self: true, Elem: &support.Plan{Self: true, Fields: plan.Fields}}
				}
				merge(p, plan, 0)
			}
		}
		at++
	}
	if recv := fn.Signature().Recv(); recv != nil {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if s := w.info.Selections[sel]; !ok || s == nil || s.Kind() != types.MethodVal || len(s.Index()) > 1 {
			if in.syncs {
				w.sync()
			}
			return // a method expression, or one of an embedded field
		}
		isPointer := func(t types.Type) bool { _, ok := t.Underlying().(*types.Pointer); return ok }
		have, want := isPointer(w.info.TypeOf(sel.X)), isPointer(recv.Type())
		give(sel.X, have && !want, !have && want)
	}
	last := fn.Signature().Params().Len() - 1
	for i, arg := range call.Args {
		if fn.Signature().Variadic() && i >= last && !call.Ellipsis.IsValid() {
			break
		}
		give(arg, false, false)
	}
	if in.syncs {
		w.sync()
	}
}
