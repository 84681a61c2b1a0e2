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

// capacityGenerator gives slices, maps and builders that grow a capacity to begin with, also where the number
// of elements is only an estimate.
func capacityGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "capacity", Title: "slice, map or text grown step by step",
		Why:     "memory for the expected size is allocated once, instead of a new, larger copy several times",
		Assumes: "the size is close to the estimate: a larger capacity than needed costs memory",
		Kinds: []diagnosis.Kind{
			diagnosis.SliceGrowth, diagnosis.MapGrowth, diagnosis.Allocation, diagnosis.Text, diagnosis.Copying,
			diagnosis.MapAccess, diagnosis.Escape,
		},
		Propose: visit(func(s *site) (list []proposal) {
			list = append(list, s.appends()...)
			list = append(list, s.insertions()...)
			list = append(list, s.regrown()...)
			list = append(list, s.regrownField()...)
			list = append(list, s.regrownReused()...)
			list = append(list, s.sizedField()...)
			return append(list, s.writes()...)
		}),
	}
}

// Capacities where no better estimate is known.
const (
	fewElements = 16
	fewBytes    = 64
)

// appends gives a slice that is empty so far a capacity where the first element is appended.
func (s *site) appends() (list []proposal) {
	info := s.Pass.TypesInfo
	for _, c := range s.Nodes((*ast.AssignStmt)(nil)) {
		stmt, ok := c.Node().(*ast.AssignStmt)
		if !ok || len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 || stmt.Tok != token.ASSIGN || !flow.InBlock(c) {
			continue
		}
		call, ok := stmt.Rhs[0].(*ast.CallExpr)
		if !ok || flow.Builtin(info, call) != "append" || !flow.Same(info, stmt.Lhs[0], call.Args[0]) ||
			!rewrite.Predeclared(s.Pass, stmt.Pos(), "make", "len", "nil") {
			continue
		}
		typ, ok := rewrite.TypeText(s.Pass, stmt.Pos(), info.TypeOf(stmt.Lhs[0]))
		if !ok {
			continue
		}
		to, v := s.Text(stmt.Lhs[0]), flow.Variable(info, stmt.Lhs[0])
		size := s.estimate(c, v)
		if size == "" && sites.IsBytes(info.TypeOf(stmt.Lhs[0])) {
			size = s.textLength(v)
		}
		if size == "" {
			size = fmt.Sprint(fewElements)
			if sites.IsBytes(info.TypeOf(stmt.Lhs[0])) {
				size = fmt.Sprint(fewBytes)
			}
		}
		message := "Allocate " + to + " with a capacity of " + size
		lazily := s.allocatedFirst(stmt, call, to, typ, size)
		begin, isEmpty := ast.Expr(nil), true
		if v != nil { // not a field
			begin, isEmpty = s.empty(v)
		}
		switch {
		case !isEmpty:
		case begin == nil && len(lazily) > 0:
			list = append(list, proposal{Message: message, Edits: lazily})
		case begin == nil:
		case s.knownAt(size, begin):
			list = append(list, proposal{Message: message, Edits: []analysis.TextEdit{
				rewrite.Replace(begin, fmt.Sprintf("make(%s, 0, %s)", typ, size)),
			}})
		}
	}
	return list
}

// allocatedFirst returns the edit that allocates a slice before the first element is appended. The slice stays
// nil if nothing is appended. It is none if that cannot be known in advance.
func (s *site) allocatedFirst(stmt *ast.AssignStmt, call *ast.CallExpr, to, typ, size string) []analysis.TextEdit {
	test := to + " == nil"
	if call.Ellipsis.IsValid() {
		more := ast.Unparen(call.Args[1])
		if part, isPart := more.(*ast.SliceExpr); isPart {
			more = part.X
		}
		if id, isIdent := more.(*ast.Ident); isIdent && id.Name == "nil" || s.SideEffects(more) ||
			s.Pass.TypesInfo.Types[more].Value != nil {
			return nil
		}
		test += " && len(" + s.Text(call.Args[1]) + ") > 0"
	}
	return []analysis.TextEdit{
		rewrite.Before(s.Pass, stmt, fmt.Sprintf("if %s {\n%s = make(%s, 0, %s)\n}", test, to, typ, size)),
	}
}

// empty reports whether a local slice begins empty, and returns the literal or call that makes it; nil if
// it begins as nil.
func (s *site) empty(v *types.Var) (begin ast.Expr, ok bool) {
	for _, use := range s.Places[v] {
		if s.Pass.TypesInfo.Defs[sites.IdentOf(use)] != types.Object(v) {
			continue
		}
		switch d := use.Parent().Node().(type) {
		case *ast.ValueSpec:
			if len(d.Values) == 0 {
				return nil, true
			}
			if len(d.Names) == len(d.Values) && use.ParentEdgeKind() == edge.ValueSpec_Names {
				return s.emptySlice(d.Values[use.ParentEdgeIndex()])
			}
		case *ast.AssignStmt:
			if len(d.Lhs) == len(d.Rhs) {
				return s.emptySlice(d.Rhs[use.ParentEdgeIndex()])
			}
		case *ast.Field:
			// A named result begins as nil, a parameter does not.
			return nil, use.Parent().ParentEdgeKind() == edge.FieldList_List &&
				use.Parent().Parent().ParentEdgeKind() == edge.FuncType_Results
		}
	}
	return nil, false
}

