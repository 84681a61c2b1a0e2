package readall

import (
	_ "embed"
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "readall",
			Doc:      "report bodies of known length that are read into a growing buffer",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "body read into a growing buffer", CPU: rules.Growing, Alloc: `^io\.ReadAll$`,
			ByHand: "a package cannot be imported at this place: read into a bytes.Buffer that was grown to " +
				"ContentLength",
			Mutex: rules.Nothing, Block: rules.Nothing,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

// A readCall is a call that reads a body.
type readCall struct {
	call *ast.CallExpr
	of   *ast.Ident // the request or response
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	names := rewrite.NewNames(pass)
	var without *bodiless // made when a call is found
	for file := range root.Children() {
		// One function per file serves all of its bodies.
		var places []readCall
		for c := range file.Preorder((*ast.CallExpr)(nil)) {
			call, ok := c.Node().(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				continue
			}
			if name := flow.Callee(pass.TypesInfo, call); name != "io.ReadAll" && name != "io/ioutil.ReadAll" {
				continue
			}
			of := body(pass, call.Args[0])
			if of == nil {
				continue
			}
			if without == nil {
				without = findBodiless(pass, root)
			}
			if isRequest := pass.TypesInfo.TypeOf(of).String() == "*net/http.Request"; !isRequest || !without.at(pass, c) {
				places = append(places, readCall{call, of})
			}
		}
		if len(places) == 0 {
			continue
		}
		fix := sized(pass, names, places)
		for _, p := range places {
			rules.Report(pass, p.call, "readall",
				"the body is read into a buffer that grows step by step, although "+
					p.of.Name+".ContentLength is its size",
				fix)
		}
	}
	return nil, nil
}

// body returns the request or response whose body an expression reads, directly or up to a limit;
// nil otherwise.
func body(pass *analysis.Pass, e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		switch flow.Callee(pass.TypesInfo, e) {
		case "net/http.MaxBytesReader":
			return body(pass, e.Args[1])
		case "io.LimitReader":
			return body(pass, e.Args[0])
		}
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		if !ok || e.Sel.Name != "Body" {
			return nil
		}
		if t := pass.TypesInfo.TypeOf(id); t != nil &&
			(t.String() == "*net/http.Request" || t.String() == "*net/http.Response") {
			return id
		}
	}
	return nil
}

// sized returns the fix that replaces io.ReadAll by a function that allocates first.
func sized(pass *analysis.Pass, names *rewrite.Names, places []readCall) analysis.SuggestedFix {
	decl := rewrite.Declaration(pass, places[0].call.Pos())
	if decl == nil {
		return rules.None(rules.Shadowed)
	}
	io, edits, ok := rewrite.Import(pass, decl.Pos(), "io")
	if !ok {
		return rules.None(rules.Shadowed)
	}
	bytes, more, ok := rewrite.Import(pass, decl.Pos(), "bytes")
	if !ok {
		return rules.None(rules.Shadowed)
	}
	edits = append(edits, more...)
	name := names.Fresh("readSized")
	declare, ok := rewrite.Declare(pass, places[0].call.Pos(), fmt.Sprintf(`// %[1]s is io.ReadAll with an initial capacity of size bytes, unless size is too small to help
// or too large to trust.
func %[1]s(r %[2]s.Reader, size int64) ([]byte, error) {
	if size < 512 || size > 64<<10 {
		return %[2]s.ReadAll(r)
	}
	b := %[3]s.NewBuffer(make([]byte, 0, size+%[3]s.MinRead))
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}`, name, io, bytes))
	if !ok {
		return rules.None(rules.Shadowed)
	}
	edits = append(edits, declare)
	for _, p := range places {
		edits = append(edits,
			rewrite.Replace(p.call.Fun, name),
			rewrite.Insert(p.call.Args[0].End(), ", "+p.of.Name+".ContentLength"))
	}
	return analysis.SuggestedFix{Message: "Allocate the announced length at once", TextEdits: edits}
}
