package fastpath

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// skipGenerator skips bytes for which a loop does nothing, by a table.
func skipGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "skip", Title: "loop over bytes of which most need nothing",
		Why:     "one access of a table and one branch skip a byte, instead of a comparison for each special one",
		Assumes: "most of the bytes need nothing",
		Kinds:   []diagnosis.Kind{diagnosis.Own},
		Propose: visit(func(s *site) []proposal {
			for c := range s.Decl.Preorder((*ast.ForStmt)(nil)) {
				if s.LineOf(c.Node().Pos()) > s.Line || s.Line > s.LineOf(c.Node().End()) {
					continue
				}
				if p, ok := s.skipped(c); ok {
					return []proposal{p}
				}
			}
			return nil
		}),
	}
}

// minSkipped is the number of the 256 bytes that a loop must do nothing for.
const minSkipped = 128

// skipped inserts a loop over the bytes for which no condition of the body holds, in for …; i < len(text); i++.
func (s *site) skipped(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	loop, ok := c.Node().(*ast.ForStmt)
	if !ok || len(loop.Body.List) != 1 || rewrite.HasComment(s.Pass, loop.Pos(), loop.Body.Lbrace) {
		return p, false
	}
	cond, ok := loop.Cond.(*ast.BinaryExpr)
	post, ok2 := loop.Post.(*ast.IncDecStmt)
	if !ok || !ok2 || cond.Op != token.LSS || post.Tok != token.INC {
		return p, false
	}
	index := flow.Variable(info, cond.X)
	length, ok := ast.Unparen(cond.Y).(*ast.CallExpr)
	if !ok || index == nil || flow.Variable(info, post.X) != index || flow.Builtin(info, length) != "len" {
		return p, false
	}
	text := flow.Variable(info, length.Args[0])
	if text == nil || !s.Unset(c, text) || !sites.IsBytes(text.Type()) && !flow.IsString(text.Type()) {
		return p, false
	}
	b := &byteTest{info: info, text: text, index: index}
	skips, n := [256]bool{}, 0
	for value := range skips {
		b.value, b.failed = int64(value), false
		if taken := b.takes(loop.Body.List[0]); b.failed {
			return p, false
		} else if !taken {
			skips[value] = true
			n++
		}
	}
	if n < minSkipped || n == len(skips) || !rewrite.Universe(s.Pass, "bool", "len") {
		return p, false
	}
	name := s.Names.Fresh("ordinary")
	declared, ok := rewrite.Declare(s.Pass, loop.Pos(), fmt.Sprintf(
		"// %s reports whether a byte is an ordinary one.\nvar %s = [256]bool{%s}", name, name, ranges(skips)))
	if !ok {
		return p, false
	}
	p.Message = "Skip bytes that need nothing by a table"
	p.Edits = []analysis.TextEdit{declared, rewrite.Insert(loop.Body.Lbrace+1, fmt.Sprintf(
		"\nfor %[1]s < len(%[2]s) && %[3]s[%[2]s[%[1]s]] {\n%[1]s++\n}\nif %[1]s == len(%[2]s) {\nbreak\n}\n",
		index.Name(), text.Name(), name))}
	return p, true
}

// ranges returns the entries of a table that are true, as source.
func ranges(table [256]bool) string {
	var b strings.Builder
	for i, set := range table {
		if !set {
			continue
		}
		if i%16 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%d: true, ", i)
	}
	return b.String() + "\n"
}

// A byteTest decides for one value of a byte which branches of a statement are taken.
type byteTest struct {
	info        *types.Info
	text, index *types.Var
	value       int64
	failed      bool // the conditions are about something else, too
}

// takes reports whether one of the branches of a statement is taken.
func (b *byteTest) takes(stmt ast.Stmt) bool {
	switch n := stmt.(type) {
	case *ast.IfStmt:
		if n.Init != nil {
			break
		}
		if b.holds(n.Cond) || n.Else == nil {
			return b.holds(n.Cond)
		}
		return b.takes(n.Else)
	case *ast.SwitchStmt:
		if n.Init != nil || n.Tag != nil && !b.isByte(n.Tag) {
			break
		}
		for _, clause := range n.Body.List {
			c, ok := clause.(*ast.CaseClause)
			if !ok || c.List == nil {
				b.failed = true
				return false
			}
			for _, e := range c.List {
				if n.Tag == nil && b.holds(e) || n.Tag != nil && b.equals(e) {
					return true
				}
			}
		}
		return false
	}
	b.failed = true
	return false
}

// isByte reports whether an expression is the byte at the index.
func (b *byteTest) isByte(e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	return ok && flow.Variable(b.info, x.X) == b.text && flow.Variable(b.info, x.Index) == b.index
}

// equals reports whether the byte is a constant.
func (b *byteTest) equals(e ast.Expr) bool {
	v := b.info.Types[e].Value
	if v == nil {
		b.failed = true
		return false
	}
	n, exact := constant.Int64Val(constant.ToInt(v))
	return exact && n == b.value
}

// holds reports whether a condition holds.
func (b *byteTest) holds(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return !b.holds(e.X)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			x, y := b.holds(e.X), b.holds(e.Y)
			return x && y
		case token.LOR:
			x, y := b.holds(e.X), b.holds(e.Y)
			return x || y
		}
		v := b.info.Types[e.Y].Value
		if !b.isByte(e.X) || v == nil {
			break
		}
		return constant.Compare(constant.MakeInt64(b.value), e.Op, constant.ToInt(v))
	}
	b.failed = true
	return false
}
