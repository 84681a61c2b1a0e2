package differ

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/prove/differ/generics"
	"github.com/whet-go/whet/internal/prove/differ/makers"
	"github.com/whet-go/whet/internal/prove/differ/states"
)

// A callCode describes how to call a function with generated values.
type callCode struct {
	Function string // in the form of Go source: (*T).Name

	fn      *types.Func
	partial bool    // some value lacks something that may be needed
	shapes  []shape // one per choice of type arguments; a single one if not generic
}

// A shape is a function's call without type parameters. All fields are code for the test file.
type shape struct {
	recv    string   // maker of the receiver; "" for a function
	inst    string   // type arguments of the function: [int, string]
	named   string   // the same in the code of records
	makers  []string // of the arguments
	results int
	dots    string          // "..." for a variadic call
	inner   map[int][]inner // calls of returned functions, by the index of the result
	sig     *types.Signature
	prior   []priorCall // methods that bring the receiver into other states
}

// A priorCall is another method of the receiver that may be called before.
type priorCall struct {
	name    string
	makers  []string
	results int
	dots    string
}

// callOf returns how to call a function of the package, or an *UnsupportedError.
func (g *testFile) callOf(d *ast.FuncDecl) (*callCode, error) {
	c := &callCode{Function: FuncName(d)}
	unsupported := func(what string) error { return &UnsupportedError{Function: c.Function, What: what} }
	var ok bool
	if c.fn, ok = g.pkg.TypesInfo.Defs[d.Name].(*types.Func); !ok || d.Body == nil {
		return nil, unsupported("it has no body")
	}
	if d.Name.Name == "init" || d.Name.Name == "main" || d.Name.Name == "_" {
		return nil, unsupported("it runs once, when the program starts")
	}
	if why := cmp.Or(g.Differs(c.fn), g.unlikeResult(c.fn)); why != "" {
		return nil, unsupported(why)
	}
	instances, why := generics.Instances(g.pkg, g.Generator, c.fn)
	for _, i := range instances {
		var s shape
		if s, why = g.shape(i); why == "" {
			c.shapes = append(c.shapes, s)
			c.partial = c.partial || slices.ContainsFunc(append(s.makers, s.recv), func(m string) bool { return g.Partial(m) })
		}
	}
	if len(c.shapes) == 0 {
		return nil, unsupported(why)
	}
	return c, nil
}

// fixed reports whether each call is the same: there are neither parameters nor a receiver.
func (c *callCode) fixed() bool {
	return !slices.ContainsFunc(c.shapes, func(s shape) bool {
		return s.recv != "" || len(s.makers) > 0 || len(s.inner) > 0
	})
}

// hasPrior reports whether other methods of the receiver may be called before.
func (c *callCode) hasPrior() bool {
	return slices.ContainsFunc(c.shapes, func(s shape) bool { return len(s.prior) > 0 })
}

// ways returns the calls that run a function of the package: of the function itself, and if it
// cannot be called, or not with everything it may need, of its callers. It is an error if there are
// none.
func (g *testFile) ways(d *ast.FuncDecl) (calls []*callCode, err error) {
	entries, errs := g.entries(g.objects([]*ast.FuncDecl{d}))
	for _, e := range certain(entries) {
		calls = append(calls, e.call)
	}
	return calls, errors.Join(errs...)
}

func (g *testFile) shape(i generics.Instance) (s shape, why string) {
	s = shape{
		inst: makers.Bracketed(i.Args, g.Qualify), named: makers.Bracketed(i.Args, g.Recorded),
		results: i.Sig.Results().Len(), sig: i.Sig,
	}
	if r := i.Sig.Recv(); r != nil {
		if s.recv, why = g.Maker(r.Type()); why != "" {
			return s, "the receiver: " + why
		}
	}
	for at := range i.Sig.Params().Len() {
		p := i.Sig.Params().At(at)
		if b, ok := types.Unalias(p.Type()).(*types.Basic); ok && b.Kind() == types.Int &&
			g.anySize(i.Fn, i.Fn.Signature().Params().At(at)) {
			s.makers = append(s.makers, "whetWide")
			continue
		}
		m, why := g.ParameterMaker(i.Fn.Signature().Params().At(at), p.Type())
		if why != "" {
			return s, fmt.Sprintf("parameter %s: %s", p.Name(), why)
		}
		s.makers = append(s.makers, m)
	}
	if i.Sig.Variadic() {
		s.dots = "..."
	}
	if s.inner, why = g.innerCalls(i); why == "" && s.recv != "" {
		s.prior = g.priorCalls(i)
	}
	return s, why
}

// maxPrior is the number of other methods that may be called before the one that is compared.
const maxPrior = 8

