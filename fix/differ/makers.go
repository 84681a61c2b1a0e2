package differ

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// maxDepth bounds how deep values are nested: below it, pointers and slices are nil.
const maxDepth = 6

// known are the makers of types that have invariants, or that say what was done with them: Go
// expressions with the source of inputs in s. {x} is a package that they need.
func known(t string) (expr string, packages []string, ok bool) {
	switch t {
	case "error":
		return "s.error()", nil, true
	case "any", "interface{}":
		return "s.any()", nil, true
	case "context.Context":
		return "context.Background()", []string{"context"}, true
	case "io.Writer", "io.StringWriter":
		return "s.writer()", nil, true
	case "io.Reader":
		return "s.reader()", nil, true
	case "io.ReadCloser":
		return "s.reader()", nil, true
	case "fmt.Stringer":
		return "s.stringer()", nil, true
	case "net/http.ResponseWriter":
		return "s.response()", nil, true
	case "*net/http.Request":
		return "s.request()", nil, true
	case "net/http.Handler":
		return "s.handler()", nil, true
	case "net/http.HandlerFunc":
		return "s.handler()", nil, true
	case "net/http.Header":
		return "s.header()", nil, true
	case "net/url.Values":
		return "s.values()", nil, true
	case "*net/url.URL":
		return "s.url()", nil, true
	case "*log.Logger":
		return "s.logger()", nil, true
	case "*log/slog.Logger":
		return "s.slogger()", nil, true
	case "*bytes.Buffer":
		return "s.buffer()", nil, true
	case "*bytes.Reader":
		return "bytes.NewReader(s.bytes())", []string{"bytes"}, true
	case "*strings.Reader":
		return "strings.NewReader(s.string())", []string{"strings"}, true
	case "*strings.Builder":
		return "s.builder()", nil, true
	case "*bufio.Writer":
		return "s.bufioWriter()", nil, true
	case "*bufio.Reader":
		return "s.bufioReader()", nil, true
	case "time.Time":
		return "s.time()", nil, true
	case "encoding/json.RawMessage":
		return "s.json()", nil, true
	case "*regexp.Regexp":
		return "s.regexp()", nil, true
	case "sync.Mutex", "sync.RWMutex", "sync.Once", "sync.WaitGroup", "sync.Map", "sync.Pool", "strings.Builder", "bytes.Buffer",
		"sync/atomic.Int32", "sync/atomic.Int64", "sync/atomic.Uint32", "sync/atomic.Uint64", "sync/atomic.Bool", "sync/atomic.Value":
		pkg := t[:strings.LastIndexByte(t, '.')]
		return "*new(" + pkg[strings.LastIndexByte(pkg, '/')+1:] + t[len(pkg):] + ")", []string{pkg}, true
	}
	return "", nil, false
}

// maker is the name of the function that makes values of a type, or why there can be none.
func (g *File) maker(t types.Type, depth int) (name, why string) {
	t = types.Unalias(t)
	key := types.TypeString(t, nil)
	if why, ok := g.dead[key]; ok {
		return "", why
	}
	if name, ok := g.makers[key]; ok {
		return name, ""
	}
	if depth > 3*maxDepth {
		return "", key + " is nested too deeply"
	}
	name = "whetMake" + strconv.Itoa(len(g.makers)+1)
	g.makers[key] = name // for types that hold themselves
	body, why := g.body(t, key, depth)
	if why != "" {
		delete(g.makers, key)
		g.dead[key] = why
		return "", why
	}
	g.made = append(g.made, fmt.Sprintf("func %s(s *whetSource) (v %s) {\n\tif !s.enter() {\n\t\treturn v\n\t}\n\tdefer s.leave()\n%s}\n\n", name, g.typeString(t), body))
	return name, ""
}

