package text

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// formatGenerator replaces calls of package fmt by the concatenation of their parts, also where operands
// have methods, a format is a variable, or the text goes to any writer.
func formatGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "format", Title: "text formatted by package fmt",
		Why: "fmt takes its operands as interfaces, parses the format and looks for methods on each call",
		Assumes: "no pointer is nil whose String or Error method fails then, a writer treats WriteString like Write, " +
			"and only the text of an error counts",
		Kinds:   []diagnosis.Kind{diagnosis.Formatting, diagnosis.Interface, diagnosis.Allocation},
		Propose: visit(proposeFormat),
	}
}

func proposeFormat(s *site) (list []proposal) {
	for _, c := range s.CallsOf(
		"fmt.Sprintf", "fmt.Sprint", "fmt.Sprintln", "fmt.Errorf", "fmt.Fprintf", "fmt.Fprint", "fmt.Fprintln",
	) {
		if p, ok := s.withoutFmt(c); ok {
			list = append(list, p)
		}
	}
	return list
}

// withoutFmt replaces a call of fmt.
func (s *site) withoutFmt(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || rewrite.HasComment(s.Pass, call.Pos(), call.End()) ||
		!rewrite.Predeclared(s.Pass, call.Pos(), "string", "int64", "uint64", "float64", "bool", "byte") {
		return p, false
	}
	f := &formatter{site: s, call: call}
	pieces, ok := rewrite.Formats{Text: f.text, Operand: f.operand}.Pieces(s.Pass, call)
	if !ok {
		return p, false
	}
	pkg := ""
	if rewrite.NeedsStrconv(pieces) {
		if pkg, ok = f.imported("strconv"); !ok {
			return p, false
		}
	}
	text := rewrite.Plus(s.Pass, pieces, pkg)
	switch name := s.Callee(c); name {
	case "fmt.Errorf":
		errors, ok := f.imported("errors")
		if !ok || c.ParentEdgeKind() == edge.ExprStmt_X {
			return p, false
		}
		text, p.Message = errors+".New("+text+")", "Make the error of a concatenated text"
	case "fmt.Fprintf", "fmt.Fprint", "fmt.Fprintln":
		io, ok := f.imported("io")
		if !ok {
			return p, false
		}
		text = fmt.Sprintf("%s.WriteString(%s, %s)", io, s.Text(call.Args[0]), text)
		p.Message = "Write the concatenated text without fmt"
	default:
		switch c.ParentEdgeKind() {
		case edge.ExprStmt_X, edge.GoStmt_Call, edge.DeferStmt_Call:
			return p, false
		case edge.IndexExpr_X, edge.SliceExpr_X:
			text = "(" + text + ")"
		}
		p.Message = "Concatenate the text without fmt"
	}
	p.Edits = append(f.edits, rewrite.Replace(call, text))
	return p, true
}

// A formatter writes the operands of one call.
type formatter struct {
	*site
	call  *ast.CallExpr
	edits []analysis.TextEdit // imports and declarations
}

// imported returns the name of a package in the file.
func (f *formatter) imported(path string) (string, bool) {
	name, edits, ok := rewrite.Import(f.Pass, f.call.Pos(), path)
	f.edits = append(f.edits, edits...)
	return name, ok
}

// text returns the value of a format that is a variable: one that is set only where it is declared, to a
// constant.
func (f *formatter) text(format ast.Expr) (string, bool) {
	id, ok := ast.Unparen(format).(*ast.Ident)
	if !ok {
		return "", false
	}
	v, ok := f.Pass.TypesInfo.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() || v.Exported() && v.Parent() == f.Pass.Pkg.Scope() {
		return "", false
	}
	value, sets := "", 0
	for _, use := range f.Places[v] {
		if flow.Addresses(f.Pass.TypesInfo, use) {
			return "", false
		}
		if !flow.IsSet(use) {
			continue
		}
		sets++
		if value, ok = f.defined(use); !ok {
			return "", false
		}
	}
	return value, sets == 1
}

// defined returns the constant that a variable is declared with.
func (f *formatter) defined(use inspector.Cursor) (string, bool) {
	switch d := use.Parent().Node().(type) {
	case *ast.ValueSpec:
		if len(d.Names) == len(d.Values) && use.ParentEdgeKind() == edge.ValueSpec_Names {
			return flow.StringConst(f.Pass.TypesInfo, d.Values[use.ParentEdgeIndex()])
		}
	case *ast.AssignStmt:
		if d.Tok == token.DEFINE && len(d.Lhs) == len(d.Rhs) {
			return flow.StringConst(f.Pass.TypesInfo, d.Rhs[use.ParentEdgeIndex()])
		}
	}
	return "", false
}

