package rewrite

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/rules/flow"
)

// A Piece is a part of a string: a constant, or a value that is formatted.
type Piece struct {
	// X is the value, or nil for a constant.
	X ast.Expr
	// Const is the constant text.
	Const string
	// Func is Int, Uint, Bool, Float or Quote: a function of strconv, without Append or Format; ""
	// if X is a string, a []byte or a rune. Args are its further arguments, as source.
	Func string
	Args []string
	// Bytes and Rune are set if X is not a string.
	Bytes, Rune bool
	// Source, if not "", is the source of X as a string: a call of something other than strconv.
	Source string
}

// Pieces returns the pieces of a string expression, as far as they are known: those of chains of +,
// conversions, functions of strconv, and functions of fmt with constant formats (see Formatted).
// Anything else is one piece. There is always at least one.
func Pieces(pass *analysis.Pass, e ast.Expr) []Piece {
	var pieces []Piece
	for _, o := range flow.Operands(pass.TypesInfo, e) {
		pieces = append(pieces, operandPieces(pass, o)...)
	}
	return Merge(pieces)
}

func operandPieces(pass *analysis.Pass, e ast.Expr) []Piece {
	info := pass.TypesInfo
	if s, ok := flow.StringConst(info, e); ok {
		return []Piece{{Const: s}}
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return []Piece{{X: e}}
	}
	if _, converts := flow.Conversion(info, call); converts {
		switch t := info.TypeOf(call.Args[0]); {
		case types.Identical(t, types.NewSlice(types.Typ[types.Byte])):
			return []Piece{{X: call.Args[0], Bytes: true}}
		case types.Identical(t, types.Typ[types.Rune]):
			return []Piece{{X: call.Args[0], Rune: true}}
		}
		return []Piece{{X: e}}
	}
	callee := flow.Callee(info, call)
	if callee == "fmt.Sprintf" || callee == "fmt.Sprint" {
		// A verb that does not fit its operand is a bug of the caller, but fmt's output is known.
		f := Formats{Operand: func(arg ast.Expr, verb string) ([]Piece, bool) { return misfit(pass, arg, verb) }}
		if pieces, ok := f.pieces(pass, call); ok {
			return pieces
		}
	}
	p := Piece{X: e}
	for _, a := range call.Args {
		p.Args = append(p.Args, Text(pass, a))
	}
	switch callee {
	case "strconv.Itoa":
		return []Piece{number(pass, call.Args[0], 10, false)}
	case "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatBool", "strconv.FormatFloat":
		p.Func = strings.TrimPrefix(callee, "strconv.Format")
	case "strconv.Quote":
		p.Func = "Quote"
	}
	return []Piece{p}
}

// Formatted returns the pieces that a call of fmt.Sprintf, Fprintf, Appendf, Sprint, Fprint or
// Append writes; false if the format is not constant, has flags, or does not fit its operands, or
// if an operand is not of a basic type or has methods that fmt would call.
func Formatted(pass *analysis.Pass, call *ast.CallExpr) ([]Piece, bool) {
	return Formats{}.pieces(pass, call)
}

// Formats extend Formatted. The zero value does not.
type Formats struct {
	// Text returns the value of a format that is not constant; nil means that there is none.
	Text func(format ast.Expr) (string, bool)
	// Operand returns the pieces of an operand that Formatted does not know, by its verb with flags, width and
	// precision, such as "v" or "02d"; nil means that there are none.
	Operand func(arg ast.Expr, verb string) ([]Piece, bool)
}

// Pieces is Formatted, also for the text of Errorf, Sprintln and Fprintln.
func (f Formats) Pieces(pass *analysis.Pass, call *ast.CallExpr) ([]Piece, bool) {
	if call.Ellipsis.IsValid() {
		return nil, false
	}
	switch flow.Callee(pass.TypesInfo, call) {
	case "fmt.Errorf":
		return f.format(pass, call.Args)
	case "fmt.Sprintln":
		return f.printed(pass, call.Args, true)
	case "fmt.Fprintln":
		return f.printed(pass, call.Args[1:], true)
	}
	return f.pieces(pass, call)
}

