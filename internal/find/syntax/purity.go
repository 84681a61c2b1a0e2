package syntax

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A purity is whether a function only computes a result from its arguments and from what never
// changes.
type purity struct {
	pure, done bool
}

// Purely reports whether a call of a function outside the packages only computes.
func Purely(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return fn.Name() == "Error" // of the predeclared type
	}
	name := fn.FullName()
	switch fn.Pkg().Path() {
	case "fmt":
		return strings.HasPrefix(name, "fmt.Sprint") || strings.HasPrefix(name, "fmt.Append") || name == "fmt.Errorf"
	case "io":
		return name == "io.ReadAll" || name == "io.NopCloser" || strings.HasPrefix(name, "(io.")
	case "time":
		return name == "time.ParseDuration" || name == "time.Date" || strings.HasPrefix(name, "(time.Duration)") ||
			strings.HasPrefix(name, "(time.Time)") && !strings.Contains(name, "Local")
	case "bytes", "cmp", "encoding/base64", "encoding/binary", "encoding/csv", "encoding/hex", "encoding/json",
		"encoding/xml", "errors", "html", "hash/crc32", "hash/fnv", "crypto/sha256", "crypto/sha1", "crypto/md5", "maps",
		"math", "math/bits", "net/url", "path", "regexp", "slices", "sort", "strconv", "strings", "text/template",
		"html/template", "unicode", "unicode/utf8", "bufio", "regexp/syntax", "math/big", "iter":
		return !strings.Contains(name, "ParseFiles") && !strings.Contains(name, "ParseGlob") &&
			!strings.Contains(name, "ParseFS")
	}
	return false
}

// PureFunction reports whether a declared function only computes.
func (c *Code) PureFunction(fn *Function) bool {
	p := c.pure[fn]
	if p != nil {
		return p.pure || !p.done // recursive calls do not make it impure
	}
	p = &purity{}
	c.pure[fn] = p
	p.pure = c.pureBody(fn)
	p.done = true
	return p.pure
}

func (c *Code) pureBody(fn *Function) bool {
	f, pure := fn.File, true
	sig := fn.Obj.Signature()
	outside := map[types.Object]bool{} // what belongs to the caller
	if r := sig.Recv(); r != nil {
		outside[r] = true
	}
	for i := range sig.Params().Len() {
		outside[sig.Params().At(i)] = true
	}
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt:
			pure = false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				pure = false
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				pure = pure && !f.writes(left, outside)
			}
		case *ast.IncDecStmt:
			pure = pure && !f.writes(n.X, outside)
		case *ast.CallExpr:
			pure = pure && c.pureCall(f, n, outside)
		case *ast.Ident:
			if v, ok := f.Info().Uses[n].(*types.Var); ok && (Global(v) || v.IsField() && outsideField(f, fn, v)) {
				pure = pure && c.Settled(v)
			}
		}
		return pure
	})
	return pure
}

// outsideField reports whether a field may be one of the receiver's: those of local values are the
// function's own.
func outsideField(_ *File, fn *Function, v *types.Var) bool {
	r := fn.Obj.Signature().Recv()
	if r == nil {
		return false
	}
	t := r.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range s.NumFields() {
		if s.Field(i).Origin() == v.Origin() {
			return true
		}
	}
	return false
}

// writes reports whether an assignment to an expression changes what the caller has.
func (f *File) writes(left ast.Expr, outside map[types.Object]bool) bool {
	direct := true
	for {
		switch x := ast.Unparen(left).(type) {
		case *ast.Ident:
			o := f.Info().ObjectOf(x)
			if v, ok := o.(*types.Var); ok && Global(v) {
				return true
			}
			return !direct && outside[o]
		case *ast.SelectorExpr:
			if v, ok := f.Info().ObjectOf(x.Sel).(*types.Var); ok && Global(v) {
				return true
			}
			left, direct = x.X, false
		case *ast.IndexExpr:
			left, direct = x.X, false
		case *ast.StarExpr:
			left, direct = x.X, false
		default:
			return true
		}
	}
}

