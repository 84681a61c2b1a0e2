package text

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// scratchBytes is the size of the array into which numbers are formatted.
const scratchBytes = 32

// appendedGenerator builds a string in a strings.Builder instead of bytes that are converted at the end.
func appendedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "appended", Title: "bytes appended, and then copied into a string",
		Why:     "strings.Builder returns the memory that it has filled",
		Assumes: "the text is not much smaller than the capacity, and too long for the stack of the function",
		Kinds: []diagnosis.Kind{
			diagnosis.Conversion, diagnosis.Allocation, diagnosis.Copying, diagnosis.SliceGrowth, diagnosis.Escape,
		},
		Propose: visit(func(s *site) (list []proposal) {
			done := map[*types.Var]bool{}
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				call, ok := c.Node().(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					continue
				}
				to, converts := flow.Conversion(s.Pass.TypesInfo, call)
				if !(converts && flow.IsString(to)) && flow.Builtin(s.Pass.TypesInfo, call) != "append" {
					continue
				}
				v := flow.Variable(s.Pass.TypesInfo, call.Args[0])
				if v == nil || done[v] || !sites.IsBytes(v.Type()) {
					continue
				}
				done[v] = true
				if p, ok := s.builtText(v); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// builtText makes a builder of local bytes that are only appended to, measured, and converted.
func (s *site) builtText(v *types.Var) (p proposal, ok bool) {
	b := &building{site: s, v: v}
	for i, use := range s.Places[v] {
		if i == 0 {
			b.home = sites.FunctionOf(use)
		}
		if sites.FunctionOf(use) != b.home || !b.use(use) {
			return p, false
		}
	}
	if b.declared == nil || !b.converted || !b.appended {
		return p, false
	}
	pkg, imports, ok := rewrite.Import(s.Pass, b.declared.Pos(), "strings")
	if !ok || !rewrite.Predeclared(s.Pass, b.declared.Pos(), "byte") {
		return p, false
	}
	text := fmt.Sprintf("var %s %s.Builder", v.Name(), pkg)
	if b.size != nil {
		text += fmt.Sprintf("\n%s.Grow(%s)", v.Name(), s.Text(b.size))
	}
	if b.scratch != "" {
		text += fmt.Sprintf("\nvar %s [%d]byte", b.scratch, scratchBytes)
	}
	p.Message = "Build the string in a strings.Builder"
	p.Edits = append(append(imports, rewrite.Replace(b.declared, text)), b.edits...)
	return p, true
}

// A building is the change of one variable.
type building struct {
	*site
	v        *types.Var
	home     inspector.Cursor // the function of the variable
	declared ast.Node         // the statement
	size     ast.Expr         // its capacity; nil for none
	scratch  string           // name of an array for numbers; "" for none
	edits    []analysis.TextEdit

	appended, converted bool
}

// use reports whether a builder can be used as the variable is, and changes the use.
func (b *building) use(use inspector.Cursor) bool {
	info := b.Pass.TypesInfo
	if info.Defs[sites.IdentOf(use)] == types.Object(b.v) {
		return b.declare(use)
	}
	call, ok := use.Parent().Node().(*ast.CallExpr)
	if !ok {
		// In x = append(x, …), which is changed as a whole.
		assign, isAssign := use.Parent().Node().(*ast.AssignStmt)
		return isAssign && use.ParentEdgeKind() == edge.AssignStmt_Lhs && len(assign.Lhs) == 1
	}
	if use.ParentEdgeKind() != edge.CallExpr_Args || use.ParentEdgeIndex() != 0 {
		return false
	}
	if to, converts := flow.Conversion(info, call); converts {
		b.converted = true
		b.edits = append(b.edits, rewrite.Replace(call, b.v.Name()+".String()"))
		return flow.IsString(to) && types.Identical(to, types.Typ[types.String])
	}
	if flow.Builtin(info, call) == "len" {
		b.edits = append(b.edits, rewrite.Replace(call, b.v.Name()+".Len()"))
		return true
	}
	assign, ok := use.Parent().Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || flow.Variable(info, assign.Lhs[0]) != b.v ||
		!flow.InBlock(use.Parent().Parent()) || rewrite.HasComment(b.Pass, assign.Pos(), assign.End()) {
		return false
	}
	for _, a := range call.Args[1:] {
		if b.mentions(a) {
			return false
		}
	}
	text, ok := b.written(call)
	b.appended = true
	b.edits = append(b.edits, rewrite.Replace(assign, text))
	return ok
}

// mentions reports whether an expression uses the variable.
func (b *building) mentions(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && b.Pass.TypesInfo.ObjectOf(id) == types.Object(b.v)
		return !found
	})
	return found
}

