package urlquery

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"

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
	const parsing = `^net/url\.(\(\*URL\)\.Query|ParseQuery|parseQuery)$`
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "urlquery",
			Doc:      "report queries of URLs that are parsed again and again",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "query of a URL parsed more than once",
			ByHand: "the query may change between the calls: keep the result of Query in a variable where it does " +
				"not",
			CPU: parsing, Alloc: parsing, Mutex: rules.Nothing, Block: rules.Nothing,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

// A queryFinder analyzes one package.
type queryFinder struct {
	pass   *analysis.Pass
	places flow.Places
	names  *rewrite.Locals
}

// A query is the calls of Query on one URL within one function.
type query struct {
	url   ast.Expr
	fn    inspector.Cursor
	calls []inspector.Cursor
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	var order []*query
	byFunction := map[ast.Node][]*query{}
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Callee(pass.TypesInfo, call) != "(*net/url.URL).Query" {
			continue
		}
		fn, ok1 := flow.Func(c)
		sel, ok2 := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok1 || !ok2 || !flow.Same(pass.TypesInfo, sel.X, sel.X) {
			continue
		}
		var q *query
		for _, known := range byFunction[fn.Node()] {
			if flow.Same(pass.TypesInfo, known.url, sel.X) {
				q = known
			}
		}
		if q == nil {
			q = &query{url: sel.X, fn: fn}
			order = append(order, q)
			byFunction[fn.Node()] = append(byFunction[fn.Node()], q)
		}
		q.calls = append(q.calls, c)
	}
	if len(order) == 0 {
		return nil, nil
	}
	f := &queryFinder{pass: pass, places: flow.NewPlaces(pass.TypesInfo, root), names: rewrite.NewLocals(pass)}
	for _, q := range order {
		f.report(q)
	}
	return nil, nil
}

// report reports a query that is parsed more than once.
func (f *queryFinder) report(q *query) {
	text := rewrite.Text(f.pass, q.url)
	var loops bool
	var read []inspector.Cursor
	for _, c := range q.calls {
		_, inLoop := flow.Loop(c)
		loops = loops || inLoop
		if reads(c) {
			read = append(read, c)
		}
	}
	message := fmt.Sprintf("%s.Query() parses the query in each iteration", text)
	if len(q.calls) > 1 {
		message = fmt.Sprintf("%s.Query() parses the query %d times in this function", text, len(q.calls))
	} else if !loops {
		return
	}
	fix := f.once(q, read)
	for _, c := range q.calls {
		if len(fix.TextEdits) > 0 && !reads(c) {
			continue // parses on its own
		}
		rules.Report(f.pass, c.Node(), "urlquery", message, fix)
	}
}

// reads reports whether the values of a call are only read.
func reads(c inspector.Cursor) bool {
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	method, _, ok := flow.Receives(c)
	return ok && (method == "Get" || method == "Has" || method == "Encode")
}

// once returns the fix that parses into a variable before the first of the calls.
func (f *queryFinder) once(q *query, read []inspector.Cursor) analysis.SuggestedFix {
	if len(read) < 2 {
		return rules.None("the values of a call are kept or changed: if they are only read, keep the result of " +
			"Query in a variable")
	}
	none := rules.None("the URL may change between the calls, or the first of them is conditional: where it stays " +
		"the same, keep the result of Query in a variable before them")
	first, last := f.units(q.fn, read)
	stmt, ok := first.Node().(ast.Stmt)
	if !ok || !isAlwaysEvaluated(read[0], first) || !f.steady(q, first.Node().Pos(), last.Node().End()) {
		return none
	}
	name := f.names.Fresh(stmt.Pos(), "query")
	fix := analysis.SuggestedFix{
		Message:   "Parse the query once",
		TextEdits: []analysis.TextEdit{rewrite.Before(f.pass, stmt, name+" := "+rewrite.Text(f.pass, read[0].Node()))},
	}
	for _, c := range read {
		if rewrite.HasComment(f.pass, c.Node().Pos(), c.Node().End()) {
			return rules.None(rules.LostComment)
		}
		fix.TextEdits = append(fix.TextEdits, rewrite.Replace(c.Node(), name))
	}
	return fix
}

// units returns the first and the last statement with a call, in the innermost list that contains
// all calls.
func (f *queryFinder) units(fn inspector.Cursor, read []inspector.Cursor) (first, last inspector.Cursor) {
	end := read[len(read)-1].Node().End()
	for c := read[0]; c.Valid() && c != fn; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
		default:
			continue
		}
		if c.Parent().Node().End() < end {
			continue
		}
		for last = read[len(read)-1]; last.Parent() != c.Parent(); {
			last = last.Parent()
		}
		return c, last
	}
	return fn, fn
}

// isAlwaysEvaluated reports whether an expression is evaluated whenever the statement around it
// runs.
func isAlwaysEvaluated(c, stmt inspector.Cursor) bool {
	for ; c != stmt; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.BinaryExpr_Y:
			if b, ok := c.Parent().Node().(*ast.BinaryExpr); !ok || b.Op == token.LAND || b.Op == token.LOR {
				return false
			}
		case edge.IfStmt_Body, edge.IfStmt_Else, edge.ForStmt_Cond, edge.ForStmt_Post, edge.ForStmt_Body, edge.RangeStmt_Body,
			edge.SwitchStmt_Body, edge.TypeSwitchStmt_Body, edge.SelectStmt_Body, edge.FuncLit_Body,
			edge.GoStmt_Call, edge.DeferStmt_Call, edge.LabeledStmt_Stmt:
			return false
		case edge.IfStmt_Cond:
			if s, ok := c.Parent().Node().(*ast.IfStmt); !ok || s.Init != nil {
				return false // what runs first may change the URL
			}
		}
	}
	return true
}
