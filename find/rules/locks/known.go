package locks

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// A kind is the cost of a call for those waiting for it.
type kind int

const (
	cheap   kind = iota
	working      // formatting, encoding
	waiting      // for a file, a connection, a goroutine, the clock
)

// known determines what functions do: those of other packages by name, those of the package by
// their bodies.
type known struct {
	info            *types.Info
	waiting, format *regexp.Regexp
	bodies          map[*types.Func]*ast.BlockStmt
	kinds           map[*types.Func]kind
	because         map[*types.Func]string
}

func newKnown(pass *analysis.Pass) *known {
	k := &known{
		info: pass.TypesInfo,
		waiting: regexp.MustCompile(`^time\.Sleep$|^\(\*sync\.WaitGroup\)\.Wait$|` +
			`^\(\*?os\.File\)\.(Read|Write|Sync|Seek|Close|Truncate|ReadDir)|` +
			`^os\.(Open|Create|ReadFile|WriteFile|ReadDir|Remove|Rename|Mkdir|Stat|Lstat)|` +
			`^\(\*os/exec\.Cmd\)\.(Run|Output|CombinedOutput|Wait)$|` +
			`^net\.(Dial|Lookup)|^\(\*?net\.\w+\)\.(Read|Write|Dial|Lookup|Accept)|` +
			`^net/http\.(Get|Head|Post)|^\(\*net/http\.Client\)\.(Do|Get|Head|Post)|` +
			`^\(net/http\.ResponseWriter\)\.Write$|^\(net/http\.RoundTripper\)\.RoundTrip$|` +
			`^\(io\.(Reader|Writer|ReadWriter|ReadCloser|WriteCloser|ReadWriteCloser)\)\.(Read|Write)$|` +
			`^io\.(Copy|CopyN|CopyBuffer|ReadAll|ReadFull|WriteString)$|` +
			`^\(\*database/sql\.\w+\)\.(Query|Exec|Ping|Begin|Prepare|Commit)|` +
			`^\(\*bufio\.(Reader|Writer)\)\.(Flush|ReadString|ReadBytes|ReadLine)$|` +
			`^log\.(Print|Output)|^\(\*log\.Logger\)\.(Print|Output)|` +
			`^log/slog\.(Debug|Info|Warn|Error|Log)|` +
			`^\(\*log/slog\.Logger\)\.(Debug|Info|Warn|Error|Log)|` +
			`^fmt\.(Print|Fprint|Scan|Fscan)`),
		format: regexp.MustCompile(`^fmt\.(Sprint|Append|Errorf|Sscan)|` +
			`^encoding/(json|xml|gob|csv|base64|hex|binary)\.(Marshal|Unmarshal|Write|Read|Valid|Indent)|` +
			`^\(\*encoding/(json|xml|gob|csv)\.(Encoder|Decoder|Reader|Writer)\)\.|` +
			`^\(\*(text|html)/template\.Template\)\.Execute|` +
			`^\(\*regexp\.Regexp\)\.|^regexp\.|` +
			`^compress/|^\(\*compress/|^crypto/|^\(\*crypto/|` +
			`^sort\.(Slice|Sort|Stable|Strings|Ints)|^slices\.Sort|` +
			`^time\.Parse$|^\(time\.Time\)\.(Format|String)$`),
		bodies:  map[*types.Func]*ast.BlockStmt{},
		kinds:   map[*types.Func]kind{},
		because: map[*types.Func]string{},
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			if obj, ok := k.info.Defs[f.Name].(*types.Func); ok {
				k.bodies[obj] = f.Body
			}
		}
	}
	return k
}

// visit calls found for what the code below a node does directly: not in other goroutines, nor in
// function literals that are not called.
func (k *known) visit(n ast.Node, found func(kind kind, what string)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.GoStmt, *ast.DeferStmt:
			return false
		case *ast.SendStmt:
			found(waiting, "a send to a channel")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				found(waiting, "a receive from a channel")
			}
		case *ast.RangeStmt:
			if t := k.info.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Chan); ok {
					found(waiting, "a receive from a channel")
				}
			}
		case *ast.SelectStmt:
			k.selects(n, found)
			return false
		case *ast.CallExpr:
			if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
				k.visit(lit.Body, found)
			}
			if kind, what := k.call(n); kind != cheap {
				found(kind, what)
			}
		}
		return true
	})
}

// selects calls found for a select, which does not block if it has a default.
func (k *known) selects(s *ast.SelectStmt, found func(kind kind, what string)) {
	waits := true
	for _, clause := range s.Body.List {
		c, ok := clause.(*ast.CommClause)
		if !ok {
			continue
		}
		waits = waits && c.Comm != nil
		for _, stmt := range c.Body {
			k.visit(stmt, found)
		}
	}
	if waits {
		found(waiting, "a select")
	}
}

// call returns the kind and a description of a call.
func (k *known) call(call *ast.CallExpr) (kind, string) {
	f, ok := typeutil.Callee(k.info, call).(*types.Func)
	if !ok {
		return cheap, ""
	}
	f = f.Origin()
	name := f.FullName()
	short := shorten(name)
	if strings.HasPrefix(name, "fmt.Fprint") && k.inMemory(call) {
		return working, short
	}
	switch {
	case name == "io.WriteString" && k.inMemory(call):
		return cheap, ""
	case k.waiting.MatchString(name):
		return waiting, short
	case k.format.MatchString(name):
		return working, short
	}
	body := k.bodies[f]
	if body == nil {
		return cheap, ""
	}
	if _, done := k.kinds[f]; !done {
		k.kinds[f] = cheap // for recursive calls
		k.visit(body, func(kind kind, what string) {
			if kind > k.kinds[f] {
				// The innermost reason: f calls g, which sleeps.
				if at := strings.LastIndex(what, " ("); at >= 0 {
					what = strings.TrimSuffix(what[at+2:], ")")
				}
				k.kinds[f], k.because[f] = kind, what
			}
		})
	}
	if k.kinds[f] == cheap {
		return cheap, ""
	}
	return k.kinds[f], f.Name() + " (" + k.because[f] + ")"
}

// inMemory reports whether the first argument of a call is a buffer.
func (k *known) inMemory(call *ast.CallExpr) bool {
	if len(call.Args) == 0 {
		return false
	}
	t := k.info.TypeOf(call.Args[0])
	if t == nil {
		return false
	}
	switch types.TypeString(t, nil) {
	case "*bytes.Buffer", "*strings.Builder":
		return true
	}
	return false
}

// shorten returns the short form of a full name: json.Encoder.Encode for
// (*encoding/json.Encoder).Encode.
func shorten(name string) string {
	name = strings.NewReplacer("(*", "", "(", "", ")", "").Replace(name)
	return name[strings.LastIndex(name, "/")+1:]
}
