package text

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// builderGenerator builds a string in a strings.Builder instead of a bytes.Buffer.
func builderGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "builder", Title: "string copied out of a bytes.Buffer",
		Why:     "strings.Builder returns the memory that it has filled, bytes.Buffer a copy of it",
		Assumes: "no code reads the text while it is written, and the text is not much smaller than the buffer",
		Kinds: []diagnosis.Kind{
			diagnosis.Text, diagnosis.Conversion, diagnosis.Allocation, diagnosis.Copying, diagnosis.Streams,
			diagnosis.SliceGrowth,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				switch s.Callee(c) {
				case "(*bytes.Buffer).String", "(*bytes.Buffer).WriteString", "(*bytes.Buffer).WriteByte",
					"(*bytes.Buffer).WriteRune", "(*bytes.Buffer).Write":
					if p, ok := s.built(c); ok {
						return []proposal{p}
					}
				}
			}
			return nil
		}),
	}
}

// built changes the type of a local buffer whose text is only read by String.
func (s *site) built(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return p, false
	}
	v := flow.Variable(s.Pass.TypesInfo, sel.X)
	if v == nil || v.Type().String() != "bytes.Buffer" {
		return p, false
	}
	var typ ast.Expr
	for _, use := range s.Places[v] {
		method, _, receives := flow.Receives(use)
		switch {
		case use.ParentEdgeKind() == edge.ValueSpec_Names:
			spec, ok := use.Parent().Node().(*ast.ValueSpec)
			if !ok || len(spec.Names) != 1 || len(spec.Values) != 0 {
				return p, false
			}
			typ = spec.Type
		case use.ParentEdgeKind() == edge.UnaryExpr_X && use.Parent().ParentEdgeKind() == edge.CallExpr_Args:
			// As an io.Writer; the type check fails for other parameters.
		case !receives:
			return p, false
		case method != "String" && method != "WriteString" && method != "WriteByte" && method != "WriteRune" &&
			method != "Write" && method != "Len" && method != "Grow":
			return p, false
		}
	}
	if typ == nil {
		return p, false
	}
	pkg, edits, ok := rewrite.Import(s.Pass, call.Pos(), "strings")
	if !ok {
		return p, false
	}
	return proposal{
		Message: "Build the string in a strings.Builder",
		Edits:   append(edits, rewrite.Replace(typ, pkg+".Builder")),
	}, true
}

// unchangedGenerator returns the input of a function at once if its loop would change nothing.
func unchangedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "unchanged", Title: "text copied although nothing in it changes",
		Why:     "a search for the characters that are replaced takes a fraction of the time of the copy",
		Assumes: "most texts contain none of these characters, and the loop copies all others",
		Kinds: []diagnosis.Kind{
			diagnosis.Text, diagnosis.Own, diagnosis.Allocation, diagnosis.SliceGrowth, diagnosis.Concatenation,
			diagnosis.Conversion, diagnosis.Copying,
		},
		Propose: visit(proposeUnchanged),
	}
}

func proposeUnchanged(s *site) []proposal {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Body == nil || decl.Type.Results == nil || len(decl.Type.Results.List) != 1 ||
		len(decl.Type.Results.List[0].Names) > 0 ||
		!flow.IsString(s.Pass.TypesInfo.TypeOf(decl.Type.Results.List[0].Type)) {
		return nil
	}
	for i, stmt := range decl.Body.List {
		if s.Line < s.LineOf(stmt.Pos()) || s.LineOf(stmt.End()) < s.Line {
			continue
		}
		r, ok := s.copyLoop(stmt)
		if !ok || i+2 != len(decl.Body.List) || slices.ContainsFunc(decl.Body.List[:i], s.writesText) {
			continue
		}
		ret, ok := decl.Body.List[i+1].(*ast.ReturnStmt)
		if !ok || len(ret.Results) != 1 || !s.returnsText(ret.Results[0]) {
			continue
		}
		p, ok := s.unchanged(decl, r)
		if ok {
			return []proposal{p}
		}
	}
	return nil
}

// returnsText reports whether an expression returns what a builder, buffer or slice of bytes holds.
func (s *site) returnsText(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return flow.Variable(s.Pass.TypesInfo, e) != nil
	}
	if _, ok := flow.Conversion(s.Pass.TypesInfo, call); ok {
		return flow.Variable(s.Pass.TypesInfo, call.Args[0]) != nil
	}
	name := flow.Callee(s.Pass.TypesInfo, call)
	return name == "(*strings.Builder).String" || name == "(*bytes.Buffer).String"
}