// pieces returns the pieces of the functions of Formatted.
func (f Formats) pieces(pass *analysis.Pass, call *ast.CallExpr) ([]Piece, bool) {
	if call.Ellipsis.IsValid() {
		return nil, false
	}
	name := flow.Callee(pass.TypesInfo, call)
	args := call.Args
	switch name {
	case "fmt.Fprintf", "fmt.Fprint", "fmt.Appendf", "fmt.Append":
		args = args[1:]
	case "fmt.Sprintf", "fmt.Sprint":
	default:
		return nil, false
	}
	if !strings.HasSuffix(name, "f") {
		return f.printed(pass, args, false)
	}
	return f.format(pass, args)
}

// format returns the pieces of a format and its operands.
func (f Formats) format(pass *analysis.Pass, args []ast.Expr) ([]Piece, bool) {
	format, ok := flow.StringConst(pass.TypesInfo, args[0])
	if !ok && f.Text != nil {
		format, ok = f.Text(args[0])
	}
	if !ok {
		return nil, false
	}
	args = args[1:]
	var pieces []Piece
	for format != "" {
		text, rest, found := strings.Cut(format, "%")
		pieces = append(pieces, Piece{Const: text})
		if !found {
			break
		}
		n := len(rest) - len(strings.TrimLeft(rest, "+-# 0123456789."))
		if n == len(rest) {
			return nil, false
		}
		verb := rest[:n+1]
		format = rest[n+1:]
		if verb == "%" {
			pieces = append(pieces, Piece{Const: "%"})
			continue
		}
		if len(args) == 0 {
			return nil, false
		}
		more, ok := f.operand(pass, args[0], verb)
		if !ok {
			return nil, false
		}
		pieces, args = append(pieces, more...), args[1:]
	}
	return Merge(pieces), len(args) == 0
}

// operand returns the pieces of an operand, by its verb with flags, width and precision.
func (f Formats) operand(pass *analysis.Pass, arg ast.Expr, verb string) ([]Piece, bool) {
	last := len(verb) - 1
	precision, isPlain := -1, last == 0
	if digits, ok := strings.CutPrefix(verb[:last], "."); ok {
		var err error
		precision, err = strconv.Atoi(digits)
		isPlain = err == nil && 0 <= precision && precision <= 99 && !strings.ContainsAny(digits, "+-")
	}
	if isPlain {
		if pieces, ok := formatted(pass, arg, verb[last], precision); ok {
			return pieces, true
		}
	}
	if f.Operand != nil {
		return f.Operand(arg, verb)
	}
	return nil, false
}

// printed returns the pieces of Sprint, which puts a space between two operands if neither is a
// string, or of Sprintln.
func (f Formats) printed(pass *analysis.Pass, args []ast.Expr, line bool) ([]Piece, bool) {
	var pieces []Piece
	wasString := true
	for i, a := range args {
		more, ok := f.operand(pass, a, "v")
		if !ok {
			return nil, false
		}
		basic, ok := pass.TypesInfo.TypeOf(a).Underlying().(*types.Basic)
		isString := ok && basic.Info()&types.IsString != 0
		if line && i > 0 || !line && !isString && !wasString {
			pieces = append(pieces, Piece{Const: " "})
		}
		pieces, wasString = append(pieces, more...), isString
	}
	if line {
		pieces = append(pieces, Piece{Const: "\n"})
	}
	return Merge(pieces), true
}

