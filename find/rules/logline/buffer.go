package logline

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed linebuffer/linebuffer.go
var lineBuffer string

// A maker is a place where a logger gets its writer.
type maker struct {
	standard bool         // the logger is the one of package log
	into     types.Object // the variable or field that the logger is assigned to, or nil
	fix      analysis.SuggestedFix
}

// A buffering inserts buffers below a package's loggers, if it is certain that pending lines are
// written in the end.
type buffering struct {
	pass   *analysis.Pass
	names  *rewrite.Names
	locals *rewrite.Locals
	makers []maker
}

// newBuffering finds where the loggers of a package are created.
func newBuffering(pass *analysis.Pass, root inspector.Cursor) *buffering {
	b := &buffering{pass: pass, names: rewrite.NewNames(pass), locals: rewrite.NewLocals(pass)}
	var made, exits []inspector.Cursor
	mainExits, otherExits := false, false
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || isTest(pass, call) {
			continue
		}
		switch flow.Callee(pass.TypesInfo, call) {
		case "log.New", "log.SetOutput":
			made = append(made, c)
		case "os.Exit", "syscall.Exit",
			"log.Fatal", "log.Fatalf", "log.Fatalln",
			"(*log.Logger).Fatal", "(*log.Logger).Fatalf", "(*log.Logger).Fatalln":
			// Deferred calls would not run then, and lines would be lost.
			exits = append(exits, c)
			mainExits, otherExits = mainExits || inMain(c), otherExits || !inMain(c)
		}
	}
	for _, c := range made {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		m := maker{standard: flow.Callee(pass.TypesInfo, call) == "log.SetOutput", into: receiver(pass.TypesInfo, c)}
		m.fix = rules.None("the package ends the program with os.Exit or log.Fatal, which runs no deferred calls, " +
			"so that lines would be lost: return from main instead, and close the file with a deferred call")
		if !otherExits && (!mainExits || !inMain(c)) {
			m.fix = b.fix(c, call)
		}
		if m.fix.TextEdits == nil && len(made) == 1 {
			m.fix = b.atEnds(c, call, exits)
		}
		b.makers = append(b.makers, m)
	}
	return b
}

func isTest(pass *analysis.Pass, n ast.Node) bool {
	return strings.HasSuffix(pass.Fset.File(n.Pos()).Name(), "_test.go")
}

// inMain reports whether code is in main itself: functions called by main have returned, or are not
// called yet.
func inMain(c inspector.Cursor) bool {
	f, ok := flow.Func(c)
	if !ok {
		return false
	}
	d, ok := f.Node().(*ast.FuncDecl)
	return ok && d.Recv == nil && d.Name.Name == "main"
}

// receiver returns the variable or field that a value is assigned to, or nil.
func receiver(info *types.Info, c inspector.Cursor) types.Object {
	if id := flow.Defines(c); id != nil {
		return info.Defs[id]
	}
	var to ast.Expr
	switch s := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		if c.ParentEdgeKind() == edge.AssignStmt_Rhs && len(s.Lhs) == len(s.Rhs) {
			to = s.Lhs[c.ParentEdgeIndex()]
		}
	case *ast.KeyValueExpr:
		to = s.Key
	}
	return named(info, to)
}

// named returns the variable or field that an expression denotes, or nil.
func named(info *types.Info, e ast.Expr) types.Object {
	var id *ast.Ident
	switch e := e.(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	}
	if id == nil {
		return nil
	}
	if v, ok := info.ObjectOf(id).(*types.Var); ok {
		return v
	}
	return nil
}

