package operations

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// searchGenerator searches for a byte where a text or a set of one ASCII character is searched for.
func searchGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "search", Title: "one ASCII character searched as a text",
		Why:     "IndexByte is written for it, and is called directly",
		Assumes: "nothing: a byte below 128 is never a part of another character",
		Kinds:   []diagnosis.Kind{diagnosis.Text, diagnosis.Own},
		Propose: eachCall(
			(*site).byByte,
			"strings.Contains", "strings.ContainsRune", "strings.ContainsAny", "strings.Index", "strings.IndexRune",
			"strings.IndexAny", "strings.LastIndex", "strings.LastIndexAny",
			"bytes.ContainsRune", "bytes.ContainsAny", "bytes.IndexRune", "bytes.IndexAny", "bytes.LastIndexAny",
		),
	}
}

func (s *site) byByte(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	char, isASCII := s.ascii(call.Args[1])
	if !ok || !isASCII {
		return p, false
	}
	name := "IndexByte"
	if strings.HasPrefix(sel.Sel.Name, "Last") {
		name = "LastIndexByte"
	}
	text := fmt.Sprintf("%s.%s(%s, %q)", s.Text(sel.X), name, s.Text(call.Args[0]), char)
	p.Message = "Search with " + name
	if !strings.HasPrefix(sel.Sel.Name, "Contains") {
		p.Edits = []analysis.TextEdit{rewrite.Replace(call, text)}
		return p, true
	}
	if not, isNot := c.Parent().Node().(*ast.UnaryExpr); isNot && not.Op == token.NOT {
		p.Edits = []analysis.TextEdit{rewrite.Replace(not, s.operand(c.Parent(), text+" < 0"))}
		return p, true
	}
	p.Edits = []analysis.TextEdit{rewrite.Replace(call, s.operand(c, text+" >= 0"))}
	return p, true
}

// operand returns the source of a comparison, in parentheses where it is an operand of another operator than
// && and ||.
func (s *site) operand(c inspector.Cursor, text string) string {
	switch parent := c.Parent().Node().(type) {
	case *ast.BinaryExpr:
		if parent.Op == token.LAND || parent.Op == token.LOR {
			return text
		}
		return "(" + text + ")"
	case *ast.UnaryExpr:
		return "(" + text + ")"
	}
	return text
}

// ascii returns the character of a constant text of one ASCII character, or of a constant character.
func (s *site) ascii(e ast.Expr) (rune, bool) {
	value := s.Pass.TypesInfo.Types[e].Value
	if value == nil {
		return 0, false
	}
	switch value.Kind() {
	case constant.String:
		text := constant.StringVal(value)
		if len(text) != 1 || text[0] >= 0x80 {
			return 0, false
		}
		return rune(text[0]), true
	case constant.Int:
		n, ok := constant.Int64Val(value)
		return rune(n), ok && 0 <= n && n < 0x80
	}
	return 0, false
}

// foldGenerator compares texts without regard to case without a copy of them.
func foldGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "fold", Title: "text converted to lower or upper case for a comparison",
		Why:     "EqualFold compares without a copy, and ends at the first difference",
		Assumes: "no letter occurs that equals another one only when it is folded, such as the long s",
		Kinds:   []diagnosis.Kind{diagnosis.Text, diagnosis.Comparison, diagnosis.Allocation},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.BinaryExpr)(nil)) {
				b, ok := c.Node().(*ast.BinaryExpr)
				if !ok || b.Op != token.EQL && b.Op != token.NEQ || rewrite.HasComment(s.Pass, b.Pos(), b.End()) {
					continue
				}
				if p, ok := s.folded(c, b); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

func (s *site) folded(c inspector.Cursor, b *ast.BinaryExpr) (p proposal, ok bool) {
	x, name, pkg := s.cased(b.X)
	y, name2, pkg2 := s.cased(b.Y)
	switch {
	case name != "" && name == name2:
	case name != "" && s.isCased(b.Y, name):
		y = b.Y
	case name2 != "" && s.isCased(b.X, name2):
		x, pkg = b.X, pkg2
	default:
		return p, false
	}
	text := fmt.Sprintf("%s.EqualFold(%s, %s)", pkg, s.Text(x), s.Text(y))
	if b.Op == token.NEQ {
		text = "!" + text
	}
	return proposal{
		Message: "Compare with EqualFold",
		Edits:   []analysis.TextEdit{rewrite.Replace(b, s.operand(c, text))},
	}, true
}

// cased returns the text that strings.ToLower or ToUpper converts, the function, and the name of the package.
func (s *site) cased(e ast.Expr) (text ast.Expr, name, pkg string) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, "", ""
	}
	callee := flow.Callee(s.Pass.TypesInfo, call)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || callee != "strings.ToLower" && callee != "strings.ToUpper" {
		return nil, "", ""
	}
	return call.Args[0], callee, s.Text(sel.X)
}

// isCased reports whether an expression is a constant that a function does not change.
func (s *site) isCased(e ast.Expr, name string) bool {
	text, ok := flow.StringConst(s.Pass.TypesInfo, e)
	if name == "strings.ToLower" {
		return ok && strings.ToLower(text) == text
	}
	return ok && strings.ToUpper(text) == text
}

// numberGenerator replaces calls of package math by operators and builtin functions.
func numberGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "number", Title: "function of package math for what an operator computes",
		Why: "a product is one instruction, and math.Pow a loop; min and max are compiled in place",
		Assumes: "the last bit of a power does not matter, and no value is compared of which one is infinite and " +
			"one not a number",
		Kinds:   []diagnosis.Kind{diagnosis.Math, diagnosis.Own},
		Propose: eachCall((*site).computed, "math.Pow", "math.Max", "math.Min"),
	}
}