// formatted returns the pieces of an operand formatted by a verb.
func formatted(pass *analysis.Pass, arg ast.Expr, verb byte, precision int) ([]Piece, bool) {
	tv := pass.TypesInfo.Types[arg]
	if tv.Type == nil || hasMethods(tv.Type) {
		return nil, false
	}
	if types.Identical(tv.Type, types.NewSlice(types.Typ[types.Byte])) {
		return []Piece{{X: arg, Bytes: true}}, verb == 's' && precision < 0
	}
	basic, ok := tv.Type.Underlying().(*types.Basic)
	if !ok {
		return nil, false
	}
	if i := basic.Info(); i&types.IsFloat != 0 {
		return float(pass, arg, basic, verb, precision)
	}
	if precision >= 0 {
		return nil, false
	}
	text := Text(pass, arg)
	switch i := basic.Info(); {
	case i&types.IsString != 0 && (verb == 's' || verb == 'v'):
		if flow.IsString(types.Default(tv.Type)) {
			return Pieces(pass, arg), true
		}
		return []Piece{{X: arg}}, true
	case i&types.IsString != 0 && verb == 'q':
		return []Piece{{X: arg, Func: "Quote", Args: []string{converted(tv.Type, types.Typ[types.String], text)}}}, true
	case i&types.IsBoolean != 0 && (verb == 't' || verb == 'v'):
		if tv.Value != nil {
			return []Piece{{Const: strconv.FormatBool(constant.BoolVal(tv.Value))}}, true
		}
		return []Piece{{X: arg, Func: "Bool", Args: []string{converted(tv.Type, types.Typ[types.Bool], text)}}}, true
	case i&types.IsInteger != 0:
		base, ok := map[byte]int{'d': 10, 'v': 10, 'x': 16, 'o': 8, 'b': 2}[verb]
		if tv.Value != nil && base == 10 {
			return []Piece{{Const: tv.Value.ExactString()}}, true
		}
		if verb == 'c' && types.Identical(tv.Type, types.Typ[types.Rune]) && tv.Value == nil {
			return []Piece{{X: arg, Rune: true}}, true
		}
		return []Piece{number(pass, arg, base, i&types.IsUnsigned != 0)}, ok
	}
	return nil, false
}

// misfit returns the pieces of an operand that its verb does not fit, such as a number formatted by %s:
// %!s(int=7).
func misfit(pass *analysis.Pass, arg ast.Expr, flagged string) ([]Piece, bool) {
	if len(flagged) != 1 {
		return nil, false
	}
	verb := flagged[0]
	tv := pass.TypesInfo.Types[arg]
	basic, ok := types.Unalias(tv.Type).(*types.Basic)
	if !ok || tv.Value != nil {
		return nil, false
	}
	verbs := "" // those that fmt does not know for the type
	switch i := basic.Info(); {
	case i&types.IsString != 0:
		verbs = "dtfeg"
	case i&types.IsBoolean != 0:
		verbs = "sdqfeg"
	case i&types.IsInteger != 0:
		verbs = "stfeg"
	case i&types.IsFloat != 0:
		verbs = "sdtq"
	}
	value, ok := formatted(pass, arg, 'v', -1)
	if !ok || strings.IndexByte(verbs, verb) < 0 {
		return nil, false
	}
	name := types.Typ[basic.Kind()].Name() // uint8 for byte
	pieces := append([]Piece{{Const: "%!" + string(verb) + "(" + name + "="}}, value...)
	return append(pieces, Piece{Const: ")"}), true
}

