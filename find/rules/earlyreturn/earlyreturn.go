package earlyreturn

import (
	_ "embed"
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
			Name:     "earlyreturn",
			Doc:      "report work before a return that discards it",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title:  "work that an early return discards",
			ByHand: "moving the check would change what runs first: check the condition before the work",
			CPU:    "", Alloc: "", Mutex: rules.Nothing, Block: rules.Nothing,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

// A discarded is work followed by the return that may discard it.
type discarded struct {
	work  []ast.Stmt // before the statement with the return
	outer *ast.IfStmt
	// inner is the statement that returns: outer itself, or in its block directly after inside.
	inner  *ast.IfStmt
	inside []ast.Stmt
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	r := &rule{pass: pass, decls: map[types.Object]*ast.FuncDecl{}}
	for c := range root.Preorder((*ast.FuncDecl)(nil)) {
		if d, ok := c.Node().(*ast.FuncDecl); ok && d.Recv == nil {
			r.decls[pass.TypesInfo.Defs[d.Name]] = d
		}
	}
	for c := range root.Preorder((*ast.FuncDecl)(nil)) {
		if d, ok := c.Node().(*ast.FuncDecl); ok && d.Body != nil {
			r.function(c, d)
		}
	}
	return nil, nil
}

// A rule analyzes a package.
type rule struct {
	pass  *analysis.Pass
	decls map[types.Object]*ast.FuncDecl
	// For the current function.
	within inspector.Cursor
	follow map[types.Object]bool // pointers that are dereferenced in any case
}

// function looks for work before the returns in a function's outermost block.
func (r *rule) function(c inspector.Cursor, d *ast.FuncDecl) {
	r.within = c
	for i, s := range d.Body.List {
		outer, ok := s.(*ast.IfStmt)
		if !ok || outer.Init != nil || outer.Else != nil {
			continue
		}
		r.follow = map[types.Object]bool{}
		r.followed(outer.Cond)
		w := discarded{outer: outer, inner: outer}
		if !r.returns(d, outer) {
			if w.inner, w.inside = r.nested(d, outer); w.inner == nil {
				continue
			}
		}
		for first := i - 1; first >= 0 && r.pureStmt(d.Body.List[first]); first-- {
			w.work = d.Body.List[first:i]
		}
		if r.costs(&w) && r.independent(&w) {
			r.report(&w)
			return // one at a time: others may conflict
		}
	}
}

// returns reports whether a statement only returns, with constants at most.
func (r *rule) returns(d *ast.FuncDecl, s *ast.IfStmt) bool {
	if len(s.Body.List) != 1 {
		return false
	}
	ret, ok := s.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) == 0 && d.Type.Results != nil {
		return false
	}
	for _, e := range ret.Results {
		if tv := r.pass.TypesInfo.Types[e]; tv.Value == nil && !tv.IsNil() {
			return false
		}
	}
	return true
}

// nested returns the return in the block of a statement, and the statements before it.
func (r *rule) nested(d *ast.FuncDecl, outer *ast.IfStmt) (inner *ast.IfStmt, inside []ast.Stmt) {
	for i, s := range outer.Body.List {
		if one, ok := s.(*ast.IfStmt); ok && one.Init == nil && one.Else == nil && r.returns(d, one) {
			return one, outer.Body.List[:i]
		}
		if !r.pureStmt(s) {
			break
		}
	}
	return nil, nil
}

// followed records the pointers that evaluating an expression always dereferences.
func (r *rule) followed(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if v := flow.Variable(r.pass.TypesInfo, e.X); v != nil {
			r.follow[v] = true
		}
	case *ast.BinaryExpr:
		r.followed(e.X)
		if e.Op != token.LAND && e.Op != token.LOR {
			r.followed(e.Y)
		}
	case *ast.UnaryExpr:
		r.followed(e.X)
	}
}

// costs reports whether the work contains a call.
func (r *rule) costs(w *discarded) bool {
	found := false
	for _, list := range [][]ast.Stmt{w.work, w.inside} {
		for _, s := range list {
			ast.Inspect(s, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && flow.Builtin(r.pass.TypesInfo, call) == "" {
					if _, converts := flow.Conversion(r.pass.TypesInfo, call); !converts {
						found = true
					}
				}
				return !found
			})
		}
	}
	return found
}

