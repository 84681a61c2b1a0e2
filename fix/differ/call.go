package differ

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// A Call is how to call a function with values made for it.
type Call struct {
	Function string // as in Go's source: (*T).Name

	fn      *types.Func
	partial bool    // some value lacks something that may be needed
	shapes  []shape // one for each choice of type arguments; one for what is not generic
}

// A shape is a function's call without type parameters: all are code of the test file.
type shape struct {
	recv    string   // maker of the receiver; "" for a function
	inst    string   // type arguments of the function: [int, string]
	makers  []string // of the arguments
	results int
	after   string // calls what was returned; see callResults
	dots    string // "..." when the last argument is a slice of more
	sig     *types.Signature
}

// Call is how to call a function of the package. What cannot be called is an *UnsupportedError.
func (g *File) Call(d *ast.FuncDecl) (*Call, error) {
	c := &Call{Function: FuncName(d)}
	unsupported := func(what string) error { return &UnsupportedError{Function: c.Function, What: what} }
	var ok bool
	if c.fn, ok = g.pkg.TypesInfo.Defs[d.Name].(*types.Func); !ok || d.Body == nil {
		return nil, unsupported("it has no body")
	}
	if d.Name.Name == "init" || d.Name.Name == "main" || d.Name.Name == "_" {
		return nil, unsupported("it runs once, when the program starts")
	}
	instances, why := g.instances(c.fn)
	for _, i := range instances {
		var s shape
		if s, why = g.shape(i); why == "" {
			c.shapes = append(c.shapes, s)
			c.partial = c.partial || slices.ContainsFunc(append(s.makers, s.recv), func(m string) bool { return g.partial[m] })
		}
	}
	if len(c.shapes) == 0 {
		return nil, unsupported(why)
	}
	return c, nil
}

func (g *File) shape(i instance) (s shape, why string) {
	s = shape{inst: i.args, results: i.sig.Results().Len(), sig: i.sig}
	if r := i.sig.Recv(); r != nil {
		if s.recv, why = g.maker(r.Type(), 0); why != "" {
			return s, "the receiver: " + why
		}
	}
	for p := range i.sig.Params().Variables() {
		m, why := g.maker(p.Type(), 0)
		if why != "" {
			return s, fmt.Sprintf("parameter %s: %s", p.Name(), why)
		}
		s.makers = append(s.makers, m)
	}
	if i.sig.Variadic() {
		s.dots = "..."
	}
	s.after, why = g.callResults(i.sig)
	return s, why
}

// numbered are n names: r0, r1, …
func numbered(letter string, n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = letter + strconv.Itoa(i)
	}
	return strings.Join(names, ", ")
}

// Turns is a func(*whetSource) that calls the function under a name, several times in a row on one
// receiver, and notes what is to be seen.
func (c *Call) Turns(name string) string {
	if len(c.shapes) == 1 {
		return "func(s *whetSource) {\n" + c.shapes[0].turns(name) + "}"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func(s *whetSource) {\nswitch s.choose(%d) {\n", len(c.shapes))
	for i, s := range c.shapes {
		fmt.Fprintf(&b, "case %d:\n%s", i, s.turns(name))
	}
	b.WriteString("}\n}")
	return b.String()
}

func (s *shape) turns(name string) string {
	var b strings.Builder
	if s.recv != "" {
		fmt.Fprintf(&b, "recv := %s(s)\ns.keep(recv)\n", s.recv)
		name = "recv." + name
	}
	b.WriteString("for range s.turns() {\ns.turn(func() {\n")
	for i, m := range s.makers {
		fmt.Fprintf(&b, "a%d := %s(s)\n", i, m)
	}
	args := numbered("a", len(s.makers))
	if args != "" {
		fmt.Fprintf(&b, "s.keep(%s)\n", args)
	}
	call := name + s.inst + "(" + args + s.dots + ")"
	if results := numbered("r", s.results); results == "" {
		b.WriteString(call + "\n")
	} else {
		fmt.Fprintf(&b, "%s := %s\ns.result(%s)\n", results, call, results)
	}
	b.WriteString(s.after + "})\n}\n")
	return b.String()
}

// callResults is the code that calls the functions among the results, r0, r1, …: what was changed
// may lie in them.
func (g *File) callResults(sig *types.Signature) (text, why string) {
	var b strings.Builder
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		result := "r" + strconv.Itoa(i)
		fn, isFunc := t.Underlying().(*types.Signature)
		switch {
		case types.TypeString(t, nil) == "net/http.Handler":
			w, _ := g.maker(types.Unalias(g.named("net/http", "ResponseWriter")), 0)
			r, _ := g.maker(types.NewPointer(g.named("net/http", "Request")), 0)
			fmt.Fprintf(&b, "if %s != nil {\nw, r := %s(s), %s(s)\ns.keep(w, r)\n%s.ServeHTTP(w, r)\n}\n", result, w, r, result)
		case isFunc:
			var args, results []string
			fmt.Fprintf(&b, "if %s != nil {\n", result)
			for j := range fn.Params().Len() {
				m, why := g.maker(fn.Params().At(j).Type(), 0)
				if why != "" {
					return "", fmt.Sprintf("a parameter of the function that it returns: %s", why)
				}
				args = append(args, "b"+strconv.Itoa(j))
				fmt.Fprintf(&b, "b%d := %s(s)\ns.keep(b%d)\n", j, m, j)
			}
			for j := range fn.Results().Len() {
				results = append(results, "c"+strconv.Itoa(j))
			}
			call := fmt.Sprintf("%s(%s)", result, strings.Join(args, ", "))
			if fn.Variadic() {
				call = strings.TrimSuffix(call, ")") + "...)"
			}
			if len(results) > 0 {
				fmt.Fprintf(&b, "%s := %s\ns.result(%s)\n}\n", strings.Join(results, ", "), call, strings.Join(results, ", "))
			} else {
				fmt.Fprintf(&b, "%s\n}\n", call)
			}
		}
	}
	return b.String(), ""
}
