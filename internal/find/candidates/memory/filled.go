package memory

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// filledGenerator gives a map a size where the function that makes it passes it to another one, which fills it.
func filledGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "filled", Title: "map of a caller grown step by step",
		Why:     "memory for the entries is allocated once, where the map is made",
		Assumes: "the number of entries is close to that of the elements from which they are set",
		Kinds:   []diagnosis.Kind{diagnosis.MapGrowth, diagnosis.MapAccess, diagnosis.Allocation, diagnosis.Copying},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.IndexExpr)(nil)) {
				x, ok := c.Node().(*ast.IndexExpr)
				if !ok || !flow.IsSet(c) || !sites.IsMap(s.Pass.TypesInfo.TypeOf(x.X)) {
					continue
				}
				if p, ok := s.sizedByCallers(c, flow.Variable(s.Pass.TypesInfo, x.X)); ok {
					list = append(list, p)
				}
			}
			for _, v := range s.madeMaps() {
				list = append(list, s.filledElsewhere(v)...)
			}
			return list
		}),
	}
}

// sizedByCallers gives a size to the maps that callers make for a parameter of the function around the line. The
// function must range over another parameter.
func (s *site) sizedByCallers(c inspector.Cursor, m *types.Var) (p proposal, ok bool) {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	loop, loops := flow.Loop(c)
	if !ok || m == nil || !loops || sites.FunctionOf(c) != s.Decl {
		return p, false
	}
	r, ok := loop.Node().(*ast.RangeStmt)
	if !ok {
		return p, false
	}
	over := flow.Variable(s.Pass.TypesInfo, r.X)
	to, ok1 := s.argumentOf(decl, m)
	from, ok2 := s.argumentOf(decl, over)
	if !ok1 || !ok2 || !sized(over.Type()) {
		return p, false
	}
	sizes, values := map[ast.Expr][]string{}, []ast.Expr{}
	var first *types.Var
	for use := range s.Root.Preorder((*ast.Ident)(nil)) {
		if s.Pass.TypesInfo.Uses[sites.IdentOf(use)] != s.Pass.TypesInfo.Defs[decl.Name] {
			continue
		}
		made, size, v := s.madeFor(use, to, from)
		if made == nil || slices.Contains(sizes[made], size) {
			continue
		}
		if sizes[made] == nil {
			values = append(values, made)
		}
		sizes[made], first = append(sizes[made], size), v
	}
	for _, made := range values {
		typ, ok := rewrite.TypeText(s.Pass, made.Pos(), s.Pass.TypesInfo.TypeOf(made))
		if !ok || !rewrite.Predeclared(s.Pass, made.Pos(), "make", "len") {
			return p, false
		}
		p.Edits = append(p.Edits, rewrite.Replace(made, fmt.Sprintf("make(%s, %s)", typ, strings.Join(sizes[made], "+"))))
	}
	if len(values) == 0 {
		return p, false
	}
	p.Message = fmt.Sprintf("Allocate %s for %s entries", first.Name(), strings.Join(sizes[values[len(values)-1]], "+"))
	return p, true
}

// filledElsewhere gives a size to a map that the function makes and passes to others of the package.
func (s *site) filledElsewhere(v *types.Var) (list []proposal) {
	for _, use := range s.Places[v] {
		call := use.Parent()
		if use.ParentEdgeKind() == edge.SelectorExpr_X {
			call = call.Parent()
		}
		fn := s.Code.Funcs[s.Callee(call)]
		if fn == nil {
			continue
		}
		d, ok := s.Root.FindNode(fn.Decl)
		if !ok {
			continue
		}
		inner := *s.Site
		inner.Decl = d
		for c := range d.Preorder((*ast.IndexExpr)(nil)) {
			x, isIndex := c.Node().(*ast.IndexExpr)
			if !isIndex || !flow.IsSet(c) || !sites.IsMap(s.Pass.TypesInfo.TypeOf(x.X)) {
				continue
			}
			if p, ok := (&site{&inner}).sizedByCallers(c, flow.Variable(s.Pass.TypesInfo, x.X)); ok {
				list = append(list, p)
			}
		}
	}
	return list
}

// sized reports whether len applies to a type, and is the number of iterations of a loop over it.
func sized(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice, *types.Array:
		return true
	}
	return false
}

// receives is the argument number of a receiver.
const receives = -1

// argumentOf returns which argument of a function a variable is: its number, or receives.
func (s *site) argumentOf(decl *ast.FuncDecl, v *types.Var) (n int, ok bool) {
	if v == nil {
		return 0, false
	}
	if decl.Recv != nil {
		for _, name := range decl.Recv.List[0].Names {
			if s.Pass.TypesInfo.Defs[name] == types.Object(v) {
				return receives, true
			}
		}
	}
	for _, f := range decl.Type.Params.List {
		_, variadic := f.Type.(*ast.Ellipsis)
		for _, name := range f.Names {
			if s.Pass.TypesInfo.Defs[name] == types.Object(v) {
				return n, !variadic
			}
			n++
		}
		if len(f.Names) == 0 {
			n++
		}
	}
	return 0, false
}

// madeFor returns what makes the map that a call passes, the number of entries as source, and the variable with the
// map; nil if it is not a new map of the caller, or the number is not known where it is made.
func (s *site) madeFor(use inspector.Cursor, to, from int) (made ast.Expr, size string, v *types.Var) {
	callee := use
	if use.ParentEdgeKind() == edge.SelectorExpr_Sel {
		callee = use.Parent()
	}
	if callee.ParentEdgeKind() != edge.CallExpr_Fun {
		return nil, "", nil
	}
	call, ok := callee.Parent().Node().(*ast.CallExpr)
	if !ok || rewrite.Generated(s.Pass, call.Pos()) || call.Ellipsis.IsValid() {
		return nil, "", nil
	}
	argument := func(n int) ast.Expr {
		if n != receives {
			if n < len(call.Args) {
				return call.Args[n]
			}
			return nil
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			return sel.X
		}
		return nil
	}
	m, of := argument(to), argument(from)
	if m == nil || of == nil || s.SideEffects(of) || !sized(s.Pass.TypesInfo.TypeOf(of)) {
		return nil, "", nil
	}
	if v = flow.Variable(s.Pass.TypesInfo, m); v == nil {
		return nil, "", nil
	}
	for _, place := range s.Places[v] {
		value := s.ValueOf(place, v)
		if value == nil || !s.emptyMap(value) {
			continue
		}
		if f, ok := flow.Func(place); ok && f == sites.FunctionOf(use) && rewrite.Means(s.Pass, of, value.Pos()) {
			return value, "len(" + s.Text(of) + ")", v
		}
	}
	return nil, "", nil
}