// independent reports whether the conditions are independent of the work.
func (r *rule) independent(w *discarded) bool {
	set := map[types.Object]bool{}
	for _, list := range [][]ast.Stmt{w.work, w.inside} {
		for _, s := range list {
			if !r.pureStmt(s) {
				return false
			}
			ast.Inspect(s, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, lhs := range n.Lhs {
						if id, ok := lhs.(*ast.Ident); ok {
							set[r.pass.TypesInfo.ObjectOf(id)] = true
						}
					}
				case *ast.ValueSpec:
					for _, id := range n.Names {
						set[r.pass.TypesInfo.ObjectOf(id)] = true
					}
				}
				return true
			})
		}
	}
	for _, cond := range []ast.Expr{w.outer.Cond, w.inner.Cond} {
		mentions := false
		ast.Inspect(cond, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && set[r.pass.TypesInfo.ObjectOf(id)] {
				mentions = true
			}
			return true
		})
		if mentions || !r.changesOnlyRand(cond) {
			return false
		}
	}
	// The outer condition is evaluated twice.
	return w.inner == w.outer || r.pure(w.outer.Cond, 0)
}

func (r *rule) report(w *discarded) {
	from := w.inner.Pos()
	if len(w.inside) > 0 {
		from = w.inside[0].Pos()
	}
	if len(w.work) > 0 {
		from = w.work[0].Pos()
	}
	// Everything up to the return is wasted.
	rules.Report(r.pass, rules.Span{From: from, To: w.inner.Pos()}, "earlyreturn",
		"this is done before "+rewrite.Text(r.pass, w.inner.Cond)+", which may return without using it", r.fix(w, from))
}

// fix moves the check to the front.
func (r *rule) fix(w *discarded, from token.Pos) analysis.SuggestedFix {
	first := ast.Node(w.outer)
	if len(w.work) > 0 {
		first = w.work[0]
	}
	if rewrite.Generated(r.pass, from) {
		return rules.None(rules.IsGenerated)
	}
	cond, remove, start := r.operand(w.inner.Cond), ast.Node(w.inner), w.outer.Body.Lbrace+1
	if len(w.inside) > 0 {
		start = w.inside[len(w.inside)-1].End()
	}
	switch {
	case w.inner == w.outer:
		if len(w.work) == 0 {
			return rules.None("nothing but declarations comes before the check: move them below it")
		}
		cond, start = rewrite.Text(r.pass, w.inner.Cond), w.work[len(w.work)-1].End()
	case len(w.outer.Body.List) == 1:
		cond, remove, start = r.operand(w.outer.Cond)+" && "+cond, w.outer, w.outer.Pos()
	default:
		cond = r.operand(w.outer.Cond) + " && " + cond
	}
	if r.comments(start, remove) {
		return rules.None(rules.LostComment)
	}
	edit := rewrite.Replace(remove, "")
	if !rewrite.HasComment(r.pass, start, remove.Pos()) {
		edit.Pos = start // including the white space before it
	}
	text := "if " + cond + " " + rewrite.Text(r.pass, w.inner.Body)
	return analysis.SuggestedFix{
		Message:   "Check first whether there is anything to do",
		TextEdits: []analysis.TextEdit{rewrite.Before(r.pass, first, text), edit},
	}
}

// comments reports whether there are comments in a node or above it, after the line of a position.
func (r *rule) comments(start token.Pos, n ast.Node) bool {
	file := r.pass.Fset.File(start)
	if line := file.Line(start) + 1; line <= file.LineCount() {
		start = min(file.LineStart(line), n.Pos())
	}
	return rewrite.HasComment(r.pass, start, n.End())
}

// operand returns an expression as an operand of &&.
func (r *rule) operand(e ast.Expr) string {
	text := rewrite.Text(r.pass, e)
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.LOR {
		return "(" + text + ")"
	}
	return text
}