// priorCalls returns other methods of a receiver, whose arguments can be made.
func (g *testFile) priorCalls(i generics.Instance) (calls []priorCall) {
	if g.states == nil {
		g.states = states.New(g.pkg)
	}
	recv := i.Sig.Recv().Type()
	for _, m := range g.states.Methods(i.Fn, recv, maxPrior) {
		sig := m.Signature()
		if g.Differs(m.Origin()) != "" || g.unlikeResult(m) != "" {
			continue
		}
		one := priorCall{name: m.Name(), results: sig.Results().Len()}
		for p := range sig.Params().Variables() {
			maker, why := g.Maker(p.Type())
			if why != "" {
				break
			}
			one.makers = append(one.makers, maker)
		}
		if len(one.makers) < sig.Params().Len() {
			continue
		}
		if sig.Variadic() {
			one.dots = "..."
		}
		calls = append(calls, one)
	}
	return calls
}

// anySize reports whether a function's int parameter may be any number: nothing is made of that size,
// or repeated that often. It is used only in comparisons, arithmetic and calls of a few packages that
// do neither.
func (g *testFile) anySize(fn *types.Func, param *types.Var) bool {
	d := g.declOf(fn)
	if d == nil || param.Name() == "" {
		return false
	}
	uses := func(n ast.Node) bool {
		found := false
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && g.pkg.TypesInfo.Uses[id] == param
			return !found
		})
		return found
	}
	free := true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			free = free && !uses(x)
		case *ast.AssignStmt: // another variable may be used in any way
			for _, rhs := range x.Rhs {
				free = free && !uses(rhs)
			}
		case *ast.ValueSpec, *ast.CompositeLit:
			free = free && !uses(x)
		case *ast.CallExpr:
			free = free && (!slices.ContainsFunc(x.Args, func(arg ast.Expr) bool { return uses(arg) }) || g.sizeless(x))
		}
		return free
	})
	return free
}

// sizeless reports whether a call makes nothing of the size of a number among its arguments.
func (g *testFile) sizeless(call *ast.CallExpr) bool {
	if g.pkg.TypesInfo.Types[call.Fun].IsType() {
		return true
	}
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		b, ok := g.pkg.TypesInfo.Uses[fun].(*types.Builtin)
		return ok && b.Name() != "make"
	case *ast.SelectorExpr:
		fn, ok := g.pkg.TypesInfo.Uses[fun.Sel].(*types.Func)
		if !ok || fn.Pkg() == nil {
			return false
		}
		switch fn.Pkg().Path() {
		case "fmt", "strconv", "math", "math/bits", "errors":
			return true
		}
	}
	return false
}

// numbered returns n names: r0, r1, …
func numbered(letter string, n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = letter + strconv.Itoa(i)
	}
	return strings.Join(names, ", ")
}

// pointers returns n further arguments: pointers to the variables that numbered names.
func pointers(letter string, n int) string {
	if n == 0 {
		return ""
	}
	return ", &" + strings.ReplaceAll(numbered(letter, n), ", ", ", &")
}

