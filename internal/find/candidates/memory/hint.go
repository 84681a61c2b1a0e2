package memory

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// hintGenerator checks the largest of several indexes first, so that the compiler needs no other checks.
func hintGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "hint", Title: "several elements next to each other, each with a check of its index",
		Why:     "once the last of them has been checked, the compiler knows that the others are in range",
		Assumes: "all of them are read if the first one is, or the slice is long enough",
		Kinds:   []diagnosis.Kind{diagnosis.Own},
		Propose: visit(func(s *site) []proposal {
			return s.ofIndexes(func(c inspector.Cursor, _ *ast.IndexExpr, v *types.Var) (proposal, bool) {
				return s.lastChecked(c, v)
			})
		}),
	}
}

// fewChecks is the number of elements from which on one check for all may matter.
const fewChecks = 3

// lastChecked reads the last of the elements of a slice or string that the statement and the next ones of its block
// read, at constant indexes, or at constant distances of a variable.
func (s *site) lastChecked(c inspector.Cursor, v *types.Var) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	if _, isSlice := v.Type().Underlying().(*types.Slice); !isSlice && !flow.IsString(v.Type()) {
		return p, false
	}
	stmt, ok := rewrite.Statement(c)
	if !ok {
		return p, false
	}
	switch stmt.Node().(type) {
	case *ast.AssignStmt, *ast.ReturnStmt, *ast.ExprStmt, *ast.IfStmt:
	default:
		return p, false
	}
	var index *types.Var
	seen, largest, source := map[int64]bool{}, int64(-1), ""
	for other := range stmt.Preorder((*ast.IndexExpr)(nil)) {
		x, isIndex := other.Node().(*ast.IndexExpr)
		if !isIndex || flow.Variable(info, x.X) != v {
			continue
		}
		from, n, known := s.distance(x.Index)
		if !known || len(seen) > 0 && from != index || n < 0 {
			return p, false
		}
		index, seen[n] = from, true
		if n > largest {
			largest, source = n, s.Text(x.Index)
		}
	}
	if len(seen) < fewChecks {
		return p, false
	}
	p.Message = fmt.Sprintf("Check %s[%s] first", v.Name(), source)
	p.Edits = []analysis.TextEdit{rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("_ = %s[%s]", v.Name(), source))}
	return p, true
}

// distance returns the variable and the number whose sum an index is; the variable is nil for a constant.
func (s *site) distance(e ast.Expr) (from *types.Var, n int64, ok bool) {
	info := s.Pass.TypesInfo
	if n, ok = flow.IntConst(info, e); ok {
		return nil, n, true
	}
	if from = flow.Variable(info, e); from != nil {
		return from, 0, true
	}
	sum, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || sum.Op != token.ADD {
		return nil, 0, false
	}
	from = flow.Variable(info, sum.X)
	n, ok = flow.IntConst(info, sum.Y)
	return from, n, ok && from != nil
}
