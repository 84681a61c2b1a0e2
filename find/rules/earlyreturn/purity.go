package earlyreturn

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// pureStmt reports whether a statement only sets local variables, and never panics.
func (r *rule) pureStmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) != len(s.Rhs) {
			return false
		}
		switch s.Tok {
		case token.ASSIGN, token.DEFINE, token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN:
		default:
			return false
		}
		for i, lhs := range s.Lhs {
			if !r.local(lhs) || !r.pure(s.Rhs[i], 0) {
				return false
			}
		}
		return true
	case *ast.DeclStmt:
		d, ok := s.Decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			return false
		}
		for _, spec := range d.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok {
				return false
			}
			for _, e := range v.Values {
				if !r.pure(e, 0) {
					return false
				}
			}
		}
		return true
	}
	return false
}

// local reports whether an expression is a variable that only its function can access.
func (r *rule) local(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	if id.Name == "_" {
		return true
	}
	v, ok := r.pass.TypesInfo.ObjectOf(id).(*types.Var)
	return ok && v.Kind() == types.LocalVar && flow.Private(r.pass.TypesInfo, r.within, v)
}

// maxDepth is the maximum depth of calls that are followed into functions of the package.
const maxDepth = 3

// pure reports whether evaluating an expression has no side effects, and never panics.
func (r *rule) pure(e ast.Expr, depth int) bool {
	info := r.pass.TypesInfo
	if info.Types[e].Value != nil || info.Types[e].IsNil() {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := info.ObjectOf(e).(*types.Var)
		return ok && !v.IsField() && v.Parent() != r.pass.Pkg.Scope()
	case *ast.SelectorExpr:
		if s := info.Selections[e]; s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 {
			return false
		}
		v := flow.Variable(info, e.X)
		if v == nil {
			return false
		}
		_, pointer := v.Type().Underlying().(*types.Pointer)
		return !pointer || depth == 0 && r.follow[v]
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL, token.LAND, token.LOR:
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			if _, iface := info.TypeOf(e.X).Underlying().(*types.Interface); iface {
				return false // comparison may panic
			}
		default:
			return false
		}
		return r.pure(e.X, depth) && r.pure(e.Y, depth)
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.NOT) && r.pure(e.X, depth)
	case *ast.SliceExpr: // room[:0]
		v := flow.Variable(info, e.X)
		if v == nil || e.Low != nil || e.Max != nil || e.High == nil {
			return false
		}
		_, array := v.Type().Underlying().(*types.Array)
		high, ok := flow.IntConst(info, e.High)
		return array && ok && high == 0
	case *ast.CallExpr:
		return r.pureCall(e, depth)
	}
	return false
}

func (r *rule) pureArgs(call *ast.CallExpr, depth int) bool {
	for _, arg := range call.Args {
		if !r.pure(arg, depth) {
			return false
		}
	}
	return true
}

func (r *rule) pureCall(call *ast.CallExpr, depth int) bool {
	info := r.pass.TypesInfo
	if to, ok := flow.Conversion(info, call); ok {
		return text(to) && text(info.TypeOf(call.Args[0])) && r.pureArgs(call, depth)
	}
	switch flow.Builtin(info, call) {
	case "len", "append", "min", "max":
		return r.pureArgs(call, depth)
	case "":
	default:
		return false
	}
	name := flow.Callee(info, call)
	switch name {
	case "strconv.Itoa", "strconv.FormatBool", "strconv.Quote", "strconv.AppendBool", "strconv.AppendQuote",
		"strings.ToLower", "strings.ToUpper", "strings.TrimSpace",
		"strings.Contains", "strings.HasPrefix", "strings.HasSuffix",
		"strings.TrimPrefix", "strings.TrimSuffix":
		return r.pureArgs(call, depth)
	case "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatFloat":
		return r.constant(call.Args[1:]) && r.pure(call.Args[0], depth)
	case "strconv.AppendInt", "strconv.AppendUint", "strconv.AppendFloat":
		return r.constant(call.Args[2:]) && r.pure(call.Args[0], depth) && r.pure(call.Args[1], depth)
	case "fmt.Sprintf":
		_, formatted := rewrite.Formatted(r.pass, call)
		return formatted && r.pureArgs(call, depth)
	case "(*strings.Replacer).Replace":
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		return ok && r.replacer(sel.X) && r.pureArgs(call, depth)
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || depth == maxDepth || call.Ellipsis.IsValid() {
		return false
	}
	d := r.decls[info.Uses[id]]
	if d == nil || d.Body == nil || len(d.Body.List) != 1 || d.Type.TypeParams != nil {
		return false
	}
	ret, ok := d.Body.List[0].(*ast.ReturnStmt)
	return ok && len(ret.Results) == 1 && r.pure(ret.Results[0], depth+1) && r.pureArgs(call, depth)
}

// replacer reports whether an expression is a Replacer made of constants, here or in a package
// variable that is never set again.
func (r *rule) replacer(e ast.Expr) bool {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		v, ok := r.pass.TypesInfo.Uses[id].(*types.Var)
		if !ok || v.Parent() != r.pass.Pkg.Scope() || v.Exported() {
			return false
		}
		e = nil
		for use := range flow.Root(r.pass).Preorder((*ast.Ident)(nil)) {
			if r.pass.TypesInfo.ObjectOf(use.Node().(*ast.Ident)) != types.Object(v) {
				continue
			}
			if spec, ok := use.Parent().Node().(*ast.ValueSpec); ok && len(spec.Names) == 1 && len(spec.Values) == 1 {
				e = ast.Unparen(spec.Values[0])
			} else if flow.IsSet(use) {
				return false
			}
		}
	}
	call, ok := e.(*ast.CallExpr)
	return ok && flow.Callee(r.pass.TypesInfo, call) == "strings.NewReplacer" &&
		len(call.Args)%2 == 0 && r.constant(call.Args)
}

func (r *rule) constant(list []ast.Expr) bool {
	for _, e := range list {
		if r.pass.TypesInfo.Types[e].Value == nil {
			return false
		}
	}
	return true
}

// text reports whether a type is a string or number: conversions between these never panic.
func text(t types.Type) bool {
	if s, ok := t.Underlying().(*types.Slice); ok {
		b, ok := s.Elem().Underlying().(*types.Basic)
		return ok && b.Kind() == types.Byte
	}
	return flow.Plain(t)
}

// changesOnlyRand reports whether evaluating a condition changes only the state of math/rand.
func (r *rule) changesOnlyRand(cond ast.Expr) bool {
	ok := true
	ast.Inspect(cond, func(n ast.Node) bool {
		if call, isCall := n.(*ast.CallExpr); isCall && ok {
			name := flow.Callee(r.pass.TypesInfo, call)
			if _, converts := flow.Conversion(r.pass.TypesInfo, call); converts {
				return true
			}
			random := strings.HasPrefix(name, "math/rand.") || strings.HasPrefix(name, "math/rand/v2.")
			ok = random && !strings.Contains(name, "Shuffle") || r.pureCall(call, 0)
		}
		if _, isFunc := n.(*ast.FuncLit); isFunc {
			ok = false
		}
		return ok
	})
	return ok
}
