package rerender

import (
	_ "embed"
	"go/ast"
	"go/types"

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
			Name:     "rerender",
			Doc:      "report pages that are rendered again from the same input",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			// A cached page saves all work of the function.
			Title: "page rendered again from the same input", CPU: "", Alloc: "",
			ByHand: "the function cannot keep its pages: keep what was rendered in a map with a limit, by the " +
				"arguments",
			Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

// A page is a function that renders a page.
type page struct {
	decl     *ast.FuncDecl
	writer   *types.Var
	receiver *types.Var   // nil if there is none
	inputs   []*types.Var // all other parameters
}

func run(pass *analysis.Pass) (any, error) {
	insp := flow.Root(pass).Inspector()
	var k *knowledge
	names := rewrite.NewNames(pass)
	for c := range insp.Root().Preorder((*ast.FuncDecl)(nil)) {
		decl, ok := c.Node().(*ast.FuncDecl)
		if !ok || decl.Body == nil {
			continue
		}
		p, ok := signature(pass.TypesInfo, decl)
		if !ok || !renders(pass.TypesInfo, c, p) {
			continue
		}
		if k == nil {
			k = know(pass, insp)
		}
		if k.kept(decl) || !k.steady(p.receiver, decl, map[*ast.FuncDecl]bool{}) {
			continue
		}
		rules.Report(pass, decl.Body, "rerender",
			decl.Name.Name+" renders the same page again for the same arguments",
			p.cached(pass, names))
	}
	return nil, nil
}

// signature reports whether a function takes a writer and comparable values, and returns an error.
func signature(info *types.Info, decl *ast.FuncDecl) (p *page, ok bool) {
	f, ok := info.Defs[decl.Name].(*types.Func)
	if !ok {
		return nil, false
	}
	sig := f.Signature()
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 || sig.Variadic() || sig.Results().Len() != 1 ||
		!types.Identical(sig.Results().At(0).Type(), types.Universe.Lookup("error").Type()) {
		return nil, false
	}
	p = &page{decl: decl}
	if recv := sig.Recv(); recv != nil {
		// The cache identifies a receiver by its address, so there must be one.
		if _, isPointer := recv.Type().(*types.Pointer); !isPointer || recv.Name() == "" || recv.Name() == "_" {
			return nil, false
		}
		p.receiver = recv
	}
	for v := range sig.Params().Variables() {
		switch {
		case v.Name() == "" || v.Name() == "_":
			return nil, false
		case v.Type().String() == "io.Writer" && p.writer == nil:
			p.writer = v
		case isValue(v.Type()):
			p.inputs = append(p.inputs, v)
		default:
			return nil, false
		}
	}
	return p, p.writer != nil
}

// isValue reports whether values of a type are equal only if they are indistinguishable:
// floating-point numbers are not, because of 0 and -0.
func isValue(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsInteger|types.IsBoolean) != 0
	case *types.Array:
		return isValue(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" || !isValue(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// renders reports whether a function uses its writer once, for a template, and neither sets its
// parameters nor takes their addresses.
func renders(info *types.Info, c inspector.Cursor, p *page) bool {
	body := c.ChildAt(edge.FuncDecl_Body, -1)
	for _, v := range append([]*types.Var{p.receiver}, p.inputs...) {
		if v == nil {
			continue
		}
		for _, use := range flow.Uses(info, body, v) {
			if flow.IsSet(use) {
				return false
			}
		}
	}
	uses := flow.Uses(info, body, p.writer)
	if len(uses) != 1 || uses[0].ParentEdgeKind() != edge.CallExpr_Args || uses[0].ParentEdgeIndex() != 0 {
		return false
	}
	call, ok := uses[0].Parent().Node().(*ast.CallExpr)
	if !ok {
		return false
	}
	if f, ok := flow.Func(uses[0]); !ok || f != c {
		return false
	}
	switch flow.Callee(info, call) {
	case "(*html/template.Template).Execute", "(*html/template.Template).ExecuteTemplate",
		"(*text/template.Template).Execute", "(*text/template.Template).ExecuteTemplate":
		return true
	}
	return false
}
