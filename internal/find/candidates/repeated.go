package candidates

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
)

// invariantGenerator evaluates calls and conversions before a loop that does not change their operands.
func invariantGenerator() *Generator {
	return &Generator{
		Name: "invariant", Title: "the same value computed in each iteration of a loop",
		Why: "the loop does not set what the value is computed from",
		Assumes: "nothing that the loop calls changes the operands, and the value can be computed even if the loop " +
			"does not run",
		Kinds: []diagnosis.Kind{
			diagnosis.Formatting, diagnosis.Conversion, diagnosis.Text, diagnosis.Allocation, diagnosis.Concatenation,
			diagnosis.HTTP, diagnosis.MapAccess, diagnosis.Reflection, diagnosis.Library, diagnosis.Interface,
		},
		propose: func(s *site) (list []proposal) {
			var end token.Pos // of the last value
			for _, c := range s.nodes((*ast.CallExpr)(nil), (*ast.BinaryExpr)(nil)) {
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
		},
	}
}

// beforeLoop moves an expression before the innermost loop around it.
func (s *site) beforeLoop(c inspector.Cursor, e ast.Expr) (p proposal, ok bool) {
	loop, ok := flow.Loop(c)
	if !ok || !s.isInvariant(loop, e) || rewrite.HasComment(s.pass, e.Pos(), e.End()) || s.in(c, edge.CallExpr_Fun) {
		return p, false
	}
	if isBytes(s.pass.TypesInfo.TypeOf(e)) && !s.onlyRead(c) {
		return p, false // whoever gets the bytes may change or keep them
	}
	if !immutable(s.pass.TypesInfo.TypeOf(e)) {
		return p, false
	}
	stmt, ok := rewrite.Statement(loop)
	if !ok {
		return p, false
	}
	name := s.locals.Fresh(e.Pos(), nameFor(e))
	return proposal{
		"Compute " + shortened(s.text(e)) + " once, before the loop",
		[]analysis.TextEdit{
			rewrite.Before(s.pass, stmt.Node(), name+" := "+s.text(e)), rewrite.Replace(e, name),
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
	info := s.pass.TypesInfo
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
				steady = !s.setsField(loop, n)
			}
		case *ast.Ident:
			if v, ok := info.ObjectOf(n).(*types.Var); ok && !v.IsField() {
				steady = s.unset(loop, v)
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

// works reports whether evaluating an expression does more than reading memory: a call other than len, a
// conversion that copies, or a concatenation.
func (s *site) works(e ast.Expr) bool {
	info := s.pass.TypesInfo
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
	info := s.pass.TypesInfo
	if _, ok := flow.Conversion(info, call); ok {
		return true
	}
	if b := flow.Builtin(info, call); b != "" {
		return b == "len" || b == "min" || b == "max"
	}
	if call.Ellipsis.IsValid() {
		return false
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

// isPureHere reports whether a call is of a function of the package that only computes something.
func (s *site) isPureHere(call *ast.CallExpr) bool {
	fn := s.code.Funcs[flow.Callee(s.pass.TypesInfo, call)]
	return fn != nil && s.code.PureFunction(fn)
}

// unset reports whether the statements of a loop do not set a variable, and it is declared outside.
func (s *site) unset(loop inspector.Cursor, v *types.Var) bool {
	n := loop.Node()
	if n.Pos() <= v.Pos() && v.Pos() < n.End() {
		return false
	}
	for _, use := range s.places[v] {
		at := use.Node().Pos()
		if (flow.IsSet(use) || flow.Addresses(s.pass.TypesInfo, use)) && n.Pos() <= at && at < n.End() {
			return false
		}
	}
	return true
}

// setsField reports whether a loop sets the field of a selector, of whichever value, or takes its address.
func (s *site) setsField(loop inspector.Cursor, sel *ast.SelectorExpr) bool {
	field := s.pass.TypesInfo.ObjectOf(sel.Sel)
	for c := range loop.Preorder((*ast.SelectorExpr)(nil)) {
		other, ok := c.Node().(*ast.SelectorExpr)
		if ok && s.pass.TypesInfo.ObjectOf(other.Sel) == field &&
			(flow.IsSet(c) || flow.Addresses(s.pass.TypesInfo, c)) {
			return true
		}
	}
	return false
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
	switch flow.Builtin(s.pass.TypesInfo, call) {
	case "append":
		return call.Ellipsis.IsValid() && c.ParentEdgeIndex() > 0
	case "copy":
		return c.ParentEdgeIndex() > 0
	}
	name := s.callee(c.Parent())
	switch strings.TrimPrefix(name, "bytes.") {
	case "Contains", "HasPrefix", "HasSuffix", "Equal", "Compare", "Index", "LastIndex", "Count", "EqualFold":
		return true
	}
	return strings.HasSuffix(name, ").Write")
}

// immutable reports whether a value can be shared: strings, numbers, and the types of package reflect; bytes,
// if they are only read.
func immutable(t types.Type) bool {
	if isBytes(t) {
		return true
	}
	if t.String() == "reflect.Type" {
		return true
	}
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// loadGenerator reads a slice, map or pointer that is a field once before a loop.
func loadGenerator() *Generator {
	return &Generator{
		Name: "load", Title: "field read again in each iteration of a loop",
		Why:     "a local variable can stay in a register, and its length is known to the compiler",
		Assumes: "nothing that the loop calls sets the field, and the field can be read even if the loop does not run",
		Kinds:   []diagnosis.Kind{diagnosis.Own, diagnosis.MapAccess, diagnosis.Copying},
		propose: func(s *site) (list []proposal) {
			done := map[string]bool{}
			for _, c := range s.nodes((*ast.SelectorExpr)(nil)) {
				sel, ok := c.Node().(*ast.SelectorExpr)
				if !ok || done[s.text(sel)] || !s.indexed(c) {
					continue
				}
				done[s.text(sel)] = true
				if p, ok := s.loadBefore(c, sel); ok {
					list = append(list, p)
				}
			}
			return list
		},
	}
}

// indexed reports whether a selector is a slice, map or pointer whose element is accessed.
func (s *site) indexed(c inspector.Cursor) bool {
	if c.ParentEdgeKind() != edge.IndexExpr_X {
		return false
	}
	switch s.pass.TypesInfo.TypeOf(exprOf(c)).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer:
		return true
	}
	return false
}

func exprOf(c inspector.Cursor) ast.Expr {
	e, _ := c.Node().(ast.Expr)
	return e
}

// loadBefore reads a field before the innermost loop, and uses the variable in the whole loop.
func (s *site) loadBefore(c inspector.Cursor, sel *ast.SelectorExpr) (p proposal, ok bool) {
	info := s.pass.TypesInfo
	loop, ok := flow.Loop(c)
	root := flow.Variable(info, sel.X)
	if s := info.Selections[sel]; !ok || root == nil || s == nil || s.Kind() != types.FieldVal {
		return p, false
	}
	if !s.unset(loop, root) || s.setsField(loop, sel) || s.passesOn(loop, root) {
		return p, false
	}
	stmt, ok := rewrite.Statement(loop)
	if !ok {
		return p, false
	}
	name := s.locals.Fresh(sel.Pos(), lowered(sel.Sel.Name))
	p.message = "Read " + s.text(sel) + " once, before the loop"
	p.edits = append(p.edits, rewrite.Before(s.pass, stmt.Node(), name+" := "+s.text(sel)))
	for use := range loop.Preorder((*ast.SelectorExpr)(nil)) {
		if e, ok := use.Node().(*ast.SelectorExpr); ok && flow.Same(info, e, sel) {
			p.edits = append(p.edits, rewrite.Replace(e, name))
		}
	}
	return p, true
}

// passesOn reports whether a loop calls a method of a variable, or passes the variable on: then a field of
// it is likely to be set.
func (s *site) passesOn(loop inspector.Cursor, v *types.Var) bool {
	for _, use := range flow.Uses(s.pass.TypesInfo, loop, v) {
		if _, _, ok := flow.Receives(use); ok {
			sel, isSelector := use.Parent().Node().(*ast.SelectorExpr)
			if !isSelector {
				return true
			}
			if x := s.pass.TypesInfo.Selections[sel]; x == nil || x.Kind() != types.FieldVal {
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
func lookupGenerator() *Generator {
	return &Generator{
		Name: "lookup", Title: "map entry looked up several times",
		Why:     "each access hashes the key and searches the map",
		Assumes: "nothing between the accesses changes the map or the key, and the first access is always needed",
		Kinds:   []diagnosis.Kind{diagnosis.MapAccess, diagnosis.Hashing},
		propose: func(s *site) (list []proposal) {
			done := map[string]bool{}
			for _, c := range s.nodes((*ast.IndexExpr)(nil)) {
				x, ok := c.Node().(*ast.IndexExpr)
				if !ok || done[s.text(x)] || !isMap(s.pass.TypesInfo.TypeOf(x.X)) {
					continue
				}
				done[s.text(x)] = true
				if p, ok := s.lookUpOnce(c, x); ok {
					list = append(list, p)
				}
			}
			return list
		},
	}
}

func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// lookUpOnce reads an entry into a variable: before the loop, if the loop changes neither map nor key, else
// before the first of several accesses in a block.
func (s *site) lookUpOnce(c inspector.Cursor, x *ast.IndexExpr) (p proposal, ok bool) {
	fn, ok := flow.Func(c)
	if !ok || flow.Calls(s.pass.TypesInfo, x) || rewrite.HasComment(s.pass, x.Pos(), x.End()) {
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
	name := s.locals.Fresh(x.Pos(), "entry")
	var before ast.Node
	if loops && s.steadyIn(loop, x) {
		stmt, ok := rewrite.Statement(loop)
		if !ok {
			return p, false
		}
		before, p.message = stmt.Node(), "Look "+shortened(s.text(x))+" up once, before the loop"
	} else {
		if len(uses) < 2 {
			return p, false
		}
		block, first, ok := s.commonBlock(uses)
		if !ok || !s.steadyBetween(block, x, first.Pos(), uses[len(uses)-1].Node().End()) {
			return p, false
		}
		before, p.message = first, "Look "+shortened(s.text(x))+" up once"
	}
	p.edits = append(p.edits, rewrite.Before(s.pass, before, fmt.Sprintf("%s := %s", name, s.text(x))))
	for _, use := range uses {
		p.edits = append(p.edits, rewrite.Replace(use.Node(), name))
	}
	return p, true
}

// accesses returns the reads of an entry within a node, in source order, but for those with comma ok and in
// closures. set reports whether the map is changed there.
func (s *site) accesses(within inspector.Cursor, x *ast.IndexExpr) (uses []inspector.Cursor, set bool) {
	home := functionOf(within)
	for c := range within.Preorder((*ast.IndexExpr)(nil), (*ast.CallExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.CallExpr:
			if b := flow.Builtin(s.pass.TypesInfo, n); (b == "delete" || b == "clear") && s.text(n.Args[0]) == s.text(x.X) {
				return nil, true
			}
		case *ast.IndexExpr:
			if s.text(n.X) != s.text(x.X) {
				continue
			}
			if flow.IsSet(c) {
				return nil, true
			}
			f, ok := flow.Func(c)
			if s.text(n) == s.text(x) && ok && f == home && !commaOk(c) {
				uses = append(uses, c)
			}
		}
	}
	return uses, false
}

// functionOf returns the function that runs a node: the node itself, if it is one.
func functionOf(c inspector.Cursor) inspector.Cursor {
	switch c.Node().(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		return c
	}
	f, _ := flow.Func(c)
	return f
}

// commaOk reports whether an access of a map also returns whether there is an entry.
func commaOk(c inspector.Cursor) bool {
	switch s := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		return len(s.Lhs) == 2 && len(s.Rhs) == 1
	case *ast.ValueSpec:
		return len(s.Names) == 2 && len(s.Values) == 1
	}
	return false
}

// steadyIn reports whether a loop sets neither the map nor the key of an access.
func (s *site) steadyIn(loop inspector.Cursor, x *ast.IndexExpr) bool {
	return s.variables(x, func(v *types.Var, sel *ast.SelectorExpr) bool {
		if sel != nil {
			return !s.setsField(loop, sel)
		}
		return s.unset(loop, v)
	})
}

// variables reports whether a condition holds for all variables and fields of an expression.
func (s *site) variables(x ast.Expr, holds func(v *types.Var, sel *ast.SelectorExpr) bool) bool {
	ok := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if sel := s.pass.TypesInfo.Selections[n]; sel != nil && sel.Kind() == types.FieldVal {
				ok = ok && holds(nil, n)
			}
		case *ast.Ident:
			if v, isVar := s.pass.TypesInfo.ObjectOf(n).(*types.Var); isVar && !v.IsField() {
				ok = ok && holds(v, nil)
			}
		}
		return ok
	})
	return ok
}

// commonBlock returns the innermost block around all uses, and its statement with the first one.
func (s *site) commonBlock(uses []inspector.Cursor) (block inspector.Cursor, first ast.Node, ok bool) {
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
				return b, stmt, true
			}
		}
	}
	return block, nil, false
}

// steadyBetween reports whether nothing in a block sets the map or the key of an access between two
// positions, and both are declared before.
func (s *site) steadyBetween(block inspector.Cursor, x ast.Expr, from, to token.Pos) bool {
	return s.variables(x, func(v *types.Var, sel *ast.SelectorExpr) bool {
		if sel != nil {
			return !s.setsField(block, sel)
		}
		if from <= v.Pos() && v.Pos() < to {
			return false
		}
		for _, use := range s.places[v] {
			at := use.Node().Pos()
			if (flow.IsSet(use) || flow.Addresses(s.pass.TypesInfo, use)) && from <= at && at < to {
				return false
			}
		}
		return true
	})
}

// recomputeGenerator computes a value once where a function computes it several times.
func recomputeGenerator() *Generator {
	return &Generator{
		Name: "recompute", Title: "the same value computed several times in a function",
		Why:     "nothing in the function sets what the value is computed from",
		Assumes: "no call in between changes the operands, and the first value is always needed",
		Kinds: []diagnosis.Kind{
			diagnosis.Formatting, diagnosis.Conversion, diagnosis.Text, diagnosis.Allocation, diagnosis.Concatenation,
			diagnosis.Library, diagnosis.Own, diagnosis.Hashing, diagnosis.Encoding, diagnosis.Copying, diagnosis.SliceGrowth,
		},
		propose: func(s *site) (list []proposal) {
			var end token.Pos // of the last value
			for _, c := range s.nodes((*ast.CallExpr)(nil)) {
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
		},
	}
}

// computeOnce computes the value of a call before the first of several equal calls in a block.
func (s *site) computeOnce(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	t := s.pass.TypesInfo.TypeOf(call)
	if !s.works(call) || !s.isPure(call) || t == nil || isBytes(t) || !immutable(t) ||
		rewrite.HasComment(s.pass, call.Pos(), call.End()) {
		return p, false
	}
	for _, a := range call.Args {
		if other, ok := ast.Unparen(a).(*ast.CallExpr); ok && !s.isPure(other) {
			return p, false
		}
	}
	within := functionOf(c)
	if loop, ok := flow.Loop(c); ok {
		within = loop
	}
	var uses []inspector.Cursor
	for other := range within.Preorder((*ast.CallExpr)(nil)) {
		if other.ParentEdgeKind() == edge.ExprStmt_X || functionOf(other) != functionOf(c) {
			continue
		}
		if s.text(other.Node()) == s.text(call) {
			uses = append(uses, other)
		}
	}
	if len(uses) < 2 {
		return p, false
	}
	block, first, ok := s.commonBlock(uses)
	if !ok || !s.steadyBetween(block, call, first.Pos(), uses[len(uses)-1].Node().End()) {
		return p, false
	}
	name := s.locals.Fresh(call.Pos(), nameFor(call))
	p.message = "Compute " + shortened(s.text(call)) + " once"
	p.edits = append(p.edits, rewrite.Before(s.pass, first, name+" := "+s.text(call)))
	for _, use := range uses {
		p.edits = append(p.edits, rewrite.Replace(use.Node(), name))
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
		return lowered(f.Sel.Name)
	}
	return "value"
}

// lowered returns a name that is not exported.
func lowered(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// shortened returns the beginning of source, for a message.
func shortened(source string) string {
	source = strings.Join(strings.Fields(source), " ")
	if r := []rune(source); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return source
}
