package operations

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// binaryGenerator writes the loop of sort.Search in place.
func binaryGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "binary", Title: "binary search that calls a function for each comparison",
		Why:     "the comparison in a loop of the function itself needs no call, and the variables that it uses no memory",
		Assumes: "nothing: the loop makes the same comparisons",
		Kinds: []diagnosis.Kind{
			diagnosis.Sorting, diagnosis.Own, diagnosis.Escape, diagnosis.Comparison, diagnosis.Allocation,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for c := range s.Decl.Preorder((*ast.CallExpr)(nil)) {
				if s.LineOf(c.Node().Pos()) > s.Line || s.Line > s.LineOf(c.Node().End()) || s.Callee(c) != "sort.Search" {
					continue
				}
				if p, ok := s.searchedHere(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// searchedHere replaces i := sort.Search(n, func(j int) bool { return … }).
func (s *site) searchedHere(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return p, false
	}
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || !flow.InBlock(c.Parent()) ||
		assign.Tok != token.DEFINE && assign.Tok != token.ASSIGN {
		return p, false
	}
	id, ok := assign.Lhs[0].(*ast.Ident)
	literal, isLiteral := call.Args[1].(*ast.FuncLit)
	if !ok || id.Name == "_" || !isLiteral || len(literal.Body.List) != 1 || len(literal.Type.Params.List) != 1 ||
		len(literal.Type.Params.List[0].Names) != 1 || !rewrite.Predeclared(s.Pass, call.Pos(), "int", "uint") {
		return p, false
	}
	ret, ok := literal.Body.List[0].(*ast.ReturnStmt)
	v, isVar := info.ObjectOf(id).(*types.Var)
	name := literal.Type.Params.List[0].Names[0]
	if !ok || !isVar || len(ret.Results) != 1 || name.Name == "_" || flow.Mentions(info, ret.Results[0], v) ||
		!types.Identical(v.Type(), types.Typ[types.Int]) {
		return p, false
	}
	param := name.Name
	if param == id.Name {
		param = s.Locals.Fresh(call.Pos(), "at")
	}
	if o := rewrite.Lookup(s.Pass, literal.Pos(), id.Name); assign.Tok == token.DEFINE && o != nil &&
		flow.Mentions(info, ret.Results[0], o) {
		return p, false // the new variable would hide it
	}
	high := s.Locals.Fresh(call.Pos(), "high")
	head := fmt.Sprintf("%[1]s, %[2]s %[3]s 0, %[4]s", id.Name, high, assign.Tok, s.Text(call.Args[0]))
	if assign.Tok == token.ASSIGN {
		head = fmt.Sprintf("%s := %s\n%s = 0", high, s.Text(call.Args[0]), id.Name)
	}
	newline := ""
	if s.LineOf(literal.Body.Lbrace) == s.LineOf(ret.Pos()) {
		newline = "\n"
	}
	p.Message = "Search without calls"
	p.Edits = []analysis.TextEdit{ // comments of the literal stay
		{Pos: assign.Pos(), End: literal.Body.Lbrace + 1, NewText: []byte(fmt.Sprintf(
			"%[1]s\nfor %[2]s < %[3]s {\n%[4]s := int(uint(%[2]s+%[3]s) >> 1)", head, id.Name, high, param))},
		{Pos: ret.Pos(), End: ret.End(), NewText: []byte(fmt.Sprintf(
			"%[5]sif !(%[1]s) {\n%[2]s = %[3]s + 1\n} else {\n%[4]s = %[3]s\n}%[5]s",
			s.renamed(ret.Results[0], info.Defs[name], param), id.Name, param, high, newline))},
		{Pos: literal.Body.Rbrace, End: call.End(), NewText: []byte("}")},
	}
	return p, true
}

// renamed returns the source of an expression with another name of an object.
func (s *site) renamed(e ast.Expr, of types.Object, name string) string {
	text, at := "", e.Pos()
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && s.Pass.TypesInfo.ObjectOf(id) == of {
			text += rewrite.Between(s.Pass, at, id.Pos()) + name
			at = id.End()
		}
		return true
	})
	return text + rewrite.Between(s.Pass, at, e.End())
}
