package convert

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	cause := func(category, title, byHand string, needs rules.Need) rules.Cause {
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand, CPU: rules.Converting, Alloc: rules.Line,
			Mutex: rules.Nothing, Block: rules.Nothing, Needs: needs,
		}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "convert",
			Doc:      "report conversions between strings and bytes that a call does not need",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause("write", "string copied to be written",
				"the call cannot be written without the conversion here: use io.WriteString", rules.Free),
			cause("interface", "string copied to be written to an io.Writer",
				"the call cannot be written without the conversion here: use io.WriteString", rules.Review),
			cause("copy", "bytes copied to be written as a string",
				"the call cannot be written without the conversion here: use Write", rules.Free),
			cause("buffer", "bytes copied to be written to a bytes.Buffer",
				"the call cannot be written without the conversion here: use Write", rules.Review),
			cause("search", "bytes converted to a string only to be inspected",
				"the other arguments may change the bytes: use the function of package bytes", rules.Free),
			cause("rune", "string converted to runes",
				"an empty string panics here, and utf8.DecodeRuneInString does not: check the length, and "+
					"decode the first rune", rules.Free),
		},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for c := range root.Preorder((*ast.CallExpr)(nil), (*ast.RangeStmt)(nil), (*ast.IndexExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.CallExpr:
			if len(n.Args) == 0 || n.Ellipsis.IsValid() {
				continue
			}
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				written(pass, c, n, sel)
				searched(pass, n, sel)
			}
		case *ast.RangeStmt:
			ranged(pass, n)
		case *ast.IndexExpr:
			if at, ok := flow.IntConst(pass.TypesInfo, n.Index); ok && at == 0 && runesOf(pass.TypesInfo, n.X) != nil {
				rules.Report(pass, n, "rune",
					"the whole string is converted to runes to get the first one",
					rules.None(rewrite.Text(pass, runesOf(pass.TypesInfo, n.X))+" may be empty, for which the "+
						"index panics: check its length, and decode the first rune with utf8.DecodeRuneInString"))
			}
		}
	}
	return nil, nil
}

// bytesOf returns the string operand of a conversion to []byte, or nil.
func bytesOf(info *types.Info, e ast.Expr) ast.Expr {
	return converted(info, e, types.NewSlice(types.Typ[types.Byte]), isString)
}

// runesOf returns the string operand of a conversion to []rune, or nil.
func runesOf(info *types.Info, e ast.Expr) ast.Expr {
	return converted(info, e, types.NewSlice(types.Typ[types.Rune]), isString)
}

// stringOf returns the []byte operand of a conversion to string, or nil.
func stringOf(info *types.Info, e ast.Expr) ast.Expr {
	return converted(info, e, types.Typ[types.String], func(t types.Type) bool {
		_, isSlice := t.Underlying().(*types.Slice)
		return isSlice && types.AssignableTo(t, types.NewSlice(types.Typ[types.Byte]))
	})
}

func converted(info *types.Info, e ast.Expr, to types.Type, from func(types.Type) bool) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil
	}
	if t, ok := flow.Conversion(info, call); !ok || !types.Identical(t, to) || !from(info.TypeOf(call.Args[0])) {
		return nil
	}
	return call.Args[0]
}

