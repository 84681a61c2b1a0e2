package allocation

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// fieldOrderGenerator orders the fields of a struct so that it needs less memory.
func fieldOrderGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "fieldorder", Title: "struct with gaps between its fields",
		Why: "with large fields first there are no gaps, and the struct fits a smaller block of the allocator",
		Assumes: "nothing depends on the order of the fields, such as a text with all of them, and nothing outside the " +
			"package makes it without their names",
		Kinds: []diagnosis.Kind{
			diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection, diagnosis.SliceGrowth, diagnosis.Copying,
		},
		Propose: visit(func(s *site) (list []proposal) {
			var done []types.Type
			for _, c := range s.Nodes(
				(*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.CompositeLit)(nil), (*ast.ValueSpec)(nil),
			) {
				t := s.structOf(c.Node())
				if t == nil || slices.ContainsFunc(done, func(other types.Type) bool { return types.Identical(t, other) }) {
					continue
				}
				done = append(done, t)
				if p, ok := s.ordered(t); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// structOf returns the struct type that a node makes: one, or the elements of a slice. It is nil for others.
func (s *site) structOf(n ast.Node) (t types.Type) {
	info := s.Pass.TypesInfo
	switch n := n.(type) {
	case *ast.UnaryExpr, *ast.CompositeLit:
		t = info.TypeOf(n.(ast.Expr))
	case *ast.ValueSpec:
		if n.Type != nil && len(n.Values) == 0 {
			if t = info.TypeOf(n.Type); types.Identical(t, deref(t)) {
				break
			}
			return nil // a pointer
		}
	case *ast.CallExpr:
		switch flow.Builtin(info, n) {
		case "new", "make", "append":
			t = info.TypeOf(n)
		}
	}
	if t == nil {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		t = u.Elem()
	case *types.Slice:
		t = u.Elem()
	}
	if _, isStruct := t.Underlying().(*types.Struct); !isStruct {
		return nil
	}
	return t
}

// sizeClasses are the sizes of blocks of the allocator, up to the one from which on gaps do not matter.
var sizeClasses = [...]int64{
	8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416,
	448, 480, 512,
}

// blockOf returns the size of the block for a value; 0 if it is large.
func blockOf(size int64) int64 {
	for _, class := range sizeClasses {
		if size <= class {
			return class
		}
	}
	return 0
}

// ordered writes the fields of a struct of the package in the order of their alignment.
func (s *site) ordered(t types.Type) (p proposal, ok bool) {
	name, fields, ok := s.local(t)
	if !ok || flow.SizeVaries(t) || s.positional(t) || rewrite.Generated(s.Pass, fields.Pos()) ||
		rewrite.Elsewhere(s.Pass, name.Name()) {
		return p, false
	}
	sizes := s.Pass.TypesSizes
	type group struct {
		field *ast.Field
		vars  []*types.Var
		align int64
		size  int64
	}
	var groups []group
	for _, f := range fields.Fields.List {
		if f.Tag != nil || f.Comment != nil && len(f.Comment.List) > 1 {
			return p, false // the order of fields with tags shows in texts
		}
		typ := s.Pass.TypesInfo.TypeOf(f.Type)
		one := group{field: f, align: sizes.Alignof(typ), size: sizes.Sizeof(typ)}
		for _, id := range f.Names {
			if id.Name == "_" {
				return p, false
			}
			v, isVar := s.Pass.TypesInfo.Defs[id].(*types.Var)
			if !isVar {
				return p, false
			}
			one.vars = append(one.vars, v)
		}
		if len(f.Names) == 0 {
			one.vars = []*types.Var{types.NewField(f.Pos(), s.Pass.Pkg, "_", typ, true)}
		}
		groups = append(groups, one)
	}
	after := slices.Clone(groups)
	slices.SortStableFunc(after, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.align, a.align), cmp.Compare(min(b.size, b.align), min(a.size, a.align)))
	})
	var vars []*types.Var
	var lines []string
	for _, g := range after {
		for i, v := range g.vars {
			vars = append(vars, types.NewField(v.Pos(), s.Pass.Pkg, fmt.Sprintf("f%d%d", len(lines), i), v.Type(), false))
		}
		from, to := g.field.Pos(), g.field.End()
		if g.field.Doc != nil {
			from = g.field.Doc.Pos()
		}
		if g.field.Comment != nil {
			to = g.field.Comment.End()
		}
		lines = append(lines, rewrite.Between(s.Pass, from, to))
	}
	old, now := sizes.Sizeof(t), sizes.Sizeof(types.NewStruct(vars, nil))
	if block := blockOf(old); block == 0 || blockOf(now) >= block || s.looseComment(fields) {
		return p, false
	}
	p.Message = fmt.Sprintf("Order the fields of %s: %d bytes instead of %d", name.Name(), now, old)
	p.Edits = []analysis.TextEdit{{
		Pos: fields.Fields.Opening + 1, End: fields.Fields.Closing, NewText: []byte("\n" + strings.Join(lines, "\n") + "\n"),
	}}
	return p, true
}

// looseComment reports whether a struct has a comment that is not about one field.
func (s *site) looseComment(fields *ast.StructType) bool {
	file := rewrite.File(s.Pass, fields.Pos())
	for _, g := range file.Comments {
		if g.Pos() < fields.Fields.Opening || g.Pos() > fields.Fields.Closing {
			continue
		}
		if !slices.ContainsFunc(fields.Fields.List, func(f *ast.Field) bool {
			return f.Doc == g || f.Comment == g || f.Pos() <= g.Pos() && g.End() <= f.End()
		}) {
			return true
		}
	}
	return false
}
