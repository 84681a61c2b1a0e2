package makers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// same returns the code that, seldom, returns a pointer that the receiver or an argument leads to, if the package
// compares pointers of the type; "" if it does not, or values are shared in another way.
func (g *Generator) same(p *types.Pointer) string {
	u, isStruct := p.Elem().Underlying().(*types.Struct)
	if !isStruct || !hasUnexported(u) || !g.comparesPointers(p) {
		return ""
	}
	return fmt.Sprintf("\tif same := whetlib.Same[%s](s); same != nil {\n\t\treturn same\n\t}\n", g.typeString(p.Elem()))
}

// comparesPointers reports whether the package compares two pointers of a type, or has a map with such keys: which one
// a pointer is matters then.
func (g *Generator) comparesPointers(p *types.Pointer) bool {
	if g.pointers == nil {
		g.pointers = map[string]bool{}
		add := func(t types.Type) {
			if t == nil {
				return
			}
			if p, ok := t.Underlying().(*types.Pointer); ok {
				g.pointers[types.TypeString(p, nil)] = true
			}
		}
		for _, file := range g.pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					info := g.pkg.TypesInfo
					if (n.Op == token.EQL || n.Op == token.NEQ) && !info.Types[n.X].IsNil() && !info.Types[n.Y].IsNil() {
						add(info.TypeOf(n.X))
					}
				case *ast.MapType:
					add(g.pkg.TypesInfo.TypeOf(n.Key))
				}
				return true
			})
		}
	}
	return g.pointers[types.TypeString(p, nil)]
}

// isTree reports whether a struct that a pointer points to has a field for its parent: children must lead back to
// theirs in most code.
func isTree(p *types.Pointer) bool {
	u, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range u.Fields() {
		if types.Identical(f.Type(), p) && strings.Contains(strings.ToLower(f.Name()), "parent") {
			return true
		}
	}
	return false
}

// repeated returns the code that, seldom, has the next element of a list be one that is already in it. Numbers and
// texts are equal often enough.
func repeated(elem types.Type) string {
	switch elem.Underlying().(type) {
	case *types.Struct, *types.Interface, *types.Pointer, *types.Array:
		return "\t\tif i > 0 && s.Repeats() {\n\t\t\tv = append(v, v[s.Choose(i)])\n\t\t\tcontinue\n\t\t}\n"
	}
	return ""
}
