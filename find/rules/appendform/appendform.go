package appendform

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	const (
		formats = `^strconv\.(Itoa|Format|Quote)|^time\.Time\.Format$`
		encodes = `^encoding/.*EncodeToString$`
	)
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "appendform",
			Doc:      "report strings that are allocated only to be appended",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "format", Title: "value formatted into a temporary string",
				ByHand: "the operand may change the buffer, or the buffer has another type: append to a []byte in a " +
					"separate statement",
				CPU: formats, Alloc: formats, Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "encode", Title: "bytes encoded into a temporary string",
				ByHand: "the operand may change the buffer, or the buffer has another type: append to a []byte in a " +
					"separate statement",
				CPU: encodes, Alloc: encodes, Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review,
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
		switch {
		case flow.Builtin(pass.TypesInfo, call) == "append":
			if len(call.Args) == 2 && call.Ellipsis.IsValid() {
				appended(pass, call)
			}
		case len(call.Args) == 1:
			written(pass, call)
		}
	}
	return nil, nil
}

// twin returns the source of the function or method that appends what a call returns as a string:
// the part before the slice, and the arguments after it.
func twin(pass *analysis.Pass, e ast.Expr) (category, function, args string, ok bool) {
	call, isCall := ast.Unparen(e).(*ast.CallExpr)
	if !isCall {
		return "", "", "", false
	}
	sel, isSelector := call.Fun.(*ast.SelectorExpr)
	if !isSelector || len(call.Args) == 0 {
		return "", "", "", false
	}
	args = rewrite.Between(pass, call.Args[0].Pos(), call.Args[len(call.Args)-1].End())
	category = "format"
	switch callee := flow.Callee(pass.TypesInfo, call); callee {
	case "strconv.Itoa":
		function = "AppendInt"
		if args += ", 10"; !types.Identical(pass.TypesInfo.TypeOf(call.Args[0]), types.Typ[types.Int64]) {
			args = "int64(" + rewrite.Text(pass, call.Args[0]) + "), 10"
		}
	case "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatFloat", "strconv.FormatBool":
		function = "Append" + strings.TrimPrefix(callee, "strconv.Format")
	case "strconv.Quote", "strconv.QuoteToASCII", "strconv.QuoteRune":
		function = "Append" + strings.TrimPrefix(callee, "strconv.")
	case "(time.Time).Format":
		function = "AppendFormat"
	case "encoding/hex.EncodeToString",
		"(*encoding/base64.Encoding).EncodeToString",
		"(*encoding/base32.Encoding).EncodeToString":
		category, function = "encode", "AppendEncode"
	default:
		return "", "", "", false
	}
	return category, rewrite.Text(pass, sel.X) + "." + function, args, true
}

// calls reports whether an argument of a call, its receiver included, may change the buffer before
// it is appended to.
func calls(pass *analysis.Pass, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return true
	}
	for _, a := range call.Args {
		if flow.Calls(pass.TypesInfo, a) {
			return true
		}
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return !ok || flow.Calls(pass.TypesInfo, sel.X)
}

// appended reports append(dst, X(v)...).
func appended(pass *analysis.Pass, call *ast.CallExpr) {
	category, function, args, ok := twin(pass, call.Args[1])
	if !ok {
		return
	}
	to := rewrite.Text(pass, call.Args[0])
	fix := obstacle(pass, call, call.Args[1], to)
	switch {
	case !isBytes(pass.TypesInfo.TypeOf(call.Args[0])):
		fix = rules.None(to + " is not a plain []byte: with one, " + function + " appends to it")
	case flow.Calls(pass.TypesInfo, call.Args[0]):
		fix = rules.None(to + " is the result of a call: with a variable for it, " + function + " appends to that")
	case writable(pass, call, call.Args[1]):
		fix = replace(call, fmt.Sprintf("%s(%s, %s)", function, rewrite.Text(pass, call.Args[0]), args))
	}
	rules.Report(pass, call, category, "a string is allocated only to be appended: "+function+" appends directly", fix)
}

// written reports buf.WriteString(X(v)).
func written(pass *analysis.Pass, call *ast.CallExpr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "WriteString" {
		return
	}
	switch callee := flow.Callee(pass.TypesInfo, call); callee {
	case "(*bytes.Buffer).WriteString", "(*bufio.Writer).WriteString":
		// A struct that embeds the buffer may define its own Write.
		if t := strings.TrimPrefix(pass.TypesInfo.TypeOf(sel.X).String(), "*"); !strings.HasPrefix(callee, "(*"+t+")") {
			return
		}
	default:
		return
	}
	category, function, args, ok := twin(pass, call.Args[0])
	if !ok {
		return
	}
	to := rewrite.Text(pass, sel.X)
	fix := obstacle(pass, call, call.Args[0], to)
	switch {
	case !isNamed(sel.X):
		fix = rules.None(to + " is not a variable, and would be evaluated twice: with a variable for it, " + function +
			" appends to its buffer")
	case writable(pass, call, call.Args[0]):
		fix = replace(call, fmt.Sprintf("%s.Write(%s(%s.AvailableBuffer(), %s))", to, function, to, args))
	}
	rules.Report(
		pass, call, category,
		"a string is allocated only to be written: "+function+" writes into the buffer's spare capacity",
		fix,
	)
}

func replace(call *ast.CallExpr, text string) analysis.SuggestedFix {
	return analysis.SuggestedFix{
		Message:   "Append to the buffer directly",
		TextEdits: []analysis.TextEdit{rewrite.Replace(call, text)},
	}
}

// writable reports whether the value may be formatted while the buffer is written.
func writable(pass *analysis.Pass, call *ast.CallExpr, value ast.Expr) bool {
	return !calls(pass, value) && !rewrite.HasComment(pass, call.Pos(), call.End()) &&
		rewrite.Predeclared(pass, call.Pos(), "int64")
}

// obstacle returns the reason why a value may not be formatted while the buffer to is written.
func obstacle(pass *analysis.Pass, call *ast.CallExpr, value ast.Expr, to string) analysis.SuggestedFix {
	switch {
	case calls(pass, value):
		return rules.None("an operand of " + rewrite.Text(pass, value) + " calls a function, which may change " + to +
			": with a variable for its result, the text is appended directly")
	case rewrite.HasComment(pass, call.Pos(), call.End()):
		return rules.None(rules.LostComment)
	}
	return rules.None(rules.Shadowed)
}

// isNamed reports whether an expression is a variable or a field of one, and may be evaluated
// twice.
func isNamed(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isNamed(e.X)
	}
	return false
}

// isBytes reports whether a type is unnamed []byte, which the append functions return.
func isBytes(t types.Type) bool {
	return t != nil && types.Identical(t, types.NewSlice(types.Typ[types.Byte]))
}
