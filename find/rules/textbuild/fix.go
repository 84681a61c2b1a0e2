package textbuild

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// costs reports whether a buffer would save something: a final conversion to bytes, or intermediate
// strings.
func (t *text) costs(pass *analysis.Pass) bool {
	if _, ok := converts(pass.TypesInfo, t.read[0]); ok {
		return true
	}
	values := t.added
	if t.value != nil {
		values = append([]ast.Expr{t.value}, values...)
	}
	strings := len(t.grown) // number of strings that are built
	for _, x := range values {
		if len(flow.Operands(pass.TypesInfo, x)) > 1 {
			continue
		}
		if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && strings > 0 && formats(flow.Callee(pass.TypesInfo, call)) {
			strings++
		}
	}
	return strings > 2
}

// formats reports whether a function formats a value as a string.
func formats(callee string) bool {
	return strings.HasPrefix(callee, "fmt.Sprint") || strings.HasPrefix(callee, "strconv.")
}

// converts returns the conversion to []byte that has a use of the string as its argument.
func converts(info *types.Info, use inspector.Cursor) (*ast.CallExpr, bool) {
	call, ok := use.Parent().Node().(*ast.CallExpr)
	if !ok || use.ParentEdgeKind() != edge.CallExpr_Args {
		return nil, false
	}
	to, ok := flow.Conversion(info, call)
	return call, ok && types.Identical(to, types.NewSlice(types.Typ[types.Byte]))
}

// report reports all places that the buffer is for, with one fix.
func (t *text) report(pass *analysis.Pass, fix analysis.SuggestedFix) {
	at := func(n ast.Node, message string) {
		rules.Report(pass, n, "", message, fix)
	}
	if t.value != nil && pass.TypesInfo.Types[t.value].Value == nil {
		at(t.decl.Node(), fmt.Sprintf("%s begins as a string that is copied whenever something is "+
			"appended", t.v.Name()))
	}
	for _, g := range t.grown {
		at(g.Node(), fmt.Sprintf("appending makes a new string of %s, and copies the old one", t.v.Name()))
	}
	for _, use := range t.read {
		if call, ok := converts(pass.TypesInfo, use); ok {
			at(call, fmt.Sprintf("%s is copied once more to convert it to bytes", t.v.Name()))
		}
	}
}

// fix returns the fix that turns the variable into a buffer, without edits if that is impossible.
func (t *text) fix(pass *analysis.Pass, within inspector.Cursor) analysis.SuggestedFix {
	none := rules.None("a part of " + t.v.Name() + " may change another, or a use needs it as a string while it " +
		"grows: with variables for such parts, they are appended to one buffer")
	if !rewrite.Predeclared(pass, t.decl.Node().End(),
		"append", "make", "byte", "string", "int64", "uint64", "float64", "bool",
	) {
		return none
	}
	b := &buffer{pass: pass, within: within, name: t.v.Name()}
	var edits []analysis.TextEdit
	for i, g := range t.grown {
		lines, ok := b.lines("", t.added[i:i+1], "")
		if !ok || rewrite.HasComment(pass, g.Node().Pos(), g.Node().End()) {
			return none
		}
		edits = append(edits, rewrite.Replace(g.Node(), lines))
	}
	begin := ""
	if t.value != nil {
		lines, ok := b.lines("", []ast.Expr{t.value}, "")
		if !ok {
			return none
		}
		begin = "\n" + lines
	}
	if rewrite.HasComment(pass, t.decl.Node().Pos(), t.decl.Node().End()) {
		return none
	}
	edits = append(edits, rewrite.Replace(t.decl.Node(), b.made()+strings.TrimSuffix(begin, "\n")))
	for _, use := range t.read {
		switch call, ok := converts(pass.TypesInfo, use); {
		case ok && rewrite.HasComment(pass, call.Pos(), call.End()):
			return none
		case ok:
			edits = append(edits, rewrite.Replace(call, b.name))
		case isPassed(pass.TypesInfo, use):
			edits = append(edits, rewrite.Replace(use.Node(), "string("+b.name+")"))
		default:
			return none
		}
	}
	return analysis.SuggestedFix{Message: "Append to one buffer", TextEdits: append(edits, b.imports...)}
}

