package allocation

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// The size of the array that a caller provides for a slice.
const (
	intoBytes = 512
	intoFew   = 4 // elements; larger ones are left alone
)

// intoGenerator lets the caller provide the memory of a slice that a function returns.
func intoGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "into", Title: "new slice returned by a function that is too large to inline",
		Why: "a function that only makes a small slice and calls another one is inlined, so the slice can be in the " +
			"caller's memory if the caller does not keep it",
		Assumes: "the slice is usually small, and nothing that gets it keeps it: else more memory is allocated than needed",
		Kinds: []diagnosis.Kind{
			diagnosis.Allocation, diagnosis.Escape, diagnosis.SliceGrowth, diagnosis.Collection,
		},
		Propose: visit(func(s *site) []proposal {
			if p, ok := s.into(); ok {
				return []proposal{p}
			}
			return nil
		}),
	}
}

// into splits the function around the line: what fills the slice becomes a separate function, which gets memory.
func (s *site) into() (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Body == nil || decl.Type.Results == nil || len(decl.Type.Results.List[0].Names) > 1 ||
		decl.Type.TypeParams != nil || !s.large(decl) || !s.mayStay(decl) ||
		!rewrite.Predeclared(s.Pass, decl.Body.Pos(), "make", "cap") {
		return p, false
	}
	slice, ok := info.TypeOf(decl.Type.Results.List[0].Type).Underlying().(*types.Slice)
	if !ok || flow.SizeVaries(slice.Elem()) {
		return p, false
	}
	size := s.Pass.TypesSizes.Sizeof(slice.Elem())
	typ, ok := rewrite.TypeText(s.Pass, decl.Pos(), info.TypeOf(decl.Type.Results.List[0].Type))
	if !ok || size == 0 || size > intoBytes/intoFew {
		return p, false
	}
	made, text, ok := s.filledInto(decl, typ, s.Locals.Fresh(decl.Pos(), "memory"))
	if !ok {
		return p, false
	}
	params, args, ok := s.parameters(decl)
	if !ok {
		return p, false
	}
	inner, head, call, ok := s.inner(decl, "fill")
	if !ok {
		return p, false
	}
	outer := fmt.Sprintf("\nreturn %s(%s)\n}\n\n"+
		"// %s returns what %s returns, in memory if that is large enough.\n%s(%s) %s {",
		call, strings.Join(append([]string{fmt.Sprintf("make(%s, 0, %d)", typ, intoBytes/size)}, args...), ", "), inner,
		decl.Name.Name, head, strings.Join(append([]string{text.memory + " " + typ}, params...), ", "),
		s.Text(decl.Type.Results))
	return proposal{
		Message: "Let " + decl.Name.Name + " be inlined: fill the slice in " + inner,
		Edits: []analysis.TextEdit{
			rewrite.Insert(decl.Body.Lbrace+1, outer), rewrite.Replace(made, text.made),
		},
	}, true
}

// A memory is the name of the memory for a slice, and what replaces the statement that makes the slice.
type memory struct{ memory, made string }

