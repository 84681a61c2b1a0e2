package jsoncodec

import (
	_ "embed"
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
)

//go:embed doc.go
var doc string

// Categories.
const (
	setting   = "jsonv2"
	generated = "generated"
)

const decodes = "decodes"

// The maximum speedups of the two remedies for decoding an array of small objects: only a part of
// the time can be saved.
const (
	faster   = 3.0 // GOEXPERIMENT=jsonv2, structs: 1.7 to 3
	compiled = 4.0 // a generated codec: 3 to 4
)

// New returns the rule.
func New() *rules.Rule {
	cause := func(
		category, title, byHand string, needs rules.Need, scope rules.Scope, part float64, set *rules.Setting,
	) rules.Cause {
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand, CPU: `^encoding/json\.`, Alloc: `^encoding/json\.`,
			Mutex: rules.Nothing, Block: rules.Nothing, Needs: needs, Scope: scope, Part: part, Setting: set, Profiled: true,
		}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "jsoncodec",
			Doc:      "report expensive uses of encoding/json",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause(setting, "JSON decoded by the old implementation",
				"it is a setting of the build: build with GOEXPERIMENT=jsonv2",
				rules.Settings, rules.OfModule, 1-1/faster,
				&rules.Setting{Build: []string{"GOEXPERIMENT=jsonv2"}}),
			cause(generated, "JSON encoded or decoded by reflection",
				"whet adds no modules to a program: generate a codec for the type (easyjson), or write "+
					"MarshalJSON by hand", rules.Dependency, rules.OfFunction, 1-1/compiled, nil),
		},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Once(c) {
			continue
		}
		verb := ""
		switch flow.Callee(pass.TypesInfo, call) {
		case "encoding/json.Unmarshal", "(*encoding/json.Decoder).Decode":
			verb = decodes
		case "encoding/json.Marshal", "encoding/json.MarshalIndent", "(*encoding/json.Encoder).Encode":
			verb = "encodes"
		default:
			continue
		}
		if !hasFields(pass.TypesInfo, root, c, call, verb) {
			continue
		}
		if f := typeutil.StaticCallee(pass.TypesInfo, call); verb == decodes &&
			f != nil && f.Pkg().Scope().Lookup("DefaultOptionsV1") == nil {
			// The package has no such function unless the setting is already used.
			rules.Report(pass, call, setting,
				"encoding/json decodes structs here: "+
					"building with GOEXPERIMENT=jsonv2 uses an implementation that is 1.7 to 3 times as fast",
				analysis.SuggestedFix{})
		}
		rules.Report(pass, call, generated,
			"encoding/json "+verb+" here by reflection: "+
				"a codec generated for the type (github.com/mailru/easyjson) avoids it, but matches keys "+
				"case-sensitively",
			analysis.SuggestedFix{})
	}
	return nil, nil
}
