package text

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// asciiGenerator handles ASCII characters in place, in front of calls that handle all characters.
func asciiGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "ascii", Title: "function for all characters called for ASCII ones",
		Why:     "an ASCII character is one byte, and a comparison in place needs no call",
		Assumes: "most characters are ASCII",
		Kinds:   []diagnosis.Kind{diagnosis.Text, diagnosis.Own, diagnosis.Library, diagnosis.Comparison, diagnosis.Streams},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				call, ok := c.Node().(*ast.CallExpr)
				if !ok || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
					continue
				}
				var p proposal
				switch callee := s.Callee(c); callee {
				case "(*strings.Builder).WriteRune", "(*bytes.Buffer).WriteRune", "(*bufio.Writer).WriteRune":
					p, ok = s.writtenAsByte(c, call)
				case "unicode/utf8.DecodeRuneInString", "unicode/utf8.DecodeRune":
					p, ok = s.decodedAsByte(c, call)
				default:
					p, ok = s.classified(call, callee)
				}
				if ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// writtenAsByte writes a character as a byte if it is ASCII. Nothing may use the results.
func (s *site) writtenAsByte(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	stmt, isStmt := c.Parent().Node().(*ast.ExprStmt)
	if !ok || !isStmt || !flow.InBlock(c.Parent()) || len(call.Args) != 1 || s.SideEffects(sel.X) ||
		!rewrite.Predeclared(s.Pass, call.Pos(), "byte") {
		return p, false
	}
	r := s.Text(call.Args[0])
	if n, isConst := flow.IntConst(s.Pass.TypesInfo, call.Args[0]); isConst {
		if n < 0 || n >= 0x80 {
			return p, false
		}
		p.Edits = []analysis.TextEdit{rewrite.Replace(sel.Sel, "WriteByte")}
		p.Message = "Write " + sites.Shortened(r) + " as a byte"
		return p, true
	}
	if flow.Variable(s.Pass.TypesInfo, call.Args[0]) == nil {
		return p, false
	}
	p.Message = "Write " + r + " as a byte if it is ASCII"
	p.Edits = []analysis.TextEdit{rewrite.Replace(stmt, fmt.Sprintf(
		"if 0 <= %[1]s && %[1]s < 0x80 {\n%[2]s.WriteByte(byte(%[1]s))\n} else {\n%[3]s\n}", r, s.Text(sel.X), s.Text(call)))}
	return p, true
}

// decodedAsByte takes the first byte of a text as the character if it is ASCII, in r, n := utf8.DecodeRune(…), and
// where both are set.
func (s *site) decodedAsByte(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 || len(call.Args) != 1 || !flow.InBlock(c.Parent()) ||
		!s.readTwice(call.Args[0]) || !rewrite.Predeclared(s.Pass, call.Pos(), "len", "rune") {
		return p, false
	}
	text := call.Args[0]
	first, length := s.firstOf(text), "len("+s.Text(text)+") > 0"
	if part, isPart := ast.Unparen(text).(*ast.SliceExpr); isPart && part.High == nil && part.Low != nil {
		length = fmt.Sprintf("%s < len(%s)", s.Text(part.Low), s.Text(part.X))
	}
	names := s.Text(assign.Lhs[0]) + ", " + s.Text(assign.Lhs[1])
	declared := ""
	if assign.Tok == token.DEFINE {
		for i, typ := range []string{"rune", "int"} {
			id, isIdent := assign.Lhs[i].(*ast.Ident)
			if !isIdent || id.Name == "_" {
				continue
			}
			if s.Pass.TypesInfo.Defs[id] != nil {
				declared += fmt.Sprintf("var %s %s\n", id.Name, typ)
			}
		}
	} else if assign.Tok != token.ASSIGN || s.SideEffects(assign.Lhs[0]) || s.SideEffects(assign.Lhs[1]) {
		return p, false
	}
	if strings.Contains(declared, "int") && !rewrite.Predeclared(s.Pass, call.Pos(), "int") {
		return p, false
	}
	p.Message = "Take a byte that is ASCII as the character"
	p.Edits = []analysis.TextEdit{rewrite.Replace(assign, fmt.Sprintf(
		"%[1]sif %[2]s && %[3]s < 0x80 {\n%[4]s = rune(%[3]s), 1\n} else {\n%[4]s = %[5]s\n}",
		declared, length, first, names, s.Text(call)))}
	return p, true
}

// classified compares a character in place with the ASCII characters of a class, in front of a call of package unicode.
func (s *site) classified(call *ast.CallExpr, callee string) (p proposal, ok bool) {
	in := ""
	switch callee {
	case "unicode.IsDigit", "unicode.IsNumber":
		in = "'0' <= %[1]s && %[1]s <= '9'"
	case "unicode.IsSpace":
		in = "%[1]s == ' ' || '\\t' <= %[1]s && %[1]s <= '\\r'"
	case "unicode.IsLetter":
		in = "'a' <= %[1]s|0x20 && %[1]s|0x20 <= 'z'"
	case "unicode.IsUpper":
		in = "'A' <= %[1]s && %[1]s <= 'Z'"
	case "unicode.IsLower":
		in = "'a' <= %[1]s && %[1]s <= 'z'"
	default:
		return p, false
	}
	if len(call.Args) != 1 || flow.Variable(s.Pass.TypesInfo, call.Args[0]) == nil ||
		!types.Identical(s.Pass.TypesInfo.TypeOf(call.Args[0]), types.Typ[types.Rune]) {
		return p, false
	}
	r := s.Text(call.Args[0])
	p.Message = "Compare " + r + " in place if it is ASCII"
	text := fmt.Sprintf("("+in+" || %[1]s >= 0x80 && %[2]s)", r, s.Text(call))
	p.Edits = []analysis.TextEdit{rewrite.Replace(call, text)}
	return p, true
}
