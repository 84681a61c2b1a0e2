package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"
)

// Locals gives out names for new variables within functions: names that the declaration around a
// position does not have in it, so that they hide nothing which is used there. It is for one pass.
type Locals struct {
	pass  *analysis.Pass
	taken map[ast.Decl]map[string]bool
}

// NewLocals knows the names of a package's declarations, each once it is asked for.
func NewLocals(pass *analysis.Pass) *Locals {
	return &Locals{pass: pass, taken: map[ast.Decl]map[string]bool{}}
}

// Fresh is a name that is base, or begins so, for the code at a position.
func (l *Locals) Fresh(at token.Pos, base string) string {
	decl := Declaration(l.pass, at)
	taken := l.taken[decl]
	if taken == nil {
		taken = map[string]bool{}
		l.taken[decl] = taken
		if decl != nil {
			ast.Inspect(decl, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					taken[id.Name] = true
				}
				return true
			})
		}
	}
	name := base
	for i := 2; taken[name] || types.Universe.Lookup(name) != nil || token.IsKeyword(name); i++ {
		name = base + strconv.Itoa(i)
	}
	taken[name] = true
	return name
}
