package declarations

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A Graph has the uses of declarations by the package-level declarations of a package, fields of structs included.
type Graph struct {
	Decls map[types.Object]*ast.FuncDecl  // of the functions
	Users map[types.Object][]types.Object // in the order of the source
}

// NewGraph returns the graph of a package that was loaded with syntax and types.
func NewGraph(pkg *packages.Package) *Graph {
	g := &Graph{Decls: map[types.Object]*ast.FuncDecl{}, Users: map[types.Object][]types.Object{}}
	uses := func(of []types.Object, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := pkg.TypesInfo.Uses[id]
			switch obj := used.(type) {
			case *types.Func:
				used = obj.Origin()
			case *types.Var:
				used = obj.Origin()
			}
			if used == nil || used.Pkg() == nil {
				return true
			}
			for _, user := range of {
				if user != used && !slices.Contains(g.Users[used], user) {
					g.Users[used] = append(g.Users[used], user)
				}
			}
			return true
		})
	}
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if obj := pkg.TypesInfo.Defs[d.Name]; obj != nil {
					g.Decls[obj] = d
					uses([]types.Object{obj}, d)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					uses(ofSpec(pkg, spec), spec)
				}
			}
		}
	}
	return g
}

// ofSpec returns the objects that a spec declares.
func ofSpec(pkg *packages.Package, spec ast.Spec) (objs []types.Object) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		objs = append(objs, pkg.TypesInfo.Defs[s.Name])
	case *ast.ValueSpec:
		for _, name := range s.Names {
			objs = append(objs, pkg.TypesInfo.Defs[name])
		}
	}
	return slices.DeleteFunc(objs, func(o types.Object) bool { return o == nil })
}

// Of returns what a declaration declares.
func Of(pkg *packages.Package, d ast.Decl) (objs []types.Object) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if obj := pkg.TypesInfo.Defs[d.Name]; obj != nil {
			objs = append(objs, obj)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			objs = append(objs, ofSpec(pkg, spec)...)
		}
	}
	return objs
}
