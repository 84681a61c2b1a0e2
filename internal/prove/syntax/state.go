package syntax

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A state is a variable that outlives a call: of the package, or a field of a receiver or argument.
type state struct {
	variable string // of the package; or else
	owner    string // the type of the package that has
	field    string
}

func (s state) String() string {
	if s.variable != "" {
		return "variable " + s.variable
	}
	return "field " + s.owner + "." + s.field
}

// A writer is how a function writes to a state.
type writer struct {
	fn      *function
	keyed   bool // by index
	scratch bool // it is emptied first: x[:0], Reset or clear
	matched bool // it is compared with something
}

// statesWritten returns what functions write that outlives their calls.
func (s *source) statesWritten(functions []*function) map[state]*writer {
	all := map[state]*writer{}
	for _, fn := range functions {
		w := &stateWalk{source: s, fn: fn, roots: map[types.Object]root{}, found: all}
		w.addRoots(fn.decl.Recv)
		w.addRoots(fn.decl.Type.Params)
		w.walk(fn.decl.Body)
	}
	return all
}

// A root is a receiver or a parameter whose type is one of the package.
type root struct {
	owner   string
	pointer bool
}

// A stateWalk finds the states that a function writes.
type stateWalk struct {
	*source
	fn      *function
	roots   map[types.Object]root
	aliases map[types.Object]state // local variables that refer to a state
	found   map[state]*writer
}

func (w *stateWalk) addRoots(fields *ast.FieldList) {
	if fields == nil {
		return
	}
	for _, f := range fields.List {
		t, pointer := f.Type, false
		if star, ok := t.(*ast.StarExpr); ok {
			t, pointer = star.X, true
		}
		if x, ok := t.(*ast.IndexExpr); ok {
			t = x.X
		}
		id, ok := t.(*ast.Ident)
		if !ok || w.types[id.Name] == nil {
			continue
		}
		for _, name := range f.Names {
			if obj := w.info.Defs[name]; obj != nil {
				w.roots[obj] = root{id.Name, pointer}
			}
		}
	}
}

// walk adds what a function's body writes. Locals that refer to a state count as the state.
func (w *stateWalk) walk(body ast.Node) {
	w.aliases = map[types.Object]state{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			w.assign(n)
		case *ast.IncDecStmt:
			w.write(n.X)
		case *ast.CallExpr:
			return w.call(n)
		case *ast.BinaryExpr:
			w.compared(n)
		case *ast.SliceExpr:
			if high, ok := n.High.(*ast.BasicLit); ok && n.Low == nil && high.Value == "0" {
				w.note(n.X, func(c *writer) { c.scratch = true })
			}
		}
		return true
	})
}

func (w *stateWalk) assign(n *ast.AssignStmt) {
	for i, lhs := range n.Lhs {
		id, ok := lhs.(*ast.Ident)
		if !ok {
			w.write(lhs)
			continue
		}
		if obj, local := w.isLocal(id); !local {
			w.write(lhs)
		} else if len(n.Lhs) == len(n.Rhs) || i == 0 {
			w.alias(obj, n.Rhs[min(i, len(n.Rhs)-1)])
		}
	}
}

// alias records that a local variable refers to a state: it is a pointer to it, or was loaded from it.
func (w *stateWalk) alias(obj types.Object, value ast.Expr) {
	if t, ok := value.(*ast.TypeAssertExpr); ok {
		value = t.X
	}
	switch v := value.(type) {
	case *ast.UnaryExpr:
		if st, ok, _ := w.stateOf(v.X); v.Op == token.AND && ok {
			w.aliases[obj] = st
		}
	case *ast.CallExpr:
		if sel, ok := v.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Load" || sel.Sel.Name == "Get") {
			if st, ok, _ := w.stateOf(sel.X); ok {
				w.aliases[obj] = st
			}
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		if st, ok, _ := w.stateOf(value); ok && w.refers(st) {
			w.aliases[obj] = st
		}
	}
}

// refers reports whether a state is a map, a slice or a pointer, as far as its declaration shows.
func (w *stateWalk) refers(st state) bool {
	switch t := w.typeOf(st).(type) {
	case *ast.MapType, *ast.StarExpr:
		return true
	case *ast.ArrayType:
		return t.Len == nil
	}
	return false
}

// typeOf returns the declared type of a state, or its initial value's type; nil if neither is plain.
func (w *stateWalk) typeOf(st state) ast.Expr {
	if st.variable != "" {
		v := w.variables[st.variable]
		if v == nil {
			return nil
		}
		spec := v.spec
		if spec.Type != nil {
			return spec.Type
		}
		for i, name := range spec.Names {
			if name.Name == st.variable && i < len(spec.Values) {
				return typeOfValue(spec.Values[i])
			}
		}
		return nil
	}
	spec := w.types[st.owner]
	if spec == nil {
		return nil
	}
	if t, ok := spec.Type.(*ast.StructType); ok {
		for _, f := range t.Fields.List {
			for _, name := range f.Names {
				if name.Name == st.field {
					return f.Type
				}
			}
		}
	}
	return nil
}

