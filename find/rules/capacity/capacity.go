package capacity

import (
	_ "embed"
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	const growingSlice = `^runtime\.growslice`
	// A map's first group is taken when the first key comes, whatever room was asked for. Profiles of
	// allocations cannot tell it from what growing takes: they leave out the runtime's frames.
	const growingMap = `^internal/runtime/maps\.\(\*(Map|table)\)\.(grow$|growToTable|rehash|split)`
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "capacity",
			Doc:      "report slices and maps that grow though their size is known",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "append", Title: "slice grows to a length that is known before",
				CPU: growingSlice, Alloc: rules.Line, Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "filter", Title: "slice grows to a length of which a bound is known",
				CPU: growingSlice, Alloc: rules.Line, Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review, Profiled: true,
			},
			{
				Category: "map", Title: "map grows to a size that is known before",
				CPU: growingMap, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "keys", Title: "map grows to a size of which a bound is known",
				CPU: growingMap, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review, Profiled: true,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A finder looks through one package.
type finder struct {
	pass   *analysis.Pass
	places flow.Places
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	f := &finder{pass: pass, places: flow.NewPlaces(pass.TypesInfo, root)}
	for c := range root.Preorder((*ast.AssignStmt)(nil), (*ast.DeclStmt)(nil)) {
		v := f.declared(c)
		switch {
		case v == nil:
		case v.isMap:
			f.growingMap(v)
		default:
			f.growingSlice(v)
		}
	}
	return nil, nil
}
