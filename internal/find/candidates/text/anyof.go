package text

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// mostAny is the number of characters of a set up to which a switch is tried.
const mostAny = 16

// anyOfGenerator searches for one of several constant characters with a switch.
func anyOfGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "anyof", Title: "text searched for one of several characters",
		Why:     "a switch on constant bytes needs no table, which the standard library builds on each call",
		Assumes: "the texts are short, or one of the characters is near, and all characters are ASCII",
		Kinds:   []diagnosis.Kind{diagnosis.Text, diagnosis.Comparison, diagnosis.Library},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("strings.IndexAny", "strings.ContainsAny", "bytes.IndexAny", "bytes.ContainsAny") {
				if p, ok := s.switchedOn(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// switchedOn declares a function that finds one of a call's constant characters, and calls it. The characters must
// be ASCII, which no part of a longer character is, valid or not.
func (s *site) switchedOn(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || rewrite.HasComment(s.Pass, call.Pos(), call.End()) ||
		!rewrite.Universe(s.Pass, "len", "string", "byte", "int") {
		return p, false
	}
	chars, isConst := flow.StringConst(s.Pass.TypesInfo, call.Args[1])
	if !isConst {
		return s.searchedIn(c, call)
	}
	if len(chars) < 2 || len(chars) > mostAny {
		return p, false
	}
	var cases []string
	for _, b := range []byte(chars) {
		if b >= 0x80 {
			return p, false
		}
		if quoted := strconv.QuoteRune(rune(b)); !slices.Contains(cases, quoted) {
			cases = append(cases, quoted)
		}
	}
	typ, arg := "string", s.Text(call.Args[0])
	if strings.HasPrefix(s.Callee(c), "bytes.") {
		typ = "[]byte"
	}
	name := s.Names.Fresh("indexOfAny")
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(
		"// %[1]s returns the index of the first of the bytes %[2]s in text, -1 if there is none.\n"+
			"func %[1]s(text %[3]s) int {\n\tfor i := 0; i < len(text); i++ {\n\t\tswitch text[i] {\n\t\tcase %[2]s:\n"+
			"\t\t\treturn i\n\t\t}\n\t}\n\treturn -1\n}", name, strings.Join(cases, ", "), typ))
	if !ok {
		return p, false
	}
	text := fmt.Sprintf("%s(%s)", name, arg)
	if strings.HasSuffix(s.Callee(c), "ContainsAny") {
		text = "(" + text + " >= 0)"
	}
	p.Message = "Search for " + strconv.Quote(chars) + " with a switch"
	p.Edits = append(p.Edits, declared, rewrite.Replace(call, text))
	return p, true
}

// searchedIn declares a function that searches for each byte of a text in a set that is not constant, and calls it.
func (s *site) searchedIn(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return p, false
	}
	typ, set, pkg, edits := "string", "string", s.Text(sel.X), []analysis.TextEdit(nil)
	if strings.HasPrefix(s.Callee(c), "bytes.") {
		typ = "[]byte"
	}
	arg := s.Text(call.Args[1])
	search := pkg + ".IndexByte"
	switch b, ok := s.stringOf(call.Args[1]); {
	case ok && typ == "[]byte":
		set, arg = "[]byte", s.Text(b)
	case typ == "[]byte":
		if pkg, edits, ok = rewrite.Import(s.Pass, call.Pos(), "strings"); !ok {
			return p, false
		}
		search = pkg + ".IndexByte"
	}
	name := s.Names.Fresh("indexOfAny")
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(
		"// %[1]s returns the index of the first byte of text that is in set, which is ASCII; -1 if there is none.\n"+
			"func %[1]s(text %[2]s, set %[3]s) int {\n\tfor i := 0; i < len(text); i++ {\n"+
			"\t\tif %[4]s(set, text[i]) >= 0 {\n\t\t\treturn i\n\t\t}\n\t}\n\treturn -1\n}", name, typ, set, search))
	if !ok {
		return p, false
	}
	text := fmt.Sprintf("%s(%s, %s)", name, s.Text(call.Args[0]), arg)
	if strings.HasSuffix(s.Callee(c), "ContainsAny") {
		text = "(" + text + " >= 0)"
	}
	p.Message = "Search for each byte in the set"
	p.Edits = append(edits, declared, rewrite.Replace(call, text))
	return p, true
}

// firstGenerator compares the first byte of texts before a call compares the others.
func firstGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "first", Title: "bytes compared with many texts, of which few are equal",
		Why:     "most different texts differ in their first byte, which needs no call",
		Assumes: "the texts differ more often than not, and are not empty",
		Kinds:   []diagnosis.Kind{diagnosis.Text, diagnosis.Comparison, diagnosis.Own, diagnosis.Copying},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("bytes.HasPrefix", "strings.HasPrefix", "bytes.Equal") {
				if p, ok := s.firstCompared(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// firstCompared compares lengths and first bytes in front of a call. Constant texts are left out: the compiler
// compares them itself.
func (s *site) firstCompared(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || rewrite.HasComment(s.Pass, call.Pos(), call.End()) ||
		!rewrite.Predeclared(s.Pass, call.Pos(), "len") {
		return p, false
	}
	for _, a := range call.Args {
		if _, isConst := flow.StringConst(info, a); isConst || !s.readTwice(a) || info.Types[a].IsNil() {
			return p, false
		}
		if _, isBasic := info.TypeOf(a).Underlying().(*types.Basic); !isBasic && !sites.IsBytes(info.TypeOf(a)) {
			return p, false
		}
	}
	of, part := s.Text(call.Args[0]), s.Text(call.Args[1])
	op := ">="
	if strings.HasSuffix(s.Callee(c), "Equal") {
		op = "=="
	}
	text := fmt.Sprintf("(len(%[1]s) %[3]s len(%[2]s) && (len(%[2]s) == 0 || %[4]s == %[5]s && %[6]s))",
		of, part, op, s.firstOf(call.Args[0]), s.firstOf(call.Args[1]), s.Text(call))
	p.Message = "Compare the first byte of " + sites.Shortened(of) + " first"
	p.Edits = append(p.Edits, rewrite.Replace(call, text))
	return p, true
}

// readTwice reports whether reading an expression again is cheap and has no side effects: a variable, a field, or
// a part of one between variables and constants.
func (s *site) readTwice(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return s.readTwice(e.X)
	case *ast.SliceExpr:
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil && s.SideEffects(i) {
				return false
			}
		}
		_, isArray := s.Pass.TypesInfo.TypeOf(e.X).Underlying().(*types.Array)
		return !isArray && s.readTwice(e.X)
	}
	return false
}

// firstOf returns the source of the first byte of a text.
func (s *site) firstOf(e ast.Expr) string {
	if part, ok := ast.Unparen(e).(*ast.SliceExpr); ok {
		low := "0"
		if part.Low != nil {
			low = s.Text(part.Low)
		}
		return s.Text(part.X) + "[" + low + "]"
	}
	return s.Text(e) + "[0]"
}