// hasMethods reports whether a type has a method that fmt may call instead of formatting the value.
func hasMethods(t types.Type) bool {
	set := types.NewMethodSet(t)
	for _, name := range []string{"Format", "GoString", "Error", "String"} {
		if set.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

// float returns the piece of a floating-point operand: fmt formats it with strconv's functions, and
// the same arguments.
func float(pass *analysis.Pass, arg ast.Expr, basic *types.Basic, verb byte, precision int) ([]Piece, bool) {
	switch {
	case (verb == 'v' || verb == 'g') && precision < 0:
		verb = 'g'
	case verb == 'e' || verb == 'f':
		if precision < 0 {
			precision = 6
		}
	default:
		return nil, false
	}
	bits := 64
	if basic.Kind() == types.Float32 {
		bits = 32
	}
	text := converted(pass.TypesInfo.TypeOf(arg), types.Typ[types.Float64], Text(pass, arg))
	return []Piece{{
		X: arg, Func: "Float",
		Args: []string{text, "'" + string(verb) + "'", strconv.Itoa(precision), strconv.Itoa(bits)},
	}}, true
}

// number returns the piece of an integer in a base.
func number(pass *analysis.Pass, arg ast.Expr, base int, unsigned bool) Piece {
	to, name := types.Typ[types.Int64], "Int"
	if unsigned {
		to, name = types.Typ[types.Uint64], "Uint"
	}
	return Piece{
		X: arg, Func: name,
		Args: []string{converted(pass.TypesInfo.TypeOf(arg), to, Text(pass, arg)), strconv.Itoa(base)},
	}
}

// converted returns the source of a value converted to another type.
func converted(from, to types.Type, text string) string {
	if types.Identical(from, to) {
		return text
	}
	return to.String() + "(" + text + ")"
}

// Merge merges adjacent constants, and removes empty ones, except the only piece.
func Merge(pieces []Piece) []Piece {
	var out []Piece
	for _, p := range pieces {
		switch last := len(out) - 1; {
		case p.X == nil && p.Const == "":
		case p.X == nil && last >= 0 && out[last].X == nil:
			out[last].Const += p.Const
		default:
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return []Piece{{}}
	}
	return out
}

// NeedsStrconv reports whether the source of pieces calls functions of strconv.
func NeedsStrconv(pieces []Piece) bool {
	for _, p := range pieces {
		if p.Func != "" {
			return true
		}
	}
	return false
}

// Plus returns the source of pieces as one string expression. pkg is the file's name for strconv.
func Plus(pass *analysis.Pass, pieces []Piece, pkg string) string {
	var terms []string
	for _, p := range pieces {
		terms = append(terms, p.String(pass, pkg))
	}
	return strings.Join(terms, " + ")
}

// String returns the source of a piece as a string.
func (p Piece) String(pass *analysis.Pass, pkg string) string {
	switch {
	case p.X == nil:
		return strconv.Quote(p.Const)
	case p.Source != "":
		return p.Source
	case p.Func == "Quote":
		return pkg + ".Quote(" + p.Args[0] + ")"
	case p.Func == "Int" && p.Args[1] == "10" && strings.HasPrefix(p.Args[0], "int64(") &&
		types.Identical(pass.TypesInfo.TypeOf(p.X), types.Typ[types.Int]):
		return pkg + ".Itoa(" + Text(pass, p.X) + ")"
	case p.Func != "":
		return pkg + ".Format" + p.Func + "(" + strings.Join(p.Args, ", ") + ")"
	case p.Bytes, p.Rune, !flow.IsString(pass.TypesInfo.TypeOf(p.X)):
		return "string(" + Text(pass, p.X) + ")"
	}
	return Text(pass, p.X)
}

// Append returns the source of appending a piece to a []byte named to.
func (p Piece) Append(pass *analysis.Pass, to, pkg string) string {
	switch {
	case p.X == nil && len(p.Const) == 1 && p.Const[0] < 0x80:
		return fmt.Sprintf("append(%s, %s)", to, strconv.QuoteRune(rune(p.Const[0])))
	case p.X == nil:
		return fmt.Sprintf("append(%s, %s...)", to, strconv.Quote(p.Const))
	case p.Source != "":
		return fmt.Sprintf("append(%s, %s...)", to, p.Source)
	case p.Func != "":
		return fmt.Sprintf("%s.Append%s(%s, %s)", pkg, p.Func, to, strings.Join(p.Args, ", "))
	case p.Rune:
		return fmt.Sprintf("append(%s, string(%s)...)", to, Text(pass, p.X))
	}
	return fmt.Sprintf("append(%s, %s...)", to, Text(pass, p.X))
}

// Values returns the values of pieces, in order.
func Values(pieces []Piece) []ast.Expr {
	var values []ast.Expr
	for _, p := range pieces {
		if p.X != nil {
			values = append(values, p.X)
		}
	}
	return values
}

// Predeclared reports whether names have their predeclared meaning at a position.
func Predeclared(pass *analysis.Pass, at token.Pos, names ...string) bool {
	for _, name := range names {
		if obj := Lookup(pass, at, name); obj == nil || obj.Parent() != types.Universe {
			return false
		}
	}
	return true
}
