package makers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// maxDepth limits the nesting of values: below it, pointers and slices are nil.
const maxDepth = 6

// known returns the makers of types that have invariants, or that record what was done with them:
// Go expressions with the source of inputs in s. {x} is a required package.
func known(t string) (expr string, packages []string, ok bool) {
	switch t {
	case "context.Context":
		return "s.Context()", nil, true
	case "io.Writer", "io.StringWriter", "io.WriteCloser":
		return "s.Writer()", nil, true
	case "io.Reader", "io.ReadCloser":
		return "s.Reader()", nil, true
	case "io.ReadWriter", "io.ReadWriteCloser":
		return "s.Pipe()", nil, true
	case "net.Conn":
		return "s.Conn()", nil, true
	case "io.ByteWriter":
		return "s.Buffer()", nil, true
	case "io.ReadSeeker", "io.Seeker", "io.ReaderAt", "io.ByteReader", "io.ByteScanner", "io.RuneReader",
		"io.RuneScanner", "io.WriterTo":
		return "bytes.NewReader(s.Bytes())", []string{"bytes"}, true
	case "hash.Hash":
		return "sha256.New()", []string{"crypto/sha256"}, true
	case "sort.Interface":
		return "s.Sortable()", nil, true
	case "container/heap.Interface":
		return "s.Heap()", nil, true
	case "time.Duration":
		return "s.Duration()", nil, true
	case "*time.Location":
		return "s.Location()", nil, true
	case "net/netip.Addr":
		return "s.Address()", nil, true
	case "net/netip.Prefix":
		return "s.Prefix()", nil, true
	case "net/netip.AddrPort":
		return "s.Endpoint()", nil, true
	case "net.IP":
		return "s.IP()", nil, true
	case "*net.IPNet":
		return "s.Network()", nil, true
	case "net/url.URL":
		return "*s.URL()", nil, true
	case "net/http.Request":
		return "*s.Request()", nil, true
	case "*math/big.Int":
		return "big.NewInt(s.Wide())", []string{"math/big"}, true
	case "*math/rand.Rand":
		return "s.Random()", nil, true
	case "*encoding/json.Encoder":
		return "json.NewEncoder(s.Writer())", []string{"encoding/json"}, true
	case "*encoding/json.Decoder":
		return "json.NewDecoder(s.Reader())", []string{"encoding/json"}, true
	case "*bufio.Scanner":
		return "bufio.NewScanner(s.Reader())", []string{"bufio"}, true
	case "net/http.RoundTripper":
		return "s.Transport()", nil, true
	case "*net/http.Client":
		return "s.Client()", nil, true
	case "*net/http.Response":
		return "s.Reply()", nil, true
	case "fmt.Stringer":
		return "s.Stringer()", nil, true
	case "net/http.ResponseWriter":
		return "s.Response()", nil, true
	case "*net/http.Request":
		return "s.Request()", nil, true
	case "net/http.Handler":
		return "s.Handler()", nil, true
	case "net/http.HandlerFunc":
		return "s.Handler()", nil, true
	case "net/http.Header":
		return "s.Header()", nil, true
	case "net/url.Values":
		return "s.Values()", nil, true
	case "*net/url.URL":
		return "s.URL()", nil, true
	case "*log.Logger":
		return "s.Logger()", nil, true
	case "*log/slog.Logger":
		return "s.Slogger()", nil, true
	case "*bytes.Buffer":
		return "s.Buffer()", nil, true
	case "*bytes.Reader":
		return "bytes.NewReader(s.Bytes())", []string{"bytes"}, true
	case "*strings.Reader":
		return "strings.NewReader(s.Text())", []string{"strings"}, true
	case "*strings.Builder":
		return "s.Builder()", nil, true
	case "*bufio.Writer":
		return "s.BufioWriter()", nil, true
	case "*bufio.Reader":
		return "s.BufioReader()", nil, true
	case "time.Time":
		return "s.Time()", nil, true
	case "encoding/json.RawMessage":
		return "s.JSON()", nil, true
	case "*regexp.Regexp":
		return "s.Regexp()", nil, true
	case "sync.Mutex", "sync.RWMutex", "sync.Once", "sync.WaitGroup", "sync.Map", "sync.Pool",
		"strings.Builder", "bytes.Buffer",
		"sync/atomic.Int32", "sync/atomic.Int64", "sync/atomic.Uint32", "sync/atomic.Uint64", "sync/atomic.Bool",
		"sync/atomic.Value":
		return "v", nil, true // the result of the maker
	}
	return "", nil, false
}