func isString(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// written reports Write([]byte(s)) and WriteString(string(b)).
func written(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr, sel *ast.SelectorExpr) {
	info := pass.TypesInfo
	if len(call.Args) != 1 || info.Selections[sel] == nil || info.Selections[sel].Kind() != types.MethodVal {
		return
	}
	if s := bytesOf(info, call.Args[0]); s != nil && sel.Sel.Name == "Write" {
		if grows(info, c, s) {
			return
		}
		text := rewrite.Text(pass, s)
		ok := !rewrite.HasComment(pass, sel.Sel.Pos(), call.End())
		if !flow.IsString(types.Default(info.TypeOf(s))) {
			text = "string(" + text + ")"
			ok = ok && rewrite.Predeclared(pass, call.Pos(), "string")
		}
		to := info.TypeOf(sel.X).String()
		switch {
		case writesStrings(flow.Callee(info, call)) && hasTwin(pass, sel, "WriteString"):
			report(pass, call, "write", text+" is copied into bytes to be written, although WriteString takes "+
				"strings", ok,
				analysis.TextEdit{Pos: sel.Sel.Pos(), End: call.End(), NewText: []byte("WriteString(" + text + ")")})
		case to == "net/http.ResponseWriter", to == "io.Writer":
			category := "write"
			if to == "io.Writer" {
				category = "interface"
			}
			pkg, edits, imported := rewrite.Import(pass, call.Pos(), "io")
			ok = ok && imported && !rewrite.HasComment(pass, call.Pos(), call.End())
			edits = append(edits, rewrite.Replace(call, pkg+".WriteString("+rewrite.Text(pass, sel.X)+", "+text+")"))
			report(pass, call, category,
				text+" is copied into bytes to be written, although most writers take strings",
				ok, edits...)
		}
		return
	}
	if b := stringOf(info, call.Args[0]); b != nil && sel.Sel.Name == "WriteString" {
		category := "copy"
		switch flow.Callee(info, call) {
		case "(*strings.Builder).WriteString", "(*bufio.Writer).WriteString", "(*os.File).WriteString":
		case "(*bytes.Buffer).WriteString":
			category = "buffer"
		default:
			return
		}
		if !hasTwin(pass, sel, "Write") {
			return
		}
		text := rewrite.Text(pass, b)
		report(pass, call, category,
			text+" is copied into a string to be written, although Write takes bytes",
			!rewrite.HasComment(pass, sel.Sel.Pos(), call.End()),
			analysis.TextEdit{Pos: sel.Sel.Pos(), End: call.End(), NewText: []byte("Write(" + text + ")")})
	}
}

// grows reports whether a string is a variable that is appended to: rules textbuild and concat
// handle it, including the conversion.
func grows(info *types.Info, c inspector.Cursor, s ast.Expr) bool {
	v := flow.Variable(info, s)
	within, ok := flow.Outermost(c)
	if v == nil || !ok {
		return false
	}
	for _, use := range flow.Uses(info, within, v) {
		if a, ok := use.Parent().Node().(*ast.AssignStmt); ok && use.ParentEdgeKind() == edge.AssignStmt_Lhs &&
			a.Tok == token.ADD_ASSIGN {
			return true
		}
	}
	return false
}

// hasTwin reports whether a method of this name belongs to the same type as the one that is called:
// a struct that embeds a buffer may define its own.
func hasTwin(pass *analysis.Pass, sel *ast.SelectorExpr, name string) bool {
	f, ok := pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	obj, _, _ := types.LookupFieldOrMethod(pass.TypesInfo.TypeOf(sel.X), true, pass.Pkg, name)
	other, isFunc := obj.(*types.Func)
	return ok && isFunc && types.Identical(f.Signature().Recv().Type(), other.Signature().Recv().Type())
}

// writesStrings reports whether a Write has an equivalent WriteString.
func writesStrings(callee string) bool {
	switch callee {
	case "(*bytes.Buffer).Write", "(*strings.Builder).Write", "(*bufio.Writer).Write",
		"(*os.File).Write", "(*net/http/httptest.ResponseRecorder).Write":
		return true
	}
	return false
}

// ranged reports for _, r := range []rune(s). With the index, the loop would differ.
func ranged(pass *analysis.Pass, loop *ast.RangeStmt) {
	s := runesOf(pass.TypesInfo, loop.X)
	if s == nil {
		return
	}
	id, isIdent := loop.Key.(*ast.Ident)
	ok := (loop.Key == nil || isIdent && id.Name == "_") && !rewrite.HasComment(pass, loop.X.Pos(), loop.X.End())
	report(pass, loop.X, "rune",
		"the whole string is converted to runes before the first iteration",
		ok, rewrite.Replace(loop.X, rewrite.Text(pass, s)))
}

// A twin is the counterpart in package bytes of a function in package strings.
type twin struct {
	pkg, name string
	both      bool // the second argument is a []byte, too
}

// twins returns the twins by full name. Their results share no memory with their arguments.
func twins() map[string]twin {
	m := map[string]twin{
		"unicode/utf8.RuneCountInString":      {"unicode/utf8", "RuneCount", false},
		"unicode/utf8.ValidString":            {"unicode/utf8", "Valid", false},
		"unicode/utf8.DecodeRuneInString":     {"unicode/utf8", "DecodeRune", false},
		"unicode/utf8.DecodeLastRuneInString": {"unicode/utf8", "DecodeLastRune", false},
	}
	for _, name := range []string{"Contains", "Count", "EqualFold", "HasPrefix", "HasSuffix", "Index", "LastIndex"} {
		m["strings."+name] = twin{"bytes", name, true}
	}
	for _, name := range []string{
		"ContainsAny", "ContainsRune", "IndexAny", "IndexByte", "IndexRune", "LastIndexAny", "LastIndexByte",
	} {
		m["strings."+name] = twin{"bytes", name, false}
	}
	return m
}

// searched reports strings.X(string(b), …).
func searched(pass *analysis.Pass, call *ast.CallExpr, sel *ast.SelectorExpr) {
	info := pass.TypesInfo
	b := stringOf(info, call.Args[0])
	if b == nil {
		return
	}
	t, ok := twins()[flow.Callee(info, call)]
	if !ok {
		return
	}
	ok = !rewrite.HasComment(pass, call.Pos(), call.End())
	args := rewrite.Text(pass, b)
	for _, a := range call.Args[1:] {
		ok = ok && !flow.Calls(info, a)
		switch other := stringOf(info, a); {
		case t.both && other != nil:
			args += ", " + rewrite.Text(pass, other)
		case t.both:
			ok = ok && rewrite.Predeclared(pass, call.Pos(), "byte")
			args += ", []byte(" + rewrite.Text(pass, a) + ")"
		default:
			args += ", " + rewrite.Text(pass, a)
		}
	}
	pkg, edits, imported := rewrite.Import(pass, call.Pos(), t.pkg)
	edits = append(edits, rewrite.Replace(call, pkg+"."+t.name+"("+args+")"))
	report(pass, call, "search",
		rewrite.Text(pass, b)+
			" is copied into a string for "+rewrite.Text(pass, sel)+
			", although package "+t.pkg+" has it, too",
		ok && imported, edits...)
}

// obstacle returns why a conversion stays.
func obstacle(pass *analysis.Pass, at ast.Node, category string) string {
	call, isCall := at.(*ast.CallExpr)
	switch {
	case rewrite.HasComment(pass, at.Pos(), at.End()):
		return rules.LostComment
	case category == "search" && isCall && slices.ContainsFunc(call.Args[1:], func(a ast.Expr) bool {
		return flow.Calls(pass.TypesInfo, a)
	}):
		return "an argument calls a function, which may change the bytes: with a variable for its result, " +
			"the function of package bytes searches without a copy"
	case category == "rune":
		return "the loop uses the index, which counts runes here and bytes of a string: count the runes in a " +
			"variable, and range over the string"
	}
	return rules.Shadowed
}

// report reports a node, with a fix if ok.
func report(pass *analysis.Pass, at ast.Node, category, message string, ok bool, edits ...analysis.TextEdit) {
	fix := analysis.SuggestedFix{Message: "Remove the conversion", TextEdits: edits}
	if !ok {
		fix = rules.None(obstacle(pass, at, category))
	}
	rules.Report(pass, at, category, message, fix)
}