// declare reports whether a declaration is var x []byte, x := []byte{}, or x := make([]byte, 0, n), where n is not
// constant, and keeps it.
func (b *building) declare(use inspector.Cursor) bool {
	stmt, ok := rewrite.Statement(use)
	if !ok || !flow.InBlock(stmt) || rewrite.HasComment(b.Pass, stmt.Node().Pos(), stmt.Node().End()) {
		return false
	}
	b.declared = stmt.Node()
	if spec, isSpec := use.Parent().Node().(*ast.ValueSpec); isSpec && len(spec.Values) == 0 {
		return len(spec.Names) == 1 && use.Parent().ParentEdgeIndex() == 0
	}
	assign, ok := use.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || assign.Tok != token.DEFINE {
		return false
	}
	switch value := ast.Unparen(assign.Rhs[0]).(type) {
	case *ast.CompositeLit:
		return len(value.Elts) == 0
	case *ast.CallExpr:
		if flow.Builtin(b.Pass.TypesInfo, value) != "make" || len(value.Args) != 3 {
			return false
		}
		n, isConst := flow.IntConst(b.Pass.TypesInfo, value.Args[1])
		b.size = value.Args[2]
		_, constant := flow.IntConst(b.Pass.TypesInfo, b.size)
		return isConst && n == 0 && !constant && types.Identical(b.Pass.TypesInfo.TypeOf(b.size), types.Typ[types.Int])
	}
	return false
}

// written returns the statements that write what a call appends.
func (b *building) written(call *ast.CallExpr) (text string, ok bool) {
	info, name := b.Pass.TypesInfo, b.v.Name()
	if flow.Builtin(info, call) == "append" {
		if call.Ellipsis.IsValid() {
			if t := info.TypeOf(call.Args[1]); sites.IsBytes(t) {
				return name + ".Write(" + b.Text(call.Args[1]) + ")", true
			} else if basic, ok := t.Underlying().(*types.Basic); !ok || basic.Info()&types.IsString == 0 {
				return "", false
			} else if !types.Identical(t, types.Typ[types.String]) && info.Types[call.Args[1]].Value == nil {
				return name + ".WriteString(string(" + b.Text(call.Args[1]) + "))", true
			}
			return name + ".WriteString(" + b.Text(call.Args[1]) + ")", true
		}
		var all []string
		for _, a := range call.Args[1:] {
			all = append(all, name+".WriteByte("+b.Text(a)+")")
		}
		return strings.Join(all, "\n"), len(all) > 0
	}
	switch callee := flow.Callee(info, call); callee {
	case "unicode/utf8.AppendRune":
		return name + ".WriteRune(" + b.Text(call.Args[1]) + ")", true
	case "strconv.AppendInt", "strconv.AppendUint", "strconv.AppendBool", "strconv.AppendFloat", "strconv.AppendQuote":
		if b.scratch == "" {
			b.scratch = b.Locals.Fresh(call.Pos(), "scratch")
		}
		rest := rewrite.Between(b.Pass, call.Args[1].Pos(), call.Rparen)
		return fmt.Sprintf("%s.Write(%s(%s[:0], %s))", name, b.Text(call.Fun), b.scratch, strings.TrimSuffix(rest, ",")), true
	}
	return "", false
}
