package requests

import (
	"cmp"
	"strings"

	"github.com/whet-go/whet/trace/stacks"
)

// A handler is the function that answers a request, as far as a stack shows it. Requests are handed from
// one function to the next: by the server's package, by routers, by middlewares. The handler is the last one that
// was handed the request, which is the route's own function:
//
//   - what net/http's own handlers, or a ServeHTTP method, are called for;
//   - of the modules that the program only uses, the first function that is not theirs;
//   - below own code, what functions of a router's module call that serve, route, filter or go on to the next,
//     or a closure of theirs;
//   - what an own closure or ServeHTTP method calls, where the trace has one place in its code call several functions:
//     what is called there is a value, as the handler that a middleware is around. Of other places, what they call
//     is a helper, even if several are called in one line, or the one handler that the closure is around.
type handler struct {
	name  string // "" is none
	depth int    // calls that the stack shows before it: of two, the deeper one was handed the request by the other
}

// A site is where a function calls another.
type site struct {
	caller string
	line   int
}

// A program is what all stacks of a trace say about how a program hands requests on.
type program struct {
	// callees has the function that is called at a site; "" when there are several.
	callees map[site]string
	// branches are sites that call a value, since one place in their code calls several functions.
	branches map[site]bool
	// routers are the modules that are handed requests before own code is.
	routers map[string]bool
	// methods has the functions that gRPC's generated ones are for; "" when there are several.
	methods map[string]string
	// passing has the functions that were seen to hand a request on.
	passing map[string]bool
	// home is the module of package main, when that is in the module cache.
	home string
}

