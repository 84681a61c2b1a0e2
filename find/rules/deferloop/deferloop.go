package deferloop

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

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
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "deferloop",
			Doc:      "report deferred calls in loops",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "deferred call in a loop",
			ByHand: "the loop's statements leave the iteration, or the deferred call may recover or set results: " +
				"move the body into a function that closes what it opened",
			CPU: `^runtime\.(deferproc|newdefer|popDefer|deferreturn|newobject|mallocgc)|^gcWriteBarrier`, Alloc: rules.Line,
			Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for c := range root.Preorder((*ast.DeferStmt)(nil)) {
		stmt, ok := c.Node().(*ast.DeferStmt)
		if !ok {
			continue
		}
		loop, ok := flow.Loop(c)
		if !ok || leaves(c, loop) {
			continue
		}
		name := strings.Join(strings.Fields(rewrite.Text(pass, stmt.Call.Fun)), " ")
		if _, isLit := stmt.Call.Fun.(*ast.FuncLit); isLit {
			name = "the function"
		}
		rules.Report(pass, stmt, "",
			"each iteration keeps a call of "+name+" until the function returns",
			fix(pass, loop, stmt))
	}
	return nil, nil
}

// leaves reports whether the loop is left in the iteration that defers: a statement after the
// defer, in its block or in one around it, is a return or break of the loop.
func leaves(c, loop inspector.Cursor) bool {
	for ; c != loop; c = c.Parent() {
		var after []ast.Stmt
		switch n := c.Parent().Node().(type) {
		case *ast.BlockStmt:
			after = n.List
		case *ast.CaseClause:
			after = n.Body
		case *ast.CommClause:
			after = n.Body
		}
		for _, stmt := range after {
			if stmt.Pos() < c.Node().Pos() {
				continue
			}
			switch s := stmt.(type) {
			case *ast.ReturnStmt:
				return true
			case *ast.BranchStmt:
				// Within a switch or select, break refers to that.
				_, ofLoop := c.Parent().Node().(*ast.BlockStmt)
				return s.Tok == token.BREAK && s.Label == nil && ofLoop || s.Label != nil || s.Tok == token.GOTO
			}
		}
	}
	return false
}

// fix turns each iteration into a function. It has no edits if that would change what the iteration
// does.
func fix(pass *analysis.Pass, loop inspector.Cursor, stmt *ast.DeferStmt) analysis.SuggestedFix {
	var body *ast.BlockStmt
	switch l := loop.Node().(type) {
	case *ast.ForStmt:
		body = l.Body
	case *ast.RangeStmt:
		body = l.Body
	}
	if body == nil || rewrite.Generated(pass, stmt.Pos()) {
		return rules.None(rules.IsGenerated)
	}
	edits, ok := replaceContinues(pass, body)
	if !ok {
		return rules.None("the body returns, or leaves the loop with break, goto or a label: move it into a " +
			"function that reports whether the loop ends")
	}
	for c := range loop.Preorder((*ast.DeferStmt)(nil)) {
		if in, _ := flow.Func(c); in == around(loop) {
			d, isDefer := c.Node().(*ast.DeferStmt)
			ok = ok && isDefer && !mayRecover(pass, d.Call) && ofIteration(pass, loop, body, d.Call)
		}
	}
	if !ok {
		return rules.None("a deferred call may recover from a panic, set results, or use what outlives the " +
			"iteration: move the body into a function, or call it at the end of each iteration")
	}
	return analysis.SuggestedFix{Message: "Make each iteration a function", TextEdits: append(edits,
		analysis.TextEdit{Pos: body.Lbrace, End: body.Lbrace + 1, NewText: []byte("{\nfunc() {")},
		analysis.TextEdit{Pos: body.Rbrace, End: body.Rbrace + 1, NewText: []byte("}()\n}")})}
}

// around returns the function around a node.
func around(c inspector.Cursor) inspector.Cursor {
	f, _ := flow.Func(c)
	return f
}

