package split

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// indexed reports strings.Split(s, sep)[0], which always exists.
func (f *splitFinder) indexed(index inspector.Cursor, call *ast.CallExpr, s splitter) {
	x, ok := index.Node().(*ast.IndexExpr)
	if !ok {
		return
	}
	n, ok := flow.IntConst(f.pass.TypesInfo, x.Index)
	if !ok || n > 1 || s.name == "Fields" {
		return // there is nothing simpler
	}
	fix := uncut(s)
	if n == 0 && f.cuts(s) && !rewrite.HasComment(f.pass, x.Pos(), x.End()) {
		fix = f.first(index, call)
	}
	rules.Report(f.pass, call, "parts", fmt.Sprintf("%s makes a slice of all parts, of which one is used", s), fix)
}

// uncut returns the reason why the first parts of a split are not found by Cut.
func uncut(s splitter) analysis.SuggestedFix {
	return rules.None(fmt.Sprintf("strings.Cut does not find the parts that are used of %s: with only the first "+
		"part of Split, or two of SplitN(s, sep, 2), it does", s))
}

// cuts reports whether Cut finds the same first part as the function.
func (f *splitFinder) cuts(s splitter) bool {
	return s.pkg == "strings" && (s.name == "Split" || s.name == "SplitN" && (s.limit < 0 || s.limit >= 2))
}

// first returns the fix of x := strings.Split(s, sep)[0], and of return strings.Split(s, sep)[0].
func (f *splitFinder) first(index inspector.Cursor, call *ast.CallExpr) analysis.SuggestedFix {
	cut, ok := f.cut(call)
	if !ok || !flow.Since(f.pass, call.Pos(), "go1.18") {
		return rules.None("a comment would be lost, or go.mod requires a Go before 1.18, which has no strings.Cut: " +
			"move the comment and require go 1.18")
	}
	stmt := index.Parent()
	s, isStmt := stmt.Node().(ast.Stmt)
	x, isExpr := index.Node().(ast.Expr)
	if !isStmt || !isExpr {
		return rules.None("the part is used within another expression: with a statement that assigns it to a " +
			"variable, strings.Cut finds it")
	}
	fix := analysis.SuggestedFix{Message: "Cut the string at the separator"}
	switch s := s.(type) {
	case *ast.AssignStmt:
		if index.ParentEdgeKind() != edge.AssignStmt_Rhs || len(s.Lhs) != 1 ||
			s.Tok != token.DEFINE && s.Tok != token.ASSIGN ||
			s.Tok == token.ASSIGN && isBlank(s.Lhs[0]) {
			return rules.None("the part is used within another expression: with a statement that assigns it to a " +
				"variable, strings.Cut finds it")
		}
		fix.TextEdits = []analysis.TextEdit{rewrite.Insert(s.Lhs[0].End(), ", _, _"), rewrite.Replace(x, cut)}
	case *ast.ReturnStmt:
		if index.ParentEdgeIndex() != 0 || !inList(stmt) {
			return rules.None("the part is used within another expression: with a statement that assigns it to a " +
				"variable, strings.Cut finds it")
		}
		for _, other := range s.Results[1:] {
			if tv := f.pass.TypesInfo.Types[other]; tv.Value == nil && !tv.IsNil() {
				return rules.None("the part is used within another expression: with a statement that assigns it to " +
					"a variable, strings.Cut finds it")
			}
		}
		name := f.names.Fresh(call.Pos(), "before")
		fix.TextEdits = []analysis.TextEdit{rewrite.Before(f.pass, s, name+", _, _ := "+cut), rewrite.Replace(x, name)}
	default:
		return rules.None("the part is used within another expression: with a statement that assigns it to a " +
			"variable, strings.Cut finds it")
	}
	return fix
}

// cut returns the call of strings.Cut with the arguments of a splitting call.
func (f *splitFinder) cut(call *ast.CallExpr) (string, bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || rewrite.HasComment(f.pass, call.Pos(), call.End()) {
		return "", false
	}
	return fmt.Sprintf(
		"%s.Cut(%s, %s)",
		rewrite.Text(f.pass, sel.X), rewrite.Text(f.pass, call.Args[0]), rewrite.Text(f.pass, call.Args[1]),
	), true
}

func inList(c inspector.Cursor) bool {
	switch c.ParentEdgeKind() {
	case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
		return true
	}
	return false
}

// A part is a use of parts[0] or parts[1], or a comparison of len(parts).
type part struct {
	at    inspector.Cursor
	index int  // of an element; -1 for the length
	two   bool // for the length: true means that there are two parts
	set   bool // for an element: it is set
}