// body is the maker's body, which ends in a return.
func (g *File) body(t types.Type, key string, depth int) (text, why string) {
	if expr, pkgs, ok := known(key); ok {
		for _, p := range pkgs {
			base := p[strings.LastIndexByte(p, '/')+1:]
			if as := g.use(p, base); as != base {
				expr = strings.ReplaceAll(expr, base+".", as+".")
			}
		}
		return "\treturn " + expr + "\n", ""
	}
	if n, ok := t.(*types.Named); ok {
		if !g.accessible(n.Obj()) {
			return "", "the type " + key + " cannot be named here"
		}
		if text, ok := g.constructed(n, false, depth); ok {
			return text, ""
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		expr := basic(u)
		if expr == "" {
			return "", "no value of " + key + " can be made"
		}
		return fmt.Sprintf("\treturn %s(%s)\n", g.typeString(t), expr), ""
	case *types.Pointer:
		return g.pointer(u, depth)
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
			return fmt.Sprintf("\treturn %s(s.bytes())\n", paren(g.typeString(t))), ""
		}
		elem, why := g.maker(u.Elem(), depth+1)
		return fmt.Sprintf("\tn := s.length()\n\tif n < 0 {\n\t\treturn nil\n\t}\n\tv = make(%s, 0, n+s.spare())\n\tfor range n {\n\t\tv = append(v, %s(s))\n\t}\n\treturn v\n", g.typeString(t), elem), why
	case *types.Array:
		elem, why := g.maker(u.Elem(), depth+1)
		return fmt.Sprintf("\tfor i := range v {\n\t\tv[i] = %s(s)\n\t}\n\treturn v\n", elem), why
	case *types.Map:
		key, why := g.maker(u.Key(), depth+1)
		if why != "" {
			return "", why
		}
		elem, why := g.maker(u.Elem(), depth+1)
		return fmt.Sprintf("\tn := s.length()\n\tif n < 0 {\n\t\treturn nil\n\t}\n\tv = make(%s)\n\tfor range n {\n\t\tv[%s(s)] = %s(s)\n\t}\n\treturn v\n", g.typeString(t), key, elem), why
	case *types.Struct:
		return g.structure(t, u, depth)
	case *types.Signature:
		return g.function(u, depth)
	case *types.Interface:
		return g.implementation(u, key, depth)
	case *types.Chan:
		return "", "it is a channel (" + key + ")"
	}
	return "", "no value of " + key + " can be made"
}

func paren(t string) string {
	if strings.HasPrefix(t, "[") {
		return t
	}
	return "(" + t + ")"
}

func basic(b *types.Basic) string {
	switch info := b.Info(); {
	case b.Kind() == types.Int32:
		return "s.rune()" // runes and other numbers
	case info&types.IsBoolean != 0:
		return "s.bool()"
	case info&types.IsString != 0:
		return "s.string()"
	case b.Kind() == types.Int64 || b.Kind() == types.Uint64:
		return "s.wide()"
	case info&types.IsInteger != 0:
		return "s.int()"
	case info&types.IsFloat != 0:
		return "s.float()"
	case info&types.IsComplex != 0:
		return "complex(s.float(), s.float())"
	}
	return ""
}

// pointer makes a new value to point to, and nil where values are nested too deeply.
func (g *File) pointer(p *types.Pointer, depth int) (text, why string) {
	if n, ok := types.Unalias(p.Elem()).(*types.Named); ok && g.accessible(n.Obj()) {
		if text, ok := g.constructed(n, true, depth); ok {
			return text, ""
		}
	}
	elem, why := g.maker(p.Elem(), depth+1)
	return fmt.Sprintf("\tif s.deep() {\n\t\treturn nil\n\t}\n\tv = new(%s)\n\t*v = %s(s)\n\treturn v\n", g.typeString(p.Elem()), elem), why
}

// structure fills all fields: what is left out would be a state that no program has.
func (g *File) structure(t types.Type, u *types.Struct, depth int) (text, why string) {
	own := true
	if n, ok := t.(*types.Named); ok {
		own = n.Obj().Pkg() == g.pkg.Types
	}
	var b strings.Builder
	for i := range u.NumFields() {
		f := u.Field(i)
		if f.Name() == "_" {
			continue
		}
		if !f.Exported() && !own {
			return "", fmt.Sprintf("%s has fields that only its package can set", types.TypeString(t, nil))
		}
		m, why := g.maker(f.Type(), depth+1)
		if why != "" {
			return "", fmt.Sprintf("field %s: %s", f.Name(), why)
		}
		fmt.Fprintf(&b, "\tv.%s = %s(s)\n", f.Name(), m)
	}
	b.WriteString("\treturn v\n")
	return b.String(), ""
}

