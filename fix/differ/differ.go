package differ

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

//go:embed support.txt
var support string

// File names of what Generate writes, in the package's directory.
const (
	FileName    = "zz_whet_differ_test.go"
	SupportName = "zz_whet_support_test.go"
)

// An UnsupportedError says why a function cannot be compared.
type UnsupportedError struct {
	Function string
	What     string // the receiver, parameter or type at fault
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s cannot be compared: %s", e.Function, e.What)
}

// A Test is a generated fuzz target.
type Test struct {
	Function string // as in Go's source: (*T).Name
	Fuzz     string // name of the target
}

// Generate writes the tests that compare functions of a package as it was, old, with those of the
// same names in the package's directory. It returns the files' texts by name, and the targets.
// Functions that cannot be compared are in the errors; the files are of the others, nil when
// there are none.
func Generate(old *packages.Package, decls []*ast.FuncDecl) (files map[string][]byte, tests []Test, errs []error) {
	g := newGenerator(old)
	var bodies bytes.Buffer
	for _, d := range decls {
		text, test, err := g.target(d, len(tests)+1)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		bodies.WriteString(text)
		tests = append(tests, test)
	}
	if len(tests) == 0 {
		return nil, nil, errs
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\nimport (\n", old.Types.Name())
	for _, p := range slices.Sorted(func(yield func(string) bool) {
		for p := range g.imports {
			if !yield(p) {
				return
			}
		}
	}) {
		fmt.Fprintf(&out, "\t%s %q\n", g.imports[p], p)
	}
	keys, words := vocabulary(old)
	out.WriteString(")\n\n// What the package's own code speaks of.\nvar (\n\twhetKeys = []whetKey{")
	for _, k := range keys {
		fmt.Fprintf(&out, "{%q, %q}, ", k.name, k.kind)
	}
	fmt.Fprintf(&out, "}\n\twhetWords = %#v\n)\n\n", words)
	out.Write(bodies.Bytes())
	for _, m := range g.made {
		out.WriteString(m)
	}
	source, err := format.Source(out.Bytes())
	if err != nil {
		return nil, nil, append(errs, fmt.Errorf("what was generated is not Go: %w", err))
	}
	return map[string][]byte{
		FileName:    source,
		SupportName: supportFor(old.Types.Name()),
	}, tests, errs
}

// supportFor is the support file for a package. Its imports get names that no package has: a
// package may declare a log, url or time of its own.
func supportFor(pkg string) []byte {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, SupportName, support, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic("support.txt is not Go: " + err.Error())
	}
	file.Name.Name = pkg
	names := map[string]string{}
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value) // it has been parsed
		names[path.Base(p)] = "whet_" + path.Base(p)
		spec.Name = ast.NewIdent("whet_" + path.Base(p))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && names[x.Name] != "" {
				x.Name = names[x.Name]
			}
		}
		return true
	})
	var out bytes.Buffer
	if err := format.Node(&out, fset, file); err != nil {
		panic("support.txt is not Go: " + err.Error())
	}
	return out.Bytes()
}

// maxWords bounds the vocabulary of a package.
const maxWords = 200

// A key is a name that a struct's field has in JSON, and what it takes: string, integer, float,
// boolean, or "" for all else.
type key struct{ name, kind string }

// vocabulary are the keys of a package's structs, and the short texts in its code: inputs made of
// them reach further than random bytes.
func vocabulary(pkg *packages.Package) (keys []key, words []string) {
	for _, file := range pkg.Syntax {
		tags := map[*ast.BasicLit]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				if x.Tag == nil {
					break
				}
				tags[x.Tag] = true
				text, err := strconv.Unquote(x.Tag.Value)
				if err != nil {
					break
				}
				name, _, _ := strings.Cut(reflect.StructTag(text).Get("json"), ",")
				k := key{name, kindOf(pkg.TypesInfo.TypeOf(x.Type))}
				if name != "" && name != "-" && len(keys) < maxWords && !slices.Contains(keys, k) {
					keys = append(keys, k)
				}
			case *ast.BasicLit:
				if x.Kind != token.STRING || tags[x] || len(words) >= maxWords {
					break
				}
				if text, err := strconv.Unquote(x.Value); err == nil && text != "" && len(text) <= 64 && !slices.Contains(words, text) {
					words = append(words, text)
				}
			}
			return true
		})
	}
	return keys, words
}

