package textbuild

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A maker is a function that builds a string in its own buffer.
type maker struct {
	decl     *ast.FuncDecl
	fn       *types.Func
	buf      *types.Var
	made     ast.Stmt        // the statement that declares the buffer
	room     int64           // capacity of the buffer
	returned []*ast.CallExpr // string(buf), in all returns
	uses     []use
}

// A use is a place where the result of a maker is added to a longer text, and its purpose.
type use struct {
	stmt   inspector.Cursor // may come after other statements that build the text
	text   ast.Expr
	within inspector.Cursor
}

// maxRoom is the maximum size of a maker's buffer in bytes: its callers need as much on their
// stacks.
const maxRoom = 1 << 10

// ownMakers reports makers whose strings are copied into longer texts.
func ownMakers(pass *analysis.Pass, root inspector.Cursor) {
	makers := map[*types.Func]*maker{}
	var inOrder []*maker
	for c := range root.Preorder((*ast.FuncDecl)(nil)) {
		if m, ok := makerOf(pass.TypesInfo, c); ok {
			makers[m.fn] = m
			inOrder = append(inOrder, m)
		}
	}
	if len(makers) == 0 {
		return
	}
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, _ := c.Node().(*ast.CallExpr)
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		if !ok {
			continue
		}
		fn, _ := pass.TypesInfo.ObjectOf(id).(*types.Func)
		if m := makers[fn]; m != nil {
			if u, ok := useOf(pass.TypesInfo, c); ok && u.within.Node() != ast.Node(m.decl) {
				m.uses = append(m.uses, u)
			}
		}
	}
	for _, m := range inOrder {
		if len(m.uses) == 0 {
			continue
		}
		fix := m.fix(pass)
		for _, r := range m.returned {
			rules.Report(pass, r, "own",
				fmt.Sprintf(
					"what %s returns is copied into a longer string: it could be appended directly",
					m.fn.Name(),
				),
				fix)
		}
	}
}

// makerOf returns the maker for a declaration: its buffer is only appended to until it is returned
// as a string, and no panic is recovered within.
func makerOf(info *types.Info, c inspector.Cursor) (*maker, bool) {
	d, _ := c.Node().(*ast.FuncDecl)
	m := &maker{decl: d}
	m.fn, _ = info.Defs[d.Name].(*types.Func)
	if m.fn == nil || d.Body == nil || d.Recv != nil ||
		!plainSignature(m.fn.Signature()) || !m.declares(info) || flow.Jumps(c) {
		return nil, false
	}
	for range c.Preorder((*ast.DeferStmt)(nil)) {
		return nil, false
	}
	for use := range c.Preorder((*ast.Ident)(nil)) {
		id, _ := use.Node().(*ast.Ident)
		if id.Name != m.buf.Name() {
			continue
		}
		if info.ObjectOf(id) != types.Object(m.buf) {
			return nil, false // the parameter with that name would shadow it
		}
		if id.Pos() != m.buf.Pos() && !m.follows(info, use) {
			return nil, false
		}
	}
	returns := 0
	for r := range c.Preorder((*ast.ReturnStmt)(nil)) {
		if f, ok := flow.Func(r); ok && f == c {
			returns++
		}
	}
	return m, returns > 0 && returns == len(m.returned) && flow.Private(info, c, m.buf)
}

// plainSignature reports whether a function has one unnamed string result, and only named
// parameters and no type parameters.
func plainSignature(s *types.Signature) bool {
	if s.TypeParams().Len() > 0 || s.Results().Len() != 1 ||
		!types.Identical(s.Results().At(0).Type(), types.Typ[types.String]) ||
		s.Results().At(0).Name() != "" {
		return false
	}
	for p := range s.Params().Variables() {
		if p.Name() == "" || p.Name() == "_" {
			return false
		}
	}
	return true
}