// filledInto returns the statement v := make([]T, …) on the line, for a slice that is returned, whole or a part of it,
// and its replacement.
func (s *site) filledInto(decl *ast.FuncDecl, typ, name string) (made ast.Node, m memory, ok bool) {
	info := s.Pass.TypesInfo
	var v *types.Var
	for c := range s.Decl.Preorder((*ast.ReturnStmt)(nil), (*ast.DeferStmt)(nil)) {
		ret, isReturn := c.Node().(*ast.ReturnStmt)
		if !isReturn {
			return nil, m, false
		}
		if sites.FunctionOf(c) != s.Decl {
			continue
		}
		if len(ret.Results) == 0 {
			return nil, m, false
		}
		e := ast.Unparen(ret.Results[0])
		if part, isPart := e.(*ast.SliceExpr); isPart {
			e = part.X
		}
		if one := flow.Variable(info, e); one != nil && s.madeOf(one) {
			if v != nil && one != v {
				return nil, m, false
			}
			v = one
		}
	}
	if v == nil {
		return nil, m, false
	}
	onLine := false
	for _, use := range s.Places[v] {
		if sites.FunctionOf(use) != s.Decl {
			return nil, m, false
		}
		onLine = onLine || s.LineOf(use.Node().Pos()) == s.Line && (flow.IsSet(use) || flow.Defines(use) != nil)
		value := s.ValueOf(use, v)
		if value == nil {
			continue
		}
		call, isCall := value.(*ast.CallExpr)
		if _, loops := flow.Loop(use); !isCall || loops || flow.Builtin(info, call) != "make" || len(call.Args) < 2 ||
			rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
			return nil, m, false
		}
		size := call.Args[1]
		assign, isAssign := use.Parent().Node().(*ast.AssignStmt)
		if !isAssign {
			// A declaration with var is of several variables, of which the next ones may depend on this one.
			n, isConst := flow.IntConst(info, size)
			if use.ParentEdgeKind() != edge.ValueSpec_Names || len(call.Args) != 3 || !isConst || n != 0 {
				return nil, m, false
			}
			made, m = call, memory{name, name + "[:0]"}
			continue
		}
		if len(assign.Lhs) != 1 || !flow.InBlock(use.Parent()) || use.ParentEdgeKind() != edge.AssignStmt_Lhs {
			return nil, m, false
		}
		if n, isConst := flow.IntConst(info, size); len(call.Args) == 3 && isConst && n == 0 {
			made, m = assign, memory{name, fmt.Sprintf("%s := %s[:0]", v.Name(), name)}
			if _, isConst := flow.IntConst(info, call.Args[2]); !isConst {
				m.made = s.either(v, typ, call, call.Args[2], name, "0")
			}
			if m.made == "" {
				return nil, m, false
			}
			continue
		}
		if len(call.Args) == 3 || flow.Calls(info, size) || !s.Repeatable(size) {
			return nil, m, false
		}
		made, m = assign, memory{name, s.either(v, typ, call, size, name, s.Text(size))}
		if m.made == "" {
			return nil, m, false
		}
	}
	return made, m, made != nil && onLine && rewrite.Predeclared(s.Pass, decl.Pos(), "int")
}

// madeOf reports whether a local variable is declared with make.
func (s *site) madeOf(v *types.Var) bool {
	for _, use := range s.Places[v] {
		call, ok := s.ValueOf(use, v).(*ast.CallExpr)
		if ok && flow.Builtin(s.Pass.TypesInfo, call) == "make" {
			return true
		}
	}
	return false
}

// either returns statements that take a slice of a size from memory, or make it.
func (s *site) either(v *types.Var, typ string, call *ast.CallExpr, size ast.Expr, name, length string) string {
	if flow.Calls(s.Pass.TypesInfo, size) || !s.Repeatable(size) {
		return ""
	}
	asInt, basic := s.Text(size), s.Pass.TypesInfo.TypeOf(size)
	if !types.Identical(basic, types.Typ[types.Int]) {
		asInt = "int(" + asInt + ")"
	}
	return fmt.Sprintf("var %[1]s %[2]s\n"+
		"if %[3]s <= cap(%[4]s) {\n%[1]s = %[4]s[:%[5]s:%[3]s]\n} else {\n%[1]s = %[6]s\n}",
		v.Name(), typ, asInt, name, length, s.Text(call))
}

// inner returns the name of a function that does the rest of another one, the beginning of its declaration, and what
// calls it.
func (s *site) inner(decl *ast.FuncDecl, prefix string) (name, head, call string, ok bool) {
	name = s.Names.Fresh(prefix + strings.ToUpper(decl.Name.Name[:1]) + decl.Name.Name[1:])
	if decl.Recv == nil {
		return name, "func " + name, name, true
	}
	recv := decl.Recv.List[0]
	if len(recv.Names) != 1 || recv.Names[0].Name == "_" {
		return "", "", "", false
	}
	if rt, isNamed := deref(s.Pass.TypesInfo.TypeOf(recv.Type)).(*types.Named); !isNamed || rt.TypeArgs().Len() > 0 {
		return "", "", "", false
	}
	return name, "func " + s.Text(decl.Recv) + " " + name, recv.Names[0].Name + "." + name, true
}
