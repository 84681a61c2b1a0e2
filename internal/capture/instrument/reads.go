package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/capture/support"
)

// A reader determines what functions read of their arguments before they may synchronize with other goroutines.
type reader struct {
	decls map[*types.Func]declared
	known map[*types.Func]*reads
	order []*types.Func // in which they became known
}

type declared struct {
	pkg  *packages.Package
	decl *ast.FuncDecl
}

// reads is what a call of a function reads.
type reads struct {
	// plans are those of the receiver, if there is one, and the parameters: of a function that never synchronizes, what
	// it may read; of others, what it reads whichever way it takes, since on another way it may hold a lock.
	plans []*support.Plan
	must  []*support.Plan // what it reads whichever way it takes
	cases []support.Case  // of arguments with a dynamic type
	syncs bool            // it may synchronize with other goroutines, on some way

	walking, used bool // while it is being determined
}

func newReader(pkgs []*packages.Package) *reader {
	r := &reader{decls: map[*types.Func]declared{}, known: map[*types.Func]*reads{}}
	for _, pkg := range pkgs {
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
					if fn, ok := pkg.TypesInfo.Defs[d.Name].(*types.Func); ok {
						r.decls[fn] = declared{pkg, d}
					}
				}
			}
		}
	}
	return r
}

// of returns what a function reads; nil if its source is unknown. While that is being determined, as in a recursive
// function, it reads nothing.
func (r *reader) of(fn *types.Func) *reads {
	if known := r.known[fn]; known != nil {
		known.used = known.used || known.walking
		return known
	}
	in, ok := r.decls[fn]
	if !ok {
		return nil
	}
	for syncs := false; ; syncs = true {
		out, before := &reads{walking: true, syncs: syncs}, len(r.order)
		r.known[fn] = out
		may, ever := r.walk(fn, in, false, nil)
		if ever && !syncs && out.used { // what called it meanwhile took it for one that does not
			for _, other := range r.order[before:] {
				delete(r.known, other)
			}
			r.order = r.order[:before]
			continue
		}
		out.syncs = ever || syncs
		out.must, _ = r.walk(fn, in, true, nil)
		out.plans = may
		if out.syncs {
			out.plans = out.must
			out.cases = r.casesOf(fn, in)
		}
		out.walking = false
		r.order = append(r.order, fn)
		return out
	}
}

// walk returns what a function reads: what it may read, or, if strict, what it reads whichever way it takes, if its
// parameters have the dynamic types that are assumed. ever is whether it may synchronize.
func (r *reader) walk(
	fn *types.Func, in declared, strict bool, assumed map[types.Object]string,
) (plans []*support.Plan, ever bool) {
	w := newWalker(r, in.pkg.TypesInfo)
	w.strict, w.assumed = strict, assumed
	for _, v := range variables(fn) {
		p := &support.Plan{}
		plans = append(plans, p)
		w.vars[v] = p
	}
	if hasGoto(in.decl.Body) {
		w.sync()
	}
	w.block(in.decl.Body)
	for i, p := range plans {
		plans[i] = pruned(p)
	}
	return plans, *w.ever
}

// variables returns the receiver, if there is one, and the parameters.
func variables(fn *types.Func) (list []*types.Var) {
	if r := fn.Signature().Recv(); r != nil {
		list = append(list, r)
	}
	for p := range fn.Signature().Params().Variables() {
		list = append(list, p)
	}
	return list
}

// maxCases is the number of dynamic types of a function's parameters that are looked at.
const maxCases = 16

// casesOf returns what a function reads if a parameter has the dynamic type of a clause of a type switch.
func (r *reader) casesOf(fn *types.Func, in declared) (all []support.Case) {
	params := variables(fn)
	info := in.pkg.TypesInfo
	ast.Inspect(in.decl.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSwitchStmt)
		if !ok {
			return true
		}
		id, ok := ast.Unparen(switched(s)).(*ast.Ident)
		if !ok {
			return true
		}
		at := slices.IndexFunc(params, func(v *types.Var) bool { return v == info.Uses[id] })
		for _, c := range s.Body.List {
			name := clauseType(info, c)
			if at < 0 || name == "" || len(all) == maxCases {
				continue
			}
			plans, _ := r.walk(fn, in, true, map[types.Object]string{params[at]: name})
			if slices.ContainsFunc(plans, func(p *support.Plan) bool { return p != nil }) {
				all = append(all, support.Case{Argument: at, Type: name, Plans: plans})
			}
		}
		return true
	})
	return all
}

