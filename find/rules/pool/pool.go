package pool

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	cause := func(category, title, byHand, cpu, alloc string) rules.Cause {
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand,
			CPU: cpu, Alloc: alloc, Mutex: rules.Nothing, Block: rules.Nothing,
		}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "pool",
			Doc:      "report pools that do not pay off, retain too much, or hand out values still in use",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause("boxed", "value allocated each time it is put into a pool",
				"all users of the pool have to change together: put and get a pointer", rules.Boxing, rules.Line),
			cause("small", "pool that saves nothing",
				"all users of the pool have to change together: allocate the value where it is "+
					"used", `^sync\.\(\*Pool\)\.`, rules.Nothing),
			cause("large", "pool that keeps buffers of any size",
				"which size is usual depends on the program: drop buffers above a limit instead of putting "+
					"them back", rules.Nothing, rules.Nothing),
			cause("dirty", "pooled value that is never reset",
				"a user may rely on what the buffer contains: reset it right after Get", rules.Nothing, rules.Nothing),
			cause("shared", "bytes of a buffer that was put back into its pool",
				"it is a mistake, and mending it allocates: copy the bytes, or put the buffer back after "+
					"their last use", rules.Nothing, rules.Nothing),
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A call is a call of Get or Put.
type call struct {
	at   inspector.Cursor
	call *ast.CallExpr
	pool types.Object // the variable or field; nil for anything else
	name string       // name of the pool in the source
	decl ast.Node     // the function around it; nil in a package variable
}

// A poolFinder analyzes the pools of a package.
type poolFinder struct {
	pass  *analysis.Pass
	news  map[types.Object]types.Type // what a pool's New returns
	reset map[string]bool             // types with a call of Reset or a similar method
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	var gets, puts []call
	f := &poolFinder{pass: pass, news: map[types.Object]types.Type{}, reset: map[string]bool{}}
	for c := range root.Preorder((*ast.CallExpr)(nil), (*ast.ValueSpec)(nil)) {
		switch n := c.Node().(type) {
		case *ast.ValueSpec:
			f.made(n)
		case *ast.CallExpr:
			switch flow.Callee(pass.TypesInfo, n) {
			case "(*sync.Pool).Get":
				gets = append(gets, f.callOf(c, n))
			case "(*sync.Pool).Put":
				puts = append(puts, f.callOf(c, n))
			default:
				f.resets(n)
			}
		}
	}
	for _, g := range gets {
		f.get(g, puts)
	}
	for _, p := range puts {
		f.put(p)
	}
	return nil, nil
}

func (f *poolFinder) callOf(c inspector.Cursor, n *ast.CallExpr) call {
	x := call{at: c, call: n}
	if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		x.name = rewrite.Text(f.pass, sel.X)
		switch p := ast.Unparen(sel.X).(type) {
		case *ast.Ident:
			x.pool = f.pass.TypesInfo.ObjectOf(p)
		case *ast.SelectorExpr:
			x.pool = f.pass.TypesInfo.ObjectOf(p.Sel)
		}
	}
	if d, ok := flow.Decl(c); ok {
		x.decl = d.Node()
	}
	return x
}

// made records what the New of a pool in a variable returns.
func (f *poolFinder) made(spec *ast.ValueSpec) {
	if len(spec.Names) != len(spec.Values) {
		return
	}
	for i, v := range spec.Values {
		if u, ok := v.(*ast.UnaryExpr); ok {
			v = u.X
		}
		lit, ok := v.(*ast.CompositeLit)
		if !ok || types.TypeString(f.pass.TypesInfo.TypeOf(lit), nil) != "sync.Pool" {
			continue
		}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			fn, ok := kv.Value.(*ast.FuncLit)
			if !ok || len(fn.Body.List) != 1 {
				continue
			}
			if ret, ok := fn.Body.List[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
				f.news[f.pass.TypesInfo.Defs[spec.Names[i]]] = f.pass.TypesInfo.TypeOf(ret.Results[0])
			}
		}
	}
}

// resets records the type of the value that a call resets.
func (f *poolFinder) resets(n *ast.CallExpr) {
	sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	switch sel.Sel.Name {
	case "Reset", "Truncate", "Init", "Clear":
		if t := f.pass.TypesInfo.TypeOf(sel.X); t != nil {
			if _, isPointer := t.(*types.Pointer); !isPointer {
				t = types.NewPointer(t)
			}
			f.reset[types.TypeString(t, nil)] = true
		}
	}
}

// smallest is the minimum size in bytes at which a pool may pay off.
const smallest = 48

// get checks a call that takes a value from a pool.
func (f *poolFinder) get(g call, puts []call) {
	if t, ok := f.news[g.pool].(*types.Pointer); ok && g.pool != nil {
		size := f.pass.TypesSizes.Sizeof(t.Elem())
		switch {
		case types.TypeString(t, nil) == "*strings.Builder":
			rules.Report(f.pass, g.call, "small",
				g.name+" holds builders, whose Reset drops their memory: the pool saves nothing",
				analysis.SuggestedFix{})
		case size < smallest && flat(t.Elem()):
			rules.Report(f.pass, g.call, "small",
				fmt.Sprintf(
					"%s holds values of %d bytes: getting and putting one costs as much as allocating it",
					g.name, size,
				),
				analysis.SuggestedFix{})
		}
	}
	assert, ok := g.at.Parent().Node().(*ast.TypeAssertExpr)
	if !ok || assert.Type == nil {
		return
	}
	t := f.pass.TypesInfo.TypeOf(assert.Type)
	name := types.TypeString(t, nil)
	if g.pool != nil && !g.pool.Exported() && name == "*bytes.Buffer" && !f.reset[name] {
		rules.Report(f.pass, g.call, "dirty",
			"nothing resets the buffers of "+g.name+": each user sees what the previous one wrote",
			analysis.SuggestedFix{})
	}
	if id := flow.Defines(g.at.Parent()); id != nil {
		f.shares(g, f.pass.TypesInfo.Defs[id], puts)
	}
}

