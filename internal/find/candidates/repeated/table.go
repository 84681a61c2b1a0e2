package repeated

import (
	"fmt"
	"go/ast"
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

// maxTable is the number of entries up to which a switch is tried.
const maxTable = 24

// tableGenerator turns a small map of constants into a switch.
func tableGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "table", Title: "small map of constants",
		Why:     "a switch on constants compares a few values, where a map hashes the key",
		Assumes: "the map is never changed, as no code of the package does",
		Kinds:   []diagnosis.Kind{diagnosis.MapAccess, diagnosis.Hashing, diagnosis.Comparison},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.IndexExpr)(nil)) {
				if p, ok := s.switched(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// switched declares a function with a switch for a map, and calls it in the accesses of the function.
func (s *site) switched(c inspector.Cursor) (p proposal, ok bool) {
	x, ok := c.Node().(*ast.IndexExpr)
	if !ok || flow.IsSet(c) || flow.Calls(s.Pass.TypesInfo, x.Index) || rewrite.HasComment(s.Pass, x.Pos(), x.End()) {
		return p, false
	}
	id, ok := ast.Unparen(x.X).(*ast.Ident)
	if !ok {
		return p, false
	}
	v, ok := s.Pass.TypesInfo.ObjectOf(id).(*types.Var)
	if !ok || v.Parent() != s.Pass.Pkg.Scope() || v.Exported() || rewrite.Elsewhere(s.Pass, v.Name()) {
		return p, false
	}
	m, ok := v.Type().Underlying().(*types.Map)
	if !ok {
		return p, false
	}
	literal := s.literalOf(v)
	if literal == nil || len(literal.Elts) == 0 || len(literal.Elts) > maxTable {
		return p, false
	}
	key, ok1 := rewrite.TypeText(s.Pass, x.Pos(), m.Key())
	value, ok2 := rewrite.TypeText(s.Pass, x.Pos(), m.Elem())
	if !ok1 || !ok2 || !rewrite.Universe(s.Pass, "bool", "true", "false") {
		return p, false
	}
	var cases strings.Builder
	for _, e := range literal.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok || s.Pass.TypesInfo.Types[kv.Key].Value == nil || !s.isConstant(kv.Value) {
			return p, false
		}
		fmt.Fprintf(&cases, "\tcase %s:\n\t\treturn %s, true\n", s.Text(kv.Key), s.typed(kv.Value, value))
	}
	name := s.Names.Fresh(v.Name() + "Of")
	declared, ok := rewrite.Declare(s.Pass, x.Pos(), fmt.Sprintf(
		"// %s returns the entry of %s, and whether there is one.\nfunc %s(key %s) (value %s, ok bool) {\n\tswitch key {\n%s"+
			"\t}\n\treturn value, false\n}", name, v.Name(), name, key, value, cases.String()))
	if !ok {
		return p, false
	}
	edits := []analysis.TextEdit{declared}
	call := fmt.Sprintf("%s(%s)", name, s.Text(x.Index))
	if sites.CommaOk(c) {
		edits = append(edits, rewrite.Replace(x, call))
	} else {
		stmt, ok := rewrite.Statement(c)
		if !ok || !s.EvaluatedFirst(c, stmt) {
			return p, false
		}
		entry := s.Locals.Fresh(x.Pos(), "entry")
		edits = append(edits, rewrite.Before(s.Pass, stmt.Node(), entry+", _ := "+call), rewrite.Replace(x, entry))
	}
	return proposal{Message: "Use a switch for the entries of " + v.Name(), Edits: edits}, true
}

// literalOf returns the literal of a package variable whose entries are only read, nil if there is none.
func (s *site) literalOf(v *types.Var) (literal *ast.CompositeLit) {
	for _, use := range s.Places[v] {
		if value := s.ValueOf(use, v); value != nil {
			literal, _ = ast.Unparen(value).(*ast.CompositeLit)
			continue
		}
		if use.ParentEdgeKind() == edge.ValueSpec_Names {
			continue
		}
		if decl, ok := flow.Decl(use); ok && isInit(decl.Node()) && use.ParentEdgeKind() == edge.AssignStmt_Lhs &&
			literal == nil {
			assign, isAssign := use.Parent().Node().(*ast.AssignStmt)
			if !isAssign || len(assign.Lhs) != len(assign.Rhs) {
				return nil
			}
			if literal, _ = ast.Unparen(assign.Rhs[use.ParentEdgeIndex()]).(*ast.CompositeLit); literal == nil {
				return nil
			}
			continue
		}
		if use.ParentEdgeKind() != edge.IndexExpr_X || flow.IsSet(use.Parent()) ||
			flow.Addresses(s.Pass.TypesInfo, use.Parent()) {
			return nil
		}
	}
	return literal
}

// isConstant reports whether a value is the same each time it is evaluated, and nothing can change it:
// constants, functions, and structs of such values.
func (s *site) isConstant(e ast.Expr) bool {
	if tv := s.Pass.TypesInfo.Types[e]; tv.Value != nil || tv.IsNil() {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := s.Pass.TypesInfo.ObjectOf(e).(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := s.Pass.TypesInfo.ObjectOf(e.Sel).(*types.Func)
		return ok && s.Pass.TypesInfo.Selections[e] == nil
	case *ast.CompositeLit:
		if _, ok := s.Pass.TypesInfo.TypeOf(e).Underlying().(*types.Struct); !ok {
			return false
		}
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			if !s.isConstant(x) {
				return false
			}
		}
		return true
	}
	return false
}

// typed returns the source of a value, with its type if the literal of the map omits that.
func (s *site) typed(e ast.Expr, typ string) string {
	if c, ok := e.(*ast.CompositeLit); ok && c.Type == nil {
		return typ + s.Text(c)
	}
	return s.Text(e)
}
