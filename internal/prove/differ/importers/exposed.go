package importers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/makers"
)

// Exposes reports whether the exported declarations of a package give others values of a type: it is the type
// of one, of an exported field, of a parameter or a result, or in one of these.
func Exposes(pkg *types.Package, of *types.TypeName) bool {
	w := &walker{target: of, seen: map[types.Type]bool{}}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() && (obj == of || w.reaches(obj.Type())) {
			return true
		}
	}
	return false
}

// Contains reports whether values of a type are, have or point to values of another one, whether other
// packages see it or not.
func Contains(t types.Type, of *types.TypeName) bool {
	w := &walker{target: of, seen: map[types.Type]bool{}, all: true}
	return w.reaches(t)
}

// A walker looks for a type in others.
type walker struct {
	target *types.TypeName
	seen   map[types.Type]bool
	all    bool // also in fields that are not exported, but not in methods and functions
}

func (w *walker) reaches(t types.Type) bool {
	if w.seen[t] {
		return false
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		return t.Obj() == w.target || w.reaches(types.Unalias(t))
	case *types.Named:
		return t.Obj() == w.target || w.arguments(t.TypeArgs()) || w.parameters(t.TypeParams()) || w.methods(t) ||
			w.reaches(t.Underlying())
	case *types.Pointer:
		return w.reaches(t.Elem())
	case *types.Slice:
		return w.reaches(t.Elem())
	case *types.Array:
		return w.reaches(t.Elem())
	case *types.Chan:
		return w.reaches(t.Elem())
	case *types.Map:
		return w.reaches(t.Key()) || w.reaches(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			// What is embedded shows its fields and methods.
			if (w.all || f.Exported() || f.Embedded()) && w.reaches(f.Type()) {
				return true
			}
		}
	case *types.Tuple:
		for v := range t.Variables() {
			if w.reaches(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return w.signature(t)
	case *types.Interface:
		return w.iface(t)
	case *types.TypeParam:
		return w.reaches(t.Constraint())
	case *types.Union:
		for term := range t.Terms() {
			if w.reaches(term.Type()) {
				return true
			}
		}
	}
	return false
}

func (w *walker) arguments(list *types.TypeList) bool {
	for t := range list.Types() {
		if w.reaches(t) {
			return true
		}
	}
	return false
}

func (w *walker) parameters(list *types.TypeParamList) bool {
	for p := range list.TypeParams() {
		if !w.all && w.reaches(p) {
			return true
		}
	}
	return false
}

func (w *walker) methods(n *types.Named) bool {
	for m := range n.Methods() {
		if !w.all && m.Exported() && w.reaches(m.Type()) {
			return true
		}
	}
	return false
}

func (w *walker) signature(s *types.Signature) bool {
	if w.all {
		return false
	}
	return w.parameters(s.TypeParams()) || w.reaches(s.Params()) || w.reaches(s.Results())
}

func (w *walker) iface(i *types.Interface) bool {
	for m := range i.ExplicitMethods() {
		if !w.all && w.reaches(m.Type()) {
			return true
		}
	}
	for t := range i.EmbeddedTypes() {
		if w.reaches(t) {
			return true
		}
	}
	return false
}

// Holders returns the declarations of a package in which some expression has a type that contains another one.
func Holders(pkg *packages.Package, of *types.TypeName) (list []ast.Decl) {
	known := map[types.Type]bool{}
	has := func(t types.Type) bool {
		found, ok := known[t]
		if !ok {
			found = Contains(t, of)
			known[t] = found
		}
		return found
	}
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			found := false
			ast.Inspect(d, func(n ast.Node) bool {
				if x, ok := n.(ast.Expr); ok && !found {
					t := pkg.TypesInfo.TypeOf(x)
					found = t != nil && has(t)
				}
				return !found
			})
			if found {
				list = append(list, d)
			}
		}
	}
	return list
}

// SeenFrom returns a declaration of another package, or a method, as a package sees it; nil if it does not.
func SeenFrom(pkg *types.Package, obj types.Object) types.Object {
	of := makers.Dependency(pkg, obj.Pkg().Path())
	if of == nil {
		return nil
	}
	fn, ok := obj.(*types.Func)
	if !ok || fn.Signature().Recv() == nil {
		return of.Scope().Lookup(obj.Name())
	}
	recv := fn.Signature().Recv().Type()
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := recv.(*types.Named)
	if !ok {
		return nil
	}
	tn := of.Scope().Lookup(named.Obj().Name())
	if tn == nil {
		return nil
	}
	method, _, _ := types.LookupFieldOrMethod(types.NewPointer(tn.Type()), false, of, fn.Name())
	return method
}
