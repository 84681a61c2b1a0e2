package httpclient

import (
	_ "embed"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
)

//go:embed doc.go
var doc string

// Categories.
const (
	perCall      = "percall"
	undrained    = "undrained"
	poolOverflow = "crowd"
)

// New returns the rule.
func New() *rules.Rule {
	cause := func(category, title, byHand string) rules.Cause {
		connecting := `^net/http\.\(\*Transport\)\.(getConn|queueForDial|dial)|^crypto/tls\.|^net\.\(\*Dialer\)`
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand, CPU: connecting, Alloc: connecting,
			Mutex: rules.Nothing, Block: `^net/http\.\(\*Transport\)\.getConn`, Needs: rules.Review,
		}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "httpclient",
			Doc:      "report connections to other services that are not reused",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause(perCall, "HTTP transport created on each call",
				"how long connections may be kept depends on the program: make one client for all calls"),
			cause(undrained, "HTTP connection dropped with an unread response",
				"how much of the body may come depends on the other server: read a limited part of it to its "+
					"end before Close"),
			cause(poolOverflow, "more HTTP connections than the transport keeps",
				"how many connections the other server allows depends on it: raise MaxIdleConnsPerHost of an "+
					"own transport"),
		},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Once(c) {
			continue
		}
		name := flow.Callee(pass.TypesInfo, call)
		isDefault := false
		switch name {
		case "net/http.Get", "net/http.Post", "net/http.PostForm", "net/http.Head":
			isDefault = true
		case "(*net/http.Client).Do",
			"(*net/http.Client).Get", "(*net/http.Client).Post",
			"(*net/http.Client).PostForm", "(*net/http.Client).Head":
			if hasOwnTransport(pass.TypesInfo, c, call) {
				report(pass, call, perCall,
					"the client has its own transport, created in this function: each call opens a new connection")
				continue
			}
		default:
			continue
		}
		switch {
		case isUnread(pass.TypesInfo, c):
			report(pass, call, undrained, "the response body is closed but never read: the connection cannot be reused")
		case isDefault && startedInLoop(c):
			report(pass, call, poolOverflow,
				"goroutines started in a loop share the default transport, "+
					"which keeps two idle connections per host: "+
					"the others are closed after use")
		}
	}
	return nil, nil
}

func report(pass *analysis.Pass, call *ast.CallExpr, category, message string) {
	rules.Report(pass, call, category, message, analysis.SuggestedFix{})
}

// hasOwnTransport reports whether a method is called on a client created by the function, with a
// transport that it also created, and that it uses only for calls.
func hasOwnTransport(info *types.Info, c inspector.Cursor, call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	client := literal(sel.X)
	decl, inDecl := flow.Decl(c)
	if !inDecl {
		return false
	}
	if v := flow.Variable(info, sel.X); v != nil {
		value, ok := definition(info, decl, v)
		if !ok || !flow.OnlyReceives(info, value, func(string) bool { return true }) {
			return false
		}
		// A client that outlives the call is used for several.
		if of, ok := flow.Func(value); !ok || !isIn(c, of) || isReused(c, value) {
			return false
		}
		e, _ := value.Node().(ast.Expr)
		client = literal(e)
	}
	if client == nil || !isNamed(info.TypeOf(client), "net/http.Client") {
		return false
	}
	for _, field := range client.Elts {
		kv, ok := field.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok || key.Name != "Transport" {
			continue
		}
		transport := literal(kv.Value)
		if v := flow.Variable(info, kv.Value); v != nil {
			if value, ok := definition(info, decl, v); ok && len(flow.Uses(info, decl, v)) == 2 {
				e, _ := value.Node().(ast.Expr)
				transport = literal(e)
			}
		}
		return transport != nil && isNamed(info.TypeOf(transport), "net/http.Transport")
	}
	return false
}

// isIn reports whether a node's innermost function is of.
func isIn(c, of inspector.Cursor) bool {
	f, ok := flow.Func(c)
	return ok && f == of
}

// isReused reports whether a loop around a call reuses its client.
func isReused(call, value inspector.Cursor) bool {
	loop, ok := flow.Loop(call)
	return ok && !loop.Contains(value)
}

// definition returns the value that a variable is defined with.
func definition(info *types.Info, decl inspector.Cursor, v *types.Var) (value inspector.Cursor, ok bool) {
	for c := range decl.Preorder((*ast.CompositeLit)(nil)) {
		if c.ParentEdgeKind() == edge.UnaryExpr_X {
			c = c.Parent()
		}
		if id := flow.Defines(c); id != nil && info.Defs[id] == types.Object(v) {
			return c, true
		}
	}
	return inspector.Cursor{}, false
}

// literal returns the composite literal that an expression is or takes the address of, or nil.
func literal(e ast.Expr) *ast.CompositeLit {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok {
		e = ast.Unparen(u.X)
	}
	lit, _ := e.(*ast.CompositeLit)
	return lit
}

func isNamed(t types.Type, name string) bool { return t != nil && t.String() == name }

// isUnread reports whether only the status and header of a call's response are used, and of its
// body only Close.
func isUnread(info *types.Info, c inspector.Cursor) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
		return false
	}
	resp := flow.Variable(info, assign.Lhs[0])
	decl, inDecl := flow.Decl(c)
	if resp == nil || !inDecl {
		return false
	}
	closed := false
	for _, use := range flow.Uses(info, decl, resp) {
		id, ok := use.Node().(*ast.Ident)
		if ok && id == assign.Lhs[0] {
			continue
		}
		// If it is set elsewhere or passed on, the body may be read.
		sel, ok := use.Parent().Node().(*ast.SelectorExpr)
		if !ok || use.ParentEdgeKind() != edge.SelectorExpr_X {
			return false
		}
		switch sel.Sel.Name {
		case "StatusCode", "Status", "Header", "ContentLength", "Proto", "TLS":
		case "Body":
			method, _, ok := flow.Receives(use.Parent())
			if !ok || method != "Close" {
				return false
			}
			closed = true
		default:
			return false
		}
	}
	call, _ := c.Node().(*ast.CallExpr)
	sel, isSelector := call.Fun.(*ast.SelectorExpr)
	return closed && !(isSelector && sel.Sel.Name == "Head") // its responses have no body
}

// startedInLoop reports whether a call is in a function literal that a loop starts as goroutines.
func startedInLoop(c inspector.Cursor) bool {
	f, ok := flow.Func(c)
	if !ok || f.ParentEdgeKind() != edge.CallExpr_Fun || f.Parent().ParentEdgeKind() != edge.GoStmt_Call {
		return false
	}
	_, loops := flow.Loop(f.Parent().Parent())
	return loops
}