// emptySlice reports whether an expression makes an empty slice without a capacity.
func (s *site) emptySlice(e ast.Expr) (ast.Expr, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return e, len(e.Elts) == 0
	case *ast.CallExpr:
		if flow.Builtin(s.Pass.TypesInfo, e) == "make" && len(e.Args) == 2 {
			n, ok := flow.IntConst(s.Pass.TypesInfo, e.Args[1])
			return e, ok && n == 0
		}
	}
	return nil, false
}

// estimate returns the number of iterations of the outermost loop around a statement in which a variable is
// not declared, as source; "" if nothing is known, or for a field, which may outlive the loop.
func (s *site) estimate(c inspector.Cursor, v *types.Var) string {
	size := ""
	if v == nil {
		return ""
	}
	for loop, ok := flow.Loop(c); ok; loop, ok = flow.Loop(loop.Parent()) {
		if n := loop.Node(); n.Pos() <= v.Pos() && v.Pos() < n.End() {
			break
		}
		size = s.iterations(loop)
	}
	return size
}

// iterations returns the expected number of iterations of a loop, as source; "" if it is not known.
func (s *site) iterations(loop inspector.Cursor) string {
	info := s.Pass.TypesInfo
	switch l := loop.Node().(type) {
	case *ast.RangeStmt:
		t := info.TypeOf(l.X)
		if t == nil || flow.Calls(info, l.X) {
			return ""
		}
		if _, isCall := ast.Unparen(l.X).(*ast.CallExpr); isCall {
			return ""
		}
		switch u := t.Underlying().(type) {
		case *types.Slice, *types.Map, *types.Array:
			return "len(" + s.Text(l.X) + ")"
		case *types.Basic:
			if u.Info()&types.IsString != 0 {
				return "len(" + s.Text(l.X) + ")"
			}
		}
	case *ast.ForStmt:
		// for i := 0; i < n; i++
		cond, ok := l.Cond.(*ast.BinaryExpr)
		if !ok || cond.Op != token.LSS && cond.Op != token.LEQ {
			return ""
		}
		length, isCall := ast.Unparen(cond.Y).(*ast.CallExpr)
		if !isCall {
			return ""
		}
		switch flow.Callee(info, length) {
		case "(reflect.Value).Len", "(reflect.Value).NumField", "(reflect.Value).NumMethod":
			return s.Text(length)
		}
		if flow.Builtin(info, length) == "len" && !flow.Calls(info, length) || s.numbered(length) {
			return s.Text(length)
		}
	}
	return ""
}

// numbered reports whether a call is of a method of reflect.Type that returns a number, such as NumField.
func (s *site) numbered(call *ast.CallExpr) bool {
	return strings.HasPrefix(flow.Method(s.Pass.TypesInfo, call), "(reflect.Type).Num")
}

// knownAt reports whether an estimate can be computed where the slice is made: its names are known there.
func (s *site) knownAt(size string, begin ast.Expr) bool {
	if strings.Trim(size, "0123456789") == "" {
		return true
	}
	name, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(size, "len("), ")"), ".")
	obj := rewrite.Lookup(s.Pass, begin.Pos(), name)
	if obj == nil {
		return false
	}
	v, ok := obj.(*types.Var)
	return ok && v.Pos() < begin.Pos()
}

// insertions gives a map that is filled in a loop a size.
func (s *site) insertions() (list []proposal) {
	entries := s.Nodes((*ast.IndexExpr)(nil))
	for _, v := range s.madeMaps() {
		for _, use := range s.Places[v] {
			if use.ParentEdgeKind() == edge.IndexExpr_X {
				entries = append(entries, use.Parent())
			}
		}
	}
	for _, c := range entries {
		x, ok := c.Node().(*ast.IndexExpr)
		if !ok || !flow.IsSet(c) || !sites.IsMap(s.Pass.TypesInfo.TypeOf(x.X)) {
			continue
		}
		v := flow.Variable(s.Pass.TypesInfo, x.X)
		if v == nil {
			continue
		}
		size := s.estimate(c, v)
		if size == "" {
			continue
		}
		for _, use := range s.Places[v] {
			value := s.ValueOf(use, v)
			typ, ok := rewrite.TypeText(s.Pass, x.Pos(), v.Type())
			if value == nil || !ok || !s.emptyMap(value) || !s.knownAt(size, value) {
				continue
			}
			list = append(list, proposal{
				Message: "Allocate " + v.Name() + " for " + size + " entries",
				Edits:   []analysis.TextEdit{rewrite.Replace(value, fmt.Sprintf("make(%s, %s)", typ, size))},
			})
		}
	}
	return list
}

