package reflection

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
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
	const (
		comparing = `^reflect\.(DeepEqual|deepValueEqual)$`
		binary    = `^encoding/binary\.(Read|Write)$`
		scanning  = `^fmt\.(Sscan|Sscanf)$`
	)
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "reflection",
			Doc:      "report values of a known type that are handled by reflection",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "equal", Title: "values compared by reflection",
				ByHand: "the type has parts that == compares in another way: write a method that compares the fields",
				CPU:    comparing, Alloc: `^$|` + comparing, Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "binary", Title: "bytes read or written by reflection",
				ByHand: "which errors and types the caller expects depends on the program: read and write each field " +
					"with the methods of binary.ByteOrder",
				CPU: binary, Alloc: `^$|` + binary, Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "scan", Title: "number parsed by fmt",
				ByHand: "strconv accepts other text and returns other errors: parse the trimmed text with strconv, " +
					"and check its error",
				CPU: scanning, Alloc: `^$|` + scanning, Mutex: rules.Nothing, Block: rules.Nothing,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		switch name := flow.Callee(pass.TypesInfo, call); name {
		case "reflect.DeepEqual":
			if len(call.Args) == 2 {
				reportEqual(pass, c, call)
			}
		case "encoding/binary.Read", "encoding/binary.Write":
			if len(call.Args) == 3 && structs(pass.TypesInfo.TypeOf(call.Args[2])) {
				rules.Report(pass, call.Fun, "binary",
					name+" finds the fields by reflection, although binary.ByteOrder has a method for each size",
					analysis.SuggestedFix{})
			}
		case "fmt.Sscan", "fmt.Sscanf":
			if of, ok := number(pass.TypesInfo, call, name); ok {
				rules.Report(pass, call.Fun, "scan",
					fmt.Sprintf(
						"%s reads one %s rune by rune, through an interface, although strconv has a function for it",
						name, of,
					),
					analysis.SuggestedFix{})
			}
		}
	}
	return nil, nil
}

// structs reports whether encoding/binary has no fast path for a type: it has one for numbers and
// slices of them.
func structs(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// number returns the type of the single number that a text is scanned for.
func number(info *types.Info, call *ast.CallExpr, name string) (string, bool) {
	args := call.Args
	if name == "fmt.Sscanf" {
		if len(args) != 3 {
			return "", false
		}
		format, ok := flow.StringConst(info, args[1])
		if !ok || len(format) != 2 || !strings.HasPrefix(format, "%") {
			return "", false
		}
		args = args[1:]
	}
	if len(args) != 2 || call.Ellipsis.IsValid() {
		return "", false
	}
	p, ok := info.TypeOf(args[1]).(*types.Pointer)
	if !ok {
		return "", false
	}
	b, ok := p.Elem().(*types.Basic)
	if !ok || b.Info()&types.IsNumeric == 0 {
		return "", false
	}
	return b.Name(), true
}

// reportEqual reports reflect.DeepEqual(a, b).
func reportEqual(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr) {
	info := pass.TypesInfo
	a, b := call.Args[0], call.Args[1]
	t := info.TypeOf(a)
	fix := rules.None("an operand calls a function or may change: with variables for both, they can be compared " +
		"without reflection")
	switch {
	case !types.Identical(t, info.TypeOf(b)):
		fix = rules.None(fmt.Sprintf("the operands have the types %s and %s, and values of different types are "+
			"never equal: compare values of one type", types.TypeString(t, types.RelativeTo(pass.Pkg)),
			types.TypeString(info.TypeOf(b), types.RelativeTo(pass.Pkg))))
	case rewrite.HasComment(pass, call.Pos(), call.End()):
		fix = rules.None(rules.LostComment)
	}
	pure := flow.Same(info, a, a) && flow.Same(info, b, b)
	if pure && types.Identical(t, info.TypeOf(b)) && !rewrite.HasComment(pass, call.Pos(), call.End()) {
		fix = equal(pass, c, call, t)
	}
	rules.Report(pass, call.Fun, "equal",
		fmt.Sprintf(
			"reflect.DeepEqual compares two values of type %s by reflection",
			types.TypeString(t, types.RelativeTo(pass.Pkg)),
		),
		fix)
}

// equal returns the fix that compares two values of a type without reflection.
func equal(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr, t types.Type) analysis.SuggestedFix {
	a, b := rewrite.Text(pass, call.Args[0]), rewrite.Text(pass, call.Args[1])
	path := ""
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if b, ok := u.Elem().(*types.Basic); ok && b.Kind() == types.Byte {
			path = "bytes"
		} else if exact(u.Elem()) {
			path = "slices"
		}
	case *types.Map:
		if exact(u.Key()) && exact(u.Elem()) {
			path = "maps"
		}
	default:
		if !exact(t) {
			return inexact(pass, t)
		}
		return analysis.SuggestedFix{
			Message:   "Compare the values",
			TextEdits: []analysis.TextEdit{rewrite.Replace(call, parenthesized(c, a+" == "+b))},
		}
	}
	switch {
	case path == "":
		return inexact(pass, t)
	case !flow.Since(pass, call.Pos(), "go1.21"):
		return rules.None("go.mod requires a Go before 1.21, which has no package " + path + ": require go 1.21")
	case !rewrite.Predeclared(pass, call.Pos(), "nil"):
		return rules.None(rules.Shadowed)
	}
	pkg, edits, ok := rewrite.Import(pass, call.Pos(), path)
	if !ok {
		return rules.None(rules.Shadowed)
	}
	text := fmt.Sprintf("(%s == nil) == (%s == nil) && %s.Equal(%s, %s)", a, b, pkg, a, b)
	return analysis.SuggestedFix{
		Message:   "Compare the elements",
		TextEdits: append(edits, rewrite.Replace(call, parenthesized(c, text))),
	}
}

// inexact returns the reason why values of a type are not compared by ==.
func inexact(pass *analysis.Pass, t types.Type) analysis.SuggestedFix {
	return rules.None(types.TypeString(t, types.RelativeTo(pass.Pkg)) + " has pointers, interfaces, floating-point " +
		"numbers or blank fields, which == compares in another way: write a function that compares its parts")
}

// exact reports whether values of a type are deeply equal exactly if they are equal by ==.
// Floating-point numbers in a slice are not, because a NaN is equal to itself if the slice is the
// same.
func exact(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsInteger|types.IsString|types.IsBoolean) != 0
	case *types.Array:
		return exact(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			// == ignores blank fields.
			if f.Name() == "_" || !exact(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// parenthesized returns an expression that can replace a call.
func parenthesized(c inspector.Cursor, text string) string {
	switch c.ParentEdgeKind() {
	case edge.IfStmt_Cond, edge.ForStmt_Cond,
		edge.ReturnStmt_Results, edge.AssignStmt_Rhs, edge.ValueSpec_Values,
		edge.CallExpr_Args, edge.ParenExpr_X:
		return text
	case edge.BinaryExpr_X, edge.BinaryExpr_Y:
		if b, ok := c.Parent().Node().(*ast.BinaryExpr); ok && b.Op == token.LOR {
			return text
		}
	}
	return "(" + text + ")"
}