func (s *site) computed(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) != 2 {
		return p, false
	}
	if sel.Sel.Name != "Pow" {
		name := strings.ToLower(sel.Sel.Name)
		if !flow.Since(s.Pass, call.Pos(), "go1.21") || !rewrite.Predeclared(s.Pass, call.Pos(), name) ||
			!s.isFloat(call.Args[0]) && !s.isFloat(call.Args[1]) {
			return p, false
		}
		p.Edits = []analysis.TextEdit{rewrite.Replace(call.Fun, name)}
		p.Message = "Use the builtin " + name
		return p, true
	}
	exponent := s.Pass.TypesInfo.Types[call.Args[1]].Value
	if exponent == nil || !s.isFloat(call.Args[0]) || !s.isPlain(call.Args[0]) || c.ParentEdgeKind() == edge.ExprStmt_X {
		return p, false
	}
	x := s.Text(call.Args[0])
	if _, isBinary := ast.Unparen(call.Args[0]).(*ast.BinaryExpr); isBinary {
		x = "(" + x + ")"
	}
	text := ""
	switch exponent.ExactString() {
	case "2":
		text = x + " * " + x
	case "3":
		text = x + " * " + x + " * " + x
	case "4":
		text = "(" + x + " * " + x + ") * (" + x + " * " + x + ")"
	case "-1":
		text = "1 / " + x
	case "-2":
		text = "1 / (" + x + " * " + x + ")"
	case "1/2":
		text = s.Text(sel.X) + ".Sqrt(" + x + ")"
	default:
		return p, false
	}
	switch c.Parent().Node().(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
		text = "(" + text + ")"
	}
	return proposal{
		Message: "Compute the power by operators",
		Edits:   []analysis.TextEdit{rewrite.Replace(call, text)},
	}, true
}

// isFloat reports whether an expression is a float64, and not a constant.
func (s *site) isFloat(e ast.Expr) bool {
	return s.Pass.TypesInfo.Types[e].Value == nil && types.Identical(s.Pass.TypesInfo.TypeOf(e), types.Typ[types.Float64])
}

// isPlain reports whether an expression can be evaluated several times: names, elements, conversions and
// arithmetic.
func (s *site) isPlain(e ast.Expr) bool {
	plain := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.BasicLit, *ast.ParenExpr, *ast.BinaryExpr, *ast.IndexExpr, nil:
		case *ast.UnaryExpr:
			plain = plain && n.Op == token.SUB
		case *ast.CallExpr:
			_, isConversion := flow.Conversion(s.Pass.TypesInfo, n)
			plain = plain && isConversion
		default:
			plain = false
		}
		return plain
	})
	return plain
}

// clockGenerator reads only the monotonic clock for a duration.
func clockGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "clock", Title: "time read for a duration",
		Why:     "time.Since and time.Until read one clock, and time.Now two",
		Assumes: "the time has a monotonic reading, or the wall clock does not jump meanwhile",
		Kinds:   []diagnosis.Kind{diagnosis.Clock, diagnosis.Library, diagnosis.Own},
		Propose: eachCall((*site).since, "(time.Time).Sub"),
	}
}

func (s *site) since(_ inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) != 1 {
		return p, false
	}
	if now, pkg := s.now(sel.X); now && !flow.Calls(s.Pass.TypesInfo, call.Args[0]) {
		text := fmt.Sprintf("%s.Since(%s)", pkg, s.Text(call.Args[0]))
		return proposal{Message: "Use time.Since", Edits: []analysis.TextEdit{rewrite.Replace(call, text)}}, true
	}
	if now, pkg := s.now(call.Args[0]); now && !flow.Calls(s.Pass.TypesInfo, sel.X) {
		text := fmt.Sprintf("%s.Until(%s)", pkg, s.Text(sel.X))
		return proposal{Message: "Use time.Until", Edits: []analysis.TextEdit{rewrite.Replace(call, text)}}, true
	}
	return p, false
}

// now reports whether an expression is time.Now(), and returns the name of the package.
func (s *site) now(e ast.Expr) (ok bool, pkg string) {
	call, isCall := ast.Unparen(e).(*ast.CallExpr)
	if !isCall || flow.Callee(s.Pass.TypesInfo, call) != "time.Now" {
		return false, ""
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false, ""
	}
	return true, s.Text(sel.X)
}

// bytesGenerator writes bytes as they are, without a string of them.
func bytesGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "bytes", Title: "bytes converted to a string to be written",
		Why:     "every writer takes bytes, and most copy a string back into bytes",
		Assumes: "the writer treats Write like WriteString, and keeps no bytes after it returns",
		Kinds:   []diagnosis.Kind{diagnosis.Conversion, diagnosis.Allocation, diagnosis.Copying, diagnosis.Streams},
		Propose: eachCall((*site).written, "io.WriteString"),
	}
}

func (s *site) written(_ inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	if len(call.Args) != 2 {
		return p, false
	}
	conversion, ok := ast.Unparen(call.Args[1]).(*ast.CallExpr)
	if !ok {
		return p, false
	}
	to, ok := flow.Conversion(s.Pass.TypesInfo, conversion)
	if !ok || !flow.IsString(to) || !sites.IsBytes(s.Pass.TypesInfo.TypeOf(conversion.Args[0])) {
		return p, false
	}
	switch ast.Unparen(call.Args[0]).(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return p, false
	}
	text := fmt.Sprintf("%s.Write(%s)", s.Text(call.Args[0]), s.Text(conversion.Args[0]))
	return proposal{Message: "Write the bytes", Edits: []analysis.TextEdit{rewrite.Replace(call, text)}}, true
}
