package hashsum

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

// encodes reports whether a function encodes bytes as text.
func encodes(name string) bool {
	return name == "encoding/hex.EncodeToString" || name == "(*encoding/base64.Encoding).EncodeToString"
}

// retainsNothing reports whether a function does not retain the bytes passed to it.
func retainsNothing(name string) bool {
	switch name {
	case "bytes.Equal", "bytes.Compare", "bytes.HasPrefix", "crypto/hmac.Equal", "crypto/subtle.ConstantTimeCompare",
		"encoding/hex.Encode", "encoding/hex.AppendEncode",
		"(*encoding/base64.Encoding).Encode", "(*encoding/base64.Encoding).AppendEncode":
		return true
	}
	return encodes(name) ||
		strings.HasPrefix(name, "(encoding/binary.bigEndian).Uint") ||
		strings.HasPrefix(name, "(encoding/binary.littleEndian).Uint")
}

// consumed reports whether bytes are used only where they are, and not retained.
func (r *reader) consumed(c inspector.Cursor) bool {
	if id := flow.Defines(c); id != nil {
		return r.consumedVariable(c, id)
	}
	return r.passing(c)
}

// consumedVariable reports whether the bytes that a variable is defined with are consumed.
func (r *reader) consumedVariable(c inspector.Cursor, id *ast.Ident) bool {
	info := r.pass.TypesInfo
	within, ok := flow.Outermost(c)
	v, isVar := info.Defs[id].(*types.Var)
	if !ok || !isVar || !types.Identical(v.Type(), types.NewSlice(types.Typ[types.Byte])) ||
		!flow.Private(info, within, v) {
		return false
	}
	for _, use := range flow.Uses(info, within, v) {
		if use.Node() != ast.Node(id) && !r.passing(use) {
			return false
		}
	}
	return true
}

// passing reports whether an expression's bytes are only read.
func (r *reader) passing(c inspector.Cursor) bool {
	info := r.pass.TypesInfo
	for c.ParentEdgeKind() == edge.ParenExpr_X || c.ParentEdgeKind() == edge.SliceExpr_X {
		c = c.Parent()
	}
	switch c.ParentEdgeKind() {
	case edge.IndexExpr_X:
		switch c.Parent().ParentEdgeKind() {
		case edge.AssignStmt_Lhs, edge.IncDecStmt_X:
			return true // has the same meaning for the array
		case edge.UnaryExpr_X:
			return false // its address
		}
		return true
	case edge.RangeStmt_X:
		return true
	case edge.CallExpr_Args:
		call, ok := c.Parent().Node().(*ast.CallExpr)
		if !ok {
			return false
		}
		if to, ok := flow.Conversion(info, call); ok {
			return flow.IsString(to)
		}
		switch flow.Builtin(info, call) {
		case "len", "cap":
			return true
		case "copy", "append":
			return c.ParentEdgeIndex() == 1 &&
				(call.Ellipsis.IsValid() || len(call.Args) == 2 && flow.Builtin(info, call) == "copy")
		}
		return retainsNothing(flow.Callee(info, call)) || r.isHexPrint(call)
	}
	return false
}

// isHexPrint reports whether a call is fmt.Sprintf("%x", x).
func (r *reader) isHexPrint(call *ast.CallExpr) bool {
	if flow.Callee(r.pass.TypesInfo, call) != "fmt.Sprintf" || len(call.Args) != 2 || call.Ellipsis.IsValid() {
		return false
	}
	format, ok := flow.StringConst(r.pass.TypesInfo, call.Args[0])
	return ok && format == "%x"
}

// outermostText returns the call that converts a sum to text, or the sum itself.
func outermostText(pass *analysis.Pass, c inspector.Cursor) inspector.Cursor {
	if c.ParentEdgeKind() != edge.CallExpr_Args {
		return c
	}
	if call, ok := c.Parent().Node().(*ast.CallExpr); ok &&
		(encodes(flow.Callee(pass.TypesInfo, call)) || flow.Callee(pass.TypesInfo, call) == "fmt.Sprintf") {
		return c.Parent()
	}
	return c
}

