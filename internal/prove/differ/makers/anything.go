package makers

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// maxAsserted is the number of types that are made for interfaces without methods, besides basic ones.
const maxAsserted = 16

// anything returns the body of a maker for interfaces without methods: half of the values have the types
// that the package asserts, because its branches depend on them.
func (g *Generator) anything(depth int) string {
	// A value that lacks something is one of many here.
	open := g.open
	g.open = nil
	defer func() { g.open = open }()
	var cases strings.Builder
	n := 0
	for _, t := range g.asserted() {
		if types.TypeString(t, nil) == "error" {
			// What is decoded into one that others have, such as io.EOF, would change it for all.
			fmt.Fprintf(&cases, "\tcase %d:\n\t\treturn s.NewError()\n", n)
			n++
			continue
		}
		if m, why := g.maker(t, depth+1); why == "" {
			fmt.Fprintf(&cases, "\tcase %d:\n\t\treturn %s(s)\n", n, m)
			n++
		}
	}
	if n == 0 {
		return "\treturn s.Any()\n"
	}
	return fmt.Sprintf("\tif s.Size > 0 && s.Nested() || s.Deep() {\n\t\treturn s.Any()\n\t}\n"+
		"\tswitch s.Kind(\"asserted\", %d) {\n%s\t}\n"+
		"\treturn s.Any()\n", 2*n, cases.String())
}

// reflectType returns the body of a maker of reflect.Type: the types of values, and those that the package
// compares with.
func (g *Generator) reflectType(depth int) (text, why string) {
	value, why := g.maker(types.NewInterfaceType(nil, nil), depth+1)
	if why != "" {
		return "", why
	}
	reflect := g.Import("reflect", "reflect")
	var list []string
	for _, t := range g.typesOf(func(n ast.Node) []ast.Expr {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return nil
		}
		if fn, ok := g.pkg.TypesInfo.Uses[calledName(call.Fun)].(*types.Func); !ok || fn.FullName() != "reflect.TypeOf" {
			return nil
		}
		return call.Args
	}) {
		list = append(list, fmt.Sprintf("%s.TypeOf((*%s)(nil)).Elem()", reflect, g.typeString(t)))
	}
	if len(list) == 0 {
		return fmt.Sprintf("\treturn %s.TypeOf(%s(s))\n", reflect, value), ""
	}
	return fmt.Sprintf("\tif s.Bool() {\n\t\treturn %s.TypeOf(%s(s))\n\t}\n\tall := []%s.Type{%s}\n"+
		"\treturn all[s.Choose(len(all))]\n", reflect, value, reflect, strings.Join(list, ", ")), ""
}

// calledName returns the identifier of the function that is called; nil if it is not named.
func calledName(fun ast.Expr) *ast.Ident {
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}

// asserted returns the types that the package asserts, or switches on, without functions and channels:
// their text is an address, which is another one in each version.
func (g *Generator) asserted() []types.Type {
	all := g.typesOf(func(n ast.Node) (list []ast.Expr) {
		switch x := n.(type) {
		case *ast.TypeAssertExpr:
			if x.Type != nil {
				list = []ast.Expr{x.Type}
			}
		case *ast.TypeSwitchStmt:
			for _, s := range x.Body.List {
				list = append(list, s.(*ast.CaseClause).List...) //nolint:forcetypeassert // its statements are clauses
			}
		}
		return list
	})
	return slices.DeleteFunc(all, func(t types.Type) bool {
		switch t.Underlying().(type) {
		case *types.Signature, *types.Chan:
			return true
		}
		return false
	})
}

// typesOf returns the different types of expressions in the package that the file can name, as many as
// maxAsserted, spread over all.
func (g *Generator) typesOf(expressions func(ast.Node) []ast.Expr) []types.Type {
	var list []types.Type
	for _, file := range g.pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			for _, x := range expressions(n) {
				t := g.pkg.TypesInfo.TypeOf(x)
				same := func(o types.Type) bool { return types.Identical(o, t) }
				if t != nil && g.Nameable(t) && !slices.ContainsFunc(list, same) {
					list = append(list, t)
				}
			}
			return true
		})
	}
	if len(list) <= maxAsserted {
		return list
	}
	some := make([]types.Type, maxAsserted)
	for i := range some {
		some[i] = list[i*len(list)/maxAsserted]
	}
	return some
}
