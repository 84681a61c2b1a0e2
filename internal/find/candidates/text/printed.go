package text

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// printedGenerator prints a value in an interface without fmt, if its type is a common one.
func printedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "printed", Title: "value in an interface formatted by package fmt",
		Why:     "most such values are strings and numbers, which a type switch finds without reflection",
		Assumes: "most values have one of the common types",
		Kinds: []diagnosis.Kind{
			diagnosis.Formatting, diagnosis.Allocation, diagnosis.Reflection, diagnosis.Escape, diagnosis.Interface,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("fmt.Sprint", "fmt.Sprintf") {
				if p, ok := s.switchedOnType(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// printed is declared for values in interfaces.
const printed = `// %[1]s returns what %[2]s does for x.
func %[1]s(x %[3]s) string {
	switch x := x.(type) {
	case string:
		return x
	case int:
		return %[4]s.Itoa(x)
	case int64:
		return %[4]s.FormatInt(x, 10)
	case float64:
		return %[4]s.FormatFloat(x, 'g', -1, 64)
	case bool:
		return %[4]s.FormatBool(x)
	}
	return %[2]s
}`

// printedText is declared for %s, which prints only strings without an error.
const printedText = `// %[1]s returns what %[2]s does for x.
func %[1]s(x %[3]s) string {
	if x, ok := x.(string); ok {
		return x
	}
	return %[2]s
}`

// switchedOnType declares a function for fmt.Sprint(x), or for the formats %v and %s, and calls it.
func (s *site) switchedOnType(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || call.Ellipsis.IsValid() || rewrite.HasComment(s.Pass, call.Pos(), call.End()) ||
		!rewrite.Universe(s.Pass, "string", "int", "int64", "float64", "bool") {
		return p, false
	}
	source, x := printed, call.Args[len(call.Args)-1]
	format := ""
	switch len(call.Args) {
	case 1:
		if s.Callee(c) != "fmt.Sprint" {
			return p, false
		}
	case 2:
		text, isConst := flow.StringConst(info, call.Args[0])
		if !isConst || s.Callee(c) != "fmt.Sprintf" || text != "%v" && text != "%s" && text != "%+v" {
			return p, false
		}
		if text == "%s" {
			source = printedText
		}
		format = fmt.Sprintf("%q, ", text)
	default:
		return p, false
	}
	i, isInterface := info.TypeOf(x).Underlying().(*types.Interface)
	if _, isParam := types.Unalias(info.TypeOf(x)).(*types.TypeParam); !isInterface || isParam || i.NumMethods() > 0 {
		return p, false
	}
	pkg, edits, ok1 := rewrite.Import(s.Pass, call.Pos(), "strconv")
	typ, ok2 := rewrite.TypeText(s.Pass, call.Pos(), info.TypeOf(x))
	if !ok1 || !ok2 {
		return p, false
	}
	if format == "\"%+v\", " {
		source = printedText // numbers get a sign
	}
	if source == printedText {
		edits = nil
	}
	name := s.Names.Fresh("printed")
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(source, name,
		fmt.Sprintf("%s(%sx)", s.Text(call.Fun), format), typ, pkg))
	if !ok {
		return p, false
	}
	p.Message = "Print strings and numbers without fmt"
	p.Edits = append(edits, declared, rewrite.Replace(call, fmt.Sprintf("%s(%s)", name, s.Text(x))))
	return p, true
}