// isPassed reports whether a value is passed on unchanged: returned, assigned, or passed to a
// function.
func isPassed(info *types.Info, use inspector.Cursor) bool {
	switch use.ParentEdgeKind() {
	case edge.ReturnStmt_Results, edge.AssignStmt_Rhs, edge.KeyValueExpr_Value:
		return true
	case edge.CallExpr_Args:
		call, ok := use.Parent().Node().(*ast.CallExpr)
		return ok && flow.Builtin(info, call) == ""
	}
	return false
}

// A buffer writes the statements that fill it.
type buffer struct {
	pass    *analysis.Pass
	within  inspector.Cursor
	name    string
	size    int // estimate for all that is appended
	imports []analysis.TextEdit

	own  *types.Func // calls of it become calls of twin, which appends; may be nil
	twin string
	lent int // number of such calls
}

// made returns the declaration of the buffer, with capacity for the lines written so far.
func (b *buffer) made() string {
	return fmt.Sprintf("%s := make([]byte, 0, %d)", b.name, max(64, (b.size+31)/32*32))
}

// lines returns the statements that append expressions, each between two texts.
func (b *buffer) lines(before string, xs []ast.Expr, after string) (string, bool) {
	var pieces, whole []rewrite.Piece
	for _, x := range xs {
		pieces = append(
			append(append(pieces, rewrite.Piece{Const: before}), rewrite.Pieces(b.pass, x)...),
			rewrite.Piece{Const: after},
		)
		whole = append(whole, rewrite.Piece{Const: before}, rewrite.Piece{X: x}, rewrite.Piece{Const: after})
	}
	if !flow.InOrder(b.pass.TypesInfo, b.within, rewrite.Values(pieces)) {
		if pieces = whole; len(xs) > 1 {
			return "", false
		}
	}
	pkg := ""
	if rewrite.NeedsStrconv(pieces) {
		name, edits, ok := rewrite.Import(b.pass, xs[0].Pos(), "strconv")
		if !ok {
			return "", false
		}
		pkg = name
		b.imports = append(b.imports, edits...)
	}
	var lines []string
	for _, p := range rewrite.Merge(pieces) {
		value := p.Append(b.pass, b.name, pkg)
		switch {
		case p.X == nil && p.Const == "":
			continue
		case p.X == nil:
			b.size += len(p.Const)
		default:
			b.size += 16
			if call, ok := ast.Unparen(p.X).(*ast.CallExpr); ok && p.Func == "" && !p.Bytes && !p.Rune {
				if s, ok := b.appended(call); ok {
					value = s
				}
			}
		}
		lines = append(lines, b.name+" = "+value)
	}
	return strings.Join(lines, "\n"), true
}

// appended converts a call that returns a string to one that appends it: of fmt, or of an own
// function.
func (b *buffer) appended(call *ast.CallExpr) (string, bool) {
	if id, ok := call.Fun.(*ast.Ident); ok && b.own != nil && b.pass.TypesInfo.ObjectOf(id) == types.Object(b.own) {
		b.lent++
		args := ""
		if len(call.Args) > 0 {
			args = ", " + rewrite.Between(b.pass, call.Args[0].Pos(), call.Rparen)
		}
		return b.twin + "(" + b.name + args + ")", true
	}
	return b.sprint(call)
}

func (b *buffer) sprint(call *ast.CallExpr) (string, bool) {
	kind, ok := strings.CutPrefix(flow.Callee(b.pass.TypesInfo, call), "fmt.Sprint")
	sel, isSelector := call.Fun.(*ast.SelectorExpr)
	if !ok || !isSelector || len(call.Args) == 0 {
		return "", false
	}
	return rewrite.Text(b.pass, sel.X) + ".Append" + kind +
		"(" + b.name + ", " + rewrite.Between(b.pass, call.Args[0].Pos(), call.Rparen+1), true
}
