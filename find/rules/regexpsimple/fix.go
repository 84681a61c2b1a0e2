package regexpsimple

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/regexpcode"
)

// A fixer builds a fix.
type fixer struct {
	*holder
	pass  *analysis.Pass
	names *rewrite.Names
	edits []analysis.TextEdit
	text  string // that all uses look for, if they need no more
}

// fix replaces a pattern by equivalent code. It has no edits if some use needs the pattern, or if a
// comment would be lost.
func (h *holder) fix(pass *analysis.Pass, names *rewrite.Names) analysis.SuggestedFix {
	f := &fixer{holder: h, pass: pass, names: names}
	if why := f.obstacle(); why != "" {
		return stays(why)
	}
	message, why := "", ""
	if f.isText() {
		message, why = "Compare strings instead", "a comment would be lost"
		if f.writeText() {
			why = ""
		}
	} else {
		message, why = f.writeCode()
	}
	if why != "" {
		return stays(why)
	}
	return analysis.SuggestedFix{Message: message, TextEdits: f.edits}
}

// stays returns the reason why a pattern stays.
func stays(why string) analysis.SuggestedFix {
	return rules.None(why + ": without that, code can replace the pattern")
}

// obstacle returns why the pattern cannot be replaced, whatever it is; "" if it can.
func (f *fixer) obstacle() string {
	generated := rewrite.Generated(f.pass, f.compile.Pos())
	for _, u := range f.uses {
		generated = generated || rewrite.Generated(f.pass, u.call.Pos())
	}
	switch {
	case f.kept != "":
		return f.kept
	case generated:
		return "the file is generated"
	case rewrite.HasComment(f.pass, f.compile.Pos(), f.compile.End()):
		return "a comment would be lost"
	case f.stmt != nil && rewrite.HasComment(f.pass, f.stmt.Pos(), f.stmt.End()):
		return "a comment would be lost"
	case !rewrite.Universe(f.pass, "len", "string", "byte", "bool", "true", "false", "int", "append", "nil", "uint8"):
		return "the package redefines a predeclared name"
	case f.obj != nil && rewrite.Elsewhere(f.pass, f.name):
		return "tests, or files for other systems, use the variable"
	}
	return ""
}

// isText reports whether all uses look for one text, and need no more than functions of package
// strings. It sets the text.
func (f *fixer) isText() bool {
	if !f.simple || f.stmt != nil {
		return false
	}
	for i, u := range f.uses {
		text, ok := f.textOf(u)
		if !ok || i > 0 && text != f.text {
			return false
		}
		f.text = text
	}
	return true
}

// textOf returns the text that a use looks for, if it needs no more.
func (f *fixer) textOf(u use) (string, bool) {
	info := f.pass.TypesInfo
	whole, isText := f.shape.Literal()
	isText = isText && whole != "" && !f.shape.Begin && !f.shape.End
	switch u.method {
	case "MatchString", "Match":
		if matcher, ok := f.shape.Matcher(); ok && len(u.args) == 1 {
			return matcher.Literal()
		}
	case "ReplaceAllString":
		// $ refers to a group.
		with, ok := constant(info, u)
		return whole, isText && ok && !strings.Contains(with, "$")
	case "ReplaceAllLiteralString":
		return whole, isText && len(u.args) == 2
	case "Split":
		return whole, isText && unlimited(info, u)
	}
	return "", false
}

// constant returns the constant second argument of a use, a string or the bytes of one.
func constant(info *types.Info, u use) (string, bool) {
	if len(u.args) != 2 {
		return "", false
	}
	arg := u.args[1]
	if call, ok := ast.Unparen(arg).(*ast.CallExpr); ok && len(call.Args) == 1 {
		if _, ok := flow.Conversion(info, call); ok {
			arg = call.Args[0]
		}
	}
	return flow.StringConst(info, arg)
}

// unlimited reports whether the number of matches that a use finds has no limit.
func unlimited(info *types.Info, u use) bool {
	if len(u.args) != 2 {
		return false
	}
	n, ok := flow.IntConst(info, u.args[1])
	return ok && n < 0
}

