package text

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// lateErrorGenerator formats the text of an error when that is needed.
func lateErrorGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "lateerror", Title: "text of an error formatted where the error is made",
		Why: "an error that keeps the operands needs no text until its Error method is called, and many are never " +
			"printed",
		Assumes: "the operands do not change meanwhile, and nothing depends on the type of the error",
		Kinds: []diagnosis.Kind{
			diagnosis.Formatting, diagnosis.Allocation, diagnosis.Escape, diagnosis.Interface, diagnosis.Library,
			diagnosis.Concatenation,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("fmt.Errorf") {
				if p, ok := s.formattedLate(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// mostOperands is the number of operands of an error that it may keep.
const mostOperands = 6

// formattedLate declares an error type for a call of fmt.Errorf with a constant format. With %w, it unwraps to the
// operand.
func (s *site) formattedLate(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) < 2 || len(call.Args) > mostOperands+1 || call.Ellipsis.IsValid() ||
		rewrite.HasComment(s.Pass, call.Pos(), call.End()) || !rewrite.Universe(s.Pass, "string", "error") {
		return p, false
	}
	switch c.ParentEdgeKind() {
	case edge.ReturnStmt_Results, edge.AssignStmt_Rhs, edge.ValueSpec_Values:
	default:
		return p, false
	}
	format, ok := flow.StringConst(info, call.Args[0])
	if !ok || strings.Contains(format, "[") || strings.Contains(format, "*") || strings.Count(format, "%w") > 1 ||
		strings.Contains(format, "%p") {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return p, false
	}
	var fields, values, names, params []string
	for i, a := range call.Args[1:] {
		t := info.TypeOf(a)
		if param, isParam := types.Unalias(t).(*types.TypeParam); isParam && !slices.Contains(params, param.Obj().Name()) {
			params = append(params, param.Obj().Name())
		}
		if !s.fixed(t) {
			return p, false
		}
		if basic, isBasic := t.(*types.Basic); isBasic && basic.Info()&types.IsUntyped != 0 {
			t = types.Default(t)
		}
		typ, written := rewrite.TypeText(s.Pass, call.Pos(), t)
		if !written {
			return p, false
		}
		fields = append(fields, fmt.Sprintf("x%d %s", i+1, typ))
		names, values = append(names, fmt.Sprintf("e.x%d", i+1)), append(values, s.Text(a))
	}
	name := s.Names.Fresh("lateError")
	declares, uses := name, name
	if len(params) > 0 {
		if !rewrite.Universe(s.Pass, "any") || !flow.Since(s.Pass, call.Pos(), "go1.18") {
			return p, false
		}
		uses = name + "[" + strings.Join(params, ", ") + "]"
		declares = name + "[" + strings.Join(params, ", ") + " any]"
	}
	text := fmt.Sprintf("// %[1]s is an error whose text is formatted when it is needed.\n"+
		"type %[6]s struct {\n\t%[2]s\n}\n\n"+
		"func (e *%[7]s) Error() string {\n\treturn %[3]s.Sprintf(%[4]q, %[5]s)\n}",
		name, strings.Join(fields, "\n\t"), s.Text(sel.X), strings.Replace(format, "%w", "%v", 1), strings.Join(names, ", "),
		declares, uses)
	if before, _, wraps := strings.Cut(format, "%w"); wraps {
		wrapped := strings.Count(strings.ReplaceAll(before, "%%", ""), "%")
		if wrapped >= len(names) || !types.Implements(info.TypeOf(call.Args[wrapped+1]), errorInterface()) {
			return p, false
		}
		text += fmt.Sprintf("\n\nfunc (e *%s) Unwrap() error { return %s }", uses, names[wrapped])
	}
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), text)
	if !ok {
		return p, false
	}
	p.Message = "Format the text of the error when it is needed"
	p.Edits = append(p.Edits, declared, rewrite.Replace(call, "&"+uses+"{"+strings.Join(values, ", ")+"}"))
	return p, s.interfaceThere(c)
}

// interfaceThere reports whether a call is assigned to what is declared elsewhere as an error, or returned as one.
func (s *site) interfaceThere(c inspector.Cursor) bool {
	switch parent := c.Parent().Node().(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.AssignStmt:
		id, ok := parent.Lhs[min(c.ParentEdgeIndex(), len(parent.Lhs)-1)].(*ast.Ident)
		return !ok || s.Pass.TypesInfo.Defs[id] == nil
	case *ast.ValueSpec:
		return parent.Type != nil
	}
	return false
}

// fixed reports whether a value of a type cannot change, as far as its text goes: strings, numbers, errors, and types
// of package reflect.
func (s *site) fixed(t types.Type) bool {
	switch t.String() {
	case "error", "reflect.Type", "reflect.Kind":
		return true
	}
	if types.IsInterface(t) {
		return true // assumed to hold one of these
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Kind() != types.UnsafePointer && basic.Kind() != types.UntypedNil
}

// errorInterface returns the type error.
func errorInterface() *types.Interface {
	i, _ := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return i
}
