package advice

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/find/syntax"
	"github.com/whet-go/whet/unit"
)

// Minimum growth that is reported. Heap profiles have a sample for each half a megabyte.
const (
	minGrown      = 256 << 10
	minGrownShare = 0.02
)

// A container is a map or slice that outlives the call and that goroutines share: a package
// variable, or a field of a struct with a lock, or one that is guarded by a lock. A field of other
// structs may be one of many that are small.
type container struct {
	object types.Object
	name   string // as written in the source
	isMap  bool
	feeds  []feed
	// shrinks is set where entries are removed, or the container is replaced or passed on, so that
	// it may.
	shrinks bool
}

// A feed is a statement that adds to a container.
type feed struct {
	f    *syntax.File
	fn   *syntax.Function
	stmt *ast.AssignStmt
	keys ast.Expr   // of a map; nil for a slice
	adds []ast.Expr // what is added
}

// growth finds maps and slices that only grow, and whose entries the heap profile sees growing.
func growth(e *evidence) []Advice {
	if e.in.Heap == nil || e.heap.total <= 0 {
		return nil
	}
	var all []Advice
	for _, c := range containers(e.code) {
		if c.shrinks || len(c.feeds) == 0 {
			continue
		}
		lines := map[syntax.Line]*syntax.Function{}
		for _, fd := range c.feeds {
			sources(e.code, lines, fd)
		}
		var grown int64
		byFeed := map[syntax.Line]int64{}
		for _, s := range e.heap.list {
			if s.main || !feeds(e.code, lines, &s.path) {
				continue
			}
			grown += s.value
			for _, at := range s.own {
				byFeed[at] += s.value
			}
		}
		share := e.heap.share(grown)
		if grown < minGrown || share < minGrownShare {
			continue
		}
		fd := slices.MaxFunc(c.feeds, func(a, b feed) int {
			return cmp.Compare(byFeed[a.f.At(a.stmt.Pos())], byFeed[b.f.At(b.stmt.Pos())])
		})
		at := fd.f.At(fd.stmt.Pos())
		a := Advice{
			Kind: Growth, Place: e.place(at, ""), Share: min(1, share), Of: ofGrowth,
			Title: "slice that only grows",
			Do:    "keep the last ones (a ring of fixed size), or write them elsewhere",
			Evidence: fmt.Sprintf("%v of the live heap's growth in this recording belongs to %s, %s of it",
				unit.Bytes(grown), c.name, percent(share)),
		}
		if c.isMap {
			a.Title = "map that only grows"
			a.Do = "limit the number of entries (least recently used, by age), or remove those that are done"
			a.Evidence += "; nothing in its package removes an entry"
		} else {
			a.Evidence += "; nothing in its package shortens it"
		}
		if w := e.in.Window; w > 0 {
			a.Evidence += fmt.Sprintf("; that is %v per hour", unit.Bytes(float64(grown)/w.Hours()))
		}
		for _, src := range sortedKeys(lines, func(l syntax.Line) syntax.Line { return l }) {
			if src != at && byFeed[src] >= grown/4 && len(a.Also) < 2 {
				a.Also = append(a.Also, e.place(src, "what it keeps is allocated here"))
			}
		}
		all = append(all, a)
	}
	return all
}

// feeds reports whether a path goes through one of the lines. For a line with an argument of a
// function, what that function does itself does not count.
func feeds(c *syntax.Code, lines map[syntax.Line]*syntax.Function, p *path) bool {
	for i, at := range p.own {
		if fn, ok := lines[at]; ok && (fn == nil || i == 0 || c.FunctionAt(p.own[i-1]) != fn) {
			return true
		}
	}
	return false
}

