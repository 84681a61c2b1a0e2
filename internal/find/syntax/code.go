package syntax

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

// A Line is a line of one of the module's files. The zero Line is none.
type Line struct {
	File string // relative to the module, with slashes
	Line int    // from 1 on
}

// Compare orders lines by file, then by number.
func Compare(a, b Line) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// A Code is the syntax of packages, by file and by function.
type Code struct {
	files    map[string]*File
	List     []*File              // in order
	Funcs    map[string]*Function // those with a body, by full name
	settleds map[types.Object]bool
	locked   []Section // see sections
	pure     map[*Function]*purity
}

// A File is a parsed file of a package.
type File struct {
	Name   string // relative to the module, with slashes
	Pkg    *packages.Package
	Syntax *ast.File
}

// A Function is a declared function with a body.
type Function struct {
	File *File
	Decl *ast.FuncDecl
	Obj  *types.Func
}

// New returns the syntax of packages that build. relative returns the name of a file in the module;
// other files are left out.
func New(pkgs []*packages.Package, relative func(file string) (name string, ok bool)) *Code {
	c := &Code{
		files: map[string]*File{}, Funcs: map[string]*Function{}, settleds: map[types.Object]bool{},
		pure: map[*Function]*purity{},
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
			f := &File{name, pkg, syntax}
			c.files[name] = f
			c.List = append(c.List, f)
			for _, d := range syntax.Decls {
				decl, ok := d.(*ast.FuncDecl)
				if !ok || decl.Body == nil {
					continue
				}
				if obj, ok := pkg.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					c.Funcs[obj.FullName()] = &Function{f, decl, obj}
				}
			}
		}
	}
	return c
}

// LineOf returns the line of a position in the file.
func (f *File) LineOf(at token.Pos) int { return f.Pkg.Fset.PositionFor(at, false).Line }

// Info returns the types of the file's package.
func (f *File) Info() *types.Info { return f.Pkg.TypesInfo }

// At returns a position as a line.
func (f *File) At(pos token.Pos) Line { return Line{f.Name, f.LineOf(pos)} }

// Covers reports whether a node has a line.
func (f *File) Covers(n ast.Node, at int) bool {
	return f.LineOf(n.Pos()) <= at && at <= f.LineOf(n.End())
}

// Enclosing returns the nodes around a line, outermost first: those that begin before it or on it,
// and end on it or after it, and are in a body that does. The last is the innermost statement.
func (c *Code) Enclosing(at Line) (f *File, nodes []ast.Node) {
	f = c.files[at.File]
	if f == nil {
		return nil, nil
	}
	var best []ast.Node
	var stack []ast.Node
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if !f.Covers(n, at.Line) {
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

// Body returns the innermost function around a line, a declaration or a literal of several lines,
// and its body; nil if there is none.
func (c *Code) Body(at Line) (f *File, fn ast.Node, body *ast.BlockStmt) {
	f, nodes := c.Enclosing(at)
	for _, n := range nodes {
		switch n := n.(type) {
		case *ast.FuncDecl:
			fn, body = n, n.Body
		case *ast.FuncLit:
			if f.LineOf(n.Pos()) < f.LineOf(n.End()) && f.LineOf(n.Body.Lbrace) < at.Line {
				fn, body = n, n.Body
			}
		}
	}
	return f, fn, body
}

// FunctionAt returns the declared function around a line, or nil.
func (c *Code) FunctionAt(at Line) *Function {
	f, nodes := c.Enclosing(at)
	for _, n := range nodes {
		if decl, ok := n.(*ast.FuncDecl); ok {
			if obj, ok := f.Info().Defs[decl.Name].(*types.Func); ok {
				return c.Funcs[obj.FullName()]
			}
		}
	}
	return nil
}

// Loop returns the innermost loop whose iterations a line belongs to, within its function; nil if
// there is none.
func (c *Code) Loop(at Line) (f *File, loop ast.Stmt) {
	f, nodes := c.Enclosing(at)
	for _, n := range nodes {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncLit:
			if f.LineOf(n.Body.Lbrace) < at.Line {
				loop = nil
			}
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		}
		if body != nil && f.LineOf(body.Lbrace) < at.Line && at.Line <= f.LineOf(body.Rbrace) {
			loop, _ = n.(ast.Stmt)
		}
	}
	return f, loop
}

// Calls returns the calls in a node that are on a line, outside function literals.
func (f *File) Calls(within ast.Node, at int) (list []*ast.CallExpr) {
	ast.Inspect(within, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return f.LineOf(n.Pos()) < at // a literal that begins here runs later
		case *ast.CallExpr:
			if f.LineOf(n.Pos()) <= at && at <= f.LineOf(n.Rparen) {
				list = append(list, n)
			}
		}
		return n == nil || f.Covers(n, at)
	})
	return list
}

// Callee returns the function that a call calls; nil for calls of function values and conversions.
func (f *File) Callee(call *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(f.Info(), call).(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// CalleeName returns the full name of the function that a call calls, or "".
func (f *File) CalleeName(call *ast.CallExpr) string {
	if fn := f.Callee(call); fn != nil {
		return fn.FullName()
	}
	return ""
}

// Called returns the declared function that a call calls, or nil.
func (c *Code) Called(f *File, call *ast.CallExpr) *Function {
	fn := f.Callee(call)
	if fn == nil {
		return nil
	}
	return c.Funcs[fn.FullName()]
}

// Object returns the variable or field that an expression denotes, or nil.
func (f *File) Object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := f.Info().ObjectOf(e).(*types.Var); ok {
			return v.Origin()
		}
	case *ast.SelectorExpr:
		if v, ok := f.Info().ObjectOf(e.Sel).(*types.Var); ok {
			return v.Origin()
		}
	case *ast.StarExpr:
		return f.Object(e.X)
	}
	return nil
}

// Global reports whether an object is a package variable.
func Global(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// IsField reports whether an object is a field of a struct.
func IsField(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && v.IsField()
}

// Mentions reports whether a node uses one of several objects.
func (f *File) Mentions(n ast.Node, of map[types.Object]bool) bool {
	found := false
	if n == nil || len(of) == 0 {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && of[f.Info().ObjectOf(id)] {
			found = true
		}
		return !found
	})
	return found
}

// Text returns an expression as source.
func Text(e ast.Expr) string { return types.ExprString(e) }

// Constructs reports whether a function sets values up before they are used: main, init, or one
// that is named after making something.
func Constructs(name string) bool {
	if name == "main" || name == "init" {
		return true
	}
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "new") || strings.HasPrefix(lower, "make") || strings.HasPrefix(lower, "open") ||
		strings.HasPrefix(lower, "setup") || strings.HasPrefix(lower, "must") || strings.HasPrefix(lower, "init")
}

// IsBuiltin reports whether a call in a file calls a predeclared function, by its name.
func IsBuiltin(f *File, call *ast.CallExpr, name string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	_, ok = f.Info().Uses[id].(*types.Builtin)
	return ok
}
