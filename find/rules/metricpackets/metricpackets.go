package metricpackets

import (
	_ "embed"
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"

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
			Name:     "metricpackets",
			Doc:      "report metrics that are sent in separate packets",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "one packet per metric",
			ByHand: "the connection is used in other ways, too: collect lines in a buffer, and send it when it is " +
				"full or on a timer",
			CPU: `^net\.|^internal/poll\.|^os\.|^syscall\.`, Alloc: rules.Nothing,
			Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	if !speaksStatsD(pass) {
		return nil, nil
	}
	root := flow.Root(pass)
	sent := map[*types.Var][]inspector.Cursor{} // calls of Write, by field
	var order []*types.Var
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		if field := written(pass.TypesInfo, c); field != nil {
			if sent[field] == nil {
				order = append(order, field)
			}
			sent[field] = append(sent[field], c)
		}
	}
	names := rewrite.NewNames(pass)
	for _, field := range order {
		fix := packets(pass, root, names, field, sent[field])
		for _, c := range sent[field] {
			rules.Report(pass, c.Node(), "",
				"each line written to "+field.Name()+
					" is a separate packet, but the protocol allows several lines per packet",
				fix)
		}
	}
	return nil, nil
}

// speaksStatsD reports whether a package contains strings that end like lines of the StatsD
// protocol.
func speaksStatsD(pass *analysis.Pass) bool {
	line := regexp.MustCompile(`(^|[^|])\|(c|ms|g|h)$`)
	for e, tv := range pass.TypesInfo.Types {
		if _, literal := e.(*ast.BasicLit); literal && tv.Value != nil &&
			tv.Value.Kind() == constant.String && line.MatchString(constant.StringVal(tv.Value)) {
			return true
		}
	}
	return false
}

// written returns the struct field of this package that a call writes to, if it may be a connection
// and the call is in a method; nil otherwise.
func written(info *types.Info, c inspector.Cursor) *types.Var {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return nil
	}
	switch flow.Method(info, call) {
	case "(io.Writer).Write", "(net.Conn).Write", "(*net.conn).Write", "(*net.UDPConn).Write":
	default:
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	x, ok := ast.Unparen(sel.X).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	v, ok := info.Uses[x.Sel].(*types.Var)
	if !ok || !v.IsField() || len(call.Args) != 1 {
		return nil
	}
	return v
}