// flat reports whether a type refers to no other memory, which a pool would retain for its next
// user.
func flat(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString == 0 && t.Kind() != types.UnsafePointer
	case *types.Array:
		return flat(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			if !flat(field.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// shares reports results that share the memory of v, if v is put back in the same function.
func (f *poolFinder) shares(g call, v types.Object, puts []call) {
	if v == nil || g.decl == nil {
		return
	}
	fn, ok := flow.Func(g.at)
	if !ok {
		return
	}
	for _, p := range puts {
		in, ok := flow.Func(p.at)
		if !ok || in != fn || len(p.call.Args) != 1 || !f.is(p.call.Args[0], v) {
			continue
		}
		_, deferred := p.at.Parent().Node().(*ast.DeferStmt)
		held := map[types.Object]bool{}
		for c := range fn.Preorder((*ast.AssignStmt)(nil), (*ast.ReturnStmt)(nil)) {
			if around, ok := flow.Func(c); !ok || around != fn {
				continue
			}
			switch n := c.Node().(type) {
			case *ast.AssignStmt:
				for i, r := range n.Rhs {
					if id, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok && f.memory(r, v) {
						held[f.pass.TypesInfo.ObjectOf(id)] = true
					}
				}
			case *ast.ReturnStmt:
				if !deferred && n.Pos() < p.call.Pos() {
					continue
				}
				for _, r := range n.Results {
					id, isIdent := ast.Unparen(r).(*ast.Ident)
					if f.memory(r, v) || isIdent && held[f.pass.TypesInfo.ObjectOf(id)] {
						rules.Report(f.pass, r, "shared",
							fmt.Sprintf(
								"the result shares the memory of %s, which is back in %s: its next user overwrites it",
								v.Name(), p.name,
							),
							analysis.SuggestedFix{})
					}
				}
			}
		}
		return
	}
}

func (f *poolFinder) is(e ast.Expr, v types.Object) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && f.pass.TypesInfo.ObjectOf(id) == v
}

// memory reports whether an expression refers to the memory that v holds: v.Bytes(), (*v)[:n],
// v[:n].
func (f *poolFinder) memory(e ast.Expr, v types.Object) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		return ok && flow.Callee(f.pass.TypesInfo, e) == "(*bytes.Buffer).Bytes" && f.is(sel.X, v)
	case *ast.SliceExpr:
		t := f.pass.TypesInfo.TypeOf(e)
		_, isSlice := t.Underlying().(*types.Slice)
		return isSlice && (f.is(e.X, v) || f.memory(e.X, v))
	case *ast.StarExpr:
		t := f.pass.TypesInfo.TypeOf(e)
		_, isSlice := t.Underlying().(*types.Slice)
		return isSlice && f.is(e.X, v)
	}
	return false
}

// put checks a call that puts a value into a pool.
func (f *poolFinder) put(p call) {
	if len(p.call.Args) != 1 {
		return
	}
	t := f.pass.TypesInfo.TypeOf(p.call.Args[0])
	if t == nil || f.pass.TypesInfo.Types[p.call.Args[0]].Value != nil {
		return
	}
	if boxes(f.pass.TypesSizes, t) {
		rules.Report(f.pass, p.call, "boxed",
			fmt.Sprintf(
				"a %s is put into %s by value, which allocates for the interface: a pointer does not",
				types.TypeString(t, types.RelativeTo(f.pass.Pkg)), p.name,
			),
			analysis.SuggestedFix{})
	}
	if types.TypeString(t, nil) == "*bytes.Buffer" && p.decl != nil && !f.limits(p.decl) {
		rules.Report(f.pass, p.call, "large",
			fmt.Sprintf("a buffer goes back to %s however large it grew, and keeps its memory", p.name),
			analysis.SuggestedFix{})
	}
}

// boxes reports whether converting a value of a type to an interface allocates.
func boxes(sizes types.Sizes, t types.Type) bool {
	if _, isParam := types.Unalias(t).(*types.TypeParam); isParam {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Basic:
		// Single bytes and nil do not allocate.
		return u.Kind() != types.UnsafePointer && u.Info()&types.IsUntyped == 0 && sizes.Sizeof(u) > 1
	case *types.Array:
		return u.Len() > 1 && sizes.Sizeof(u) > 0 || u.Len() == 1 && boxes(sizes, u.Elem())
	case *types.Struct:
		return u.NumFields() > 1 && sizes.Sizeof(u) > 0 || u.NumFields() == 1 && boxes(sizes, u.Field(0).Type())
	}
	return false
}

// limits reports whether a function checks the size of something.
func (f *poolFinder) limits(decl ast.Node) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			sel, isSel := ast.Unparen(c.Fun).(*ast.SelectorExpr)
			b := flow.Builtin(f.pass.TypesInfo, c)
			found = found || b == "cap" || b == "len" || isSel && (sel.Sel.Name == "Cap" || sel.Sel.Name == "Len")
		}
		return !found
	})
	return found
}