// containers returns the maps and slices in fields and package variables that code adds to.
func containers(c *syntax.Code) []*container {
	found := map[types.Object]*container{}
	var order []*container
	get := func(f *syntax.File, x ast.Expr) *container {
		o := f.Object(x)
		if o == nil || !syntax.Global(o) && !syntax.IsField(o) {
			return nil
		}
		one := found[o]
		if one == nil {
			_, isMap := o.Type().Underlying().(*types.Map)
			if _, isSlice := o.Type().Underlying().(*types.Slice); !isMap && !isSlice {
				return nil
			}
			one = &container{object: o, name: syntax.Text(x), isMap: isMap}
			found[o] = one
			order = append(order, one)
		}
		return one
	}
	for _, f := range c.List {
		for _, d := range f.Syntax.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			obj, _ := f.Info().Defs[decl.Name].(*types.Func)
			var fn *syntax.Function
			if obj != nil {
				fn = c.Funcs[obj.FullName()]
			}
			setup := syntax.Constructs(decl.Name.Name)
			ast.Inspect(decl.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					assigned(c, f, fn, n, setup, get)
				case *ast.CallExpr:
					passed(c, f, n, get)
				case *ast.UnaryExpr:
					if n.Op == token.AND {
						if one := get(f, n.X); one != nil {
							one.shrinks = true
						}
					}
				}
				return true
			})
		}
	}
	return order
}

// assigned records what an assignment does to containers.
func assigned(
	c *syntax.Code, f *syntax.File, fn *syntax.Function, s *ast.AssignStmt, setup bool,
	get func(*syntax.File, ast.Expr) *container,
) {
	for i, left := range s.Lhs {
		if x, ok := ast.Unparen(left).(*ast.IndexExpr); ok {
			if one := get(f, x.X); one != nil && one.isMap && !setup && f.Info().Types[x.Index].Value == nil &&
				shared(c, f, x.X, s) {
				fd := feed{f: f, fn: fn, stmt: s, keys: x.Index}
				if len(s.Rhs) == len(s.Lhs) {
					fd.adds = []ast.Expr{s.Rhs[i]}
				}
				one.feeds = append(one.feeds, fd)
			}
			continue
		}
		one := get(f, left)
		if one == nil {
			continue
		}
		if len(s.Rhs) != len(s.Lhs) {
			one.shrinks = true
			continue
		}
		if call, ok := ast.Unparen(s.Rhs[i]).(*ast.CallExpr); ok && syntax.IsBuiltin(f, call, "append") &&
			f.Object(call.Args[0]) == one.object {
			if !setup && shared(c, f, left, s) {
				one.feeds = append(one.feeds, feed{f: f, fn: fn, stmt: s, adds: call.Args[1:]})
			}
			continue
		}
		if !setup && !lazy(f, fn, s, one) {
			one.shrinks = true
		}
	}
}

// shared reports whether goroutines share a container: it is a package variable, its struct has a
// lock, or a lock is held where it changes.
func shared(c *syntax.Code, f *syntax.File, x ast.Expr, s *ast.AssignStmt) bool {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok || syntax.Global(f.Object(x)) {
		return true
	}
	t := f.Info().TypeOf(sel.X)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if u, ok := t.Underlying().(*types.Struct); ok {
		for i := range u.NumFields() {
			switch types.TypeString(u.Field(i).Type(), nil) {
			case "sync.Mutex", "sync.RWMutex", "*sync.Mutex", "*sync.RWMutex":
				return true
			}
		}
	}
	at := f.At(s.Pos())
	return slices.ContainsFunc(c.Sections(), func(s syntax.Section) bool { return s.Has(at) })
}

// lazy reports whether an assignment sets up a container that is nil.
func lazy(f *syntax.File, fn *syntax.Function, s *ast.AssignStmt, one *container) bool {
	if fn == nil {
		return false
	}
	found := false
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		if i, ok := n.(*ast.IfStmt); ok && i.Body.Pos() <= s.Pos() && s.End() <= i.Body.End() {
			if b, ok := ast.Unparen(i.Cond).(*ast.BinaryExpr); ok && b.Op == token.EQL && syntax.Text(b.Y) == "nil" &&
				f.Object(b.X) == one.object {
				found = true
			}
		}
		return !found
	})
	return found
}