// writesText reports whether a statement may write text: all but declarations of empty values and Grow.
func (s *site) writesText(stmt ast.Stmt) bool {
	switch n := stmt.(type) {
	case *ast.DeclStmt:
		d, ok := n.Decl.(*ast.GenDecl)
		return !ok || slices.ContainsFunc(d.Specs, func(spec ast.Spec) bool {
			v, ok := spec.(*ast.ValueSpec)
			return ok && len(v.Values) > 0 && d.Tok == token.VAR
		})
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE || len(n.Rhs) != 1 {
			return true
		}
		if call, ok := n.Rhs[0].(*ast.CallExpr); ok {
			return flow.Builtin(s.Pass.TypesInfo, call) != "make" || len(call.Args) != 3
		}
		lit, ok := n.Rhs[0].(*ast.CompositeLit)
		return !ok || len(lit.Elts) > 0
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		return !ok || !strings.HasSuffix(flow.Callee(s.Pass.TypesInfo, call), ").Grow")
	}
	return true
}

// A copying is a loop that copies each character of a text but for some.
type copying struct {
	text    *types.Var // a parameter
	special []rune
	runes   bool // it writes runes, which replaces bytes that are not UTF-8
}

// copyLoop reports whether a statement is such a loop.
func (s *site) copyLoop(stmt ast.Stmt) (r copying, ok bool) {
	var body []ast.Stmt
	var char *types.Var
	switch l := stmt.(type) {
	case *ast.RangeStmt:
		if l.Value == nil || sites.IsBlank(l.Value) {
			return r, false
		}
		r.text, char = flow.Variable(s.Pass.TypesInfo, l.X), flow.Variable(s.Pass.TypesInfo, l.Value)
		body, r.runes = l.Body.List, true
	case *ast.ForStmt:
		if len(l.Body.List) == 0 {
			return r, false
		}
		first, ok := l.Body.List[0].(*ast.AssignStmt) // c := s[i]
		if !ok || first.Tok != token.DEFINE || len(first.Lhs) != 1 || len(first.Rhs) != 1 {
			return r, false
		}
		x, ok := first.Rhs[0].(*ast.IndexExpr)
		if !ok || !s.Counts(l, x.Index) {
			return r, false
		}
		r.text, char = flow.Variable(s.Pass.TypesInfo, x.X), flow.Variable(s.Pass.TypesInfo, first.Lhs[0])
		body = l.Body.List[1:]
	default:
		return r, false
	}
	if r.text == nil || char == nil || !flow.IsString(r.text.Type()) || len(body) == 0 {
		return r, false
	}
	special, ok := s.specials(body, char)
	r.special = special
	return r, ok && len(special) > 0
}

// specials returns the characters for which the statements of a loop do anything but write the character.
func (s *site) specials(body []ast.Stmt, char *types.Var) (list []rune, ok bool) {
	for i, stmt := range body {
		last := i == len(body)-1
		switch n := stmt.(type) {
		case *ast.SwitchStmt:
			more, copied, ok := s.ofSwitch(n, char)
			if !ok || n.Init != nil || copied != last {
				return nil, false
			}
			list = append(list, more...)
		case *ast.IfStmt:
			more, copied, ok := s.ofIf(n, char)
			if !ok || copied != last {
				return nil, false
			}
			list = append(list, more...)
		default:
			return list, last && s.copiesChar(stmt, char)
		}
	}
	return list, true
}

// ofSwitch returns the characters of a switch's cases; copied is set if its default writes the character.
func (s *site) ofSwitch(n *ast.SwitchStmt, char *types.Var) (list []rune, copied, ok bool) {
	if n.Tag == nil || flow.Variable(s.Pass.TypesInfo, n.Tag) != char {
		return nil, false, false
	}
	for _, c := range n.Body.List {
		clause, ok := c.(*ast.CaseClause)
		if !ok {
			return nil, false, false
		}
		if clause.List == nil {
			if len(clause.Body) != 1 || !s.copiesChar(clause.Body[0], char) {
				return nil, false, false
			}
			copied = true
		}
		for _, e := range clause.List {
			r, ok := s.char(e)
			if !ok {
				return nil, false, false
			}
			list = append(list, r)
		}
	}
	return list, copied, true
}

// ofIf returns the characters of a chain of conditions; copied is set if it ends by writing the character.
func (s *site) ofIf(n *ast.IfStmt, char *types.Var) (list []rune, copied, ok bool) {
	list, ok = s.ofCondition(n.Cond, char)
	if !ok || n.Init != nil {
		return nil, false, false
	}
	switch e := n.Else.(type) {
	case nil:
		return list, false, true
	case *ast.BlockStmt:
		return list, true, len(e.List) == 1 && s.copiesChar(e.List[0], char)
	case *ast.IfStmt:
		more, copied, ok := s.ofIf(e, char)
		return append(list, more...), copied, ok
	}
	return nil, false, false
}