// summed returns the edits that put a sum, and its text, on the stack.
func (h *hasher) summed(c inspector.Cursor) ([]analysis.TextEdit, bool) {
	call, ok := c.Node().(*ast.CallExpr)
	stmt, inList := rewrite.Statement(c)
	if !ok || !inList || !rewrite.Predeclared(h.pass, call.Pos(), "byte", "string") {
		return nil, false
	}
	pkg, imports, ok := rewrite.Import(h.pass, call.Pos(), h.kind.path)
	if !ok || len(imports) > 0 {
		return nil, false
	}
	name := h.locals.Fresh(call.Pos(), "digest")
	edits := []analysis.TextEdit{
		rewrite.Before(h.pass, stmt.Node(), "var "+name+" ["+pkg+"."+h.kind.size+"]byte"),
		rewrite.Replace(call.Args[0], name+"[:0]"),
	}
	if text := outermostText(h.pass, c); text != c {
		more, ok := h.textOf(text, c.Node(), "", h.kind.length)
		if !ok {
			return nil, false
		}
		edits = append(edits, more...)
	}
	return edits, true
}

// textOf returns the edits that put the text of length bytes on the stack: made by EncodeToString
// or fmt.Sprintf. suffix follows the bytes. There are no edits if the length of the text is
// unknown, or if rule appendform has a better rewrite.
func (r *reader) textOf(c inspector.Cursor, of ast.Node, suffix string, length int) ([]analysis.TextEdit, bool) {
	call, ok := c.Node().(*ast.CallExpr)
	stmt, inList := rewrite.Statement(c)
	if !ok || !inList || rewrite.HasComment(r.pass, call.Pos(), of.Pos()) {
		return nil, false
	}
	if !r.isHexPrint(call) && isAppended(r.pass.TypesInfo, c) {
		return nil, true
	}
	encoder, edits, n, ok := r.encoding(call, length)
	if !ok {
		return nil, !r.isHexPrint(call)
	}
	if !flow.Since(r.pass, call.Pos(), "go1.22") { // AppendEncode may be missing
		helper := r.names.Fresh("sumText")
		declare, ok := rewrite.Declare(r.pass, call.Pos(), fmt.Sprintf(`// %[1]s is %[2]s.EncodeToString of %[3]d bytes, encoded on the stack.
func %[1]s(sum []byte) string {
	var encoded [%[4]d]byte
	n := %[2]s.EncodedLen(len(sum))
	%[2]s.Encode(encoded[:n], sum)
	return string(encoded[:n])
}`, helper, encoder, length, n))
		return append(edits, declare,
			analysis.TextEdit{Pos: call.Pos(), End: of.Pos(), NewText: []byte(helper + "(")},
			analysis.TextEdit{Pos: of.End(), End: call.End(), NewText: []byte(suffix + ")")},
		), ok
	}
	name := r.locals.Fresh(call.Pos(), "encoded")
	return append(edits,
		rewrite.Before(r.pass, stmt.Node(), fmt.Sprintf("var %s [%d]byte", name, n)),
		analysis.TextEdit{
			Pos: call.Pos(), End: of.Pos(),
			NewText: []byte("string(" + encoder + ".AppendEncode(" + name + "[:0], "),
		},
		analysis.TextEdit{Pos: of.End(), End: call.End(), NewText: []byte(suffix + "))")},
	), true
}

// isAppended reports whether rule appendform writes a text directly to its destination.
func isAppended(info *types.Info, c inspector.Cursor) bool {
	if c.ParentEdgeKind() != edge.CallExpr_Args {
		return false
	}
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok {
		return false
	}
	switch flow.Callee(info, call) {
	case "(*bytes.Buffer).WriteString", "(*bufio.Writer).WriteString":
		return true
	}
	return flow.Builtin(info, call) == "append" && call.Ellipsis.IsValid()
}

// encoding returns what has the functions AppendEncode and Encode that give the result of a call, and the
// length of the text of length bytes.
func (r *reader) encoding(
	call *ast.CallExpr, length int,
) (encoder string, imports []analysis.TextEdit, n int, ok bool) {
	const most = 256 // largest text for which an array is cleared
	if r.isHexPrint(call) {
		pkg, imports, ok := rewrite.Import(r.pass, call.Pos(), "encoding/hex")
		return pkg, imports, 2 * length, ok && 2*length <= most
	}
	sel, isSelector := call.Fun.(*ast.SelectorExpr)
	if !isSelector {
		return "", nil, 0, false
	}
	n = 2 * length
	if flow.Callee(r.pass.TypesInfo, call) != "encoding/hex.EncodeToString" {
		switch r.encodingName(sel.X) {
		case "StdEncoding", "URLEncoding":
			n = (length + 2) / 3 * 4
		case "RawStdEncoding", "RawURLEncoding":
			n = (length*8 + 5) / 6
			if !flow.Since(r.pass, call.Pos(), "go1.22") {
				n = (length + 2) / 3 * 4 // Encode needs the space even if the variable has another encoding
			}
		default:
			return "", nil, 0, false
		}
	}
	return rewrite.Text(r.pass, sel.X), nil, n, n <= most
}

