package deferloop

import (
	_ "embed"
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "deferloop",
			Doc:      "report what costs",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "what costs",
			CPU:   rules.Nothing, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	insp := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	for c := range insp.Root().Preorder((*ast.CallExpr)(nil)) {
		if call := c.Node().(*ast.CallExpr); flow.Callee(pass.TypesInfo, call) == "example.Function" {
			rules.Report(pass, call, "", "this costs", analysis.SuggestedFix{})
		}
	}
	return nil, nil
}
