package fastpath

import (
	"fmt"
	"go/ast"
	"net/textproto"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// headerGenerator reads and sets fields of HTTP headers by their canonical names.
func headerGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "header", Title: "name of an HTTP header made canonical on each call",
		Why:     "the canonical form of a constant is known: the entry of the map needs no search for another one",
		Assumes: "a header that is set is not nil",
		Kinds: []diagnosis.Kind{
			diagnosis.HTTP, diagnosis.Text, diagnosis.Library, diagnosis.MapAccess, diagnosis.Own, diagnosis.Allocation,
		},
		Propose: eachCall((*site).canonical, "(net/http.Header).Get", "(net/http.Header).Set", "(net/http.Header).Add",
			"(net/http.Header).Del"),
	}
}

// headerValue is declared for Get.
const headerValue = `// %[1]s returns the first value of a canonical name.
func %[1]s(h %[2]s.Header, name string) string {
	if list := h[name]; len(list) > 0 {
		return list[0]
	}
	return ""
}`

// canonical accesses the map instead of a method of it.
func (s *site) canonical(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return p, false
	}
	name, isConst := flow.StringConst(s.Pass.TypesInfo, call.Args[0])
	if !isConst || !rewrite.Predeclared(s.Pass, call.Pos(), "append", "string", "delete", "len") {
		return p, false
	}
	key, of := strconv.Quote(textproto.CanonicalMIMEHeaderKey(name)), s.Text(sel.X)
	p.Message = "Access the header " + key + " as an entry of a map"
	if sel.Sel.Name == "Get" {
		pkg, edits, ok := rewrite.Import(s.Pass, call.Pos(), "net/http")
		if !ok || !rewrite.Universe(s.Pass, "string", "len") {
			return p, false
		}
		function := s.Names.Fresh("headerValue")
		declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(headerValue, function, pkg))
		p.Edits = append(edits, declared, rewrite.Replace(call, fmt.Sprintf("%s(%s, %s)", function, of, key)))
		return p, ok
	}
	stmt := c.Parent().Node()
	if c.ParentEdgeKind() != edge.ExprStmt_X || !flow.InBlock(c.Parent()) {
		return p, false
	}
	switch sel.Sel.Name {
	case "Set":
		p.Edits = []analysis.TextEdit{
			rewrite.Replace(stmt, fmt.Sprintf("%s[%s] = []string{%s}", of, key, s.Text(call.Args[1]))),
		}
	case "Add":
		h := s.Locals.Fresh(call.Pos(), "header")
		p.Edits = []analysis.TextEdit{rewrite.Replace(stmt, fmt.Sprintf(
			"%[1]s := %[2]s\n%[1]s[%[3]s] = append(%[1]s[%[3]s], %[4]s)", h, of, key, s.Text(call.Args[1])))}
	case "Del":
		p.Edits = []analysis.TextEdit{rewrite.Replace(stmt, fmt.Sprintf("delete(%s, %s)", of, key))}
	}
	return p, len(p.Edits) > 0
}