// Maker returns the name of the function that makes values of a type, or why there can be none.
func (g *Generator) Maker(t types.Type) (name, why string) { return g.maker(t, 0) }

func (g *Generator) maker(t types.Type, depth int) (name, why string) {
	t = types.Unalias(t)
	key := types.TypeString(t, nil)
	return g.keyed(key, t, depth, func() (text, why string) { return g.body(t, key, depth) })
}

// keyed returns the maker that a key stands for, which makes values of a type, and writes it with its body if it is
// new.
func (g *Generator) keyed(
	key string, t types.Type, depth int, write func() (text, why string),
) (name, why string) {
	if why, ok := g.dead[key]; ok {
		return "", why
	}
	if name, ok := g.makers[key]; ok {
		if g.partial[name] {
			g.leftOut()
		}
		return name, ""
	}
	if depth > 3*maxDepth {
		return "", key + " is nested too deeply"
	}
	g.named++
	name = "whetMake" + strconv.Itoa(g.named)
	made, begun := len(g.made), len(g.begun)
	g.begun = append(g.begun, key)
	g.makers[key] = name // for recursive types
	g.open = append(g.open, name)
	body, why := write()
	g.open = g.open[:len(g.open)-1]
	if why != "" {
		// Makers started in between may call this one.
		for _, k := range g.begun[begun:] {
			delete(g.makers, k)
		}
		g.begun, g.made = g.begun[:begun], g.made[:made]
		g.dead[key] = why
		return "", why
	}
	g.made = append(g.made, fmt.Sprintf("func %s(s *whetlib.Source) (v %s) {\n\ts.Enter()\n\tdefer s.Leave()\n%s}\n\n",
		name, g.typeString(t), body))
	return name, ""
}

// Partial reports whether a maker makes incomplete values: they lack something that only another package
// can set, or whose values cannot be made.
func (g *Generator) Partial(maker string) bool { return g.partial[maker] }

// leftOut records that values of the types in progress are incomplete.
func (g *Generator) leftOut() {
	for _, name := range g.open {
		g.partial[name] = true
	}
}

// body returns the maker's body, which ends in a return.
func (g *Generator) body(t types.Type, key string, depth int) (text, why string) {
	if expr, pkgs, ok := known(key); ok {
		for _, p := range pkgs {
			base := p[strings.LastIndexByte(p, '/')+1:]
			if as := g.Import(p, base); as != base {
				expr = strings.ReplaceAll(expr, base+".", as+".")
			}
		}
		return "\treturn " + expr + "\n", ""
	}
	switch key {
	case "error":
		return g.errors(depth), ""
	case "reflect.Type":
		return g.reflectType(depth)
	case "reflect.Value":
		m, why := g.maker(types.NewInterfaceType(nil, nil), depth+1)
		return fmt.Sprintf("\treturn %s.ValueOf(%s(s))\n", g.Import("reflect", "reflect"), m), why
	}
	if n, ok := t.(*types.Named); ok {
		if !g.accessible(n.Obj()) {
			return "", "the type " + key + " cannot be named here"
		}
		if why := g.otherType(n); why != "" {
			return "", why
		}
		if text, ok := g.constructed(n, false, depth); ok {
			return text, ""
		}
		produced := g.produced(n, false, depth)
		text, why := g.literal(t, key, depth)
		return orProduced(produced, text, why)
	}
	return g.literal(t, key, depth)
}