// open replaces the text before a use's first argument, and reports whether it can.
func (f *fixer) open(u use, text string) bool {
	if rewrite.HasComment(f.pass, u.call.Pos(), u.args[0].Pos()) {
		return false
	}
	f.edits = append(f.edits, analysis.TextEdit{Pos: u.call.Pos(), End: u.args[0].Pos(), NewText: []byte(text)})
	if u.assign != nil {
		from, to := u.assign.Lhs[0].End(), u.assign.Lhs[1].End()
		if rewrite.HasComment(f.pass, from, to) {
			return false
		}
		f.edits = append(f.edits, analysis.TextEdit{Pos: from, End: to})
	}
	return true
}

// qualified returns the name of a package's function at a position, and imports the package if
// necessary.
func (f *fixer) qualified(at token.Pos, path, name string) (string, bool) {
	pkg, edits, ok := rewrite.Import(f.pass, at, path)
	f.edits = append(f.edits, edits...)
	return pkg + "." + name, ok
}

// writeText writes uses as calls of package strings, and reports whether it can. The variable
// becomes the text.
func (f *fixer) writeText() bool {
	lit := strconv.Quote(f.text)
	if f.obj != nil {
		if f.decl.Lparen == token.NoPos {
			f.edits = append(f.edits, analysis.TextEdit{
				Pos: f.decl.TokPos, End: f.decl.TokPos + token.Pos(len("var")),
				NewText: []byte("const"),
			})
		}
		f.edits = append(f.edits, rewrite.Replace(f.spec.Values[0], lit))
		lit = f.name
	}
	for _, u := range f.uses {
		if !f.writeTextUse(u, lit) {
			return false
		}
	}
	return true
}

// writeTextUse writes a use as a call with the text as the second argument, and reports whether it
// can. Edits replace something, so that the same edits in several reports of the variable are
// recognized.
func (f *fixer) writeTextUse(u use, lit string) bool {
	begin, end := f.shape.Begin, f.shape.End
	name, path := "Contains", "strings"
	from, to, second := u.args[0].End(), u.call.End(), ", "+lit+")"
	switch {
	case u.method == "Split":
		name = "Split"
	case len(u.args) == 2:
		name, to, second = "ReplaceAll", u.args[1].Pos(), ", "+lit+", "
	case u.method == "Match":
		path, second = "bytes", ", []byte("+lit+"))"
	}
	switch {
	case begin && end && u.method == "MatchString":
		return f.writeEqual(u, lit)
	case begin && end:
		name = "Equal"
	case begin:
		name = "HasPrefix"
	case end:
		name = "HasSuffix"
	}
	callee, ok := f.qualified(u.call.Pos(), path, name)
	if !ok || rewrite.HasComment(f.pass, from, to) {
		return false
	}
	f.edits = append(f.edits, analysis.TextEdit{Pos: from, End: to, NewText: []byte(second)})
	return f.open(u, callee+"(")
}

// writeEqual writes a use as a comparison, which is not a statement and has a lower precedence than
// a call, and reports whether it can.
func (f *fixer) writeEqual(u use, lit string) bool {
	arg := u.args[0]
	_, isConst := flow.StringConst(f.pass.TypesInfo, arg)
	if isConst || u.parent == edge.ExprStmt_X || u.parent == edge.GoStmt_Call || u.parent == edge.DeferStmt_Call ||
		rewrite.HasComment(f.pass, arg.End(), u.call.End()) {
		return false
	}
	before, after := "", ""
	if u.parent == edge.UnaryExpr_X || u.parent == edge.BinaryExpr_X || u.parent == edge.BinaryExpr_Y {
		before, after = "(", ")"
	}
	// if T{s}.field == "" does not parse as a comparison.
	braces := false
	ast.Inspect(arg, func(n ast.Node) bool {
		_, isBlock := n.(*ast.BlockStmt)
		_, isLit := n.(*ast.CompositeLit)
		braces = braces || isBlock || isLit
		return !braces
	})
	operand, closing := "", ""
	if braces {
		operand, closing = "(", ")"
	}
	f.edits = append(f.edits, analysis.TextEdit{
		Pos: arg.End(), End: u.call.End(),
		NewText: []byte(closing + " == " + lit + after),
	})
	return f.open(u, before+operand)
}

