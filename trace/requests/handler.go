package requests

import (
	"cmp"
	"strings"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/trace/stacks"
)

// A handler is the function that answers a request, as far as a stack shows it. The server's
// package, routers and middleware pass the request from one function to the next. The handler is
// the last function that received it, the route's own:
//
//   - what net/http's own handlers, or a ServeHTTP method, are called for;
//   - in modules that the program only uses, the first function outside them;
//   - below own code, what functions of a router's module call that serve, route, filter or
//     continue with the next handler, or a closure of these;
//   - what an own closure or ServeHTTP method calls, if the trace has one place in its code that
//     calls several functions: the callee is then a value, such as the handler that a middleware
//     wraps. At other places the callee is a helper, even if several are called in one line, or the
//     only handler that the closure wraps.
type handler struct {
	name  string // "" means none
	depth int    // calls before it on the stack: of two, the deeper one was handed the request by the other
}

// A callSite is where a function calls another.
type callSite struct {
	caller string
	line   int
}

// A program is what all stacks of a trace show about how a program passes on requests.
type program struct {
	// callees has the function called at each call site; "" if there are several.
	callees map[callSite]string
	// branches are call sites that call a value, since one place in their code calls several
	// functions.
	branches map[callSite]bool
	// routers are the modules that are handed requests before own code is.
	routers map[string]bool
	// methods has the function that each of gRPC's generated functions calls; "" if there are
	// several.
	methods map[string]string
	// passing has the functions that were seen to pass on a request.
	passing map[string]bool
	// home is the module of package main, if that is in the module cache.
	home string
}

func newProgram(frames, branches []stacks.Frame) *program {
	p := &program{
		callees: map[callSite]string{}, routers: map[string]bool{}, methods: map[string]string{},
		passing: map[string]bool{}, branches: map[callSite]bool{},
	}
	for _, f := range branches {
		p.branches[callSite{f.Func, f.Line}] = true
	}
	for _, f := range frames {
		if f.Func == "main.main" {
			p.home = moduleOf(f.File)
		}
	}
	for _, f := range frames {
		if m := p.module(f); m != "" && strings.HasSuffix(f.Func, ".ServeHTTP") {
			p.routers[m] = true
		}
	}
	return p
}

// note adds a stack, leaf first, to what is known about the program.
func (p *program) note(stack []stacks.Frame) {
	first := true // so far, the request was only passed to used modules
	for caller, callee := range p.handed(stack) {
		if first = first && p.isUsed(callee); first {
			p.routers[p.module(*callee)] = true
		}
		if caller == nil || !mayHandle(callee.Func) {
			continue // an argument, on the same line
		}
		once(p.callees, callSite{caller.Func, caller.Line}, callee.Func)
	}
	p.noteWrapped(stack)
	for i := len(stack) - 2; i >= 0; i-- {
		if g, ok := generated(stack[i+1].Func); ok && implements(stack[i].Func, g) {
			once(p.methods, g, stack[i].Func)
		}
	}
}

// noteWrapped records who calls a handler of net/http that hands the request on, such as
// TimeoutHandler, which does so in another goroutine.
func (p *program) noteWrapped(stack []stacks.Frame) {
	serves := false
	for i := len(stack) - 1; i >= 0; i-- {
		name := stack[i].Func
		switch {
		case isServer(name):
			serves = true
		case serves && strings.HasPrefix(name, "net/http.") && isServeHTTP(name) && !goruntime.Standard(stack[i+1].Func):
			p.passing[stack[i+1].Func] = true
		}
	}
}

// once stores the only value of a key; "" if there are several.
func once[K comparable](m map[K]string, key K, value string) {
	if known, ok := m[key]; !ok {
		m[key] = value
	} else if known != value {
		m[key] = ""
	}
}

// handed returns an iterator over the functions that may have been handed a request, outermost
// first, each with its caller.
func (p *program) handed(stack []stacks.Frame) func(yield func(caller, callee *stacks.Frame) bool) {
	return func(yield func(caller, callee *stacks.Frame) bool) {
		var caller *stacks.Frame
		serves := false
		for i := len(stack) - 1; i >= 0; i-- {
			f := &stack[i]
			switch {
			case f.Func == goruntime.Panics:
				return // a deferred function
			case isServer(f.Func), isServeHTTP(f.Func) && strings.HasPrefix(f.Func, "net/http."): // or a wrapper of net/http's
				serves, caller = true, nil
			case !serves, strings.HasPrefix(f.Func, "reflect."), isOfServer(f.Func):
			default:
				if !yield(caller, f) {
					return
				}
				caller = f
			}
		}
	}
}

// handler returns the handler that a stack shows.
func (p *program) handler(stack []stacks.Frame) handler {
	var h handler
	own := false    // h is own code
	serves := false // the next callee may be handed the request
	depth := 0
	for caller, callee := range p.handed(stack) {
		depth++
		name := callee.Func
		direct := caller == nil || isServeHTTP(name)
		switch {
		case goruntime.Standard(name) && !mayHandle(name):
			serves = false
		case isWatch(name): // wraps the user's
		case p.isUsed(callee):
			if serves = !own && (direct || serves); serves {
				p.passTo(&h, name, depth)
			}
		case own && strings.HasPrefix(name, h.name+".func"):
			// A part of it, called by a library.
		case direct, serves && !own, serves && p.passes(caller), caller != nil && p.routes(caller):
			p.passTo(&h, name, depth)
			own, serves = true, true
		default:
			serves = false
		}
	}
	return h
}

