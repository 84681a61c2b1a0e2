package text

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// regexpGenerator looks for a text that each match contains before it runs a regular expression.
func regexpGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "prefilter", Title: "regular expression run on text that cannot match",
		Why:     "each match contains this text, and a search for it takes a fraction of the time",
		Assumes: "most of the input does not contain the text: otherwise the search is added to the work",
		Kinds:   []diagnosis.Kind{diagnosis.Regexp, diagnosis.Text},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if p, ok := s.prefiltered(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// prefiltered puts a search for a required text in front of a match or a replacement.
func (s *site) prefiltered(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return p, false
	}
	method, ok := strings.CutPrefix(s.Callee(c), "(*regexp.Regexp).")
	sel, isSelector := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !isSelector || flow.Calls(s.Pass.TypesInfo, call.Args[0]) {
		return p, false
	}
	pattern, ok := s.pattern(sel.X)
	if !ok {
		return p, false
	}
	need := required(pattern)
	if need == "" {
		return p, false
	}
	input := call.Args[0]
	pkg, argument := "strings", strconv.Quote(need)
	if sites.IsBytes(s.Pass.TypesInfo.TypeOf(input)) {
		pkg, argument = "bytes", "[]byte("+argument+")"
	}
	name, edits, ok := rewrite.Import(s.Pass, call.Pos(), pkg)
	if !ok {
		return p, false
	}
	test := fmt.Sprintf("%s.Contains(%s, %s)", name, s.Text(input), argument)
	p.Message = fmt.Sprintf("Search for %q first, which each match contains", need)
	switch method {
	case "MatchString", "Match":
		p.Edits = append(edits, rewrite.Replace(call, "("+test+" && "+s.Text(call)+")"))
		return p, true
	case "ReplaceAllString", "ReplaceAllLiteralString", "ReplaceAllStringFunc":
		return s.replacedIf(c, call, test, p.Message, edits)
	case "FindStringSubmatch", "FindAllString", "FindAllStringSubmatch", "FindStringSubmatchIndex", "FindStringIndex":
		return s.foundIf(c, call, test, p.Message, edits)
	}
	return p, false
}

// replacedIf replaces only where the text can match: elsewhere the result is the input.
func (s *site) replacedIf(
	c inspector.Cursor, call *ast.CallExpr, test, message string, edits []analysis.TextEdit,
) (p proposal, ok bool) {
	stmt, ok := rewrite.Statement(c)
	if !ok {
		return p, false
	}
	input, replaced := s.Text(call.Args[0]), s.Text(call)
	n := stmt.Node()
	if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) == 1 && ret.Results[0] == call {
		early := rewrite.Before(s.Pass, n, fmt.Sprintf("if !%s {\nreturn %s\n}", test, input))
		return proposal{Message: message, Edits: append(edits, early)}, true
	}
	if to, how, ok := s.assigned(n, call); ok {
		text := fmt.Sprintf("if %s {\n%s = %s\n}", test, to, replaced)
		if to != input {
			text = fmt.Sprintf("%s %s %s\n", to, how, input) + text
		}
		return proposal{Message: message, Edits: append(edits, rewrite.Replace(n, text))}, true
	}
	if c.ParentEdgeKind() == edge.ExprStmt_X || !s.EvaluatedFirst(c, stmt) {
		return p, false
	}
	name := s.Locals.Fresh(call.Pos(), "replaced")
	before := rewrite.Before(s.Pass, n, fmt.Sprintf("%s := %s\nif %s {\n%s = %s\n}", name, input, test, name, replaced))
	return proposal{Message: message, Edits: append(edits, before, rewrite.Replace(call, name))}, true
}

// assigned returns what a statement assigns the result of a call to, and with = or :=.
func (s *site) assigned(n ast.Node, call *ast.CallExpr) (to string, how token.Token, ok bool) {
	a, ok := n.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || a.Rhs[0] != call || s.SideEffects(a.Lhs[0]) {
		return "", 0, false
	}
	return s.Text(a.Lhs[0]), a.Tok, isAssignment(a.Tok)
}

// isAssignment reports whether a statement sets or declares variables, and does not combine values.
func isAssignment(t token.Token) bool { return t == token.ASSIGN || t == token.DEFINE }

// foundIf searches only where the text can match: elsewhere the result is nil.
func (s *site) foundIf(
	c inspector.Cursor, call *ast.CallExpr, test, message string, edits []analysis.TextEdit,
) (p proposal, ok bool) {
	stmt, ok := rewrite.Statement(c)
	if !ok {
		return p, false
	}
	n, ok := stmt.Node().(*ast.AssignStmt)
	if !ok || len(n.Lhs) != 1 || len(n.Rhs) != 1 || n.Rhs[0] != call || n.Tok != token.DEFINE {
		return p, false
	}
	typ, ok := rewrite.TypeText(s.Pass, call.Pos(), s.Pass.TypesInfo.TypeOf(call))
	if !ok {
		return p, false
	}
	to := s.Text(n.Lhs[0])
	text := fmt.Sprintf("var %s %s\nif %s {\n%s = %s\n}", to, typ, test, to, s.Text(call))
	return proposal{Message: message, Edits: append(edits, rewrite.Replace(n, text))}, true
}

