package advice

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/find/syntax"
)

// decodedTwice finds bytes that are decoded as JSON more than once for a request: one variable that
// two calls of a function decode, themselves or below them, or the body of a request that a function
// decodes and puts back for the next handler.
func decodedTwice(e *evidence) []Advice {
	spent := map[syntax.Line]cost{}     // in decoding, on a line and below it
	leaves := map[syntax.Line][]*path{} // of a line: the paths that decode below it
	for s, c := range e.costs {
		if s.below&decodes == 0 {
			continue
		}
		for _, at := range s.own {
			sum := spent[at]
			sum.add(c)
			spent[at] = sum
			leaves[at] = append(leaves[at], &s.path)
		}
	}
	var all []Advice
	for _, name := range sortedNames(e.code.Funcs) {
		fn := e.code.Funcs[name]
		calls := decodings(e.code, fn)
		for i, second := range calls {
			at := fn.File.At(second.call.Pos())
			j := slices.IndexFunc(calls[:i], func(first decoding) bool {
				return first.of == second.of && spent[fn.File.At(first.call.Pos())] != (cost{}) &&
					!exclusive(fn, first.call, second.call)
			})
			if j < 0 || spent[at] == (cost{}) {
				continue
			}
			first := fn.File.At(calls[j].call.Pos())
			if first == at {
				continue
			}
			if second.body { // the handler's own decoding, further down
				below := map[syntax.Line]float64{}
				for _, p := range leaves[at] {
					if leaf := e.bodyDecoding(p, at); leaf.Line > 0 {
						cpu, allocated := e.shares(spent[leaf])
						below[leaf] = cpu + allocated
					}
				}
				if len(below) == 0 {
					continue
				}
				at = sortedKeys(below, func(l syntax.Line) syntax.Line { return l })[0]
				for leaf, share := range below {
					if share > below[at] {
						at = leaf
					}
				}
			}
			a, b := spent[at], spent[first]
			if sum := (cost{a.cpu + b.cpu, a.allocated + b.allocated}); !e.large(sum) {
				continue
			}
			share, of, here := e.of(a)
			_, _, there := e.of(b)
			all = append(all, Advice{
				Kind: DecodedTwice, Title: "JSON decoded twice", Place: e.place(at, ""), Share: share, Of: of,
				Also:     []Place{e.place(first, "decodes the same bytes first")},
				Evidence: fmt.Sprintf("decoding takes %s here, and %s there", here, there),
				Do: "decode once, and pass the value on (a parameter, the request's context); where only one field is " +
					"needed first, decode the rest from a json.RawMessage",
			})
		}
	}
	return all
}

// sortedNames returns the names of functions in order.
func sortedNames(m map[string]*syntax.Function) []string {
	return sortedKeys(m, func(name string) syntax.Line { return syntax.Line{File: name} })
}

// A decoding is a call that decodes a variable as JSON, itself or below it.
type decoding struct {
	call *ast.CallExpr
	of   types.Object
	body bool // it passes on a request whose body is the variable
}

// decodings returns a function's calls that decode a variable, in order.
func decodings(c *syntax.Code, fn *syntax.Function) (all []decoding) {
	f := fn.File
	var bodyOf types.Object // the variable that is the request's body from bodyFrom on
	var request types.Object
	var bodyFrom ast.Node
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) != 1 || len(n.Rhs) != 1 {
				return true
			}
			sel, ok := ast.Unparen(n.Lhs[0]).(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Body" || !isRequest(f.Info().TypeOf(sel.X)) {
				return true
			}
			if v := bytesIn(f, n.Rhs[0]); v != nil {
				bodyOf, request, bodyFrom = v, f.Object(sel.X), n
			}
		case *ast.CallExpr:
			if v := decoded(c, f, n, 2); v != nil {
				all = append(all, decoding{n, v, false})
				return true
			}
			if bodyOf != nil && n.Pos() > bodyFrom.End() &&
				slices.ContainsFunc(n.Args, func(a ast.Expr) bool {
					return f.Object(a) == request && request != nil || mentionsObject(f, a, request)
				}) {
				all = append(all, decoding{n, bodyOf, true})
			}
		}
		return true
	})
	return all
}

func mentionsObject(f *syntax.File, n ast.Node, o types.Object) bool {
	return o != nil && f.Mentions(n, map[types.Object]bool{o: true})
}

func isRequest(t types.Type) bool {
	return t != nil && (types.TypeString(t, nil) == "*net/http.Request")
}

