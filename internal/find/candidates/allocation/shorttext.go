package allocation

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// shortTextGenerator converts short texts to characters or bytes in an array of the function.
func shortTextGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "shorttext", Title: "text converted to be passed to a function",
		Why: "the compiler has an array for 32 characters or bytes; a larger one keeps the conversion of most texts off " +
			"the heap, if the function does not keep it",
		Assumes: "most of the texts are short, and the function does not keep what it gets",
		Kinds: []diagnosis.Kind{
			diagnosis.Conversion, diagnosis.Allocation, diagnosis.Escape, diagnosis.Copying, diagnosis.Collection,
		},
		Propose: visit(func(s *site) (list []proposal) {
			var all proposal
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if edits, ok := s.shortText(c); ok {
					all.Message = "Use an array for short texts"
					all.Edits = append(all.Edits, edits...)
				}
			}
			if len(all.Edits) > 0 {
				list = append(list, all)
			}
			return list
		}),
	}
}

// shortBytes is the size of the array for a converted text.
const shortBytes = 256

// shortText appends a text to an array where it is short enough, before the statement that passes it to a function of
// the package.
func (s *site) shortText(c inspector.Cursor) (edits []analysis.TextEdit, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || c.ParentEdgeKind() != edge.CallExpr_Args || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
		return nil, false
	}
	to, ok := flow.Conversion(info, call)
	if !ok || !flow.IsString(info.TypeOf(call.Args[0])) || info.Types[call.Args[0]].Value != nil ||
		s.SideEffects(call.Args[0]) {
		return nil, false
	}
	if s.Code.Funcs[s.Callee(c.Parent())] == nil {
		return nil, false // nothing is known about it
	}
	stmt, ok := rewrite.Statement(c)
	if !ok || !s.EvaluatedFirst(c, stmt) || !rewrite.Predeclared(s.Pass, call.Pos(), "append", "len", "rune", "byte") {
		return nil, false
	}
	elem := "byte"
	size := shortBytes
	if !sites.IsBytes(to) {
		if !types.Identical(to, types.NewSlice(types.Typ[types.Rune])) {
			return nil, false
		}
		elem, size = "rune", shortBytes/4
	}
	array, short := s.Locals.Fresh(call.Pos(), "array"), s.Locals.Fresh(call.Pos(), "short")
	text := s.Text(call.Args[0])
	fill := fmt.Sprintf("%s = append(%s, %s...)", short, short, text)
	if elem == "rune" {
		char := s.Locals.Fresh(call.Pos(), "r")
		fill = fmt.Sprintf("for _, %[1]s := range %[2]s {\n%[3]s = append(%[3]s, %[1]s)\n}", char, text, short)
	}
	return []analysis.TextEdit{
		rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf(
			"var %[1]s [%[2]d]%[3]s\n%[4]s := %[1]s[:0]\nif len(%[5]s) <= len(%[1]s) {\n%[6]s\n} else {\n%[4]s = %[7]s\n}",
			array, size, elem, short, text, fill, s.Text(call))),
		rewrite.Replace(call, short),
	}, true
}