// operand returns the pieces of operands that package rewrite does not know: those with methods, bytes as
// hexadecimal digits, and integers with leading zeros.
func (f *formatter) operand(arg ast.Expr, verb string) ([]rewrite.Piece, bool) {
	t := f.Pass.TypesInfo.TypeOf(arg)
	if t == nil || f.Pass.TypesInfo.Types[arg].IsNil() {
		return nil, false
	}
	source := f.site.Text(arg)
	switch ast.Unparen(arg).(type) {
	case *ast.UnaryExpr, *ast.StarExpr, *ast.BinaryExpr, *ast.FuncLit:
		source = "(" + source + ")"
	}
	basic, _ := t.Underlying().(*types.Basic)
	switch verb {
	case "s", "v", "q":
		if method := textMethod(t); method != "" {
			if isInterface(t) {
				return f.ofInterface(arg, t, method, source, verb)
			}
			text := source + "." + method + "()"
			if verb == "q" {
				return []rewrite.Piece{{X: arg, Func: "Quote", Args: []string{text}}}, true
			}
			return []rewrite.Piece{{X: arg, Source: text}}, true
		}
		if sites.IsBytes(t) && verb == "s" {
			return []rewrite.Piece{{X: arg, Source: "string(" + source + ")"}}, true
		}
	case "d":
		if basic != nil && basic.Info()&types.IsInteger != 0 && basic.Info()&types.IsUntyped == 0 && !formats(t) {
			return []rewrite.Piece{integer(arg, basic, source, "10")}, true
		}
	case "x":
		hexadecimal := ""
		switch {
		case textMethod(t) != "" || formats(t):
			return nil, false
		case sites.IsBytes(t):
			hexadecimal = source
		case basic != nil && basic.Info()&types.IsString != 0:
			hexadecimal = "[]byte(" + source + ")"
		default:
			return nil, false
		}
		pkg, ok := f.imported("encoding/hex")
		return []rewrite.Piece{{X: arg, Source: pkg + ".EncodeToString(" + hexadecimal + ")"}}, ok
	}
	return f.padded(arg, basic, source, verb)
}

// textOf is declared where an interface is formatted: its name, the type, the text of nil, and the method.
const textOf = `// %[1]s returns the text of x, or what package fmt writes for nil.
func %[1]s(x %[2]s) string {
	if x == nil {
		return %[3]s
	}
	return x.%[4]s()
}`

// ofInterface returns the piece of an interface, which may be nil.
func (f *formatter) ofInterface(arg ast.Expr, t types.Type, method, source, verb string) ([]rewrite.Piece, bool) {
	typ, ok := rewrite.TypeText(f.Pass, f.call.Pos(), t)
	if !ok || verb == "q" || !rewrite.Universe(f.Pass, "string", "nil") {
		return nil, false
	}
	base, none := "textOf"+method, "<nil>"
	if verb == "s" {
		base, none = "stringOf"+method, "%!s(<nil>)"
	}
	name := f.helper(base, strings.NewReplacer(
		"%[2]s", typ, "%[3]s", strings.ReplaceAll(strconv.Quote(none), "%", "%%"), "%[4]s", method,
	).Replace(textOf))
	return []rewrite.Piece{{X: arg, Source: name + "(" + source + ")"}}, name != ""
}

// isInterface reports whether a type is an interface, and not a type parameter.
func isInterface(t types.Type) bool {
	_, isParam := types.Unalias(t).(*types.TypeParam)
	return !isParam && types.IsInterface(t)
}

// zeroPadded is declared where integers are written with leading zeros.
const zeroPadded = `// %[1]s returns an integer in digits, with zeros in front up to a width, as package fmt writes it.
func %[1]s(digits string, width int) string {
	sign := ""
	if digits[0] == '-' {
		sign, digits, width = "-", digits[1:], width-1
	}
	for len(digits) < width {
		const zeros = "0000000000000000"
		digits = zeros[:min(len(zeros), width-len(digits))] + digits
	}
	return sign + digits
}`

