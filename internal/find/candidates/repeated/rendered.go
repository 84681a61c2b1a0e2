package repeated

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// renderedGenerator keeps pages that handlers render, by what the data is made from.
func renderedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "rendered", Keeps: true, Title: "page rendered again for the same input",
		Why: "a table keeps pages that were rendered; the data names all variables that a page is made from",
		Assumes: "a page depends on nothing else, such as the time, and what package variables refer to does not change " +
			"after the start",
		Kinds: []diagnosis.Kind{diagnosis.Template, diagnosis.Reflection, diagnosis.Formatting},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if p, ok := s.renderedOnce(c); ok {
					list = append(list, p)
				}
			}
			if !s.isRenderer() {
				return list
			}
			// The line renders what handlers ask for.
			for c := range s.Root.Preorder((*ast.CallExpr)(nil)) {
				if len(list) == mostHandlers {
					break
				}
				if p, ok := s.renderedOnce(c); ok && s.answers(c) {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// mostHandlers is the number of handlers whose pages are proposed to be kept, for a line that renders for all.
const mostHandlers = 3

// pages is declared for a page: the table, the function, the type of the key, its fields, packages sync, strings and
// io, and the function that writes or answers.
const pages = `// %[3]s is what a page is made from.
type %[3]s struct {
%[4]s}

// %[1]s has pages by what they are made from: at most 256, and 16 MiB.
var %[1]s struct {
	%[5]s.Mutex
	size  int
	byKey map[%[3]s]string
}

// %[2]s returns a page from the table, or what render writes.
func %[2]s(key %[3]s, render func(%[7]s.Writer) error) (string, error) {
	%[1]s.Lock()
	page, ok := %[1]s.byKey[key]
	%[1]s.Unlock()
	if ok {
		return page, nil
	}
	var out %[6]s.Builder
	if err := render(&out); err != nil {
		return out.String(), err
	}
	page = out.String()
	%[1]s.Lock()
	defer %[1]s.Unlock()
	if %[1]s.byKey == nil || len(%[1]s.byKey) >= 256 || %[1]s.size+len(page) > 16<<20 {
		%[1]s.byKey, %[1]s.size = map[%[3]s]string{}, 0
	}
	if _, ok := %[1]s.byKey[key]; !ok {
		%[1]s.byKey[key] = page
		%[1]s.size += len(page)
	}
	return page, nil
}

`

// writtenPage is declared for a template that is executed into a writer: as pages, and its own name.
const writtenPage = `// %[8]s writes a page from the table, or what render writes.
func %[8]s(w %[7]s.Writer, key %[3]s, render func(%[7]s.Writer) error) error {
	page, err := %[2]s(key, render)
	if _, failed := %[7]s.WriteString(w, page); err == nil {
		err = failed
	}
	return err
}`

// answeredPage is declared for the Render method of a context: as pages, its own name, and the type of the context.
const answeredPage = `// %[8]s answers with a page from the table, or with what render writes.
func %[8]s(c %[9]s, code int, key %[3]s, render func(%[7]s.Writer) error) error {
	if c.Echo().Renderer == nil {
		return c.Render(code, "", nil)
	}
	page, err := %[2]s(key, render)
	if err != nil {
		return err
	}
	return c.HTML(code, page)
}`

// A pageKey is what a page is made from: the source of expressions, with their types.
type pageKey struct {
	*site
	at     ast.Node
	values []string
	types  []string
}

// renderedOnce looks a page up before it is rendered: by the Execute methods of a template, or the Render method of a
// context.
func (s *site) renderedOnce(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || call.Ellipsis.IsValid() || rewrite.HasComment(s.Pass, call.Pos(), call.End()) || flow.Once(c) {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return p, false
	}
	k := &pageKey{site: s, at: call}
	source, context := writtenPage, ""
	switch s.Callee(c) {
	case "(*html/template.Template).Execute", "(*html/template.Template).ExecuteTemplate",
		"(*text/template.Template).Execute", "(*text/template.Template).ExecuteTemplate":
		if !k.template(sel.X) || len(call.Args) < 2 || s.SideEffects(call.Args[0]) {
			return p, false
		}
	default:
		if !s.renders(sel, call) || s.SideEffects(sel.X) {
			return p, false
		}
		source = answeredPage
		if context, ok = rewrite.TypeText(s.Pass, call.Pos(), s.Pass.TypesInfo.TypeOf(sel.X)); !ok {
			return p, false
		}
	}
	for _, arg := range call.Args[1:] {
		if !k.read(arg, 0) {
			return p, false
		}
	}
	if !rewrite.Universe(s.Pass, "len", "string", "int", "error", "nil") {
		return p, false
	}
	return k.kept(call, sel, source, context)
}

// kept declares the table, and calls the function that looks a page up.
func (k *pageKey) kept(call *ast.CallExpr, sel *ast.SelectorExpr, source, context string) (p proposal, ok bool) {
	names := [3]string{}
	var edits []analysis.TextEdit
	for i, path := range []string{"sync", "strings", "io"} {
		name, more, ok := rewrite.Import(k.Pass, call.Pos(), path)
		if !ok {
			return p, false
		}
		names[i], edits = name, append(edits, more...)
	}
	members := ""
	for i, t := range k.types {
		members += fmt.Sprintf("\tinput%d %s\n", i+1, t)
	}
	table, of, key := k.Names.Fresh("renderedPages"), k.Names.Fresh("renderedPage"), k.Names.Fresh("renderedKey")
	name := k.Names.Fresh("writePage")
	declared, ok := rewrite.Declare(k.Pass, call.Pos(), fmt.Sprintf(
		strings.ReplaceAll(pages+source, "%[9]s", context), table, of, key, members, names[0], names[1], names[2], name))
	if !ok {
		return p, false
	}
	out := k.Locals.Fresh(call.Pos(), "out")
	value := key + "{" + strings.Join(k.values, ", ") + "}"
	var args []string
	for _, a := range call.Args[1:] {
		args = append(args, k.Text(a))
	}
	render := k.Text(sel)
	first := k.Text(call.Args[0])
	if context != "" {
		first = k.Text(sel.X) + ", " + first
		render = k.Text(sel.X) + ".Echo().Renderer.Render"
		args = append(args, k.Text(sel.X))
	}
	p.Message = "Keep the pages that " + sites.Shortened(k.Text(sel)) + " renders in a table"
	p.Edits = append(edits, declared, rewrite.Replace(call, fmt.Sprintf(
		"%s(%s, %s, func(%s %s.Writer) error {\nreturn %s(%s, %s)\n})",
		name, first, value, out, names[2], render, out, strings.Join(args, ", "))))
	return p, true
}

// template adds the template to the key, if that is of a field. It reports whether it is known: a variable of the
// package must not be set again.
func (k *pageKey) template(e ast.Expr) bool {
	if k.SideEffects(e) {
		return false
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if v, isVar := k.Pass.TypesInfo.ObjectOf(id).(*types.Var); isVar && v.Parent() == k.Pass.Pkg.Scope() {
			return !k.setElsewhere(v)
		}
	}
	return k.add(e)
}

// add adds an expression to the key, and reports whether that has its value.
func (k *pageKey) add(e ast.Expr) bool {
	typ, ok := rewrite.TypeText(k.Pass, k.at.Pos(), k.Pass.TypesInfo.TypeOf(e))
	if text := k.Text(e); !slices.Contains(k.values, text) {
		k.values, k.types = append(k.values, text), append(k.types, typ)
	}
	return ok && rewrite.Means(k.Pass, e, k.at.Pos())
}

// deepest is how many variables lead from data to what it is made from.
const deepest = 3

// read adds what an expression is made from to the key. It reports whether all of that is known: variables of the
// function are text or numbers, and code elsewhere does not set those of the package.
func (k *pageKey) read(e ast.Expr, depth int) bool {
	info := k.Pass.TypesInfo
	if tv := info.Types[e]; tv.Value != nil || tv.IsNil() || tv.IsType() {
		return true
	}
	if isPlain(info.TypeOf(e)) && !k.SideEffects(e) && !k.global(e) {
		return k.add(e)
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := info.ObjectOf(e).(*types.Var)
		if !ok {
			return false
		}
		if v.Parent() == k.Pass.Pkg.Scope() {
			return !k.setElsewhere(v)
		}
		if depth == deepest || len(k.Places[v]) != 2 {
			return false
		}
		value := k.ValueOf(k.Places[v][0], v)
		return value != nil && k.read(value, depth+1)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, isPair := x.(*ast.KeyValueExpr); isPair {
				x = kv.Value
			}
			if !k.read(x, depth) {
				return false
			}
		}
		return true
	case *ast.UnaryExpr:
		return e.Op.String() == "&" && k.read(e.X, depth)
	case *ast.SelectorExpr:
		return k.read(e.X, depth)
	case *ast.BinaryExpr:
		return k.read(e.X, depth) && k.read(e.Y, depth)
	case *ast.CallExpr:
		if !k.isPure(e) {
			return false
		}
		for _, a := range e.Args {
			if !k.read(a, depth) {
				return false
			}
		}
		return true
	}
	return false
}

// global reports whether an expression begins with a variable of the package.
func (k *pageKey) global(e ast.Expr) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.Ident:
			v, ok := k.Pass.TypesInfo.ObjectOf(x).(*types.Var)
			return ok && v.Parent() == k.Pass.Pkg.Scope()
		default:
			return false
		}
	}
}

