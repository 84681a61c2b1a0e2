package timeloop

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/version"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	const timers = `^time\.(After|Tick|NewTimer|NewTicker)$`
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "timeloop",
			Doc:      "report loops that read the clock or create timers in each iteration",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "clock", Title: "clock read in each iteration of a loop",
				ByHand: "how exact the time must be depends on the program: read the clock before the loop, or every " +
					"so many iterations",
				CPU: `^time\.(Now|Since|Until)$`, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "timer", Title: "timer created in each iteration of a loop",
				ByHand: "the loop does more than wait for the timer: create one timer before the loop, and reset it " +
					"before each wait",
				CPU: timers, Alloc: timers, Mutex: rules.Nothing, Block: rules.Nothing,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	names := rewrite.NewNames(pass)
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		switch name := flow.Callee(pass.TypesInfo, call); name {
		case "time.Now", "time.Since", "time.Until":
			if loop, ok := flow.Loop(c); ok && !waits(pass, loop) {
				rules.Report(pass, call, "clock",
					name+" reads the clock in each iteration: a batch of iterations could share a time",
					analysis.SuggestedFix{})
			}
		case "time.After", "time.Tick", "time.NewTicker":
			if loop, ok := flow.Loop(c); ok && !leavesAtOnce(c, loop) {
				rules.Report(pass, call, "timer",
					name+" creates a timer and a channel in each iteration: one timer can be reset",
					share(pass, names, c, loop))
			}
		}
	}
	return nil, nil
}

// waits reports whether a loop sleeps, or waits for a channel: the cost of the clock is negligible
// then.
func waits(pass *analysis.Pass, loop inspector.Cursor) bool {
	for c := range loop.Preorder((*ast.CallExpr)(nil), (*ast.SelectStmt)(nil), (*ast.UnaryExpr)(nil)) {
		if in, ok := flow.Loop(c); !ok || in != loop {
			continue
		}
		switch n := c.Node().(type) {
		case *ast.CallExpr:
			if flow.Callee(pass.TypesInfo, n) == "time.Sleep" {
				return true
			}
		case *ast.SelectStmt:
			for _, clause := range n.Body.List {
				if comm, ok := clause.(*ast.CommClause); ok && comm.Comm == nil {
					return false
				}
			}
			return true
		}
	}
	return false
}

// leavesAtOnce reports whether a call belongs to the last iteration: the statement around it is
// followed by a return.
func leavesAtOnce(c, loop inspector.Cursor) bool {
	for ; c != loop; c = c.Parent() {
		block, ok := c.Parent().Node().(*ast.BlockStmt)
		if !ok || len(block.List) == 0 {
			continue
		}
		if last, ok := block.List[len(block.List)-1].(*ast.ReturnStmt); ok && last.Pos() >= c.Node().Pos() {
			return true
		}
	}
	return false
}

// share reuses one timer for case <-time.After(constant) in a loop. Reset is inserted before the
// select, at whose start After is called, so the cases must not call anything else that takes time.
func share(pass *analysis.Pass, names *rewrite.Names, c, loop inspector.Cursor) analysis.SuggestedFix {
	call, ok := c.Node().(*ast.CallExpr)
	none := rules.None("the timer is not a case of a select that is a statement of the loop: create one timer " +
		"before the loop, and reset it before each wait")
	switch {
	case !ok:
		return none
	case flow.Callee(pass.TypesInfo, call) != "time.After":
		return rules.None(flow.Callee(pass.TypesInfo, call) + " starts a ticker that may be in use: start one " +
			"before the loop, and stop it after")
	case !current(pass):
		return rules.None("go.mod requires a Go before 1.23, whose timers may have an old value when they are " +
			"reset: require go 1.23")
	case rewrite.Generated(pass, call.Pos()):
		return rules.None(rules.IsGenerated)
	case pass.TypesInfo.Types[call.Args[0]].Value == nil:
		return rules.None("the duration " + rewrite.Text(pass, call.Args[0]) + " is not constant: with a constant, " +
			"one timer is reset")
	}
	pkg, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || c.ParentEdgeKind() != edge.UnaryExpr_X {
		return none
	}
	// A receive as the operation of a case, alone or assigned: case <-, case t :=.
	at := c.Parent()
	if k := at.ParentEdgeKind(); k != edge.ExprStmt_X && k != edge.AssignStmt_Rhs {
		return none
	}
	comm := at.Parent()
	if comm.ParentEdgeKind() != edge.CommClause_Comm {
		return none
	}
	sel := comm.Parent().Parent().Parent()
	stmt, ok := sel.Node().(*ast.SelectStmt)
	if !ok || sel.ParentEdgeKind() != edge.BlockStmt_List || sel.Parent() != body(loop) || calls(pass, stmt, call) {
		return none
	}
	if k := loop.ParentEdgeKind(); k != edge.BlockStmt_List && k != edge.CaseClause_Body && k != edge.CommClause_Body {
		return none // a label belongs to its loop
	}
	if d, ok := flow.Decl(c); !ok || d.Node() == nil ||
		rewrite.Lookup(pass, loop.Node().Pos(), "time") != rewrite.Lookup(pass, call.Pos(), "time") {
		return none
	}
	if rewrite.HasComment(pass, call.Pos(), call.End()) || !portable(pass, call.Args[0]) {
		return none
	}
	name, duration := names.Fresh("timeout"), rewrite.Text(pass, call.Args[0])
	return analysis.SuggestedFix{Message: "Reuse one timer", TextEdits: []analysis.TextEdit{
		rewrite.Insert(loop.Node().Pos(), fmt.Sprintf("%s := "+
			"%s.NewTimer(%s)\n", name, rewrite.Text(pass, pkg.X), duration)),
		rewrite.Insert(stmt.Pos(), fmt.Sprintf("%s.Reset(%s)\n", name, duration)),
		rewrite.Replace(call, name+".C"),
	}}
}

// current reports whether resetting a timer leaves no stale value in its channel with the module's
// Go version.
func current(pass *analysis.Pass) bool {
	return pass.Pkg.GoVersion() != "" && version.Compare(pass.Pkg.GoVersion(), "go1.23") >= 0
}

// body returns the body of a loop.
func body(loop inspector.Cursor) inspector.Cursor {
	for b := range loop.Children() {
		if k := b.ParentEdgeKind(); k == edge.ForStmt_Body || k == edge.RangeStmt_Body {
			return b
		}
	}
	return inspector.Cursor{}
}

// calls reports whether a select calls something else before it waits, which could take time or
// have observable effects. A context's Done only returns a channel.
func calls(pass *analysis.Pass, stmt *ast.SelectStmt, but *ast.CallExpr) bool {
	found := false
	for _, clause := range stmt.Body.List {
		comm, ok := clause.(*ast.CommClause)
		if !ok || comm.Comm == nil {
			continue
		}
		ast.Inspect(comm.Comm, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && call != but {
				_, conversion := flow.Conversion(pass.TypesInfo, call)
				found = found || !conversion && flow.Method(pass.TypesInfo, call) != "(context.Context).Done"
			}
			return true
		})
	}
	return found
}

// portable reports whether a constant has the same meaning before the loop: it does not refer to
// local declarations.
func portable(pass *analysis.Pass, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, isIdent := n.(*ast.Ident); isIdent {
			obj := pass.TypesInfo.ObjectOf(id)
			inFunction := obj != nil && obj.Pkg() == pass.Pkg &&
				obj.Parent() != nil && obj.Parent() != pass.Pkg.Scope() && obj.Name() != "time"
			ok = ok && obj != nil && !inFunction
		}
		return ok
	})
	return ok
}