// writeCode writes uses as calls of functions for the pattern. It returns the fix's message, or why
// there is none. The functions take the place, the comment and the name of a variable; if bytes are
// looked up in a table, the variable becomes that table.
func (f *fixer) writeCode() (message, why string) {
	const lost = "a comment would be lost"
	opts := regexpcode.Options{Name: f.name, Fresh: f.names.Fresh}
	if f.obj != nil {
		opts.Table = f.name
	} else {
		opts.Name = f.names.Fresh(f.name)
	}
	var uses []regexpcode.Use
	for _, u := range f.uses {
		x := regexpcode.Use{Method: u.method, Limit: !unlimited(f.pass.TypesInfo, u) && takesLimit(u.method)}
		if with, ok := constant(f.pass.TypesInfo, u); ok {
			x.Template = &with
		}
		uses = append(uses, x)
	}
	code, err := regexpcode.Compile(f.pattern, uses, opts)
	if err != nil {
		return "", err.Error()
	}
	at := f.uses[0].call.Pos()
	if f.obj != nil && code.Table == "" {
		at = f.decl.Pos()
	}
	for _, path := range code.Imports {
		if got, ok := f.qualified(at, path, ""); !ok || got != path[strings.LastIndex(path, "/")+1:]+"." {
			return "", "package " + path + " is not imported by its name"
		}
	}
	for i, u := range f.uses {
		if !f.call(u, code.Calls[i]) {
			return "", lost
		}
	}
	message = "Match with a function written for the pattern"
	if code.Strategy == regexpcode.Loop {
		message = "Replace with a loop written for the pattern"
	}
	switch {
	case code.Table != "":
		f.edits = append(f.edits, rewrite.Replace(f.spec.Values[0], code.Table))
	case f.obj != nil:
		if !f.inPlace(code.Text) {
			return "", lost
		}
		return message, ""
	case f.stmt != nil:
		// The next statement takes its place.
		end := f.stmt.End()
		if f.next.IsValid() && !rewrite.HasComment(f.pass, end, f.next) {
			end = f.next
		}
		f.edits = append(f.edits, analysis.TextEdit{Pos: f.stmt.Pos(), End: end})
	}
	decl, ok := rewrite.Declare(f.pass, at, code.Text)
	if f.edits = append(f.edits, decl); !ok {
		return "", lost
	}
	return message, ""
}

// takesLimit reports whether the last argument of a method is the maximum number of matches.
func takesLimit(method string) bool { return method == "Split" || strings.HasPrefix(method, "FindAll") }

// call writes a use as the call of a function, and reports whether it can.
func (f *fixer) call(u use, c regexpcode.Call) bool {
	if c.Args < len(u.args) {
		from := u.args[c.Args-1].End()
		if rewrite.HasComment(f.pass, from, u.call.End()) {
			return false
		}
		f.edits = append(f.edits, analysis.TextEdit{Pos: from, End: u.call.End(), NewText: []byte(")")})
	}
	return f.open(u, c.Func+"(")
}

// inPlace replaces the variable by a function, and reports whether it can. The variable's comment
// becomes the beginning of the function's.
func (f *fixer) inPlace(text string) bool {
	if f.spec.Comment != nil || rewrite.HasComment(f.pass, f.spec.Pos(), f.spec.End()) {
		return false
	}
	if f.decl.Lparen == token.NoPos {
		if f.decl.Doc != nil {
			text = "//\n" + text
		}
		f.edits = append(f.edits, rewrite.Replace(f.decl, strings.TrimRight(text, "\n")))
		return true
	}
	from := f.spec.Pos()
	if doc := f.spec.Doc; doc != nil {
		from = doc.Pos()
		for _, c := range doc.List {
			if !strings.HasPrefix(c.Text, "//") {
				return false
			}
		}
		lines := ""
		for _, c := range doc.List {
			lines += c.Text + "\n"
		}
		text = lines + "//\n" + text
	}
	decl, ok := rewrite.Declare(f.pass, f.decl.Pos(), text)
	f.edits = append(f.edits, decl, analysis.TextEdit{Pos: from, End: f.spec.End()})
	return ok
}

func lower(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}
