package memory

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

// stackBytes is the size of arrays that replace small slices.
const stackBytes = 256

// stackGenerator uses an array of the function for a slice of variable size, if it is small enough.
func stackGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "stack", Title: "slice of variable size allocated on each call",
		Why: "the compiler allocates a slice on the heap if its size is not constant; an array of the function " +
			"needs no allocation",
		Assumes: "the slice is usually small, and no longer used when the function returns",
		Kinds: []diagnosis.Kind{
			diagnosis.Allocation, diagnosis.Escape, diagnosis.Copying, diagnosis.Collection, diagnosis.Conversion,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if p, ok := s.onStack(c); ok {
					list = append(list, p)
				} else if p, ok := s.convertedOnStack(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// onStack makes a slice of an array in x := make([]T, n).
func (s *site) onStack(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	_, isSpec := c.Parent().Node().(*ast.ValueSpec)
	if !ok || flow.Builtin(info, call) != "make" || !isSpec && !flow.InBlock(c.Parent()) || flow.Once(c) ||
		rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
		return p, false
	}
	slice, ok := info.TypeOf(call).Underlying().(*types.Slice)
	id := flow.Defines(c)
	if !ok || id == nil || id.Name == "_" || flow.SizeVaries(slice.Elem()) {
		return p, false
	}
	v := flow.Variable(info, id)
	if v == nil || s.outlives(v) {
		return p, false
	}
	size := call.Args[len(call.Args)-1] // the capacity
	if _, isConst := flow.IntConst(info, size); isConst || flow.Calls(info, size) || s.SideEffects(size) {
		return p, false
	}
	elem, ok1 := rewrite.TypeText(s.Pass, call.Pos(), slice.Elem())
	typ, ok2 := rewrite.TypeText(s.Pass, call.Pos(), info.TypeOf(call))
	bytes := s.Pass.TypesSizes.Sizeof(slice.Elem())
	if !ok1 || !ok2 || bytes == 0 || bytes > stackBytes/4 || !rewrite.Predeclared(s.Pass, call.Pos(), "len", "make") {
		return p, false
	}
	array := s.Locals.Fresh(call.Pos(), "array")
	length := "0"
	if len(call.Args) == 2 {
		length = s.Text(size)
	} else if n, isConst := flow.IntConst(info, call.Args[1]); !isConst || n != 0 {
		return p, false
	}
	// A slice has exactly the capacity that make gives it.
	text := fmt.Sprintf("var %[1]s [%[2]d]%[3]s\nif %[5]s <= len(%[1]s) {\n"+
		"%[4]s = %[1]s[:%[6]s:%[5]s]\n} else {\n%[4]s = %[7]s\n}",
		array, stackBytes/bytes, elem, id.Name, s.asInt(size), length, s.Text(call))
	p.Message = fmt.Sprintf("Use an array for up to %d elements", stackBytes/bytes)
	switch d := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		p.Edits = []analysis.TextEdit{rewrite.Replace(d, "var "+id.Name+" "+typ+"\n"+text)}
		return p, len(d.Lhs) == 1
	case *ast.ValueSpec: // the array is declared after the statement, whose other variables may be the size
		stmt, isStmt := rewrite.Statement(c)
		group, isGroup := stmt.Node().(*ast.DeclStmt)
		if !isStmt || !isGroup || !flow.InBlock(stmt) || len(d.Names) != 1 || s.mentionedIn(group, v) {
			return p, false
		}
		p.Edits = []analysis.TextEdit{
			{Pos: d.Names[0].End(), End: d.End(), NewText: []byte(" " + typ)}, rewrite.Insert(group.End(), "\n"+text),
		}
		return p, true
	}
	return p, false
}

// mentionedIn reports whether another variable of a declaration has a value that mentions a variable.
func (s *site) mentionedIn(group *ast.DeclStmt, v *types.Var) bool {
	for _, use := range s.Places[v] {
		if at := use.Node().Pos(); at != v.Pos() && group.Pos() <= at && at < group.End() {
			return true
		}
	}
	return false
}

