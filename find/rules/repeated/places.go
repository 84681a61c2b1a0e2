package repeated

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
)

// without reports whether a node defines none of some variables.
func without(n ast.Node, vars []*types.Var) bool {
	return !slices.ContainsFunc(vars, func(v *types.Var) bool { return n.Pos() <= v.Pos() && v.Pos() < n.End() })
}

// maker returns the outermost function literal around a node that is created to be called later,
// more than once, and does not define the variables.
func maker(info *types.Info, c inspector.Cursor, vars []*types.Var) (made inspector.Cursor, ok bool) {
	for f := range c.Enclosing((*ast.FuncLit)(nil)) {
		if without(f.Node(), vars) && isKept(info, f) {
			made, ok = f, true
		}
	}
	return made, ok
}

// ofLoop reports whether a loop defines a variable, once for each iteration or for all of them.
func (s *inspection) ofLoop(v *types.Var) bool {
	for c := range s.decl.Preorder((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)) {
		switch loop := c.Node().(type) {
		case *ast.ForStmt:
			if loop.Init != nil && !without(loop.Init, []*types.Var{v}) {
				return true
			}
		case *ast.RangeStmt:
			if loop.Pos() <= v.Pos() && v.Pos() < loop.X.Pos() {
				return true
			}
		}
	}
	return false
}

// isKept reports whether a function literal is returned, or handles requests.
func isKept(info *types.Info, f inspector.Cursor) bool {
	c := f
	for {
		if c.ParentEdgeKind() == edge.ParenExpr_X {
			c = c.Parent()
			continue
		}
		if call, ok := c.Parent().Node().(*ast.CallExpr); ok && c.ParentEdgeKind() == edge.CallExpr_Args {
			if _, converts := flow.Conversion(info, call); converts {
				c = c.Parent()
				continue
			}
		}
		break
	}
	switch c.ParentEdgeKind() {
	case edge.ReturnStmt_Results:
		return true
	case edge.CallExpr_Args:
		return isHandler(info.TypeOf(exprOf(f)))
	}
	return false
}

func exprOf(c inspector.Cursor) ast.Expr {
	e, _ := c.Node().(ast.Expr)
	return e
}

// isHandler reports whether a type is func(http.ResponseWriter, *http.Request).
func isHandler(t types.Type) bool {
	if t == nil {
		return false
	}
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Params().Len() == 2 && sig.Results().Len() == 0 &&
		sig.Params().At(0).Type().String() == "net/http.ResponseWriter" && isRequest(sig.Params().At(1).Type())
}

func isRequest(t types.Type) bool { return t.String() == "*net/http.Request" }

// enclosingLoop returns the outermost loop around a node, in its function, that does not define the
// variables, if the node may be reached in more than one iteration.
func enclosingLoop(c inspector.Cursor, vars []*types.Var) (outermost inspector.Cursor, ok bool) {
	for in := c; ; {
		around, loops := flow.Loop(in)
		if !loops || !without(around.Node(), vars) || leaves(c, around) {
			return outermost, ok
		}
		outermost, ok = around, true
		in = around
	}
}

// leaves reports whether a loop ends after a node, judging by the statements around the node.
func leaves(c, around inspector.Cursor) bool {
	for ; c != around; c = c.Parent() {
		var list []ast.Stmt
		switch n := c.Node().(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		if len(list) == 0 {
			continue
		}
		switch last := list[len(list)-1].(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.BranchStmt:
			if last.Tok == token.BREAK || last.Tok == token.GOTO {
				return true
			}
		}
	}
	return false
}

// together returns those of some calls, in source order, that run after the first of them that is
// always reached from the statement before which the result could be computed.
func together(calls []inspector.Cursor) (stmt inspector.Cursor, after []inspector.Cursor) {
	for i, c := range calls {
		stmt, ok := always(c)
		if !ok {
			continue
		}
		f, ok := flow.Func(c)
		if !ok {
			continue
		}
		list := stmt.Parent().Node()
		after := []inspector.Cursor{c}
		for _, other := range calls[i+1:] {
			g, ok := flow.Func(other)
			if ok && f == g && other.Node().End() <= list.End() {
				after = append(after, other)
			}
		}
		if len(after) > 1 {
			return stmt, after
		}
	}
	return inspector.Cursor{}, nil
}

// always returns the statement in a list around a node, if the node is evaluated whenever the
// statement is.
func always(c inspector.Cursor) (stmt inspector.Cursor, ok bool) {
	for ; c.Valid() && c.Node() != nil; c = c.Parent() {
		switch kind, index := c.ParentEdge(); kind {
		case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
			if _, clause := c.Node().(*ast.CaseClause); clause {
				if index > 0 { // the cases before it are evaluated first
					return inspector.Cursor{}, false
				}
				continue
			}
			if _, clause := c.Node().(*ast.CommClause); clause {
				return inspector.Cursor{}, false
			}
			return c, true
		case edge.BinaryExpr_Y:
			if b, ok := c.Parent().Node().(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
				return inspector.Cursor{}, false
			}
		case edge.CaseClause_List:
			if index > 0 {
				return inspector.Cursor{}, false
			}
		case edge.IfStmt_Else, edge.ForStmt_Post, edge.CommClause_Comm,
			edge.FuncDecl_Body, edge.FuncLit_Body,
			edge.DeferStmt_Call, edge.GoStmt_Call:
			return inspector.Cursor{}, false
		}
	}
	return inspector.Cursor{}, false
}

// nameFor returns a name for the result of a call, from the words of a format or from the
// function's name.
func nameFor(info *types.Info, call *ast.CallExpr) string {
	callee := flow.Callee(info, call)
	if callee == "fmt.Sprintf" {
		if format, ok := flow.StringConst(info, call.Args[0]); ok {
			if name := words(format); name != "" {
				return name
			}
		}
	}
	for end, name := range map[string]string{
		"ToLower": "lower", "ToUpper": "upper", "ToTitle": "title", "Title": "title",
		"Replace": "replaced", "ReplaceAll": "replaced",
		"Clean": "cleaned", "Join": "joined", "EscapeString": "escaped",
		"QueryEscape": "escaped", "PathEscape": "escaped", "UnescapeString": "unescaped",
		"Sum256": "sum", "Sum512": "sum", "ChecksumIEEE": "sum",
		"Quote": "quoted", "EncodeToString": "encoded",
		"URL).Query": "query", "CanonicalHeaderKey": "key",
	} {
		if strings.HasSuffix(callee, "."+end) || end == "URL).Query" && callee == query {
			return name
		}
	}
	return "text"
}

// words returns the first words of a format as a name: "request.%s.timing" becomes requestTiming.
// It returns "" if there are none.
func words(format string) string {
	name := ""
	for word := range strings.FieldsFuncSeq(format, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && r != '%'
	}) {
		if strings.Contains(word, "%") || len(word) < 3 {
			continue
		}
		if word == strings.ToUpper(word) {
			word = strings.ToLower(word)
		}
		if name == "" {
			name = strings.ToLower(word[:1]) + word[1:]
		} else {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	if len(name) > 24 {
		return ""
	}
	return name
}
