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
	used, _ := f.reached(fn.Origin())
	type ranked struct {
		fn     *types.Func
		shares int // the number of fields that both use
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
		fields, harmful := f.reached(m.Origin())
		if !f.of(m.Origin()).changes || harmful {
			continue
		}
		shares := 0
		for field := range fields {
			if used[field] {
				shares++
			}
		}
		all = append(all, ranked{m, shares})
	}
	slices.SortFunc(all, func(a, b ranked) int {
		if a.shares != b.shares {
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

// reached returns the fields that a function and those of the package that it uses mention, and whether one may do
// harm.
func (f *Finder) reached(fn *types.Func) (fields map[*types.Var]bool, harmful bool) {
	fields = map[*types.Var]bool{}
	seen := map[*types.Func]bool{fn: true}
	for queue := []*types.Func{fn}; len(queue) > 0; queue = queue[1:] {
		b := f.of(queue[0])
		harmful = harmful || b.harmful
		for _, field := range b.fields {
			fields[field] = true
		}
		for _, used := range b.uses {
			if !seen[used] {
				seen[used] = true
				queue = append(queue, used)
			}
		}
	}
	return fields, harmful
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
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.GoStmt:
			b.harmful = true
		case *ast.AssignStmt:
			b.changes = b.changes || slices.ContainsFunc(x.Lhs, isRecv)
		case *ast.IncDecStmt:
			b.changes = b.changes || isRecv(x.X)
		case *ast.UnaryExpr:
			b.changes = b.changes || x.Op == token.AND && isRecv(x.X)
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