// passed records what a call may do to a container.
func passed(c *syntax.Code, f *syntax.File, call *ast.CallExpr, get func(*syntax.File, ast.Expr) *container) {
	name := f.CalleeName(call)
	for _, arg := range call.Args {
		one := get(f, arg)
		if one == nil {
			continue
		}
		switch {
		case empties(f, call), strings.HasPrefix(name, "maps.DeleteFunc"):
			one.shrinks = true
		case name == "" || strings.HasPrefix(name, "slices.") || strings.HasPrefix(name, "maps.") ||
			strings.HasPrefix(name, "sort.") || strings.HasPrefix(name, "encoding/"):
		default:
			// A function that takes a map may remove entries of it.
			if fn := c.Called(f, call); fn != nil && one.isMap {
				one.shrinks = one.shrinks || removes(fn)
			}
		}
	}
}

// empties reports whether a call removes entries of a map.
func empties(f *syntax.File, call *ast.CallExpr) bool {
	return syntax.IsBuiltin(f, call, "delete") || syntax.IsBuiltin(f, call, "clear")
}

// removes reports whether a function deletes from any map.
func removes(fn *syntax.Function) bool {
	found := false
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && empties(fn.File, call) {
			found = true
		}
		return !found
	})
	return found
}

// sources adds the lines on which what a feed adds is allocated: the feed itself, and where the
// variables that it adds get their values, in this function and, for parameters, in the callers.
func sources(c *syntax.Code, lines map[syntax.Line]*syntax.Function, fd feed) {
	for n := fd.f.LineOf(fd.stmt.Pos()); n <= fd.f.LineOf(fd.stmt.End()); n++ {
		lines[syntax.Line{File: fd.f.Name, Line: n}] = nil
	}
	if fd.fn == nil {
		return
	}
	var from []ast.Expr
	if fd.keys != nil {
		from = append(from, fd.keys)
	}
	origins(c, lines, fd.f, fd.fn, append(from, fd.adds...), 2)
}

// origins adds the lines on which the variables in expressions are set.
func origins(
	c *syntax.Code, lines map[syntax.Line]*syntax.Function, f *syntax.File, fn *syntax.Function, from []ast.Expr,
	depth int,
) {
	vars := map[types.Object]bool{}
	for _, x := range from {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr: // of a value that is kept in part
				return false
			case *ast.Ident:
				if v, ok := f.Info().Uses[n].(*types.Var); ok && !v.IsField() && !syntax.Global(v) && holds(v.Type()) {
					vars[v] = true
				}
			}
			return true
		})
	}
	if len(vars) == 0 || depth == 0 {
		return
	}
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for _, left := range s.Lhs {
			if o := f.Object(left); o != nil && vars[o] {
				for n := f.LineOf(s.Pos()); n <= f.LineOf(s.End()) && n <= f.LineOf(s.Pos())+8; n++ {
					lines[syntax.Line{File: f.Name, Line: n}] = nil
				}
			}
		}
		return true
	})
	sig := fn.Obj.Signature()
	for i := range sig.Params().Len() {
		if vars[sig.Params().At(i)] {
			arguments(c, lines, fn, i, depth-1)
		}
	}
}

// arguments adds the lines on which an argument of a function's calls is made.
func arguments(c *syntax.Code, lines map[syntax.Line]*syntax.Function, fn *syntax.Function, n, depth int) {
	for _, f := range c.List {
		for _, d := range f.Syntax.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			ast.Inspect(decl.Body, func(node ast.Node) bool {
				call, ok := node.(*ast.CallExpr)
				if !ok || len(call.Args) <= n || c.Called(f, call) != fn {
					return true
				}
				arg := call.Args[n]
				if tv := f.Info().Types[arg]; tv.Value != nil {
					return true
				}
				if at := f.At(arg.Pos()); lines[at] == nil {
					lines[at] = fn
				}
				if obj, ok := f.Info().Defs[decl.Name].(*types.Func); ok {
					if caller := c.Funcs[obj.FullName()]; caller != nil {
						origins(c, lines, f, caller, []ast.Expr{arg}, depth)
					}
				}
				return true
			})
		}
	}
}

// holds reports whether values of a type refer to memory: others keep nothing alive.
func holds(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Signature, *types.Chan:
		return false
	}
	name := types.TypeString(t, nil)
	return name != "context.Context" && name != "*net/http.Request" && name != "error" &&
		!strings.HasPrefix(name, "*sync.")
}
