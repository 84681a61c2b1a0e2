package allocation

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

// matrixGenerator allocates the rows of a matrix at once.
func matrixGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "matrix", Title: "rows of a matrix allocated one by one",
		Why:     "one slice that all rows are parts of is one allocation, and the rows are next to each other in memory",
		Assumes: "no row is kept longer than the others",
		Kinds:   []diagnosis.Kind{diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection, diagnosis.Copying},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if p, ok := s.rowsAtOnce(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// rowsAtOnce makes all rows of x[i] = make([]T, n) before the loop, which does not change n and runs once for each
// element of x.
func (s *site) rowsAtOnce(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || flow.Builtin(info, call) != "make" || len(call.Args) != 2 {
		return p, false
	}
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	loop, loops := flow.Loop(c)
	if !ok || !loops || len(assign.Lhs) != 1 || assign.Tok != token.ASSIGN {
		return p, false
	}
	x, ok := assign.Lhs[0].(*ast.IndexExpr)
	if !ok {
		return p, false
	}
	rows, index, size := flow.Variable(info, x.X), flow.Variable(info, x.Index), call.Args[1]
	slice, isSlice := info.TypeOf(call).Underlying().(*types.Slice)
	if rows == nil || index == nil || !isSlice || s.SideEffects(size) ||
		!types.Identical(types.Default(info.TypeOf(size)), types.Typ[types.Int]) || !s.Unset(loop, rows) ||
		flow.Mentions(info, size, index) || !s.overAll(loop, rows, index) {
		return p, false
	}
	steady := true
	ast.Inspect(size, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			steady = steady && !s.SetsField(loop, n)
		case *ast.Ident:
			if v := flow.Variable(info, n); v != nil {
				steady = steady && s.Unset(loop, v)
			}
		}
		return steady
	})
	stmt, inBlock := rewrite.Statement(loop)
	elem, written := rewrite.TypeText(s.Pass, call.Pos(), slice.Elem())
	if !steady || !inBlock || !written || !rewrite.Predeclared(s.Pass, call.Pos(), "len", "make") {
		return p, false
	}
	all := s.Locals.Fresh(call.Pos(), "all")
	n := s.Text(size)
	if _, isBinary := ast.Unparen(size).(*ast.BinaryExpr); isBinary {
		n = "(" + n + ")"
	}
	p.Message = "Allocate all rows of " + rows.Name() + " at once"
	p.Edits = []analysis.TextEdit{
		rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("%s := make([]%s, len(%s)*%s)", all, elem, rows.Name(), n)),
		rewrite.Replace(call, fmt.Sprintf("%[1]s[%[2]s*%[3]s:][:%[3]s:%[3]s]", all, index.Name(), n)),
	}
	return p, true
}

// overAll reports whether a loop counts an index through all elements of a slice: it ranges over the slice, or over the
// number that the slice was made with.
func (s *site) overAll(loop inspector.Cursor, of, index *types.Var) bool {
	info := s.Pass.TypesInfo
	var end ast.Expr
	switch l := loop.Node().(type) {
	case *ast.RangeStmt:
		if l.Key == nil || flow.Variable(info, l.Key) != index {
			return false
		}
		if flow.Variable(info, l.X) == of {
			return true
		}
		end = l.X
	case *ast.ForStmt:
		cond, ok := l.Cond.(*ast.BinaryExpr)
		if !ok || cond.Op != token.LSS || flow.Variable(info, cond.X) != index || !s.counts(l, index) {
			return false
		}
		end = cond.Y
	}
	if call, ok := ast.Unparen(end).(*ast.CallExpr); ok && flow.Builtin(info, call) == "len" {
		return flow.Variable(info, call.Args[0]) == of || s.madeWith(of, call)
	}
	return s.madeWith(of, end)
}

// counts reports whether a loop counts an index up by one from a constant that is not negative.
func (s *site) counts(l *ast.ForStmt, index *types.Var) bool {
	init, ok := l.Init.(*ast.AssignStmt)
	post, ok2 := l.Post.(*ast.IncDecStmt)
	if !ok || !ok2 || len(init.Lhs) != 1 || len(init.Rhs) != 1 || post.Tok != token.INC ||
		flow.Variable(s.Pass.TypesInfo, post.X) != index {
		return false
	}
	n, isConst := flow.IntConst(s.Pass.TypesInfo, init.Rhs[0])
	return isConst && n >= 0
}

// madeWith reports whether a local slice is made with a number of elements that has the same source.
func (s *site) madeWith(v *types.Var, size ast.Expr) bool {
	if size == nil {
		return false
	}
	for _, use := range s.Places[v] {
		call, ok := s.ValueOf(use, v).(*ast.CallExpr)
		if ok && flow.Builtin(s.Pass.TypesInfo, call) == "make" && len(call.Args) == 2 {
			return s.Text(call.Args[1]) == s.Text(size)
		}
	}
	return false
}
