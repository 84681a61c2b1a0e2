package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"
)

// Locals returns unused names for new variables in functions: names that do not occur in the
// declaration around a position, so that they shadow nothing. It is for one pass.
type Locals struct {
	pass  *analysis.Pass
	taken map[ast.Decl]map[string]bool
}

// NewLocals returns Locals for a pass. It reads a declaration's names when they are first needed.
func NewLocals(pass *analysis.Pass) *Locals {
	return &Locals{pass: pass, taken: map[ast.Decl]map[string]bool{}}
}

// Fresh returns a name that is base, or begins with it, for the code at a position.
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
