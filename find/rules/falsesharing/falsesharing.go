package falsesharing

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	const sync = `^(internal/)?sync\.|^sync/atomic\.|^internal/runtime/atomic\.`
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "falsesharing",
			Doc:      "report writes of several goroutines to one cache line",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "worker", Title: "per-worker counters share a cache line",
				ByHand: "what reads the counters meanwhile depends on the program: count in a local variable, and " +
					"store the sum when the worker ends",
				CPU: rules.Line + "|" +
					sync, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review,
			},
			{
				Category: "shard", Title: "neighboring locks or atomics share a cache line",
				ByHand: "other code may depend on the size of the struct: add a blank field that fills it up to a " +
					"cache line",
				CPU: sync, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

// line is the size of a cache line in bytes on most machines.
const line = 64

func run(pass *analysis.Pass) (any, error) {
	insp := flow.Root(pass).Inspector()
	for c := range insp.Root().Preorder((*ast.IndexExpr)(nil)) {
		worker(pass, c)
	}
	shards(pass, insp)
	return nil, nil
}

// worker reports a write to a goroutine's own element, in a loop in a goroutine that a loop starts.
func worker(pass *analysis.Pass, c inspector.Cursor) {
	index, ok := c.Node().(*ast.IndexExpr)
	if !ok {
		return
	}
	of := flow.Variable(pass.TypesInfo, index.Index)
	size := elementSize(pass, index.X)
	write, ok := written(pass.TypesInfo, c)
	if of == nil || !ok || size < 1 || size >= line {
		return
	}
	// The write is in a loop of the goroutine's function, which another loop starts. The index is a
	// variable of that loop, or a parameter.
	if _, loops := flow.Loop(c); !loops {
		return
	}
	fn, ok := flow.Func(c)
	if !ok {
		return
	}
	lit, ok := fn.Node().(*ast.FuncLit)
	if !ok || of.Pos() >= lit.Body.Pos() && of.Pos() < lit.Body.End() || !starts(pass.TypesInfo, fn) {
		return
	}
	outer, ok := flow.Loop(fn.Parent())
	if !ok || of.Pos() < outer.Node().Pos() || of.Pos() >= outer.Node().End() || sets(pass.TypesInfo, fn, of) {
		return
	}
	if v := flow.Variable(pass.TypesInfo, index.X); v != nil &&
		v.Pos() >= outer.Node().Pos() && v.Pos() < outer.Node().End() {
		return // each has its own slice
	}
	rules.Report(
		pass, write, "worker",
		fmt.Sprintf(
			"goroutines write to elements of %s that are %d bytes apart, on the same cache line: "+
				"count in a local variable and write the sum at the end",
			rewrite.Text(pass, index.X), size,
		),
		analysis.SuggestedFix{},
	)
}

// elementSize returns the size of the elements of a slice or array, 0 for other types.
func elementSize(pass *analysis.Pass, e ast.Expr) int64 {
	t := pass.TypesInfo.TypeOf(e)
	if t == nil {
		return 0
	}
	t = t.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Slice:
		return sizeof(pass, t.Elem())
	case *types.Array:
		return sizeof(pass, t.Elem())
	}
	return 0
}

// sizeof returns the size of a type; 0 if it depends on type parameters.
func sizeof(pass *analysis.Pass, t types.Type) int64 {
	if flow.SizeVaries(t) {
		return 0
	}
	return pass.TypesSizes.Sizeof(t)
}

// written returns the statement or call that writes to an element: x[i]++, x[i].f = v,
// x[i].n.Add(1).
func written(info *types.Info, c inspector.Cursor) (ast.Node, bool) {
	at := c
	for at.ParentEdgeKind() == edge.SelectorExpr_X {
		at = at.Parent()
	}
	switch at.ParentEdgeKind() {
	case edge.IncDecStmt_X, edge.AssignStmt_Lhs:
		return at.Parent().Node(), true
	case edge.CallExpr_Fun:
		call, ok := at.Parent().Node().(*ast.CallExpr)
		return call, ok && changes(flow.Callee(info, call))
	}
	return nil, false
}

// changes reports whether a method writes to a lock or an atomic.
func changes(method string) bool {
	switch {
	case strings.HasPrefix(method, "(*sync.Mutex)."), strings.HasPrefix(method, "(*sync.RWMutex)."):
		return true
	case strings.HasPrefix(method, "(*sync/atomic."):
		return !strings.HasSuffix(method, ").Load")
	}
	return false
}

// starts reports whether a function literal is started as a goroutine.
func starts(info *types.Info, fn inspector.Cursor) bool {
	switch fn.ParentEdgeKind() {
	case edge.CallExpr_Fun:
		return fn.Parent().ParentEdgeKind() == edge.GoStmt_Call
	case edge.CallExpr_Args:
		call, ok := fn.Parent().Node().(*ast.CallExpr)
		if !ok {
			return false
		}
		name := flow.Callee(info, call)
		return name == "(*sync.WaitGroup).Go" || name == "(*golang.org/x/sync/errgroup.Group).Go"
	}
	return false
}