// literal returns the body of a maker of a value of an underlying type, as a composite literal makes it.
func (g *Generator) literal(t types.Type, key string, depth int) (text, why string) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		expr := basic(u)
		if expr == "" {
			return "", "no value of " + key + " can be made"
		}
		return g.enumerated(t) + fmt.Sprintf("\treturn %s(%s)\n", g.typeString(t), expr), ""
	case *types.Pointer:
		return g.pointer(u, depth)
	case *types.Slice:
		if types.Identical(u.Elem(), types.Typ[types.Byte]) { // bytes cannot be converted to a slice of another type
			return fmt.Sprintf("\treturn %s(s.Bytes())\n", paren(g.typeString(t))), ""
		}
		elem, why := g.maker(u.Elem(), depth+1)
		return fmt.Sprintf("\tn := s.Length()\n\tif n < 0 {\n\t\treturn nil\n\t}\n\tv = make(%s, 0, n+s.Spare())\n\tfor i "+
			":= 0; i < n; i++ {\n%s\t\tv = append(v, %s(s))\n\t}\n\treturn v\n", g.typeString(t), repeated(u.Elem()), elem), why
	case *types.Array:
		elem, why := g.maker(u.Elem(), depth+1)
		return fmt.Sprintf("\tfor i := range v {\n\t\tv[i] = %s(s)\n\t}\n\treturn v\n", elem), why
	case *types.Map:
		key, why := g.maker(u.Key(), depth+1)
		if why != "" {
			return "", why
		}
		elem, why := g.maker(u.Elem(), depth+1)
		return fmt.Sprintf("\tn := s.Length()\n\tif n < 0 {\n\t\treturn nil\n\t}\n\tv = make(%s)\n\tfor i := 0; i < n; "+
			"i++ {\n\t\tv[%s(s)] = %s(s)\n\t}\n\treturn v\n", g.typeString(t), key, elem), why
	case *types.Struct:
		return g.structure(t, u, depth)
	case *types.Signature:
		return g.function(u, label(t), depth)
	case *types.Interface:
		return g.implementation(t, u, key, depth)
	case *types.Chan:
		return g.channel(u, depth)
	}
	return "", "no value of " + key + " can be made"
}

// maxConstants is the number of constants of a type that are drawn.
const maxConstants = 64

// enumerated returns the code that, mostly, draws one of the constants that a package declares of its type;
// "" if there are hardly any.
func (g *Generator) enumerated(t types.Type) string {
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Parent() != n.Obj().Pkg().Scope() {
		return ""
	}
	var values []string
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if !ok || !types.Identical(c.Type(), t) || len(values) == maxConstants {
			continue
		}
		if v := c.Val().ExactString(); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	if len(values) < 2 {
		return ""
	}
	return fmt.Sprintf("\tif s.Choose(4) != 0 {\n\t\tall := [...]%s{%s}\n\t\treturn all[s.Choose(len(all))]\n\t}\n",
		g.typeString(t), strings.Join(values, ", "))
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
		return "s.Rune()" // runes and other numbers
	case info&types.IsBoolean != 0:
		return "s.Bool()"
	case info&types.IsString != 0:
		return "s.Text()"
	case b.Kind() == types.Int || b.Kind() == types.Uint || b.Kind() == types.Uintptr:
		return "s.Int()"
	case info&types.IsInteger != 0:
		return "s.Wide()" // types of a given size are rarely sizes of something
	case info&types.IsFloat != 0:
		return "s.Float()"
	case info&types.IsComplex != 0:
		return "complex(s.Float(), s.Float())"
	}
	return ""
}

// lacking makes a nil pointer, seldom, and only of a receiver or an argument itself.
const lacking = "\tif s.Lacks() {\n\t\treturn nil\n\t}\n"

// pointer makes a new value to point to, or nil if values are nested too deeply. Where other packages can
// set all fields of a struct, two pointers may point to the same one.
func (g *Generator) pointer(p *types.Pointer, depth int) (text, why string) {
	if n, ok := types.Unalias(p.Elem()).(*types.Named); ok && g.accessible(n.Obj()) {
		before := lacking + g.same(p)
		if text, ok := g.constructed(n, true, depth); ok {
			return before + text, ""
		}
		produced := g.produced(n, true, depth)
		text, why = g.pointerTo(p, depth)
		if text, why = orProduced(produced, text, why); why != "" {
			return "", why
		}
		return before + text, ""
	}
	text, why = g.pointerTo(p, depth)
	return lacking + text, why
}

