package sprintf

import (
	_ "embed"
	"fmt"
	"go/ast"
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
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "sprintf",
			Doc:      "report values of basic types that fmt formats",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "string", Title: "string formatted by fmt",
				ByHand: "an operand may change while the others are evaluated: assign it to a variable first, and " +
					"concatenate with +",
				CPU: `^fmt\.Sprintf?$` + `|` + rules.Boxing, Alloc: rules.Line + `|^fmt\.Sprintf?$`,
				Mutex: rules.Nothing, Block: rules.Nothing, Profiled: true,
			},
			{
				Category: "write", Title: "text written by fmt",
				ByHand: "an operand may panic or change after the first part is written: assign it to a variable " +
					"first, and write the parts with WriteString",
				CPU: `^fmt\.Fprintf?$` + `|` + rules.Boxing, Alloc: rules.Line + `|^fmt\.Fprintf?$`,
				Mutex: rules.Nothing, Block: rules.Nothing, Profiled: true,
			},
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
		switch name := flow.Callee(pass.TypesInfo, call); name {
		case "fmt.Sprintf", "fmt.Sprint":
			if pieces, ok := rewrite.Formatted(pass, call); ok && isValue(c) {
				rules.Report(pass, call, "string",
					name+" takes its operands as interfaces and parses the format: + is enough",
					concatenate(pass, c, call, pieces))
			}
		case "fmt.Fprintf", "fmt.Fprint":
			if pieces, ok := rewrite.Formatted(pass, call); ok && c.ParentEdgeKind() == edge.ExprStmt_X {
				if to, ok := writer(pass, call.Args[0]); ok {
					rules.Report(pass, call, "write",
						name+" takes its operands as interfaces and parses the format: "+to+" writes strings itself",
						write(pass, c, call, pieces, to))
				}
			}
		}
	}
	return nil, nil
}

// isValue reports whether the result of a call is used.
func isValue(c inspector.Cursor) bool {
	switch c.ParentEdgeKind() {
	case edge.ExprStmt_X, edge.GoStmt_Call, edge.DeferStmt_Call:
		return false
	}
	return true
}

// concatenate returns the fix that builds the string with +.
func concatenate(
	pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr, pieces []rewrite.Piece,
) analysis.SuggestedFix {
	within, ok := flow.Outermost(c)
	switch {
	case !ok || !flow.InOrder(pass.TypesInfo, within, rewrite.Values(pieces)):
		return rules.None("an operand calls a function that may change another: with a variable for its result, + " +
			"is enough")
	case rewrite.HasComment(pass, call.Pos(), call.End()):
		return rules.None(rules.LostComment)
	}
	pkg, edits, ok := strconvFor(pass, call, pieces)
	if !ok {
		return rules.None(rules.Shadowed)
	}
	text := rewrite.Plus(pass, pieces, pkg)
	switch c.ParentEdgeKind() {
	case edge.IndexExpr_X, edge.SliceExpr_X:
		text = "(" + text + ")"
	}
	return analysis.SuggestedFix{Message: "Concatenate with +", TextEdits: append(edits, rewrite.Replace(call, text))}
}

// strconvFor imports strconv if pieces need it, and reports whether they can be written where the
// call is.
func strconvFor(pass *analysis.Pass, call *ast.CallExpr, pieces []rewrite.Piece) (string, []analysis.TextEdit, bool) {
	if !rewrite.Predeclared(pass, call.Pos(), "string", "int64", "uint64", "float64", "bool") {
		return "", nil, false
	}
	if !rewrite.NeedsStrconv(pieces) {
		return "", nil, true
	}
	return rewrite.Import(pass, call.Pos(), "strconv")
}

// writer returns the source of a *bytes.Buffer or *strings.Builder that is a variable or a field.
func writer(pass *analysis.Pass, e ast.Expr) (string, bool) {
	e = ast.Unparen(e)
	switch t := pass.TypesInfo.TypeOf(e); {
	case t == nil:
		return "", false
	case t.String() != "*bytes.Buffer" && t.String() != "*strings.Builder":
		return "", false
	}
	if u, ok := e.(*ast.UnaryExpr); ok {
		e = ast.Unparen(u.X)
	}
	for x := e; ; {
		switch n := ast.Unparen(x).(type) {
		case *ast.Ident:
			return rewrite.Text(pass, e), true
		case *ast.SelectorExpr:
			x = n.X
		default:
			return "", false
		}
	}
}

// write returns the fix that makes a buffer write the pieces itself.
func write(
	pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr, pieces []rewrite.Piece, to string,
) analysis.SuggestedFix {
	switch {
	case !flow.InBlock(c.Parent()):
		return rules.None("the call is part of another statement: write it as a statement of a block")
	case rewrite.HasComment(pass, call.Pos(), call.End()):
		return rules.None(rules.LostComment)
	}
	isBuffer := strings.HasSuffix(pass.TypesInfo.TypeOf(call.Args[0]).String(), "bytes.Buffer")
	pkg, edits, ok := strconvFor(pass, call, pieces)
	if !ok {
		return rules.None(rules.Shadowed)
	}
	var lines []string
	for i, p := range pieces {
		// Nothing is written before the first operand is evaluated. A nil pointer panics in fmt
		// before or after that, as here.
		if p.X != nil && (flow.Calls(pass.TypesInfo, p.X) || len(pieces) > 1 && i > 0 && !harmless(pass.TypesInfo, p.X)) {
			return rules.None(rewrite.Text(pass, p.X) + " may panic, or depend on what is already written to " + to +
				": with a variable for it before the call, the parts are written without fmt")
		}
		switch {
		case p.Bytes && isBuffer:
			// They may be the buffer's own, and move when it grows.
			return rules.None(rewrite.Text(pass, p.X) + " may be bytes of " + to + " itself: if they are not, " +
				"write them with Write")
		case p.Rune:
			lines = append(lines, to+".WriteRune("+rewrite.Text(pass, p.X)+")")
		case p.Bytes:
			lines = append(lines, to+".Write("+rewrite.Text(pass, p.X)+")")
		case p.Func != "" && isBuffer && rewrite.Predeclared(pass, call.Pos(), "make", "byte"):
			// On the stack: if the buffer's capacity is used up, AppendInt would allocate twice.
			lines = append(lines, to+".Write("+p.Append(pass, fmt.Sprintf("make([]byte, 0, %d)", room(p)), pkg)+")")
		default:
			lines = append(lines, to+".WriteString("+p.String(pass, pkg)+")")
		}
	}
	return analysis.SuggestedFix{
		Message:   "Write the parts without fmt",
		TextEdits: append(edits, rewrite.Replace(call, strings.Join(lines, "\n"))),
	}
}

// room returns the usual maximum number of bytes that strconv appends for a piece.
func room(p rewrite.Piece) int {
	if (p.Func == "Int" || p.Func == "Uint") && p.Args[1] == "10" {
		return len("-9223372036854775808")
	}
	return 64 // a float, a short quoted string, an integer in base 2
}

// harmless reports whether an expression neither panics nor depends on what is written: constants,
// variables, fields of structs, and conversions of them.
func harmless(info *types.Info, e ast.Expr) bool {
	if info.Types[e].Value != nil {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		s := info.Selections[e]
		if s == nil {
			return true // of a package
		}
		return s.Kind() == types.FieldVal && !s.Indirect() && harmless(info, e.X)
	case *ast.CallExpr:
		to, ok := flow.Conversion(info, e)
		if !ok {
			return false
		}
		_, isBasic := to.Underlying().(*types.Basic)
		return isBasic && harmless(info, e.Args[0])
	}
	return false
}