// of returns the fix for a log line, at the place where its logger is created: the one that sets
// the variable or field used by the line, or else the only one in the package.
func (b *buffering) of(call *ast.CallExpr) analysis.SuggestedFix {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return unended()
	}
	logger := named(b.pass.TypesInfo, ast.Unparen(sel.X))
	id, isName := sel.X.(*ast.Ident)
	standard := isName && isPackage(b.pass, id)
	var found []maker
	for _, m := range b.makers {
		if logger != nil && m.into == logger {
			return m.fix
		}
		if m.standard == standard {
			found = append(found, m)
		}
	}
	switch {
	case len(found) == 0:
		return rules.None("the package does not set where " + rewrite.Text(b.pass, sel.X) + " writes: give it a " +
			"bufio.Writer where it is created, and flush that on a timer and at the end")
	case len(found) > 1:
		return rules.None(fmt.Sprintf("%d places of the package create loggers, and it is not known which of them "+
			"is %s: give "+
			"each a bufio.Writer that is flushed on a timer and at the end", len(found), rewrite.Text(b.pass, sel.X)))
	}
	return found[0].fix
}

// unended returns the reason why a logger gets no buffer.
func unended() analysis.SuggestedFix {
	return rules.None("it is not certain that all lines are written in the end: close the file with a deferred " +
		"call in the function that creates the logger, or return a function that closes it")
}

// report reports a line that is written separately.
func (b *buffering) report(call *ast.CallExpr) {
	rules.Report(b.pass, call, written,
		"each line is written separately while other goroutines wait to log: to a file, that is a system call",
		b.of(call))
}

// fix inserts a buffer between a logger and its writer, the first argument of log.New or
// log.SetOutput, if its lines are certain to be written in the end: by a function that is returned
// along with the logger to close it, or before a file is closed by a deferred call.
func (b *buffering) fix(c inspector.Cursor, call *ast.CallExpr) analysis.SuggestedFix {
	none := unended()
	stmt, ok := rewrite.Statement(c)
	home, inFunc := flow.Func(c)
	if !ok || !inFunc || !isVariable(call.Args[0]) || flow.Jumps(home) || rewrite.Generated(b.pass, call.Pos()) {
		return none
	}
	if f, ok := flow.Func(stmt); !ok || f != home {
		return none
	}
	lines := b.locals.Fresh(call.Pos(), "lines")
	closing, after := []analysis.TextEdit(nil), ""
	if closer := b.closer(c, home); closer != nil {
		if closing, ok = b.closed(closer, lines); !ok {
			return none
		}
	} else {
		if !b.deferred(call.Args[0], stmt, home) {
			return none
		}
		after = "\ndefer func() { _ = " + lines + ".close() }() // flush before the file is closed"
	}
	_, constructor, edits, ok := b.declared(call)
	if !ok {
		return none
	}
	edits = append(edits, closing...)
	edits = append(edits,
		rewrite.Before(b.pass, stmt.Node(), lines+" := "+constructor+"("+rewrite.Text(b.pass, call.Args[0])+")"+after),
		rewrite.Replace(call.Args[0], lines))
	return analysis.SuggestedFix{Message: "Buffer log lines and write many at once", TextEdits: edits}
}

// isVariable reports whether an expression is a variable or a field of one, which can be read one
// statement earlier.
func isVariable(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name != "nil"
	case *ast.SelectorExpr:
		return isVariable(e.X)
	}
	return false
}

// closer returns the function that is returned along with a logger to close it, or nil: the only
// function literal without parameters, in the only return statement with the logger.
func (b *buffering) closer(c, home inspector.Cursor) *ast.FuncLit {
	into := receiver(b.pass.TypesInfo, c)
	var found *ast.FuncLit
	for r := range home.Preorder((*ast.ReturnStmt)(nil)) {
		s, ok := r.Node().(*ast.ReturnStmt)
		if f, inFunc := flow.Func(r); !ok || !inFunc || f != home {
			continue
		}
		if !(s.Pos() <= c.Node().Pos() && c.Node().Pos() < s.End()) &&
			(into == nil || !flow.Mentions(b.pass.TypesInfo, s, into)) {
			continue
		}
		var literal *ast.FuncLit
		for _, result := range s.Results {
			if l, ok := ast.Unparen(result).(*ast.FuncLit); ok && len(l.Type.Params.List) == 0 {
				if literal != nil {
					return nil
				}
				literal = l
			}
		}
		if literal == nil || found != nil {
			return nil
		}
		found = literal
	}
	return found
}