func typeOfValue(v ast.Expr) ast.Expr {
	switch v := v.(type) {
	case *ast.CompositeLit:
		return v.Type
	case *ast.UnaryExpr:
		if lit, ok := v.X.(*ast.CompositeLit); ok {
			return &ast.StarExpr{X: lit.Type}
		}
	case *ast.CallExpr:
		if id, ok := v.Fun.(*ast.Ident); ok && len(v.Args) > 0 {
			switch id.Name {
			case "make":
				return v.Args[0]
			case "new":
				return &ast.StarExpr{X: v.Args[0]}
			}
		}
	}
	return nil
}

// call adds what a call writes, and reports whether to look into it.
func (w *stateWalk) call(n *ast.CallExpr) bool {
	for _, arg := range n.Args {
		if p, ok := arg.(*ast.UnaryExpr); ok && p.Op == token.AND {
			w.write(p.X)
		}
	}
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		if len(n.Args) > 0 && (fun.Name == "delete" || fun.Name == "clear" || fun.Name == "copy") {
			w.write(n.Args[0])
			if fun.Name == "clear" {
				w.note(n.Args[0], func(c *writer) { c.scratch = true })
			}
		}
	case *ast.SelectorExpr:
		if fun.Sel.Name == "Do" && len(n.Args) == 1 && w.constant(n.Args[0]) {
			return false // a sync.Once that depends on nothing of the call
		}
		if fun.Sel.Name == "Reset" {
			w.note(fun.X, func(c *writer) { c.scratch = true })
		}
		if mutates(fun.Sel.Name) || w.ownWriters()[fun.Sel.Name] {
			w.write(fun.X)
		}
	}
	return true
}

// mutates reports whether a method of that name writes to its receiver in most packages.
func mutates(method string) bool {
	switch method {
	case "Store", "LoadOrStore", "LoadAndDelete", "Swap", "CompareAndSwap", "Do", "Add", "Put", "Set", "Insert", "Push",
		"PushBack", "PushFront", "Remove", "Delete", "Append", "Write", "WriteString", "WriteByte", "WriteRune", "Reset",
		"Grow", "Truncate", "Seed":
		return true
	}
	return false
}

// ownWriters returns the names of the package's methods that write to their receivers.
func (s *source) ownWriters() map[string]bool {
	if s.writers != nil {
		return s.writers
	}
	s.writers = map[string]bool{} // while they are looked for, too
	found := map[string]bool{}
	for _, fn := range s.functions {
		if fn.decl.Recv == nil {
			continue
		}
		w := &stateWalk{source: s, fn: fn, roots: map[types.Object]root{}, found: map[state]*writer{}}
		w.addRoots(fn.decl.Recv)
		w.walk(fn.decl.Body)
		for st := range w.found {
			if st.variable == "" {
				found[fn.decl.Name.Name] = true
			}
		}
	}
	s.writers = found
	return found
}

// constant reports whether a function literal uses neither parameters nor locals of the function
// that has it.
func (w *stateWalk) constant(arg ast.Expr) bool {
	lit, ok := arg.(*ast.FuncLit)
	if !ok {
		id, ok := arg.(*ast.Ident)
		return ok && w.isOwn(id)
	}
	free := true
	ast.Inspect(lit, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj, local := w.isLocal(id); local && (obj.Pos() < lit.Pos() || obj.Pos() > lit.End()) {
				free = false
			}
		}
		return free
	})
	return free
}

// compared notes a state that is compared with something else than nil or a literal.
func (w *stateWalk) compared(n *ast.BinaryExpr) {
	if n.Op != token.EQL && n.Op != token.NEQ {
		return
	}
	for _, pair := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
		id, isIdent := pair[1].(*ast.Ident)
		if _, isLit := pair[1].(*ast.BasicLit); isLit || isIdent && id.Name == "nil" {
			continue
		}
		w.note(pair[0], func(c *writer) { c.matched = true })
	}
}

// write adds a write to an expression, if it is a state.
func (w *stateWalk) write(e ast.Expr) {
	st, ok, keyed := w.stateOf(e)
	if !ok {
		return
	}
	w.note(e, func(c *writer) {
		if c.fn == nil {
			c.fn = w.fn
		}
		c.keyed = c.keyed || keyed && !w.isList(st)
	})
}

// isList reports whether a state is declared as a slice or an array.
func (w *stateWalk) isList(st state) bool {
	_, ok := w.typeOf(st).(*ast.ArrayType)
	return ok
}

// note has something known about the state of an expression, if it is one.
func (w *stateWalk) note(e ast.Expr, what func(*writer)) {
	st, ok, _ := w.stateOf(e)
	if !ok {
		return
	}
	if w.found[st] == nil {
		w.found[st] = &writer{}
	}
	what(w.found[st])
}

