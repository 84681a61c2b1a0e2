package text

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

// runesGenerator decodes the characters of bytes where a loop converts all of them to a string.
func runesGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "runes", Title: "bytes converted to a string to range over its characters",
		Why:     "the conversion copies the bytes; package utf8 decodes them where they are",
		Assumes: "the loop does not change the bytes",
		Kinds: []diagnosis.Kind{
			diagnosis.Conversion, diagnosis.Allocation, diagnosis.Text, diagnosis.Own, diagnosis.Copying, diagnosis.Escape,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.RangeStmt)(nil)) {
				if p, ok := s.decoded(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// decoded replaces for i, r := range string(b) by a loop that decodes one character after the other.
func (s *site) decoded(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	r, ok := c.Node().(*ast.RangeStmt)
	if !ok || r.Tok != token.DEFINE || r.Value == nil || sites.IsBlank(r.Value) ||
		rewrite.HasComment(s.Pass, r.Pos(), r.Body.Lbrace) || !rewrite.Predeclared(s.Pass, r.Pos(), "len", "rune") {
		return p, false
	}
	of, ok := s.stringOf(r.X)
	char := flow.Variable(info, r.Value)
	if !ok || char == nil || s.SideEffects(of) {
		return p, false
	}
	if v := flow.Variable(info, of); v == nil || !s.Unset(c, v) {
		return p, false
	}
	key := s.Locals.Fresh(r.Pos(), "i")
	if !sites.IsBlank(r.Key) {
		v := flow.Variable(info, r.Key)
		if v == nil || !types.Identical(v.Type(), types.Typ[types.Int]) || s.setIn(v) {
			return p, false // the loop would count another way
		}
		key = v.Name()
	}
	pkg, edits, ok := rewrite.Import(s.Pass, r.Pos(), "unicode/utf8")
	if !ok {
		return p, false
	}
	width := s.Locals.Fresh(r.Pos(), "width")
	p.Message = "Decode the characters of " + s.Text(of)
	p.Edits = append(edits, analysis.TextEdit{Pos: r.Pos(), End: r.Body.Lbrace + 1, NewText: []byte(fmt.Sprintf(
		"for %[1]s, %[2]s := 0, 0; %[1]s < len(%[3]s); %[1]s += %[2]s {\n%[4]s := rune(%[3]s[%[1]s])\n"+
			"if %[2]s = 1; %[4]s >= %[5]s.RuneSelf {\n%[4]s, %[2]s = %[5]s.DecodeRune(%[3]s[%[1]s:])\n}",
		key, width, s.Text(of), char.Name(), pkg))})
	return p, true
}

// setIn reports whether a variable is set anywhere but where it is declared.
func (s *site) setIn(v *types.Var) bool {
	for _, use := range s.Places[v] {
		if s.Pass.TypesInfo.Defs[sites.IdentOf(use)] == nil && (flow.IsSet(use) || flow.Addresses(s.Pass.TypesInfo, use)) {
			return true
		}
	}
	return false
}
