package importers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// Hides reports whether a package returns or keeps values that contain a type as an interface: what is done with
// these elsewhere does not show the type. Arguments of calls do not count.
func Hides(pkg *packages.Package, of *types.TypeName) bool {
	h := &hider{info: pkg.TypesInfo, of: of}
	for _, d := range Holders(pkg, of) {
		var results *types.Tuple
		if fn, ok := d.(*ast.FuncDecl); ok {
			if obj, ok := pkg.TypesInfo.Defs[fn.Name].(*types.Func); ok {
				results = obj.Signature().Results()
			}
		}
		h.walk(d, results)
	}
	return h.found
}

type hider struct {
	info  *types.Info
	of    *types.TypeName
	found bool
}

// walk looks for conversions in a function with results, or in another declaration.
func (h *hider) walk(n ast.Node, results *types.Tuple) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if sig, ok := h.info.TypeOf(n).(*types.Signature); ok {
				h.walk(n.Body, sig.Results())
			}
			return false
		case *ast.ReturnStmt:
			for i, x := range n.Results {
				if results != nil && len(n.Results) == results.Len() {
					h.check(results.At(i).Type(), x)
				}
			}
		case *ast.AssignStmt:
			for i, x := range n.Rhs {
				if len(n.Lhs) == len(n.Rhs) {
					h.check(h.info.TypeOf(n.Lhs[i]), x)
				}
			}
		case *ast.ValueSpec:
			for i, x := range n.Values {
				if n.Type != nil && n.Names[i].Name != "_" {
					h.check(h.info.TypeOf(n.Type), x)
				}
			}
		case *ast.SendStmt:
			if c, ok := h.info.TypeOf(n.Chan).Underlying().(*types.Chan); ok {
				h.check(c.Elem(), n.Value)
			}
		case *ast.CompositeLit:
			h.literal(n)
		}
		return !h.found
	})
}

// literal checks the elements of a composite literal.
func (h *hider) literal(n *ast.CompositeLit) {
	t := h.info.TypeOf(n)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	for i, x := range n.Elts {
		kv, _ := x.(*ast.KeyValueExpr)
		if kv != nil {
			x = kv.Value
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if kv == nil {
				h.check(u.Field(i).Type(), x)
			} else if id, ok := kv.Key.(*ast.Ident); ok && h.info.Uses[id] != nil {
				h.check(h.info.Uses[id].Type(), x)
			}
		case *types.Map:
			h.check(u.Elem(), x)
			h.check(u.Key(), kv.Key)
		case *types.Slice:
			h.check(u.Elem(), x)
		case *types.Array:
			h.check(u.Elem(), x)
		}
	}
}

// check notes whether a value with the type is converted to an interface.
func (h *hider) check(to types.Type, x ast.Expr) {
	from := h.info.TypeOf(x)
	h.found = h.found || to != nil && from != nil && types.IsInterface(to) && !types.IsInterface(from) &&
		Contains(from, h.of)
}
