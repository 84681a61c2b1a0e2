package memory

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// reuseGenerator keeps writers and buffers that a function needs only while it runs in a sync.Pool.
func reuseGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "reuse", Keeps: true, Title: "writer or buffer allocated for each call",
		Why: "a sync.Pool hands the same one to one call after the other",
		Assumes: "nothing that the function calls keeps the writer or buffer, and calls come often enough for the " +
			"garbage collector not to empty the pool in between",
		Kinds: []diagnosis.Kind{
			diagnosis.Allocation, diagnosis.Escape, diagnosis.Compression, diagnosis.Streams, diagnosis.Collection,
			diagnosis.SliceGrowth, diagnosis.Copying, diagnosis.Library, diagnosis.Text,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.constructed() {
				if p, ok := s.pooled(c); ok {
					list = append(list, p)
				}
			}
			for _, v := range s.buffers() {
				if p, ok := s.pooledBuffer(v); ok {
					list = append(list, p)
				}
			}
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if p, ok := s.pooledArray(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// constructed returns the calls that make the writers and readers that are used on the line: some allocate most of
// their memory when they are first written to.
func (s *site) constructed() (list []inspector.Cursor) {
	makes := func(c inspector.Cursor) bool {
		switch s.Callee(c) {
		case "compress/gzip.NewWriter", "compress/zlib.NewWriter", "bufio.NewWriter", "bufio.NewReader":
			return true
		}
		return false
	}
	for _, c := range s.Nodes((*ast.CallExpr)(nil), (*ast.Ident)(nil)) {
		if makes(c) {
			list = append(list, c)
			continue
		}
		v := flow.Variable(s.Pass.TypesInfo, sites.ExprOf(c))
		for _, use := range s.Places[v] {
			if s.ValueOf(use, v) == nil || use.ParentEdgeKind() != edge.AssignStmt_Lhs {
				continue
			}
			if value := use.Parent().ChildAt(edge.AssignStmt_Rhs, use.ParentEdgeIndex()); makes(value) {
				list = append(list, value)
			}
		}
	}
	return list
}

// poolOf is declared for a pool of writers or readers: the name, the function, the type of its parameter, the type,
// and the constructor, which may return its argument instead of a new one unless that is nil.
const poolOf = `// %[1]s are %[4]ss for reuse.
var %[1]s sync.Pool

// %[2]s returns one of %[1]s, or a new one, for x.
func %[2]s(x %[3]s) *%[4]s {
	y, ok := %[1]s.Get().(*%[4]s)
	if !ok {
		y = %[5]s(nil)
	}
	y.Reset(x)
	return y
}`

// pooled takes a writer or reader from a pool in x := New(…), and puts it back when the function returns.
func (s *site) pooled(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return p, false
	}
	v, stmt, ok := s.madeOnce(c)
	if !ok {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !s.staysHere(v, s.Callee(c) != "bufio.NewReader") {
		return p, false
	}
	pointer, ok := v.Type().(*types.Pointer)
	if !ok {
		return p, false
	}
	typ, ok1 := rewrite.TypeText(s.Pass, call.Pos(), pointer.Elem())
	pkg, imports, ok2 := rewrite.Import(s.Pass, call.Pos(), "sync")
	io, more, ok3 := rewrite.Import(s.Pass, call.Pos(), "io")
	if !ok1 || !ok2 || !ok3 || pkg != "sync" {
		return p, false
	}
	_, name, _ := strings.Cut(typ, ".")
	kind := strings.TrimSuffix(s.Text(sel.X), ".") + name // gzipWriter
	pool, function := s.Names.Fresh(kind+"s"), s.Names.Fresh("pooled"+strings.ToUpper(kind[:1])+kind[1:])
	parameter := io + ".Writer"
	if name == "Reader" {
		parameter = io + ".Reader"
	}
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(poolOf, pool, function, parameter, typ, s.Text(sel)))
	if !ok {
		return p, false
	}
	p.Message = "Take the " + typ + " from a pool"
	p.Edits = append(append(imports, more...), declared, rewrite.Replace(call.Fun, function), rewrite.Insert(stmt.End(),
		fmt.Sprintf("\ndefer func() {\n%[1]s.Reset(nil)\n%[2]s.Put(%[1]s)\n}()", v.Name(), pool)))
	return p, true
}

// madeOnce returns the variable and the statement of x := value in a function's own block, outside of loops.
func (s *site) madeOnce(value inspector.Cursor) (v *types.Var, stmt ast.Node, ok bool) {
	id := flow.Defines(value)
	assign, isAssign := value.Parent().Node().(*ast.AssignStmt)
	if id == nil || !isAssign || len(assign.Lhs) != 1 || !flow.InBlock(value.Parent()) || flow.Once(value) {
		return nil, nil, false
	}
	if _, loops := flow.Loop(value); loops {
		return nil, nil, false // a deferred call runs only at the end of the function
	}
	v, ok = s.Pass.TypesInfo.Defs[id].(*types.Var)
	return v, assign, ok
}

// staysHere reports whether nothing but calls sees a variable, which they do not keep. passed allows it as an
// argument.
func (s *site) staysHere(v *types.Var, passed bool) bool {
	home := sites.FunctionOf(s.Places[v][0])
	for _, use := range s.Places[v] {
		if s.Pass.TypesInfo.Defs[sites.IdentOf(use)] == types.Object(v) {
			continue
		}
		if sites.FunctionOf(use) != home {
			return false
		}
		c := use
		if c.ParentEdgeKind() == edge.UnaryExpr_X {
			c = c.Parent() // &x
		}
		if method, call, ok := flow.Receives(c); ok {
			switch call.ParentEdgeKind() {
			case edge.GoStmt_Call, edge.DeferStmt_Call:
				// A deferred call runs before that which puts the value back.
				if call.ParentEdgeKind() == edge.GoStmt_Call {
					return false
				}
			}
			switch method {
			case "Peek", "ReadSlice", "ReadLine", "Buffered", "Next", "AvailableBuffer":
				return false // they return memory of the value
			case "Bytes":
				if !s.readAtOnce(call) {
					return false
				}
			}
			continue
		}
		if c.ParentEdgeKind() != edge.CallExpr_Args || !passed || s.keeps(c.Parent()) {
			return false
		}
	}
	return true
}

// keeps reports whether a call is likely to keep its arguments: it makes something of them that is not used at
// once, runs at the same time, or converts them.
func (s *site) keeps(c inspector.Cursor) bool {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return true
	}
	if _, converts := flow.Conversion(s.Pass.TypesInfo, call); converts || flow.Builtin(s.Pass.TypesInfo, call) != "" {
		return true
	}
	if c.ParentEdgeKind() == edge.GoStmt_Call {
		return true
	}
	name := ""
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if name == "" || strings.HasPrefix(name, "Set") || strings.HasPrefix(name, "With") {
		return true
	}
	makes := strings.HasPrefix(name, "New") || strings.HasPrefix(name, "new")
	return makes && c.ParentEdgeKind() != edge.SelectorExpr_X
}

