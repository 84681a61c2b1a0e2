package regexpsimple

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A way is how uses are written without the pattern. All uses of a variable have the same way,
// because the variable becomes what that way needs: a text, a function, or a table.
type way int

const (
	noWay     way = iota
	asText        // a function of package strings or bytes, or ==
	asMatch       // a function written for the pattern
	asReplace     // another such function
)

// A fixer builds a fix.
type fixer struct {
	*holder
	pass  *analysis.Pass
	names *rewrite.Names
	edits []analysis.TextEdit
	text  string // for asText
}

// fix replaces a pattern by equivalent code; it has no edits if some use needs the pattern, or if a
// comment would be lost.
func (h *holder) fix(pass *analysis.Pass, names *rewrite.Names) analysis.SuggestedFix {
	f := &fixer{holder: h, pass: pass, names: names}
	if h.kept || rewrite.Generated(pass, h.compile.Pos()) ||
		rewrite.HasComment(pass, h.compile.Pos(), h.compile.End()) ||
		!rewrite.Universe(pass, "len", "string", "byte", "bool", "true", "false") {
		return analysis.SuggestedFix{}
	}
	if h.obj != nil && rewrite.Elsewhere(pass, h.name) {
		return analysis.SuggestedFix{}
	}
	all := noWay
	for i, u := range h.uses {
		w := f.way(u)
		if w == noWay || i > 0 && w != all || rewrite.Generated(pass, u.call.Pos()) {
			return analysis.SuggestedFix{}
		}
		all = w
	}
	ok, message := false, ""
	switch all {
	case noWay:
	case asText:
		ok, message = f.writeText(), "Compare strings instead"
	case asMatch:
		ok, message = f.writeFunction(all), "Match with a function written for the pattern"
	case asReplace:
		ok, message = f.writeFunction(all), "Replace with a loop written for the pattern"
	}
	if !ok {
		return analysis.SuggestedFix{}
	}
	return analysis.SuggestedFix{Message: message, TextEdits: f.edits}
}

// way returns how a use is written.
func (f *fixer) way(u use) way {
	info := f.pass.TypesInfo
	matcher, isMatcher := f.shape.matcher()
	whole, isText := f.shape.literal()
	isText = isText && whole != "" && !f.shape.begin && !f.shape.end
	switch u.method {
	case "MatchString", "Match":
		if len(u.args) != 1 {
			return noWay
		}
		if text, ok := matcher.literal(); ok && isMatcher {
			return f.sameText(text)
		}
		if isMatcher && u.method == "MatchString" {
			return asMatch
		}
	case "ReplaceAllString", "ReplaceAllLiteralString":
		if len(u.args) != 2 {
			return noWay
		}
		// In the replacement of ReplaceAllString, $ refers to a group.
		if with, ok := flow.StringConst(info, u.args[1]); u.method == "ReplaceAllString" &&
			(!ok || strings.Contains(with, "$")) {
			return noWay
		}
		if isText {
			return f.sameText(whole)
		}
		if _, _, ok := f.shape.replaced(); ok {
			return asReplace
		}
	case "Split":
		if len(u.args) != 2 {
			return noWay
		}
		if n, ok := flow.IntConst(info, u.args[1]); ok && n < 0 && isText {
			return f.sameText(whole)
		}
	}
	return noWay
}

// sameText returns asText, if all uses are of one text: for ab+, matching needs only ab.
func (f *fixer) sameText(text string) way {
	if f.text != "" && f.text != text {
		return noWay
	}
	f.text = text
	return asText
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
	begin, end := f.shape.begin, f.shape.end
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

// locals returns the names that generated functions use.
func locals() string { return " s c b i n with done size " }

// writeFunction writes uses as calls of a function for the pattern, and reports whether it can. The
// function takes the place, the comment and the name of a variable; if bytes are looked up in a
// table, the variable becomes that table.
func (f *fixer) writeFunction(w way) bool {
	table := ""
	if one, _, ok := f.shape.replaced(); ok && w == asReplace && f.obj != nil && one.tabled() {
		if table = f.name; strings.Contains(locals(), " "+table+" ") {
			return false
		}
	}
	name := f.name
	switch {
	case table != "":
		name = f.names.Fresh("replace" + upper(f.name))
	case f.obj == nil:
		name = f.names.Fresh(f.name)
	}
	c := f.function(w, name, table)
	at := f.uses[0].call.Pos()
	if f.obj != nil && table == "" {
		at = f.decl.Pos()
	}
	for _, path := range c.imports {
		if got, ok := f.qualified(at, path, ""); !ok || got != path[strings.LastIndex(path, "/")+1:]+"." {
			return false
		}
	}
	for _, u := range f.uses {
		if !f.open(u, name+"(") {
			return false
		}
	}
	switch {
	case table != "":
		one, _, _ := f.shape.replaced()
		f.edits = append(f.edits, rewrite.Replace(f.spec.Values[0], tableValue(one)))
	case f.obj != nil:
		return f.inPlace(c.text)
	}
	decl, ok := rewrite.Declare(f.pass, at, c.text)
	f.edits = append(f.edits, decl)
	return ok
}

// function returns the code of the pattern's function. table is the name of the table, if there is
// one.
func (f *fixer) function(w way, name, table string) code {
	t := &tables{fresh: func() string { return f.names.Fresh(name + "Bytes") }}
	if w == asMatch {
		matcher, _ := f.shape.matcher()
		return matchCode(name, func() string { return f.names.Fresh(name + "Rest") }, matcher, t)
	}
	one, run, _ := f.shape.replaced()
	if table != "" {
		t.made = map[string]string{string(one): table}
	}
	return replaceCode(name, f.shape, one, run, t)
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

func upper(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}
