package logline

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"

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
	format  = "format"
	written = "write"
	dropped = "dropped"
)

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "logline",
			Doc:      "report log lines that cost more than their text",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: format, Title: "log line formatted through interfaces",
				ByHand: "the logger is not a *log.Logger, or an operand has no form without fmt: log fewer lines, or " +
					"build the text with strconv",
				CPU: `^fmt\.`, Alloc: `^$|^fmt\.`, Mutex: rules.Nothing, Block: rules.Nothing, Profiled: true,
			},
			{
				Category: written, Title: "each log line is a system call",
				ByHand: "it is unknown when the last lines must be written: wrap the writer in a bufio.Writer, and " +
					"flush it on a timer and wherever the program ends",
				CPU: `^os\.\(\*File\)\.Write$`, Alloc: rules.Nothing, Mutex: `^log\.`, Block: `^log\.`,
				Needs: rules.Review, Profiled: true,
			},
			{
				Category: dropped, Title: "arguments computed for a line that may not be logged",
				ByHand: "an argument may have side effects or panic: put the line into an if that calls Enabled of " +
					"the logger first",
				CPU:   `^fmt\.Sprint|^encoding/json\.Marshal`,
				Alloc: `^fmt\.Sprint|^encoding/json\.Marshal`,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	lines := newBuffering(pass, root)
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Once(c) || fails(c) {
			continue
		}
		name := flow.Callee(pass.TypesInfo, call)
		switch name {
		case "log.Printf", "(*log.Logger).Printf":
			line(pass, c, call)
			lines.report(call)
		case "log.Print", "(*log.Logger).Print", "log.Println", "(*log.Logger).Println":
			lines.report(call)
		case "log/slog.Debug", "(*log/slog.Logger).Debug", "log/slog.DebugContext", "(*log/slog.Logger).DebugContext":
			debug(pass, c, call)
		}
	}
	return nil, nil
}

// fails reports whether a function returns right after a line, with other statements below: then it
// logs an error, which is rare.
func fails(c inspector.Cursor) bool {
	stmt, ok := rewrite.Statement(c)
	if !ok {
		return false
	}
	var list []ast.Stmt
	switch around := stmt.Parent().Node().(type) {
	case *ast.BlockStmt:
		if k := stmt.Parent().ParentEdgeKind(); k == edge.FuncDecl_Body || k == edge.FuncLit_Body {
			return false
		}
		list = around.List
	case *ast.CaseClause:
		list = around.Body
	}
	if len(list) == 0 {
		return false
	}
	_, returns := list[len(list)-1].(*ast.ReturnStmt)
	return returns
}

// line reports a Printf whose text could be built without interfaces.
func line(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr) {
	if len(call.Args) < 2 || call.Ellipsis.IsValid() {
		return
	}
	pattern, ok := flow.StringConst(pass.TypesInfo, call.Args[0])
	if !ok {
		return
	}
	rules.Report(pass, call, format,
		"each line converts the operands to interfaces and parses the format",
		output(pass, c, call, pattern))
}

// output returns the fix that builds the text.
func output(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr, pattern string) analysis.SuggestedFix {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	switch {
	case !ok || c.ParentEdgeKind() != edge.ExprStmt_X:
		return rules.None("the call is deferred or started as a goroutine: log in a function literal instead")
	case !isLog(pass, sel.X):
		return rules.None(rewrite.Text(pass, sel.X) + " embeds a logger, and may have an Output method that " +
			"differs: call Output of the *log.Logger in it with a text built by strconv")
	case rewrite.HasComment(pass, call.Pos(), call.End()):
		return rules.None(rules.LostComment)
	}
	text, imports, ok := concatenation(pass, call, pattern)
	if !ok {
		return rules.None(fmt.Sprintf("the format %q has a verb, or an operand of a type, that + and strconv do "+
			"not write alike: with strings and integers for %%s and %%d, the line is built without fmt", pattern))
	}
	edits := append(imports, rewrite.Replace(call, "_ = "+rewrite.Text(pass, sel.X)+".Output(1, "+text+")"))
	return analysis.SuggestedFix{Message: "Build the text without interfaces", TextEdits: edits}
}

