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

// scanGenerator searches for a byte with IndexByte, and counts bytes with Count, instead of a loop.
func scanGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "scan", Title: "text searched for a byte by a loop",
		Why:     "IndexByte and Count compare many bytes at once",
		Assumes: "the byte is usually not one of the first few, and an index is not beyond the end",
		Kinds:   []diagnosis.Kind{diagnosis.Own, diagnosis.Text, diagnosis.Comparison},
		Propose: visit(func(s *site) (list []proposal) {
			for c := range s.Decl.Preorder((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)) {
				if s.LineOf(c.Node().Pos()) > s.Line || s.Line > s.LineOf(c.Node().End()) {
					continue
				}
				if p, ok := s.skipped(c); ok {
					list = append(list, p)
				} else if p, ok := s.counted(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// searched describes the comparison of a byte of a text at an index with a byte.
type searched struct {
	text  *types.Var
	index *types.Var
	char  ast.Expr
	pkg   string
	edits []analysis.TextEdit // imports
}

// compared returns what x[i] == c or x[i] != c compares.
func (s *site) compared(e ast.Expr, op token.Token) (f searched, ok bool) {
	info := s.Pass.TypesInfo
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != op {
		return f, false
	}
	x, ok := ast.Unparen(b.X).(*ast.IndexExpr)
	if !ok {
		return f, false
	}
	f.text, f.index, f.char = flow.Variable(info, x.X), flow.Variable(info, x.Index), b.Y
	if f.text == nil || f.index == nil || !types.Identical(f.index.Type(), types.Typ[types.Int]) {
		return f, false
	}
	pkg := "strings"
	switch {
	case types.Identical(f.text.Type(), types.NewSlice(types.Typ[types.Byte])):
		pkg = "bytes"
	case !flow.IsString(f.text.Type()):
		return f, false
	}
	if v := flow.Variable(info, b.Y); v == nil && info.Types[b.Y].Value == nil || v == f.index {
		return f, false
	}
	f.pkg, f.edits, ok = rewrite.Import(s.Pass, e.Pos(), pkg)
	return f, ok
}

// skipped replaces for i < len(x) && x[i] != c { i++ } by a search.
func (s *site) skipped(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	loop, ok := c.Node().(*ast.ForStmt)
	if !ok || loop.Init != nil || !flow.InBlock(c) || !rewrite.Predeclared(s.Pass, loop.Pos(), "len") {
		return p, false
	}
	var step ast.Stmt
	switch {
	case loop.Post != nil && len(loop.Body.List) == 0:
		step = loop.Post
	case loop.Post == nil && len(loop.Body.List) == 1:
		step = loop.Body.List[0]
	default:
		return p, false
	}
	inc, ok := step.(*ast.IncDecStmt)
	cond, isBinary := loop.Cond.(*ast.BinaryExpr)
	if !ok || inc.Tok != token.INC || !isBinary || cond.Op != token.LAND {
		return p, false
	}
	f, ok := s.compared(cond.Y, token.NEQ)
	end, isEnd := ast.Unparen(cond.X).(*ast.BinaryExpr)
	if !ok || !isEnd || end.Op != token.LSS || flow.Variable(info, end.X) != f.index ||
		flow.Variable(info, inc.X) != f.index {
		return p, false
	}
	length, ok := ast.Unparen(end.Y).(*ast.CallExpr)
	if !ok || flow.Builtin(info, length) != "len" || flow.Variable(info, length.Args[0]) != f.text {
		return p, false
	}
	at := s.Locals.Fresh(loop.Pos(), "at")
	p.Message = "Search for " + s.Text(f.char) + " with IndexByte"
	p.Edits = append(f.edits, replaced(loop, loop.Body, fmt.Sprintf(
		"if %[1]s := %[2]s.IndexByte(%[3]s[%[4]s:], %[5]s); %[1]s >= 0 {\n%[4]s += %[1]s\n} else {\n%[4]s = len(%[3]s)\n}",
		at, f.pkg, f.text.Name(), f.index.Name(), s.Text(f.char)))...)
	return p, !s.commented(loop, loop.Body)
}

// counted replaces a loop over all bytes whose only statement counts those that are equal to one.
func (s *site) counted(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	var body *ast.BlockStmt
	var of *types.Var
	var index ast.Expr
	switch loop := c.Node().(type) {
	case *ast.RangeStmt:
		if loop.Tok != token.DEFINE || loop.Key == nil || loop.Value != nil {
			return p, false
		}
		body, of, index = loop.Body, flow.Variable(info, loop.X), loop.Key
		if of != nil && flow.IsString(of.Type()) {
			return p, false // over characters
		}
	case *ast.ForStmt:
		cond, isBinary := loop.Cond.(*ast.BinaryExpr)
		if !isBinary || cond.Op != token.LSS || !s.Counts(loop, cond.X) {
			return p, false
		}
		length, isCall := ast.Unparen(cond.Y).(*ast.CallExpr)
		if !isCall || flow.Builtin(info, length) != "len" {
			return p, false
		}
		body, of, index = loop.Body, flow.Variable(info, length.Args[0]), cond.X
	}
	if len(body.List) != 1 || of == nil || !flow.InBlock(c) {
		return p, false
	}
	cond, ok := body.List[0].(*ast.IfStmt)
	if !ok || cond.Init != nil || cond.Else != nil || len(cond.Body.List) != 1 {
		return p, false
	}
	inc, ok := cond.Body.List[0].(*ast.IncDecStmt)
	if !ok || inc.Tok != token.INC || !types.Identical(info.TypeOf(inc.X), types.Typ[types.Int]) || s.SideEffects(inc.X) {
		return p, false
	}
	f, ok := s.compared(cond.Cond, token.EQL)
	char := info.Types[f.char].Value
	if !ok || f.text != of || f.index != flow.Variable(info, index) || char == nil ||
		flow.Variable(info, inc.X) == f.index {
		return p, false
	}
	r, ok := s.ascii(f.char)
	if !ok {
		return p, false
	}
	what := fmt.Sprintf("%q", string(r))
	if f.pkg == "bytes" {
		what = fmt.Sprintf("[]byte{%q}", r)
	}
	p.Message = "Count with " + f.pkg + ".Count"
	p.Edits = append(f.edits, replaced(c.Node(), body, fmt.Sprintf("%s += %s.Count(%s, %s)",
		s.Text(inc.X), f.pkg, of.Name(), what))...)
	return p, !s.commented(c.Node(), body)
}

// replaced returns the edits that replace a loop. A comment on its first line stays.
func replaced(loop ast.Node, body *ast.BlockStmt, text string) []analysis.TextEdit {
	rest := body.Rbrace
	if len(body.List) > 0 {
		rest = body.List[0].Pos()
	}
	return []analysis.TextEdit{
		{Pos: loop.Pos(), End: body.Lbrace + 1, NewText: []byte(text)}, {Pos: rest, End: loop.End()},
	}
}

// commented reports whether a comment in a loop would be lost.
func (s *site) commented(loop ast.Node, body *ast.BlockStmt) bool {
	return rewrite.HasComment(s.Pass, loop.Pos(), body.Lbrace) ||
		len(body.List) > 0 && rewrite.HasComment(s.Pass, body.List[0].Pos(), loop.End())
}
