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

	"github.com/whet-go/whet/internal/prove/differ/emptiness"
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
	calls   string   // what captured calls of it are known by
	recv    string   // maker of the receiver; "" for a function
	inst    string   // type arguments of the function: [int, string]
	named   string   // the same in the code of records
	makers  []string // of the arguments
	results int
	dots    string // "..." for a variadic call
	inner   returned
	sig     *types.Signature
	prior   []priorCall // methods that bring the receiver into other states
	hidden  []bool      // slices among the results that may be nil or empty alike: no caller shows which; nil for none
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

// ways returns the calls that run a function of the package: of the function itself, and if it cannot be called, or
// not with everything it may need, or callers is set, of its callers. It is an error if there are none.
func (g *testFile) ways(d *ast.FuncDecl, callers bool) (calls []*callCode, err error) {
	entries, errs := g.entries(g.objects([]*ast.FuncDecl{d}))
	if !callers {
		entries = certain(entries)
	}
	for _, e := range entries {
		calls = append(calls, e.call)
	}
	return calls, errors.Join(errs...)
}

func (g *testFile) shape(i generics.Instance) (s shape, why string) {
	s = shape{
		calls: i.Name(), inst: makers.Bracketed(i.Args, g.Qualify), named: makers.Bracketed(i.Args, g.Recorded),
		results: i.Sig.Results().Len(), sig: i.Sig, hidden: emptiness.In(g.versions, i.Fn),
	}
	if r := i.Sig.Recv(); r != nil {
		if s.recv, why = g.Maker(r.Type()); why != "" {
			return s, "the receiver: " + why
		}
	}
	for at := range i.Sig.Params().Len() {
		p := i.Sig.Params().At(at)
		if b, ok := types.Unalias(p.Type()).(*types.Basic); ok && b.Kind() == types.Int &&
			makers.AnySize(g.pkg.TypesInfo, g.declOf(i.Fn), i.Fn.Signature().Params().At(at)) {
			s.makers = append(s.makers, "whetlib.Wide")
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

// manyCalls returns the code of a func(*whetlib.Source) that calls the function, under a name, several times on one
// receiver, and records everything observable.
func (c *callCode) manyCalls(name string) string {
	if len(c.shapes) == 1 {
		return "func(s *whetlib.Source) {\n" + c.shapes[0].turns(name) + "}"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func(s *whetlib.Source) {\nswitch s.Choose(%d) {\n", len(c.shapes))
	for i, s := range c.shapes {
		fmt.Fprintf(&b, "case %d:\ns.As = %q\n%s", i, s.like(), s.turns(name))
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
	fmt.Fprintf(&b, "s.Encoders = whetEncoders\ns.Take(whetCaptured[%q])\n", s.calls)
	at := 0
	if s.recv != "" {
		fmt.Fprintf(&b, "recv := whetlib.Argument(s, 0, %s)\ns.Keep(recv)\ns.Receives(&recv)\n", s.recv)
		name, at = "recv."+name, 1
	}
	b.WriteString(s.priorTurns())
	b.WriteString("for n := s.Turns(); n > 0; n-- { // as old modules have it, too\ns.Turn(func() {\n")
	b.WriteString(oneTurn(name, s.named, s.inst, s.makers, at, s.results, s.dots, s.hidden, holds(s.sig.Results(), "r")))
	b.WriteString(s.inner.calls() + "})\n}\n")
	if len(s.prior) > 0 {
		n := len(s.prior)
		fmt.Fprintf(&b, "for n := s.Proofs(%d); n > 0; n-- {\nswitch n %% %d {\n", n, n)
		for i, one := range s.prior {
			fmt.Fprintf(&b, "case %d:\ns.Proof(%q, n <= %d, &recv, func() {\n%s})\n", i, one.name, n,
				oneTurn("recv."+one.name, "", "", one.makers, -1, one.results, one.dots, nil, ""))
		}
		b.WriteString("}\n}\n")
	}
	return b.String()
}

// priorTurns returns the code that calls some of the methods that may be called before.
func (s *shape) priorTurns() string {
	if len(s.prior) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "for n := s.Priors(); n > 0; n-- {\nswitch s.Choose(%d) {\n", len(s.prior))
	for i, one := range s.prior {
		fmt.Fprintf(&b, "case %d:\ns.Prior(%q, func() {\n%s})\n", i, one.name,
			oneTurn("recv."+one.name, "", "", one.makers, -1, one.results, one.dots, nil, ""))
	}
	b.WriteString("}\n}\n")
	return b.String()
}

// oneTurn returns the code that makes the arguments of a function, calls it, and records its results. named and inst
// are type arguments; at is the place of the first argument in a call that was captured, negative if it is none. Of
// hidden results, nil is recorded as empty. held is the code that notes the types of others.
func oneTurn(
	name, named, inst string, makers []string, at, results int, dots string, hidden []bool, held string,
) string {
	var b strings.Builder
	b.WriteString(makeArguments(makers, at))
	args := numbered("a", len(makers))
	if args != "" {
		fmt.Fprintf(&b, "s.Keep(%s)\n", args)
	}
	fmt.Fprintf(&b, "s.Calls(%q, %q%s)\n", name+named, dots, pointers("a", len(makers)))
	call := name + inst + "(" + args + dots + ")"
	if results == 0 {
		return b.String() + call + "\n"
	}
	names := numbered("r", results)
	recorded := strings.Split(names, ", ")
	for i, is := range hidden {
		if is {
			recorded[i] = "whetlib.Filled(" + recorded[i] + ")"
			fmt.Fprintf(&b, "s.Filled = append(s.Filled, %d)\n", i)
		}
	}
	fmt.Fprintf(&b, "%s := %s\n%ss.Result(%s)\n", names, call, held, strings.Join(recorded, ", "))
	return b.String()
}

// holds returns the code that notes the types of what results of interface types hold; "" if there are none.
func holds(results *types.Tuple, letter string) string {
	var args []string
	for i := range results.Len() {
		if t := results.At(i).Type(); types.IsInterface(t) {
			args = append(args, fmt.Sprintf("%d, %s%d", i, letter, i))
		}
	}
	if len(args) == 0 {
		return ""
	}
	return "s.Holds(" + strings.Join(args, ", ") + ")\n"
}

// makeArguments returns the code that makes arguments, or takes those of a captured call from a place on.
func makeArguments(makers []string, at int) string {
	var b strings.Builder
	for i, m := range makers {
		if at < 0 {
			fmt.Fprintf(&b, "a%d := %s(s)\n", i, m)
		} else {
			fmt.Fprintf(&b, "a%d := whetlib.Argument(s, %d, %s)\n", i, at+i, m)
		}
	}
	return b.String()
}

// oneCall returns the code of a func(*whetlib.Source) func() error that makes arguments and a receiver, and returns a
// call of the function with them, as whetlib.Benchmark takes it. If depth is not 0, the function itself is called while
// the arguments are made, and the returned call is of the function or handler that it returned, at depth 2 of the one
// that this one returned; the code is "" if there is none. The compiler can neither inline a returned function nor, if
// dynamic is set, the function itself: it sees a function value. before is the function that calls other methods of an
// unusual receiver, and sets the code that sets variables; "" for none.
func (c *callCode) oneCall(depth int, dynamic bool, before, sets string) string {
	s, name := c.shapes[0], c.fn.Name()
	var b strings.Builder
	b.WriteString("func(s *whetlib.Source) func() error {\n")
	open := "return func() error {\n"
	if sets != "" {
		b.WriteString("var whetSet []func() func()\n" + sets + setAll)
		open += setAll
	}
	fmt.Fprintf(&b, "s.Encoders = whetEncoders\ns.Shape(%d)\ns.Take(whetCaptured[%q])\n", len(c.shapes), s.calls)
	at := 0
	if s.recv != "" {
		fmt.Fprintf(&b, "recv := whetlib.Argument(s, 0, %s)\ns.Keep(recv)\n", s.recv)
		name, at = "recv."+name, 1
		if _, isPointer := types.Unalias(s.sig.Recv().Type()).(*types.Pointer); before != "" && isPointer {
			fmt.Fprintf(&b, "%s(s, recv)\n", before)
		} else if before != "" {
			fmt.Fprintf(&b, "%s(s, &recv)\n", before)
		}
	}
	b.WriteString("s.Once()\n" + makeArguments(s.makers, at))
	args := numbered("a", len(s.makers))
	if args != "" {
		fmt.Fprintf(&b, "s.Keep(%s)\n", args)
	}
	if dynamic && depth == 0 {
		fmt.Fprintf(&b, "f := %s%s\nwhetlib.Called = &f\n", name, s.inst)
		return b.String() + fmt.Sprintf("%s%s}\n}", open, noted("f("+args+s.dots+")", s.sig.Results(), "r"))
	}
	call := name + s.inst + "(" + args + s.dots + ")"
	if depth == 0 {
		fmt.Fprintf(&b, "%s%s}\n}", open, noted(call, s.sig.Results(), "r"))
		return b.String()
	}
	in, all := inner{results: s.sig.Results()}, s.inner
	for at := range depth {
		next, ok := all.first()
		if !ok {
			return ""
		}
		names := slices.Repeat([]string{"_"}, in.results.Len())
		names[next.of] = "r"
		fmt.Fprintf(&b, "%s := %s\nf%d, _ := %s\n%s", strings.Join(names, ", "), call, at, next.from("r"), next.makes)
		if at+1 < depth {
			b.WriteString("{\n")
		}
		in, all, call = next, next.then, fmt.Sprintf("f%d%s", at, next.call)
	}
	fmt.Fprintf(&b, "f := f%d\nwhetlib.Called = &f\n%s%s}\n%s}", depth-1, open,
		noted("f"+in.call, in.results, "c"), strings.Repeat("}\n", depth-1))
	return b.String()
}

// before returns the code of a function that calls some of the methods that may be called before, of a receiver that
// is made as comparisons make it; "" if there are none.
func (g *testFile) before(name string, c *callCode) string {
	turns := c.shapes[0].priorTurns()
	if turns == "" {
		return ""
	}
	recv := c.shapes[0].sig.Recv().Type()
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	return fmt.Sprintf("// %s calls methods that may change what %s does.\nfunc %s(s *whetlib.Source, recv *%s) {\n"+
		"if s.Size != 0 {\nreturn\n}\n%s}\n\n",
		name, c.Function, name, types.TypeString(recv, g.Qualify), turns)
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
	return fmt.Sprintf("%s := %s\nif s.Noting {\ns.Result(%s)\n}\nreturn %s\n", list, call, list, last)
}

// Letters of the arguments and the results of a call, by its depth: 0 for a function, 1 for what it returned,
// 2 for what that returned.
const (
	argLetters    = "abe"
	resultLetters = "rcd"
	maxDepth      = len(argLetters) - 1
)

// An inner call is a call of a returned function or handler.
type inner struct {
	depth    int
	of       int    // index of the result
	typ      string // of the function, if the result has an interface type
	makes    string // makes and keeps arguments
	method   string // .ServeHTTP, or in the code of records .(func())
	call     string // what follows its name: .ServeHTTP(b0, b1)
	pointers string // further arguments of calls: , "", &b0, &b1
	results  *types.Tuple
	then     returned // calls of what it returns
}

// returned are calls of the functions and handlers among the results of a call.
type returned []inner

// first returns the first one, and whether there is one.
func (r returned) first() (in inner, ok bool) {
	if len(r) == 0 {
		return in, false
	}
	return r[0], true
}

// calls returns the code of the calls, whose results are recorded.
func (r returned) calls() string {
	var b strings.Builder
	for _, in := range r {
		result := string(resultLetters[in.depth-1]) + strconv.Itoa(in.of)
		fmt.Fprintf(&b, "if f, ok := %s; ok && f != nil {\n%ss.Calls(%q%s)\n", in.from(result), in.makes, result+in.method,
			in.pointers)
		if list := numbered(resultLetters[in.depth:in.depth+1], in.results.Len()); list != "" {
			fmt.Fprintf(&b, "%s := f%s\n%ss.Result(%s)\n%s}\n", list, in.call,
				holds(in.results, resultLetters[in.depth:in.depth+1]), list, in.then.calls())
			continue
		}
		fmt.Fprintf(&b, "f%s\n}\n", in.call)
	}
	return b.String()
}

// from returns the code of the function, and of a boolean that is true if a result is one.
func (in *inner) from(result string) string {
	if in.typ == "" {
		return result + ", true"
	}
	return result + ".(" + in.typ + ")"
}

// innerCalls returns how to call the functions and handlers among results: the change may be in them.
func (g *testFile) innerCalls(i generics.Instance) (calls returned, why string) {
	for at := range i.Sig.Results().Len() {
		in, why := g.innerResult(i.Sig, at, 1)
		if why != "" {
			return nil, why
		}
		if calls = append(calls, in...); len(in) > 0 {
			continue
		}
		for _, t := range g.returnedFuncs(i.Fn, at) {
			in, why := g.innerCall(t, "", 1)
			if why != "" {
				continue // the result can be compared all the same
			}
			in.of, in.typ = at, types.TypeString(t, g.Qualify)
			in.method = ".(" + types.TypeString(t, g.Recorded) + ")"
			calls = append(calls, in)
		}
	}
	return calls, ""
}

// innerResult returns how to call a result if its type is that of a function, a handler, or an interface
// with a single method that the function also takes: it may be wrapped.
func (g *testFile) innerResult(of *types.Signature, at, depth int) (calls returned, why string) {
	t := of.Results().At(at).Type()
	method := ""
	switch u := t.Underlying().(type) {
	case *types.Signature:
	case *types.Interface:
		handler := types.TypeString(t, nil) == "net/http.Handler"
		if !handler && (u.NumMethods() != 1 || !u.IsMethodSet() || !u.Method(0).Exported() || !takes(of, t)) {
			return nil, ""
		}
		method, t = "."+u.Method(0).Name(), u.Method(0).Type()
	default:
		return nil, ""
	}
	in, why := g.innerCall(t, method, depth)
	if why != "" {
		if depth > 1 || method != "" && method != ".ServeHTTP" {
			return nil, "" // the result can be compared all the same
		}
		return nil, why
	}
	in.of, in.method = at, method
	return returned{in}, ""
}

// takes reports whether a parameter of a function has a type.
func takes(fn *types.Signature, t types.Type) bool {
	for p := range fn.Params().Variables() {
		if types.Identical(p.Type(), t) {
			return true
		}
	}
	return false
}

// innerCall returns how to call a function of a type, or a method of what was returned.
func (g *testFile) innerCall(t types.Type, method string, depth int) (in inner, why string) {
	fn, ok := t.Underlying().(*types.Signature)
	if !ok {
		return in, "it is not a function"
	}
	in.depth, in.results = depth, fn.Results()
	letter := argLetters[depth : depth+1]
	args := numbered(letter, fn.Params().Len())
	for i := range fn.Params().Len() {
		maker := g.Maker
		if method == "" && fn.Results().Len() == 0 && fn.Params().Len() == 1 {
			maker = g.Sink // a sequence: what it yields is its output
		}
		m, why := maker(fn.Params().At(i).Type())
		if why != "" {
			return in, fmt.Sprintf("a parameter of the function that it returns: %s", why)
		}
		in.makes += fmt.Sprintf("%s%d := %s(s)\n", letter, i, m)
	}
	if args != "" {
		in.makes += "s.Keep(" + args + ")\n"
	}
	dots := ""
	if fn.Variadic() {
		dots = "..."
	}
	in.call = method + "(" + args + dots + ")"
	in.pointers = fmt.Sprintf(", %q%s", dots, pointers(letter, fn.Params().Len()))
	for at := range fn.Results().Len() {
		if depth < maxDepth {
			more, _ := g.innerResult(fn, at, depth+1) // it is never required
			in.then = append(in.then, more...)
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