// isLog reports whether an expression is package log, or a logger itself: a type that embeds a
// logger may have another Output.
func isLog(pass *analysis.Pass, x ast.Expr) bool {
	if t := pass.TypesInfo.TypeOf(x); t != nil && t.String() == "*log.Logger" {
		return true
	}
	id, ok := x.(*ast.Ident)
	return ok && isPackage(pass, id)
}

// debug reports a debug line whose arguments are expensive.
func debug(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr) {
	works, harmless := false, true
	for _, a := range call.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.UnaryExpr:
				harmless = harmless && n.Op != token.ARROW
			case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
				harmless = false // may panic
			case *ast.BinaryExpr:
				harmless = harmless && n.Op != token.QUO && n.Op != token.REM && n.Op != token.SHL && n.Op != token.SHR
			case *ast.SelectorExpr:
				harmless = harmless && !throughPointer(pass, n)
			case *ast.CallExpr:
				if _, converts := flow.Conversion(pass.TypesInfo, n); converts {
					return true
				}
				switch flow.Callee(pass.TypesInfo, n) {
				case "fmt.Sprintf", "fmt.Sprint", "fmt.Sprintln":
					works = true
					for _, operand := range n.Args {
						t := pass.TypesInfo.TypeOf(operand)
						harmless = harmless && t != nil && flow.Plain(t)
					}
				case "encoding/json.Marshal", "encoding/json.MarshalIndent":
					works, harmless = true, false
				default:
					harmless = false
				}
			}
			return true
		})
	}
	if !works {
		return
	}
	fix := rules.None("an argument may panic, have side effects or be a call: put the line into an if that calls " +
		"Enabled of the logger, if all this may be skipped")
	if harmless {
		fix = guard(pass, c, call)
	}
	rules.Report(pass, call, dropped, "the arguments are computed before slog checks whether the line is logged", fix)
}

// throughPointer reports whether a field is accessed through a pointer, which may be nil.
func throughPointer(pass *analysis.Pass, sel *ast.SelectorExpr) bool {
	s, ok := pass.TypesInfo.Selections[sel]
	return ok && s.Indirect()
}

// guard returns the fix that first checks whether the line is logged.
func guard(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr) analysis.SuggestedFix {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || c.ParentEdgeKind() != edge.ExprStmt_X {
		return rules.None("the call is deferred or started as a goroutine: check Enabled before it")
	}
	if k := c.Parent().ParentEdgeKind(); k != edge.BlockStmt_List &&
		k != edge.CaseClause_Body && k != edge.CommClause_Body {
		return rules.None("the line is part of another statement: write it as a statement of a block")
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return rules.None("the logger is " + rewrite.Text(pass, sel.X) + ", which would be evaluated twice: with a " +
			"variable for it, the line is logged only if it is enabled")
	}
	logger, slog, edits := id.Name, id.Name, []analysis.TextEdit(nil)
	if isPackage(pass, id) {
		logger += ".Default()"
	} else {
		t := pass.TypesInfo.TypeOf(id)
		if t == nil || t.String() != "*log/slog.Logger" {
			return rules.None(id.Name + " is not a *slog.Logger: check Enabled of the logger in it by hand")
		}
		var imports []analysis.TextEdit
		if slog, imports, ok = rewrite.Import(pass, call.Pos(), "log/slog"); !ok {
			return rules.None(rules.Shadowed)
		}
		edits = append(edits, imports...)
	}
	ctx := ""
	if sel.Sel.Name == "DebugContext" {
		given, ok := call.Args[0].(*ast.Ident)
		if !ok {
			return rules.None("the context is " + rewrite.Text(pass, call.Args[0]) + ", which would be evaluated " +
				"twice: with a variable for it, the line is logged only if it is enabled")
		}
		ctx = given.Name
	} else {
		name, imports, ok := rewrite.Import(pass, call.Pos(), "context")
		if !ok {
			return rules.None(rules.Shadowed)
		}
		ctx = name + ".Background()"
		edits = append(edits, imports...)
	}
	edits = append(edits,
		rewrite.Insert(call.Pos(), "if "+logger+".Enabled("+ctx+", "+slog+".LevelDebug) {\n"),
		rewrite.Insert(call.End(), "\n}"))
	return analysis.SuggestedFix{Message: "Check first whether the line is logged", TextEdits: edits}
}
