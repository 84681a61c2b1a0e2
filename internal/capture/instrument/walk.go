package instrument

import (
	"go/ast"
	"go/types"

	"github.com/whet-go/whet/internal/capture/support"
)

// A walker follows the statements of a function in order.
type walker struct {
	*reader
	info    *types.Info
	vars    map[types.Object]*support.Plan // what variables hold
	lengths map[types.Object]*support.Plan // whose length they hold
	synced  bool
	ever    *bool // whether it was synced on some way
	// strict notes only what is read whichever way the function takes; ways is the number of branches around.
	// kinds of these are clauses for the kind of a reflect.Value: its methods are only called for it.
	strict  bool
	ways    int
	kinds   int
	assumed map[types.Object]string // dynamic types of parameters
}

// sync notes that the function may synchronize with other goroutines.
func (w *walker) sync() { w.synced, *w.ever = true, true }

func newWalker(r *reader, info *types.Info) *walker {
	return &walker{
		reader: r, info: info, vars: map[types.Object]*support.Plan{}, lengths: map[types.Object]*support.Plan{},
		ever: new(bool),
	}
}

// block walks statements, and reports whether control leaves at their end.
func (w *walker) block(b *ast.BlockStmt) (leaves bool) {
	if b == nil {
		return false
	}
	for _, s := range b.List {
		leaves = w.stmt(s)
	}
	return leaves
}

// branch walks statements that may be executed. What happens in a branch that leaves the function does not concern
// what follows; but if it synchronizes, what follows is only one of several ways.
func (w *walker) branch(walk func() (leaves bool)) {
	before, ever := w.synced, *w.ever
	*w.ever = false
	w.ways++
	leaves := walk()
	w.ways--
	inside := *w.ever
	*w.ever = ever || inside
	if leaves {
		w.synced = before
		if inside {
			w.ways++
		}
	}
}

// loop walks statements that are executed several times. If these may synchronize, only the first time is before that.
func (w *walker) loop(body *ast.BlockStmt, more ...ast.Node) {
	probe := *w
	probe.vars, probe.lengths = cloned(w.vars), cloned(w.lengths)
	for o := range probe.vars {
		probe.vars[o] = &support.Plan{}
	}
	for _, n := range more {
		probe.node(n)
	}
	probe.block(body)
	if probe.synced {
		w.sync()
		return
	}
	for _, n := range more {
		w.node(n)
	}
	w.block(body)
}

func cloned(m map[types.Object]*support.Plan) map[types.Object]*support.Plan {
	out := make(map[types.Object]*support.Plan, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// node walks a statement or an expression.
func (w *walker) node(n ast.Node) {
	switch n := n.(type) {
	case nil:
	case ast.Stmt:
		w.stmt(n)
	case ast.Expr:
		w.read(n)
	}
}

// stmt walks a statement, and reports whether control leaves the function or the loop there.
func (w *walker) stmt(s ast.Stmt) (leaves bool) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return w.block(s)
	case *ast.ReturnStmt:
		for _, e := range s.Results {
			w.read(e)
		}
		return true
	case *ast.BranchStmt:
		return false
	case *ast.ExprStmt:
		w.read(s.X)
		call, ok := s.X.(*ast.CallExpr)
		return ok && w.builtin(call) == "panic"
	case *ast.AssignStmt:
		w.assign(s)
	case *ast.IncDecStmt:
		w.read(s.X)
	case *ast.DeclStmt:
		w.declare(s)
	case *ast.IfStmt:
		if s.Init != nil {
			w.stmt(s.Init)
		}
		w.read(s.Cond)
		if s.Else == nil && w.isThere(s) {
			w.block(s.Body)
			return false
		}
		w.branch(func() bool { return w.block(s.Body) })
		if s.Else != nil {
			w.branch(func() bool { return w.stmt(s.Else) })
		}
	case *ast.ForStmt:
		if s.Init != nil {
			w.stmt(s.Init)
		}
		w.bounded(s.Cond, s.Body)
		w.loop(s.Body, expr(s.Cond), s.Post)
	case *ast.RangeStmt:
		w.ranged(s)
	case *ast.SwitchStmt:
		if s.Init != nil {
			w.stmt(s.Init)
		}
		w.read(s.Tag)
		if call, ok := ast.Unparen(s.Tag).(*ast.CallExpr); ok && isKind(called(w.info, call)) {
			w.kinds++
			defer func() { w.kinds-- }()
		}
		w.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		if s.Init != nil {
			w.stmt(s.Init)
		}
		w.typeSwitch(s)
	case *ast.LabeledStmt:
		return w.stmt(s.Stmt)
	case *ast.DeferStmt: // runs at the end, which matters to callers
		for _, e := range s.Call.Args {
			w.read(e)
		}
		if w.deferSyncs(s.Call) {
			*w.ever = true
		}
	case *ast.GoStmt: // what it does there is ordered by nothing
		for _, e := range s.Call.Args {
			w.read(e)
		}
	case *ast.SendStmt, *ast.SelectStmt, *ast.EmptyStmt:
		_, nothing := s.(*ast.EmptyStmt)
		if !nothing {
			w.sync()
		}
	}
	return false
}

