package logline

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// atEnds inserts a buffer below the standard logger of a program that opens its log in init or main,
// and never closes it. Pending lines are written wherever the program ends itself: when main returns or
// panics, and at each of exits, the calls of os.Exit and log.Fatal.
func (b *buffering) atEnds(c inspector.Cursor, call *ast.CallExpr, exits []inspector.Cursor) analysis.SuggestedFix {
	none := unended()
	main := b.main()
	if main == nil || flow.Callee(b.pass.TypesInfo, call) != "log.SetOutput" || !b.opensOnly(c, call) {
		return none
	}
	kind, constructor, edits, ok := b.declared(call)
	if !ok {
		return none
	}
	lines, closing := b.names.Fresh("logLines"), b.names.Fresh("closeLog")
	declare, ok := rewrite.Declare(b.pass, call.Pos(), fmt.Sprintf(`// %[1]s has the lines of the log that are not written yet; nil before the log is opened.
var %[1]s *%[3]s

// %[2]s writes them. It must run before the program ends.
func %[2]s() {
	if %[1]s != nil {
		_ = %[1]s.close()
	}
}`, lines, closing, kind))
	if !ok {
		return none
	}
	stmt, ok := rewrite.Statement(c)
	if !ok {
		return none
	}
	edits = append(edits, declare,
		rewrite.Before(b.pass, stmt.Node(), lines+" = "+constructor+"("+rewrite.Text(b.pass, call.Args[0])+")"),
		rewrite.Replace(call.Args[0], lines),
		rewrite.Insert(main.Body.Lbrace+1, "\ndefer "+closing+"()"))
	imported := map[*ast.File]bool{}
	for _, exit := range exits {
		more, ok := b.flushed(exit, closing, imported)
		if !ok {
			return none
		}
		edits = append(edits, more...)
	}
	return analysis.SuggestedFix{Message: "Buffer log lines and write many at once", TextEdits: edits}
}

// main returns the function main of a command, or nil.
func (b *buffering) main() *ast.FuncDecl {
	if b.pass.Pkg.Name() != "main" {
		return nil
	}
	for _, file := range b.pass.Files {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "main" && fn.Body != nil {
				return fn
			}
		}
	}
	return nil
}

// opensOnly reports whether the function around log.SetOutput is init or main, starts no goroutine before
// it, and opens the file there, for nothing but the log.
func (b *buffering) opensOnly(c inspector.Cursor, call *ast.CallExpr) bool {
	info := b.pass.TypesInfo
	home, ok := flow.Func(c)
	if !ok || flow.Jumps(home) || rewrite.Generated(b.pass, call.Pos()) {
		return false
	}
	fn, ok := home.Node().(*ast.FuncDecl)
	if !ok || fn.Recv != nil || fn.Name.Name != "main" && fn.Name.Name != "init" {
		return false
	}
	// A statement of the function itself runs exactly once.
	if c.ParentEdgeKind() != edge.ExprStmt_X || c.Parent().Parent().Node() != ast.Node(fn.Body) {
		return false
	}
	for g := range home.Preorder((*ast.GoStmt)(nil)) {
		if g.Node().Pos() < call.Pos() {
			return false
		}
	}
	v := flow.Variable(info, call.Args[0])
	if v == nil || v.Type().String() != "*os.File" {
		return false
	}
	opened := false
	uses := flow.Uses(info, home, v)
	for _, use := range uses {
		opened = opened || opens(b.pass, use)
	}
	return opened && len(uses) == 2 // the other is the argument
}

// opens reports whether a name is defined as the result of a call that opens a file.
func opens(pass *analysis.Pass, name inspector.Cursor) bool {
	var values []ast.Expr
	switch s := name.Parent().Node().(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			values = s.Rhs
		}
	case *ast.ValueSpec:
		values = s.Values
	}
	if len(values) != 1 {
		return false
	}
	call, ok := ast.Unparen(values[0]).(*ast.CallExpr)
	if !ok {
		return false
	}
	switch flow.Callee(pass.TypesInfo, call) {
	case "os.Create", "os.OpenFile", "os.CreateTemp", "io/ioutil.TempFile":
		return true
	}
	return false
}

// flushed returns the edits that write pending lines at an exit: before os.Exit, and after the last line
// of log.Fatal. imported are the files that import os by an edit.
func (b *buffering) flushed(
	exit inspector.Cursor, closing string, imported map[*ast.File]bool,
) ([]analysis.TextEdit, bool) {
	call, ok := exit.Node().(*ast.CallExpr)
	if !ok || exit.ParentEdgeKind() != edge.ExprStmt_X || rewrite.Generated(b.pass, call.Pos()) {
		return nil, false
	}
	stmt, ok := rewrite.Statement(exit)
	if !ok || stmt != exit.Parent() {
		return nil, false
	}
	name := flow.Callee(b.pass.TypesInfo, call)
	if !strings.Contains(name, "Fatal") {
		return []analysis.TextEdit{rewrite.Before(b.pass, stmt.Node(), closing+"()")}, true
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !isLog(b.pass, sel.X) {
		return nil, false
	}
	pkg, imports, ok := rewrite.Import(b.pass, call.Pos(), "os")
	if !ok {
		return nil, false
	}
	file := rewrite.File(b.pass, call.Pos())
	if imported[file] {
		imports = nil
	}
	imported[file] = true
	return append(imports,
		rewrite.Replace(sel.Sel, strings.Replace(sel.Sel.Name, "Fatal", "Print", 1)),
		rewrite.Insert(call.End(), "\n"+closing+"()\n"+pkg+".Exit(1)"),
	), true
}
