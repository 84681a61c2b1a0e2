package repeated

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// invariantGenerator evaluates calls and conversions before a loop that does not change their operands.
func invariantGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "invariant", Title: "the same value computed in each iteration of a loop",
		Why: "the loop does not set what the value is computed from",
		Assumes: "nothing that the loop calls changes the operands, and the value can be computed even if the loop " +
			"does not run",
		Kinds: []diagnosis.Kind{
			diagnosis.Formatting, diagnosis.Conversion, diagnosis.Text, diagnosis.Allocation, diagnosis.Concatenation,
			diagnosis.HTTP, diagnosis.MapAccess, diagnosis.Reflection, diagnosis.Library, diagnosis.Interface,
		},
		Propose: visit(func(s *site) (list []proposal) {
			var end token.Pos // of the last value
			for _, c := range s.Nodes((*ast.CallExpr)(nil), (*ast.BinaryExpr)(nil)) {
				e, ok := c.Node().(ast.Expr)
				if !ok || e.Pos() < end {
					continue
				}
				if p, ok := s.beforeLoop(c, e); ok {
					end = e.End()
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// beforeLoop moves an expression before the innermost loop around it.
func (s *site) beforeLoop(c inspector.Cursor, e ast.Expr) (p proposal, ok bool) {
	loop, ok := flow.Loop(c)
	if !ok || !s.isInvariant(loop, e) || rewrite.HasComment(s.Pass, e.Pos(), e.End()) || s.in(c, edge.CallExpr_Fun) {
		return p, false
	}
	if sites.IsBytes(s.Pass.TypesInfo.TypeOf(e)) && !s.onlyRead(c) {
		return p, false // whoever gets the bytes may change or keep them
	}
	if !immutable(s.Pass.TypesInfo.TypeOf(e)) {
		return p, false
	}
	stmt, ok := rewrite.Statement(loop)
	if !ok {
		return p, false
	}
	name := s.Locals.Fresh(e.Pos(), nameFor(e))
	return proposal{
		Message: "Compute " + sites.Shortened(s.Text(e)) + " once, before the loop",
		Edits: []analysis.TextEdit{
			rewrite.Before(s.Pass, stmt.Node(), name+" := "+s.Text(e)), rewrite.Replace(e, name),
		},
	}, true
}

// in reports whether a node is in a position of its parent.
func (s *site) in(c inspector.Cursor, k edge.Kind) bool {
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	return c.ParentEdgeKind() == k
}

// isInvariant reports whether an expression does work, and whether neither the loop's own statements set
// what it is computed from, nor evaluating it has side effects.
func (s *site) isInvariant(loop inspector.Cursor, e ast.Expr) bool {
	info := s.Pass.TypesInfo
	if info.Types[e].Value != nil || !s.works(e) {
		return false
	}
	steady := true
	ast.Inspect(e, func(n ast.Node) bool {
		if !steady {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			steady = s.isPure(n)
		case *ast.SelectorExpr:
			if sel := info.Selections[n]; sel != nil && sel.Kind() == types.FieldVal {
				_, isSlice := info.TypeOf(n).Underlying().(*types.Slice) // whose elements may be set
				steady = !isSlice && !s.SetsField(loop, n)
			}
		case *ast.Ident:
			if v, ok := info.ObjectOf(n).(*types.Var); ok && !v.IsField() {
				steady = s.Unset(loop, v) && s.onlyReads(loop, v)
			}
		case *ast.BasicLit, *ast.ParenExpr, *ast.ArrayType, nil:
		case *ast.BinaryExpr:
			steady = n.Op == token.ADD
		case *ast.StarExpr:
			steady = false
		default:
			steady = false
		}
		return steady
	})
	return steady
}

// onlyReads reports whether a loop does not change what a slice refers to: it reads elements, and passes the
// slice only to what just computes. It is true for all types but slices.
func (s *site) onlyReads(loop inspector.Cursor, v *types.Var) bool {
	if _, isSlice := v.Type().Underlying().(*types.Slice); !isSlice {
		return true
	}
	for _, use := range flow.Uses(s.Pass.TypesInfo, loop, v) {
		switch use.ParentEdgeKind() {
		case edge.RangeStmt_X:
		case edge.IndexExpr_X:
			if flow.IsSet(use.Parent()) || flow.Addresses(s.Pass.TypesInfo, use.Parent()) {
				return false
			}
		case edge.CallExpr_Args:
			call, ok := use.Parent().Node().(*ast.CallExpr)
			if !ok || !s.isPure(call) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// works reports whether evaluating an expression does more than reading memory: a call other than len, a
// conversion that copies, or a concatenation.
func (s *site) works(e ast.Expr) bool {
	info := s.Pass.TypesInfo
	switch e := e.(type) {
	case *ast.BinaryExpr:
		t, ok := info.TypeOf(e).Underlying().(*types.Basic)
		return ok && e.Op == token.ADD && t.Info()&types.IsString != 0
	case *ast.CallExpr:
		if to, ok := flow.Conversion(info, e); ok {
			return copies(info.TypeOf(e.Args[0]), to)
		}
		return flow.Builtin(info, e) == ""
	}
	return false
}

// copies reports whether a conversion copies text.
func copies(from, to types.Type) bool {
	_, fromSlice := from.Underlying().(*types.Slice)
	_, toSlice := to.Underlying().(*types.Slice)
	return fromSlice != toSlice
}

// isPure reports whether a call only computes something of its operands: functions of the standard library
// that depend on their arguments, conversions, and String methods.
func (s *site) isPure(call *ast.CallExpr) bool {
	info := s.Pass.TypesInfo
	if _, ok := flow.Conversion(info, call); ok {
		return true
	}
	if b := flow.Builtin(info, call); b != "" {
		return b == "len" || b == "min" || b == "max"
	}
	if call.Ellipsis.IsValid() {
		return false
	}
	if s.reflects(call) {
		return true
	}
	switch flow.Callee(info, call) {
	case "fmt.Sprintf", "fmt.Sprint", "reflect.TypeOf", "path/filepath.Join", "path/filepath.Clean", "path/filepath.Base",
		"path/filepath.Ext", "path/filepath.Dir", "bytes.ToLower", "bytes.ToUpper",
		"(net/http.Header).Get", "(net/url.Values).Get", "(time.Duration).String", "(*net/url.URL).String",
		"(*net/url.URL).Hostname", "(*net/url.URL).Port", "(*net/url.URL).EscapedPath":
		return true
	}
	return !flow.Calls(info, call) || s.isPureHere(call)
}

// reflects reports whether a call only describes a value or a type of package reflect, of whichever kind that is.
func (s *site) reflects(call *ast.CallExpr) bool {
	switch flow.Method(s.Pass.TypesInfo, call) {
	case "(reflect.Value).Kind", "(reflect.Value).Type", "(reflect.Value).CanAddr", "(reflect.Value).CanInterface",
		"(reflect.Value).CanSet", "(reflect.Value).IsValid", "(reflect.Value).NumMethod",
		"(reflect.Type).Kind", "(reflect.Type).Name", "(reflect.Type).String", "(reflect.Type).PkgPath",
		"(reflect.Type).Implements", "(reflect.Type).AssignableTo", "(reflect.Type).ConvertibleTo",
		"(reflect.Type).NumMethod", "(reflect.Type).Comparable", "(reflect.Type).Size":
		return true
	}
	return flow.Callee(s.Pass.TypesInfo, call) == "reflect.ValueOf"
}

// isPureHere reports whether a call is of a function of the package that only computes something.
func (s *site) isPureHere(call *ast.CallExpr) bool {
	fn := s.Code.Funcs[flow.Callee(s.Pass.TypesInfo, call)]
	return fn != nil && s.Code.PureFunction(fn)
}

// onlyRead reports whether bytes are an argument of a function that only reads them.
func (s *site) onlyRead(c inspector.Cursor) bool {
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	if c.ParentEdgeKind() != edge.CallExpr_Args {
		return false
	}
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok {
		return false
	}
	switch flow.Builtin(s.Pass.TypesInfo, call) {
	case "append":
		return call.Ellipsis.IsValid() && c.ParentEdgeIndex() > 0
	case "copy":
		return c.ParentEdgeIndex() > 0
	}
	name := s.Callee(c.Parent())
	switch strings.TrimPrefix(name, "bytes.") {
	case "Contains", "HasPrefix", "HasSuffix", "Equal", "Compare", "Index", "LastIndex", "Count", "EqualFold":
		return true
	}
	return strings.HasSuffix(name, ").Write")
}

// immutable reports whether a value can be shared: strings, numbers, and what package reflect returns; bytes, if they
// are only read.
func immutable(t types.Type) bool {
	if sites.IsBytes(t) {
		return true
	}
	switch t.String() {
	case "reflect.Type", "reflect.Value":
		return true
	}
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// loadGenerator reads a slice, map or pointer that is a field once before a loop.
func loadGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "load", Title: "field read again in each iteration of a loop",
		Why:     "a local variable can stay in a register, and its length is known to the compiler",
		Assumes: "nothing that the loop calls sets the field, and the field can be read even if the loop does not run",
		Kinds:   []diagnosis.Kind{diagnosis.Own, diagnosis.MapAccess, diagnosis.Copying},
		Propose: visit(func(s *site) (list []proposal) {
			done := map[string]bool{}
			for _, c := range s.Nodes((*ast.SelectorExpr)(nil)) {
				sel, ok := c.Node().(*ast.SelectorExpr)
				if !ok || done[s.Text(sel)] || !s.indexed(c) {
					continue
				}
				done[s.Text(sel)] = true
				if p, ok := s.loadBefore(c, sel); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// indexed reports whether a selector is a slice, map or pointer whose element is accessed, or a slice whose length is.
func (s *site) indexed(c inspector.Cursor) bool {
	if c.ParentEdgeKind() == edge.CallExpr_Args {
		call, ok := c.Parent().Node().(*ast.CallExpr)
		_, isSlice := s.Pass.TypesInfo.TypeOf(sites.ExprOf(c)).Underlying().(*types.Slice)
		return ok && isSlice && flow.Builtin(s.Pass.TypesInfo, call) == "len"
	}
	if c.ParentEdgeKind() != edge.IndexExpr_X {
		return false
	}
	switch s.Pass.TypesInfo.TypeOf(sites.ExprOf(c)).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer:
		return true
	}
	return false
}

// loadBefore reads a field before the innermost loop, and uses the variable in the whole loop.
func (s *site) loadBefore(c inspector.Cursor, sel *ast.SelectorExpr) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	loop, ok := flow.Loop(c)
	root := flow.Variable(info, sel.X)
	if s := info.Selections[sel]; !ok || root == nil || s == nil || s.Kind() != types.FieldVal {
		return p, false
	}
	if !s.Unset(loop, root) || s.SetsField(loop, sel) || s.passesOn(loop, root) {
		return p, false
	}
	stmt, ok := rewrite.Statement(loop)
	if !ok {
		return p, false
	}
	name := s.Locals.Fresh(sel.Pos(), sites.Lowered(sel.Sel.Name))
	p.Message = "Read " + s.Text(sel) + " once, before the loop"
	p.Edits = append(p.Edits, rewrite.Before(s.Pass, stmt.Node(), name+" := "+s.Text(sel)))
	for use := range loop.Preorder((*ast.SelectorExpr)(nil)) {
		if e, ok := use.Node().(*ast.SelectorExpr); ok && flow.Same(info, e, sel) {
			p.Edits = append(p.Edits, rewrite.Replace(e, name))
		}
	}
	return p, true
}

// passesOn reports whether a loop calls a method of a variable, or passes the variable on: then a field of
// it is likely to be set.
func (s *site) passesOn(loop inspector.Cursor, v *types.Var) bool {
	for _, use := range flow.Uses(s.Pass.TypesInfo, loop, v) {
		if _, _, ok := flow.Receives(use); ok {
			sel, isSelector := use.Parent().Node().(*ast.SelectorExpr)
			if !isSelector {
				return true
			}
			if x := s.Pass.TypesInfo.Selections[sel]; x == nil || x.Kind() != types.FieldVal {
				return true
			}
			continue
		}
		if use.ParentEdgeKind() != edge.SelectorExpr_X {
			return true
		}
	}
	return false
}

// lookupGenerator reads an entry of a map once where the code reads it several times.
func lookupGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "lookup", Title: "map entry looked up several times",
		Why:     "each access hashes the key and searches the map",
		Assumes: "nothing between the accesses changes the map or the key, and the first access is always needed",
		Kinds:   []diagnosis.Kind{diagnosis.MapAccess, diagnosis.Hashing},
		Propose: visit(func(s *site) (list []proposal) {
			done := map[string]bool{}
			for _, c := range s.Nodes((*ast.IndexExpr)(nil)) {
				x, ok := c.Node().(*ast.IndexExpr)
				if !ok || done[s.Text(x)] || !sites.IsMap(s.Pass.TypesInfo.TypeOf(x.X)) {
					continue
				}
				done[s.Text(x)] = true
				if p, ok := s.lookUpOnce(c, x); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// lookUpOnce reads an entry into a variable: before the loop, if the loop changes neither map nor key, else
// before the first of several accesses in a block.
func (s *site) lookUpOnce(c inspector.Cursor, x *ast.IndexExpr) (p proposal, ok bool) {
	fn, ok := flow.Func(c)
	if !ok || flow.Calls(s.Pass.TypesInfo, x) || rewrite.HasComment(s.Pass, x.Pos(), x.End()) {
		return p, false
	}
	within := fn
	loop, loops := flow.Loop(c)
	if loops {
		within = loop
	}
	uses, set := s.accesses(within, x)
	if set || !slices.ContainsFunc(uses, func(u inspector.Cursor) bool { return u.Node() == x }) {
		return p, false
	}
	name := s.Locals.Fresh(x.Pos(), "entry")
	var before ast.Node
	if loops && s.steadyIn(loop, x) {
		stmt, ok := rewrite.Statement(loop)
		if !ok {
			return p, false
		}
		before, p.Message = stmt.Node(), "Look "+sites.Shortened(s.Text(x))+" up once, before the loop"
	} else {
		if len(uses) < 2 {
			return p, false
		}
		block, first, end, ok := s.commonBlock(uses)
		if !ok || !s.steadyBetween(block, x, first.Pos(), end) {
			return p, false
		}
		before, p.Message = first, "Look "+sites.Shortened(s.Text(x))+" up once"
	}
	p.Edits = append(p.Edits, rewrite.Before(s.Pass, before, fmt.Sprintf("%s := %s", name, s.Text(x))))
	for _, use := range uses {
		p.Edits = append(p.Edits, rewrite.Replace(use.Node(), name))
	}
	return p, true
}

// accesses returns the reads of an entry within a node, in source order, but for those with comma ok and in
// closures. set reports whether the map is changed there.
func (s *site) accesses(within inspector.Cursor, x *ast.IndexExpr) (uses []inspector.Cursor, set bool) {
	home := sites.FunctionOf(within)
	for c := range within.Preorder((*ast.IndexExpr)(nil), (*ast.CallExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.CallExpr:
			if b := flow.Builtin(s.Pass.TypesInfo, n); (b == "delete" || b == "clear") && s.Text(n.Args[0]) == s.Text(x.X) {
				return nil, true
			}
		case *ast.IndexExpr:
			if s.Text(n.X) != s.Text(x.X) {
				continue
			}
			if flow.IsSet(c) {
				return nil, true
			}
			f, ok := flow.Func(c)
			if s.Text(n) == s.Text(x) && ok && f == home && !sites.CommaOk(c) {
				uses = append(uses, c)
			}
		}
	}
	return uses, false
}

// steadyIn reports whether a loop sets neither the map nor the key of an access.
func (s *site) steadyIn(loop inspector.Cursor, x *ast.IndexExpr) bool {
	return s.variables(x, func(v *types.Var, sel *ast.SelectorExpr) bool {
		if sel != nil {
			return !s.SetsField(loop, sel)
		}
		return s.Unset(loop, v)
	})
}

// variables reports whether a condition holds for all variables and fields of an expression.
func (s *site) variables(x ast.Expr, holds func(v *types.Var, sel *ast.SelectorExpr) bool) bool {
	ok := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if sel := s.Pass.TypesInfo.Selections[n]; sel != nil && sel.Kind() == types.FieldVal {
				ok = ok && holds(nil, n)
			}
		case *ast.Ident:
			if v, isVar := s.Pass.TypesInfo.ObjectOf(n).(*types.Var); isVar && !v.IsField() {
				ok = ok && holds(v, nil)
			}
		}
		return ok
	})
	return ok
}

// commonBlock returns the innermost block around all uses, its statement with the first one, and the end of
// that with the last one.
func (s *site) commonBlock(uses []inspector.Cursor) (block inspector.Cursor, first ast.Node, end token.Pos, ok bool) {
	last := uses[len(uses)-1].Node().End()
	for b := range uses[0].Enclosing((*ast.BlockStmt)(nil)) {
		body, isBlock := b.Node().(*ast.BlockStmt)
		if !isBlock || last > body.End() {
			continue
		}
		switch b.ParentEdgeKind() {
		case edge.SwitchStmt_Body, edge.TypeSwitchStmt_Body, edge.SelectStmt_Body:
			continue
		}
		for _, stmt := range body.List {
			if stmt.Pos() <= uses[0].Node().Pos() && uses[0].Node().End() <= stmt.End() {
				first = stmt
			}
			if first != nil && last <= stmt.End() {
				return b, first, stmt.End(), true // all of it, because it may be a loop
			}
		}
	}
	return block, nil, token.NoPos, false
}

// steadyBetween reports whether nothing in a block sets the map or the key of an access between two
// positions, and both are declared before.
func (s *site) steadyBetween(block inspector.Cursor, x ast.Expr, from, to token.Pos) bool {
	return s.variables(x, func(v *types.Var, sel *ast.SelectorExpr) bool {
		if sel != nil {
			return !s.SetsField(block, sel)
		}
		if from <= v.Pos() && v.Pos() < to {
			return false
		}
		for _, use := range s.Places[v] {
			at := use.Node().Pos()
			if (flow.IsSet(use) || flow.Addresses(s.Pass.TypesInfo, use)) && from <= at && at < to {
				return false
			}
		}
		return true
	})
}

// recomputeGenerator computes a value once where a function computes it several times.
func recomputeGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "recompute", Title: "the same value computed several times in a function",
		Why:     "nothing in the function sets what the value is computed from",
		Assumes: "no call in between changes the operands, and the first value is always needed",
		Kinds: []diagnosis.Kind{
			diagnosis.Formatting, diagnosis.Conversion, diagnosis.Text, diagnosis.Allocation, diagnosis.Concatenation,
			diagnosis.Library, diagnosis.Own, diagnosis.Hashing, diagnosis.Encoding, diagnosis.Copying, diagnosis.SliceGrowth,
			diagnosis.Reflection, diagnosis.Interface, diagnosis.Escape,
		},
		Propose: visit(func(s *site) (list []proposal) {
			var end token.Pos // of the last value
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				call, ok := c.Node().(*ast.CallExpr)
				if !ok || call.Pos() < end {
					continue
				}
				if p, ok := s.computeOnce(c, call); ok {
					end = call.End()
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// computeOnce computes the value of a call before the first of several equal calls in a block.
func (s *site) computeOnce(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	t := s.Pass.TypesInfo.TypeOf(call)
	if !s.works(call) || !s.isPure(call) || t == nil || sites.IsBytes(t) || !immutable(t) ||
		rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
		return p, false
	}
	for _, a := range call.Args {
		if other, ok := ast.Unparen(a).(*ast.CallExpr); ok && !s.isPure(other) {
			return p, false
		}
	}
	within := sites.FunctionOf(c)
	if loop, ok := flow.Loop(c); ok {
		within = loop
	}
	var uses []inspector.Cursor
	for other := range within.Preorder((*ast.CallExpr)(nil)) {
		if other.ParentEdgeKind() == edge.ExprStmt_X || sites.FunctionOf(other) != sites.FunctionOf(c) {
			continue
		}
		if s.Text(other.Node()) == s.Text(call) {
			uses = append(uses, other)
		}
	}
	if len(uses) < 2 {
		return p, false
	}
	block, first, end, ok := s.commonBlock(uses)
	if !ok || !s.steadyBetween(block, call, first.Pos(), end) {
		return p, false
	}
	name := s.Locals.Fresh(call.Pos(), nameFor(call))
	p.Message = "Compute " + sites.Shortened(s.Text(call)) + " once"
	p.Edits = append(p.Edits, rewrite.Before(s.Pass, first, name+" := "+s.Text(call)))
	for _, use := range uses {
		p.Edits = append(p.Edits, rewrite.Replace(use.Node(), name))
	}
	return p, true
}

// nameFor returns a name for the value of an expression.
func nameFor(e ast.Expr) string {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return "text"
	}
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.ArrayType:
		return "data"
	case *ast.Ident:
		if f.Name == "string" {
			return "text"
		}
	case *ast.SelectorExpr:
		return sites.Lowered(f.Sel.Name)
	}
	return "value"
}
