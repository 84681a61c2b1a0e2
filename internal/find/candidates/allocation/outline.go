package allocation

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// The compiler inlines a function up to this cost, of which a call is most.
const (
	inlineCost = 80
	callCost   = 57
)

// outlineGenerator makes the function that returns a new struct small enough to be inlined.
func outlineGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "outline", Title: "new struct returned by a function that is too large to inline",
		Why: "a function that only allocates and calls another one is inlined, so the struct can be in the caller's " +
			"memory if the caller does not keep it",
		Assumes: "nothing that gets the pointer keeps it, which would only move the allocation to the callers, and the " +
			"function rarely returns something else",
		Kinds: []diagnosis.Kind{diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection},
		Propose: visit(func(s *site) []proposal {
			if p, ok := s.outlined(); ok {
				return []proposal{p}
			}
			return nil
		}),
	}
}

// outlined splits the function around the line: what sets the struct becomes a separate function, which returns
// the pointer that it gets.
func (s *site) outlined() (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Body == nil || decl.Type.TypeParams != nil || decl.Type.Results == nil ||
		len(decl.Type.Results.List[0].Names) > 1 || !s.large(decl) || !s.mayStay(decl) {
		return p, false
	}
	star, ok := decl.Type.Results.List[0].Type.(*ast.StarExpr)
	if !ok || !rewrite.Predeclared(s.Pass, decl.Body.Pos(), "new") {
		return p, false
	}
	params, args, ok := s.parameters(decl)
	if !ok {
		return p, false
	}
	name := s.Locals.Fresh(decl.Pos(), "made")
	edits, ok := s.sets(info.TypeOf(star.X), name)
	if !ok {
		return p, false
	}
	typ := s.Text(star.X)
	inner, head, call, ok := s.inner(decl, "set")
	if !ok {
		return p, false
	}
	outer := fmt.Sprintf("\nreturn %s(%s)\n}\n\n// %s sets and returns what %s returns.\n%s(%s) %s {",
		call, strings.Join(append([]string{"new(" + typ + ")"}, args...), ", "), inner, decl.Name.Name, head,
		strings.Join(append([]string{name + " *" + typ}, params...), ", "), s.Text(decl.Type.Results))
	edits = append(edits, rewrite.Insert(decl.Body.Lbrace+1, outer))
	return proposal{Message: "Let " + decl.Name.Name + " be inlined: set the " + typ + " in " + inner, Edits: edits}, true
}

func deref(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.Unalias(t)
}

// large reports whether the compiler is not likely to inline a function as it is.
func (s *site) large(decl *ast.FuncDecl) bool {
	cost := 0
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if _, converts := flow.Conversion(s.Pass.TypesInfo, n); !converts && flow.Builtin(s.Pass.TypesInfo, n) == "" {
				cost += callCost
			}
		case *ast.DeferStmt, *ast.SelectStmt, *ast.GoStmt, *ast.FuncLit:
			cost += inlineCost
		}
		if n != nil {
			cost++
		}
		return true
	})
	return cost > inlineCost
}