// passTo makes a function the handler, instead of the one that passed the request on to it.
func (p *program) passTo(h *handler, name string, depth int) {
	if h.name != "" && h.name != name {
		p.passing[h.name] = true
	}
	*h = handler{name, depth}
}

// routes reports whether a router's function passes on what it serves.
func (p *program) routes(caller *stacks.Frame) bool {
	return p.routers[p.module(*caller)] && dispatches(caller.Func)
}

// passes reports whether an own closure or ServeHTTP method calls different functions at one place.
func (p *program) passes(caller *stacks.Frame) bool {
	at := callSite{caller.Func, caller.Line}
	known, ok := p.callees[at]
	return (isClosure(caller.Func) || isServeHTTP(caller.Func)) && ok && known == "" && p.branches[at]
}

// dispatches reports whether the name of a router's function is that of one that passes on
// requests.
func dispatches(name string) bool {
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for _, word := range []string{"serve", "next", "handle", "dispatch", "route", "filter"} {
		if strings.Contains(last, word) {
			return true
		}
	}
	return isClosure(name)
}

// isServeHTTP reports whether a function's name is that of a net/http handler, such as an own
// ServeHTTP method.
func isServeHTTP(name string) bool { return strings.HasSuffix(name, ".ServeHTTP") }

// isServer reports whether a server's function is the one that calls the first handler.
func isServer(name string) bool {
	switch name {
	case "net/http.serverHandler.ServeHTTP", timeoutChild, "golang.org/x/net/http2.(*serverConn).runHandler":
		return true
	}
	return isFast(name)
}

// isFast reports whether a function is the one of fasthttp that reads requests and calls the
// handler.
func isFast(name string) bool {
	return strings.HasPrefix(name, "github.com/valyala/fasthttp.(*Server).serveConn")
}

// isOfServer reports whether a function belongs to a server, and calls others only to answer.
func isOfServer(name string) bool {
	for _, prefix := range []string{
		"net/http.", "net/http/internal", "golang.org/x/net/http2.",
		"github.com/valyala/fasthttp.",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// timeoutChild is the function of the goroutine in which net/http's TimeoutHandler runs its
// handler.
const timeoutChild = "net/http.(*timeoutHandler).ServeHTTP.func1"

// isUsed reports whether a function is in another module than the program's own, or in the standard
// library.
func (p *program) isUsed(f *stacks.Frame) bool { return p.module(*f) != "" }

// module returns the module of a function outside own code, from its file: those of the module
// cache have a version, others are in a vendor directory. It returns "" for own code and the
// standard library.
func (p *program) module(f stacks.Frame) string {
	m := moduleOf(f.File)
	if m == "" || m == p.home || goruntime.Standard(f.Func) {
		return ""
	}
	return m
}

func moduleOf(file string) string {
	if at := strings.LastIndex(file, "@v"); at >= 0 {
		end := strings.IndexByte(file[at:], '/')
		if end < 0 {
			return ""
		}
		return file[:at+end]
	}
	if _, path, ok := strings.Cut(file, "/vendor/"); ok {
		// How much of the path belongs to the module is unknown: usually the host and two
		// directories.
		parts := strings.SplitN(path, "/", 4)
		return strings.Join(parts[:min(len(parts)-1, 3)], "/")
	}
	return ""
}

// generated returns the function that protoc-gen-go-grpc generated for a method, and that gRPC
// calls: _Greeter_SayHello_Handler, from its name or that of its closure.
func generated(name string) (string, bool) {
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return "", false
	}
	base, _, _ := strings.Cut(name[slash+dot+1:], ".")
	return name[:slash+dot+1] + base, strings.HasPrefix(base, "_") && strings.HasSuffix(base, "_Handler")
}

// implements reports whether a function is the method that a generated function calls.
func implements(name, generated string) bool {
	method := name[strings.LastIndexByte(name, '.')+1:]
	return method != "" && strings.HasSuffix(generated, "_"+method+"_Handler")
}

// called returns the gRPC method that a stack is in.
func (p *program) called(stack []stacks.Frame) handler {
	h, calls, hands := handler{}, false, false // hands: the next callee may be handed the request
	for i := len(stack) - 1; i >= 0; i-- {
		name := stack[i].Func
		g, ok := generated(name)
		switch {
		case name == goruntime.Panics:
			return h
		case strings.HasPrefix(name, "google.golang.org/grpc.(*Server).process"):
			calls, hands = true, true
		case !calls:
		case ok:
			method := cmp.Or(p.methods[g], g)
			if i > 0 && implements(stack[i-1].Func, g) {
				method = stack[i-1].Func
			}
			p.passTo(&h, method, len(stack)-i)
			return h
		case isGRPC(name):
			hands = strings.Contains(strings.ToLower(name), "chain") // of interceptors
		case h.name == "" && hands && !goruntime.Standard(name) && !isStats(name):
			h = handler{name, len(stack) - i} // an interceptor of streams, or a handler of unknown methods
		}
	}
	return h
}

// isGRPC reports whether a function is in gRPC itself.
func isGRPC(name string) bool {
	return strings.HasPrefix(name, "google.golang.org/grpc.") || strings.HasPrefix(name, "google.golang.org/grpc/")
}

// isStats reports whether a function is a method of gRPC's stats.Handler, which is notified of
// requests and does not answer them.
func isStats(name string) bool {
	return strings.HasSuffix(name, ".HandleRPC") || strings.HasSuffix(name, ".TagRPC")
}
