package boxing

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/types/typeutil"

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
			Name:     "boxing",
			Doc:      "report conversions to interfaces that allocate",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "value converted to an interface",
			ByHand: "the parameter's type is an interface and the value is kept there: pass a pointer, or take " +
				"the concrete type or a type parameter",
			CPU: rules.Boxing, Alloc: rules.Line, Mutex: rules.Nothing, Block: rules.Nothing,
			Profiled: true,
		}},
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
		if to, ok := flow.Conversion(pass.TypesInfo, call); ok {
			if isBoxed(pass, call.Args[0], to) {
				report(pass, []box{{call.Args[0], to}}, "a conversion")
			}
			continue
		}
		if formats(pass, call) {
			continue
		}
		t := pass.TypesInfo.TypeOf(call.Fun)
		if t == nil || flow.Builtin(pass.TypesInfo, call) != "" {
			continue
		}
		sig, ok := t.Underlying().(*types.Signature)
		if !ok {
			continue
		}
		name := "a function"
		if f, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func); ok {
			if f.Pkg() != nil && f.Pkg().Path() == "reflect" {
				continue // it takes only interfaces
			}
			name = f.Name()
			if f.Pkg() != nil && f.Pkg() != pass.Pkg && f.Signature().Recv() == nil {
				name = f.Pkg().Name() + "." + name
			}
		}
		var line []box // those that begin on one line are one finding
		for i, arg := range call.Args {
			to := parameter(sig, i, call.Ellipsis.IsValid())
			if to == nil || !isBoxed(pass, arg, to) || isMade(pass.TypesInfo, arg) {
				continue
			}
			if len(line) > 0 && lineOf(pass, arg) != lineOf(pass, line[0].value) {
				report(pass, line, name)
				line = nil
			}
			line = append(line, box{arg, to})
		}
		report(pass, line, name)
	}
	return nil, nil
}

// A box is a value that is converted to an interface.
type box struct {
	value ast.Expr
	to    types.Type
}

func lineOf(pass *analysis.Pass, n ast.Node) int { return pass.Fset.Position(n.Pos()).Line }

// formats reports whether a call is to a function of fmt that rule sprintf replaces.
func formats(pass *analysis.Pass, call *ast.CallExpr) bool {
	switch flow.Callee(pass.TypesInfo, call) {
	case "fmt.Sprintf", "fmt.Sprint":
	case "fmt.Fprintf", "fmt.Fprint":
		if t := pass.TypesInfo.TypeOf(call.Args[0]); t == nil ||
			t.String() != "*bytes.Buffer" && t.String() != "*strings.Builder" {
			return false
		}
	default:
		return false
	}
	_, ok := rewrite.Formatted(pass, call)
	return ok
}

// parameter returns the type of a function's parameter, or nil if there is none: f(g()) passes
// several.
func parameter(sig *types.Signature, i int, spread bool) types.Type {
	last := sig.Params().Len() - 1
	switch {
	case i < last || i == last && (!sig.Variadic() || spread):
		return sig.Params().At(i).Type()
	case sig.Variadic() && i >= last:
		if s, ok := sig.Params().At(last).Type().Underlying().(*types.Slice); ok {
			return s.Elem()
		}
	}
	return nil
}

// isBoxed reports whether a value is converted to an interface, and allocates for it.
func isBoxed(pass *analysis.Pass, value ast.Expr, to types.Type) bool {
	tv := pass.TypesInfo.Types[value]
	return types.IsInterface(to) && !isParameter(to) &&
		tv.Type != nil && tv.Value == nil && !tv.IsNil() && !isParameter(tv.Type) &&
		!types.IsInterface(tv.Type) && boxed(pass, tv.Type)
}

// isMade reports whether a value is built for the call from what the function knows: a pointer to
// it would need the same allocation.
func isMade(info *types.Info, value ast.Expr) bool {
	lit, ok := ast.Unparen(value).(*ast.CompositeLit)
	if !ok {
		return false
	}
	made := false
	ast.Inspect(lit, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, ok := info.Uses[id].(*types.Var)
			made = made || ok && !v.IsField() && v.Parent() != v.Pkg().Scope()
		}
		return !made
	})
	return made
}

// report reports the boxed values of one line as one cost.
func report(pass *analysis.Pass, line []box, by string) {
	if len(line) == 0 {
		return
	}
	relative := types.RelativeTo(pass.Pkg)
	first := line[0]
	text := fmt.Sprintf(
		"%s "+
			"(%s)", short(rewrite.Text(pass, first.value)), types.TypeString(pass.TypesInfo.TypeOf(first.value), relative),
	)
	verb := "is"
	if n := len(line) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
		verb = "are"
	}
	pass.Report(analysis.Diagnostic{
		Pos: first.value.Pos(), End: line[len(line)-1].value.End(), Category: "boxing",
		Message: fmt.Sprintf(
			"%s %s copied to the heap to be converted to an interface (%s) for %s",
			text, verb, types.TypeString(first.to, relative), by,
		),
	})
}

// short returns a value's source on one line.
func short(text string) string {
	const most = 40
	for i, r := range text {
		if i > most || r == '\n' {
			return text[:i] + "…"
		}
	}
	return text
}

func isParameter(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// boxed reports whether converting values of a type to an interface allocates: pointers, single
// bytes and booleans do not.
func boxed(pass *analysis.Pass, t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Tuple:
		return false
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Info()&types.IsUntyped == 0 && pass.TypesSizes.Sizeof(u) > 1
	case *types.Struct:
		if u.NumFields() == 1 {
			return boxed(pass, u.Field(0).Type())
		}
		return u.NumFields() > 1
	case *types.Array:
		if u.Len() == 1 {
			return boxed(pass, u.Elem())
		}
		return u.Len() > 1
	}
	return !isParameter(t)
}
