package concat

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "concat",
			Doc:      "report strings that grow in a loop",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "append", Title: "string appended to in a loop",
				ByHand: "the variable is used as a string while it grows: collect the parts in a strings.Builder",
				CPU:    rules.Concatenating + `|^runtime\.intstring`, Alloc: rules.Line,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "prepend", Title: "string prepended to in a loop",
				ByHand: "the parts come in reverse order: append them and reverse them once, or fill a []byte from " +
					"its end",
				CPU: rules.Concatenating + `|^runtime\.intstring`, Alloc: rules.Line,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A growth is a statement that extends a string: s += x, s = s + x, s = x + s.
type growth struct {
	at     inspector.Cursor // the statement
	stmt   *ast.AssignStmt
	obj    *types.Var
	added  []ast.Expr // what is appended or prepended, from left to right
	before bool       // prepended
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	r := &rule{pass: pass, names: rewrite.NewNames(pass), builders: map[*types.Var]analysis.SuggestedFix{}}
	for c := range root.Preorder((*ast.AssignStmt)(nil)) {
		if g := r.growth(c); g != nil && r.repeats(g) {
			r.report(g)
		}
	}
	return nil, nil
}

// A rule analyzes a package.
type rule struct {
	pass     *analysis.Pass
	names    *rewrite.Names
	builders map[*types.Var]analysis.SuggestedFix // one fix for all growths of a variable
}

// growth returns what a statement adds to a string variable, or nil if it does not.
func (r *rule) growth(c inspector.Cursor) *growth {
	info := r.pass.TypesInfo
	s, ok := c.Node().(*ast.AssignStmt)
	if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Tok != token.ASSIGN && s.Tok != token.ADD_ASSIGN {
		return nil
	}
	id, ok := ast.Unparen(s.Lhs[0]).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok {
		return nil
	}
	if basic, ok := v.Type().Underlying().(*types.Basic); !ok || basic.Info()&types.IsString == 0 {
		return nil
	}
	operands := flow.Operands(info, s.Rhs[0])
	if s.Tok == token.ADD_ASSIGN {
		return &growth{c, s, v, operands, false}
	}
	last := len(operands) - 1
	switch {
	case last < 1:
		return nil
	case isUse(info, operands[0], v):
		return &growth{c, s, v, operands[1:], false}
	case isUse(info, operands[last], v):
		return &growth{c, s, v, operands[:last], true}
	}
	return nil
}

func isUse(info *types.Info, e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && info.ObjectOf(id) == types.Object(v)
}

// repeats reports whether a statement is in a loop within its function, and the variable outlives
// an iteration.
func (r *rule) repeats(g *growth) bool {
	for loop, ok := flow.Loop(g.at); ok; loop, ok = flow.Loop(loop) {
		if n := loop.Node(); g.obj.Pos() < n.Pos() || n.End() <= g.obj.Pos() {
			return true
		}
	}
	return false
}

func (r *rule) report(g *growth) {
	category, how := "append", "a string is appended to in a loop"
	if g.before {
		category, how = "prepend", "a string is prepended to in a loop"
	}
	fix, ok := r.pad(g)
	switch {
	case ok:
	case g.before:
		fix = rules.None("what is prepended to " + g.obj.Name() + " is not the same each time: append the parts to " +
			"a slice, and join them in reverse order")
	default:
		fix = r.build(g.obj, g.at)
	}
	rules.Report(
		r.pass, g.stmt, category,
		fmt.Sprintf("%s: each iteration copies all of %s and leaves the old one as garbage", how, g.obj.Name()),
		fix,
	)
}
