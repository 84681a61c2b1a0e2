package manystrings

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "manystrings",
			Doc:      "report loops that collect short strings, each in memory of its own",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "many short strings, each in memory of its own",
			CPU:   `^runtime\.slicebytetostring`, Alloc: rules.Line, Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

// A maker is a function that returns a short text which it has put into an array.
type maker struct {
	decl     *ast.FuncDecl
	ret      *ast.ReturnStmt
	appended *ast.CallExpr // what appends to the array
	array    *ast.DeclStmt // the array
	length   int64         // of it
	loops    []inspector.Cursor
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	makers := map[types.Object]*maker{}
	var order []*maker
	for c := range root.Preorder((*ast.FuncDecl)(nil)) {
		if m := read(pass, c); m != nil {
			makers[pass.TypesInfo.Defs[m.decl.Name]] = m
			order = append(order, m)
		}
	}
	if len(makers) == 0 {
		return nil, nil
	}
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		id, ok := call.Fun.(*ast.Ident)
		if m := makers[pass.TypesInfo.Uses[id]]; ok && m != nil && collects(pass, c, call) {
			m.loops = append(m.loops, c)
		}
	}
	names, locals := rewrite.NewNames(pass), rewrite.NewLocals(pass)
	for _, m := range order {
		if len(m.loops) > 0 {
			rules.Report(pass, m.ret, "manystrings", fmt.Sprintf("each string of %s is memory of its own, though a loop collects many of them", m.decl.Name.Name), m.fix(pass, names, locals))
		}
	}
	return nil, nil
}

// read tells whether a function ends with return string(f(array[:0], …)), where f appends to the
// array, which is there for nothing else; nil if it does not.
func read(pass *analysis.Pass, c inspector.Cursor) *maker {
	const most = 256 // bytes of a text
	d, ok := c.Node().(*ast.FuncDecl)
	if !ok || d.Body == nil || d.Recv != nil || d.Type.TypeParams != nil || d.Type.Results.NumFields() != 1 || len(d.Type.Results.List[0].Names) > 0 || len(d.Body.List) == 0 {
		return nil
	}
	m := &maker{decl: d}
	if m.ret, ok = d.Body.List[len(d.Body.List)-1].(*ast.ReturnStmt); !ok || returns(c) != 1 {
		return nil
	}
	info := pass.TypesInfo
	conversion, ok := ast.Unparen(m.ret.Results[0]).(*ast.CallExpr)
	if !ok {
		return nil
	}
	if to, ok := flow.Conversion(info, conversion); !ok || !flow.IsString(to) {
		return nil
	}
	if m.appended, ok = ast.Unparen(conversion.Args[0]).(*ast.CallExpr); !ok || !appends(info, m.appended) {
		return nil
	}
	slice, ok := ast.Unparen(m.appended.Args[0]).(*ast.SliceExpr)
	if !ok || slice.Low != nil || slice.Slice3 || slice.High == nil {
		return nil
	}
	if high, ok := flow.IntConst(info, slice.High); !ok || high != 0 {
		return nil
	}
	v := flow.Variable(info, slice.X)
	if v == nil || len(flow.Uses(info, c, v)) != 2 {
		return nil
	}
	array, ok := v.Type().Underlying().(*types.Array)
	bytes := types.NewSlice(types.Typ[types.Byte])
	if !ok || array.Len() > most || !types.Identical(types.NewSlice(array.Elem()), bytes) || !types.Identical(info.TypeOf(m.appended), bytes) {
		return nil
	}
	m.length = array.Len()
	for _, stmt := range d.Body.List {
		if s, ok := stmt.(*ast.DeclStmt); ok && s.Pos() <= v.Pos() && v.Pos() < s.End() {
			if g, ok := s.Decl.(*ast.GenDecl); ok && len(g.Specs) == 1 && alone(g.Specs[0]) {
				m.array = s
			}
		}
	}
	if m.array == nil {
		return nil
	}
	return m
}

// alone tells whether a specification declares one variable, without a value.
func alone(spec ast.Spec) bool {
	s, ok := spec.(*ast.ValueSpec)
	return ok && len(s.Names) == 1 && len(s.Values) == 0
}

// returns counts the return statements of a function itself.
func returns(decl inspector.Cursor) int {
	n := 0
	for c := range decl.Preorder((*ast.ReturnStmt)(nil)) {
		if f, ok := flow.Func(c); ok && f == decl {
			n++
		}
	}
	return n
}

// appends tells calls that return their first argument with something behind it.
func appends(info *types.Info, call *ast.CallExpr) bool {
	switch name := flow.Callee(info, call); name {
	case "encoding/hex.AppendEncode", "(*encoding/base64.Encoding).AppendEncode", "(time.Time).AppendFormat":
		return true
	default:
		return flow.Builtin(info, call) == "append" || strings.HasPrefix(name, "strconv.Append")
	}
}

// collects tells whether a call is the element in list = append(list, f(x)) in a loop, where list is
// a local slice of strings and nothing that is called for x can see it.
func collects(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr) bool {
	info := pass.TypesInfo
	around, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok || c.ParentEdgeKind() != edge.CallExpr_Args || flow.Builtin(info, around) != "append" || len(around.Args) != 2 || around.Ellipsis.IsValid() || c.ParentEdgeIndex() != 1 {
		return false
	}
	stmt := c.Parent().Parent()
	s, ok := stmt.Node().(*ast.AssignStmt)
	if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 || !flow.InBlock(stmt) || !flow.Same(info, s.Lhs[0], around.Args[0]) {
		return false
	}
	v := flow.Variable(info, around.Args[0])
	within, ok := flow.Outermost(c)
	if v == nil || !ok || !flow.Private(info, within, v) || !types.Identical(v.Type(), types.NewSlice(types.Typ[types.String])) {
		return false
	}
	for _, a := range call.Args {
		if flow.Calls(info, a) {
			return false
		}
	}
	loop, ok := flow.Loop(c)
	if !ok || call.Ellipsis.IsValid() || flow.Jumps(within) {
		return false
	}
	_, ok = rewrite.Statement(loop)
	return ok && !rewrite.HasComment(pass, s.Pos(), s.End())
}

