package repeated

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
)

// queries returns the groups of r.URL.Query() for each request r.
func (s *inspection) queries() []*group {
	byRequest := map[*types.Var][]inspector.Cursor{}
	var requests []*types.Var
	for c := range s.decl.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Callee(s.info, call) != query || !isLookedUp(c) {
			continue
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		url, ok := method.X.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		r := flow.Variable(s.info, url.X)
		if r == nil || !isRequest(r.Type()) {
			continue
		}
		if byRequest[r] == nil {
			requests = append(requests, r)
		}
		byRequest[r] = append(byRequest[r], c)
	}
	var groups []*group
	for _, r := range requests {
		stmt, calls := together(byRequest[r])
		if len(calls) < 2 || !s.onlyRead(r, calls[len(calls)-1]) {
			continue
		}
		groups = append(groups, &group{
			parsed, calls, stmt,
			fmt.Sprintf("%s.URL.Query parses the query %d times, in full each time", r.Name(), len(calls)),
		})
	}
	return groups
}

// isLookedUp reports whether the result of a call, the values of a query, is only looked up:
// neither retained nor modified.
func isLookedUp(c inspector.Cursor) bool {
	if method, _, ok := flow.Receives(c); ok {
		return method == "Get" || method == "Has"
	}
	return false
}

// onlyRead reports whether a request is only read up to a position, by known functions.
func (s *inspection) onlyRead(r *types.Var, last inspector.Cursor) bool {
	reads := []string{
		"Method", "Host", "RemoteAddr", "RequestURI", "Proto", "ContentLength", "TLS",
		"FormValue", "PostFormValue", "PathValue", "UserAgent", "Referer",
		"Cookie", "Cookies", "BasicAuth", "Context", "ParseForm",
	}
	for _, use := range flow.Uses(s.info, s.decl, r) {
		id, ok := use.Node().(*ast.Ident)
		if !ok || s.info.Defs[id] == r {
			continue
		}
		if use.Node().Pos() > last.Node().End() && !loops(use) && !loops(last) {
			continue
		}
		sel, ok := use.Parent().Node().(*ast.SelectorExpr)
		if !ok || use.ParentEdgeKind() != edge.SelectorExpr_X || flow.IsSet(use.Parent()) {
			return false
		}
		if slices.Contains(reads, sel.Sel.Name) {
			continue
		}
		// r.URL.Path, r.Header.Get(name)
		part, ok := use.Parent().Parent().Node().(*ast.SelectorExpr)
		if !ok || use.Parent().ParentEdgeKind() != edge.SelectorExpr_X || flow.IsSet(use.Parent().Parent()) {
			return false
		}
		isRead := sel.Sel.Name == "URL" &&
			slices.Contains(
				[]string{"Query", "Path", "RawQuery", "Scheme", "Host", "String", "EscapedPath"},
				part.Sel.Name,
			) ||
			sel.Sel.Name == "Header" && slices.Contains([]string{"Get", "Values", "Set", "Del", "Add"}, part.Sel.Name)
		if !isRead {
			return false
		}
	}
	return true
}

func loops(c inspector.Cursor) bool {
	_, ok := flow.Loop(c)
	return ok
}
