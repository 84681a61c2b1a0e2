package textarena

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

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
			Name:     "textarena",
			Doc:      "report strings that a loop collects one by one",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Title: "strings with one lifetime, each allocated separately", CPU: rules.Converting, Alloc: rules.Line,
				ByHand: "the function cannot get a counterpart that takes a buffer: give it a parameter for the " +
					"caller's strings.Builder by hand",
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A maker is a function that makes strings from bytes.
type maker struct {
	at      inspector.Cursor // its declaration
	decl    *ast.FuncDecl
	returns []*ast.CallExpr // the conversions string(b) that it returns
	calls   []collected
}

// A collected is a call of a maker, in a loop that collects its results.
type collected struct {
	at, loop inspector.Cursor
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	makers := map[types.Object]*maker{}
	var order []*maker
	for c := range root.Preorder((*ast.FuncDecl)(nil)) {
		if m := newMaker(pass, c); m != nil {
			makers[pass.TypesInfo.Defs[m.decl.Name]] = m
			order = append(order, m)
		}
	}
	if len(makers) == 0 {
		return nil, nil
	}
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		m := makers[called(pass.TypesInfo, c)]
		if m == nil {
			continue
		}
		if call, ok := collects(pass.TypesInfo, c); ok {
			m.calls = append(m.calls, call)
		}
	}
	order = slices.DeleteFunc(order, func(m *maker) bool { return len(m.calls) == 0 })
	if len(order) == 0 {
		return nil, nil
	}
	names := rewrite.NewNames(pass)
	r := rule{
		pass: pass, names: names, locals: rewrite.NewLocals(pass), first: order[0],
		keep: names.Fresh("storeIn"), block: names.Fresh("storeInBlock"),
	}
	for _, m := range order {
		r.report(m)
	}
	return nil, nil
}

// called returns the function or method that a call refers to, or nil.
func called(info *types.Info, c inspector.Cursor) types.Object {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return nil
	}
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return info.Uses[f]
	case *ast.SelectorExpr:
		return info.Uses[f.Sel]
	}
	return nil
}

// newMaker returns the maker for a declaration whose results are all string(b) or constant, or nil.
func newMaker(pass *analysis.Pass, c inspector.Cursor) *maker {
	decl, ok := c.Node().(*ast.FuncDecl)
	if !ok || decl.Body == nil || decl.Type.TypeParams != nil || !named(decl.Type.Params) ||
		decl.Recv != nil && !named(decl.Recv) {
		return nil
	}
	results := decl.Type.Results
	if results == nil || len(results.List) != 1 || len(results.List[0].Names) > 0 ||
		!flow.IsString(pass.TypesInfo.TypeOf(results.List[0].Type)) {
		return nil
	}
	if receiver := decl.Recv; receiver != nil {
		if t := pass.TypesInfo.TypeOf(receiver.List[0].Type); t == nil || generic(t) {
			return nil
		}
	}
	m := &maker{at: c, decl: decl}
	for ret := range c.Preorder((*ast.ReturnStmt)(nil)) {
		if f, _ := flow.Func(ret); f != c {
			continue // in a closure
		}
		s, ok := ret.Node().(*ast.ReturnStmt)
		if !ok || len(s.Results) != 1 || !flow.InBlock(ret) {
			return nil
		}
		if pass.TypesInfo.Types[s.Results[0]].Value != nil {
			continue
		}
		call, ok := ast.Unparen(s.Results[0]).(*ast.CallExpr)
		if !ok || rewrite.HasComment(pass, s.Pos(), s.End()) {
			return nil
		}
		to, ok := flow.Conversion(pass.TypesInfo, call)
		if !ok || !flow.IsString(to) ||
			!types.Identical(pass.TypesInfo.TypeOf(call.Args[0]), types.NewSlice(types.Typ[types.Byte])) {
			return nil
		}
		m.returns = append(m.returns, call)
	}
	if len(m.returns) == 0 {
		return nil
	}
	return m
}

// named reports whether a call can name everything in a list.
func named(list *ast.FieldList) bool {
	if list == nil {
		return true
	}
	for _, f := range list.List {
		if len(f.Names) == 0 {
			return false
		}
		for _, name := range f.Names {
			if name.Name == "_" {
				return false
			}
		}
	}
	return true
}

// generic reports whether a receiver's type has type parameters.
func generic(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	return !ok || n.TypeParams().Len() > 0
}