// ofCondition returns the characters that a condition is true for: c == 'x' || c == 'y'.
func (s *site) ofCondition(e ast.Expr, char *types.Var) (list []rune, ok bool) {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		return nil, false
	}
	switch b.Op {
	case token.LOR:
		left, ok1 := s.ofCondition(b.X, char)
		right, ok2 := s.ofCondition(b.Y, char)
		return append(left, right...), ok1 && ok2
	case token.EQL:
		r, ok := s.char(b.Y)
		return []rune{r}, ok && flow.Variable(s.Pass.TypesInfo, b.X) == char
	}
	return nil, false
}

// char returns the value of a constant character.
func (s *site) char(e ast.Expr) (rune, bool) {
	v := s.Pass.TypesInfo.Types[e].Value
	if v == nil || v.Kind() != constant.Int {
		return 0, false
	}
	n, ok := constant.Int64Val(v)
	return rune(n), ok && 0 <= n && n < 0x80
}

// copiesChar reports whether a statement writes the character, and does nothing else.
func (s *site) copiesChar(stmt ast.Stmt, char *types.Var) bool {
	var call *ast.CallExpr
	switch n := stmt.(type) {
	case *ast.ExprStmt:
		call, _ = n.X.(*ast.CallExpr)
	case *ast.AssignStmt:
		if n.Tok != token.ASSIGN || len(n.Rhs) != 1 {
			return false
		}
		if call, _ = n.Rhs[0].(*ast.CallExpr); call == nil || flow.Builtin(s.Pass.TypesInfo, call) != "append" ||
			len(call.Args) != 2 || call.Ellipsis.IsValid() {
			return false
		}
		return flow.Variable(s.Pass.TypesInfo, call.Args[1]) == char
	}
	if call == nil || len(call.Args) != 1 {
		return false
	}
	switch flow.Callee(s.Pass.TypesInfo, call) {
	case "(*strings.Builder).WriteRune", "(*strings.Builder).WriteByte", "(*bytes.Buffer).WriteRune",
		"(*bytes.Buffer).WriteByte":
		return flow.Variable(s.Pass.TypesInfo, call.Args[0]) == char
	case "(*strings.Builder).WriteString", "(*bytes.Buffer).WriteString":
		conversion, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
		if !ok {
			return false
		}
		_, ok = flow.Conversion(s.Pass.TypesInfo, conversion)
		return ok && flow.Variable(s.Pass.TypesInfo, conversion.Args[0]) == char
	}
	return false
}

// unchanged returns the input at the beginning of the function if none of the special characters is in it.
func (s *site) unchanged(decl *ast.FuncDecl, r copying) (p proposal, ok bool) {
	if !s.isParam(decl, r.text) || len(decl.Body.List) == 0 {
		return p, false
	}
	pkg, edits, ok := rewrite.Import(s.Pass, decl.Body.Pos(), "strings")
	if !ok {
		return p, false
	}
	slices.Sort(r.special)
	special := string(slices.Compact(r.special))
	test := fmt.Sprintf("!%s.ContainsAny(%s, %s)", pkg, r.text.Name(), strconv.Quote(special))
	if len(special) == 1 {
		test = fmt.Sprintf("!%s.Contains(%s, %s)", pkg, r.text.Name(), strconv.Quote(special))
	}
	if r.runes {
		valid, more, ok := rewrite.Import(s.Pass, decl.Body.Pos(), "unicode/utf8")
		if !ok {
			return p, false
		}
		// The loop writes U+FFFD for bytes that are not UTF-8.
		edits, test = append(edits, more...), test+fmt.Sprintf(" && %s.ValidString(%s)", valid, r.text.Name())
	}
	return proposal{
		Message: "Return the text itself if it contains none of " + strconv.Quote(special),
		Edits: append(edits, rewrite.Before(s.Pass, decl.Body.List[0],
			fmt.Sprintf("if %s {\nreturn %s\n}", test, r.text.Name()))),
	}, true
}

// isParam reports whether a variable is a parameter that the function does not set.
func (s *site) isParam(decl *ast.FuncDecl, v *types.Var) bool {
	param := false
	for _, use := range s.Places[v] {
		if use.ParentEdgeKind() == edge.Field_Names {
			at := use.Node().Pos()
			param = decl.Type.Params.Pos() <= at && at < decl.Type.Params.End()
			continue
		}
		if flow.IsSet(use) || flow.Addresses(s.Pass.TypesInfo, use) {
			return false
		}
	}
	return param
}