// pureCall reports whether a call within a function only computes.
func (c *Code) pureCall(f *File, call *ast.CallExpr, outside map[types.Object]bool) bool {
	if tv, ok := f.Info().Types[call.Fun]; ok && (tv.IsType() || tv.IsBuiltin()) {
		if IsBuiltin(f, call, "print") || IsBuiltin(f, call, "println") || IsBuiltin(f, call, "recover") {
			return false
		}
		if (IsBuiltin(f, call, "delete") || IsBuiltin(f, call, "clear") || IsBuiltin(f, call, "copy")) &&
			len(call.Args) > 0 {
			return !f.shared(call.Args[0], outside)
		}
		return true
	}
	fn := f.Callee(call)
	if fn == nil {
		// A local closure, whose body is part of the function.
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		if !ok {
			_, lit := ast.Unparen(call.Fun).(*ast.FuncLit)
			return lit
		}
		o := f.Info().Uses[id]
		return o != nil && !outside[o] && !Global(o)
	}
	if own := c.Funcs[fn.FullName()]; own != nil {
		return c.PureFunction(own)
	}
	if !Purely(fn) {
		return false
	}
	if name := fn.FullName(); strings.HasPrefix(name, "sort.") || strings.HasPrefix(name, "slices.Sort") ||
		strings.HasPrefix(name, "slices.Reverse") || strings.HasPrefix(name, "maps.Copy") {
		return len(call.Args) == 0 || !f.shared(call.Args[0], outside)
	}
	return true
}

// shared reports whether an expression refers to what the caller or the package has.
func (f *File) shared(e ast.Expr, outside map[types.Object]bool) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := f.Info().ObjectOf(id); o != nil && (outside[o] || Global(o)) {
				found = true
			}
		}
		return !found
	})
	return found
}

// Settled reports whether a package variable or field is never changed after it is set up, as far
// as the loaded packages show.
func (c *Code) Settled(o types.Object) bool {
	if known, ok := c.settleds[o]; ok {
		return known
	}
	settled := plain(o.Type())
	for _, f := range c.List {
		for _, d := range f.Syntax.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil || Constructs(decl.Name.Name) || !settled {
				continue
			}
			ast.Inspect(decl.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, left := range n.Lhs {
						settled = settled && f.root(left) != o
					}
				case *ast.IncDecStmt:
					settled = settled && f.root(n.X) != o
				case *ast.UnaryExpr:
					if n.Op == token.AND {
						settled = settled && f.root(n.X) != o
					}
				case *ast.CallExpr:
					if (IsBuiltin(f, n, "delete") || IsBuiltin(f, n, "clear") || IsBuiltin(f, n, "copy")) && len(n.Args) > 0 {
						settled = settled && f.root(n.Args[0]) != o
					}
				}
				return settled
			})
		}
	}
	c.settleds[o] = settled
	return settled
}

// root returns the variable or field that an assignment to an expression changes a part of: x for
// x[i], x.f and *x, unless x.f is itself a variable or field.
func (f *File) root(e ast.Expr) types.Object {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return f.Object(x)
		}
	}
}

// plain reports whether values of a type are data: a lock, a channel or an interface is not, since
// what they refer to changes without an assignment.
func plain(t types.Type) bool {
	switch name := strings.TrimPrefix(types.TypeString(t, nil), "*"); name {
	case "regexp.Regexp", "text/template.Template", "html/template.Template", "strings.Replacer", "time.Time",
		"time.Location", "embed.FS":
		return true
	}
	return plainIn(t, 0)
}

func plainIn(t types.Type, depth int) bool {
	if depth > 4 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Slice:
		return plainIn(u.Elem(), depth+1)
	case *types.Array:
		return plainIn(u.Elem(), depth+1)
	case *types.Map:
		return plainIn(u.Key(), depth+1) && plainIn(u.Elem(), depth+1)
	case *types.Pointer:
		return plainIn(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if !plainIn(u.Field(i).Type(), depth+1) {
				return false
			}
		}
		return true
	}
	return false
}
