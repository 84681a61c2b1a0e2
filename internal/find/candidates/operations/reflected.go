package operations

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// equalGenerator compares values of common types in interfaces without package reflect.
func equalGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "equal", Title: "values in interfaces compared with reflection",
		Why:     "most such values are strings and numbers, which a type switch compares in place",
		Assumes: "most values have one of the common types",
		Kinds: []diagnosis.Kind{
			diagnosis.Reflection, diagnosis.Comparison, diagnosis.Allocation, diagnosis.Escape, diagnosis.Interface,
		},
		Propose: eachCall((*site).equal, "reflect.DeepEqual"),
	}
}

// equal is declared for values in interfaces. It compares strings first, in case they are often equal or differ in
// length.
const equal = `// %[1]s returns what %[2]s.DeepEqual does for a and b.
func %[1]s(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case int:
		b, ok := b.(int)
		return ok && a == b
	case int64:
		b, ok := b.(int64)
		return ok && a == b
	case float64:
		b, ok := b.(float64)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case nil:
		return b == nil
	}
	return %[2]s.DeepEqual(a, b)
}`

// equal calls a function with a type switch instead of reflect.DeepEqual, for operands that are interfaces.
func (s *site) equal(_ inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) != 2 ||
		!rewrite.Universe(s.Pass, "any", "bool", "string", "int", "int64", "float64", "nil") ||
		!flow.Since(s.Pass, call.Pos(), "go1.18") {
		return p, false
	}
	if info := s.Pass.TypesInfo; !types.IsInterface(info.TypeOf(call.Args[0])) &&
		!types.IsInterface(info.TypeOf(call.Args[1])) {
		return p, false
	}
	name := s.Names.Fresh("deepEqual")
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(equal, name, s.Text(sel.X)))
	if !ok {
		return p, false
	}
	return proposal{
		Message: "Compare strings and numbers without reflection",
		Edits:   []analysis.TextEdit{declared, rewrite.Replace(call.Fun, name)},
	}, true
}

// mapIndexGenerator reads an entry of a map of a common type without package reflect.
func mapIndexGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "mapindex", Title: "entry of a map read with reflection",
		Why: "most such maps have strings as keys and any values, of which Go code reads an entry without a copy of the " +
			"key",
		Assumes: "nothing asks whether the value has an address",
		Kinds: []diagnosis.Kind{
			diagnosis.Reflection, diagnosis.MapAccess, diagnosis.Interface, diagnosis.Allocation, diagnosis.Escape,
		},
		Propose: eachCall((*site).mapIndex, "(reflect.Value).MapIndex"),
	}
}

// mapIndex is declared for a key that is a string.
const mapIndex = `// %[1]s returns what m.MapIndex does for a key.
func %[1]s(m %[2]s.Value, key string) %[2]s.Value {
	if m.CanInterface() {
		switch m := m.Interface().(type) {
		case map[string]any:
			x, ok := m[key]
			if !ok {
				return %[2]s.Value{}
			}
			return %[2]s.ValueOf(&x).Elem()
		case map[string]string:
			x, ok := m[key]
			if !ok {
				return %[2]s.Value{}
			}
			return %[2]s.ValueOf(x)
		}
	}
	return m.MapIndex(%[2]s.ValueOf(key))
}`

// mapIndexOf is declared for any other key.
const mapIndexOf = `// %[1]s returns what m.MapIndex does for a key.
func %[1]s(m, key %[2]s.Value) %[2]s.Value {
	if m.CanInterface() && key.Kind() == %[2]s.String {
		if m, ok := m.Interface().(map[string]any); ok && key.Type().PkgPath() == "" {
			x, ok := m[key.String()]
			if !ok {
				return %[2]s.Value{}
			}
			return %[2]s.ValueOf(&x).Elem()
		}
	}
	return m.MapIndex(key)
}`

// mapIndex calls a function with a type switch instead of v.MapIndex.
func (s *site) mapIndex(_ inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) != 1 || !rewrite.Universe(s.Pass, "any", "string") ||
		!flow.Since(s.Pass, call.Pos(), "go1.18") {
		return p, false
	}
	pkg, edits, ok := rewrite.Import(s.Pass, call.Pos(), "reflect")
	if !ok {
		return p, false
	}
	source, key := mapIndexOf, call.Args[0]
	if of, isCall := ast.Unparen(key).(*ast.CallExpr); isCall && s.callee(of) == "reflect.ValueOf" && len(of.Args) == 1 &&
		flow.IsString(s.Pass.TypesInfo.TypeOf(of.Args[0])) {
		source, key = mapIndex, of.Args[0]
	}
	name := s.Names.Fresh("mapIndex")
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(source, name, pkg))
	if !ok {
		return p, false
	}
	p.Message = "Read the entry of a common map without reflection"
	p.Edits = append(edits, declared, rewrite.Replace(call, fmt.Sprintf("%s(%s, %s)", name, s.Text(sel.X), s.Text(key))))
	return p, true
}