// collects reports whether the result of a call is added to a slice in each iteration of a loop.
func collects(info *types.Info, c inspector.Cursor) (collected, bool) {
	loop, ok := flow.Loop(c)
	if !ok {
		return collected{}, false
	}
	within, ok := flow.Outermost(c)
	if !ok {
		return collected{}, false
	}
	var list ast.Expr
	switch parent := c.Parent().Node().(type) {
	case *ast.CallExpr: // list = append(list, f(x))
		set, ok := c.Parent().Parent().Node().(*ast.AssignStmt)
		if !ok || flow.Builtin(info, parent) != "append" || parent.Args[0] == c.Node() ||
			len(set.Lhs) != 1 || set.Tok != token.ASSIGN ||
			!flow.Same(info, set.Lhs[0], parent.Args[0]) {
			return collected{}, false
		}
		list = set.Lhs[0]
	case *ast.AssignStmt: // list[i] = f(x)
		if c.ParentEdgeKind() != edge.AssignStmt_Rhs || len(parent.Lhs) != 1 || parent.Tok != token.ASSIGN {
			return collected{}, false
		}
		element, ok := ast.Unparen(parent.Lhs[0]).(*ast.IndexExpr)
		if !ok {
			return collected{}, false
		}
		if _, ok := info.TypeOf(element.X).Underlying().(*types.Slice); !ok {
			return collected{}, false
		}
		list = element.X
	default:
		return collected{}, false
	}
	v := flow.Variable(info, list)
	if v != nil && loop.Node().Pos() <= v.Pos() && v.Pos() < loop.Node().End() {
		return collected{}, false // a new list in each iteration
	}
	if v == nil || !ends(info, within, v) {
		return collected{}, false // the lifetimes of the strings are unknown
	}
	return collected{at: c, loop: loop}, true
}

// ends reports whether the strings of a list are used only for a text that the function builds from
// them.
func ends(info *types.Info, within inspector.Cursor, v *types.Var) bool {
	if !flow.Private(info, within, v) {
		return false
	}
	for _, use := range flow.Uses(info, within, v) {
		if use.Node().Pos() != v.Pos() && !harmless(info, use) {
			return false
		}
	}
	return true
}

// harmless reports whether a use of a list of strings retains none of them.
func harmless(info *types.Info, use inspector.Cursor) bool {
	switch parent := use.Parent().Node().(type) {
	case *ast.AssignStmt:
		return use.ParentEdgeKind() == edge.AssignStmt_Lhs
	case *ast.IndexExpr: // list[i] = …
		_, sets := use.Parent().Parent().Node().(*ast.AssignStmt)
		return sets && use.Parent().ParentEdgeKind() == edge.AssignStmt_Lhs
	case *ast.CallExpr:
		switch flow.Builtin(info, parent) {
		case "len", "cap":
			return true
		case "append":
			return use.ParentEdgeKind() == edge.CallExpr_Args && parent.Args[0] == use.Node()
		}
	}
	for c := use; ; c = c.Parent() {
		switch parent := c.Parent().Node().(type) {
		case *ast.CompositeLit, *ast.KeyValueExpr, *ast.ParenExpr:
			continue
		case *ast.UnaryExpr:
			if parent.Op != token.AND {
				return false
			}
		case *ast.CallExpr:
			switch flow.Callee(info, parent) {
			case "encoding/json.Marshal", "encoding/json.MarshalIndent":
				return c.ParentEdgeKind() == edge.CallExpr_Args && marshals(info.TypeOf(parent.Args[0]), 0)
			case "strings.Join":
				return c.ParentEdgeKind() == edge.CallExpr_Args
			}
			return false
		default:
			return false
		}
	}
}

// maxDepth limits the depth to which a type is examined, since types may be recursive.
const maxDepth = 8

// marshals reports whether encoding/json reads a value without calling the user's methods, which
// could retain a part of it.
func marshals(t types.Type, depth int) bool {
	if depth > maxDepth || !hasNoMarshaler(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return marshals(u.Elem(), depth+1)
	case *types.Slice:
		return marshals(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if !marshals(f.Type(), depth+1) {
				return false
			}
		}
		return true
	case *types.Basic:
		return true
	}
	return false
}

func hasNoMarshaler(t types.Type) bool {
	methods := types.NewMethodSet(types.NewPointer(t))
	return methods.Lookup(nil, "MarshalJSON") == nil &&
		methods.Lookup(nil, "MarshalText") == nil &&
		methods.Lookup(nil, "MarshalJSONTo") == nil
}

// A rule analyzes a package.
type rule struct {
	pass   *analysis.Pass
	names  *rewrite.Names
	locals *rewrite.Locals
	first  *maker // the function that allocates the strings of all makers is declared before it
	keep   string // its name
	block  string // name of the function that it calls
}

func (r *rule) report(m *maker) {
	fix := r.fix(m)
	for _, ret := range m.returns {
		rules.Report(r.pass, ret, "",
			"each string that "+m.decl.Name.Name+" returns is allocated separately, and a loop collects them",
			fix)
	}
}