// deferSyncs reports whether a deferred call may wait for other goroutines. What a literal does after a panic does not
// count: the caller then returns, too, or has recovered itself.
func (w *walker) deferSyncs(call *ast.CallExpr) bool {
	if w.builtin(call) != "" {
		return false
	}
	if fn := called(w.info, call); fn != nil {
		if in := w.of(fn.Origin()); in != nil && !types.IsInterface(recvType(fn)) {
			return in.syncs
		}
		return !isRelease(fn) && !isPure(fn)
	}
	lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit)
	if !ok {
		return true
	}
	probe := newWalker(w.reader, w.info)
	for _, s := range lit.Body.List {
		if cond, ok := s.(*ast.IfStmt); ok && w.recovers(cond) {
			continue
		}
		probe.stmt(s)
	}
	return *probe.ever
}

// recovers reports whether a statement is of the form if r := recover(); r != nil { … }, without else.
func (w *walker) recovers(s *ast.IfStmt) bool {
	found := false
	for _, n := range []ast.Node{s.Init, s.Cond} {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			found = found || ok && w.builtin(call) == "recover"
			return !found
		})
	}
	return found && s.Else == nil
}

// typeSwitch walks a type switch. What a clause reads of the value is read if it has that type.
func (w *walker) typeSwitch(s *ast.TypeSwitchStmt) {
	of := switched(s)
	w.read(of)
	p := w.place(of)
	assumed := ""
	if id, ok := ast.Unparen(of).(*ast.Ident); ok {
		assumed = w.assumed[w.info.Uses[id]]
	}
	done := w.alternatives()
	defer func() { done(true) }()
	for _, c := range s.Body.List {
		clause, ok := c.(*ast.CaseClause)
		if !ok {
			continue
		}
		done(false)
		name := clauseType(w.info, clause)
		if assumed != "" && name != assumed {
			continue
		}
		if obj := w.info.Implicits[clause]; obj != nil && p != nil {
			if w.vars[obj] = typed(p, name); len(clause.List) != 1 {
				w.vars[obj] = p // it is an interface, too
			}
			if w.vars[obj] == nil {
				delete(w.vars, obj)
			}
		}
		walk := func() (leaves bool) {
			for _, s := range clause.Body {
				leaves = w.stmt(s)
			}
			return leaves
		}
		if assumed == "" {
			w.branch(walk)
		} else if walk() {
			w.synced = true // what follows is for other types
		}
	}
}

// isThere reports whether a statement does something with what was found by reflection, and then goes on: what it reads
// is read whenever something was found, which is what a call is for.
func (w *walker) isThere(s *ast.IfStmt) bool {
	call, ok := ast.Unparen(s.Cond).(*ast.CallExpr)
	if !ok || len(s.Body.List) == 0 {
		return false
	}
	if _, leaves := s.Body.List[len(s.Body.List)-1].(*ast.ReturnStmt); leaves {
		return false
	}
	fn := called(w.info, call)
	return fn != nil && fn.FullName() == "(reflect.Value).IsValid"
}

// expr is an expression as a node, nil if it is.
func expr(e ast.Expr) ast.Node {
	if e == nil {
		return nil
	}
	return e
}

// clauses walks the clauses of a switch.
func (w *walker) clauses(b *ast.BlockStmt) {
	done := w.alternatives()
	for _, c := range b.List {
		if c, ok := c.(*ast.CaseClause); ok {
			for _, e := range c.List {
				w.read(e)
			}
			w.branch(func() (leaves bool) {
				for _, s := range c.Body {
					leaves = w.stmt(s)
				}
				return leaves
			})
			done(false)
		}
	}
	done(true)
}