func newProgram(frames, branches []stacks.Frame) *program {
	p := &program{callees: map[site]string{}, routers: map[string]bool{}, methods: map[string]string{}, passing: map[string]bool{}, branches: map[site]bool{}}
	for _, f := range branches {
		p.branches[site{f.Func, f.Line}] = true
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

// note takes a stack, leaf first, into what is known of the program.
func (p *program) note(stack []stacks.Frame) {
	first := true // only modules that are used were handed the request yet
	for caller, callee := range p.handed(stack) {
		if first = first && p.isUsed(callee); first {
			p.routers[p.module(*callee)] = true
		}
		if caller == nil || !mayHandle(callee.Func) {
			continue // an argument, on the same line
		}
		once(p.callees, site{caller.Func, caller.Line}, callee.Func)
	}
	p.noteWrapped(stack)
	for i := len(stack) - 2; i >= 0; i-- {
		if g, ok := generated(stack[i+1].Func); ok && implements(stack[i].Func, g) {
			once(p.methods, g, stack[i].Func)
		}
	}
}

// noteWrapped notes who calls a handler of net/http that hands the request on, such as TimeoutHandler, which does so in another
// goroutine.
func (p *program) noteWrapped(stack []stacks.Frame) {
	serves := false
	for i := len(stack) - 1; i >= 0; i-- {
		name := stack[i].Func
		switch {
		case isServer(name):
			serves = true
		case serves && strings.HasPrefix(name, "net/http.") && isServeHTTP(name) && !isStandard(stack[i+1].Func):
			p.passing[stack[i+1].Func] = true
		}
	}
}

// once notes the only value of a key; "" when there are several.
func once[K comparable](m map[K]string, key K, value string) {
	if known, ok := m[key]; !ok {
		m[key] = value
	} else if known != value {
		m[key] = ""
	}
}

// handed calls yield with the functions that may have been handed a request, the first first, each with the one
// that called it.
func (p *program) handed(stack []stacks.Frame) func(yield func(caller, callee *stacks.Frame) bool) {
	return func(yield func(caller, callee *stacks.Frame) bool) {
		var caller *stacks.Frame
		serves := false
		for i := len(stack) - 1; i >= 0; i-- {
			f := &stack[i]
			switch {
			case f.Func == "runtime.gopanic":
				return // what is deferred
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

// handler is the function that answers, by a stack.
func (p *program) handler(stack []stacks.Frame) handler {
	var h handler
	own := false    // h is
	serves := false // the request may be handed to whom is called next
	depth := 0
	for caller, callee := range p.handed(stack) {
		depth++
		name := callee.Func
		direct := caller == nil || isServeHTTP(name)
		switch {
		case isStandard(name) && !mayHandle(name):
			serves = false
		case isWatch(name): // around the user's
		case p.isUsed(callee):
			if serves = !own && (direct || serves); serves {
				p.hand(&h, name, depth)
			}
		case own && strings.HasPrefix(name, h.name+".func"):
			// A part of it, that a library calls.
		case direct, serves && !own, serves && p.passes(caller), caller != nil && p.routes(caller):
			p.hand(&h, name, depth)
			own, serves = true, true
		default:
			serves = false
		}
	}
	return h
}

// hand has a function be the handler, in the place of the one that handed the request on to it.
func (p *program) hand(h *handler, name string, depth int) {
	if h.name != "" && h.name != name {
		p.passing[h.name] = true
	}
	*h = handler{name, depth}
}

// routes reports whether a router's function hands on what it serves.
func (p *program) routes(caller *stacks.Frame) bool {
	return p.routers[p.module(*caller)] && dispatches(caller.Func)
}

// passes reports whether an own closure or ServeHTTP method calls different functions at one place.
func (p *program) passes(caller *stacks.Frame) bool {
	at := site{caller.Func, caller.Line}
	known, ok := p.callees[at]
	return (isClosure(caller.Func) || isServeHTTP(caller.Func)) && ok && known == "" && p.branches[at]
}

// dispatches reports whether a router's function hands requests on, by its name.
func dispatches(name string) bool {
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for _, word := range []string{"serve", "next", "handle", "dispatch", "route", "filter"} {
		if strings.Contains(last, word) {
			return true
		}
	}
	return isClosure(name)
}

// isServeHTTP reports whether a function is a handler of net/http by its name, as chi's routeHTTP or an own
// ServeHTTP.
func isServeHTTP(name string) bool { return strings.HasSuffix(name, ".ServeHTTP") }

// isServer reports whether a server's function is the one that calls the first handler.
func isServer(name string) bool {
	switch name {
	case "net/http.serverHandler.ServeHTTP", timeoutChild, "golang.org/x/net/http2.(*serverConn).runHandler":
		return true
	}
	return isFast(name)
}

// isFast reports whether a function is the one of fasthttp that reads requests and calls the handler.
func isFast(name string) bool {
	return strings.HasPrefix(name, "github.com/valyala/fasthttp.(*Server).serveConn")
}

// isOfServer reports whether a function is a server's own, which calls others only to answer.
func isOfServer(name string) bool {
	for _, prefix := range []string{"net/http.", "net/http/internal", "golang.org/x/net/http2.", "github.com/valyala/fasthttp."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// timeoutChild is the function of the goroutine in which net/http's TimeoutHandler has a request answered.
const timeoutChild = "net/http.(*timeoutHandler).ServeHTTP.func1"

// isUsed reports whether a function is of another module than the program's own, or of the standard library.
func (p *program) isUsed(f *stacks.Frame) bool { return p.module(*f) != "" }

// module is that of a function which is not own code, by its file: those of the module cache have a version,
// others are in a vendor directory. "" is own code, or the standard library.
func (p *program) module(f stacks.Frame) string {
	m := moduleOf(f.File)
	if m == "" || m == p.home || isStandard(f.Func) {
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
		// Which part of it is the module's is not known: two directories and the host are for most.
		parts := strings.SplitN(path, "/", 4)
		return strings.Join(parts[:min(len(parts)-1, 3)], "/")
	}
	return ""
}

// generated is the function that protoc-gen-go-grpc made for a method, and that gRPC calls: _Greeter_SayHello_Handler,
// from its name or that of its closure.
func generated(name string) (string, bool) {
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return "", false
	}
	base, _, _ := strings.Cut(name[slash+dot+1:], ".")
	return name[:slash+dot+1] + base, strings.HasPrefix(base, "_") && strings.HasSuffix(base, "_Handler")
}

// implements reports whether a function is the method that a generated one is for.
func implements(name, generated string) bool {
	method := name[strings.LastIndexByte(name, '.')+1:]
	return method != "" && strings.HasSuffix(generated, "_"+method+"_Handler")
}

// called is the method of gRPC that a stack is in.
func (p *program) called(stack []stacks.Frame) handler {
	h, calls, hands := handler{}, false, false // hands: what is called next may be handed the request
	for i := len(stack) - 1; i >= 0; i-- {
		name := stack[i].Func
		g, ok := generated(name)
		switch {
		case name == "runtime.gopanic":
			return h
		case strings.HasPrefix(name, "google.golang.org/grpc.(*Server).process"):
			calls, hands = true, true
		case !calls:
		case ok:
			method := cmp.Or(p.methods[g], g)
			if i > 0 && implements(stack[i-1].Func, g) {
				method = stack[i-1].Func
			}
			p.hand(&h, method, len(stack)-i)
			return h
		case isGRPC(name):
			hands = strings.Contains(strings.ToLower(name), "chain") // of interceptors
		case h.name == "" && hands && !isStandard(name) && !isStats(name):
			h = handler{name, len(stack) - i} // an interceptor of streams, or a handler of unknown methods
		}
	}
	return h
}

// isGRPC reports whether a function is of gRPC itself.
func isGRPC(name string) bool {
	return strings.HasPrefix(name, "google.golang.org/grpc.") || strings.HasPrefix(name, "google.golang.org/grpc/")
}

// isStats reports whether a function is a method of gRPC's stats.Handler, which is told of requests and does not answer them.
func isStats(name string) bool {
	return strings.HasSuffix(name, ".HandleRPC") || strings.HasSuffix(name, ".TagRPC")
}
