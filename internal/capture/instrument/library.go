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
// a text before it decodes it, which may call methods of the program.
func readsFirst(fn *types.Func) bool {
	return slices.Contains([]string{"encoding/json.Unmarshal", "encoding/json.Valid"}, fn.FullName())
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