// convertedOnStack appends the characters or bytes of a text to an array, in x := []rune(text) and x := []byte(text).
// Conversions that the compiler knows to stay in the function have an array for 32.
func (s *site) convertedOnStack(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || !flow.InBlock(c.Parent()) || flow.Once(c) || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
		return p, false
	}
	to, ok := flow.Conversion(info, call)
	assign, isAssign := c.Parent().Node().(*ast.AssignStmt)
	id := flow.Defines(c)
	if !ok || !isAssign || id == nil || id.Name == "_" || len(assign.Lhs) != 1 ||
		!flow.IsString(info.TypeOf(call.Args[0])) {
		return p, false
	}
	v := flow.Variable(info, id)
	if v == nil || s.outlives(v) || !rewrite.Predeclared(s.Pass, call.Pos(), "append", "rune", "byte") {
		return p, false
	}
	array := s.Locals.Fresh(call.Pos(), "array")
	switch {
	case sites.IsBytes(to):
		p.Edits = []analysis.TextEdit{rewrite.Replace(assign, fmt.Sprintf(
			"var %[1]s [%[2]d]byte\n%[3]s := append(%[1]s[:0], %[4]s...)", array, stackBytes, id.Name, s.Text(call.Args[0])))}
	case types.Identical(to, types.NewSlice(types.Typ[types.Rune])):
		char := s.Locals.Fresh(call.Pos(), "r")
		p.Edits = []analysis.TextEdit{rewrite.Replace(assign, fmt.Sprintf(
			"var %[1]s [%[2]d]rune\n%[3]s := %[1]s[:0]\nfor _, %[4]s := range %[5]s {\n%[3]s = append(%[3]s, %[4]s)\n}",
			array, stackBytes/4, id.Name, char, s.Text(call.Args[0])))}
	default:
		return p, false
	}
	return proposal{Message: "Use an array for short texts", Edits: p.Edits}, true
}

// asInt returns the source of a size as an int.
func (s *site) asInt(size ast.Expr) string {
	if types.Identical(s.Pass.TypesInfo.TypeOf(size), types.Typ[types.Int]) {
		return s.Text(size)
	}
	return "int(" + s.Text(size) + ")"
}

// outlives reports whether a slice is returned, stored or sent by the function's own statements.
func (s *site) outlives(v *types.Var) bool {
	for _, use := range s.Places[v] {
		c := use
		for {
			k := c.ParentEdgeKind()
			if k != edge.ParenExpr_X && k != edge.SliceExpr_X {
				break
			}
			c = c.Parent()
		}
		switch c.ParentEdgeKind() {
		case edge.ReturnStmt_Results, edge.SendStmt_Value, edge.KeyValueExpr_Value, edge.CompositeLit_Elts:
			return true
		case edge.UnaryExpr_X, edge.ValueSpec_Values:
			return true
		case edge.AssignStmt_Rhs:
			return true
		case edge.CallExpr_Args:
			if call, ok := c.Parent().Node().(*ast.CallExpr); ok {
				_, converts := flow.Conversion(s.Pass.TypesInfo, call)
				if converts && !flow.IsString(s.Pass.TypesInfo.TypeOf(call)) {
					return true
				}
				if flow.Builtin(s.Pass.TypesInfo, call) == "append" && !s.appendsTo(c.Parent(), v) && !call.Ellipsis.IsValid() {
					return true
				}
			}
		}
		if f, ok := flow.Func(use); !ok || f != sites.FunctionOf(s.Places[v][0]) {
			return true // a closure may keep it
		}
	}
	return false
}

// appendsTo reports whether the result of append is assigned to the variable that it appends to.
func (s *site) appendsTo(c inspector.Cursor, v *types.Var) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	return ok && len(assign.Lhs) == 1 && flow.Variable(s.Pass.TypesInfo, assign.Lhs[0]) == v
}