// mayRecover reports whether a deferred call may stop a panic, or set results: all but methods of
// types in other packages, and context's cancel functions.
func mayRecover(pass *analysis.Pass, call *ast.CallExpr) bool {
	if t := pass.TypesInfo.TypeOf(call.Fun); t != nil && types.TypeString(t, nil) == "context.CancelFunc" {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || flow.Method(pass.TypesInfo, call) == "" {
		return true
	}
	f := pass.TypesInfo.ObjectOf(sel.Sel)
	return f == nil || f.Pkg() == pass.Pkg
}

// ofIteration reports whether a deferred call releases something that the iteration creates, and
// that does not outlive it: neither it nor anything derived from it is stored. Locks that other
// iterations can see are often acquired one after the other, to be held together.
func ofIteration(pass *analysis.Pass, loop inspector.Cursor, body *ast.BlockStmt, call *ast.CallExpr) bool {
	e := ast.Unparen(call.Fun)
	if sel, ok := e.(*ast.SelectorExpr); ok {
		e = sel.X
	}
	v := flow.Variable(pass.TypesInfo, e)
	if v == nil || len(call.Args) > 0 {
		return false
	}
	for _, stmt := range body.List {
		assign, ok := stmt.(*ast.AssignStmt)
		if !ok || assign.Tok != token.DEFINE || len(assign.Rhs) != 1 {
			continue
		}
		made, mine := []types.Object{}, false
		for _, l := range assign.Lhs {
			if id, ok := l.(*ast.Ident); ok && pass.TypesInfo.Defs[id] != nil {
				made = append(made, pass.TypesInfo.Defs[id])
				mine = mine || pass.TypesInfo.Defs[id] == v
			}
		}
		if !mine {
			continue
		}
		if _, ok := assign.Rhs[0].(*ast.CallExpr); !ok {
			return false
		}
		return !slices.ContainsFunc(made, func(obj types.Object) bool { return kept(pass, loop, obj) })
	}
	return false
}

// kept reports whether a variable is used for more than calls, comparisons and field accesses.
func kept(pass *analysis.Pass, loop inspector.Cursor, obj types.Object) bool {
	for _, use := range flow.Uses(pass.TypesInfo, loop, obj) {
		if pass.TypesInfo.Defs[identOf(use)] == obj {
			continue
		}
		if f, _ := flow.Func(use); f != around(loop) {
			return true
		}
		switch use.ParentEdgeKind() {
		case edge.SelectorExpr_X, edge.BinaryExpr_X, edge.BinaryExpr_Y, edge.CallExpr_Fun:
			// A field or a method value may be stored, too.
			if sel := use.Parent(); use.ParentEdgeKind() == edge.SelectorExpr_X && sel.ParentEdgeKind() != edge.CallExpr_Fun {
				return true
			}
		case edge.CallExpr_Args:
			outer, ok := use.Parent().Node().(*ast.CallExpr)
			_, conversion := flow.Conversion(pass.TypesInfo, outer)
			if !ok || conversion || flow.Builtin(pass.TypesInfo, outer) != "" ||
				use.Parent().ParentEdgeKind() == edge.GoStmt_Call {
				return true
			}
		default:
			return true
		}
	}
	return false
}

func identOf(c inspector.Cursor) *ast.Ident {
	id, _ := c.Node().(*ast.Ident)
	return id
}

// replaceContinues replaces continue by return in a loop's body. It returns false if the loop is
// left from within.
func replaceContinues(pass *analysis.Pass, body *ast.BlockStmt) ([]analysis.TextEdit, bool) {
	var edits []analysis.TextEdit
	for _, e := range flow.Exits(body) {
		if e.Ends {
			return nil, false
		}
		edits = append(edits, rewrite.Replace(e.Stmt, "return"))
	}
	ok := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.LabeledStmt:
			ok = false
		case *ast.CallExpr:
			// recover works only in the deferred function itself, which would be a different one.
			ok = ok && flow.Builtin(pass.TypesInfo, n) != "recover"
		}
		return true
	})
	return edits, ok
}