// isPlain reports whether values of a type are text, whole numbers or truth values.
func isPlain(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsString|types.IsInteger|types.IsBoolean) != 0
}

// answers reports whether a call is of the Render method of a context.
func (s *site) answers(c inspector.Cursor) bool {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && s.renders(sel, call)
}

// renders reports whether a call is of the Render method of a context of echo, or of an interface like it.
func (s *site) renders(sel *ast.SelectorExpr, call *ast.CallExpr) bool {
	return sel.Sel.Name == "Render" && len(call.Args) == 3 && isContext(s.Pass.TypesInfo.TypeOf(sel.X))
}

// isContext reports whether a type is a context of echo, or an interface like it: Render calls the method of the
// renderer that Echo has, and answers with the page as HTML does.
func isContext(t types.Type) bool {
	if t == nil || !types.IsInterface(t) {
		return false
	}
	if m := methodOf(t, "HTML"); m == nil || m.Signature().Params().Len() != 2 {
		return false
	}
	if m := methodOf(t, "Render"); m == nil || m.Signature().Params().Len() != 3 {
		return false
	}
	m := methodOf(t, "Echo")
	if m == nil || m.Signature().Results().Len() != 1 {
		return false
	}
	renderer, _, _ := types.LookupFieldOrMethod(m.Signature().Results().At(0).Type(), true, nil, "Renderer")
	v, ok := renderer.(*types.Var)
	if !ok {
		return false
	}
	render := methodOf(v.Type(), "Render")
	return render != nil && render.Signature().Params().Len() == 4 &&
		render.Signature().Params().At(0).Type().String() == "io.Writer"
}

// methodOf returns an exported method of a type by its name; nil if there is none.
func methodOf(t types.Type, name string) *types.Func {
	m, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	f, _ := m.(*types.Func)
	return f
}

// isRenderer reports whether the line is in the method that renders pages for contexts of echo.
func (s *site) isRenderer() bool {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Recv == nil || decl.Name.Name != "Render" {
		return false
	}
	fn, ok := s.Pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok || fn.Signature().Params().Len() != 4 {
		return false
	}
	return isContext(fn.Signature().Params().At(3).Type())
}