// fix adds a counterpart of the maker that takes a buffer for its strings, and buffers to the
// loops.
func (r *rule) fix(m *maker) analysis.SuggestedFix {
	none := rules.None(m.decl.Name.Name + " is generated, a name is shadowed, or a loop has no place for a buffer: " +
		"give it a parameter for a strings.Builder that the loop passes")
	if rewrite.Generated(r.pass, m.decl.Pos()) ||
		!rewrite.Predeclared(r.pass, m.decl.Pos(), "nil") ||
		!rewrite.Universe(r.pass, "len", "byte", "string") {
		return none
	}
	pkg, edits, ok := rewrite.Import(r.pass, m.decl.Pos(), "strings")
	if !ok {
		return none
	}
	twin := r.names.Fresh(lower(m.decl.Name.Name) + "In")
	room := r.locals.Fresh(m.decl.Pos(), "room")
	keeper, ok := r.keeper()
	if !ok {
		return none
	}
	edits = append(edits, keeper...)
	edits = append(edits, rewrite.Insert(m.decl.Body.Lbrace+1, r.split(m, pkg, twin, room)))
	for _, ret := range m.returns {
		edits = append(edits, rewrite.Replace(ret, r.keep+"("+room+", "+rewrite.Text(r.pass, ret.Args[0])+")"))
	}
	rooms := map[ast.Node]string{} // by loop
	for _, call := range m.calls {
		more, ok := r.collect(call, twin, rooms)
		if !ok {
			return none
		}
		edits = append(edits, more...)
	}
	return analysis.SuggestedFix{
		Message:   "Allocate the strings of a loop together in one strings.Builder",
		TextEdits: edits,
	}
}

// keeper declares the function that allocates strings.
func (r *rule) keeper() ([]analysis.TextEdit, bool) {
	at := r.first.decl.Pos()
	pkg, edits, ok := rewrite.Import(r.pass, at, "strings")
	if !ok || rewrite.Generated(r.pass, at) {
		return nil, false
	}
	decl, ok := rewrite.Declare(r.pass, at, fmt.Sprintf(keepText, r.keep, pkg, r.block))
	return append(edits, decl), ok
}

// keepText is the function that allocates a string. Each block of memory is twice as large as the
// one before, up to some 90 hashes, so that a small number of strings wastes little and one that
// stays retains few others.
const keepText = `// %[1]s returns text as a string, which it stores in room unless that is nil.
func %[1]s(room *%[2]s.Builder, text []byte) string {
	if room == nil {
		return string(text)
	}
	return %[3]s(room, text)
}

// %[3]s appends text to room and returns it as a string. If room is full, it starts a new block:
// existing strings stay where they are.
func %[3]s(room *%[2]s.Builder, text []byte) string {
	if room.Cap()-room.Len() < len(text) {
		size := 2 * room.Cap()
		if size > 4096 {
			size = 4096
		}
		if size < len(text) {
			size = len(text)
		}
		room.Reset()
		room.Grow(size)
	}
	at := room.Len()
	room.Write(text)
	return room.String()[at:]
}
`

// split returns the text that ends the maker after its brace and begins its counterpart, which gets
// the maker's body.
func (r *rule) split(m *maker, pkg, twin, room string) string {
	name := m.decl.Name.Name
	receiver, call := "", twin
	if m.decl.Recv != nil {
		receiver = "(" + rewrite.Between(r.pass, m.decl.Recv.Opening+1, m.decl.Recv.Closing) + ") "
		call = m.decl.Recv.List[0].Names[0].Name + "." + twin
	}
	args := []string{"nil"}
	for _, f := range m.decl.Type.Params.List {
		_, variadic := f.Type.(*ast.Ellipsis)
		for _, name := range f.Names {
			arg := name.Name
			if variadic {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	params := room + " *" + pkg + ".Builder"
	if list := m.decl.Type.Params; len(list.List) > 0 {
		params += ", " + rewrite.Between(r.pass, list.Opening+1, list.Closing)
	}
	return "\nreturn " + call + "(" + strings.Join(args, ", ") + ")\n}\n\n" +
		"// " + twin + " is " + name + ", with the result stored in " + room + " unless that is nil.\n" +
		"func " + receiver + twin + "(" + params + ") string {"
}

// collect makes a call in a loop call the counterpart, with a buffer for the loop's strings.
func (r *rule) collect(call collected, twin string, rooms map[ast.Node]string) ([]analysis.TextEdit, bool) {
	c, ok := call.at.Node().(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	pkg, edits, ok := rewrite.Import(r.pass, c.Pos(), "strings")
	if !ok || rewrite.Generated(r.pass, c.Pos()) {
		return nil, false
	}
	loop := call.loop.Node()
	room, ok := rooms[loop]
	if !ok {
		stmt, ok := rewrite.Statement(call.loop)
		if !ok {
			return nil, false
		}
		room = r.locals.Fresh(loop.Pos(), "room")
		rooms[loop] = room
		edits = append(edits, rewrite.Before(r.pass, stmt.Node(), "var "+room+" "+pkg+".Builder"))
	}
	name := c.Fun
	if sel, ok := ast.Unparen(name).(*ast.SelectorExpr); ok {
		name = sel.Sel
	}
	first := "&" + room
	if len(c.Args) > 0 {
		first += ", "
	}
	return append(edits, rewrite.Replace(name, twin), rewrite.Insert(c.Lparen+1, first)), true
}

// lower returns a name with its first letter in lower case.
func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }
