package instrument

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/capture/support"
)

// all notes that a function reads all of what an expression refers to, except what pointers do.
func (w *walker) all(e ast.Expr) {
	p, t := w.place(e), w.info.TypeOf(e)
	if p != nil && t != nil {
		everything(p, t, 0)
	}
}

func everything(p *support.Plan, t types.Type, depth int) {
	if depth > maxPlan/2 {
		return
	}
	p.Self = true
	switch u := t.Underlying().(type) {
	case *types.Slice:
		p.Whole = true
		everything(elem(p), u.Elem(), depth+1)
	case *types.Map:
		p.Whole = true
		everything(elem(p), u.Elem(), depth+1)
	case *types.Array:
		p.Whole = true
		everything(elem(p), u.Elem(), depth+1)
	case *types.Pointer:
		switch types.TypeString(u.Elem(), nil) {
		case "net/url.URL":
			elem(p).Self = true
		case "bytes.Buffer":
			elem(p).Self = true
			everything(field(elem(p), "buf"), types.NewSlice(types.Typ[types.Byte]), depth+1)
		case "bytes.Reader":
			elem(p).Self = true
			everything(field(elem(p), "s"), types.NewSlice(types.Typ[types.Byte]), depth+1)
		case "strings.Reader":
			elem(p).Self = true
		}
	}
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// called returns the function that is called, if that is known.
func called(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		fn, _ := info.Uses[x].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := info.Uses[x.Sel].(*types.Func)
		return fn
	}
	return nil
}

// writes reports whether a call writes to a buffer or an HTTP response.
func (w *walker) writes(fn *types.Func, call *ast.CallExpr) bool {
	if len(call.Args) == 0 || fn.FullName() != "io.WriteString" && !strings.HasPrefix(fn.FullName(), "fmt.Fprint") {
		return false
	}
	t := w.info.TypeOf(call.Args[0])
	return t != nil && slices.Contains([]string{"net/http.ResponseWriter", "*bytes.Buffer", "*strings.Builder"},
		types.TypeString(t, nil))
}

// readsFirst reports whether a function reads all of its first argument before it may synchronize: package json checks
// a text before it decodes it, which may call methods of the program. A writer may have a lock, but what it writes is
// its caller's, and nothing may change that meanwhile.
func readsFirst(fn *types.Func) bool {
	return slices.Contains([]string{"encoding/json.Unmarshal", "encoding/json.Valid", "(io.Writer).Write"}, fn.FullName())
}

// isPure reports whether a function of the standard library neither synchronizes with other goroutines, as far as a
// program may rely on it, nor calls what might.
func isPure(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return true // an error's method
	}
	if types.IsInterface(recvType(fn)) {
		return strings.HasPrefix(fn.FullName(), "(net/http.ResponseWriter)")
	}
	path, name := fn.Pkg().Path(), fn.Name()
	switch path {
	case "fmt":
		return strings.HasPrefix(name, "S") || strings.HasPrefix(name, "Append") || name == "Errorf"
	case "time":
		waits := []string{"Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Stop", "Reset"}
		return !slices.Contains(waits, name)
	case "net/http":
		return strings.Contains(fn.FullName(), "net/http.Header)") ||
			strings.Contains(fn.FullName(), "net/http.Request)") && !strings.Contains(name, "Form") &&
				!strings.Contains(name, "Write")
	case "bytes", "strings", "strconv", "unicode", "unicode/utf8", "unicode/utf16", "math", "math/bits", "math/cmplx",
		"sort", "slices", "maps", "cmp", "errors", "regexp", "encoding/binary", "encoding/hex", "encoding/base64", "path",
		"net/url", "net/netip", "html", "hash/crc32", "hash/fnv", "crypto/sha256", "crypto/sha1", "crypto/md5":
		return true
	}
	return false
}

// isInterface reports whether values of a type are interfaces, and not those of a type parameter.
func isInterface(t types.Type) bool {
	if t == nil {
		return false
	}
	_, isParam := types.Unalias(t).(*types.TypeParam)
	return types.IsInterface(t) && !isParam
}

// isRelease reports whether a function lets other goroutines go on, and waits for none.
func isRelease(fn *types.Func) bool {
	return slices.Contains([]string{
		"(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock", "(*sync.RWMutex).RUnlock", "(*sync.WaitGroup).Done",
	}, fn.FullName())
}

// isReflection reports whether a function is of package reflect, or a method of its types.
func isReflection(fn *types.Func) bool { return fn.Pkg() != nil && fn.Pkg().Path() == "reflect" }

// isKind reports whether a function is the method Kind of reflect.Value.
func isKind(fn *types.Func) bool { return fn != nil && fn.FullName() == "(reflect.Value).Kind" }

// reflectionSyncs reports whether a function of package reflect may synchronize with other goroutines. Methods without
// arguments that are found by reflection are taken for accessors, like the method String that package fmt calls; what
// has methods is not copied out of a reflect.Value.
func (w *walker) reflectionSyncs(fn *types.Func, call *ast.CallExpr) bool {
	switch fn.Name() {
	case "Send", "Recv", "TrySend", "TryRecv", "Close", "Select", "Seq", "Seq2", "CallSlice":
		return true
	case "Call":
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || len(call.Args) != 1 || !w.info.Types[call.Args[0]].IsNil() {
			return true
		}
		method, ok := ast.Unparen(sel.X).(*ast.CallExpr)
		if !ok {
			return true
		}
		of := called(w.info, method)
		return of == nil || of.FullName() != "(reflect.Value).Method" && of.FullName() != "(reflect.Value).MethodByName"
	}
	return false
}

// reflected notes what a method of reflect.Value reads, and returns the plan of its result, if that is one; nil
// otherwise. A value in an interface is taken for the interface itself: copies look through it.
func (w *walker) reflected(call *ast.CallExpr) *support.Plan {
	fn := called(w.info, call)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if fn == nil || !ok || types.TypeString(recvType(fn), nil) != "reflect.Value" {
		return nil
	}
	ways := w.ways
	w.ways -= w.kinds
	p := w.place(sel.X)
	w.ways = ways
	if p == nil {
		return nil
	}
	switch fn.Name() {
	case "Elem":
		elem(p).Self = true
		return p
	case "MapIndex", "MapKeys", "MapRange":
		elem(p).Self, elem(p).Whole = true, true
		elem(elem(p)).Self = true
	case "String", "Int", "Uint", "Float", "Bool", "Interface", "IsNil", "IsZero":
		elem(p).Self = true
	}
	return nil
}