// pointerTo makes a new value to point to.
func (g *Generator) pointerTo(p *types.Pointer, depth int) (text, why string) {
	elem, why := g.maker(p.Elem(), depth+1)
	if why != "" {
		return "", why
	}
	if isRecursive(p.Elem()) {
		text += "\tif s.Ends() {\n\t\treturn nil\n\t}\n"
	}
	result := "&to"
	if u, ok := p.Elem().Underlying().(*types.Struct); ok && u.NumFields() > 0 && !hasUnexported(u) {
		text += fmt.Sprintf("\tif again := whetlib.Again[%s](s); again != nil {\n\t\treturn again\n\t}\n",
			g.typeString(p.Elem()))
		result = "whetlib.Share(s, &to)"
	}
	grow := ""
	if isTree(p) {
		grow, result = "\ts.Grow()\n\tdefer s.Grown()\n", "whetlib.Linked(s, "+result+")"
	}
	text += "\tif s.Deep() {\n\t\treturn nil\n\t}\n"
	return text + fmt.Sprintf("%s\tto := %s(s)\n%s\treturn %s\n", grow, elem, g.adders(p, depth), result), ""
}

// isRecursive reports whether values of a type contain such values, or pointers to them.
func isRecursive(t types.Type) bool {
	return reaches(t, func(in types.Type) bool { return types.Identical(in, t) })
}

// reaches reports whether values of a type contain, or point to, values of a type that is wanted, however far
// down.
func reaches(t types.Type, wanted func(types.Type) bool) bool {
	seen := map[types.Type]bool{}
	var within func(in types.Type) bool
	within = func(in types.Type) bool {
		in = types.Unalias(in)
		if len(seen) > 0 && wanted(in) {
			return true
		}
		if seen[in] {
			return false
		}
		seen[in] = true
		switch u := in.Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				if within(f.Type()) {
					return true
				}
			}
		case *types.Pointer:
			return within(u.Elem())
		case *types.Slice:
			return within(u.Elem())
		case *types.Array:
			return within(u.Elem())
		case *types.Map:
			return within(u.Key()) || within(u.Elem())
		}
		return false
	}
	return within(t)
}

// channel makes a channel with values in it. It is closed if the code only receives, which would
// block forever otherwise, and has spare capacity if the code sends.
func (g *Generator) channel(c *types.Chan, depth int) (text, why string) {
	elem, why := g.maker(c.Elem(), depth+1)
	if why != "" {
		return "", why
	}
	closed := "s.Bool()"
	switch sends, receives := g.channelUse(c.Elem()); {
	case c.Dir() == types.RecvOnly || receives && !sends:
		closed = "true"
	case c.Dir() == types.SendOnly || sends && !receives:
		closed = "false"
	}
	return fmt.Sprintf("\tc := make(chan %s, 1024)\n\tfor n := s.Choose(4); n > 0; n-- {\n\t\tc <- %s(s)\n\t}\n\tif %s "+
		"{\n\t\tclose(c)\n\t}\n\treturn c\n", g.typeString(c.Elem()), elem, closed), ""
}

// channelUse returns what the package does with channels of a type.
func (g *Generator) channelUse(elem types.Type) (sends, receives bool) {
	of := func(x ast.Expr) bool {
		t := g.pkg.TypesInfo.TypeOf(x)
		if t == nil {
			return false
		}
		c, ok := t.Underlying().(*types.Chan)
		return ok && types.Identical(c.Elem(), elem)
	}
	for _, file := range g.pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.SendStmt:
				sends = sends || of(x.Chan)
			case *ast.UnaryExpr:
				receives = receives || x.Op == token.ARROW && of(x.X)
			case *ast.RangeStmt:
				receives = receives || of(x.X)
			}
			return true
		})
	}
	return sends, receives
}