// pattern returns the constant expression of a regular expression: of a package variable that is set once,
// or of a call.
func (s *site) pattern(e ast.Expr) (string, bool) {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		v, ok := s.Pass.TypesInfo.ObjectOf(id).(*types.Var)
		if !ok || v.Exported() && v.Parent() == s.Pass.Pkg.Scope() {
			return "", false
		}
		var value ast.Expr
		for _, use := range s.Places[v] {
			if !flow.IsSet(use) {
				continue
			}
			if value != nil {
				return "", false
			}
			switch d := use.Parent().Node().(type) {
			case *ast.ValueSpec:
				if len(d.Names) == len(d.Values) && use.ParentEdgeKind() == edge.ValueSpec_Names {
					value = d.Values[use.ParentEdgeIndex()]
				}
			case *ast.AssignStmt:
				if d.Tok == token.DEFINE && len(d.Lhs) == len(d.Rhs) {
					value = d.Rhs[use.ParentEdgeIndex()]
				}
			}
			if value == nil {
				return "", false
			}
		}
		if value == nil {
			return "", false
		}
		e = ast.Unparen(value)
	}
	call, ok := e.(*ast.CallExpr)
	if !ok || flow.Callee(s.Pass.TypesInfo, call) != "regexp.MustCompile" {
		return "", false
	}
	return flow.StringConst(s.Pass.TypesInfo, call.Args[0])
}

// required returns the longest text that each match of a pattern contains; "" if none is known, or if it is
// the whole pattern's beginning, for which package regexp searches itself.
func required(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	re = re.Simplify()
	need := literal(re)
	prefix := begins(re)
	if need == "" || strings.HasPrefix(prefix, need) || strings.HasPrefix(need, prefix) && prefix != "" {
		return ""
	}
	return need
}

// begins returns the literal that a pattern begins with, "" if it does not.
func begins(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpConcat:
		return begins(re.Sub[0])
	default:
	}
	return ""
}

// literal returns the longest literal that each match of an expression contains; "" if there is none.
func literal(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		folds := func(r rune) bool {
			return r == '\uFFFD' || re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r
		}
		if !slices.ContainsFunc(re.Rune, folds) {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literal(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literal(re.Sub[0])
		}
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if l := literal(sub); len(l) > len(longest) {
				longest = l
			}
		}
		return longest
	default:
	}
	return ""
}

// memoGenerator keeps the results of functions that take long and depend only on a string.
func memoGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "memo", Keeps: true, Title: "the same value built from few different strings",
		Why:     "a table keeps the values of the last 256 different strings",
		Assumes: "few different strings occur, and no caller changes the value that all share",
		Kinds: []diagnosis.Kind{
			diagnosis.Regexp, diagnosis.Clock, diagnosis.Files, diagnosis.SystemCall, diagnosis.Library,
			diagnosis.Allocation, diagnosis.Template,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("regexp.Compile", "regexp.MustCompile", "regexp.CompilePOSIX", "time.LoadLocation") {
				if p, ok := s.memoized(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// memo is the source of a function that keeps results: its name, the type of the results, the result type of
// the function, what returns an entry, what computes one, the table's name, and the name of package sync.
const memo = `// %[6]s are the results of %[1]s, of at most 256 different arguments.
var %[6]s struct {
	%[7]s.Mutex
	byText map[string]%[2]s
}

// %[1]s returns what %[3]s returns, from a table if it is there.
func %[1]s(text string) %[4]s {
	%[6]s.Lock()
	value, ok := %[6]s.byText[text]
	%[6]s.Unlock()
	if ok {
		return value%[5]s
	}
%[8]s
	%[6]s.Lock()
	defer %[6]s.Unlock()
	if %[6]s.byText == nil || len(%[6]s.byText) >= 256 {
		%[6]s.byText = map[string]%[2]s{}
	}
	%[6]s.byText[text] = value
	return value%[5]s
}`

// memoized replaces a call by one of a function with a table.
func (s *site) memoized(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || s.Pass.TypesInfo.Types[call.Args[0]].Value != nil || flow.Once(c) ||
		!flow.IsString(s.Pass.TypesInfo.TypeOf(call.Args[0])) {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !rewrite.Universe(s.Pass, "len", "string", "nil", "error") {
		return p, false
	}
	syncName, edits, ok := rewrite.Import(s.Pass, call.Pos(), "sync")
	if !ok {
		return p, false
	}
	tuple, isTuple := s.Pass.TypesInfo.TypeOf(call).(*types.Tuple)
	value := s.Pass.TypesInfo.TypeOf(call)
	if isTuple {
		value = tuple.At(0).Type()
	}
	typ, ok := rewrite.TypeText(s.Pass, call.Pos(), value)
	if !ok {
		return p, false
	}
	result, end := typ, ""
	compute := fmt.Sprintf("\tvalue = %s(text)", s.Text(call.Fun))
	if isTuple {
		result, end = "("+typ+", error)", ", nil"
		compute = fmt.Sprintf("\tvalue, err := %s(text)\n\tif err != nil {\n\t\treturn nil, err\n\t}", s.Text(call.Fun))
	}
	name := s.Names.Fresh("known" + sel.Sel.Name)
	table := s.Names.Fresh(name + "s")
	declared, ok := rewrite.Declare(s.Pass, call.Pos(),
		fmt.Sprintf(memo, name, typ, s.Text(call.Fun), result, end, table, syncName, compute))
	if !ok {
		return p, false
	}
	return proposal{
		Message: "Keep the results of " + s.Text(call.Fun) + " in a table",
		Edits:   append(edits, declared, rewrite.Replace(call.Fun, name)),
	}, true
}
