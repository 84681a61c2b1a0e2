package advice

import (
	"strings"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/internal/find/syntax"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/stacks"
)

// Marks are what the functions below an own line do.
type marks uint32

const (
	queries    marks = 1 << iota // a database
	remote                       // another server
	decodes                      // JSON
	parses                       // templates
	logs                         // through a logger
	writesFile                   // with a system call
	buffers                      // through a bufio.Writer
	sorts
	iterates // over a map
	encodes
	formats
	files
	network
	sleeps
)

// A path is a stack, reduced to the lines of the module.
type path struct {
	own    []syntax.Line // innermost first
	callee string        // the function that the innermost own line calls; "" if it calls none
	below  marks         // of all functions below the innermost own line
	served bool          // it is part of the answer to a request
	main   bool          // it is on the main goroutine, which sets the program up, or in an init function
	init   bool          // it is in an init function, or of a package variable's value
}

// named are functions with marks, by the beginning of their name.
var named = [...]struct {
	prefix string
	mark   marks
}{
	{"encoding/json.Unmarshal", decodes},
	{"encoding/json.(*Decoder).Decode", decodes},
	{"encoding/json/v2.Unmarshal", decodes},
	{"github.com/goccy/go-json.Unmarshal", decodes},
	{"github.com/goccy/go-json.(*Decoder).Decode", decodes},
	{"github.com/bytedance/sonic.Unmarshal", decodes},
	{"github.com/json-iterator/go.(*frozenConfig).Unmarshal", decodes},
	{"text/template.(*Template).Parse", parses},
	{"html/template.(*Template).Parse", parses},
	{"text/template.Parse", parses},
	{"html/template.Parse", parses},
	{"text/template.parse", parses},
	{"html/template.parse", parses},
	{"text/template/parse.", parses},
	{"os.(*File).Write", writesFile},
	{"bufio.(*Writer)", buffers},
	{"internal/runtime/maps.(*Iter)", iterates},
	{"runtime.mapIter", iterates},
	{"runtime.mapiter", iterates},
	{"time.Sleep", sleeps},
	{"net/http.(*Client).", remote},
	{"net/http.(*Transport).", remote},
	{"net/http.(*persistConn).roundTrip", remote},
	{"google.golang.org/grpc.(*ClientConn).Invoke", remote},
	{"net/rpc.(*Client).Call", remote},
}

// marksOf returns the marks of a function.
func marksOf(function string) marks {
	var m marks
	for _, n := range named {
		if strings.HasPrefix(function, n.prefix) {
			m |= n.mark
		}
	}
	switch diagnosis.Class(function) { //nolint:exhaustive // the others have no mark
	case diagnosis.Database:
		m |= queries
	case diagnosis.Logging:
		m |= logs
	case diagnosis.Sorting:
		m |= sorts
	case diagnosis.Encoding:
		m |= encodes
	case diagnosis.Formatting:
		m |= formats
	case diagnosis.Files:
		m |= files
	case diagnosis.Network:
		m |= network
	}
	return m
}

// serves reports whether a function passes requests to handlers.
func serves(function string) bool {
	switch function {
	case "net/http.serverHandler.ServeHTTP", "github.com/valyala/fasthttp.(*Server).serveConn",
		"google.golang.org/grpc.(*Server).handleStream", "net/rpc.(*service).call":
		return true
	}
	return false
}

// path reduces a stack, leaf first.
func (e *evidence) path(frames []stacks.Frame) path {
	var p path
	for _, f := range frames {
		if at, ok := e.locate(f); ok {
			p.own = append(p.own, at)
			continue
		}
		p.served = p.served || serves(f.Func)
		p.init = p.init || strings.HasPrefix(f.Func, "runtime.doInit") // it calls doInit1
		p.main = p.main || p.init || f.Func == "runtime.main"
		if len(p.own) == 0 {
			if profile.IsInjected(f.Func) {
				p.callee, p.below = "", 0
				continue
			}
			p.callee = f.Func
			p.below |= e.marks(f.Func)
		}
	}
	return p
}

// locate returns the line of an own frame.
func (e *evidence) locate(f stacks.Frame) (syntax.Line, bool) {
	if at, ok := e.located[f]; ok {
		return at, at.Line > 0
	}
	var at syntax.Line
	if file, n, ok := e.in.Locate(f); ok {
		at = syntax.Line{File: file, Line: n}
	}
	e.located[f] = at
	return at, at.Line > 0
}

func (e *evidence) marks(function string) marks {
	m, ok := e.marked[function]
	if !ok {
		m = marksOf(function)
		e.marked[function] = m
	}
	return m
}

// through reports whether a path goes through a line, and the position there.
func (p *path) through(at syntax.Line) (int, bool) {
	for i, own := range p.own {
		if own == at {
			return i, true
		}
	}
	return 0, false
}
