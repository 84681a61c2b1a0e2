package logline

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

func isPackage(pass *analysis.Pass, id *ast.Ident) bool {
	_, ok := pass.TypesInfo.Uses[id].(*types.PkgName)
	return ok
}

// concatenation returns an expression for the text of a Printf call with this format, and the
// imports that it requires. ok is false if there is none with the same text.
func concatenation(
	pass *analysis.Pass, call *ast.CallExpr, format string,
) (text string, imports []analysis.TextEdit, ok bool) {
	var parts []string
	literal := ""
	operands := call.Args[1:]
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			literal += format[i : i+1]
			continue
		}
		i++
		if i == len(format) {
			return "", nil, false
		}
		if format[i] == '%' {
			literal += "%"
			continue
		}
		if len(operands) == 0 {
			return "", nil, false
		}
		if literal != "" {
			parts = append(parts, strconv.Quote(literal))
			literal = ""
		}
		part, needed, ok := operand(pass, operands[0], format[i])
		if !ok {
			return "", nil, false
		}
		parts = append(parts, part)
		imports = append(imports, needed...)
		operands = operands[1:]
	}
	if literal != "" {
		parts = append(parts, strconv.Quote(literal))
	}
	return strings.Join(parts, "+"), imports, len(operands) == 0
}

// operand returns a string expression for an operand formatted by a verb without flags.
func operand(pass *analysis.Pass, e ast.Expr, verb byte) (text string, imports []analysis.TextEdit, ok bool) {
	text = rewrite.Text(pass, e)
	t := pass.TypesInfo.TypeOf(e)
	if t == nil || text == "" {
		return "", nil, false
	}
	if t.String() == "time.Duration" && (verb == 'v' || verb == 's') {
		if pass.TypesInfo.Types[e].Value != nil && !isName(e) {
			return "", nil, false // 5 * time.Second, for example: String would need parentheses
		}
		if !isName(e) && !isCall(e) {
			text = "(" + text + ")"
		}
		return text + ".String()", nil, true
	}
	b, isBasic := t.Underlying().(*types.Basic)
	if !isBasic || !flow.Plain(t) {
		return "", nil, false
	}
	// converted returns the operand converted to a type, if it does not have it already.
	converted := func(to *types.Basic) string {
		if types.Identical(t, to) && pass.TypesInfo.Types[e].Value == nil {
			return text
		}
		return to.Name() + "(" + text + ")"
	}
	kind, call := b.Info(), ""
	switch {
	case kind&types.IsString != 0 && (verb == 's' || verb == 'v'):
		if _, binary := ast.Unparen(e).(*ast.BinaryExpr); types.Identical(t, types.Typ[types.String]) && !binary {
			return text, nil, true
		}
		return converted(types.Typ[types.String]), nil,
			rewrite.Lookup(pass, e.Pos(), "string") == types.Universe.Lookup("string")
	case kind&types.IsString != 0 && verb == 'q':
		call = ".Quote(" + converted(types.Typ[types.String]) + ")"
	case kind&types.IsBoolean != 0 && (verb == 't' || verb == 'v'):
		call = ".FormatBool(" + converted(types.Typ[types.Bool]) + ")"
	case kind&types.IsInteger == 0 || b.Kind() == types.Uintptr || verb != 'd' && verb != 'v':
		return "", nil, false
	case types.Identical(t, types.Typ[types.Int]):
		call = ".Itoa(" + text + ")"
	case kind&types.IsUnsigned != 0:
		call = ".FormatUint(" + converted(types.Typ[types.Uint64]) + ", 10)"
	default:
		call = ".FormatInt(" + converted(types.Typ[types.Int64]) + ", 10)"
	}
	for _, name := range []string{"string", "bool", "uint64", "int64"} {
		if rewrite.Lookup(pass, e.Pos(), name) != types.Universe.Lookup(name) {
			return "", nil, false
		}
	}
	pkg, imports, ok := rewrite.Import(pass, e.Pos(), "strconv")
	return pkg + call, imports, ok
}

func isName(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}

func isCall(e ast.Expr) bool {
	_, ok := e.(*ast.CallExpr)
	return ok
}