// padded returns the piece of an integer with leading zeros, such as %02d.
func (f *formatter) padded(arg ast.Expr, basic *types.Basic, source, verb string) ([]rewrite.Piece, bool) {
	base, ok := map[byte]string{'d': "10", 'x': "16"}[verb[len(verb)-1]]
	width, err := strconv.Atoi(verb[:len(verb)-1])
	if !ok || err != nil || verb[0] != '0' || width < 2 || width > 32 || basic == nil ||
		basic.Info()&types.IsInteger == 0 || basic.Info()&types.IsUntyped != 0 ||
		verb[len(verb)-1] == 'x' && textMethod(f.Pass.TypesInfo.TypeOf(arg)) != "" ||
		formats(f.Pass.TypesInfo.TypeOf(arg)) || !rewrite.Universe(f.Pass, "min", "len") {
		return nil, false
	}
	pkg, ok := f.imported("strconv")
	if !ok {
		return nil, false
	}
	name := f.helper("zeroPadded", zeroPadded)
	if name == "" {
		return nil, false
	}
	digits := integer(arg, basic, source, base).String(f.Pass, pkg)
	return []rewrite.Piece{{X: arg, Source: fmt.Sprintf("%s(%s, %d)", name, digits, width)}}, true
}

// helper declares a function, whose source has %[1]s for its name, before the one around the call, unless an
// edit of the call does already. It returns the name; "" if that is impossible.
func (f *formatter) helper(base, source string) string {
	for _, e := range f.edits {
		if _, after, ok := strings.Cut(string(e.NewText), "\nfunc "+base); ok {
			suffix, _, _ := strings.Cut(after, "(")
			return base + suffix
		}
	}
	name := f.Names.Fresh(base)
	edit, ok := rewrite.Declare(f.Pass, f.call.Pos(), fmt.Sprintf(source, name))
	if !ok {
		return ""
	}
	f.edits = append(f.edits, edit)
	return name
}

// integer returns the piece of an integer.
func integer(arg ast.Expr, basic *types.Basic, source, base string) rewrite.Piece {
	if basic.Info()&types.IsUnsigned != 0 {
		return rewrite.Piece{X: arg, Func: "Uint", Args: []string{"uint64(" + source + ")", base}}
	}
	return rewrite.Piece{X: arg, Func: "Int", Args: []string{"int64(" + source + ")", base}}
}

// textMethod returns the method that fmt calls for the text of a value, "" if there is none.
func textMethod(t types.Type) string {
	if formats(t) {
		return ""
	}
	for _, name := range []string{"Error", "String"} {
		sel := types.NewMethodSet(t).Lookup(nil, name)
		if sel == nil {
			continue
		}
		sig, ok := sel.Type().(*types.Signature)
		if ok && sig.Params().Len() == 0 && sig.Results().Len() == 1 && flow.IsString(sig.Results().At(0).Type()) {
			return name
		}
		return ""
	}
	return ""
}

// formats reports whether a type has a method Format, which writes whatever it likes.
func formats(t types.Type) bool {
	return t != nil && types.NewMethodSet(t).Lookup(nil, "Format") != nil
}

// constantErrorGenerator makes one error of a constant text, instead of one per call.
func constantErrorGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "error", Title: "error of a constant text made on each call",
		Why:     "an error that is a package variable is allocated once",
		Assumes: "no code distinguishes two errors of this text by comparing them",
		Kinds: []diagnosis.Kind{
			diagnosis.Formatting, diagnosis.Allocation, diagnosis.Escape, diagnosis.Interface, diagnosis.Library,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("errors.New", "fmt.Errorf") {
				call, ok := c.Node().(*ast.CallExpr)
				if !ok || len(call.Args) != 1 || flow.Once(c) || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
					continue
				}
				text, ok := flow.StringConst(s.Pass.TypesInfo, call.Args[0])
				if !ok || strings.Contains(text, "%") {
					continue
				}
				errors, edits, ok := rewrite.Import(s.Pass, call.Pos(), "errors")
				if !ok {
					continue
				}
				name := s.Names.Fresh("err" + exported(text))
				value := fmt.Sprintf("%s.New(%s)", errors, strconv.Quote(text))
				hoisted, ok := rewrite.Hoist(s.Pass, call.Pos(), name, name+" is made once.", value)
				if !ok {
					continue
				}
				list = append(list, proposal{
					Message: "Return one error for all calls",
					Edits:   append(edits, hoisted, rewrite.Replace(call, name)),
				})
			}
			return list
		}),
	}
}

// exported returns an identifier in upper camel case made of the first words of a text.
func exported(text string) string {
	var b strings.Builder
	words := strings.FieldsFunc(text, func(r rune) bool {
		return (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r) && (r < '0' || '9' < r)
	})
	for _, w := range words[:min(len(words), 4)] {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	if b.Len() == 0 {
		return "Constant"
	}
	return b.String()
}