// readAtOnce reports whether the bytes that a call returns are only copied or written.
func (s *site) readAtOnce(call inspector.Cursor) bool {
	outer, ok := call.Parent().Node().(*ast.CallExpr)
	if !ok || call.ParentEdgeKind() != edge.CallExpr_Args {
		return false
	}
	if to, ok := flow.Conversion(s.Pass.TypesInfo, outer); ok {
		return flow.IsString(to)
	}
	switch flow.Builtin(s.Pass.TypesInfo, outer) {
	case "append":
		return outer.Ellipsis.IsValid() && call.ParentEdgeIndex() > 0
	case "copy":
		return call.ParentEdgeIndex() > 0
	case "len":
		return true
	}
	return strings.HasSuffix(s.Callee(call.Parent()), ").Write") || s.Callee(call.Parent()) == "bytes.Equal"
}

// buffers returns the local bytes.Buffers that are declared or written on the line.
func (s *site) buffers() (list []*types.Var) {
	done := map[*types.Var]bool{}
	for _, c := range s.Nodes((*ast.Ident)(nil)) {
		v := flow.Variable(s.Pass.TypesInfo, sites.ExprOf(c))
		if v == nil || done[v] || strings.TrimPrefix(v.Type().String(), "*") != "bytes.Buffer" {
			continue
		}
		done[v] = true
		list = append(list, v)
	}
	return list
}

// maxPooled is the size in bytes above which a buffer is not put back.
const maxPooled = 64 << 10