func kindOf(t types.Type) string {
	if t == nil {
		return ""
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return ""
	}
	switch info := b.Info(); {
	case info&types.IsString != 0:
		return "string"
	case info&types.IsInteger != 0:
		return "integer"
	case info&types.IsFloat != 0:
		return "float"
	case info&types.IsBoolean != 0:
		return "boolean"
	}
	return ""
}

// A generator writes the makers of values that one package's tests need.
type generator struct {
	pkg     *packages.Package
	imports map[string]string // path -> name in the generated file
	makers  map[string]string // type -> name of its maker; "" while it is being written
	made    []string          // makers' source
	dead    map[string]string // type -> why no value of it can be made
}

func newGenerator(pkg *packages.Package) *generator {
	return &generator{
		pkg:     pkg,
		imports: map[string]string{"testing": "testing"},
		makers:  map[string]string{}, dead: map[string]string{},
	}
}

// qualify is the name of a package in the generated file.
func (g *generator) qualify(p *types.Package) string {
	if p == g.pkg.Types {
		return ""
	}
	return g.use(p.Path(), p.Name())
}

// use imports a package under a name that nothing of the package has.
func (g *generator) use(importPath, name string) string {
	if n, ok := g.imports[importPath]; ok {
		return n
	}
	n := name
	if g.pkg.Types.Scope().Lookup(n) != nil || slices.Contains(g.names(), n) {
		n = "whet" + strconv.Itoa(len(g.imports)) + name
	}
	g.imports[importPath] = n
	return n
}

func (g *generator) names() []string {
	var names []string
	for _, n := range g.imports {
		names = append(names, n)
	}
	return names
}

func (g *generator) typeString(t types.Type) string { return types.TypeString(t, g.qualify) }

// target writes the old function and the fuzz target of one function.
func (g *generator) target(d *ast.FuncDecl, n int) (string, Test, error) {
	name := FuncName(d)
	unsupported := func(format string, args ...any) error {
		return &UnsupportedError{Function: name, What: fmt.Sprintf(format, args...)}
	}
	fn, ok := g.pkg.TypesInfo.Defs[d.Name].(*types.Func)
	if !ok || d.Body == nil {
		return "", Test{}, unsupported("it has no body")
	}
	sig := fn.Signature()
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 {
		return "", Test{}, unsupported("it is generic")
	}
	if d.Name.Name == "init" || d.Name.Name == "main" || d.Name.Name == "_" {
		return "", Test{}, unsupported("it runs once, when the program starts")
	}
	old := fmt.Sprintf("whetOld%d%s", n, d.Name.Name)
	was, err := g.oldFunction(d, fn, old)
	if err != nil {
		return "", Test{}, unsupported("%v", err)
	}

	var setup strings.Builder
	recv := ""
	if r := sig.Recv(); r != nil {
		m, why := g.maker(r.Type(), 0)
		if why != "" {
			return "", Test{}, unsupported("the receiver: %s", why)
		}
		fmt.Fprintf(&setup, "\t\t\trecv := %s(s)\n\t\t\ts.keep(recv)\n", m)
		recv = "recv."
	}
	var calls strings.Builder
	var args []string
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		m, why := g.maker(p.Type(), 0)
		if why != "" {
			return "", Test{}, unsupported("parameter %s: %s", p.Name(), why)
		}
		arg := "a" + strconv.Itoa(i)
		fmt.Fprintf(&calls, "\t\t\t\t\t%s := %s(s)\n", arg, m)
		args = append(args, arg)
	}
	keep := strings.Join(args, ", ")
	call := strings.Join(args, ", ")
	if sig.Variadic() {
		call += "..."
	}
	var results []string
	for i := range sig.Results().Len() {
		results = append(results, "r"+strconv.Itoa(i))
	}
	after, why := g.callResults(sig)
	if why != "" {
		return "", Test{}, unsupported("%s", why)
	}
	body := func(fname string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "func(s *whetSource) {\n%s\t\t\tfor range s.turns() {\n\t\t\t\ts.turn(func() {\n%s", setup.String(), calls.String())
		if len(args) > 0 {
			fmt.Fprintf(&b, "\t\t\t\t\ts.keep(%s)\n", keep)
		}
		b.WriteString("\t\t\t\t\t")
		if len(results) > 0 {
			b.WriteString(strings.Join(results, ", ") + " := ")
		}
		fmt.Fprintf(&b, "%s%s(%s)\n", recv, fname, call)
		if len(results) > 0 {
			fmt.Fprintf(&b, "\t\t\t\t\ts.result(%s)\n", strings.Join(results, ", "))
		}
		b.WriteString(after)
		b.WriteString("\t\t\t\t})\n\t\t\t}\n\t\t}")
		return b.String()
	}
	test := Test{Function: name, Fuzz: fmt.Sprintf("FuzzWhetDiffer%d", n)}
	text := was + fmt.Sprintf(`
func %s(f *testing.F) {
	whetSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		whetCompare(t, data, %s, %s)
	})
}

`, test.Fuzz, body(old), body(d.Name.Name))
	return text, test, nil
}

