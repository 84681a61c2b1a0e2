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
	// A map allocates its first group with the first key, whatever its initial size. Allocation
	// profiles cannot distinguish that from growth, because they omit runtime frames.
	const growingMap = `^internal/runtime/maps\.\(\*(Map|table)\)\.(grow$|growToTable|rehash|split)`
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "capacity",
			Doc:      "report slices and maps that grow although their size is known",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "append", Title: "slice grows to a known length",
				ByHand: "the number cannot be written where the slice is declared: allocate it with make and that " +
					"capacity",
				CPU: growingSlice, Alloc: rules.Line, Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "filter", Title: "slice grows to a length with a known bound",
				ByHand: "the number cannot be written where the slice is declared: allocate it with make and a " +
					"capacity that is usually enough",
				CPU: growingSlice, Alloc: rules.Line, Mutex: rules.Nothing, Block: rules.Nothing,
				Needs: rules.Review, Profiled: true,
			},
			{
				Category: "map", Title: "map grows to a known size",
				ByHand: "the number cannot be written where the map is made: pass the number of keys to make",
				CPU:    growingMap, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "keys", Title: "map grows to a size with a known bound",
				ByHand: "the number cannot be written where the map is made: pass the number of keys to make",
				CPU:    growingMap, Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing,
				Needs: rules.Review, Profiled: true,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A growthFinder analyzes one package.
type growthFinder struct {
	pass   *analysis.Pass
	places flow.Places
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	f := &growthFinder{pass: pass, places: flow.NewPlaces(pass.TypesInfo, root)}
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
