package hashsum

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A write is a statement that hashes a string.
type write struct {
	stmt   inspector.Cursor
	text   ast.Expr // the string
	blanks bool     // its results are assigned to blanks
	short  bool     // the compiler converts it on the stack anyway
}

// A hasher is a hash that is local to a function.
type hasher struct {
	*reader
	v      *types.Var
	kind   kind
	made   inspector.Cursor // the statement that defines it
	writes []write
	sums   []inspector.Cursor // calls of Sum(nil) whose result is not retained
}

// hasher reports what is written to a hash, and how its sum is used.
func (r *reader) hasher(c inspector.Cursor, k kind) {
	h := &hasher{reader: r, kind: k}
	if !h.local(c) || !h.used() {
		return
	}
	if len(h.groups())+len(h.sums) == 0 {
		return
	}
	fix := h.fix()
	for _, w := range h.writes {
		if !w.short {
			rules.Report(
				r.pass, w.stmt.Node(), hashed,
				rewrite.Text(r.pass, w.text)+" is copied to the heap to be hashed, in full",
				fix,
			)
		}
	}
	for _, s := range h.sums {
		text, why := outermostText(r.pass, s), fmt.Sprintf("the sum is allocated, although it always has %d "+
			"bytes", k.length)
		if text != s {
			why += ", and so is its text"
		}
		rules.Report(r.pass, text.Node(), hashed, why, fix)
	}
}

// local reports whether a hash is the value of a variable that only its function can access.
func (h *hasher) local(c inspector.Cursor) bool {
	id := flow.Defines(c)
	within, ok := flow.Outermost(c)
	if id == nil || !ok {
		return false
	}
	if h.v, ok = h.pass.TypesInfo.Defs[id].(*types.Var); !ok || !flow.Private(h.pass.TypesInfo, within, h.v) {
		return false
	}
	h.made = c.Parent()
	for h.made.Parent().Node() != nil && !flow.InBlock(h.made) {
		switch h.made.Node().(type) {
		case *ast.AssignStmt, *ast.ValueSpec, *ast.GenDecl:
			h.made = h.made.Parent()
		default:
			return false
		}
	}
	return flow.InBlock(h.made)
}

// used analyzes the uses of the hash, and reports whether only its own methods can access it.
func (h *hasher) used() bool {
	info := h.pass.TypesInfo
	within, ok := flow.Outermost(h.made)
	if !ok {
		return false
	}
	for _, use := range flow.Uses(info, within, h.v) {
		if id, ok := use.Node().(*ast.Ident); ok && info.Defs[id] == types.Object(h.v) {
			continue
		}
		method, c, ok := flow.Receives(use)
		if !ok {
			if c = use.Parent(); use.ParentEdgeKind() != edge.CallExpr_Args || use.ParentEdgeIndex() != 0 {
				return false
			}
		}
		call, isCall := c.Node().(*ast.CallExpr)
		if !isCall {
			return false
		}
		switch {
		case !ok:
			if flow.Callee(info, call) != "io.WriteString" || !h.write(c, call.Args[1], true) {
				return false
			}
		case method == "Write" && len(call.Args) == 1:
			if text := stringOf(info, call.Args[0]); text != nil {
				h.write(c, text, false)
			}
		case method == "Sum":
			if info.Types[call.Args[0]].IsNil() && h.consumed(c) {
				h.sums = append(h.sums, c)
			}
		case method != "Reset" && method != "Size" && method != "BlockSize" && method != "Write":
			return false
		}
	}
	return true
}

// write records that a call hashes a text, and reports whether its results are unused. moves is set
// if the call moves the hash to the heap.
func (h *hasher) write(c inspector.Cursor, text ast.Expr, moves bool) bool {
	stmt := c.Parent()
	w := write{stmt: stmt, text: text, short: !moves && isShort(h.pass.TypesInfo, text)}
	switch s := stmt.Node().(type) {
	case *ast.ExprStmt:
	case *ast.AssignStmt:
		if s.Tok != token.ASSIGN || !allBlank(s.Lhs) {
			return false
		}
		w.blanks = true
	default:
		return false
	}
	if !flow.InBlock(stmt) {
		return false
	}
	h.writes = append(h.writes, w)
	return true
}

func allBlank(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return !ok || id.Name != "_"
	})
}

// stringOf returns the operand of a conversion from string to []byte, nil for all else.
func stringOf(info *types.Info, e ast.Expr) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil
	}
	to, ok := flow.Conversion(info, call)
	if !ok || !types.Identical(to, types.NewSlice(types.Typ[types.Byte])) {
		return nil
	}
	if b, ok := info.TypeOf(call.Args[0]).Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 {
		return nil
	}
	return call.Args[0]
}

// isShort reports whether a text is known to be short enough for the compiler to convert it on the
// stack.
func isShort(info *types.Info, e ast.Expr) bool {
	const most = 32
	s, ok := flow.StringConst(info, e)
	return ok && len(s) <= most
}