// alternatives returns a function to call after each of several alternatives, of which one is executed: the next one
// begins with what variables held before. After the last one, those that one of them has set hold something unknown.
func (w *walker) alternatives() (done func(last bool)) {
	before, set := cloned(w.vars), map[types.Object]bool{}
	return func(last bool) {
		for o, p := range before {
			if w.vars[o] != p {
				set[o] = true
			}
		}
		w.vars = cloned(before)
		if last {
			for o := range set {
				delete(w.vars, o)
			}
		}
	}
}

// assign walks an assignment, and remembers what variables refer to.
func (w *walker) assign(s *ast.AssignStmt) {
	for _, e := range s.Rhs {
		w.read(e)
	}
	for i, lhs := range s.Lhs {
		id, ok := lhs.(*ast.Ident)
		if !ok {
			w.read(lhs) // a write is as exclusive as a read
			continue
		}
		obj := w.info.ObjectOf(id)
		if x, ok := ast.Unparen(s.Rhs[0]).(*ast.TypeAssertExpr); ok && obj != nil && i == 0 && len(s.Rhs) == 1 {
			w.set(obj, x) // with or without ok
			continue
		}
		if obj == nil || len(s.Lhs) != len(s.Rhs) {
			delete(w.vars, obj)
			continue
		}
		w.set(obj, s.Rhs[i])
	}
}

// set notes the value of a variable.
func (w *walker) set(obj types.Object, value ast.Expr) {
	delete(w.lengths, obj)
	if call, ok := ast.Unparen(value).(*ast.CallExpr); ok && w.builtin(call) == "len" {
		if p := w.place(call.Args[0]); p != nil {
			w.lengths[obj] = p
		}
	}
	if p := w.place(value); p != nil && !w.synced {
		w.vars[obj] = p
		return
	}
	delete(w.vars, obj)
}

// declare walks a declaration.
func (w *walker) declare(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, e := range v.Values {
			w.read(e)
			if len(v.Values) == len(v.Names) {
				if obj := w.info.ObjectOf(v.Names[i]); obj != nil {
					w.set(obj, e)
				}
			}
		}
	}
}

// bounded notes slices that a loop goes through by an index below their length.
func (w *walker) bounded(cond ast.Expr, body *ast.BlockStmt) {
	if cond == nil || w.synced {
		return
	}
	ast.Inspect(cond, func(n ast.Node) bool {
		var p *support.Plan
		switch n := n.(type) {
		case *ast.CallExpr:
			if w.builtin(n) == "len" {
				p = w.place(n.Args[0])
			}
		case *ast.Ident:
			p = w.lengths[w.info.ObjectOf(n)]
		}
		if p != nil && w.indexes(p, body) && !w.loopSyncs(body) {
			p.Self, p.Whole = true, true
		}
		return true
	})
}

// loopSyncs reports whether a loop may synchronize with other goroutines.
func (w *walker) loopSyncs(body *ast.BlockStmt) bool {
	probe := newWalker(w.reader, w.info)
	probe.block(body)
	return probe.synced
}

// indexes reports whether statements index what a plan is of with something that is not constant.
func (w *walker) indexes(p *support.Plan, body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if x, ok := n.(*ast.IndexExpr); ok && w.info.Types[x.Index].Value == nil {
			found = found || w.place(x.X) == p
		}
		return !found
	})
	return found
}

// ranged walks a range loop.
func (w *walker) ranged(s *ast.RangeStmt) {
	t := w.info.TypeOf(s.X)
	w.read(s.X)
	if t == nil {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		w.sync()
		return
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			w.bounded(s.X, s.Body)
		}
	default:
		if w.loopSyncs(s.Body) {
			w.sync()
			return
		}
		p := w.place(s.X)
		if p == nil || w.synced {
			break
		}
		if pointer, ok := u.(*types.Pointer); ok { // to an array
			p, _ = elem(p), pointer
		}
		p.Self, p.Whole = true, true
		if id, ok := s.Value.(*ast.Ident); ok && id.Name != "_" {
			elem(p).Self = true
			if obj := w.info.ObjectOf(id); obj != nil {
				w.vars[obj] = elem(p)
			}
		}
	}
	w.loop(s.Body)
}