// assigned reports parts := strings.Split(s, sep), if they are ranged over once, or only the first
// two are used.
func (f *splitFinder) assigned(c inspector.Cursor, call *ast.CallExpr, s splitter) {
	id := flow.Defines(c)
	if id == nil {
		return
	}
	v, ok := f.pass.TypesInfo.Defs[id].(*types.Var)
	if !ok {
		return
	}
	uses := f.places[v][1:]
	if len(uses) == 1 && uses[0].ParentEdgeKind() == edge.RangeStmt_X {
		loop := uses[0].Parent()
		// In the same list: an iterator may be used only once.
		f.ranged(call, loop, s, loop.Parent() == c.Parent().Parent())
		return
	}
	var parts []part
	for _, use := range uses {
		p, ok := f.part(use)
		if !ok {
			return
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 || s.name == "Fields" {
		return
	}
	fix := uncut(s)
	if f.cuts(s) {
		fix = f.together(c, call, s, parts)
	}
	rules.Report(f.pass, call, "parts", fmt.Sprintf("%s makes a slice of all parts, of which one or two are "+
		"used", s), fix)
}

// part analyzes a use of the parts; false if a few variables cannot replace it.
func (f *splitFinder) part(use inspector.Cursor) (part, bool) {
	info := f.pass.TypesInfo
	switch use.ParentEdgeKind() {
	case edge.IndexExpr_X:
		index, ok := use.Parent().Node().(*ast.IndexExpr)
		if !ok || flow.Addresses(info, use) {
			return part{}, false
		}
		n, ok := flow.IntConst(info, index.Index)
		return part{at: use.Parent(), index: int(n), set: flow.IsSet(use.Parent())}, ok && n <= 1
	case edge.CallExpr_Args:
		call, ok := use.Parent().Node().(*ast.CallExpr)
		if !ok || flow.Builtin(info, call) != "len" || use.Parent().ParentEdgeKind() != edge.BinaryExpr_X {
			return part{}, false
		}
		e, ok := use.Parent().Parent().Node().(*ast.BinaryExpr)
		if !ok {
			return part{}, false
		}
		n, ok := flow.IntConst(info, e.Y)
		p := part{at: use.Parent().Parent(), index: -1}
		switch {
		case e.Op == token.EQL && n == 2,
			e.Op == token.GTR && n == 1,
			e.Op == token.GEQ && n == 2,
			e.Op == token.NEQ && n == 1:
			p.two = true
		case e.Op == token.NEQ && n == 2,
			e.Op == token.LSS && n == 2,
			e.Op == token.LEQ && n == 1,
			e.Op == token.EQL && n == 1:
		default:
			return part{}, false
		}
		return p, ok
	}
	return part{}, false
}

// together returns the fix that replaces the slice by variables. SplitN(s, sep, 2) has one or two
// parts; of the others it knows only the first.
func (f *splitFinder) together(c inspector.Cursor, call *ast.CallExpr, s splitter, parts []part) analysis.SuggestedFix {
	none := uncut(s)
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || !flow.Since(f.pass, call.Pos(), "go1.18") {
		return none
	}
	cut, ok := f.cut(call)
	if !ok {
		return none
	}
	read, named := [3]bool{}, [3]bool{} // the parts, and whether there are two
	for _, p := range parts {
		i := p.index
		switch {
		case i == -1 && s.limit == 2:
			i = 2
		case i == 0 || i == 1 && s.limit == 2 && f.guarded(c, p, parts):
		default:
			return none
		}
		named[i] = true
		read[i] = read[i] || !p.set
		if rewrite.HasComment(f.pass, p.at.Node().Pos(), p.at.Node().End()) {
			return none
		}
	}
	names := [3]string{"_", "_", "_"}
	for i, base := range [3]string{"before", "after", "found"} {
		if named[i] != read[i] {
			return none // set and not read: an error for a variable
		}
		if named[i] {
			names[i] = f.names.Fresh(call.Pos(), base)
		}
	}
	fix := analysis.SuggestedFix{Message: "Cut the string at the separator"}
	fix.TextEdits = []analysis.TextEdit{
		rewrite.Replace(assign, fmt.Sprintf("%s, %s, %s := %s", names[0], names[1], names[2], cut)),
	}
	for _, p := range parts {
		text := names[2]
		switch {
		case p.index >= 0:
			text = names[p.index]
		case !p.two:
			text = "!" + text
		}
		fix.TextEdits = append(fix.TextEdits, rewrite.Replace(p.at.Node(), text))
	}
	return fix
}

// guarded reports whether a use of the second part is reached only if it exists: after if
// len(parts) != 2 { return … } in the list of the declaration, or within if len(parts) == 2 { … }.
func (f *splitFinder) guarded(decl inspector.Cursor, use part, parts []part) bool {
	for _, length := range parts {
		if length.index != -1 {
			continue
		}
		e, k := length.at, length.at.ParentEdgeKind()
		// If && is true, so are both operands; if || is false, neither is true.
		for k == edge.ParenExpr_X || k == edge.BinaryExpr_X || k == edge.BinaryExpr_Y {
			if b, ok := e.Parent().Node().(*ast.BinaryExpr); ok &&
				(length.two && b.Op != token.LAND || !length.two && b.Op != token.LOR) {
				break
			}
			if k == edge.BinaryExpr_X {
				if b, ok := e.Parent().Node().(*ast.BinaryExpr); ok && within(use.at.Node(), b.Y) {
					return true
				}
			}
			e, k = e.Parent(), e.Parent().ParentEdgeKind()
		}
		if k != edge.IfStmt_Cond {
			continue
		}
		branch, ok := e.Parent().Node().(*ast.IfStmt)
		if !ok {
			continue
		}
		switch {
		case length.two && within(use.at.Node(), branch.Body),
			!length.two && branch.Else != nil && within(use.at.Node(), branch.Else):
			return true
		case !length.two && branch.Else == nil && e.Parent().Parent() == decl.Parent().Parent() && inList(e.Parent()) &&
			use.at.Node().Pos() > branch.End() && leaves(branch.Body):
			return true
		}
	}
	return false
}

func within(n, outer ast.Node) bool { return outer.Pos() <= n.Pos() && n.End() <= outer.End() }

// leaves reports whether a block ends by leaving the list that it is in.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE || s.Tok == token.BREAK
	}
	return false
}
