package fastpath

import (
	"go/ast"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// parsedGenerator reads short decimal numbers in place.
func parsedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "parsed", Title: "number parsed by package strconv",
		Why: "a loop over a few digits is all that a short decimal number needs; strconv looks for signs, bases, " +
			"underscores, exponents and overflow first",
		Assumes: "most of the numbers are decimal and have a few digits",
		Kinds: []diagnosis.Kind{
			diagnosis.Conversion, diagnosis.Library, diagnosis.Text, diagnosis.Formatting, diagnosis.Own,
		},
		Propose: eachCall((*site).parsed, "strconv.ParseInt", "strconv.ParseUint", "strconv.ParseFloat"),
	}
}

// parsedInt is declared for ParseInt and ParseUint: name, function and result type. Nine digits fit in 32 bits; in base
// 0, a zero in front means another base.
const parsedInt = `// %[1]s returns what %[2]s does.
func %[1]s(s string, base, bits int) (%[3]s, error) {
	if (base == 10 || base == 0) && (bits == 0 || bits >= 32) && 0 < len(s) && len(s) < 10 && (s[0] != '0' || len(s) == 1) {
		n := %[3]s(0)
		for i := 0; i < len(s); i++ {
			digit := s[i] - '0'
			if digit > 9 {
				return %[2]s(s, base, bits)
			}
			n = n*10 + %[3]s(digit)
		}
		return n, nil
	}
	return %[2]s(s, base, bits)
}`

// parsedFloat is declared for ParseFloat: numbers of seven digits are exact in 32 bits.
const parsedFloat = `// %[1]s returns what %[2]s does.
func %[1]s(s string, bits int) (float64, error) {
	if 0 < len(s) && len(s) < 8 {
		n := 0
		for i := 0; i < len(s); i++ {
			digit := s[i] - '0'
			if digit > 9 {
				return %[2]s(s, bits)
			}
			n = n*10 + int(digit)
		}
		return float64(n), nil
	}
	return %[2]s(s, bits)
}`

// parsed calls a function that reads short numbers itself.
func (s *site) parsed(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	if !rewrite.Universe(s.Pass, "string", "int", "int64", "uint64", "float64", "error", "len", "nil") {
		return p, false
	}
	const message = "Read short decimal numbers in front of %s"
	name := s.Callee(c)
	if name == "strconv.ParseFloat" {
		return s.instead(call, "parseFloat", parsedFloat, message)
	}
	if len(call.Args) != 3 {
		return p, false
	}
	if base, isConst := flow.IntConst(s.Pass.TypesInfo, call.Args[1]); isConst && base != 10 && base != 0 {
		return p, false
	}
	if bits, isConst := flow.IntConst(s.Pass.TypesInfo, call.Args[2]); isConst && 0 < bits && bits < 32 {
		return p, false
	}
	if name == "strconv.ParseInt" {
		return s.instead(call, "parseInt", replaceType(parsedInt, "int64"), message)
	}
	return s.instead(call, "parseUint", replaceType(parsedInt, "uint64"), message)
}