// declares finds buf := make([]byte, 0, n) in the body, and reports whether it exists.
func (m *maker) declares(info *types.Info) bool {
	for _, s := range m.decl.Body.List {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			continue
		}
		call, ok := a.Rhs[0].(*ast.CallExpr)
		if !ok || flow.Builtin(info, call) != "make" || len(call.Args) != 3 ||
			!types.Identical(info.TypeOf(call), types.NewSlice(types.Typ[types.Byte])) {
			continue
		}
		length, ok := flow.IntConst(info, call.Args[1])
		room, isConst := flow.IntConst(info, call.Args[2])
		id, isIdent := a.Lhs[0].(*ast.Ident)
		if !ok || !isConst || !isIdent || length != 0 || room > maxRoom {
			continue
		}
		m.buf, _ = info.Defs[id].(*types.Var)
		m.made, m.room = s, room
		return m.buf != nil
	}
	return false
}

// follows reports whether a use of a buffer appends to it or returns it as a string.
func (m *maker) follows(info *types.Info, use inspector.Cursor) bool {
	switch use.ParentEdgeKind() {
	case edge.AssignStmt_Lhs:
		return m.appends(info, use.Parent())
	case edge.CallExpr_Args:
		call, _ := use.Parent().Node().(*ast.CallExpr)
		if use.ParentEdgeIndex() != 0 {
			return false
		}
		if to, ok := flow.Conversion(info, call); ok {
			if use.Parent().ParentEdgeKind() != edge.ReturnStmt_Results || !types.Identical(to, types.Typ[types.String]) {
				return false
			}
			m.returned = append(m.returned, call)
			return true
		}
		return m.appends(info, use.Parent().Parent())
	}
	return false
}

// appends reports whether a statement is buf = append(buf, x), or uses a function that appends in
// the same way.
func (m *maker) appends(info *types.Info, stmt inspector.Cursor) bool {
	s, ok := stmt.Node().(*ast.AssignStmt)
	if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 || flow.Variable(info, s.Lhs[0]) != m.buf {
		return false
	}
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || flow.Variable(info, call.Args[0]) != m.buf {
		return false
	}
	if flow.Builtin(info, call) == "append" {
		return true
	}
	callee := flow.Callee(info, call)
	return strings.HasPrefix(callee, "strconv.Append") ||
		strings.HasPrefix(callee, "fmt.Append") ||
		callee == "unicode/utf8.AppendRune"
}

// useOf returns the use that a call of a maker is part of: the text can be built in statements
// before the one around it, because nothing else that it evaluates can observe the difference.
func useOf(info *types.Info, call inspector.Cursor) (use, bool) {
	at := call
	for at.ParentEdgeKind() == edge.ParenExpr_X ||
		at.ParentEdgeKind() == edge.BinaryExpr_X ||
		at.ParentEdgeKind() == edge.BinaryExpr_Y {
		if b, ok := at.Parent().Node().(*ast.BinaryExpr); ok && b.Op != token.ADD {
			return use{}, false
		}
		at = at.Parent()
	}
	u := use{}
	u.text, _ = at.Node().(ast.Expr)
	within, ok := flow.Outermost(call)
	if u.within = within; !ok || at == call || !flow.IsString(info.TypeOf(u.text)) {
		return u, false
	}
	u.stmt = at.Parent()
	switch at.ParentEdgeKind() {
	case edge.ReturnStmt_Results:
		r, _ := u.stmt.Node().(*ast.ReturnStmt)
		ok = len(r.Results) == 1
	case edge.AssignStmt_Rhs:
		a, _ := u.stmt.Node().(*ast.AssignStmt)
		ok = len(a.Lhs) == 1 && len(a.Rhs) == 1 &&
			(a.Tok == token.DEFINE || a.Tok == token.ASSIGN && flow.Variable(info, a.Lhs[0]) != nil)
	case edge.CallExpr_Args:
		outer, _ := u.stmt.Node().(*ast.CallExpr)
		ok = u.stmt.ParentEdgeKind() == edge.ExprStmt_X && len(outer.Args) == 1 && isSettledFunc(info, within, outer.Fun)
		u.stmt = u.stmt.Parent()
	default:
		ok = false
	}
	return u, ok && flow.InBlock(u.stmt)
}

