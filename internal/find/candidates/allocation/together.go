package allocation

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// mostTogether is the size in bytes up to which values are allocated as one.
const mostTogether = 8192

// togetherGenerator allocates a struct and what its fields refer to as one.
func togetherGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "together", Title: "struct allocated together with others that it refers to",
		Why:     "one allocation for a struct and what its fields refer to costs less than one for each",
		Assumes: "the parts are needed as long as the struct: each keeps all of them",
		Kinds:   []diagnosis.Kind{diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection},
		Propose: visit(func(s *site) (list []proposal) {
			for c := range s.Decl.Preorder((*ast.UnaryExpr)(nil)) {
				t, literal, ok := s.made(sites.ExprOf(c))
				if !ok || literal == nil || !s.near(c.Node()) {
					continue
				}
				if p, ok := s.asOne(c, t, literal); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// A part is a value that a field of a struct refers to.
type part struct {
	value ast.Expr
	typ   string // of the field of the common struct
	set   string // what it is set to; "" if it stays zero
	ref   string // how the field refers to it, with %s for it
	size  int64
}

// asOne declares a variable with a struct and the parts that its literal makes.
func (s *site) asOne(c inspector.Cursor, t types.Type, literal *ast.CompositeLit) (p proposal, ok bool) {
	stmt, ok := s.statementOf(c)
	if !ok || rewrite.HasComment(s.Pass, c.Node().Pos(), literal.Lbrace) {
		return p, false
	}
	size := s.Pass.TypesSizes.Sizeof(t)
	typ, ok := rewrite.TypeText(s.Pass, literal.Pos(), t)
	if !ok {
		return p, false
	}
	all := s.Locals.Fresh(literal.Pos(), "all")
	fields, sets := []string{"value " + typ}, []string{}
	inner := s.Text(literal)
	called := false
	type cut struct {
		from, to int
		text     string
	}
	var cuts []cut
	for _, e := range literal.Elts {
		if kv, isPair := e.(*ast.KeyValueExpr); isPair {
			e = kv.Value
		}
		one, isPart := s.part(e)
		if !isPart {
			called = called || flow.Calls(s.Pass.TypesInfo, e)
			continue
		}
		if called && one.set != "" && flow.Calls(s.Pass.TypesInfo, e) || size+one.size > mostTogether {
			continue // the order of calls would change
		}
		size += one.size
		field := fmt.Sprintf("part%d", len(sets)+1)
		fields = append(fields, field+" "+one.typ)
		if one.set != "" {
			sets = append(sets, fmt.Sprintf("%s.%s = %s", all, field, one.set))
		} else {
			sets = append(sets, "")
		}
		cuts = append(cuts, cut{
			int(e.Pos() - literal.Pos()), int(e.End() - literal.Pos()),
			fmt.Sprintf(one.ref, all+"."+field),
		})
	}
	if len(cuts) == 0 {
		return p, false
	}
	for i := len(cuts) - 1; i >= 0; i-- {
		inner = inner[:cuts[i].from] + cuts[i].text + inner[cuts[i].to:]
	}
	lines := []string{fmt.Sprintf("%s := new(struct {\n%s\n})", all, strings.Join(fields, "\n"))}
	for _, set := range sets {
		if set != "" {
			lines = append(lines, set)
		}
	}
	lines = append(lines, fmt.Sprintf("%s.value = %s", all, inner))
	return proposal{
		Message: fmt.Sprintf("Allocate %s and what %d of its fields refer to as one", typ, len(cuts)),
		Edits: []analysis.TextEdit{
			rewrite.Before(s.Pass, stmt.Node(), strings.Join(lines, "\n")), rewrite.Replace(c.Node(), "&"+all+".value"),
		},
	}, true
}

// part describes a value of a field that is a new struct, or a slice of constant size or of listed elements.
func (s *site) part(e ast.Expr) (p part, ok bool) {
	info := s.Pass.TypesInfo
	if t, literal, ok := s.made(e); ok {
		p.typ, ok = rewrite.TypeText(s.Pass, e.Pos(), t)
		p.value, p.set, p.ref, p.size = e, s.text(literal), "&%s", s.Pass.TypesSizes.Sizeof(t)
		return p, ok
	}
	if p, ok := s.listed(e); ok {
		return p, true
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || flow.Builtin(info, call) != "make" || len(call.Args) < 2 {
		return p, false
	}
	slice, ok := info.TypeOf(call).(*types.Slice)
	if !ok || flow.SizeVaries(slice.Elem()) {
		return p, false
	}
	length, ok1 := flow.IntConst(info, call.Args[1])
	capacity, ok2 := flow.IntConst(info, call.Args[len(call.Args)-1])
	elem, ok3 := rewrite.TypeText(s.Pass, e.Pos(), slice.Elem())
	if !ok1 || !ok2 || !ok3 || capacity <= 0 || capacity > mostTogether {
		return p, false
	}
	return part{
		value: e, typ: fmt.Sprintf("[%d]%s", capacity, elem), ref: fmt.Sprintf("%%s[:%d]", length),
		size: capacity * s.Pass.TypesSizes.Sizeof(slice.Elem()),
	}, true
}

// listed describes the literal of a slice, with elements and without indexes.
func (s *site) listed(e ast.Expr) (p part, ok bool) {
	info := s.Pass.TypesInfo
	literal, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok || len(literal.Elts) == 0 || literal.Type == nil {
		return p, false
	}
	slice, ok := info.TypeOf(literal).(*types.Slice)
	list, written := ast.Unparen(literal.Type).(*ast.ArrayType)
	if !ok || !written || flow.SizeVaries(slice.Elem()) {
		return p, false
	}
	for _, x := range literal.Elts {
		if _, indexed := x.(*ast.KeyValueExpr); indexed {
			return p, false
		}
	}
	typ := fmt.Sprintf("[%d]%s", len(literal.Elts), s.Text(list.Elt))
	return part{
		value: e, typ: typ, set: typ + rewrite.Between(s.Pass, literal.Lbrace, literal.End()), ref: "%s[:]",
		size: int64(len(literal.Elts)) * s.Pass.TypesSizes.Sizeof(slice.Elem()),
	}, true
}