// callResults is the code that calls the functions among the results, r0, r1, …: what was changed
// may lie in them.
func (g *generator) callResults(sig *types.Signature) (text, why string) {
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

// named is a type of a package that this one imports, directly or not.
func (g *generator) named(pkg, name string) types.Type {
	seen := map[*types.Package]bool{}
	var find func(p *types.Package) types.Type
	find = func(p *types.Package) types.Type {
		if seen[p] {
			return nil
		}
		seen[p] = true
		if p.Path() == pkg {
			return p.Scope().Lookup(name).Type()
		}
		for _, i := range p.Imports() {
			if t := find(i); t != nil {
				return t
			}
		}
		return nil
	}
	return find(g.pkg.Types)
}

// FuncName is a function's name as Go's source has it.
func FuncName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := types.ExprString(d.Recv.List[0].Type)
	if strings.HasPrefix(t, "*") {
		t = "(" + t + ")"
	}
	return t + "." + d.Name.Name
}

// oldFunction is the source of a function as it was, under another name. Where it calls itself it
// calls that, and the packages that its file imports are imported by the same names.
func (g *generator) oldFunction(d *ast.FuncDecl, fn *types.Func, name string) (string, error) {
	file := g.pkg.Fset.File(d.Pos())
	text, err := readFile(file.Name())
	if err != nil {
		return "", err
	}
	from, to := file.Offset(d.Pos()), file.Offset(d.End())
	type change struct {
		at, end int
		text    string
	}
	changes := []change{{file.Offset(d.Name.Pos()), file.Offset(d.Name.End()), name}}
	var failed error
	ast.Inspect(d, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id == d.Name {
			return true
		}
		switch obj := g.pkg.TypesInfo.Uses[id].(type) {
		case *types.Func:
			if obj == fn {
				changes = append(changes, change{file.Offset(id.Pos()), file.Offset(id.End()), name})
			}
		case *types.PkgName:
			as := g.use(obj.Imported().Path(), obj.Imported().Name())
			if as != id.Name {
				changes = append(changes, change{file.Offset(id.Pos()), file.Offset(id.End()), as})
			}
		case nil:
		default:
			if obj.Pkg() != nil && obj.Pkg() != g.pkg.Types && obj.Parent() == obj.Pkg().Scope() && !isSelected(d, id) {
				failed = fmt.Errorf("it uses %s of a dot import", obj.Name())
			}
		}
		return true
	})
	if failed != nil {
		return "", failed
	}
	slices.SortFunc(changes, func(a, b change) int { return a.at - b.at })
	var out strings.Builder
	at := from
	for _, c := range changes {
		out.Write(text[at:c.at])
		out.WriteString(c.text)
		at = c.end
	}
	out.Write(text[at:to])
	out.WriteString("\n")
	return out.String(), nil
}

// isSelected tells whether an identifier is the right side of a selector: pkg.Name, x.Field.
func isSelected(d *ast.FuncDecl, id *ast.Ident) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel == id {
			found = true
		}
		return !found
	})
	return found
}

// accessible tells whether the generated file can name a type.
func (g *generator) accessible(n *types.TypeName) bool {
	return n.Pkg() == nil || n.Pkg() == g.pkg.Types && n.Parent() == n.Pkg().Scope() ||
		token.IsExported(n.Name()) && n.Parent() == n.Pkg().Scope() && !isInternal(n.Pkg().Path(), g.pkg.PkgPath)
}

// isInternal tells a package that another one may not import.
func isInternal(p, from string) bool {
	i := strings.LastIndex("/"+p+"/", "/internal/")
	if i < 0 {
		return false
	}
	parent := strings.TrimSuffix(p[:max(0, i-1)], "/")
	return parent == "" || from != parent && !strings.HasPrefix(from, parent+"/") || path.Base(parent) == ""
}