// isSettledFunc reports whether the function that a call refers to cannot change while its
// arguments are evaluated, and evaluating it does not panic: a named function, or a method of a
// variable.
func isSettledFunc(info *types.Info, within inspector.Cursor, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := info.ObjectOf(e).(*types.Func)
		return ok
	case *ast.SelectorExpr:
		if _, ok := info.ObjectOf(e.Sel).(*types.Func); !ok {
			return false
		}
		s := info.Selections[e]
		if s == nil {
			return true // of a package
		}
		return len(s.Index()) == 1 && !types.IsInterface(s.Recv()) &&
			s.Indirect() == isPointer(s.Obj().(*types.Func).Signature().Recv().Type()) &&
			flow.Settled(info, within, e.X)
	}
	return false
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// fix returns the fix that makes the callers lend their buffers, without edits if that is
// impossible.
func (m *maker) fix(pass *analysis.Pass) analysis.SuggestedFix {
	none := rules.None("a caller of " + m.fn.Name() + " uses its result in a way that cannot lend a buffer, or a " +
		"name is shadowed: with each result as a part of one concatenation, it is appended to the caller's buffer")
	if rewrite.Generated(pass, m.decl.Pos()) ||
		!rewrite.Predeclared(pass, m.made.End(), "make", "byte", "string") ||
		rewrite.HasComment(pass, m.made.Pos(), m.made.End()) {
		return none
	}
	name := m.fn.Name()
	first, size := utf8.DecodeRuneInString(name)
	twin := rewrite.NewNames(pass).Fresh("append" + string(unicode.ToUpper(first)) + name[size:])
	if rewrite.Elsewhere(pass, twin) {
		return none
	}
	locals := rewrite.NewLocals(pass)
	edits := m.edits(pass, twin)
	for _, u := range m.uses {
		if rewrite.Generated(pass, u.text.Pos()) ||
			!rewrite.Predeclared(pass, u.stmt.Node().Pos(),
				"append", "make", "byte", "string", "int64", "uint64", "float64", "bool",
			) ||
			rewrite.Lookup(pass, u.text.Pos(), name) != types.Object(m.fn) ||
			rewrite.HasComment(pass, u.text.Pos(), u.text.End()) {
			return none
		}
		b := &buffer{pass: pass, within: u.within, name: locals.Fresh(u.text.Pos(), "text"), own: m.fn, twin: twin}
		lines, ok := b.lines("", []ast.Expr{u.text}, "")
		if !ok || b.lent != 1 {
			return none
		}
		b.size += int(m.room)
		edits = append(edits,
			rewrite.Before(pass, u.stmt.Node(), b.made()+"\n"+lines),
			rewrite.Replace(u.text, "string("+b.name+")"),
		)
		edits = append(edits, b.imports...)
	}
	return analysis.SuggestedFix{Message: "Append to the caller's buffer", TextEdits: edits}
}

// edits splits the maker into two functions: one that appends, and the original one.
func (m *maker) edits(pass *analysis.Pass, twin string) []analysis.TextEdit {
	params := m.decl.Type.Params
	var args strings.Builder
	for p := range m.fn.Signature().Params().Variables() {
		args.WriteString(", " + p.Name())
	}
	if m.fn.Signature().Variadic() {
		args.WriteString("...")
	}
	taken := ""
	if params.NumFields() > 0 {
		taken = ", " + rewrite.Between(pass, params.List[0].Pos(), params.List[len(params.List)-1].End())
	}
	edits := []analysis.TextEdit{
		rewrite.Insert(m.decl.Body.Lbrace+1, fmt.Sprintf(
			"\n\treturn string(%s(make([]byte, 0, %d)%s))\n}\n\n"+
				"// %s appends what %s returns.\n"+
				"func %s(%s []byte%s) []byte {",
			twin, m.room, args.String(), twin, m.fn.Name(), twin, m.buf.Name(), taken)),
		{Pos: m.made.Pos(), End: m.after(pass)},
	}
	for _, r := range m.returned {
		edits = append(edits, rewrite.Replace(r, m.buf.Name()))
	}
	return edits
}

// after returns the end of the buffer's declaration with the space after it.
func (m *maker) after(pass *analysis.Pass) token.Pos {
	for i, s := range m.decl.Body.List {
		if s != m.made || i+1 == len(m.decl.Body.List) {
			continue
		}
		if next := m.decl.Body.List[i+1].Pos(); !rewrite.HasComment(pass, s.End(), next) {
			return next
		}
	}
	return m.made.End()
}