// constructed makes a struct of this package that has unexported fields by the package's own
// constructor: a function New… that returns it, or a pointer to it, and perhaps an error.
func (g *File) constructed(n *types.Named, pointer bool, depth int) (text string, ok bool) {
	u, isStruct := n.Underlying().(*types.Struct)
	if !isStruct || n.Obj().Pkg() != g.pkg.Types || !hasUnexported(u) {
		return "", false
	}
	scope := g.pkg.Types.Scope()
	for _, name := range scope.Names() {
		fn, isFunc := scope.Lookup(name).(*types.Func)
		if !isFunc || !strings.HasPrefix(strings.ToLower(name), "new") {
			continue
		}
		sig, inst, err := g.ofInstance(fn, n)
		if err != nil || sig.Variadic() || sig.Results().Len() == 0 || sig.Results().Len() > 2 {
			continue
		}
		if sig.Results().Len() == 2 && sig.Results().At(1).Type().String() != "error" {
			continue
		}
		got := sig.Results().At(0).Type()
		ptr, isPtr := got.(*types.Pointer)
		if isPtr {
			got = ptr.Elem()
		}
		if !types.Identical(got, n) || isPtr != pointer {
			continue
		}
		var args []string
		good := true
		for i := range sig.Params().Len() {
			m, why := g.maker(sig.Params().At(i).Type(), depth+1)
			if why != "" {
				good = false
				break
			}
			args = append(args, m+"(s)")
		}
		if !good {
			continue
		}
		if sig.Results().Len() == 2 {
			return fmt.Sprintf("\tv, err := %s(%s)\n\ts.must(err)\n\treturn v\n", name+inst, strings.Join(args, ", ")), true
		}
		return fmt.Sprintf("\treturn %s(%s)\n", name+inst, strings.Join(args, ", ")), true
	}
	return "", false
}

func hasUnexported(u *types.Struct) bool {
	for i := range u.NumFields() {
		if !u.Field(i).Exported() {
			return true
		}
	}
	return false
}

// function makes a function that notes its arguments and returns drawn values.
func (g *File) function(sig *types.Signature, depth int) (text, why string) {
	if sig.TypeParams().Len() > 0 {
		return "", "it is a generic function"
	}
	var params, names []string
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		name := "p" + strconv.Itoa(i)
		if sig.Variadic() && i == sig.Params().Len()-1 {
			sl, _ := t.(*types.Slice)
			params = append(params, name+" ..."+g.typeString(sl.Elem()))
		} else {
			params = append(params, name+" "+g.typeString(t))
		}
		names = append(names, name)
	}
	var results, values []string
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		m, why := g.maker(t, depth+1)
		if why != "" {
			return "", "a function's result: " + why
		}
		results = append(results, g.typeString(t))
		values = append(values, m+"(s)")
	}
	ret := ""
	if len(values) > 0 {
		ret = "\t\treturn " + strings.Join(values, ", ") + "\n"
	}
	return fmt.Sprintf("\treturn func(%s) (%s) {\n\t\ts.called(%s)\n%s\t}\n", strings.Join(params, ", "), strings.Join(results, ", "), strings.Join(names, ", "), ret), ""
}

// implementation makes a value of one of the package's own types that have an interface's methods.
func (g *File) implementation(u *types.Interface, key string, depth int) (text, why string) {
	if u.NumMethods() == 0 && u.NumEmbeddeds() == 0 {
		return "\treturn s.any()\n", ""
	}
	scope := g.pkg.Types.Scope()
	var makers []string
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		if n, ok := tn.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
			continue
		}
		for _, candidate := range []types.Type{tn.Type(), types.NewPointer(tn.Type())} {
			if !types.Implements(candidate, u) {
				continue
			}
			if m, why := g.maker(candidate, depth+1); why == "" && !slices.Contains(makers, m) {
				makers = append(makers, m)
				break
			}
		}
	}
	if len(makers) == 0 {
		return "", "no type of the package has the methods of " + key
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\tswitch s.choose(%d) {\n", len(makers))
	for i, m := range makers[1:] {
		fmt.Fprintf(&b, "\tcase %d:\n\t\treturn %s(s)\n", i+1, m)
	}
	fmt.Fprintf(&b, "\t}\n\treturn %s(s)\n", makers[0])
	return b.String(), ""
}
