package allocation

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// smallSetGenerator keeps the first elements of a set in an array.
func smallSetGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "smallset", Title: "set of a function that is a map",
		Why: "an array of a few elements is searched faster than a map is hashed, and needs no allocation; a map is made " +
			"when there are more",
		Assumes: "the set usually has at most 16 elements",
		Kinds: []diagnosis.Kind{
			diagnosis.MapGrowth, diagnosis.MapAccess, diagnosis.Hashing, diagnosis.Allocation, diagnosis.Escape,
			diagnosis.Collection,
		},
		Propose: visit(func(s *site) (list []proposal) {
			done := map[*types.Var]bool{}
			for _, c := range s.Nodes((*ast.Ident)(nil)) {
				v := flow.Variable(s.Pass.TypesInfo, sites.ExprOf(c))
				if v == nil || done[v] || !sites.IsMap(v.Type()) {
					continue
				}
				done[v] = true
				if p, ok := s.fewElements(v); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// smallSet is declared for sets.
const smallSet = `// %[1]s is a set that has its first elements in an array.
type %[1]s[E comparable] struct {
	few  [16]E
	n    int
	more map[E]struct{} // all elements, if there are more
}

func (s *%[1]s[E]) has(e E) bool {
	if s.more != nil {
		_, ok := s.more[e]
		return ok
	}
	for i := range s.few[:s.n] {
		if s.few[i] == e {
			return true
		}
	}
	return false
}

func (s *%[1]s[E]) add(e E) {
	if s.has(e) {
		return
	}
	if s.more == nil && s.n < len(s.few) {
		s.few[s.n] = e
		s.n++
		return
	}
	if s.more == nil {
		s.more = make(map[E]struct{}, 2*len(s.few))
		for _, one := range s.few {
			s.more[one] = struct{}{}
		}
	}
	s.more[e] = struct{}{}
}`

// mostElement is the size in bytes of elements up to which an array of them is small.
const mostElement = 32

// fewElements changes a local map to bool or struct{} in which entries are only set and looked up.
func (s *site) fewElements(v *types.Var) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	m, ok := v.Type().Underlying().(*types.Map)
	if !ok || v.Parent() == s.Pass.Pkg.Scope() || !isMark(m.Elem()) || !isElement(m.Key()) || flow.SizeVaries(m.Key()) ||
		s.Pass.TypesSizes.Sizeof(m.Key()) > mostElement || len(s.Places[v]) < 3 || !flow.Since(s.Pass, v.Pos(), "go1.18") ||
		!rewrite.Universe(s.Pass, "len", "make", "bool", "comparable", "int") {
		return p, false
	}
	key, ok := rewrite.TypeText(s.Pass, v.Pos(), m.Key())
	name := s.Names.Fresh("smallSet")
	declared, ok2 := rewrite.Declare(s.Pass, v.Pos(), fmt.Sprintf(smallSet, name))
	if !ok || !ok2 {
		return p, false
	}
	p.Message = "Keep the first elements of " + v.Name() + " in an array"
	p.Edits = []analysis.TextEdit{declared}
	sets := false
	for _, use := range s.Places[v] {
		if value := s.ValueOf(use, v); value != nil {
			stmt := use.Parent().Node()
			assign, isAssign := stmt.(*ast.AssignStmt)
			if !isAssign || !s.emptyMap(value) || len(assign.Lhs) != 1 || !flow.InBlock(use.Parent()) {
				return p, false
			}
			p.Edits = append(p.Edits, rewrite.Replace(stmt, fmt.Sprintf("var %s %s[%s]", v.Name(), name, key)))
			continue
		}
		edit, set, ok := s.elementUse(use, v)
		if !ok {
			return p, false
		}
		sets = sets || set
		p.Edits = append(p.Edits, edit)
	}
	return p, sets && info != nil
}

// elementUse returns the edit of a use of a set: an entry is set, or looked up.
func (s *site) elementUse(use inspector.Cursor, v *types.Var) (edit analysis.TextEdit, set, ok bool) {
	x, ok := use.Parent().Node().(*ast.IndexExpr)
	if !ok || use.ParentEdgeKind() != edge.IndexExpr_X || rewrite.HasComment(s.Pass, x.Pos(), x.End()) {
		return edit, false, false
	}
	c := use.Parent()
	assign, isAssign := c.Parent().Node().(*ast.AssignStmt)
	switch {
	case isAssign && c.ParentEdgeKind() == edge.AssignStmt_Lhs:
		if len(assign.Lhs) != 1 || assign.Tok != token.ASSIGN || !s.isMarked(assign.Rhs[0]) {
			return edit, false, false
		}
		return rewrite.Replace(assign, fmt.Sprintf("%s.add(%s)", v.Name(), s.Text(x.Index))), true, true
	case sites.CommaOk(c):
		if !isAssign || !sites.IsBlank(assign.Lhs[0]) {
			return edit, false, false
		}
		return rewrite.Replace(assign, fmt.Sprintf("%s %s %s.has(%s)", s.Text(assign.Lhs[1]), assign.Tok, v.Name(),
			s.Text(x.Index))), false, true
	case flow.IsSet(c) || flow.Addresses(s.Pass.TypesInfo, c) || !isBool(s.Pass.TypesInfo.TypeOf(x)):
		return edit, false, false
	}
	return rewrite.Replace(x, fmt.Sprintf("%s.has(%s)", v.Name(), s.Text(x.Index))), false, true
}

// isMark reports whether values of a type only say that a key is there.
func isMark(t types.Type) bool {
	u, ok := t.Underlying().(*types.Struct)
	return isBool(t) || ok && u.NumFields() == 0
}

// isBool reports whether a type is bool.
func isBool(t types.Type) bool { return types.Identical(t, types.Typ[types.Bool]) }

// isMarked reports whether a value is true, or struct{}{}.
func (s *site) isMarked(e ast.Expr) bool {
	if tv := s.Pass.TypesInfo.Types[e]; tv.Value != nil {
		return tv.Value.String() == "true"
	}
	_, ok := ast.Unparen(e).(*ast.CompositeLit)
	return ok
}

// isElement reports whether values of a type are compared in a few instructions: text, whole numbers, pointers, and
// arrays and structs of them.
func isElement(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsInteger|types.IsBoolean) != 0
	case *types.Pointer:
		return true
	case *types.Array:
		return isElement(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" || !isElement(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}