// switched returns the expression whose dynamic type a type switch is about.
func switched(s *ast.TypeSwitchStmt) ast.Expr {
	var of ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		of = a.Rhs[0]
	case *ast.ExprStmt:
		of = a.X
	}
	if x, ok := ast.Unparen(of).(*ast.TypeAssertExpr); ok {
		return x.X
	}
	return of
}

// clauseType returns the name in plans of the type of a clause; "" if it is not one type that has one.
func clauseType(info *types.Info, c ast.Stmt) string {
	clause, ok := c.(*ast.CaseClause)
	if !ok || len(clause.List) != 1 {
		return ""
	}
	return typeName(info.TypeOf(clause.List[0]))
}

// typeName returns the name in plans of a type that an interface may hold, as package support has it; "" for interfaces
// and for types whose names are not the same there.
func typeName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		if name := typeName(t.Elem()); name != "" {
			return "*" + name
		}
	case *types.Basic:
		if t.Kind() != types.UntypedNil && t.Kind() != types.Invalid {
			return types.Typ[t.Kind()].Name() // byte is uint8
		}
	case *types.Named:
		if types.IsInterface(t) || t.TypeArgs().Len() > 0 || t.Obj().Pkg() == nil || t.Obj().Parent() != t.Obj().Pkg().Scope() {
			return ""
		}
		if t.Obj().Pkg().Name() == "main" {
			return "main." + t.Obj().Name()
		}
		return t.Obj().Pkg().Path() + "." + t.Obj().Name()
	}
	return ""
}

// hasGoto reports whether statements jump.
func hasGoto(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return !found
	})
	return found
}

// pruned returns a plan without parts that allow nothing.
func pruned(p *support.Plan) *support.Plan {
	if p == nil {
		return nil
	}
	p.Elem = pruned(p.Elem)
	for name, f := range p.Fields {
		if f = pruned(f); f == nil {
			delete(p.Fields, name)
		}
	}
	for name, t := range p.Types {
		if t = pruned(t); t == nil {
			delete(p.Types, name)
		}
	}
	if !p.Self && !p.Whole && p.Elem == nil && len(p.Fields) == 0 && len(p.Types) == 0 {
		return nil
	}
	return p
}

// maxPlan limits the depth of plans: a loop over a linked list has no end otherwise.
const maxPlan = 8

// merge adds what another plan allows.
func merge(to, from *support.Plan, depth int) {
	if from == nil || to == nil || depth > maxPlan || to == from {
		return
	}
	to.Self, to.Whole = to.Self || from.Self, to.Whole || from.Whole
	if from.Elem != nil {
		merge(elem(to), from.Elem, depth+1)
	}
	for name, f := range from.Fields {
		merge(field(to, name), f, depth+1)
	}
	for name, t := range from.Types {
		merge(typed(to, name), t, depth+1)
	}
}

// typed returns the plan of what an interface holds if it has a dynamic type; nil for a type without a name.
func typed(p *support.Plan, name string) *support.Plan {
	if p == nil || name == "" {
		return nil
	}
	if p.Types == nil {
		p.Types = map[string]*support.Plan{}
	}
	if p.Types[name] == nil {
		p.Types[name] = &support.Plan{}
	}
	return p.Types[name]
}

func elem(p *support.Plan) *support.Plan {
	if p == nil {
		return nil
	}
	if p.Elem == nil {
		p.Elem = &support.Plan{}
	}
	return p.Elem
}

func field(p *support.Plan, name string) *support.Plan {
	if p == nil {
		return nil
	}
	if p.Fields == nil {
		p.Fields = map[string]*support.Plan{}
	}
	if p.Fields[name] == nil {
		p.Fields[name] = &support.Plan{}
	}
	return p.Fields[name]
}

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