// decoded returns the variable that a call decodes; nil if it decodes none.
func decoded(c *syntax.Code, f *syntax.File, call *ast.CallExpr, depth int) types.Object {
	name := f.CalleeName(call)
	switch {
	case marksOf(profiled(name))&decodes != 0 && len(call.Args) >= 2: // Unmarshal
		return bytesIn(f, call.Args[0])
	case strings.HasSuffix(name, ".Decoder).Decode"):
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			if made, ok := ast.Unparen(sel.X).(*ast.CallExpr); ok && len(made.Args) == 1 {
				return bytesIn(f, made.Args[0])
			}
		}
		return nil
	}
	fn := c.Called(f, call)
	if fn == nil || depth == 0 {
		return nil
	}
	sig := fn.Obj.Signature()
	for i, arg := range call.Args {
		if i >= sig.Params().Len() {
			break
		}
		v := bytesIn(f, arg)
		if v == nil {
			continue
		}
		found := false
		ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
			if inner, ok := n.(*ast.CallExpr); ok && decoded(c, fn.File, inner, depth-1) == sig.Params().At(i) {
				found = true
			}
			return !found
		})
		if found {
			return v
		}
	}
	return nil
}

// profiled returns a function's name as profiles have it: (*T) after the package.
func profiled(full string) string {
	if !strings.HasPrefix(full, "(") {
		return full
	}
	end := strings.Index(full, ")")
	if end < 0 {
		return full
	}
	t := full[1:end]
	star := ""
	if strings.HasPrefix(t, "*") {
		star, t = "*", t[1:]
	}
	dot := strings.LastIndexByte(t, '.')
	if dot < 0 {
		return full
	}
	return t[:dot] + ".(" + star + t[dot+1:] + ")" + full[end+1:]
}

// bytesIn returns the only variable of bytes or text in an expression such as body,
// bytes.NewReader(body) or io.NopCloser(bytes.NewReader(body)); nil if there is none.
func bytesIn(f *syntax.File, e ast.Expr) (found types.Object) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.Info().Uses[id].(*types.Var); ok && isBytes(v.Type()) {
				found = v
			}
		}
		return true
	})
	return found
}

func isBytes(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		b, ok := u.Elem().Underlying().(*types.Basic)
		return ok && b.Kind() == types.Byte
	case *types.Basic:
		return u.Kind() == types.String
	}
	return false
}

// exclusive reports whether two calls are in different branches of one statement, so that only one
// of them runs.
func exclusive(fn *syntax.Function, a, b ast.Node) bool {
	excl := false
	in := func(n, x ast.Node) bool { return n != nil && n.Pos() <= x.Pos() && x.End() <= n.End() }
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.Else != nil && in(n.Body, a) && in(n.Else, b) {
				excl = true
			}
			if in(n.Body, a) && !in(n.Body, b) && leaves(n.Body) {
				excl = true
			}
		case *ast.SwitchStmt:
			excl = excl || in(n.Body, a) && in(n.Body, b) && clause(n.Body, a) != clause(n.Body, b)
		case *ast.TypeSwitchStmt:
			excl = excl || in(n.Body, a) && in(n.Body, b) && clause(n.Body, a) != clause(n.Body, b)
		}
		return !excl
	})
	return excl
}

// clause returns the clause of a switch that a node is in.
func clause(body *ast.BlockStmt, n ast.Node) ast.Stmt {
	for _, s := range body.List {
		if s.Pos() <= n.Pos() && n.End() <= s.End() {
			return s
		}
	}
	return nil
}

// leaves reports whether a block ends with a return.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	_, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	return ok
}

// bodyDecoding returns the line below another one that decodes the body of a request; no line if
// the innermost line of the path does not.
func (e *evidence) bodyDecoding(p *path, below syntax.Line) syntax.Line {
	if i, ok := p.through(below); !ok || i == 0 {
		return syntax.Line{}
	}
	at := p.own[0]
	if strings.Contains(p.callee, "Bind") ||
		strings.Contains(p.callee, "Decode") && !strings.HasPrefix(p.callee, "encoding/json") {
		return at // a framework's method, which takes the request
	}
	fn := e.code.FunctionAt(at)
	if fn == nil {
		return syntax.Line{}
	}
	reads := false
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Body" && isRequest(fn.File.Info().TypeOf(sel.X)) {
			reads = true
		}
		return !reads
	})
	if !reads {
		return syntax.Line{}
	}
	return at
}
