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
			Doc:      "report values that are put into interfaces",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "value put into an interface",
			CPU:   rules.Boxing, Alloc: rules.Line, Mutex: rules.Nothing, Block: rules.Nothing,
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
			report(pass, call.Args[0], to, "a conversion")
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
			name = f.Name()
			if f.Pkg() != nil && f.Pkg() != pass.Pkg && f.Signature().Recv() == nil {
				name = f.Pkg().Name() + "." + name
			}
		}
		for i, arg := range call.Args {
			if to := parameter(sig, i, call.Ellipsis.IsValid()); to != nil {
				report(pass, arg, to, name)
			}
		}
	}
	return nil, nil
}

// parameter is the type of a function's parameter, nil if there is none: f(g()) hands several over.
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

// report reports a value that is put into an interface and needs memory there.
func report(pass *analysis.Pass, value ast.Expr, to types.Type, by string) {
	tv := pass.TypesInfo.Types[value]
	if !types.IsInterface(to) || isParameter(to) || tv.Type == nil || tv.Value != nil || tv.IsNil() || isParameter(tv.Type) || types.IsInterface(tv.Type) || !boxed(pass, tv.Type) {
		return
	}
	relative := types.RelativeTo(pass.Pkg)
	rules.Report(pass, value, "boxing", fmt.Sprintf("%s (%s) is copied to the heap to be put into an interface (%s) for %s",
		short(rewrite.Text(pass, value)), types.TypeString(tv.Type, relative), types.TypeString(to, relative), by), analysis.SuggestedFix{})
}

// short is a value's source on one line.
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

// boxed tells whether an interface needs memory for values of a type: not for what is a pointer, nor
// for single bytes and booleans, which are there ready made.
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
