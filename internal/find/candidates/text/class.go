package text

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// minComparisons is the number of comparisons that a table is tried for.
const minComparisons = 4

// classGenerator looks a character up in a table instead of comparing it with many constants.
func classGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "class", Title: "character compared with many constants",
		Why:     "one access of a table of 256 entries replaces the comparisons, and their branches cannot be mispredicted",
		Assumes: "the branches are hard to predict for the program's text",
		Kinds:   []diagnosis.Kind{diagnosis.Own, diagnosis.Comparison},
		Propose: visit(func(s *site) (list []proposal) {
			var end token.Pos
			for _, c := range s.Nodes((*ast.BinaryExpr)(nil)) {
				b, ok := c.Node().(*ast.BinaryExpr)
				if !ok || b.Pos() < end {
					continue
				}
				if p, ok := s.inTable(b); ok {
					end = b.End()
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// inTable replaces comparisons of one character by a table.
func (s *site) inTable(b *ast.BinaryExpr) (p proposal, ok bool) {
	t := &characterTest{site: s}
	if !t.read(b) || t.v == nil || t.comparisons < minComparisons || rewrite.HasComment(s.Pass, b.Pos(), b.End()) {
		return p, false
	}
	basic, ok := t.v.Type().Underlying().(*types.Basic)
	if !ok || basic.Kind() != types.Uint8 && basic.Kind() != types.Int32 {
		return p, false
	}
	// Beyond the table, all values must give the same: only those next to constants can differ.
	least, most := int64(0), int64(255)
	isByte := basic.Kind() == types.Uint8
	beyond := t.holds(b, 1<<40)
	if !isByte {
		for _, n := range t.constants {
			for _, near := range []int64{n - 1, n, n + 1} {
				if (near < least || near > most) && t.holds(b, near) != beyond {
					return p, false
				}
			}
		}
		if t.holds(b, -1<<40) != beyond || t.holds(b, -1) != beyond || beyond {
			return p, false
		}
	}
	var ranges []string
	for n := least; n <= most; n++ {
		if t.holds(b, n) {
			ranges = append(ranges, fmt.Sprintf("%s: true", charText(n)))
		}
	}
	if len(ranges) == 0 || !rewrite.Universe(s.Pass, "bool", "true") {
		return p, false
	}
	name := s.Names.Fresh(sites.Lowered(s.declName()) + "Class")
	rows := ""
	for part := range slices.Chunk(ranges, 12) {
		rows += "\t" + strings.Join(part, ", ") + ",\n"
	}
	declared, ok := rewrite.Declare(s.Pass, b.Pos(), fmt.Sprintf(
		"// %s has the characters for which %s.\nvar %s = [256]bool{\n%s}", name, sites.Shortened(s.Text(b)), name, rows))
	if !ok {
		return p, false
	}
	text := fmt.Sprintf("%s[%s]", name, t.v.Name())
	if !isByte {
		text = fmt.Sprintf("(uint(%s) < 256 && %s[%s&255])", t.v.Name(), name, t.v.Name())
	}
	return proposal{
		Message: "Look " + t.v.Name() + " up in a table of characters",
		Edits:   []analysis.TextEdit{declared, rewrite.Replace(b, text)},
	}, true
}

func charText(n int64) string {
	if 0x20 < n && n < 0x7f {
		return fmt.Sprintf("%q", rune(n))
	}
	return fmt.Sprint(n)
}

// declName returns the name of the function around the line.
func (s *site) declName() string {
	if d, ok := s.Decl.Node().(*ast.FuncDecl); ok {
		return d.Name.Name
	}
	return "character"
}

// A characterTest is a condition about one variable.
type characterTest struct {
	*site
	v           *types.Var
	comparisons int
	constants   []int64
}

// read reports whether a condition only compares one variable with constants.
func (t *characterTest) read(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.NOT && t.read(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LOR, token.LAND:
			return t.read(e.X) && t.read(e.Y)
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			v, n, _, ok := t.comparison(e)
			if !ok || t.v != nil && t.v != v {
				return false
			}
			t.v, t.constants = v, append(t.constants, n)
			t.comparisons++
			return true
		}
	}
	return false
}

// comparison returns the variable and the constant of a comparison; swapped is set if the constant is first.
func (t *characterTest) comparison(e *ast.BinaryExpr) (v *types.Var, n int64, swapped, ok bool) {
	info := t.Pass.TypesInfo
	x, y := e.X, e.Y
	if info.Types[x].Value != nil {
		x, y, swapped = y, x, true
	}
	value := info.Types[y].Value
	if v = flow.Variable(info, x); v == nil || value == nil || value.Kind() != constant.Int {
		return nil, 0, false, false
	}
	n, ok = constant.Int64Val(value)
	return v, n, swapped, ok
}

// holds reports whether the condition is true for a value of the variable.
func (t *characterTest) holds(e ast.Expr, value int64) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return !t.holds(e.X, value)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LOR:
			return t.holds(e.X, value) || t.holds(e.Y, value)
		case token.LAND:
			return t.holds(e.X, value) && t.holds(e.Y, value)
		}
		_, n, swapped, _ := t.comparison(e)
		x, y := value, n
		if swapped {
			x, y = n, value
		}
		return constant.Compare(constant.MakeInt64(x), e.Op, constant.MakeInt64(y))
	}
	return false
}