// structure fills all fields, because otherwise the state could be one that no program has. A field
// whose values cannot be made stays zero; a function that needs it panics, and what only panics is
// not compared.
func (g *Generator) structure(t types.Type, u *types.Struct, depth int) (text, why string) {
	own := true
	if n, ok := t.(*types.Named); ok {
		own = n.Obj().Pkg() == g.pkg.Types
	}
	if like := g.declaredLike(u); own && like != nil {
		m, why := g.maker(like, depth+1)
		return fmt.Sprintf("\treturn %s(%s(s))\n", paren(g.typeString(t)), m), why
	}
	var b strings.Builder
	for f := range u.Fields() {
		if f.Name() == "_" {
			continue
		}
		if !f.Exported() && (!own || f.Pkg() != g.pkg.Types) {
			if n, ok := t.(*types.Named); !ok || !g.isOpen(n.Obj().Pkg()) {
				return "", fmt.Sprintf("%s has fields that only its package can set", types.TypeString(t, nil))
			}
			g.leftOut()
			continue
		}
		m, why := g.makerFor(f.Name(), f.Type(), depth+1)
		if why != "" {
			g.leftOut()
			continue
		}
		if nilable(f.Type()) && g.comparedWithNil(f) {
			fmt.Fprintf(&b, "\tif s.Size > 0 || s.Choose(8) != 7 {\n\t\tv.%s = %s(s)\n\t}\n", f.Name(), m)
			continue
		}
		fmt.Fprintf(&b, "\tv.%s = %s(s)\n", f.Name(), m)
	}
	b.WriteString("\treturn v\n")
	return b.String(), ""
}

// declaredLike returns the type of another package whose underlying type is a struct with fields that only
// that package can set, as time.Time is in "type Stamp time.Time"; nil if there is none.
func (g *Generator) declaredLike(u *types.Struct) types.Type {
	for f := range u.Fields() {
		if f.Exported() || f.Pkg() == nil || f.Pkg() == g.pkg.Types {
			continue
		}
		for _, name := range f.Pkg().Scope().Names() {
			n, ok := f.Pkg().Scope().Lookup(name).(*types.TypeName)
			if ok && n.Exported() && !n.IsAlias() && types.Identical(n.Type().Underlying(), u) {
				return n.Type()
			}
		}
	}
	return nil
}

// isModules reports whether a package is of the same module.
func (g *Generator) isModules(p *types.Package) bool {
	m := g.pkg.Module
	return p == g.pkg.Types || m != nil && (p.Path() == m.Path || strings.HasPrefix(p.Path(), m.Path+"/"))
}

// isOpen reports whether values of a package's structs are made where that takes its constructors, or begins with
// a zero value: not those of the standard library, most of which are known or refer to something outside.
func (g *Generator) isOpen(p *types.Package) bool {
	if p == nil {
		return false
	}
	first, _, _ := strings.Cut(p.Path(), "/")
	return g.isModules(p) || strings.Contains(first, ".")
}

func hasUnexported(u *types.Struct) bool {
	for f := range u.Fields() {
		if !f.Exported() {
			return true
		}
	}
	return false
}

// implementation makes a value of one of the module's types that implement an interface; if there
// are none, of a type that records its calls and returns random values.
func (g *Generator) implementation(t types.Type, u *types.Interface, key string, depth int) (text, why string) {
	if u.NumMethods() == 0 && u.NumEmbeddeds() == 0 {
		return g.anything(depth), ""
	}
	var makers []string
	leaf, nested := "nil", false // a value that does not contain others, and whether there are any that do
	for _, p := range append([]*types.Package{g.pkg.Types}, g.pkg.Types.Imports()...) {
		if !g.isModules(p) {
			continue
		}
		for _, name := range p.Scope().Names() {
			m, of := g.implements(p.Scope().Lookup(name), t, depth)
			if m == "" || slices.Contains(makers, m) {
				continue
			}
			makers = append(makers, m)
			switch recursive := reaches(of, func(in types.Type) bool { return types.Identical(in.Underlying(), u) }); {
			case recursive:
				nested = true
			case leaf == "nil":
				leaf = m + "(s)"
			}
		}
	}
	if len(makers) == 0 {
		return g.stub(u, key, depth)
	}
	var b strings.Builder
	if nested {
		fmt.Fprintf(&b, "\tif s.Ends() || s.Deep() {\n\t\treturn %s\n\t}\n", leaf)
	}
	fmt.Fprintf(&b, "\tswitch s.Kind(%q, %d) {\n", key, len(makers))
	for i, m := range makers[1:] {
		fmt.Fprintf(&b, "\tcase %d:\n\t\treturn %s(s)\n", i+1, m)
	}
	fmt.Fprintf(&b, "\t}\n\treturn %s(s)\n", makers[0])
	return b.String(), ""
}

