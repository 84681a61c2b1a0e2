package repeated

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// Categories.
const (
	later  = "later"
	loop   = "loop"
	twice  = "twice"
	parsed = "query"
)

// New returns the rule.
func New() *rules.Rule {
	calls := pattern()
	cause := func(category, title, byHand, below string) rules.Cause {
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand,
			CPU: below, Alloc: below, Mutex: rules.Nothing, Block: rules.Nothing,
		}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "repeated",
			Doc:      "report results that are computed again from the same input",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause(later, "same result computed on each call of a handler",
				"the result cannot be kept outside the handler: compute it where the handler is made", calls),
			cause(loop, "same result computed in each iteration of a loop",
				"the result may be changed by one of its users: compute it before the loop, and copy it where "+
					"it is changed", calls),
			cause(twice, "same result computed again",
				"the result may be changed by one of its users: keep it in a variable, and copy it where it "+
					"is changed", calls),
			cause(parsed, "query of a request parsed again",
				"the result cannot be kept before the calls: keep the result of Query in a "+
					"variable", `^net/url\.\(\*URL\)\.Query$`),
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A group is calls with the same result, and where it could be computed once.
type group struct {
	category string
	calls    []inspector.Cursor
	stmt     inspector.Cursor // insert before this statement
	message  string
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for decl := range root.Preorder((*ast.FuncDecl)(nil)) {
		fn, ok := decl.Node().(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		names := rewrite.LocalNames(pass, fn)
		s := &inspection{
			info: pass.TypesInfo, decl: decl, kinds: kinds(),
			steady: map[*types.Var]bool{}, shares: sharesVariables(pass, fn),
		}
		jumps := false
		for c := range decl.Preorder((*ast.BranchStmt)(nil)) {
			b, ok := c.Node().(*ast.BranchStmt)
			jumps = jumps || ok && b.Tok == token.GOTO
		}
		for _, g := range append(s.outside(pass), s.queries()...) {
			var fix analysis.SuggestedFix
			if !jumps { // goto must not jump over a new variable
				fix = s.once(pass, names, g)
			}
			for _, c := range g.calls {
				if call, ok := c.Node().(*ast.CallExpr); ok {
					rules.Report(pass, call, g.category, g.message, fix)
				}
			}
		}
	}
	return nil, nil
}

// sharesVariables reports whether the iterations of a loop share its variables in the file of a
// function, as they did before Go 1.22: a function literal sees them change.
func sharesVariables(pass *analysis.Pass, fn *ast.FuncDecl) bool {
	v := pass.TypesInfo.FileVersions[rewrite.File(pass, fn.Pos())]
	if v == "" {
		v = pass.Pkg.GoVersion()
	}
	return v != "" && version.Compare(v, "go1.22") < 0
}

// outside returns the groups of calls of known functions.
func (s *inspection) outside(pass *analysis.Pass) []*group {
	var groups []*group
	moved := map[string]*group{}
	equal := map[string][]inspector.Cursor{}
	var texts []string
	done := token.NoPos // end of the last call that moves as a whole
	for c := range s.decl.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || call.Pos() < done {
			continue
		}
		vars, ok := s.pure(call)
		if !ok || len(vars) == 0 {
			continue
		}
		text := rewrite.Text(pass, call)
		for _, v := range vars {
			text += fmt.Sprint(" ", v.Pos())
		}
		category := later
		around, ok := maker(s.info, c, vars)
		if ok && s.shares && slices.ContainsFunc(vars, s.ofLoop) {
			continue
		}
		if !ok {
			category = loop
			around, ok = enclosingLoop(c, vars)
		}
		if !ok {
			if equal[text] == nil {
				texts = append(texts, text)
			}
			equal[text] = append(equal[text], c)
			continue
		}
		stmt, ok := rewrite.Statement(around)
		if !ok {
			continue
		}
		done = call.End()
		key := fmt.Sprint(category, stmt.Node().Pos(), text)
		if moved[key] == nil {
			what := "the function is called with the same variables each time"
			if category == loop {
				what = "nothing in it changes from one iteration to the next"
			}
			moved[key] = &group{
				category: category, stmt: stmt,
				message: shown(pass, call) + " has the same result each time: " + what,
			}
			groups = append(groups, moved[key])
		}
		moved[key].calls = append(moved[key].calls, c)
	}
	return append(groups, s.again(pass, texts, equal)...)
}

// shown returns a call in the form used in messages.
func shown(pass *analysis.Pass, call *ast.CallExpr) string {
	return rewrite.Text(pass, call.Fun)
}

// again returns the groups of equal calls, the largest expressions first.
func (s *inspection) again(pass *analysis.Pass, texts []string, equal map[string][]inspector.Cursor) []*group {
	var groups []*group
	slices.SortStableFunc(texts, func(a, b string) int { return size(equal[b][0]) - size(equal[a][0]) })
	var taken []ast.Node
	for _, text := range texts {
		calls := slices.DeleteFunc(equal[text], func(c inspector.Cursor) bool {
			return slices.ContainsFunc(taken, func(n ast.Node) bool {
				return n.Pos() <= c.Node().Pos() && c.Node().End() <= n.End()
			})
		})
		stmt, calls := together(calls)
		if len(calls) < 2 {
			continue
		}
		call, ok := calls[0].Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		for _, c := range calls {
			taken = append(taken, c.Node())
		}
		groups = append(groups, &group{
			twice, calls, stmt,
			fmt.Sprintf("%s is called %d times with the same arguments", shown(pass, call), len(calls)),
		})
	}
	return groups
}

func size(c inspector.Cursor) int { return int(c.Node().End() - c.Node().Pos()) }

// once returns the fix that computes the result of a group once.
func (s *inspection) once(pass *analysis.Pass, names *rewrite.Names, g *group) analysis.SuggestedFix {
	first, ok := g.calls[0].Node().(*ast.CallExpr)
	if !ok || g.category != parsed && !s.kinds[flow.Callee(s.info, first)] {
		return rules.None("users may change the result of " + rewrite.Text(pass, first) + ", and rely on having " +
			"their own: if they only read it, compute it once and keep it in a variable")
	}
	fix := analysis.SuggestedFix{Message: "Compute it once"}
	calls := g.calls
	name := ""
	if id := flow.Defines(g.calls[0]); id != nil && g.category == twice && s.holds(pass, id, calls) {
		// A variable already holds it.
		name, calls = id.Name, calls[1:]
	} else {
		if !rewrite.Means(pass, first, g.stmt.Node().Pos()) {
			return rules.None("a name in " + rewrite.Text(pass, first) + " means something else before the calls: " +
				"rename it, and the result is computed once")
		}
		name = names.Fresh(nameFor(s.info, first))
		fix.TextEdits = append(fix.TextEdits, rewrite.Before(pass, g.stmt.Node(), name+" := "+
			""+rewrite.Text(pass, first)))
	}
	for _, c := range calls {
		fix.TextEdits = append(fix.TextEdits, rewrite.Replace(c.Node(), name))
	}
	return fix
}

// holds reports whether a variable that is defined by the first of some calls still has the result
// where the others are.
func (s *inspection) holds(pass *analysis.Pass, id *ast.Ident, calls []inspector.Cursor) bool {
	v, ok := s.info.Defs[id].(*types.Var)
	if !ok || id.Name == "_" || !flow.Steady(s.info, s.decl, v) {
		return false
	}
	call, ok := calls[0].Node().(*ast.CallExpr)
	if !ok || !types.Identical(v.Type(), s.info.TypeOf(call)) {
		return false
	}
	return !slices.ContainsFunc(calls[1:], func(c inspector.Cursor) bool {
		return rewrite.Lookup(pass, c.Node().Pos(), id.Name) != types.Object(v)
	})
}