// manyCalls returns the code of a func(*whetSource) that calls the function, under a name, several
// times on one receiver, and records everything observable.
func (c *callCode) manyCalls(name string) string {
	if len(c.shapes) == 1 {
		return "func(s *whetSource) {\n" + c.shapes[0].turns(name) + "}"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func(s *whetSource) {\nswitch s.choose(%d) {\n", len(c.shapes))
	for i, s := range c.shapes {
		fmt.Fprintf(&b, "case %d:\ns.as = %q\n%s", i, s.like(), s.turns(name))
	}
	b.WriteString("}\n}")
	return b.String()
}

// like returns what tells facts about calls with some type arguments from those with others.
func (s *shape) like() string {
	if s.inst == "" {
		return " of " + types.TypeString(s.sig.Recv().Type(), func(*types.Package) string { return "" })
	}
	return " with " + s.inst
}

func (s *shape) turns(name string) string {
	var b strings.Builder
	if s.recv != "" {
		fmt.Fprintf(&b, "recv := %s(s)\ns.keep(recv)\ns.receives(&recv)\n", s.recv)
		name = "recv." + name
	}
	if len(s.prior) > 0 {
		fmt.Fprintf(&b, "for n := s.priors(); n > 0; n-- {\nswitch s.choose(%d) {\n", len(s.prior))
		for i, one := range s.prior {
			fmt.Fprintf(&b, "case %d:\ns.prior(%q, func() {\n%s})\n", i, one.name,
				oneTurn("recv."+one.name, "", "", one.makers, one.results, one.dots))
		}
		b.WriteString("}\n}\n")
	}
	b.WriteString("for n := s.turns(); n > 0; n-- { // as old modules have it, too\ns.turn(func() {\n")
	b.WriteString(oneTurn(name, s.named, s.inst, s.makers, s.results, s.dots))
	for i := range s.results {
		for _, in := range s.inner[i] {
			b.WriteString(in.code("r", i))
		}
	}
	b.WriteString("})\n}\n")
	return b.String()
}

// oneTurn returns the code that makes the arguments of a function, calls it, and records its results. named and inst
// are type arguments.
func oneTurn(name, named, inst string, makers []string, results int, dots string) string {
	var b strings.Builder
	for i, m := range makers {
		fmt.Fprintf(&b, "a%d := %s(s)\n", i, m)
	}
	args := numbered("a", len(makers))
	if args != "" {
		fmt.Fprintf(&b, "s.keep(%s)\n", args)
	}
	fmt.Fprintf(&b, "s.calls(%q, %q%s)\n", name+named, dots, pointers("a", len(makers)))
	call := name + inst + "(" + args + dots + ")"
	if results == 0 {
		return b.String() + call + "\n"
	}
	names := numbered("r", results)
	fmt.Fprintf(&b, "%s := %s\ns.result(%s)\n", names, call, names)
	return b.String()
}

// oneCall returns the code of a func(*whetSource) func() error that makes arguments and a receiver,
// and returns a call of the function with them, as whetBenchmark takes it. With returned, the
// function itself is called while the arguments are made, and the returned call is of the function
// or handler that it returned; the code is "" if it returns none. The compiler can neither inline a
// returned function nor, if dynamic is set, the function itself: it sees a function value.
func (c *callCode) oneCall(returned, dynamic bool) string {
	s, name := c.shapes[0], c.fn.Name()
	var b strings.Builder
	b.WriteString("func(s *whetSource) func() error {\n")
	if s.recv != "" {
		fmt.Fprintf(&b, "recv := %s(s)\ns.keep(recv)\n", s.recv)
		name = "recv." + name
	}
	for i, m := range s.makers {
		fmt.Fprintf(&b, "a%d := %s(s)\n", i, m)
	}
	args := numbered("a", len(s.makers))
	if args != "" {
		fmt.Fprintf(&b, "s.keep(%s)\n", args)
	}
	if dynamic && !returned {
		fmt.Fprintf(&b, "f := %s%s\nwhetCalled = &f\n", name, s.inst)
		return b.String() + fmt.Sprintf("return func() error {\n%s}\n}", noted("f("+args+s.dots+")", s.sig.Results(), "r"))
	}
	call := name + s.inst + "(" + args + s.dots + ")"
	if !returned {
		fmt.Fprintf(&b, "return func() error {\n%s}\n}", noted(call, s.sig.Results(), "r"))
		return b.String()
	}
	for i := range s.sig.Results().Len() {
		if len(s.inner[i]) == 0 {
			continue
		}
		inner := s.inner[i][0]
		names := make([]string, s.results)
		for k := range names {
			names[k] = "_"
		}
		names[i] = "r"
		fmt.Fprintf(&b, "%s := %s\nf, _ := %s\nwhetCalled = &f\n%sreturn func() error {\n%s}\n}",
			strings.Join(names, ", "), call, inner.from("r"), inner.makes, noted("f"+inner.call, inner.results, "c"))
		return b.String()
	}
	return ""
}

// noted returns the code of a call whose results are recorded if s requires it; it returns the last
// one if that is an error. Because results may be recorded, the compiler cannot eliminate the call.
func noted(call string, results *types.Tuple, letter string) string {
	n := results.Len()
	if n == 0 {
		return call + "\nreturn nil\n"
	}
	list := numbered(letter, n)
	last := "nil"
	if results.At(n-1).Type().String() == "error" {
		last = letter + strconv.Itoa(n-1)
	}
	return fmt.Sprintf("%s := %s\nif s.noting {\ns.result(%s)\n}\nreturn %s\n", list, call, list, last)
}

// An inner call is a call of a returned function or handler.
type inner struct {
	typ      string // of the function, if the result has an interface type
	makes    string // makes and keeps arguments
	method   string // .ServeHTTP, or in the code of records .(func())
	call     string // what follows its name: .ServeHTTP(b0, b1)
	pointers string // further arguments of calls: , "", &b0, &b1
	results  *types.Tuple
	inner    map[int][]inner // calls of what it returns: a middleware returns a function that returns a handler
}

// The letters of variables for the results and arguments of calls: of the function, of what it returned, and of what
// that returned. Package reproducer knows them.
const (
	resultLetters   = "rcd"
	argumentLetters = "abe"
)

// code returns the code that calls what is the result of a call with a letter and an index.
func (in *inner) code(letter string, at int) string {
	name, next := letter+strconv.Itoa(at), string(resultLetters[strings.Index(resultLetters, letter)+1])
	var b strings.Builder
	fmt.Fprintf(&b, "if f, ok := %s; ok && f != nil {\n%ss.calls(%q%s)\n%s", in.from(name), in.makes, name+in.method,
		in.pointers, recorded("f"+in.call, in.results, next))
	for i := range in.results.Len() {
		for _, deeper := range in.inner[i] {
			b.WriteString(deeper.code(next, i))
		}
	}
	return b.String() + "}\n"
}

// from returns the code of the function, and of a boolean that is true if a result is one.
func (in *inner) from(result string) string {
	if in.typ == "" {
		return result + ", true"
	}
	return result + ".(" + in.typ + ")"
}

// recorded returns the code of a call whose results are recorded, in variables with a letter.
func recorded(call string, results *types.Tuple, letter string) string {
	if results.Len() == 0 {
		return call + "\n"
	}
	list := numbered(letter, results.Len())
	return fmt.Sprintf("%s := %s\ns.result(%s)\n", list, call, list)
}

// innerCalls returns how to call the functions and handlers among results, by index: the change may
// be in them.
func (g *testFile) innerCalls(i generics.Instance) (calls map[int][]inner, why string) {
	calls = map[int][]inner{}
	for at := range i.Sig.Results().Len() {
		t := i.Sig.Results().At(at).Type()
		if types.TypeString(t, nil) == "net/http.Handler" {
			serve, _, _ := types.LookupFieldOrMethod(t, false, nil, "ServeHTTP")
			in, why := g.innerCall(serve.Type(), ".ServeHTTP", 1)
			if why != "" {
				return nil, why
			}
			in.method = ".ServeHTTP"
			calls[at] = append(calls[at], in)
			continue
		}
		if _, ok := t.Underlying().(*types.Signature); ok {
			in, why := g.innerCall(t, "", 1)
			if why != "" {
				return nil, why
			}
			calls[at] = append(calls[at], in)
		}
		for _, t := range g.returnedFuncs(i.Fn, at) {
			in, why := g.innerCall(t, "", 1)
			if why != "" {
				continue // the result can be compared all the same
			}
			in.typ = types.TypeString(t, g.Qualify)
			in.method = ".(" + types.TypeString(t, g.Recorded) + ")"
			calls[at] = append(calls[at], in)
		}
	}
	return calls, ""
}

// innerCall returns how to call a function of a type, or a method of what was returned, at a depth.
func (g *testFile) innerCall(t types.Type, method string, depth int) (in inner, why string) {
	fn, ok := t.Underlying().(*types.Signature)
	if !ok {
		return in, "it is not a function"
	}
	in.results = fn.Results()
	letter := string(argumentLetters[depth])
	args := numbered(letter, fn.Params().Len())
	for i := range fn.Params().Len() {
		m, why := g.Maker(fn.Params().At(i).Type())
		if why != "" {
			return in, fmt.Sprintf("a parameter of the function that it returns: %s", why)
		}
		in.makes += fmt.Sprintf("%s%d := %s(s)\n", letter, i, m)
	}
	if args != "" {
		in.makes += "s.keep(" + args + ")\n"
	}
	dots := ""
	if fn.Variadic() {
		dots = "..."
	}
	in.call = method + "(" + args + dots + ")"
	in.pointers = fmt.Sprintf(", %q%s", dots, pointers(letter, fn.Params().Len()))
	if depth+1 == len(argumentLetters) {
		return in, ""
	}
	in.inner = map[int][]inner{}
	for i := range in.results.Len() {
		of, method := in.results.At(i).Type(), ""
		if types.TypeString(of, nil) == "net/http.Handler" {
			serve, _, _ := types.LookupFieldOrMethod(of, false, nil, "ServeHTTP")
			of, method = serve.Type(), ".ServeHTTP"
		}
		if _, ok := of.Underlying().(*types.Signature); !ok {
			continue
		}
		if deeper, why := g.innerCall(of, method, depth+1); why == "" { // else what it returns can be compared all the same
			deeper.method = method
			in.inner[i] = append(in.inner[i], deeper)
		}
	}
	return in, ""
}

// returnedFuncs returns the types of the functions that a function returns as a result of interface
// type, as far as its return statements show them.
func (g *testFile) returnedFuncs(fn *types.Func, at int) (list []types.Type) {
	sig := fn.Signature()
	if sig.TypeParams() != nil || sig.RecvTypeParams() != nil || !types.IsInterface(sig.Results().At(at).Type()) {
		return nil
	}
	d := g.declOf(fn)
	if d == nil || d.Body == nil {
		return nil
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(x.Results) != sig.Results().Len() {
				return true
			}
			t := g.pkg.TypesInfo.TypeOf(x.Results[at])
			if t == nil || slices.ContainsFunc(list, func(o types.Type) bool { return types.Identical(o, t) }) {
				return true
			}
			if f, ok := t.Underlying().(*types.Signature); ok && f.TypeParams() == nil && g.Nameable(t) {
				list = append(list, t)
			}
		}
		return true
	})
	return list
}