// fix writes texts through an array on the stack, and puts the sums there.
func (h *hasher) fix() analysis.SuggestedFix {
	none := rules.None("the hash " + h.v.Name() + " or its sum is used in a way that needs the heap: convert the " +
		"text to bytes once, and sum into an array with Sum(buf[:0])")
	decl, ok := flow.Decl(h.made)
	if !ok || flow.Jumps(decl) {
		return rules.None("the function has labels, goto or recover, which new variables may break: move the " +
			"hashing of " +
			h.v.Name() + " into a function")
	}
	var edits []analysis.TextEdit
	if len(h.groups()) > 0 {
		if edits, ok = h.written(); !ok {
			return none
		}
	}
	for _, c := range h.sums {
		more, ok := h.summed(c)
		if !ok {
			return none
		}
		edits = append(edits, more...)
	}
	return analysis.SuggestedFix{Message: "Hash without heap allocations", TextEdits: edits}
}

// written returns the edits that hash texts piece by piece.
func (h *hasher) written() ([]analysis.TextEdit, bool) {
	at := h.made.Node().Pos()
	names := loopNames{
		hash: h.v.Name(), room: h.locals.Fresh(at, "room"), text: h.locals.Fresh(at, "text"), n: h.locals.Fresh(at, "n"),
	}
	edits := []analysis.TextEdit{rewrite.Before(h.pass, h.made.Node(), "var "+
		""+names.room+" ["+strconv.Itoa(room)+"]byte")}
	for _, group := range h.groups() {
		first, last := group[0].stmt.Node(), group[len(group)-1]
		for _, w := range group {
			if !rewrite.Predeclared(h.pass, w.stmt.Node().Pos(), "string", "len", "copy", "byte") ||
				rewrite.HasComment(h.pass, w.stmt.Node().Pos(), w.text.Pos()) ||
				rewrite.HasComment(h.pass, w.text.End(), w.stmt.Node().End()) {
				return nil, false
			}
		}
		from := first.Pos()
		for i, w := range group {
			before, after := h.operand(w)
			switch {
			case len(group) == 1:
				before = "for " + names.text + " := " + before
			case i == 0:
				before = "for _, " + names.text + " := range [...]string{" + before
			default:
				before = ", " + before
			}
			edits = append(edits, analysis.TextEdit{Pos: from, End: w.text.Pos(), NewText: []byte(before)})
			from = w.text.End()
			if i < len(group)-1 {
				if after != "" {
					edits = append(edits, rewrite.Insert(from, after))
				}
				continue
			}
			edits = append(edits, analysis.TextEdit{
				Pos: from, End: last.stmt.Node().End(),
				NewText: []byte(after + names.body(len(group) > 1, group[0].blanks)),
			})
		}
	}
	return edits, true
}

// operand returns the code around a text that makes it a string in the head of a loop.
func (h *hasher) operand(w write) (before, after string) {
	literal := false
	ast.Inspect(w.text, func(n ast.Node) bool {
		_, isLiteral := n.(*ast.CompositeLit)
		literal = literal || isLiteral
		return !literal
	})
	t := h.pass.TypesInfo.TypeOf(w.text)
	switch {
	case !types.Identical(types.Default(t), types.Typ[types.String]):
		return "string(", ")"
	case literal:
		return "(", ")"
	}
	return "", ""
}

// groups returns groups of writes in consecutive statements whose texts may be evaluated before the
// first of them is hashed. Short texts are included only between others.
func (h *hasher) groups() [][]write {
	slices.SortFunc(h.writes, func(a, b write) int { return cmp.Compare(a.stmt.Node().Pos(), b.stmt.Node().Pos()) })
	var groups [][]write
	for i, w := range h.writes {
		if i > 0 {
			last := h.writes[i-1]
			next, ok := last.stmt.NextSibling()
			if ok && next == w.stmt && !flow.Mentions(h.pass.TypesInfo, w.text, h.v) &&
				!rewrite.HasComment(h.pass, last.stmt.Node().End(), w.stmt.Node().Pos()) {
				groups[len(groups)-1] = append(groups[len(groups)-1], w)
				continue
			}
		}
		groups = append(groups, []write{w})
	}
	var worth [][]write
	for _, group := range groups {
		for len(group) > 0 && group[0].short {
			group = group[1:]
		}
		for len(group) > 0 && group[len(group)-1].short {
			group = group[:len(group)-1]
		}
		if len(group) > 0 {
			worth = append(worth, group)
		}
	}
	return worth
}

// loopNames are the names in a loop that hashes a text.
type loopNames struct{ hash, room, text, n string }

// body returns a loop that hashes a text, after its first value, or all texts of an array.
func (l loopNames) body(several, blanks bool) string {
	call := l.hash + ".Write(" + l.room + "[:" + l.n + "])"
	if blanks {
		call = "_, _ = " + call
	}
	turn := "{\n" +
		l.n + " := copy(" + l.room + "[:], " + l.text + ")\n" +
		call + "\n" +
		l.text + " = " + l.text + "[" + l.n + ":]\n}"
	if several {
		return "} {\nfor len(" + l.text + ") > 0 " + turn + "\n}"
	}
	return "; len(" + l.text + ") > 0; " + turn
}