// pooledBuffer takes a buffer from a pool where it is declared: var x bytes.Buffer, x := new(bytes.Buffer), or
// x := &bytes.Buffer{}.
func (s *site) pooledBuffer(v *types.Var) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	var stmt ast.Node
	var typ string
	for _, use := range s.Places[v] {
		if info.Defs[sites.IdentOf(use)] != types.Object(v) {
			continue
		}
		if _, loops := flow.Loop(use); loops {
			return p, false
		}
		switch d := use.Parent().Node().(type) {
		case *ast.ValueSpec:
			outer, ok := rewrite.Statement(use)
			if !ok || len(d.Names) != 1 || len(d.Values) > 0 || d.Type == nil || !flow.InBlock(outer) {
				return p, false
			}
			stmt, typ = outer.Node(), s.Text(d.Type)
		case *ast.AssignStmt:
			if len(d.Lhs) != 1 || d.Tok != token.DEFINE || !flow.InBlock(use.Parent()) {
				return p, false
			}
			stmt = d
			switch value := ast.Unparen(d.Rhs[0]).(type) {
			case *ast.CallExpr:
				if flow.Builtin(info, value) != "new" {
					return p, false
				}
				typ = s.Text(value.Args[0])
			case *ast.UnaryExpr:
				lit, ok := value.X.(*ast.CompositeLit)
				if !ok || len(lit.Elts) > 0 || lit.Type == nil {
					return p, false
				}
				typ = s.Text(lit.Type)
			}
		}
	}
	if stmt == nil || typ == "" || !s.staysHere(v, true) || rewrite.HasComment(s.Pass, stmt.Pos(), stmt.End()) {
		return p, false
	}
	pkg, imports, ok := rewrite.Import(s.Pass, stmt.Pos(), "sync")
	if !ok || !rewrite.Predeclared(s.Pass, stmt.Pos(), "new", "any") {
		return p, false
	}
	pool := s.Names.Fresh("bufferPool")
	hoisted, ok := rewrite.Hoist(s.Pass, stmt.Pos(), pool, pool+" has buffers for reuse.",
		fmt.Sprintf("%s.Pool{New: func() any { return new(%s) }}", pkg, typ))
	if !ok {
		return p, false
	}
	const taken = `%[1]s, _ := %[2]s.Get().(*%[3]s)
defer func() {
	if %[1]s.Cap() <= %[4]d {
		%[1]s.Reset()
		%[2]s.Put(%[1]s)
	}
}()`
	p.Message = "Take the buffer from a pool"
	p.Edits = append(imports, hoisted,
		rewrite.Replace(stmt, fmt.Sprintf(taken, v.Name(), pool, typ, maxPooled)))
	for _, use := range s.Places[v] {
		if u, ok := use.Parent().Node().(*ast.UnaryExpr); ok && u.Op == token.AND {
			p.Edits = append(p.Edits, rewrite.Replace(u, v.Name()))
		}
	}
	return p, true
}

// minArray is the size in bytes of slices for which a pool is worth it.
const minArray = 1 << 10

// pooledArray takes the memory of x := make([]byte, n) from a pool, where n is constant, and the bytes are only
// read and written.
func (s *site) pooledArray(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || flow.Builtin(info, call) != "make" || len(call.Args) != 2 || !sites.IsBytes(info.TypeOf(call)) {
		return p, false
	}
	n, isConst := flow.IntConst(info, call.Args[1])
	v, stmt, ok := s.madeOnce(c)
	if !isConst || n < minArray || n > 1<<24 || !ok || rewrite.HasComment(s.Pass, stmt.Pos(), stmt.End()) ||
		!flow.Since(s.Pass, call.Pos(), "go1.21") ||
		!rewrite.Predeclared(s.Pass, call.Pos(), "new", "any", "clear", "byte") ||
		!types.Identical(info.TypeOf(call), types.NewSlice(types.Typ[types.Byte])) || s.outlives(v) {
		return p, false
	}
	for _, use := range s.Places[v] {
		at := use
		for at.ParentEdgeKind() == edge.SliceExpr_X {
			at = at.Parent()
		}
		if at.ParentEdgeKind() != edge.CallExpr_Args {
			continue
		}
		if outer, ok := at.Parent().Node().(*ast.CallExpr); ok && !s.onlyFills(at.Parent(), outer) {
			return p, false
		}
	}
	pkg, imports, ok := rewrite.Import(s.Pass, call.Pos(), "sync")
	if !ok {
		return p, false
	}
	pool := s.Names.Fresh("arrayPool")
	array := fmt.Sprintf("[%d]byte", n)
	hoisted, ok := rewrite.Hoist(s.Pass, call.Pos(), pool, pool+" has arrays for reuse.",
		fmt.Sprintf("%s.Pool{New: func() any { return new(%s) }}", pkg, array))
	if !ok {
		return p, false
	}
	local := s.Locals.Fresh(call.Pos(), "array")
	p.Message = "Take the memory from a pool"
	p.Edits = append(imports, hoisted, rewrite.Replace(stmt, fmt.Sprintf(
		"%[1]s, _ := %[2]s.Get().(*%[3]s)\ndefer %[2]s.Put(%[1]s)\n%[4]s := %[1]s[:]\nclear(%[4]s)",
		local, pool, array, v.Name())))
	return p, true
}

// onlyFills reports whether a call reads or writes the bytes that it is given, and does not keep them: a Read or
// Write method, or a function of the standard library for both.
func (s *site) onlyFills(c inspector.Cursor, call *ast.CallExpr) bool {
	info := s.Pass.TypesInfo
	if to, ok := flow.Conversion(info, call); ok {
		return flow.IsString(to)
	}
	switch flow.Builtin(info, call) {
	case "len", "cap", "copy", "clear", "min", "max":
		return true
	case "append":
		return call.Ellipsis.IsValid()
	}
	switch name := s.Callee(c); name {
	case "io.ReadFull", "io.ReadAtLeast", "io.CopyBuffer", "bytes.Equal", "bytes.IndexByte", "bytes.Index",
		"bytes.Contains":
		return true
	default:
		for _, method := range []string{").Read", ").ReadAt", ").Write", ").ReadFrom", ").WriteAt"} {
			if strings.HasSuffix(name, method) {
				return true
			}
		}
	}
	return false
}