// encodingName returns the variable of encoding/base64 that an expression denotes, or "".
func (r *reader) encodingName(e ast.Expr) string {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	v, ok := r.pass.TypesInfo.Uses[sel.Sel].(*types.Var)
	if !ok || v.Pkg() == nil || v.Pkg().Path() != "encoding/base64" {
		return ""
	}
	return v.Name()
}

// encodedArray reports EncodeToString(x[:]) of an array.
func (r *reader) encodedArray(c inspector.Cursor, call *ast.CallExpr) {
	slice, ok := ast.Unparen(call.Args[0]).(*ast.SliceExpr)
	if !ok || slice.Low != nil || slice.High != nil || slice.Slice3 || isAppended(r.pass.TypesInfo, c) {
		return
	}
	length, ok := bytesOf(r.pass.TypesInfo.TypeOf(slice.X))
	if !ok {
		return
	}
	fix := unplaced(r.pass, c, call)
	if decl, ok := flow.Decl(c); ok && !flow.Jumps(decl) && rewrite.Predeclared(r.pass, call.Pos(), "byte", "string") {
		if edits, _ := r.textOf(c, slice, "", length); len(edits) > 0 {
			fix = analysis.SuggestedFix{Message: "Encode on the stack", TextEdits: edits}
		}
	}
	rules.Report(
		r.pass, call, encoded,
		fmt.Sprintf(
			"two allocations for the text of the %d bytes of %s: "+
				"once to encode them, once for the string",
			length, rewrite.Text(r.pass, slice.X),
		),
		fix,
	)
}

// unplaced returns the reason why a call cannot work on the stack.
func unplaced(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr) analysis.SuggestedFix {
	decl, ok := flow.Decl(c)
	switch {
	case !ok:
		return rules.None("the call is not in a function, and is made once: move it into one if it is made often")
	case flow.Jumps(decl):
		return rules.None("the function has labels, goto or recover, which new variables may break: move " +
			rewrite.Text(pass, call) + " into a function")
	case rewrite.HasComment(pass, call.Pos(), call.End()):
		return rules.None(rules.LostComment)
	}
	return rules.None("no statement before " + rewrite.Text(pass, call) + " can declare an array, or its operand " +
		"has no address: assign the operand to a variable in a statement before it")
}

