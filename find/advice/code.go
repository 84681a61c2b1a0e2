package advice

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// A line is a line of one of the module's files.
type line struct {
	file string
	line int
}

// compareLines orders lines by file.
func compareLines(a, b line) int {
	return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
}

// A code is the syntax of the packages, by file and by function.
type code struct {
	files    map[string]*file
	list     []*file // in order
	funcs    map[string]*function
	settleds map[types.Object]bool
	locked   []section // see sections
	pure     map[*function]*purity
}

// A file is a parsed file of a package.
type file struct {
	name   string
	pkg    *packages.Package
	syntax *ast.File
}

// A function is a declared function.
type function struct {
	file *file
	decl *ast.FuncDecl
	obj  *types.Func
}

// newCode returns the syntax of packages that build. relative returns the name of a file in the module;
// other files are left out.
func newCode(pkgs []*packages.Package, relative func(file string) (name string, ok bool)) *code {
	c := &code{
		files: map[string]*file{}, funcs: map[string]*function{}, settleds: map[types.Object]bool{},
		pure: map[*function]*purity{},
	}
	for _, pkg := range pkgs {
		if pkg.IllTyped || len(pkg.Errors) > 0 || pkg.TypesInfo == nil || relative == nil {
			continue
		}
		for _, syntax := range pkg.Syntax {
			name, ok := relative(pkg.Fset.Position(syntax.FileStart).Filename)
			if !ok || c.files[name] != nil {
				continue
			}
			f := &file{name, pkg, syntax}
			c.files[name] = f
			c.list = append(c.list, f)
			for _, d := range syntax.Decls {
				decl, ok := d.(*ast.FuncDecl)
				if !ok || decl.Body == nil {
					continue
				}
				if obj, ok := pkg.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					c.funcs[obj.FullName()] = &function{f, decl, obj}
				}
			}
		}
	}
	return c
}

func (f *file) line(at token.Pos) int { return f.pkg.Fset.PositionFor(at, false).Line }

func (f *file) info() *types.Info { return f.pkg.TypesInfo }

// at returns a position as a line.
func (f *file) at(pos token.Pos) line { return line{f.name, f.line(pos)} }

// covers reports whether a node has a line.
func (f *file) covers(n ast.Node, at int) bool { return f.line(n.Pos()) <= at && at <= f.line(n.End()) }

// enclosing returns the nodes around a line, outermost first: those that begin before it or on it,
// and end on it or after it, and are in a body that does. The last is the innermost statement.
func (c *code) enclosing(at line) (f *file, nodes []ast.Node) {
	f = c.files[at.file]
	if f == nil {
		return nil, nil
	}
	var best []ast.Node
	var stack []ast.Node
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if !f.covers(n, at.line) {
			return false
		}
		stack = append(stack, n)
		if _, ok := n.(ast.Stmt); ok && len(stack) >= len(best) {
			best = slices.Clone(stack)
		}
		return true
	})
	return f, best
}

// body returns the innermost function around a line, a declaration or a literal of several lines,
// and its body; nil if there is none.
func (c *code) body(at line) (f *file, fn ast.Node, body *ast.BlockStmt) {
	f, nodes := c.enclosing(at)
	for _, n := range nodes {
		switch n := n.(type) {
		case *ast.FuncDecl:
			fn, body = n, n.Body
		case *ast.FuncLit:
			if f.line(n.Pos()) < f.line(n.End()) && f.line(n.Body.Lbrace) < at.line {
				fn, body = n, n.Body
			}
		}
	}
	return f, fn, body
}

// function returns the declared function around a line, or nil.
func (c *code) function(at line) *function {
	f, nodes := c.enclosing(at)
	for _, n := range nodes {
		if decl, ok := n.(*ast.FuncDecl); ok {
			if obj, ok := f.info().Defs[decl.Name].(*types.Func); ok {
				return c.funcs[obj.FullName()]
			}
		}
	}
	return nil
}

// loop returns the innermost loop whose iterations a line belongs to, within its function; nil if
// there is none.
func (c *code) loop(at line) (f *file, loop ast.Stmt) {
	f, nodes := c.enclosing(at)
	for _, n := range nodes {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncLit:
			if f.line(n.Body.Lbrace) < at.line {
				loop = nil
			}
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		}
		if body != nil && f.line(body.Lbrace) < at.line && at.line <= f.line(body.Rbrace) {
			loop, _ = n.(ast.Stmt)
		}
	}
	return f, loop
}

// calls returns the calls in a node that are on a line, outside function literals.
func (f *file) calls(within ast.Node, at int) (list []*ast.CallExpr) {
	ast.Inspect(within, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return f.line(n.Pos()) < at // a literal that begins here runs later
		case *ast.CallExpr:
			if f.line(n.Pos()) <= at && at <= f.line(n.Rparen) {
				list = append(list, n)
			}
		}
		return n == nil || f.covers(n, at)
	})
	return list
}

// callee returns the function that a call calls; nil for calls of function values and conversions.
func (f *file) callee(call *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(f.info(), call).(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// calleeName returns the full name of the function that a call calls, or "".
func (f *file) calleeName(call *ast.CallExpr) string {
	if fn := f.callee(call); fn != nil {
		return fn.FullName()
	}
	return ""
}

// called returns the declared function that a call calls, or nil.
func (c *code) called(f *file, call *ast.CallExpr) *function {
	fn := f.callee(call)
	if fn == nil {
		return nil
	}
	return c.funcs[fn.FullName()]
}

// object returns the variable or field that an expression denotes, or nil.
func (f *file) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := f.info().ObjectOf(e).(*types.Var); ok {
			return v.Origin()
		}
	case *ast.SelectorExpr:
		if v, ok := f.info().ObjectOf(e.Sel).(*types.Var); ok {
			return v.Origin()
		}
	case *ast.StarExpr:
		return f.object(e.X)
	}
	return nil
}

// global reports whether an object is a package variable.
func global(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// field reports whether an object is a field of a struct.
func field(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && v.IsField()
}

// mentions reports whether a node uses one of several objects.
func (f *file) mentions(n ast.Node, of map[types.Object]bool) bool {
	found := false
	if n == nil || len(of) == 0 {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && of[f.info().ObjectOf(id)] {
			found = true
		}
		return !found
	})
	return found
}

// text returns an expression as source.
func text(e ast.Expr) string { return types.ExprString(e) }

// constructs reports whether a function sets values up before they are used: main, init, or one
// that is named after making something.
func constructs(name string) bool {
	if name == "main" || name == "init" {
		return true
	}
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "new") || strings.HasPrefix(lower, "make") || strings.HasPrefix(lower, "open") ||
		strings.HasPrefix(lower, "setup") || strings.HasPrefix(lower, "must") || strings.HasPrefix(lower, "init")
}
