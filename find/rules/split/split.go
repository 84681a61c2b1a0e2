package split

import (
	_ "embed"
	"fmt"
	"go/ast"
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
	const splitting = `^(strings|bytes)\.(Split|SplitN|SplitAfter|Fields|genSplit)$`
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "split",
			Doc:      "report strings that are split into a slice that is not kept",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "range", Title: "string split into a slice only to range over it",
				ByHand: "the function has no iterator for this use: range over strings.SplitSeq at the place of the " +
					"split",
				CPU: splitting, Alloc: splitting, Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "parts", Title: "string split into a slice for one or two parts",
				ByHand: "the parts are used in a way that strings.Cut does not provide: cut the string, or take its " +
					"parts by their indexes",
				CPU: splitting, Alloc: splitting, Mutex: rules.Nothing, Block: rules.Nothing,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A splitter is one of the functions that return slices of parts.
type splitter struct {
	pkg, name string
	sep       string // the separator; "" for Fields
	limit     int64  // for SplitN; -1 for the others
}

func (s splitter) String() string { return s.pkg + "." + s.name }

// A splitFinder analyzes one package.
type splitFinder struct {
	pass   *analysis.Pass
	places flow.Places
	names  *rewrite.Locals
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	f := &splitFinder{pass: pass, places: flow.NewPlaces(pass.TypesInfo, root), names: rewrite.NewLocals(pass)}
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		if s, ok := f.splitter(call); ok {
			f.look(c, call, s)
		}
	}
	return nil, nil
}

// splitter returns the function that a call refers to, if it splits a string by a constant.
func (f *splitFinder) splitter(call *ast.CallExpr) (splitter, bool) {
	pkg, name, _ := strings.Cut(flow.Callee(f.pass.TypesInfo, call), ".")
	s := splitter{pkg: pkg, name: name, limit: -1}
	if pkg != "strings" && pkg != "bytes" || len(call.Args) == 0 || len(call.Args) == 1 && name != "Fields" {
		return s, false // f(g()) passes several values
	}
	switch name {
	case "Fields":
		return s, true
	case "SplitN":
		var ok bool
		if s.limit, ok = flow.IntConst(f.pass.TypesInfo, call.Args[len(call.Args)-1]); !ok {
			return s, false
		}
	case "Split", "SplitAfter":
	default:
		return s, false
	}
	sep := call.Args[1]
	if conversion, ok := ast.Unparen(sep).(*ast.CallExpr); ok && len(conversion.Args) == 1 {
		sep = conversion.Args[0] // []byte("x")
	}
	s.sep, _ = flow.StringConst(f.pass.TypesInfo, sep)
	return s, s.sep != ""
}

// look determines how the parts are used.
func (f *splitFinder) look(c inspector.Cursor, call *ast.CallExpr, s splitter) {
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	switch c.ParentEdgeKind() {
	case edge.RangeStmt_X:
		f.ranged(call, c.Parent(), s, true)
	case edge.IndexExpr_X:
		f.indexed(c.Parent(), call, s)
	case edge.AssignStmt_Rhs:
		f.assigned(c, call, s)
	}
}

// ranged reports parts that are ranged over without their indexes. here is set if the loop
// immediately follows the split.
func (f *splitFinder) ranged(call *ast.CallExpr, loop inspector.Cursor, s splitter, here bool) {
	r, ok := loop.Node().(*ast.RangeStmt)
	if !ok || r.Key != nil && !isBlank(r.Key) || s.name == "SplitN" || !flow.Since(f.pass, call.Pos(), "go1.24") {
		return
	}
	fix := rules.None("the loop does not follow the split at once: range over the call itself, which can be an " +
		"iterator")
	if s.pkg != "strings" {
		fix = rules.None("the parts are slices of bytes, which the loop may change: if it only reads them, range " +
			"over " + s.pkg + "." +
			s.name + "Seq")
	}
	if here && s.pkg == "strings" {
		fix = f.sequence(call, r, s)
	}
	rules.Report(f.pass, call, "range", fmt.Sprintf("%s makes a slice of all parts, which are only ranged "+
		"over", s), fix)
}

// sequence returns the fix that ranges over an iterator, whose only variable is the part.
func (f *splitFinder) sequence(call *ast.CallExpr, r *ast.RangeStmt, s splitter) analysis.SuggestedFix {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || r.Key != nil && rewrite.HasComment(f.pass, r.Key.Pos(), r.X.Pos()) {
		return rules.None(rules.LostComment)
	}
	edits := []analysis.TextEdit{rewrite.Replace(sel.Sel, s.name+"Seq")}
	if r.Key != nil {
		text := "range "
		if r.Value != nil && !isBlank(r.Value) {
			text = rewrite.Text(f.pass, r.Value) + " " + r.Tok.String() + " range "
		}
		edits = append(edits, analysis.TextEdit{Pos: r.Key.Pos(), End: r.X.Pos(), NewText: []byte(text)})
	}
	return analysis.SuggestedFix{Message: "Iterate over the parts", TextEdits: edits}
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