// stateOf returns the state that an expression is, or is a part of; keyed is set if it is reached by
// an index.
func (w *stateWalk) stateOf(e ast.Expr) (st state, ok, keyed bool) {
	through := false // a field, an element or what a pointer points to
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e, keyed, through = x.X, true, true
		case *ast.SliceExpr:
			e, through = x.X, true
		case *ast.StarExpr:
			e, through = x.X, true
		case *ast.TypeAssertExpr:
			e = x.X
		case *ast.SelectorExpr:
			if id, isIdent := x.X.(*ast.Ident); isIdent {
				if r, isRoot := w.roots[w.info.ObjectOf(id)]; isRoot {
					st = state{owner: r.owner, field: x.Sel.Name}
					return st, r.pointer || through, keyed
				}
			}
			e, through = x.X, true
		case *ast.Ident:
			if obj, local := w.isLocal(x); local {
				st, ok = w.aliases[obj]
				return st, ok && through, keyed
			}
			return state{variable: x.Name}, w.variables[x.Name] != nil && w.isOwn(x), keyed
		default:
			return st, false, false
		}
	}
}

// Reasons for a review of state.
const (
	whyKept = "state that is stored between calls speeds up a benchmark that repeats its inputs, takes memory, " +
		"and may be used by several goroutines"
	whyShared = "methods only read the type before: concurrent calls, which were safe, may now race"
)

// newStates returns the states that functions of b write and no function of a does, as suspects.
func newStates(a, b *source) (list []Suspect) {
	all := slices.Collect(maps.Values(a.functions))
	before := a.statesWritten(all)
	after := b.statesWritten(b.changed(a))
	walk := &stateWalk{source: b}
	for _, st := range slices.SortedFunc(maps.Keys(after), func(x, y state) int {
		return strings.Compare(x.String(), y.String())
	}) {
		w := after[st]
		if w.fn == nil || before[st] != nil && before[st].fn != nil {
			continue
		}
		why := ""
		switch t := walk.typeOf(st); {
		case st.variable != "" && isPool(t):
		case st.variable != "":
			why = whyKept
		case a.types[st.owner] == nil: // a type that is new
		case keeps(t) || w.keyed && !w.scratch || w.matched:
			why = whyKept
		case !ownsState(before, st.owner) && !oneGoroutine(b.docs[st.owner]):
			why = whyShared
		}
		if why != "" {
			what := fmt.Sprintf("%s between calls of %s", st, w.fn.name)
			list = append(list, Suspect{File: w.fn.file, What: what, Why: why})
		}
	}
	return list
}

func isPool(t ast.Expr) bool { return t != nil && strings.HasSuffix(types.ExprString(t), "sync.Pool") }

// keeps reports whether results can be stored in values of a type.
func keeps(t ast.Expr) bool {
	if t == nil {
		return false
	}
	if _, ok := t.(*ast.MapType); ok {
		return true
	}
	text := strings.TrimPrefix(types.ExprString(t), "*")
	switch text {
	case "sync.Map", "sync.Once", "atomic.Value":
		return true
	}
	return strings.HasPrefix(text, "atomic.Pointer[")
}

// ownsState reports whether some method writes to a field of a type.
func ownsState(written map[state]*writer, owner string) bool {
	for st, w := range written {
		if st.owner == owner && w.fn != nil && w.fn.decl.Recv != nil {
			return true
		}
	}
	return false
}

var singleUse = regexp.MustCompile(`(?is)\bnot\b[^.]*\b(concurren\w*|goroutines?|parallel|threads?)\b`)

// oneGoroutine reports whether a type is documented as not safe for concurrent use.
func oneGoroutine(doc string) bool { return singleUse.MatchString(doc) }

// keptByClosures returns the new package-level variables of b whose functions keep variables
// between calls.
func keptByClosures(a, b *source) (list []Suspect) {
	for _, name := range slices.Sorted(maps.Keys(b.variables)) {
		v := b.variables[name]
		if a.variables[name] == nil && writesCaptured(b, v.spec) {
			list = append(list, Suspect{
				File: v.file, What: "variable " + name + " between its calls", Why: whyKept,
			})
		}
	}
	return list
}

// writesCaptured reports whether a function literal in a declaration writes to a variable of another
// one around it.
func writesCaptured(s *source, spec *ast.ValueSpec) (found bool) {
	var inside []*ast.FuncLit
	captured := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
			case *ast.SelectorExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.Ident:
				if obj, local := s.isLocal(x); local && len(inside) > 1 {
					lit := inside[len(inside)-1]
					found = found || obj.Pos() < lit.Pos() || obj.Pos() > lit.End()
				}
				return
			default:
				return
			}
		}
	}
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				inside = append(inside, n)
				visit(n.Body)
				inside = inside[:len(inside)-1]
				return false
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					for _, lhs := range n.Lhs {
						captured(lhs)
					}
				}
			case *ast.IncDecStmt:
				captured(n.X)
			}
			return true
		})
	}
	for _, v := range spec.Values {
		visit(v)
	}
	return found
}
