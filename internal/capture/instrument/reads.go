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

	depth     int  // of calls of of
	recursive bool // a function was used that was being determined
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
		r.recursive = r.recursive || known.walking
		return known
	}
	in, ok := r.decls[fn]
	if !ok {
		return nil
	}
	r.depth++
	before := len(r.order)
	out := r.determine(fn, in, before)
	if r.depth == 1 && r.recursive { // now that all of them are known
		for _, one := range slices.Clone(r.order[before:]) {
			r.fill(r.known[one], one, r.decls[one])
		}
		r.recursive = false
	}
	r.depth--
	return out
}

// determine determines what a function reads. before is the number of functions that were known before.
func (r *reader) determine(fn *types.Func, in declared, before int) *reads {
	for syncs := false; ; syncs = true {
		out := &reads{walking: true, syncs: syncs}
		r.known[fn] = out
		_, ever := r.walk(fn, in, false, nil)
		if ever && !syncs && out.used { // what called it meanwhile took it for one that does not
			for _, other := range r.order[before:] {
				delete(r.known, other)
			}
			r.order = r.order[:before]
			continue
		}
		out.syncs = ever || syncs
		r.fill(out, fn, in)
		out.walking = false
		r.order = append(r.order, fn)
		return out
	}
}

// fill sets the plans of a function of which is known whether it may synchronize.
func (r *reader) fill(out *reads, fn *types.Func, in declared) {
	must, _ := r.walk(fn, in, true, nil)
	plans, cases := must, []support.Case(nil)
	if out.syncs {
		cases = r.casesOf(fn, in)
	} else {
		plans, _ = r.walk(fn, in, false, nil)
	}
	out.must, out.plans, out.cases = must, plans, cases
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
		if at >= 0 && changes(info, in.decl.Body, params[at]) {
			return true // it is not what was passed
		}
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

// changes reports whether statements may set a variable: by an assignment, or by its address.
func changes(info *types.Info, body ast.Node, v *types.Var) bool {
	found := false
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && info.Uses[id] == v
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, is)
		case *ast.RangeStmt:
			found = found || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		}
		return !found
	})
	return found
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
		obj := t.Obj()
		if types.IsInterface(t) || t.TypeArgs().Len() > 0 || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			return ""
		}
		if obj.Pkg().Name() == "main" {
			return "main." + obj.Name()
		}
		return obj.Pkg().Path() + "." + obj.Name()
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
