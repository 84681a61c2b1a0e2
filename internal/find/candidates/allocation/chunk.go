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

// Sizes of what is allocated at once.
const (
	chunkBytes = 1024
	mostChunk  = 32 // structs
	fewChunk   = 4  // structs; larger ones are allocated one by one
)

// chunkGenerator allocates several structs at once, where a loop or the methods of a value make many.
func chunkGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "chunk", Title: "structs allocated one by one",
		Why: "one allocation for several structs costs little more than one for a single struct",
		Assumes: "many structs are made, and they are needed for about the same time: one that is kept keeps all of its " +
			"chunk",
		Kinds: []diagnosis.Kind{diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil)) {
				t, literal, ok := s.made(sites.ExprOf(c))
				if !ok {
					continue
				}
				if p, ok := s.inChunks(c, t, literal); ok {
					list = append(list, p)
				}
			}
			for _, c := range s.Nodes((*ast.ValueSpec)(nil)) {
				if p, ok := s.variableInChunks(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// variableInChunks makes a variable var x T, whose address is stored or returned, a pointer to a struct of a slice.
func (s *site) variableInChunks(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	spec, ok := c.Node().(*ast.ValueSpec)
	stmt, inBlock := rewrite.Statement(c)
	if !ok || !inBlock || len(spec.Names) != 1 || len(spec.Values) > 0 || spec.Type == nil ||
		rewrite.HasComment(s.Pass, stmt.Node().Pos(), stmt.Node().End()) {
		return p, false
	}
	v, ok := info.Defs[spec.Names[0]].(*types.Var)
	t := info.TypeOf(spec.Type)
	if _, isStruct := t.Underlying().(*types.Struct); !ok || !isStruct || flow.SizeVaries(t) ||
		s.Pass.TypesSizes.Sizeof(t) == 0 || len(s.Places[v]) == 0 {
		return p, false
	}
	n, stored := min(chunkBytes/s.Pass.TypesSizes.Sizeof(t), mostChunk), false
	typ, written := rewrite.TypeText(s.Pass, c.Node().Pos(), t)
	if n < 2 || !written || !rewrite.Predeclared(s.Pass, c.Node().Pos(), "len", "make") {
		return p, false
	}
	for _, use := range s.Places[v] {
		if sites.FunctionOf(use) != s.Decl {
			return p, false
		}
		switch {
		case use.Node() == spec.Names[0], use.ParentEdgeKind() == edge.SelectorExpr_X:
		case use.ParentEdgeKind() == edge.UnaryExpr_X:
			u, isUnary := use.Parent().Node().(*ast.UnaryExpr)
			if !isUnary || u.Op != token.AND {
				return p, false
			}
			stored = stored || use.Parent().ParentEdgeKind() != edge.CallExpr_Args
			p.Edits = append(p.Edits, rewrite.Replace(u, v.Name()))
		default:
			p.Edits = append(p.Edits, rewrite.Replace(use.Node(), "(*"+v.Name()+")"))
		}
	}
	if !stored {
		return p, false
	}
	chunk, edits, ok := s.beforeLoop(c, typ)
	if !ok {
		if chunk, edits, ok = s.inReceiver(c, t); !ok {
			return p, false
		}
	}
	p.Message = fmt.Sprintf("Allocate %d of %s at once", n, typ)
	p.Edits = append(append(p.Edits, edits...), rewrite.Replace(stmt.Node(), fmt.Sprintf(
		"if len(%[1]s) == 0 {\n%[1]s = make([]%[2]s, %[3]d)\n}\n%[4]s := &%[1]s[0]\n%[1]s = %[1]s[1:]",
		chunk, typ, n, v.Name())))
	return p, true
}

// inChunks takes a struct from a slice: a variable before the outermost loop, or a field of the receiver.
func (s *site) inChunks(c inspector.Cursor, t types.Type, literal *ast.CompositeLit) (p proposal, ok bool) {
	n := min(chunkBytes/s.Pass.TypesSizes.Sizeof(t), mostChunk)
	stmt, ok := s.statementOf(c)
	if !ok || n < fewChunk || !rewrite.Predeclared(s.Pass, c.Node().Pos(), "len", "make") {
		return p, false
	}
	typ, ok := rewrite.TypeText(s.Pass, c.Node().Pos(), t)
	if !ok {
		return p, false
	}
	chunk, edits, ok := s.beforeLoop(c, typ)
	if !ok {
		if chunk, edits, ok = s.inReceiver(c, t); !ok {
			return p, false
		}
	}
	name := s.Locals.Fresh(c.Node().Pos(), "made")
	text := fmt.Sprintf("if len(%[1]s) == 0 {\n%[1]s = make([]%[2]s, %[3]d)\n}\n%[4]s := &%[1]s[0]\n%[1]s = %[1]s[1:]",
		chunk, typ, n, name)
	if literal != nil {
		text += fmt.Sprintf("\n*%s = %s", name, s.Text(literal))
	}
	edits = append(edits, rewrite.Before(s.Pass, stmt.Node(), text), rewrite.Replace(c.Node(), name))
	return proposal{Message: fmt.Sprintf("Allocate %d of %s at once", n, typ), Edits: edits}, true
}

// beforeLoop declares the slice before the outermost loop around a node.
func (s *site) beforeLoop(c inspector.Cursor, typ string) (chunk string, edits []analysis.TextEdit, ok bool) {
	var outer inspector.Cursor
	for loop, loops := flow.Loop(c); loops; loop, loops = flow.Loop(loop.Parent()) {
		outer = loop
	}
	if !outer.Valid() || !s.many(c) {
		return "", nil, false
	}
	stmt, ok := rewrite.Statement(outer)
	if !ok {
		return "", nil, false
	}
	chunk = s.Locals.Fresh(c.Node().Pos(), "chunk")
	return chunk, []analysis.TextEdit{rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("var %s []%s", chunk, typ))}, true
}

// many reports whether a loop is likely to make many structs: the statement is not one that leaves it.
func (s *site) many(c inspector.Cursor) bool {
	for e := range c.Enclosing((*ast.ReturnStmt)(nil)) {
		if e.Node().End() >= c.Node().End() && sites.FunctionOf(e) == sites.FunctionOf(c) {
			return false
		}
	}
	return true
}

// inReceiver adds the slice to the struct of the receiver, or of another parameter.
func (s *site) inReceiver(c inspector.Cursor, t types.Type) (chunk string, edits []analysis.TextEdit, ok bool) {
	if sites.FunctionOf(c) != s.Decl {
		return "", nil, false
	}
	if recv, of, ok := s.receiver(); ok {
		if chunk, edits, ok = s.inStruct(recv, of, t); ok {
			return chunk, edits, true
		}
	}
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok {
		return "", nil, false
	}
	for _, f := range decl.Type.Params.List {
		for _, name := range f.Names {
			v, isVar := s.Pass.TypesInfo.Defs[name].(*types.Var)
			if !isVar || name.Name == "_" {
				continue
			}
			p, isPointer := v.Type().(*types.Pointer)
			if !isPointer {
				continue
			}
			if chunk, edits, ok = s.inStruct(v, p.Elem(), t); ok {
				return chunk, edits, true
			}
		}
	}
	return "", nil, false
}

// inStruct adds the slice to the struct that a parameter points to. That must be used by one goroutine at a time, as a
// parser is: it is not copied, not comparable and without locks, and methods set its fields.
func (s *site) inStruct(v *types.Var, of, t types.Type) (chunk string, edits []analysis.TextEdit, ok bool) {
	if types.Comparable(of) || types.Identical(of, t) {
		return "", nil, false
	}
	_, fields, ok := s.local(of)
	if !ok || len(fields.Fields.List) == 0 || s.synchronized(of) || s.copied(of, true) || s.positional(of) ||
		!s.advances(of) || rewrite.Generated(s.Pass, fields.Pos()) {
		return "", nil, false
	}
	for _, use := range s.Places[v] {
		if flow.IsSet(use) && use.ParentEdgeKind() != edge.Field_Names {
			return "", nil, false
		}
	}
	typ, ok := rewrite.TypeText(s.Pass, fields.Pos(), t)
	if !ok {
		return "", nil, false
	}
	field := s.Names.Fresh("chunk")
	edit := rewrite.Insert(fields.Fields.Closing, fmt.Sprintf("\n%s []%s // allocated at once\n", field, typ))
	return v.Name() + "." + field, []analysis.TextEdit{edit}, true
}

// synchronized reports whether a struct has a lock, an atomic value or a channel: then several goroutines may
// call its methods.
func (s *site) synchronized(t types.Type) bool {
	u, ok := t.Underlying().(*types.Struct)
	if !ok {
		return true
	}
	for f := range u.Fields() {
		ft := f.Type()
		if p, isPointer := ft.Underlying().(*types.Pointer); isPointer {
			ft = p.Elem()
		}
		if _, isChan := ft.Underlying().(*types.Chan); isChan {
			return true
		}
		if named, isNamed := types.Unalias(ft).(*types.Named); isNamed && named.Obj().Pkg() != nil {
			switch named.Obj().Pkg().Path() {
			case "sync", "sync/atomic":
				return true
			}
		}
	}
	return false
}

// positional reports whether a literal of a struct type names no fields: another field would make it invalid.
func (s *site) positional(t types.Type) bool {
	for c := range s.Root.Preorder((*ast.CompositeLit)(nil)) {
		literal, ok := c.Node().(*ast.CompositeLit)
		if !ok || len(literal.Elts) == 0 || !types.Identical(deref(s.Pass.TypesInfo.TypeOf(literal)), deref(t)) {
			continue
		}
		if _, keyed := literal.Elts[0].(*ast.KeyValueExpr); !keyed {
			return true
		}
	}
	return false
}

// advances reports whether a method with a pointer receiver of a type sets a field of it. Then no two goroutines
// call such methods at once.
func (s *site) advances(t types.Type) bool {
	info := s.Pass.TypesInfo
	for c := range s.Root.Preorder((*ast.AssignStmt)(nil), (*ast.IncDecStmt)(nil)) {
		var set []ast.Expr
		switch stmt := c.Node().(type) {
		case *ast.AssignStmt:
			if stmt.Tok == token.DEFINE {
				continue
			}
			set = stmt.Lhs
		case *ast.IncDecStmt:
			set = []ast.Expr{stmt.X}
		}
		for _, e := range set {
			sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
			if !ok {
				continue
			}
			v := flow.Variable(info, sel.X)
			if v == nil || !types.Identical(deref(v.Type()), deref(t)) {
				continue
			}
			fn, ok := flow.Decl(c)
			if !ok {
				continue
			}
			decl, ok := fn.Node().(*ast.FuncDecl)
			if ok && decl.Recv != nil && len(decl.Recv.List[0].Names) == 1 &&
				info.Defs[decl.Recv.List[0].Names[0]] == types.Object(v) {
				return true
			}
		}
	}
	return false
}