// ofIndexes returns what is proposed for the first index of each variable of the site.
func (s *site) ofIndexes(
	propose func(c inspector.Cursor, x *ast.IndexExpr, v *types.Var) (proposal, bool),
) (list []proposal) {
	done := map[*types.Var]bool{}
	for _, c := range s.Nodes((*ast.IndexExpr)(nil)) {
		x, ok := c.Node().(*ast.IndexExpr)
		if !ok {
			continue
		}
		v := flow.Variable(s.Pass.TypesInfo, x.X)
		if v == nil || done[v] {
			continue
		}
		done[v] = true
		if p, ok := propose(c, x, v); ok {
			list = append(list, p)
		}
	}
	return list
}

// boundsGenerator gives a slice the length of the loop that indexes it, so that the compiler needs no checks.
func boundsGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "bounds", Title: "index checked in each iteration of a loop",
		Why:     "the compiler knows that the index is in range if the slice has the length of the loop",
		Assumes: "the slice is at least as long as the loop, even where the loop ends early",
		Kinds:   []diagnosis.Kind{diagnosis.Own},
		Propose: visit(func(s *site) []proposal { return s.ofIndexes(s.resliced) }),
	}
}

// resliced takes the part of a slice that a loop can index.
func (s *site) resliced(c inspector.Cursor, x *ast.IndexExpr, v *types.Var) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	if _, isSlice := v.Type().Underlying().(*types.Slice); !isSlice && !flow.IsString(v.Type()) {
		return p, false
	}
	loop, ok := flow.Loop(c)
	index := flow.Variable(info, x.Index)
	if !ok || index == nil || !s.Unset(loop, v) {
		return p, false
	}
	size := ""
	switch l := loop.Node().(type) {
	case *ast.RangeStmt:
		of := flow.Variable(info, l.X)
		if l.Key == nil || flow.Variable(info, l.Key) != index || of == nil || of == v || !s.Unset(loop, of) {
			return p, false
		}
		switch t := of.Type().Underlying().(type) {
		case *types.Slice:
			size = "len(" + of.Name() + ")"
		case *types.Basic:
			if t.Kind() != types.Int {
				return p, false
			}
			size = "max(" + of.Name() + ", 0)"
		default:
			return p, false
		}
	case *ast.ForStmt:
		cond, ok := l.Cond.(*ast.BinaryExpr)
		if !ok || cond.Op != token.LSS || flow.Variable(info, cond.X) != index || !s.Counts(l, x.Index) {
			return p, false
		}
		switch y := ast.Unparen(cond.Y).(type) {
		case *ast.Ident:
			if n := flow.Variable(info, y); n == nil || !s.Unset(loop, n) || n.Type() != types.Typ[types.Int] {
				return p, false
			}
		case *ast.CallExpr:
			if flow.Builtin(info, y) != "len" {
				return p, false
			}
			if of := flow.Variable(info, y.Args[0]); of == nil || of == v || !s.Unset(loop, of) {
				return p, false
			}
		default:
			return p, false
		}
		if size = s.Text(cond.Y); !strings.HasPrefix(size, "len(") {
			size = "max(" + size + ", 0)" // the loop does not run for a negative number
		}
	}
	stmt, ok := rewrite.Statement(loop)
	if !ok || size == "" || !rewrite.Predeclared(s.Pass, x.Pos(), "len", "max") ||
		strings.HasPrefix(size, "max(") && !flow.Since(s.Pass, x.Pos(), "go1.21") {
		return p, false
	}
	name := s.Locals.Fresh(x.Pos(), v.Name())
	p.Message = fmt.Sprintf("Take %s[:%s] before the loop", v.Name(), size)
	p.Edits = append(p.Edits, rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("%s := %s[:%s]", name, v.Name(), size)))
	for _, use := range flow.Uses(info, loop, v) {
		if use.ParentEdgeKind() != edge.IndexExpr_X {
			return proposal{}, false
		}
		p.Edits = append(p.Edits, rewrite.Replace(use.Node(), name))
	}
	return p, true
}