// replacerGenerator skips replacers for text in which there is nothing to replace.
func replacerGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "replacer", Title: "replacer run on text without anything to replace",
		Why:     "a search for the characters that are replaced takes a fraction of the time",
		Assumes: "most texts contain none of these characters, and a writer treats WriteString like Write",
		Kinds: []diagnosis.Kind{
			diagnosis.Text, diagnosis.Encoding, diagnosis.Streams, diagnosis.Library, diagnosis.Template,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf(
				"(*strings.Replacer).Replace", "(*strings.Replacer).WriteString", "html.EscapeString",
			) {
				if p, ok := s.withoutReplacer(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// htmlSpecial are the characters that html.EscapeString replaces.
const htmlSpecial = `<>&'"`

// withoutReplacer uses the text itself where none of the replaced characters is in it.
func (s *site) withoutReplacer(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	text := call.Args[len(call.Args)-1]
	if !ok || flow.Calls(s.Pass.TypesInfo, text) || s.SideEffects(text) {
		return p, false
	}
	old := htmlSpecial
	if s.Callee(c) != "html.EscapeString" {
		if old, ok = s.replaced(sel.X); !ok {
			return p, false
		}
	}
	pkg, edits, ok := rewrite.Import(s.Pass, call.Pos(), "strings")
	if !ok {
		return p, false
	}
	test := fmt.Sprintf("%s.ContainsAny(%s, %q)", pkg, s.Text(text), old)
	p.Message = fmt.Sprintf("Search for %q first, which is all that is replaced", old)
	if len(call.Args) == 1 {
		return s.replacedIf(c, call, test, p.Message, edits)
	}
	stmt, ok := rewrite.Statement(c)
	if !ok {
		return p, false
	}
	ret, ok := stmt.Node().(*ast.ReturnStmt)
	io, more, imported := rewrite.Import(s.Pass, call.Pos(), "io")
	if !ok || !imported || len(ret.Results) != 1 || ret.Results[0] != call || s.SideEffects(call.Args[0]) {
		return p, false
	}
	edits = append(append(edits, more...), rewrite.Before(s.Pass, ret, fmt.Sprintf(
		"if !%s {\nreturn %s.WriteString(%s, %s)\n}", test, io, s.Text(call.Args[0]), s.Text(text))))
	return proposal{Message: p.Message, Edits: edits}, true
}

// replaced returns the characters that a replacer replaces: a package variable that is set once, to a replacer
// of single ASCII characters.
func (s *site) replaced(e ast.Expr) (old string, ok bool) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return "", false
	}
	v, ok := s.Pass.TypesInfo.ObjectOf(id).(*types.Var)
	if !ok || v.Exported() && v.Parent() == s.Pass.Pkg.Scope() {
		return "", false
	}
	var value ast.Expr
	for _, use := range s.Places[v] {
		if !flow.IsSet(use) {
			continue
		}
		if value != nil || use.ParentEdgeKind() != edge.ValueSpec_Names {
			return "", false
		}
		if value = s.ValueOf(use, v); value == nil {
			return "", false
		}
	}
	call, ok := ast.Unparen(value).(*ast.CallExpr)
	if !ok || flow.Callee(s.Pass.TypesInfo, call) != "strings.NewReplacer" || call.Ellipsis.IsValid() {
		return "", false
	}
	for i, a := range call.Args {
		text, isConst := flow.StringConst(s.Pass.TypesInfo, a)
		switch {
		case i%2 == 1:
		case !isConst || len(text) != 1 || text[0] >= 0x80:
			return "", false
		default:
			old += text
		}
	}
	return old, old != ""
}