// assertGenerator asserts that a value implements an interface instead of comparing methods with reflection.
func assertGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "assert", Title: "methods of a type compared with reflection",
		Why: "Implements compares the names of all methods on each call; the runtime keeps the results of type " +
			"assertions",
		Assumes: "the value may be taken as an interface: it is not of a field that is not exported",
		Kinds: []diagnosis.Kind{
			diagnosis.Reflection, diagnosis.Comparison, diagnosis.Text, diagnosis.Escape, diagnosis.Allocation,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("(reflect.Type).Implements") {
				if p, ok := s.asserted(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// asserted is declared for a pointer or a value of a few words; others would be copied.
const asserted = `// %[1]s returns what v.Type().Implements does for %[2]s.
func %[1]s(v %[3]s.Value) bool {
	if v.Kind() != %[3]s.Pointer || !v.CanInterface() {
		return v.Type().Implements(%[4]s)
	}
	_, ok := v.Interface().(%[2]s)
	return ok
}`

// asserted replaces v.Type().Implements(t), where t is a package variable with the type of an interface.
func (s *site) asserted(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || rewrite.HasComment(s.Pass, call.Pos(), call.End()) ||
		!rewrite.Universe(s.Pass, "bool") || !flow.Since(s.Pass, call.Pos(), "go1.18") {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return p, false
	}
	of, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if !ok || flow.Callee(info, of) != "(reflect.Value).Type" {
		return p, false
	}
	value, ok := ast.Unparen(of.Fun).(*ast.SelectorExpr)
	if !ok {
		return p, false
	}
	id, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		return p, false
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok || v.Parent() != s.Pass.Pkg.Scope() {
		return p, false
	}
	typ, ok := s.interfaceOf(v, call)
	pkg, edits, imported := rewrite.Import(s.Pass, call.Pos(), "reflect")
	if !ok || !imported {
		return p, false
	}
	name := s.Names.Fresh("implements" + strings.ToUpper(id.Name[:1]) + id.Name[1:])
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(asserted, name, typ, pkg, id.Name))
	if !ok {
		return p, false
	}
	p.Message = "Assert that " + s.Text(value.X) + " is a " + typ
	p.Edits = append(edits, declared, rewrite.Replace(call, name+"("+s.Text(value.X)+")"))
	return p, true
}

// interfaceOf returns the interface whose type a package variable is set to, once: reflect.TypeOf((*I)(nil)).Elem() or
// reflect.TypeFor[I]().
func (s *site) interfaceOf(v *types.Var, at ast.Node) (typ string, ok bool) {
	info := s.Pass.TypesInfo
	var t types.Type
	for _, use := range s.Places[v] {
		if use.ParentEdgeKind() == edge.ValueSpec_Names {
			value, isCall := ast.Unparen(s.ValueOf(use, v)).(*ast.CallExpr)
			if !isCall {
				return "", false
			}
			t = s.typeOf(value)
			continue
		}
		if flow.IsSet(use) {
			return "", false
		}
	}
	if t == nil || !types.IsInterface(t) || info == nil {
		return "", false
	}
	return rewrite.TypeText(s.Pass, at.Pos(), t)
}

// typeOf returns the type that a call returns as a reflect.Type; nil if it is not known.
func (s *site) typeOf(call *ast.CallExpr) types.Type {
	info := s.Pass.TypesInfo
	switch s.callee(call) {
	case "reflect.TypeFor":
		if x, ok := ast.Unparen(call.Fun).(*ast.IndexExpr); ok {
			return info.TypeOf(x.Index)
		}
	case "(reflect.Type).Elem":
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		of, ok := ast.Unparen(sel.X).(*ast.CallExpr)
		if !ok || s.callee(of) != "reflect.TypeOf" || len(of.Args) != 1 {
			return nil
		}
		if p, ok := info.TypeOf(of.Args[0]).(*types.Pointer); ok {
			return p.Elem()
		}
	}
	return nil
}

// callee returns the full name of the function or method that a call names.
func (s *site) callee(call *ast.CallExpr) string {
	if name := flow.Callee(s.Pass.TypesInfo, call); name != "" {
		return name
	}
	return flow.Method(s.Pass.TypesInfo, call)
}