// sets reports whether a function sets a variable. An index that changes does not belong to one
// worker.
func sets(info *types.Info, fn inspector.Cursor, v *types.Var) bool {
	for _, use := range flow.Uses(info, fn, v) {
		if info.Defs[identOf(use)] == nil && flow.IsSet(use) {
			return true
		}
	}
	return false
}

func identOf(c inspector.Cursor) *ast.Ident {
	id, _ := c.Node().(*ast.Ident)
	return id
}

// A shard is a small struct with locks or atomics that is used in arrays or slices.
type shard struct {
	size int64
	spec *ast.TypeSpec // nil if it is declared elsewhere
	keys bool          // its literals name their fields
}

// shards reports neighboring locks and atomics of small structs.
func shards(pass *analysis.Pass, insp *inspector.Inspector) {
	found := map[*types.TypeName]*shard{}
	for c := range insp.Root().Preorder((*ast.ArrayType)(nil)) {
		array, ok := c.Node().(*ast.ArrayType)
		if !ok || c.ParentEdgeKind() == edge.CallExpr_Args && c.ParentEdgeIndex() > 0 {
			continue
		}
		named, ok := types.Unalias(pass.TypesInfo.TypeOf(array.Elt)).(*types.Named)
		if !ok || named.Obj().Pkg() != pass.Pkg || named.TypeParams().Len() > 0 {
			continue
		}
		if size := sizeof(pass, named); synchronized(named) && size > 0 && size < line {
			found[named.Obj()] = &shard{size: size, keys: true}
		}
	}
	if len(found) == 0 {
		return
	}
	var calls []*ast.CallExpr
	for c := range insp.Root().Preorder((*ast.TypeSpec)(nil), (*ast.CompositeLit)(nil), (*ast.CallExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.TypeSpec:
			if obj, ok := pass.TypesInfo.Defs[n.Name].(*types.TypeName); ok && found[obj] != nil {
				found[obj].spec = n
			}
		case *ast.CompositeLit:
			if s := found[nameOf(pass.TypesInfo.TypeOf(n))]; s != nil && len(n.Elts) > 0 {
				_, isKeyed := n.Elts[0].(*ast.KeyValueExpr)
				s.keys = s.keys && isKeyed
			}
		case *ast.CallExpr:
			calls = append(calls, n)
		}
	}
	for _, call := range calls {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || !changes(flow.Callee(pass.TypesInfo, call)) {
			continue
		}
		// s.mu.Lock(), or s.Lock() where it is embedded.
		obj := nameOf(pass.TypesInfo.TypeOf(sel.X))
		if field, ok := ast.Unparen(sel.X).(*ast.SelectorExpr); ok && found[obj] == nil {
			if _, elsewhere := types.Unalias(pass.TypesInfo.TypeOf(field)).(*types.Pointer); !elsewhere {
				obj = nameOf(pass.TypesInfo.TypeOf(field.X))
			}
		}
		if s := found[obj]; s != nil {
			rules.Report(
				pass, call, "shard",
				fmt.Sprintf(
					"a %s has %d bytes, and there are arrays of it: "+
						"writing to one takes the cache line from its neighbors",
					obj.Name(), s.size,
				),
				pad(pass, obj, s),
			)
		}
	}
}

// nameOf returns the named type that a type is, or points to; nil for others.
func nameOf(t types.Type) *types.TypeName {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// synchronized reports whether a struct has a lock or an atomic among its fields.
func synchronized(t *types.Named) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		name := types.TypeString(f.Type(), nil)
		if name == "sync.Mutex" || name == "sync.RWMutex" || strings.HasPrefix(name, "sync/atomic.") {
			return true
		}
	}
	return false
}

// pad fills a struct up to a cache line. It does not affect literals that name fields, nor ==,
// which ignores blank fields.
func pad(pass *analysis.Pass, obj *types.TypeName, s *shard) analysis.SuggestedFix {
	fill := "add a blank field that fills it up to a cache line"
	switch {
	case s.spec == nil:
		return rules.None("the declaration of " + obj.Name() + " is in another package: keep arrays of a struct " +
			"that embeds it and a blank field")
	case !s.keys:
		return rules.None("a literal of " + obj.Name() + " lists its values without names: name the fields, and " +
			fill)
	case obj.Exported():
		return rules.None(obj.Name() + " is exported, so other packages may list its fields: if none does, " + fill)
	case obj.Parent() != pass.Pkg.Scope() || rewrite.Elsewhere(pass, obj.Name()):
		return rules.None(obj.Name() + " is declared in a function, or used in files that are not compiled here: " +
			fill)
	case rewrite.Generated(pass, s.spec.Pos()):
		return rules.None(rules.IsGenerated)
	case !rewrite.Universe(pass, "byte"):
		return rules.None(rules.Shadowed)
	}
	decl, ok := s.spec.Type.(*ast.StructType)
	if !ok {
		return rules.None(obj.Name() + " is defined by another type: " + fill + " there")
	}
	text := fmt.Sprintf("\n_ [%d]byte // elements do not share a cache line\n}", line-s.size)
	return analysis.SuggestedFix{Message: "Pad the elements to cache lines", TextEdits: []analysis.TextEdit{
		{Pos: decl.Fields.Closing, End: decl.Fields.Closing + 1, NewText: []byte(text)},
	}}
}