// implements returns the maker of a type, or of pointers to it, if it implements an interface, and that type. A
// generic type gets the type arguments of the interface.
func (g *Generator) implements(obj types.Object, i types.Type, depth int) (maker string, of types.Type) {
	tn, ok := obj.(*types.TypeName)
	if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) || !g.accessible(tn) {
		return "", nil
	}
	t := tn.Type()
	if n, ok := t.(*types.Named); ok && n.TypeParams().Len() > 0 {
		if t = instanceLike(n, i); t == nil {
			return "", nil
		}
	}
	u, _ := i.Underlying().(*types.Interface)
	for _, candidate := range []types.Type{t, types.NewPointer(t)} {
		if u == nil || !types.Implements(candidate, u) {
			continue
		}
		if m, why := g.maker(candidate, depth+1); why == "" {
			return m, candidate
		}
	}
	return "", nil
}

// instanceLike returns a generic type with the type arguments of another type; nil if it takes others.
func instanceLike(generic *types.Named, like types.Type) types.Type {
	n, ok := like.(*types.Named)
	if !ok || n.TypeArgs().Len() != generic.TypeParams().Len() {
		return nil
	}
	t, err := types.Instantiate(nil, generic, slices.Collect(n.TypeArgs().Types()), true)
	if err != nil {
		return nil
	}
	return t
}

// stub writes a type with an interface's methods.
func (g *Generator) stub(u *types.Interface, key string, depth int) (text, why string) {
	if !u.IsMethodSet() {
		return "", key + " is a constraint"
	}
	g.stubs++
	name := "whetStub" + strconv.Itoa(g.stubs)
	var fields, methods, resets, asked strings.Builder
	for m := range u.Methods() {
		if !m.Exported() && m.Pkg() != g.pkg.Types {
			return "", "no type of the module has the methods of " + key
		}
		sig := m.Signature()
		if body := streaming(m); body != "" {
			fmt.Fprintf(&methods, "func (x *%s) %s(p []byte) (int, error) { %s }\n\n", name, m.Name(), body)
			continue
		}
		for v := range sig.Params().Variables() {
			if !g.Nameable(v.Type()) {
				return "", fmt.Sprintf("a parameter of %s.%s cannot be named here", key, m.Name())
			}
		}
		of := answerer{m.Name(), roleOf(sig, m.Name()), true, "m" + m.Name(), "x.f" + m.Name()}
		head, hold, body, why := g.answering(sig, of, depth)
		if why != "" {
			return "", fmt.Sprintf("%s.%s: %s", key, m.Name(), why)
		}
		if hold != "" {
			fmt.Fprintf(&fields, "m%[1]sdrawn bool\nm%[1]sat int\n%[2]s", m.Name(), hold)
			fmt.Fprintf(&resets, "x.m%sat = 0\n", m.Name())
		}
		if of.role != effect {
			fmt.Fprintf(&fields, "f%s *whetlib.Func\n", m.Name())
			fmt.Fprintf(&asked, ", f%s: %s", m.Name(), asking(sig, m.Name()))
		}
		fmt.Fprintf(&methods, "func (x *%s) %s%s {\ns := x.s\n%s}\n\n", name, m.Name(), head, body)
	}
	g.made = append(g.made, fmt.Sprintf("// %s notes how it is called.\ntype %s struct {\ns *whetlib.Source\nreader "+
		"*whetlib.Reader\n%s}\n\n%s", name, name, fields.String(), methods.String()))
	return fmt.Sprintf("\tx := &%s{s: s, reader: s.Reader()%s}\n\tif s.Size > 0 {\n\t\ts.Reset = append(s.Reset, func() {"+
		"\n%s\t\t})\n\t}\n\treturn x\n", name, asked.String(), resets.String()), ""
}

// streaming returns the body of a method that reads or writes bytes, for which random results would
// be inconsistent.
func streaming(m *types.Func) string {
	in, out := m.Signature().Params(), m.Signature().Results()
	if in.Len() != 1 || in.At(0).Type().String() != "[]byte" || out.Len() != 2 || out.At(0).Type().String() != "int" ||
		out.At(1).Type().String() != "error" {
		return ""
	}
	switch m.Name() {
	case "Read":
		return "return x.reader.Read(p)"
	case "Write":
		return "return x.s.Wrote(p)"
	}
	return ""
}