// fix divides the function, and collects the strings in one memory.
func (m *maker) fix(pass *analysis.Pass, names *rewrite.Names, locals *rewrite.Locals) analysis.SuggestedFix {
	none := analysis.SuggestedFix{}
	params, ok := parameters(m.decl)
	if !ok || rewrite.Generated(pass, m.decl.Pos()) || rewrite.HasComment(pass, m.array.Pos(), m.array.End()) || rewrite.HasComment(pass, m.ret.Pos(), m.ret.End()) ||
		!rewrite.Predeclared(pass, m.ret.Pos(), "string", "byte") {
		return none
	}
	name := m.decl.Name.Name
	first, size := utf8.DecodeRuneInString(name)
	function := names.Fresh("append" + string(unicode.ToUpper(first)) + name[size:])
	to := locals.Fresh(m.ret.Pos(), "to")
	list := rewrite.Between(pass, m.decl.Type.Params.Opening+1, m.decl.Type.Params.Closing)
	if list != "" {
		list = ", " + list
	}
	array := rewrite.Text(pass, m.array)
	next := m.decl.Body.List[slices.Index(m.decl.Body.List, ast.Stmt(m.array))+1].Pos() // the return statement is the last
	if rewrite.HasComment(pass, m.array.End(), next) {
		next = m.array.End()
	}
	head := fmt.Sprintf("\n%s\nreturn string(%s(%s))\n}\n\n// %s appends what %s returns.\nfunc %s(%s []byte%s) []byte {", array,
		function, strings.Join(append([]string{rewrite.Text(pass, m.appended.Args[0])}, params...), ", "), function, name, function, to, list)
	edits := []analysis.TextEdit{
		rewrite.Insert(m.decl.Body.Lbrace+1, head),
		{Pos: m.array.Pos(), End: next},
		{Pos: m.ret.Results[0].Pos(), End: m.appended.Pos()},
		rewrite.Replace(m.appended.Args[0], to),
		{Pos: m.appended.End(), End: m.ret.Results[0].End()},
	}
	for _, c := range m.loops {
		more, ok := m.collect(pass, c, function, locals)
		if !ok {
			return none
		}
		edits = append(edits, more...)
	}
	return analysis.SuggestedFix{Message: "Put the strings behind each other in one memory", TextEdits: edits}
}

// parameters are the names of a function's parameters, if it can hand all of them on.
func parameters(d *ast.FuncDecl) ([]string, bool) {
	var names []string
	for _, field := range d.Type.Params.List {
		if _, variadic := field.Type.(*ast.Ellipsis); variadic || len(field.Names) == 0 {
			return nil, false
		}
		for _, id := range field.Names {
			if id.Name == "_" {
				return nil, false
			}
			names = append(names, id.Name)
		}
	}
	return names, true
}

// collect is the edits of a loop that collects the strings.
func (m *maker) collect(pass *analysis.Pass, c inspector.Cursor, function string, locals *rewrite.Locals) ([]analysis.TextEdit, bool) {
	call, isCall := c.Node().(*ast.CallExpr)
	stmt := c.Parent().Parent()
	loop, inLoop := flow.Loop(c)
	before, inList := rewrite.Statement(loop)
	if !isCall || !inLoop || !inList || !rewrite.Predeclared(pass, call.Pos(), "append", "len", "byte") {
		return nil, false
	}
	pkg, edits, ok := rewrite.Import(pass, loop.Node().Pos(), "strings")
	if !ok || rewrite.Lookup(pass, call.Pos(), m.decl.Name.Name) != pass.TypesInfo.Defs[m.decl.Name] {
		return nil, false
	}
	texts, room, begin := locals.Fresh(call.Pos(), "texts"), locals.Fresh(call.Pos(), "room"), locals.Fresh(call.Pos(), "begin")
	made := fmt.Sprintf("var %s %s.Builder\n", texts, pkg)
	if of := length(pass, loop, stmt); of != "" {
		made += fmt.Sprintf("%s.Grow(%d * %s)\n", texts, m.length, of)
	}
	made += fmt.Sprintf("var %s [%d]byte", room, m.length)
	args := []string{room + "[:0]"}
	for _, a := range call.Args {
		args = append(args, rewrite.Text(pass, a))
	}
	return append(edits,
		rewrite.Before(pass, before.Node(), made),
		rewrite.Before(pass, stmt.Node(), fmt.Sprintf("%s := %s.Len()\n%s.Write(%s(%s))", begin, texts, texts, function, strings.Join(args, ", "))),
		rewrite.Replace(call, fmt.Sprintf("%s.String()[%s:]", texts, begin)),
	), true
}

// length is how many strings a loop collects: the length of the local slice that it goes through, with one
// string for each element; "" if that is not known.
func length(pass *analysis.Pass, loop, stmt inspector.Cursor) string {
	r, ok := loop.Node().(*ast.RangeStmt)
	if !ok || stmt.Parent().Node() != ast.Node(r.Body) || flow.Variable(pass.TypesInfo, r.X) == nil {
		return ""
	}
	if _, isSlice := pass.TypesInfo.TypeOf(r.X).Underlying().(*types.Slice); !isSlice {
		return ""
	}
	return "len(" + rewrite.Text(pass, r.X) + ")"
}
