package importers

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/makers"
)

// SameValue reports whether a variable has the same type and the same constant as its first value in both
// versions.
func SameValue(old, now *packages.Package, a, b types.Object) bool {
	v, ok := a.(*types.Var)
	w, ok2 := b.(*types.Var)
	if !ok || !ok2 || makers.TypeText(v.Type()) != makers.TypeText(w.Type()) {
		return false
	}
	x, y := firstValue(old, v), firstValue(now, w)
	return x != nil && y != nil && x.Kind() == y.Kind() && constant.Compare(x, token.EQL, y)
}

// firstValue returns the constant that a variable of a package begins with; nil if it is none.
func firstValue(pkg *packages.Package, v *types.Var) constant.Value {
	if b, ok := v.Type().(*types.Basic); !ok || b.Info()&types.IsConstType == 0 {
		return nil // the types of a value and its methods can change
	}
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range gen.Specs {
				spec, ok := s.(*ast.ValueSpec)
				if !ok || len(spec.Values) != len(spec.Names) {
					continue
				}
				for i, name := range spec.Names {
					if pkg.TypesInfo.Defs[name] == v {
						return pkg.TypesInfo.Types[spec.Values[i]].Value
					}
				}
			}
		}
	}
	return nil
}

// SameOutside reports whether other packages see the same of two versions of a struct: only fields that are
// not exported differ, and both have some.
func SameOutside(a, b types.Object) bool {
	tn, ok := a.(*types.TypeName)
	other, ok2 := b.(*types.TypeName)
	if !ok || !ok2 || tn.IsAlias() || other.IsAlias() {
		return false
	}
	was, hidden := outsideText(tn)
	is, hidden2 := outsideText(other)
	return was == is && hidden && hidden2
}

// outsideText returns what other packages see of a struct, and whether it has further fields.
func outsideText(tn *types.TypeName) (text string, hidden bool) {
	u, ok := tn.Type().Underlying().(*types.Struct)
	n, ok2 := tn.Type().(*types.Named)
	if !ok || !ok2 {
		return "", false
	}
	var b strings.Builder
	for p := range n.TypeParams().TypeParams() {
		b.WriteString(p.Obj().Name() + " " + makers.TypeText(p.Constraint()) + ";")
	}
	for i := range u.NumFields() {
		f := u.Field(i)
		if !f.Exported() && !f.Embedded() {
			hidden = true
			continue
		}
		fmt.Fprintf(&b, "%s %s %q;", f.Name(), makers.TypeText(f.Type()), u.Tag(i))
	}
	return b.String(), hidden
}

// Equal reports whether a constant, variable or type is surely the same for other packages in both versions,
// although it uses what has changed.
func Equal(old, now *packages.Package, obj types.Object) bool {
	other := now.Types.Scope().Lookup(obj.Name())
	switch obj := obj.(type) {
	case *types.Const:
		c, ok := other.(*types.Const)
		return ok && makers.TypeText(c.Type()) == makers.TypeText(obj.Type()) && c.Val().Kind() == obj.Val().Kind() &&
			constant.Compare(c.Val(), token.EQL, obj.Val())
	case *types.TypeName:
		tn, ok := other.(*types.TypeName)
		return ok && (makers.TypeText(tn.Type().Underlying()) == makers.TypeText(obj.Type().Underlying()) ||
			SameOutside(obj, tn))
	}
	return SameValue(old, now, obj, other)
}

// DeclaredAs returns the kind and the name of a constant, variable or type.
func DeclaredAs(obj types.Object) string {
	switch obj.(type) {
	case *types.Const:
		return "const " + obj.Name()
	case *types.TypeName:
		return "type " + obj.Name()
	case *types.Var:
		return "var " + obj.Name()
	}
	return obj.Name()
}

// HasField reports whether an object is a field of a struct type that another one declares.
func HasField(of, field types.Object) bool {
	tn, ok := of.(*types.TypeName)
	if !ok {
		return false
	}
	u, ok := tn.Type().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range u.Fields() {
		if f == field {
			return true
		}
	}
	return false
}

// InitializedByCall reports whether the first value of a variable of a package comes from a call.
func InitializedByCall(pkg *packages.Package, v types.Object) bool {
	return slices.ContainsFunc(pkg.TypesInfo.InitOrder, func(i *types.Initializer) bool {
		calls := false
		ast.Inspect(i.Rhs, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			calls = calls || ok && !pkg.TypesInfo.Types[call.Fun].IsType() && !pkg.TypesInfo.Types[call.Fun].IsBuiltin()
			return true
		})
		return calls && slices.ContainsFunc(i.Lhs, func(l *types.Var) bool { return l == v })
	})
}