// bytesOf returns the length of an array of bytes, or of the one that a pointer points to.
func bytesOf(t types.Type) (int, bool) {
	if t == nil {
		return 0, false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	a, ok := t.Underlying().(*types.Array)
	if !ok || !types.Identical(a.Elem(), types.Typ[types.Byte]) {
		return 0, false
	}
	return int(a.Len()), true
}

// printed reports fmt.Sprintf("%x", x) of bytes.
func (r *reader) printed(c inspector.Cursor, call *ast.CallExpr) {
	if !r.isHexPrint(call) {
		return
	}
	t := r.pass.TypesInfo.TypeOf(call.Args[1])
	if t == nil || types.NewMethodSet(t).Len() > 0 {
		return
	}
	length, isArray := bytesOf(t)
	_, isPointer := t.Underlying().(*types.Pointer)
	isSlice := types.Identical(t.Underlying(), types.NewSlice(types.Typ[types.Byte]))
	if !isSlice && (!isArray || isPointer) || r.isSumOfHasher(call.Args[1]) {
		return
	}
	fix := unplaced(r.pass, c, call)
	if decl, ok := flow.Decl(c); ok && !flow.Jumps(decl) &&
		!rewrite.HasComment(r.pass, call.Pos(), call.End()) &&
		rewrite.Predeclared(r.pass, call.Pos(), "byte", "string") {
		if edits := r.hex(c, call, isSlice, length); len(edits) > 0 {
			fix = analysis.SuggestedFix{Message: "Use package hex", TextEdits: edits}
		}
	}
	rules.Report(
		r.pass, call, printed,
		"fmt.Sprintf converts "+rewrite.Text(r.pass, call.Args[1])+
			" to an interface and parses the format: package hex gives the same result",
		fix,
	)
}

// isSumOfHasher reports whether a call is h.Sum(nil), which is reported with its hash if that is
// local.
func (r *reader) isSumOfHasher(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && flow.Method(r.pass.TypesInfo, call) == "(hash.Hash).Sum"
}

// hex returns the edits that print bytes with package hex.
func (r *reader) hex(c inspector.Cursor, call *ast.CallExpr, isSlice bool, length int) []analysis.TextEdit {
	value := call.Args[1]
	if isSlice {
		if s, ok := ast.Unparen(value).(*ast.SliceExpr); ok && s.Low == nil && s.High == nil && !s.Slice3 {
			if n, ok := bytesOf(r.pass.TypesInfo.TypeOf(s.X)); ok {
				edits, _ := r.textOf(c, value, "", n)
				return edits
			}
		}
		pkg, imports, ok := rewrite.Import(r.pass, call.Pos(), "encoding/hex")
		if !ok {
			return nil
		}
		return append(imports, rewrite.Replace(call, pkg+".EncodeToString("+rewrite.Text(r.pass, value)+")"))
	}
	if isVariable(r.pass.TypesInfo, value) {
		edits, _ := r.textOf(c, value, "[:]", length)
		return edits
	}
	// Only variables can be sliced: anything else is assigned to one first, if nothing else is
	// evaluated.
	stmt, ok := rewrite.Statement(c)
	if _, isCall := ast.Unparen(value).(*ast.CallExpr); !ok || !isCall || !alone(c) || c.Parent() != stmt {
		return nil
	}
	edits, ok := r.textOf(c, value, "[:]", length)
	if !ok || len(edits) == 0 {
		return nil
	}
	name := r.locals.Fresh(call.Pos(), "digest")
	return append(edits,
		rewrite.Before(r.pass, stmt.Node(), name+" := "+rewrite.Text(r.pass, value)),
		rewrite.Replace(value, name))
}

// isVariable reports whether an expression is a variable or a field of one, which have an address.
func isVariable(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := info.Uses[e].(*types.Var)
		return ok
	case *ast.SelectorExpr:
		if _, ok := info.Uses[e.Sel].(*types.Var); !ok {
			return false
		}
		if t := info.TypeOf(e.X); t == nil {
			_, ok := info.Uses[e.Sel].(*types.Var) // of a package
			return ok
		}
		return isVariable(info, e.X)
	}
	return false
}

// alone reports whether a statement evaluates nothing but an expression.
func alone(c inspector.Cursor) bool {
	switch s := c.Parent().Node().(type) {
	case *ast.ReturnStmt:
		return len(s.Results) == 1
	case *ast.AssignStmt:
		if len(s.Rhs) != 1 || len(s.Lhs) != 1 {
			return false
		}
		_, ok := s.Lhs[0].(*ast.Ident)
		return ok
	}
	return false
}

// summed reports sha256.Sum256([]byte(s)) and similar calls.
func (r *reader) summed(c inspector.Cursor, call *ast.CallExpr) {
	info := r.pass.TypesInfo
	if len(call.Args) != 1 {
		return
	}
	text := stringOf(info, call.Args[0])
	if text == nil || isShort(info, text) {
		return
	}
	fix := unplaced(r.pass, c, call)
	stmt, ok := rewrite.Statement(c)
	decl, inDecl := flow.Decl(c)
	within, _ := flow.Outermost(c)
	operands := flow.Operands(info, text)
	if ok && inDecl && !flow.Jumps(decl) && flow.InOrder(info, within, operands) &&
		!rewrite.HasComment(r.pass, call.Pos(), call.End()) &&
		rewrite.Predeclared(r.pass, call.Pos(), "append", "byte") {
		name := r.locals.Fresh(call.Pos(), "room")
		appended := name + "[:0]"
		for _, o := range operands {
			appended = "append(" + appended + ", " + rewrite.Text(r.pass, o) + "...)"
		}
		fix = analysis.SuggestedFix{Message: "Hash it through a buffer on the stack", TextEdits: []analysis.TextEdit{
			rewrite.Before(r.pass, stmt.Node(), fmt.Sprintf("var %s [%d]byte", name, room)),
			rewrite.Replace(call.Args[0], appended),
		}}
	}
	rules.Report(r.pass, call, oneShot, rewrite.Text(r.pass, text)+" is copied to the heap to be hashed", fix)
}
