package text

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// stackParts is the number of parts for which a function has memory.
const stackParts = 8

// appendParts is declared where strings are split into an array.
const appendParts = `// %[1]s appends the parts of text between separators, as strings.Split returns them.
func %[1]s(parts []string, text, separator string) []string {
	if separator == "" {
		return append(parts, %[2]s.Split(text, separator)...)
	}
	for {
		before, after, found := %[2]s.Cut(text, separator)
		parts = append(parts, before)
		if !found {
			return parts
		}
		text = after
	}
}`

// appendFew and appendFields are declared where strings are split into few parts, or at white space.
const (
	appendFew = `// %[1]s appends at most n parts of text between separators, as strings.SplitN returns them.
func %[1]s(parts []string, text, separator string, n int) []string {
	if separator == "" {
		return append(parts, %[2]s.SplitN(text, separator, n)...)
	}
	for len(parts) < n-1 {
		before, after, found := %[2]s.Cut(text, separator)
		if !found {
			break
		}
		parts = append(parts, before)
		text = after
	}
	return append(parts, text)
}`
	appendFields = `// %[1]s appends the words of text, as strings.Fields returns them.
func %[1]s(words []string, text string) []string {
	for word := range %[2]s.FieldsSeq(text) {
		words = append(words, word)
	}
	return words
}`
)

// splitGenerator splits strings into an array of the function, instead of a slice on the heap.
func splitGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "parts", Title: "slice of parts allocated on each call",
		Why: fmt.Sprintf("an array of %d parts needs no allocation while the function does not return it or store it",
			stackParts),
		Assumes: "there are usually few parts",
		Kinds:   []diagnosis.Kind{diagnosis.Text, diagnosis.Allocation, diagnosis.SliceGrowth},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("strings.Split", "strings.SplitN", "strings.Fields") {
				if p, ok := s.intoArray(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// intoArray splits a string into an array that is declared before the statement.
func (s *site) intoArray(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
		return p, false
	}
	name, source := "appendParts", appendParts
	switch len(call.Args) {
	case 1:
		if name, source = "appendFields", appendFields; !flow.Since(s.Pass, call.Pos(), "go1.24") {
			return p, false
		}
	case 3:
		name, source = "appendFew", appendFew
		if n, isConst := flow.IntConst(s.Pass.TypesInfo, call.Args[2]); !isConst || n < 2 || n > stackParts {
			return p, false
		}
	}
	if len(call.Args) > 1 {
		if separator, known := flow.StringConst(s.Pass.TypesInfo, call.Args[1]); known && separator == "" {
			return p, false
		}
	}
	switch c.ParentEdgeKind() {
	case edge.ReturnStmt_Results, edge.CompositeLit_Elts, edge.KeyValueExpr_Value, edge.ExprStmt_X, edge.SendStmt_Value:
		return p, false // it is kept
	}
	if loop, ok := flow.Loop(c); ok && s.keptIn(loop, c) {
		return p, false
	}
	stmt, ok := rewrite.Statement(c)
	sel, isSelector := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !isSelector {
		return p, false
	}
	pkg, isIdent := sel.X.(*ast.Ident)
	if !isIdent || !rewrite.Universe(s.Pass, "append", "string") {
		return p, false
	}
	helper := s.Names.Fresh(name)
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(source, helper, pkg.Name))
	if !ok {
		return p, false
	}
	array := s.Locals.Fresh(call.Pos(), "array")
	args := array + "[:0]"
	for _, a := range call.Args {
		args += ", " + s.Text(a)
	}
	return proposal{
		Message: fmt.Sprintf("Split into an array of %d parts", stackParts),
		Edits: []analysis.TextEdit{
			declared,
			rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("var %s [%d]string", array, stackParts)),
			rewrite.Replace(call, helper+"("+args+")"),
		},
	}, true
}

// keptIn reports whether a slice that is made in a loop is assigned to a variable declared outside.
func (s *site) keptIn(loop, c inspector.Cursor) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN {
		return false
	}
	v := flow.Variable(s.Pass.TypesInfo, assign.Lhs[0])
	return v == nil || v.Pos() < loop.Node().Pos()
}