// madeMaps returns the local variables that are declared on the line with an empty map.
func (s *site) madeMaps() (list []*types.Var) {
	for _, c := range s.Nodes((*ast.Ident)(nil)) {
		v, ok := s.Pass.TypesInfo.Defs[sites.IdentOf(c)].(*types.Var)
		if !ok || !sites.IsMap(v.Type()) {
			continue
		}
		if value := s.ValueOf(c, v); value != nil && s.emptyMap(value) {
			list = append(list, v)
		}
	}
	return list
}

// emptyMap reports whether an expression makes a map without a size.
func (s *site) emptyMap(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr:
		return flow.Builtin(s.Pass.TypesInfo, e) == "make" && len(e.Args) == 1
	}
	return false
}

// writes makes a local builder or buffer grow before the loop that writes to it.
func (s *site) writes() (list []proposal) {
	for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
		callee := s.Callee(c)
		if !strings.HasPrefix(callee, "(*strings.Builder).Write") && !strings.HasPrefix(callee, "(*bytes.Buffer).Write") {
			continue
		}
		call, _ := c.Node().(*ast.CallExpr)
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		v := flow.Variable(s.Pass.TypesInfo, sel.X)
		if v == nil || s.grown(v) {
			continue
		}
		if p, ok := s.grownBySum(c, v); ok {
			list = append(list, p)
			continue
		}
		if _, loops := flow.Loop(c); !loops || s.estimate(c, v) == "" {
			if p, ok := s.grownAtFirst(v); ok {
				list = append(list, p)
			}
			continue
		}
		size, outer := s.estimate(c, v), inspector.Cursor{}
		for loop, ok := flow.Loop(c); ok; loop, ok = flow.Loop(loop.Parent()) {
			if n := loop.Node(); n.Pos() <= v.Pos() && v.Pos() < n.End() {
				break
			}
			outer = loop
		}
		if size == "" || !outer.Valid() {
			continue
		}
		stmt, ok := rewrite.Statement(outer)
		if !ok {
			continue
		}
		if !s.isText(outer) {
			size = "8*" + size // of a list of parts
		}
		list = append(list, proposal{
			Message: "Let " + v.Name() + " grow once to " + size + " bytes",
			Edits:   []analysis.TextEdit{rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("%s.Grow(%s)", v.Name(), size))},
		})
	}
	return list
}

// grownBySum makes a builder grow to the sum of what is written to it, where that is several variables, and
// none is written in a loop.
func (s *site) grownBySum(c inspector.Cursor, v *types.Var) (p proposal, ok bool) {
	var terms []string
	var first inspector.Cursor
	constant := 0
	for _, use := range s.Places[v] {
		method, call, ok := flow.Receives(use)
		if !ok || !strings.HasPrefix(method, "Write") {
			continue
		}
		if !first.Valid() {
			first = call
		}
		if _, loops := flow.Loop(call); loops || sites.FunctionOf(call) != sites.FunctionOf(c) {
			return p, false
		}
		x, isCall := call.Node().(*ast.CallExpr)
		if !isCall || len(x.Args) != 1 {
			return p, false
		}
		arg := flow.Variable(s.Pass.TypesInfo, x.Args[0])
		switch text, isConst := flow.StringConst(s.Pass.TypesInfo, x.Args[0]); {
		case isConst:
			constant += len(text)
		case method == "WriteByte" || method == "WriteRune":
			constant++
		case arg != nil && arg.Pos() < first.Node().Pos():
			terms = append(terms, "len("+arg.Name()+")")
		}
	}
	if len(terms) < 2 {
		return p, false
	}
	stmt, ok := rewrite.Statement(first)
	if !ok || v.Pos() >= stmt.Node().Pos() {
		return p, false
	}
	if constant > 0 {
		terms = append(terms, fmt.Sprint(constant))
	}
	size := strings.Join(terms, "+")
	return proposal{
		Message: "Let " + v.Name() + " grow once to " + size + " bytes",
		Edits:   []analysis.TextEdit{rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("%s.Grow(%s)", v.Name(), size))},
	}, true
}

// grown reports whether Grow or Reset is called on a variable, or it is a parameter.
func (s *site) grown(v *types.Var) bool {
	for _, use := range s.Places[v] {
		if method, _, ok := flow.Receives(use); ok && (method == "Grow" || method == "Reset") {
			return true
		}
		if use.ParentEdgeKind() == edge.Field_Names {
			return true
		}
	}
	return false
}

// isText reports whether a loop is over the bytes or characters of a text.
func (s *site) isText(loop inspector.Cursor) bool {
	var of ast.Expr
	switch l := loop.Node().(type) {
	case *ast.RangeStmt:
		of = l.X
	case *ast.ForStmt:
		if cond, ok := l.Cond.(*ast.BinaryExpr); ok {
			if length, ok := ast.Unparen(cond.Y).(*ast.CallExpr); ok && len(length.Args) == 1 {
				of = length.Args[0]
			}
		}
	}
	if of == nil {
		return false
	}
	t := s.Pass.TypesInfo.TypeOf(of)
	basic, ok := t.Underlying().(*types.Basic)
	return sites.IsBytes(t) || ok && basic.Info()&types.IsString != 0
}