// parameters returns the parameters of a function as source, and the arguments that pass them on.
func (s *site) parameters(decl *ast.FuncDecl) (params, args []string, ok bool) {
	for _, f := range decl.Type.Params.List {
		if len(f.Names) == 0 || rewrite.HasComment(s.Pass, f.Pos(), f.End()) {
			return nil, nil, false
		}
		params = append(params, s.Text(f))
		for _, n := range f.Names {
			if n.Name == "_" {
				return nil, nil, false
			}
			arg := n.Name
			if _, variadic := f.Type.(*ast.Ellipsis); variadic {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	return params, args, true
}

// sets returns the edits of the function's body that set a struct instead of making one. On the line, a return must
// make a new one, or a variable must be set to one that is returned; then only one is made in a call.
func (s *site) sets(t types.Type, name string) (edits []analysis.TextEdit, ok bool) {
	info := s.Pass.TypesInfo
	done, onLine := map[*types.Var]bool{}, false
	for c := range s.Decl.Preorder((*ast.ReturnStmt)(nil), (*ast.DeferStmt)(nil)) {
		ret, isReturn := c.Node().(*ast.ReturnStmt)
		if !isReturn {
			return nil, false
		}
		if sites.FunctionOf(c) != s.Decl || len(ret.Results) > 0 && info.Types[ret.Results[0]].IsNil() {
			continue
		}
		v := s.namedResult()
		if len(ret.Results) > 0 {
			v = flow.Variable(info, ret.Results[0])
			if local := s.addressOf(ret.Results[0]); local != nil {
				more, near, ok := s.pointed(local, t, name)
				if !ok {
					return nil, false
				}
				if !done[local] {
					edits = append(edits, more...)
				}
				done[local], onLine = true, onLine || near
				continue
			}
		}
		if v != nil {
			more, near, ok := s.setVariable(v, t, name)
			if !ok && done[v] {
				return nil, false
			}
			if !ok {
				continue // it is another one
			}
			if !done[v] {
				edits = append(edits, more...)
			}
			done[v], onLine = true, onLine || near
			continue
		}
		made, literal, ok := s.made(ret.Results[0])
		if !ok || !types.Identical(made, t) || literal == nil {
			continue
		}
		if !flow.InBlock(c) || rewrite.HasComment(s.Pass, ret.Pos(), literal.Pos()) {
			return nil, false
		}
		onLine = onLine || s.near(ret.Results[0])
		// The other results are evaluated after it, in the order of the operands.
		edits = append(edits, analysis.TextEdit{
			Pos: ret.Pos(), End: literal.Pos(), NewText: []byte("*" + name + " = "),
		}, rewrite.Insert(literal.End(), "\nreturn "+name))
	}
	return edits, onLine && len(done) <= 1
}

// addressOf returns the local variable whose address an expression takes; nil for others.
func (s *site) addressOf(e ast.Expr) *types.Var {
	u, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return nil
	}
	return flow.Variable(s.Pass.TypesInfo, u.X)
}

// pointed returns the edits that make a local struct, whose address is returned, a pointer to the struct to set.
func (s *site) pointed(v *types.Var, t types.Type, name string) (edits []analysis.TextEdit, near, ok bool) {
	if !types.Identical(v.Type(), t) {
		return nil, false, false
	}
	for _, use := range s.Places[v] {
		if s.Pass.TypesInfo.Defs[sites.IdentOf(use)] == types.Object(v) {
			stmt, inBlock := rewrite.Statement(use)
			value := s.ValueOf(use, v)
			_, loops := flow.Loop(use)
			if !inBlock || loops || sites.FunctionOf(use) != s.Decl || !s.alone(stmt.Node()) ||
				rewrite.HasComment(s.Pass, stmt.Node().Pos(), stmt.Node().End()) {
				return nil, false, false
			}
			near = s.near(stmt.Node())
			text := v.Name() + " := " + name
			if value != nil {
				if _, isLiteral := ast.Unparen(value).(*ast.CompositeLit); !isLiteral {
					return nil, false, false
				}
				text = fmt.Sprintf("*%s = %s\n%s", name, s.Text(value), text)
			}
			edits = append(edits, rewrite.Replace(stmt.Node(), text))
			continue
		}
		switch {
		case use.ParentEdgeKind() == edge.SelectorExpr_X:
		case use.ParentEdgeKind() == edge.UnaryExpr_X:
			edits = append(edits, rewrite.Replace(use.Parent().Node(), v.Name()))
		default:
			edits = append(edits, rewrite.Replace(use.Node(), "(*"+v.Name()+")"))
		}
	}
	return edits, near, len(edits) > 0
}

// alone reports whether a statement declares one variable, and nothing else.
func (s *site) alone(stmt ast.Node) bool {
	switch n := stmt.(type) {
	case *ast.AssignStmt:
		return len(n.Lhs) == 1 && n.Tok == token.DEFINE
	case *ast.DeclStmt:
		d, ok := n.Decl.(*ast.GenDecl)
		if !ok || len(d.Specs) != 1 {
			return false
		}
		spec, ok := d.Specs[0].(*ast.ValueSpec)
		return ok && len(spec.Names) == 1
	}
	return false
}

// namedResult returns the variable of the first result of the function around the line; nil if it has no name.
func (s *site) namedResult() *types.Var {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Type.Results == nil || len(decl.Type.Results.List[0].Names) == 0 {
		return nil
	}
	v, _ := s.Pass.TypesInfo.Defs[decl.Type.Results.List[0].Names[0]].(*types.Var)
	return v
}

// setVariable returns the edit that makes a variable the struct to set. The variable must be set once, to a new
// struct, outside loops and closures.
func (s *site) setVariable(v *types.Var, t types.Type, name string) (edits []analysis.TextEdit, near, ok bool) {
	for _, use := range s.Places[v] {
		if !flow.IsSet(use) || use.ParentEdgeKind() == edge.Field_Names {
			continue
		}
		assign, isAssign := use.Parent().Node().(*ast.AssignStmt)
		if !isAssign {
			if spec, isSpec := use.Parent().Node().(*ast.ValueSpec); isSpec && len(spec.Values) == 0 {
				continue // var v *T
			}
			return nil, false, false
		}
		if len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || use.ParentEdgeKind() != edge.AssignStmt_Lhs {
			return nil, false, false
		}
		made, literal, isMade := s.made(assign.Rhs[0])
		if _, loops := flow.Loop(use); !isMade || loops || !types.Identical(made, t) || sites.FunctionOf(use) != s.Decl ||
			!flow.InBlock(use.Parent()) {
			return nil, false, false
		}
		near = s.near(assign.Rhs[0])
		text := fmt.Sprintf("%s %s %s", v.Name(), assign.Tok, name)
		if literal != nil {
			text = fmt.Sprintf("*%s = %s\n%s", name, s.Text(literal), text)
		}
		edits = append(edits, rewrite.Replace(assign, text))
	}
	return edits, near, len(edits) == 1
}

// mayStay reports whether a caller may be able to have the struct in its own memory: a function of the package
// that uses only its fields and methods, or any caller of an exported function.
func (s *site) mayStay(decl *ast.FuncDecl) bool {
	info := s.Pass.TypesInfo
	if decl.Name.IsExported() {
		return true
	}
	for c := range s.Root.Preorder((*ast.Ident)(nil)) {
		id := sites.IdentOf(c)
		if id == decl.Name || info.ObjectOf(id) != info.Defs[decl.Name] {
			continue
		}
		if c.ParentEdgeKind() == edge.SelectorExpr_Sel {
			c = c.Parent()
		}
		if c.ParentEdgeKind() == edge.CallExpr_Fun && (s.staysAt(c.Parent()) || s.passedOut(c.Parent())) {
			return true
		}
	}
	return false
}

// passedOut reports whether an exported function does nothing but return the result of a call.
func (s *site) passedOut(call inspector.Cursor) bool {
	decl, ok := sites.FunctionOf(call).Node().(*ast.FuncDecl)
	return ok && decl.Name.IsExported() && call.ParentEdgeKind() == edge.ReturnStmt_Results && !s.large(decl)
}

// staysAt reports whether the result of a call is not kept there, as far as the function shows.
func (s *site) staysAt(call inspector.Cursor) bool {
	switch call.ParentEdgeKind() {
	case edge.SelectorExpr_X, edge.StarExpr_X, edge.IndexExpr_X, edge.RangeStmt_X, edge.CallExpr_Args:
		return true
	}
	id := flow.Defines(call)
	if assign, ok := call.Parent().Node().(*ast.AssignStmt); ok && len(assign.Rhs) == 1 {
		id, _ = assign.Lhs[0].(*ast.Ident) // x, err := f()
	}
	if id == nil {
		return false
	}
	v, ok := s.Pass.TypesInfo.ObjectOf(id).(*types.Var)
	if !ok || v.Parent() == s.Pass.Pkg.Scope() {
		return false
	}
	for _, use := range s.Places[v] {
		switch use.ParentEdgeKind() {
		case edge.SelectorExpr_X, edge.StarExpr_X, edge.AssignStmt_Lhs, edge.ValueSpec_Names, edge.CallExpr_Args,
			edge.BinaryExpr_X, edge.BinaryExpr_Y, edge.IndexExpr_X, edge.RangeStmt_X:
		default:
			return false
		}
	}
	return true
}