// sequenceGenerator ranges over the parts of a string without a slice of them, also where the loop counts
// them, the separator is a variable, or the slice is in a variable.
func sequenceGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "sequence", Title: "string split into a slice for a loop",
		Why:     "an iterator takes one part after the other without a slice of all",
		Assumes: "the loop does not change the slice of parts",
		Kinds:   []diagnosis.Kind{diagnosis.Text, diagnosis.Allocation, diagnosis.SliceGrowth},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf(
				"strings.Split", "strings.Fields", "strings.FieldsFunc", "strings.SplitAfter",
				"bytes.Split", "bytes.Fields", "bytes.FieldsFunc",
			) {
				if p, ok := s.ranged(c); ok && flow.Since(s.Pass, c.Node().Pos(), "go1.24") {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// ranged replaces a split by its iterator in the loop over the parts.
func (s *site) ranged(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	sel, isSelector := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !isSelector || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
		return p, false
	}
	source := s.Text(sel) + "Seq" + strings.TrimPrefix(s.Text(call), s.Text(sel))
	if c.ParentEdgeKind() == edge.RangeStmt_X {
		loop, ok := c.Parent().Node().(*ast.RangeStmt)
		if !ok {
			return p, false
		}
		edits, ok := s.overSequence(c.Parent(), loop, source)
		return proposal{Message: "Iterate over the parts", Edits: edits}, ok
	}
	// parts := strings.Split(…), and nothing but for … range parts
	id := flow.Defines(c)
	if id == nil {
		return p, false
	}
	obj := s.Pass.TypesInfo.Defs[id]
	if obj == nil {
		return p, false
	}
	var loop inspector.Cursor
	for _, use := range flow.Uses(s.Pass.TypesInfo, s.Decl, obj) {
		switch {
		case use.Node() == id:
		case use.ParentEdgeKind() == edge.RangeStmt_X && !loop.Valid():
			loop = use.Parent()
		default:
			return p, false
		}
	}
	assign, isAssign := c.Parent().Node().(*ast.AssignStmt)
	if !loop.Valid() || !isAssign || len(assign.Lhs) != 1 || !flow.InBlock(c.Parent()) ||
		flow.Calls(s.Pass.TypesInfo, call.Args[0]) {
		return p, false
	}
	r, ok := loop.Node().(*ast.RangeStmt)
	if !ok {
		return p, false
	}
	edits, ok := s.overSequence(loop, r, source)
	edits = append(edits, analysis.TextEdit{Pos: assign.Pos(), End: assign.End()})
	return proposal{Message: "Iterate over the parts", Edits: edits}, ok
}

// overSequence returns the edits that make a loop range over an iterator. Indexes are counted.
func (s *site) overSequence(
	c inspector.Cursor, r *ast.RangeStmt, source string,
) (edits []analysis.TextEdit, ok bool) {
	if r.Key == nil || rewrite.HasComment(s.Pass, r.Key.Pos(), r.X.End()) {
		return []analysis.TextEdit{rewrite.Replace(r.X, source)}, r.Key == nil
	}
	head := "range " + source
	if r.Value != nil && !sites.IsBlank(r.Value) {
		head = s.Text(r.Value) + " " + r.Tok.String() + " " + head
	}
	edits = append(edits, analysis.TextEdit{Pos: r.Key.Pos(), End: r.X.End(), NewText: []byte(head)})
	if sites.IsBlank(r.Key) {
		return edits, true
	}
	index := flow.Variable(s.Pass.TypesInfo, r.Key)
	stmt, ok := rewrite.Statement(c)
	if index == nil || r.Tok != token.DEFINE || !ok || !s.unsetIn(r.Body, c, index) {
		return nil, false
	}
	name := s.Locals.Fresh(r.Pos(), index.Name()+"Next")
	return append(edits,
		rewrite.Before(s.Pass, stmt.Node(), name+" := 0"),
		rewrite.Insert(r.Body.Lbrace+1, fmt.Sprintf("\n%s := %s\n%s++\n", index.Name(), name, name)),
	), true
}

// unsetIn reports whether the statements of a body do not set a variable of its loop.
func (s *site) unsetIn(body ast.Node, loop inspector.Cursor, v interface{ Pos() token.Pos }) bool {
	for c := range loop.Preorder((*ast.Ident)(nil)) {
		if obj := s.Pass.TypesInfo.ObjectOf(sites.IdentOf(c)); obj != nil && obj.Pos() == v.Pos() &&
			c.Node().Pos() >= body.Pos() && flow.IsSet(c) {
			return false
		}
	}
	return true
}
