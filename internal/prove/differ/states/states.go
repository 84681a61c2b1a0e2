package states

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Finder finds methods of a package's types.
type Finder struct {
	pkg   *packages.Package
	decls map[*types.Func]*ast.FuncDecl
	known map[*types.Func]*body
}

// A body is what a function does itself.
type body struct {
	changes bool // it assigns to its receiver, or calls something with it
	harmful bool
	fields  []*types.Var  // that it uses
	writes  []*types.Var  // those of its receiver that it assigns to, or whose address it takes
	uses    []*types.Func // of the package
}

// New returns a finder for a package.
func New(pkg *packages.Package) *Finder {
	f := &Finder{pkg: pkg, decls: map[*types.Func]*ast.FuncDecl{}, known: map[*types.Func]*body{}}
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn, ok := pkg.TypesInfo.Defs[d.Name].(*types.Func); ok {
					f.decls[fn] = d
				}
			}
		}
	}
	return f
}

// Methods returns at most most methods to call on values of a receiver's type before a function, which is a method
// of it, or of its generic type.
func (f *Finder) Methods(fn *types.Func, recv types.Type, most int) []*types.Func {
	if _, isPointer := types.Unalias(recv).(*types.Pointer); !isPointer {
		return nil
	}
	used := f.reached(fn.Origin())
	type ranked struct {
		fn     *types.Func
		writes bool // it writes a field that the function uses
		shares int  // the number of fields that both use
	}
	var all []ranked
	for s := range types.NewMethodSet(recv).Methods() {
		m, ok := s.Obj().(*types.Func)
		if !ok || !m.Exported() || m.Name() == fn.Name() || f.decls[m.Origin()] == nil || len(s.Index()) > 1 {
			continue
		}
		if _, isPointer := m.Signature().Recv().Type().(*types.Pointer); !isPointer {
			continue
		}
		does := f.reached(m.Origin())
		if !f.of(m.Origin()).changes || does.harmful {
			continue
		}
		r := ranked{fn: m}
		for field := range does.fields {
			if used.fields[field] {
				r.shares++
			}
			r.writes = r.writes || used.fields[field] && does.writes[field]
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b ranked) int {
		switch {
		case a.writes != b.writes && a.writes:
			return -1
		case a.writes != b.writes:
			return 1
		case a.shares != b.shares:
			return b.shares - a.shares
		}
		return strings.Compare(a.fn.Name(), b.fn.Name())
	})
	var list []*types.Func
	for _, r := range all[:min(len(all), most)] {
		list = append(list, r.fn)
	}
	return list
}

// reach is what a function does, and those of the package that it uses.
type reach struct {
	fields, writes map[*types.Var]bool // that it uses, and of these that it may write
	harmful        bool
}

func (f *Finder) reached(fn *types.Func) reach {
	r := reach{fields: map[*types.Var]bool{}, writes: map[*types.Var]bool{}}
	seen := map[*types.Func]bool{fn: true}
	for queue := []*types.Func{fn}; len(queue) > 0; queue = queue[1:] {
		b := f.of(queue[0])
		r.harmful = r.harmful || b.harmful
		for _, field := range b.fields {
			r.fields[field] = true
		}
		for _, field := range b.writes {
			r.writes[field] = true
		}
		for _, used := range b.uses {
			if !seen[used] {
				seen[used] = true
				queue = append(queue, used)
			}
		}
	}
	return r
}

// of returns what a function of the package does itself.
func (f *Finder) of(fn *types.Func) *body {
	if b, ok := f.known[fn]; ok {
		return b
	}
	b := &body{}
	f.known[fn] = b
	d := f.decls[fn]
	if d == nil || d.Body == nil {
		b.changes = true
		return b
	}
	var recv types.Object
	if d.Recv != nil && len(d.Recv.List) == 1 && len(d.Recv.List[0].Names) == 1 {
		recv = f.pkg.TypesInfo.Defs[d.Recv.List[0].Names[0]]
	}
	isRecv := func(x ast.Expr) bool {
		id := root(x)
		return id != nil && recv != nil && f.pkg.TypesInfo.Uses[id] == recv
	}
	write := func(exprs ...ast.Expr) {
		for _, x := range exprs {
			if isRecv(x) {
				b.changes = true
				b.writes = append(b.writes, f.fieldsOf(x)...)
			}
		}
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.GoStmt:
			b.harmful = true
		case *ast.AssignStmt:
			write(x.Lhs...)
		case *ast.IncDecStmt:
			write(x.X)
		case *ast.UnaryExpr:
			if x.Op == token.AND {
				write(x.X)
			}
		case *ast.CallExpr:
			fun, isMethod := ast.Unparen(x.Fun).(*ast.SelectorExpr)
			b.changes = b.changes || slices.ContainsFunc(x.Args, isRecv) || isMethod && isRecv(fun.X)
		case *ast.Ident:
			f.use(b, f.pkg.TypesInfo.Uses[x])
		}
		return true
	})
	return b
}

// fieldsOf returns the fields that an expression names.
func (f *Finder) fieldsOf(x ast.Expr) (fields []*types.Var) {
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.pkg.TypesInfo.Uses[id].(*types.Var); ok && v.IsField() {
				fields = append(fields, v.Origin())
			}
		}
		return true
	})
	return fields
}

// use adds an object that a function uses.
func (f *Finder) use(b *body, obj types.Object) {
	switch obj := obj.(type) {
	case *types.Var:
		if obj.IsField() {
			b.fields = append(b.fields, obj.Origin())
			return
		}
		_, isFunc := obj.Type().Underlying().(*types.Signature)
		b.harmful = b.harmful || isFunc && obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() // it may be any
	case *types.Func:
		switch {
		case obj.Pkg() != f.pkg.Types:
			b.harmful = b.harmful || harmful(obj)
		case f.decls[obj.Origin()] != nil: // else it is a method of an interface
			b.uses = append(b.uses, obj.Origin())
		}
	}
}

// harmful reports whether a function of another package has effects outside of the program, or depends on time.
func harmful(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch p := fn.Pkg().Path(); p {
	case "os":
		return !slices.Contains([]string{"Getenv", "LookupEnv", "IsNotExist", "IsExist", "IsPermission"}, fn.Name())
	case "net/http":
		return slices.Contains([]string{
			"Get", "Post", "PostForm", "Head", "Do", "RoundTrip", "ListenAndServe", "ListenAndServeTLS", "Serve",
			"ServeTLS", "Shutdown", "Close",
		}, fn.Name())
	case "time":
		return slices.Contains([]string{
			"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer",
		}, fn.Name())
	case "net":
		return strings.HasPrefix(fn.Name(), "Listen") || strings.HasPrefix(fn.Name(), "Dial") ||
			strings.HasPrefix(fn.Name(), "Lookup")
	case "runtime":
		return fn.Name() != "KeepAlive"
	case "os/exec", "os/signal", "os/user", "syscall", "io/ioutil", "database/sql", "plugin", "runtime/debug", "testing":
		return true
	default:
		return strings.HasPrefix(p, "golang.org/x/sys/") || strings.HasPrefix(p, "math/rand") || p == "crypto/rand"
	}
}

// root returns the variable that an expression is a part of; nil if it is none.
func root(x ast.Expr) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return e
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		case *ast.UnaryExpr:
			x = e.X
		case *ast.SliceExpr:
			x = e.X
		default:
			return nil
		}
	}
}
