package marshal

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"

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

// Categories.
const (
	asString = "string"
	copied   = "copied"
	indented = "indented"
	through  = "through"
)

// New returns the rule.
func New() *rules.Rule {
	cause := func(category, title, byHand, cpu, alloc string, needs rules.Need) rules.Cause {
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand,
			CPU: cpu, Alloc: alloc, Mutex: rules.Nothing, Block: rules.Nothing,
			Needs: needs,
		}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "marshal",
			Doc:      "report JSON that is copied needlessly",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause(asString, "JSON converted to a string to be written",
				"the writer is an interface without Write here: write the bytes as they are",
				rules.Converting+`|^fmt\.`, rules.Line+`|^fmt\.`, rules.Free),
			cause(copied, "JSON encoded into memory and copied to be written",
				"json.Encoder appends a newline, and an error comes after the first bytes: encode straight to "+
					"the writer if both are fine",
				rules.Growing, `^encoding/json\.Marshal$`, rules.Review),
			cause(indented, "JSON indented",
				"readers may expect the indented text: use json.Marshal if they do not",
				`^encoding/json\.(appendIndent|appendNewline)$`, `^encoding/json\.MarshalIndent$`, rules.Review),
			cause(through, "value copied through JSON",
				"the conversion also renames and drops fields: assign the fields one by "+
					"one", `^encoding/json\.`, `^encoding/json\.`, rules.Review),
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
		name := flow.Callee(pass.TypesInfo, call)
		if name == "encoding/json.MarshalIndent" {
			rules.Report(pass, call, indented,
				"json.MarshalIndent makes a second pass to indent the text, and more bytes are sent",
				analysis.SuggestedFix{})
		}
		if name != "encoding/json.Marshal" && name != "encoding/json.MarshalIndent" {
			continue
		}
		b := made(pass.TypesInfo, c)
		if b == nil {
			continue
		}
		decl, ok := flow.Decl(c)
		if !ok {
			continue
		}
		uses(pass, decl, b, call)
	}
	return nil, nil
}

// made returns the variable defined by a call with two results, or nil.
func made(info *types.Info, c inspector.Cursor) *types.Var {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
		return nil
	}
	id, ok := assign.Lhs[0].(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := info.Defs[id].(*types.Var)
	return v
}

// uses reports how a variable with JSON is used, if it is not set again.
func uses(pass *analysis.Pass, decl inspector.Cursor, b *types.Var, marshal *ast.CallExpr) {
	var reads []inspector.Cursor
	for _, use := range flow.Uses(pass.TypesInfo, decl, b) {
		if id, ok := use.Node().(*ast.Ident); ok && pass.TypesInfo.Defs[id] == b {
			continue
		}
		if flow.IsSet(use) {
			return
		}
		reads = append(reads, use)
	}
	for _, use := range reads {
		c := use
		isString := false
		if conv, ok := c.Parent().Node().(*ast.CallExpr); ok && c.ParentEdgeKind() == edge.CallExpr_Args {
			if to, converts := flow.Conversion(pass.TypesInfo, conv); converts && types.Identical(to, types.Typ[types.String]) {
				c, isString = c.Parent(), true
			}
		}
		call, ok := c.Parent().Node().(*ast.CallExpr)
		if !ok || c.ParentEdgeKind() != edge.CallExpr_Args {
			continue
		}
		name := flow.Callee(pass.TypesInfo, call)
		if name == "" {
			name = flow.Method(pass.TypesInfo, call)
		}
		switch {
		case name == "encoding/json.Unmarshal" && !isString:
			rules.Report(pass, marshal, through,
				"a value is encoded as JSON and decoded again to convert it to another type",
				analysis.SuggestedFix{})
			rules.Report(pass, call, through,
				"a value is encoded as JSON and decoded again to convert it to another type",
				analysis.SuggestedFix{})
		case isString && c.ParentEdgeIndex() == 1 && len(call.Args) == 2 &&
			(name == "io.WriteString" || name == "fmt.Fprint"),
			!isString && name == "fmt.Fprintf" && len(call.Args) == 3 && isText(pass.TypesInfo, call.Args[1]):
			rules.Report(pass, call, asString,
				b.Name()+" is copied to be written, although it could be written as it is",
				write(pass, call, b))
		case !isString && (name == "(net/http.ResponseWriter).Write" || name == "(io.Writer).Write") && len(reads) == 1:
			rules.Report(pass, marshal, copied, "json.Marshal encodes into a buffer and copies the result to "+b.Name()+
				", which is only written: json.Encoder writes directly, but appends a newline", analysis.SuggestedFix{})
		}
	}
}

func isText(info *types.Info, format ast.Expr) bool {
	s, ok := flow.StringConst(info, format)
	return ok && s == "%s"
}

// write returns the fix that calls the writer's own Write: io.WriteString, fmt.Fprint and
// fmt.Fprintf write everything in one call, and return its results.
func write(pass *analysis.Pass, call *ast.CallExpr, b *types.Var) analysis.SuggestedFix {
	w := call.Args[0]
	t := pass.TypesInfo.TypeOf(w)
	text := rewrite.Text(pass, w)
	switch ast.Unparen(w).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr:
	default:
		text = "(" + text + ")"
	}
	if t == nil || text == "" || types.NewMethodSet(t).Lookup(nil, "Write") == nil ||
		rewrite.HasComment(pass, call.Pos(), call.End()) {
		return rules.None(text + " has no method Write, or a comment would be lost: with an io.Writer, " + b.Name() +
			" is written as it is")
	}
	return analysis.SuggestedFix{
		Message:   "Write the bytes",
		TextEdits: []analysis.TextEdit{rewrite.Replace(call, text+".Write("+b.Name()+")")},
	}
}