// closed returns the edits that make a function write pending lines before anything else, and
// return the error of that, or its own.
func (b *buffering) closed(closer *ast.FuncLit, lines string) ([]analysis.TextEdit, bool) {
	results := closer.Type.Results.NumFields()
	if results == 0 {
		return []analysis.TextEdit{rewrite.Insert(closer.Body.Lbrace+1, "\n_ = "+lines+".close()\n")}, true
	}
	t := b.pass.TypesInfo.TypeOf(closer.Type.Results.List[0].Type)
	if results > 1 || len(closer.Type.Results.List[0].Names) > 0 || t == nil ||
		!types.Identical(t, types.Universe.Lookup("error").Type()) {
		return nil, false
	}
	if len(closer.Body.List) == 1 {
		if r, ok := closer.Body.List[0].(*ast.ReturnStmt); ok && b.pass.TypesInfo.Types[r.Results[0]].IsNil() {
			return []analysis.TextEdit{rewrite.Replace(r.Results[0], lines+".close()")}, true
		}
	}
	failed := b.locals.Fresh(closer.Pos(), "failed")
	edits := []analysis.TextEdit{rewrite.Insert(closer.Body.Lbrace+1, "\n"+failed+" := "+lines+".close()\n")}
	ok := true
	ast.Inspect(closer.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if b.pass.TypesInfo.Types[n.Results[0]].IsNil() {
				edits = append(edits, rewrite.Replace(n.Results[0], failed))
				return false
			}
			pkg, imports, known := rewrite.Import(b.pass, n.Pos(), "cmp")
			ok = ok && known
			edits = append(edits, imports...)
			edits = append(edits,
				rewrite.Insert(n.Results[0].Pos(), pkg+".Or("+failed+", "),
				rewrite.Insert(n.Results[0].End(), ")"),
			)
			return false
		}
		return true
	})
	return edits, ok
}

// deferred reports whether the destination is closed by a call that was deferred before a
// statement, in the same function.
func (b *buffering) deferred(to ast.Expr, stmt, home inspector.Cursor) bool {
	info := b.pass.TypesInfo
	v := flow.Variable(info, to)
	if v == nil || len(flow.Uses(info, home, v)) == 0 {
		return false
	}
	if _, loops := flow.Loop(stmt); loops {
		return false
	}
	for d := range home.Preorder((*ast.DeferStmt)(nil)) {
		if f, ok := flow.Func(d); !ok || f != home || d.Node().Pos() > stmt.Node().Pos() {
			continue
		}
		if slices.ContainsFunc(flow.Uses(info, d, v), func(use inspector.Cursor) bool {
			method, _, ok := flow.Receives(use)
			return ok && method == "Close"
		}) {
			return true
		}
	}
	return false
}

// declared returns the type of buffers and the function that creates one, and the edits that declare
// them before the function around a node.
func (b *buffering) declared(at ast.Node) (kind, constructor string, edits []analysis.TextEdit, ok bool) {
	_, code, _ := strings.Cut(lineBuffer, "\n)\n\n")
	for _, path := range []string{"io", "sync", "time"} {
		name, imports, ok := rewrite.Import(b.pass, at.Pos(), path)
		if !ok {
			return "", "", nil, false
		}
		edits = append(edits, imports...)
		if name != path {
			return "", "", nil, false
		}
	}
	if !rewrite.Universe(b.pass, "len", "append", "byte", "int", "error", "nil", "true", "bool") {
		return "", "", nil, false
	}
	kind = b.names.Fresh("lineBuffer")
	constructor = b.names.Fresh("newLineBuffer")
	code = strings.NewReplacer("newLineBuffer", constructor, "lineBuffer", kind).Replace(code)
	declare, ok := rewrite.Declare(b.pass, at.Pos(), code)
	return kind, constructor, append(edits, declare), ok
}
